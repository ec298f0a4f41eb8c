"""READS' tables over outcomes that are counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.evaluation.metrics.edit_distance import edit_distance, query_graph
from reasoning.evaluation.reporting.full_report import full_figures
from reasoning.evaluation.reporting.reads_tables import reads_tables
from tests.reasoning.outcomes import outcome

TOPIC = Entity("m.0")


def derivation(*steps: tuple[int, str], answer: int = 1) -> Derivation:
    return Derivation(TOPIC, tuple(SearchStep(at, Relation(name)) for at, name in steps), (), answer)


CHAIN = derivation((0, "a.b.c"))
FORK = derivation((0, "a.b.c"), (0, "a.b.d"))


def test_structures_weigh_the_same_in_the_mean_over_cells() -> None:
    easy = replace(outcome(), gold_derivation=CHAIN, relation_recall=1.0, edit_distance=0, edge_distance=0)
    hard = replace(outcome(), gold_derivation=FORK, relation_recall=0.5, edit_distance=4, edge_distance=1)
    gap = replace(hard, graph_gap=True, relation_recall=0.0)
    shown = reads_tables([easy, easy, easy, hard, gap])["structures"]
    assert [(cell["leaves"], cell["edges"], cell["questions"]) for cell in shown["cells"]] == [(2, 1, 3), (3, 2, 1)]
    assert shown["mean_of_cells"] == {"relation_recall": 0.75, "edit_distance": 2, "edge_distance": 0.5}
    assert shown["mean"] == {"relation_recall": 0.875, "edit_distance": 1, "edge_distance": 0.25}


def test_the_edit_distance_of_edges_charges_neither_constraints_nor_places() -> None:
    marked = Derivation(TOPIC, FORK.steps, (Constraint(2, Operator.EQUAL, Entity("m.1")),), 1)
    assert edit_distance(query_graph(FORK), query_graph(marked)) == 1
    assert edit_distance(query_graph(FORK), query_graph(marked), edges_alone=True) == 0
    assert edit_distance(query_graph(CHAIN), query_graph(marked)) == 3 - 1
    assert edit_distance(query_graph(CHAIN), query_graph(marked), edges_alone=True) == 1
    elsewhere = derivation((0, "a.b.x"))
    assert edit_distance(query_graph(CHAIN), query_graph(elsewhere), edges_alone=True) == 1


def test_requests_are_reported_per_question_and_per_call() -> None:
    costs = {"search": {"calls": 4, "tokens_in": 40, "tokens_out": 8}, "infer": {"calls": 1}}
    asked = replace(outcome(), calls=5, stage_costs=costs)
    shown = reads_tables([asked, replace(asked, calls=0, stage_costs={})])["requests"]
    by_stage = {row["stage"]: row for row in shown}
    assert by_stage["search"] == {
        "stage": "search",
        "calls_per_question": 2,
        "tokens_in_per_question": 20,
        "tokens_out_per_question": 4,
        "tokens_in_per_call": 10,
        "tokens_out_per_call": 2,
    }
    assert (by_stage["prune"]["calls_per_question"], by_stage["prune"]["tokens_in_per_call"]) == (0, None)
    assert (by_stage["all"]["calls_per_question"], by_stage["all"]["tokens_in_per_call"]) == (2.5, 8)
    assert reads_tables([outcome()])["requests"] is None, "outcomes from before stages had costs"


def test_sizes_of_structures_and_graphs() -> None:
    small = replace(outcome(), derivation=CHAIN, graph_facts=10, graph_nodes=11)
    large = replace(outcome(), derivation=FORK, graph_facts=11, graph_nodes=12, hit_first=False)
    shown = reads_tables([small, large, replace(outcome(), graph_facts=None)])
    assert [(row["size"], row["questions"], row["hits_at_1"]) for row in shown["structure_sizes"]] == [
        (1, 1, 1.0),
        (2, 1, 0.0),
    ]
    assert [(row["size"], row["questions"]) for row in shown["graph_sizes"]] == [(1, 1), (11, 1)]
    assert shown["mean_sizes"] == {"structure_edges": 1.5, "graph_facts": 10.5, "graph_nodes": 11.5}


def test_the_paper_counts_what_is_not_in_the_graph_as_a_failed_search() -> None:
    lost = replace(outcome(), hit=False, hit_first=False, graph_hit=False, graph_gap=True, case=None)
    none = replace(lost, answerable=False)
    shown = reads_tables([outcome(), lost, none])
    assert shown["graph_hits"] == {"all": 0.5, "in_graph": 1.0}
    assert shown["cases"] == {"all": {"C1": 1, "E1": 1}, "in_graph": {"C1": 1}}


def test_an_empty_prediction_has_a_precision_of_one_or_of_zero() -> None:
    empty = replace(outcome(), predicted=(), predicted_total=0, precision=1.0, recall=0.0)
    shown = reads_tables([outcome(), empty])["paper"]["all"]
    assert shown["empty"] == 1
    assert shown["f1_empty_as_one"] == pytest.approx(2 * 1 * 0.5 / 1.5)
    assert shown["f1_empty_as_zero"] == pytest.approx(0.5)
    assert shown["precision_empty_as_zero"] == 0.5
    recognised = replace(empty, answerable=False, recall=1.0)
    assert reads_tables([recognised])["paper"]["all"]["f1_empty_as_zero"] == 1, "to come to no answer was right"


def test_levels_are_those_of_grailqa() -> None:
    zero = replace(outcome(), labels={"level": "zero-shot"}, exact=False, f1=0.5)
    levels = reads_tables([zero, replace(zero, labels={"level": "i.i.d."}), outcome()])["levels"]
    assert [(row["level"], row["questions"], row["exact_match"], row["macro_f1"]) for row in levels] == [
        ("i.i.d.", 1, 0, 0.5),
        ("zero-shot", 1, 0, 0.5),
    ]


def test_of_no_question_nothing_is_reported() -> None:
    shown = full_figures([], topics="gold", graph="none")
    assert (shown["headline"], shown["reads"]["structures"], shown["reads"]["graph_hits"]["all"]) == ([], None, None)
    assert (shown["slices"]["worst"], shown["slices"]["confused"], shown["slices"]["hits_at_1"]) == ([], [], None)


def test_the_headline_is_four_figures_with_their_intervals() -> None:
    wrong = replace(outcome(), hit_first=False, f1=0.0, graph_hit=False)
    gap = replace(wrong, graph_gap=True)
    shown = full_figures([outcome()] * 60 + [wrong] * 20 + [gap] * 20, topics="gold", graph="toy")["headline"]
    assert [(each["name"], each["questions"], each["value"]) for each in shown] == [
        ("hits_at_1", 100, 0.6),
        ("macro_f1", 100, 0.6),
        ("hits_at_1_in_graph", 80, 0.75),
        ("graph_hits", 80, 0.75),
    ]
    assert all(each["low"] < each["value"] < each["high"] for each in shown)
