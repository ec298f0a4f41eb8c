"""What may be chosen at each stage, and in which order it is offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Number, Relation, Term, TermKind, Text, Triple
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.options import AnswerOption, ConstraintOption, Mention, NoneOption, Option, StepOption, TopicOption
from reasoning.core.structure import AbstractStructure, InstanceGraph
from reasoning.facts.pools import (
    answerable,
    facts_of,
    infer_pool,
    prune_pool,
    reached_targets,
    search_pool,
    step_options,
    topic_pool,
)
from reasoning.question.linking import link

if TYPE_CHECKING:
    from kgstore.store import GraphStore

RELATION = Relation("made.up.relation")
TOPIC, KITT, YEAR, SIX = Entity("en.topic"), Entity("en.kitt"), Date("2011"), Number(6)


def mentions(*terms: Term) -> list[Mention]:
    return [Mention(place, place + 1, term) for place, term in enumerate(terms)]


def structure_of(*kinds: TermKind) -> AbstractStructure:
    """A root with a child of each kind."""
    structure = AbstractStructure.rooted("topic")
    for kind in kinds:
        structure = structure.grow(0, RELATION, kind)
    return structure


def constraints_in(options: tuple[Option, ...]) -> list[str]:
    """As ``position operator target``; the pool always ends with None."""
    assert options[-1] == NoneOption()
    shown = [option.constraint for option in options[:-1] if isinstance(option, ConstraintOption)]
    assert len(shown) == len(options) - 1
    return [f"{c.position} {c.operator} {'' if c.target is None else c.target}".strip() for c in shown]


def compared(position: int, target: Term) -> list[str]:
    return [f"{position} {operator} {target}" for operator in ("=", "<", "<=", ">", ">=")]


def test_a_topic_is_offered_with_what_the_graph_knows_of_it(toy: GraphStore) -> None:
    (option, *_) = topic_pool(link("who created Knight Rider?", toy)).options
    # Its type, and its five facts besides name and type.
    assert option == TopicOption(Mention(12, 24, Entity("en.knight_rider")), ("tv.tv_program",), 5)


def test_longer_names_come_before_shorter_ones_wherever_they_stand(toy: GraphStore) -> None:
    for question in ("is KITT in Knight Rider", "is Knight Rider about KITT"):
        found = [o.mention.term for o in topic_pool(link(question, toy)).options if isinstance(o, TopicOption)]
        assert found == [Entity("en.knight_rider"), Entity("en.kitt")]


def test_an_entity_named_twice_is_one_topic(toy: GraphStore) -> None:
    question = "who plays KITT in Knight Rider, and who created Knight Rider?"
    terms = [option.choice for option in topic_pool(link(question, toy)).options]
    assert len(terms) == len(set(terms))
    assert Entity("en.knight_rider") in terms


def test_numbers_and_dates_are_no_topics(toy: GraphStore) -> None:
    options = topic_pool(link("who won the super bowl in 2011", toy)).options
    terms = [str(option.mention.term) for option in options if isinstance(option, TopicOption)]
    assert terms == ["en.super_bowl", "en.super_bowl_xlv", "en.super_bowl_xlvi", "en.super_bowl_xlvii"]


def test_a_step_says_what_it_adds_and_which_named_entities_it_reaches(toy: GraphStore) -> None:
    graph = InstanceGraph((frozenset({Entity("m.cast_kitt"), Entity("m.cast_michael"), Number(1)}),))

    def offered(*named: Term) -> dict[str, StepOption]:
        return {str(option.step.relation): option for option in step_options(toy, graph, 0, mentions(*named))}

    character = "tv.regular_tv_appearance.character"
    step = SearchStep(0, Relation(character))
    assert offered()[character] == StepOption(step, 2, 2, TermKind.ENTITY, ())
    # A number is no entity that could be reached, and Devon is played in another cast.
    assert offered(Number(4), Entity("en.devon_miles"))[character].reaches == ()
    found = offered(Entity("en.michael_knight"), Entity("en.kitt"), Entity("en.william_daniels"))
    assert found[character] == StepOption(step, 2, 2, TermKind.ENTITY, (Entity("en.kitt"), Entity("en.michael_knight")))
    assert found["tv.regular_tv_appearance.actor"].reaches == (Entity("en.william_daniels"),)
    assert found["^tv.tv_program.regular_cast"] == StepOption(
        SearchStep(0, Relation.parse("^tv.tv_program.regular_cast")), 2, 2, TermKind.ENTITY
    )


def test_literals_lead_nowhere(toy: GraphStore) -> None:
    assert step_options(toy, InstanceGraph((frozenset({Number(4), Text("x")}),)), 0, mentions(KITT)) == ()


def test_a_step_finds_the_facts_of_what_its_node_holds_up_to_a_limit(toy: GraphStore) -> None:
    cast, actor = Relation("tv.tv_program.regular_cast"), Relation("tv.regular_tv_appearance.actor")
    graph = InstanceGraph.rooted(Entity("en.knight_rider"))
    appearances = facts_of(SearchStep(0, cast), graph, toy, 10)
    assert (len(appearances.triples), appearances.total) == (3, 3)
    graph = graph.grow(cast, appearances.triples)
    found = facts_of(SearchStep(1, actor), graph, toy, 2)
    assert (len(found.triples), found.total) == (2, 3)
    assert {triple.predicate for triple in found.triples} == {str(actor)}


def test_the_search_may_always_end() -> None:
    option = StepOption(SearchStep(0, RELATION), 1, 1, TermKind.ENTITY)
    assert search_pool([]).options == (NoneOption(),)
    assert search_pool([option]).options == (option, NoneOption())


@pytest.mark.parametrize(
    ("kind", "members", "expected"),
    [
        # An entity that the node holds; the others that the question names, it does not hold.
        (TermKind.ENTITY, {KITT, Entity("en.other")}, ["1 = en.kitt"]),
        (TermKind.ENTITY, {Entity("en.other")}, []),
        (TermKind.NUMBER, {Number(1), Number(2)}, [*compared(1, SIX), "1 min", "1 max"]),
        (TermKind.DATE, {Date("1999"), YEAR}, [*compared(1, YEAR), "1 min", "1 max"]),
        # One term is its own minimum.
        (TermKind.DATE, {YEAR}, compared(1, YEAR)),
        (TermKind.TEXT, {Text("a"), Text("b")}, []),
        (TermKind.MEDIATOR, {Entity("m.1"), Entity("m.2")}, []),
    ],
)
def test_conditions_fit_what_a_node_holds(kind: TermKind, members: set[Term], expected: list[str]) -> None:
    structure = structure_of(kind, TermKind.ENTITY)
    held = [frozenset({TOPIC}), frozenset(members), frozenset({Entity("en.answer")})]
    # The topic may be named as well, and a term twice: neither makes a condition more.
    named = mentions(TOPIC, KITT, SIX, YEAR, KITT, SIX)
    assert constraints_in(prune_pool(structure, held, named, []).options) == expected


def test_a_text_is_a_target_where_the_question_says_it() -> None:
    structure = structure_of(TermKind.TEXT, TermKind.ENTITY)
    motto, other = Text("In God we trust!", "en"), Text("the", "en")
    held = [frozenset({TOPIC}), frozenset({motto, other}), frozenset({Entity("en.answer")})]
    question = "which of the countries has the motto “in god we trust”?"
    said = prune_pool(structure, held, (), [], question=question).options
    assert [option.choice for option in said] == [Constraint(1, Operator.EQUAL, motto), None]
    assert constraints_in(prune_pool(structure, held, (), [], question="in god we trusted").options) == []


def test_a_condition_is_offered_once_and_the_last_answer_position_stays_free() -> None:
    structure = structure_of(TermKind.ENTITY, TermKind.ENTITY, TermKind.MEDIATOR)
    held = [frozenset({TOPIC}), frozenset({KITT}), frozenset({KITT}), frozenset({Entity("m.1")})]
    first, second = Constraint(1, Operator.EQUAL, KITT), Constraint(2, Operator.EQUAL, KITT)
    assert constraints_in(prune_pool(structure, held, mentions(KITT), []).options) == ["1 = en.kitt", "2 = en.kitt"]
    # With position 1 constrained, position 2 is the last that could hold the answer.
    assert constraints_in(prune_pool(structure, held, mentions(KITT), [first]).options) == []
    assert constraints_in(prune_pool(structure, held, mentions(KITT), [second]).options) == []
    # A position may bear several conditions.
    years = [frozenset({TOPIC}), frozenset({YEAR, Date("2012")}), frozenset({KITT})]
    chosen = [Constraint(1, Operator.EQUAL, YEAR)]
    offered = constraints_in(
        prune_pool(structure_of(TermKind.DATE, TermKind.ENTITY), years, mentions(YEAR), chosen).options
    )
    assert offered == [*compared(1, YEAR)[1:], "1 min", "1 max"]


def test_the_answer_stands_neither_at_the_topic_nor_at_mediators_nor_at_a_condition() -> None:
    structure = structure_of(TermKind.MEDIATOR, TermKind.ENTITY, TermKind.NUMBER, TermKind.DATE, TermKind.TEXT)
    assert answerable(structure, []) == (2, 3, 4, 5)
    assert answerable(structure, [Constraint(3, Operator.MAX), Constraint(4, Operator.EQUAL, YEAR)]) == (2, 5)
    assert infer_pool(structure, [Constraint(2, Operator.EQUAL, KITT)]).options == tuple(map(AnswerOption, (3, 4, 5)))


def test_a_named_term_is_reached_where_a_node_beside_the_topic_holds_it() -> None:
    graph = InstanceGraph.rooted(TOPIC).grow(RELATION, [Triple(TOPIC, "r", KITT)])
    graph = graph.grow(RELATION, [Triple(KITT, "r", YEAR), Triple(KITT, "r", SIX)])
    assert reached_targets(graph, mentions(YEAR, TOPIC, Number(7), KITT, YEAR)) == (YEAR, KITT)
    assert reached_targets(InstanceGraph.rooted(TOPIC), mentions(TOPIC, KITT)) == ()
