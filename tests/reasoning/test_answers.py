"""What an answer is proven by, and the order of answers."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.store import EntityCard
from kgstore.terms import Date, Entity, Number, Relation, Term, TermKind, Text, Triple
from reasoning.core.derivation import Constraint, Operator
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.facts.answers import Prover, answer_order, in_order
from reasoning.facts.pruning import meets, prune
from tests.reasoning.trees import constraints_on, graphs

if TYPE_CHECKING:
    from kgstore.store import GraphStore


def grown(*steps: tuple[int, TermKind, list[tuple[str, str | Date]]]) -> tuple[AbstractStructure, InstanceGraph]:
    """A structure and its graph, rooted at ``film``: each step's parent, what it leads to, and its facts."""
    structure, graph = AbstractStructure.rooted("film"), InstanceGraph.rooted(Entity("film"))
    relation = Relation("made.up.relation")
    for parent, kind, ends in steps:
        facts = [Triple(Entity(s), relation.predicate, Entity(o) if isinstance(o, str) else o) for s, o in ends]
        structure, graph = structure.grow(parent, relation, kind), graph.grow(relation, facts)
    return structure, graph


@pytest.mark.slow
@given(graphs(), st.data())
def test_a_proof_is_one_solution(
    toy: GraphStore, tree: tuple[AbstractStructure, InstanceGraph], data: st.DataObject
) -> None:
    structure, graph = tree
    constraints = data.draw(constraints_on(structure))
    pruning = prune(structure, graph, constraints, toy)
    prover = Prover(structure, graph, pruning)
    for node in structure.nodes:
        for term in pruning.members[node.position]:
            proven = prover.prove(term, node.position, constraints)
            assert proven.term == term
            # The path is the chain of S_k from the topic down to the term, and nothing else.
            assert [fact.position for fact in proven.path] == [n.position for n in structure.path(node.position)[1:]]
            facts = (*proven.path, *proven.conditions)
            assert not {fact.id for fact in facts} & pruning.removed.keys()
            assert len(facts) == len({fact.position for fact in facts}), "two facts for one place"
            # Together they put one term at each place that matters, and it hangs on the one above.
            standing = {ROOT: Entity("root")} | {fact.position: fact.target for fact in facts}
            needed = {n.position for c in constraints for n in structure.path(c.position)}
            assert standing.keys() == needed | {n.position for n in structure.path(node.position)} | {ROOT}
            assert standing[node.position] == term
            assert all(fact.source == standing[structure.nodes[fact.position].parent or ROOT] for fact in facts)
            assert all(c.target and meets(standing[c.position], c.operator, c.target) for c in constraints)


def test_conditions_are_distinguished_from_the_chain_downwards_each_fact_once(toy: GraphStore) -> None:
    entity, date = TermKind.ENTITY, TermKind.DATE
    structure, graph = grown(
        (0, entity, [("film", "answer")]),
        (0, entity, [("film", "sequel"), ("film", "prequel")]),
        (2, entity, [("sequel", "sequel_cast"), ("prequel", "prequel_cast")]),
        (3, date, [("sequel_cast", Date("2011")), ("prequel_cast", Date("1999"))]),
        (3, entity, [("sequel_cast", "somebody"), ("prequel_cast", "somebody")]),
    )
    constraints = [Constraint(4, Operator.EQUAL, Date("1999")), Constraint(5, Operator.EQUAL, Entity("somebody"))]
    proven = Prover(structure, graph, prune(structure, graph, constraints, toy)).prove(Entity("answer"), 1, constraints)
    assert [str(fact.target) for fact in proven.path] == ["answer"]
    assert [str(fact.target) for fact in proven.conditions] == [
        "prequel",
        "prequel_cast",
        '"1999"^^xsd:gYear',
        "somebody",
    ]


def test_what_only_the_topic_itself_leads_to_comes_last(toy: GraphStore) -> None:
    """Who plays in the films by the director of this film? Those who play in this one alone are least likely meant."""
    entity, date = TermKind.ENTITY, TermKind.DATE
    structure, graph = grown(
        (0, entity, [("film", "director")]),
        (1, entity, [("director", "film"), ("director", "other"), ("director", "early")]),
        (2, entity, [("film", "ada"), ("early", "ada"), ("other", "zoe"), ("other", "yan"), ("film", "yan")]),
        (2, date, [("film", Date("2011")), ("other", Date("2011")), ("early", Date("1999"))]),
    )

    def ordered(*constraints: Constraint) -> list[str]:
        pruning = prune(structure, graph, constraints, toy)
        return [str(term) for term in in_order(pruning.members[3], structure, graph, pruning, 3, {})]

    assert ordered() == ["ada", "yan", "zoe"]
    # Without the early film, only this one leads to Ada.
    assert ordered(Constraint(4, Operator.EQUAL, Date("2011"))) == ["yan", "zoe", "ada"]


def test_one_step_from_the_topic_everything_is_reached(toy: GraphStore) -> None:
    structure, graph = grown((0, TermKind.ENTITY, [("film", "zoe"), ("film", "ada")]))
    pruning = prune(structure, graph, [], toy)
    assert in_order(pruning.members[1], structure, graph, pruning, 1, {}) == [Entity("ada"), Entity("zoe")]


def test_the_best_known_answers_come_first_and_bare_ids_last(toy: GraphStore) -> None:
    structure, graph = grown((0, TermKind.ENTITY, [("film", each) for each in ("ada", "bare", "cy", "zoe")]))
    pruning = prune(structure, graph, [], toy)
    cards = {
        Entity("ada"): EntityCard(Entity("ada"), "Ada", popularity=2),
        Entity("bare"): EntityCard(Entity("bare"), None, popularity=900),
        Entity("cy"): EntityCard(Entity("cy"), "Cy", popularity=2),
        Entity("zoe"): EntityCard(Entity("zoe"), "Zoe", popularity=40),
    }
    ordered = in_order(pruning.members[1], structure, graph, pruning, 1, cards)
    assert [str(term) for term in ordered] == ["zoe", "ada", "cy", "bare"]


IN_ORDER = [
    [Number(-2), Number(3), Number(12)],
    [Date("-0044-03-15"), Date("1999-12-31"), Date("2000-01-01"), Date("2000-02-01"), Date("2000-11-02")],
    # The same first day: what ends first comes first.
    [Date("2011-01-01"), Date("2011-01"), Date("2011"), Date("2011-01-02")],
    [Entity("en.a"), Entity("en.b")],
    [Text("a", "de"), Text("a", "en"), Text("b", "de")],
    # Numbers, then dates, then the rest.
    [Number(9999), Date("0001"), Entity("en.a"), Text("zebra")],
    [Number(2e9), Date("2011"), Text("", "en"), Text("!", "en")],
    [Number(2011), Date("2011"), Text("2011", "en")],
]


@pytest.mark.parametrize("terms", IN_ORDER, ids=lambda terms: " ".join(map(str, terms)))
def test_terms_have_one_order(terms: list[Term]) -> None:
    for mixed in permutations(terms):
        assert sorted(mixed, key=answer_order) == terms
