"""One rule says when two answers are equal: gold and predicted ones, those of a graph, of labels and of corrections."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Date, Entity, Number, Relation, Term, Text, parse_term
from reasoning.core.compared import as_compared, compared_term
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.registry import read_dataset
from reasoning.evaluation.judging.judging import judge_given
from reasoning.evaluation.judging.laid_over import Side, laid_over
from reasoning.evaluation.judging.missing import missing
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.predictions.written_predictions import predictions_of
from reasoning.gold.fitting import Fit, answer_f1, fit
from reasoning.labels.ways import ways_to
from tests.reasoning.outcomes import outcome

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore

TOWN = Entity("m.town")
FOUNDED, CODE = "location.location.founded", "location.location.code"


@pytest.mark.parametrize(
    ("terms", "equal"),
    [
        (['"1523"^^xsd:gYear', '"1523"^^xsd:integer', '"1523"', '"1523"@en'], True),
        (['"2011-02-06"^^xsd:date', '"2011-02-06"'], True),
        (['"-0479"^^xsd:gYear', '"-479"^^xsd:integer', '"-479"'], True),
        (['"3.5"^^xsd:decimal', '"3.50"'], True),
        (['"true"^^xsd:boolean', '"true"'], True),
        (['"032"', '"32"'], False),
        (['"032"', '"32"^^xsd:integer'], False),
        (['"2011-02"^^xsd:gYearMonth', '"2011"^^xsd:gYear'], False),
        (['"2011-02-30"', '"2011-02-28"^^xsd:date'], False),
        (["m.1523", '"1523"'], False),
    ],
)
def test_values_whose_written_forms_are_equal_are_equal(terms: list[str], equal: bool) -> None:
    assert (len(as_compared(map(parse_term, terms))) == 1) is equal


@pytest.fixture
def store(tmp_path: Path) -> GraphStore:
    """A town that was founded in 1523, with a code that is a text."""
    rows = [(TOWN.mid, FOUNDED, '"1523"^^xsd:gYear'), (TOWN.mid, CODE, '"90210"'), (TOWN.mid, CODE, '"032"')]
    load_graph(rows, tmp_path / "graph.sqlite", name="graph", title="Graph", source="written by hand")
    return SqliteStore(tmp_path / "graph.sqlite")


def asked(relation: str, *gold: Term) -> BenchmarkQuestion:
    derivation = Derivation(TOWN, (SearchStep(0, Relation(relation)),), (), 1)
    return BenchmarkQuestion("q", "which?", (GoldParse(TOWN, frozenset(gold), derivation),))


@pytest.mark.parametrize(
    ("relation", "gold", "predicted"),
    [
        (FOUNDED, Number(1523), Date("1523")),
        (FOUNDED, Text("1523", "en"), Number(1523)),
        # The benchmark does not write that it is a text; the graph does.
        (CODE, Number(90210), Text("90210")),
    ],
)
def test_a_right_value_of_another_type_is_right_and_no_gap_of_the_graph(
    relation: str, gold: Term, predicted: Term, store: GraphStore
) -> None:
    question = asked(relation, gold)
    right = judge_given(question, store, EvaluationSettings(), [predicted], system="other")
    assert (right.f1, right.graph_gap) == (1.0, False)
    wrong = judge_given(question, store, EvaluationSettings(), [Number(7)], system="other")
    assert (wrong.f1, wrong.graph_gap) == (0.0, False)


def test_what_the_graph_says_otherwise_typed_is_not_missing(store: GraphStore) -> None:
    assert missing(asked(FOUNDED, Number(1523), Number(1600)), store).answers == (Number(1600),)


def test_labels_and_gold_derivations_fit_answers_of_another_type(store: GraphStore) -> None:
    gold = frozenset({Number(1523)})
    fitted = fit(None, TOWN, gold, store)
    assert fitted is not None
    assert (fitted.derivation.steps, fitted.fit, fitted.f1) == ((SearchStep(0, Relation(FOUNDED)),), Fit.WEAK, 1.0)
    (way,) = ways_to("when?", store, TOWN, gold).ways
    assert (way.derivation.steps, way.right, way.missed) == ((SearchStep(0, Relation(FOUNDED)),), 1, 0)
    assert answer_f1([Date("1523")], gold) == answer_f1([Text("1523")], gold) == 1.0


def test_the_answer_to_how_many_is_no_year(tmp_path: Path) -> None:
    path = tmp_path / "grailqa.json"
    nodes = [
        {"nid": 0, "node_type": "class", "id": "r.s", "question_node": 1, "function": "count"},
        {"nid": 1, "node_type": "entity", "id": "m.0a", "question_node": 0, "function": "none"},
    ]
    graph = {"nodes": nodes, "edges": [{"start": 1, "end": 0, "relation": "r.s.t"}]}
    answer = [{"answer_type": "Value", "answer_argument": "1523"}]
    entries = [
        {"qid": 1, "question": "how many", "answer": answer, "graph_query": graph},
        {"qid": 2, "question": "how many", "answer": answer, "function": "count"},
        {"qid": 3, "question": "when", "answer": answer, "function": "none"},
    ]
    path.write_text(json.dumps(entries), encoding="utf-8")
    questions = [each for each in read_dataset(path, "grailqa") if isinstance(each, BenchmarkQuestion)]
    shown = [each.parses[0].answers for each in questions]
    assert shown == [{Number(1523)}, {Number(1523)}, {Date("1523")}]
    assert compared_term(Number(1523)) == compared_term(Date("1523"))


def test_gold_is_laid_over_a_condition_whose_target_is_typed_otherwise() -> None:
    step = SearchStep(0, Relation(CODE))
    made, gold = (
        Derivation(TOWN, (step,), (Constraint(1, Operator.EQUAL, target),), 1)
        for target in (Text("no", "en"), Text("no"))
    )
    assert laid_over(made, gold).constraints == ((made.constraints[0], Side.BOTH),)
    other = replace(gold, constraints=(Constraint(1, Operator.EQUAL, Text("yes")),))
    assert [side for _, side in laid_over(made, other).constraints] == [Side.MADE, Side.GOLD]


@pytest.mark.parametrize("gold", [Number(1523), Date("1523"), Text("1523", "en")])
def test_a_count_is_exported_however_the_benchmark_types_it(gold: Term) -> None:
    counted = Derivation(TOWN, (SearchStep(0, Relation(CODE)),), (), 1, counted=True)
    judged = replace(outcome(), derivation=counted, gold=(str(gold),), predicted_total=1523)
    ((_, shown),) = predictions_of([judged])
    assert shown == {"answers": [{"id": '"1523"^^xsd:integer', "name": "1523"}], "total": 1}
