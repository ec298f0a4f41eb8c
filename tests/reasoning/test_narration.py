"""How the engine's state is told to people: names, places, and long lists cut with their full count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Date, Entity, Number, Relation, Term, TermKind, Text, Triple
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.options import (
    AnswerOption,
    ConstraintOption,
    Mention,
    NoneOption,
    OptionPool,
    StepOption,
    TopicOption,
)
from reasoning.core.structure import AbstractStructure, InstanceGraph
from reasoning.facts.answers import Answer
from reasoning.narration.narration import Narrator
from reasoning.question.linking import Linking, link
from reasoning.scorers.base import Cost, Distribution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore

TRIPLES = (
    ("f.old", "type.object.name", '"The Fly"@en'),
    ("f.old", "type.object.type", "film.film"),
    ("f.old", "film.film.directed_by", "p.neumann"),
    ("f.old", "film.film.initial_release_date", '"1958-07-16"^^xsd:date'),
    ("f.new", "type.object.name", '"The Fly"@en'),
    ("f.new", "type.object.type", "film.film"),
    ("f.new", "film.film.directed_by", "p.cronenberg"),
    ("f.new", "film.film.initial_release_date", '"1986"^^xsd:gYear'),
    ("p.neumann", "type.object.name", '"Kurt Neumann"@en'),
    ("p.neumann", "type.object.type", "people.person"),
    ("p.cronenberg", "r.s.knows", "x.nameless"),
    ("p.neumann", "r.s.part", "_:part"),
)
OLD, NEW, NEUMANN, CRONENBERG = map(Entity, ("f.old", "f.new", "p.neumann", "p.cronenberg"))
NAMELESS = Entity("x.nameless")
DIRECTED = Relation("film.film.directed_by")


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """Two films of one name, and a few things around them, some without a name."""
    path = tmp_path_factory.mktemp("films") / "films.sqlite"
    load_graph(TRIPLES, path, name="films", title="Films", source="drawn by hand")
    store = SqliteStore(path)
    yield store
    store.close()


@pytest.fixture
def narrator(films: GraphStore) -> Narrator:
    return Narrator(films, options_shown=3)


def graph_of(relation: Relation, *triples: Triple) -> InstanceGraph:
    return InstanceGraph.rooted(OLD).grow(relation, triples)


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (OLD, ("f.old", "The Fly", "entity")),
        (NAMELESS, ("x.nameless", "x.nameless", "entity")),
        (Entity("not.there"), ("not.there", "not.there", "entity")),
        (Entity("_:part"), ("_:part", "_:part", "mediator")),
        (Number(2.50), ("2.5", "2.5", "number")),
        (Date("1986-01"), ("1986-01", "1986-01", "date")),
        (Text("a text", "en"), ('"a text"@en', "a text", "text")),
    ],
)
def test_a_term_is_called_by_its_name_or_else_by_its_id(
    narrator: Narrator, term: Term, shown: tuple[str, str, str]
) -> None:
    record = narrator.term(term)
    assert (record.label, record.kind) == shown[1:]
    assert record.id == str(term)


def test_a_relation_is_reported_in_words_with_its_direction_and_its_unit(narrator: Narrator) -> None:
    forth, back = narrator.relation(DIRECTED), narrator.relation(DIRECTED.inverse)
    assert (forth.id, forth.label, forth.context, forth.reverse) == (str(DIRECTED), "directed by", "film", False)
    assert (back.id, back.label, back.reverse) == (str(DIRECTED.inverse), "directed by", True)
    assert forth.unit is None
    assert narrator.relation(Relation("location.location.area")).unit == "km²"


def test_a_node_is_reported_with_how_it_is_reached(narrator: Narrator) -> None:
    root, node = AbstractStructure.rooted("The Fly").grow(0, DIRECTED, TermKind.ENTITY).nodes
    shown = narrator.node(root)
    assert (shown.position, shown.kind, shown.name, shown.parent, shown.relation) == (
        0,
        "entity",
        "The Fly",
        None,
        None,
    )
    shown = narrator.node(node)
    assert (shown.position, shown.kind, shown.name, shown.parent) == (1, "entity", "entity_1", 0)
    assert shown.relation == narrator.relation(DIRECTED)


def test_a_fact_is_reported_in_the_direction_in_which_it_was_found(narrator: Narrator) -> None:
    forth = graph_of(DIRECTED, Triple(OLD, "film.film.directed_by", NEUMANN))
    back = forth.grow(DIRECTED.inverse, [Triple(NEW, "film.film.directed_by", NEUMANN)])
    first, second = narrator.facts(back.facts)
    assert (first.id, first.position) == (0, 1)
    assert (first.source, first.target) == (narrator.term(OLD), narrator.term(NEUMANN))
    assert first.relation == narrator.relation(DIRECTED)
    assert (second.id, second.position) == (1, 2)
    assert (second.source, second.target) == (narrator.term(NEUMANN), narrator.term(NEW))
    assert second.relation == narrator.relation(DIRECTED.inverse)


def test_a_hint_says_what_a_thing_is_and_tells_namesakes_apart(narrator: Narrator) -> None:
    assert narrator.hint(OLD) == "film"
    assert narrator.hint(NAMELESS) == ""
    assert narrator.hint(Entity("not.there")) == ""
    assert narrator.hint(Number(4)) == ""
    assert narrator.distinguish([OLD, NEUMANN]) == set()
    assert narrator.distinguish([OLD, NEW, NEUMANN, Number(4)]) == {OLD, NEW}
    assert "1958" in narrator.hint(OLD)
    assert "1986" in narrator.hint(NEW)
    assert narrator.hint(NEUMANN) == "person"


def test_cards_are_of_what_the_graph_holds(narrator: Narrator) -> None:
    assert narrator.card(Entity("not.there")) is None
    card = narrator.card(OLD)
    assert card is not None
    assert card.name == "The Fly"
    assert narrator.cards([OLD, Number(4), Entity("not.there")]) == {OLD: card}


def test_what_the_question_names_is_reported_with_its_place(films: GraphStore, narrator: Narrator) -> None:
    linking = link("who directed Kurt Neumann in 1958", films)
    [person, *_] = narrator.mentions(linking.mentions)
    assert (person.start, person.end, person.term.label, person.hint) == (13, 25, "Kurt Neumann", "person")
    assert narrator.names(linking) == {NEUMANN: "Kurt Neumann", Date("1958"): "1958", Number(1958): "1958"}
    topic = films.cards([CRONENBERG])[CRONENBERG]
    assert narrator.names(linking.about(topic)) == {**narrator.names(linking), CRONENBERG: "p.cronenberg"}


def test_the_topic_is_reported_with_what_else_the_question_names(films: GraphStore, narrator: Narrator) -> None:
    linking = link("who directed Kurt Neumann in 1958", films, NEUMANN)
    root = AbstractStructure.rooted("Kurt Neumann").nodes[0]
    shown = narrator.linked(linking, None, root, seconds=0.5)
    assert shown.topic == narrator.term(NEUMANN)
    assert (shown.topic_hint, shown.chosen_by_asker, shown.decision, shown.seconds) == ("person", True, None, 0.5)
    assert shown.root == narrator.node(root)
    assert shown.targets == narrator.mentions(linking.targets)
    assert len(shown.targets) == 2


def test_where_nothing_is_named_there_is_no_topic(narrator: Narrator) -> None:
    decision = narrator.decision(OptionPool((NoneOption(),)), 0, None)
    shown = narrator.linked(Linking((), {}), decision, None, seconds=0.0)
    assert (shown.topic, shown.topic_hint, shown.chosen_by_asker, shown.root, shown.targets) == (
        None,
        "",
        False,
        None,
        [],
    )
    assert shown.decision == decision


def test_a_condition_may_have_no_target(narrator: Narrator) -> None:
    shown = narrator.constraint(Constraint(2, Operator.EQUAL, NEUMANN))
    assert (shown.position, shown.operator, shown.target) == (2, "=", narrator.term(NEUMANN))
    shown = narrator.constraint(Constraint(1, Operator.MAX))
    assert (shown.position, shown.operator, shown.target) == (1, "max", None)


# Pools


STEP = StepOption(SearchStep(0, DIRECTED), entities=2, facts=3, kind=TermKind.ENTITY)
CONDITION = Constraint(1, Operator.EQUAL, NEUMANN)
POOL = OptionPool(
    (
        STEP,
        ConstraintOption(CONDITION),
        AnswerOption(1),
        TopicOption(Mention(4, 11, OLD), ("film.film",), 3),
        NoneOption(),
    )
)
COST = Cost(calls=1, tokens_in=20, tokens_out=2)


def test_every_option_is_reported_as_what_it_is(films: GraphStore) -> None:
    step, condition, answer, topic, none = Narrator(films, options_shown=9).options(POOL)
    assert [each.index for each in (step, condition, answer, topic, none)] == [0, 1, 2, 3, 4]
    assert {each.probability for each in (step, condition, answer, topic, none)} == {None}
    narrator = Narrator(films)
    assert step.model_dump() == {
        "index": 0, "probability": None, "kind": "step", "position": 0, "leads_to": "entity", "entities": 2,
        "facts": 3, "relation": narrator.relation(DIRECTED).model_dump(),
    }  # fmt: skip
    assert condition.model_dump()["constraint"] == narrator.constraint(CONDITION).model_dump()
    assert (answer.kind, answer.model_dump()["position"]) == ("answer", 1)
    assert topic.model_dump() == {
        "index": 3, "probability": None, "kind": "topic", "hint": "film", "start": 4, "end": 11,
        "term": narrator.term(OLD).model_dump(),
    }  # fmt: skip
    assert none.kind == "none"


def test_of_a_pool_without_probabilities_the_first_options_and_none_are_reported(
    films: GraphStore, narrator: Narrator
) -> None:
    assert [option.index for option in narrator.options(POOL)] == [0, 1, 2, 4]
    assert [option.index for option in Narrator(films).options(POOL)] == [4]
    short = OptionPool((AnswerOption(1), NoneOption()))
    assert [option.index for option in narrator.options(short)] == [0, 1]


def test_a_decision_is_reported_with_its_most_probable_options_the_chosen_one_and_none(films: GraphStore) -> None:
    narrator = Narrator(films, options_shown=4)
    shares = {0: 0.05, 1: 0.1, 2: 0.5, 3: 0.3, 4: 0.05}
    shown = narrator.decision(POOL, 2, Distribution(shares, 0.0, COST))
    assert [(option.index, option.probability) for option in shown.options] == [(2, 0.5), (3, 0.3), (4, 0.05)]
    assert shown.rest_probability == pytest.approx(0.15)
    assert (shown.total, shown.chosen, shown.given, shown.exact, shown.unread) == (5, 2, False, True, None)
    assert shown.cost is not None
    assert (shown.cost.calls, shown.cost.tokens_in, shown.cost.tokens_out) == (1, 20, 2)
    # What was chosen is told though it was the least probable.
    shown = narrator.decision(POOL, 0, Distribution(shares, 0.0, COST))
    assert [option.index for option in shown.options] == [2, 3, 0, 4]
    shown = Narrator(films).decision(POOL, 0, Distribution(shares, 0.0, COST))
    assert [option.index for option in shown.options] == [0, 4]
    shown = Narrator(films, options_shown=9).decision(POOL, 2, Distribution(shares, 0.0, COST))
    assert {option.index: option.probability for option in shown.options} == shares


def test_of_options_that_were_not_read_it_is_shown_what_they_have_at_most(films: GraphStore) -> None:
    narrator = Narrator(films, options_shown=5)
    shown = narrator.decision(POOL, 2, Distribution({2: 0.6, 4: 0.2}, 0.2, COST, next=0.1, exact=False))
    assert [(option.index, option.probability) for option in shown.options] == [(2, 0.6), (4, 0.2), (0, None)]
    assert shown.rest_probability == pytest.approx(0.2)
    assert shown.unread is not None
    assert (shown.unread.count, shown.unread.together, shown.unread.each) == (3, 0.2, 0.1)
    assert not shown.exact


def test_a_given_decision_has_no_probabilities(narrator: Narrator) -> None:
    shown = narrator.decision(POOL, 3, None)
    assert [(option.index, option.probability) for option in shown.options] == [(0, None), (3, None), (4, None)]
    assert (shown.given, shown.exact, shown.rest_probability, shown.unread, shown.cost) == (True, True, 0.0, None, None)


def test_namesakes_in_a_pool_are_distinguished(films: GraphStore) -> None:
    pool = OptionPool(tuple(TopicOption(Mention(0, 7, film), ("film.film",), 3) for film in (OLD, NEW)))
    shown = Narrator(films, options_shown=5).decision(pool, 0, None)
    first, second = (option.model_dump()["hint"] for option in shown.options)
    assert ("1958" in first, "1986" in second) == (True, True)


def test_a_selection_is_reported_with_those_that_were_kept_and_some_others(narrator: Narrator) -> None:
    shares = {0: 0.1, 1: 0.1, 2: 0.5, 3: 0.2, 4: 0.1}
    shown = narrator.selection(POOL, Distribution(shares, 0.0, COST), 2)
    assert (shown.measure, shown.total, shown.kept) == ("probability", 5, [2, 3])
    assert [(option.index, option.probability) for option in shown.options] == [(2, 0.5), (3, 0.2), (0, 0.1)]
    assert shown.weights == [0.5, 0.2, 0.1]
    assert shown.cost is not None
    assert shown.cost.tokens_in == 20
    # Room for fewer leaves out none that was kept.
    assert len(narrator.selection(POOL, Distribution(shares, 0.0, COST), 4).options) == 4


# Answers


def test_an_answer_is_reported_with_its_proof_and_namesakes_with_what_tells_them_apart(narrator: Narrator) -> None:
    graph = InstanceGraph.rooted(NEUMANN).grow(
        DIRECTED.inverse, [Triple(film, "film.film.directed_by", NEUMANN) for film in (OLD, NEW)]
    )
    first, second = graph.facts
    alike = narrator.answers([Answer(OLD, (first,), ()), Answer(NEW, (second,), (first,))])
    assert [answer.term for answer in alike] == [narrator.term(OLD), narrator.term(NEW)]
    assert [answer.path for answer in alike] == [narrator.facts([first]), narrator.facts([second])]
    assert [answer.conditions for answer in alike] == [[], narrator.facts([first])]
    assert ["1958" in str(alike[0].hint), "1986" in str(alike[1].hint)] == [True, True]
    [alone] = narrator.answers([Answer(OLD, (first,), ())])
    assert alone.hint is None


def test_the_names_of_a_list_are_asked_for_once(films: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[Entity]] = []

    class Counted(SqliteStore):
        def cards(self, entities: object) -> object:  # type: ignore[override]
            asked.append(set(entities))  # type: ignore[call-overload]
            return super().cards(entities)  # type: ignore[arg-type]

    assert isinstance(films, SqliteStore)
    monkeypatch.setattr(films, "__class__", Counted)
    narrator = Narrator(films)
    graph = graph_of(DIRECTED, Triple(OLD, "film.film.directed_by", NEUMANN))
    narrator.facts(graph.facts)
    narrator.facts(graph.facts)
    narrator.term(Number(4))
    assert asked == [{OLD, NEUMANN}]
