"""QALD and LC-QuAD: wordings, answers and queries as their files have them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Date, Entity, Number, Text
from reasoning.core.derivation import Constraint, Operator
from reasoning.datasets.benchmarks.values import YES_OR_NO
from reasoning.datasets.question import ANSWERS, UNKNOWN, BenchmarkQuestion, RefusedQuestion
from reasoning.datasets.registry import read_dataset, recognised
from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.settings import EvaluationSettings
from tests.reasoning.films import films
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from pathlib import Path

WD = "http://www.wikidata.org"


def bindings(*values: dict[str, str]) -> list[dict[str, Any]]:
    return [{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": value} for value in values]}}]


def entry(number: int, answers: list[dict[str, Any]], query: str = "") -> dict[str, Any]:
    wording = [{"language": "en", "string": f"question {number}?"}]
    return {"id": number, "question": wording, "query": {"sparql": query}, "answers": answers}


def read(tmp_path: Path, name: str, document: object) -> list[BenchmarkQuestion | RefusedQuestion]:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert [known.name for known in recognised(path)] == [name]
    return list(read_dataset(path, name))


def test_answers_of_qald_are_results_of_sparql(tmp_path: Path) -> None:
    xsd = "http://www.w3.org/2001/XMLSchema#"
    questions = read(
        tmp_path,
        "qald",
        {
            "questions": [
                entry(1, bindings({"type": "uri", "value": "http://e.org/Emma"})),
                entry(2, bindings({"type": "typed-literal", "datatype": f"{xsd}date", "value": "1815-12-23"})),
                entry(3, bindings({"type": "literal", "datatype": f"{xsd}integer", "value": "42"})),
                entry(4, bindings({"type": "literal", "xml:lang": "en", "value": "Emma"})),
                entry(5, [{"head": {}, "boolean": False}]),
                entry(6, bindings()),
                entry(7, []),
            ]
        },
    )
    found = [question.parses[0].answers for question in questions if isinstance(question, BenchmarkQuestion)]
    assert found == [
        {Entity("http://e.org/Emma")},
        {Date("1815-12-23")},
        {Number(42.0)},
        {Text("Emma", "en")},
        {YES_OR_NO[False]},
        set(),
        set(),
    ]
    labels = [question.labels.get(ANSWERS) for question in questions if isinstance(question, BenchmarkQuestion)]
    assert labels == [None] * 6 + [UNKNOWN]


def test_a_question_of_qald_without_english_is_refused(tmp_path: Path) -> None:
    french = entry(1, []) | {"question": [{"language": "fr", "string": "Qui ?"}]}
    [refused, asked, _] = read(tmp_path, "qald", {"questions": [french, entry(2, []), entry(3, [])]})
    assert isinstance(refused, RefusedQuestion)
    assert refused.detail == "it has no wording in English"
    assert isinstance(asked, BenchmarkQuestion)


def test_queries_of_lcquad_become_derivations(tmp_path: Path) -> None:
    counted = "SELECT DISTINCT COUNT(?uri) WHERE {?uri <http://e.org/by> <http://e.org/Kubrick> . }"
    river = "select distinct ?obj where { wd:Q1 wdt:P2813 ?obj . ?obj wdt:P31 wd:Q1002697 }"
    first, second = read(
        tmp_path,
        "lcquad",
        [
            {"_id": "1", "corrected_question": "How many films did Kubrick direct?", "sparql_query": counted},
            {
                "uid": 2,
                "question": "n/a",
                "NNQT_question": "What is {paper} of {house organ}?",
                "sparql_wikidata": river,
            },
        ],
    )
    assert isinstance(first, BenchmarkQuestion)
    assert isinstance(second, BenchmarkQuestion)
    assert second.text == "What is paper of house organ?"
    way, other = first.parses[0].derivation, second.parses[0].derivation
    assert way is not None
    assert (way.topic, str(way.steps[0].relation), way.counted) == (
        Entity("http://e.org/Kubrick"),
        "^http://e.org/by",
        True,
    )
    assert other is not None
    assert other.topic == Entity(f"{WD}/entity/Q1")
    assert str(other.steps[0].relation) == f"{WD}/prop/direct/P2813"
    target = Entity(f"{WD}/entity/Q1002697")
    assert [(each.operator, each.target) for each in other.constraints] == [(Operator.EQUAL, target)]
    assert isinstance(other.constraints[0], Constraint)


@pytest.mark.parametrize(
    ("question", "gold", "hit"),
    [
        ("Did Christopher Nolan direct The Prestige?", True, True),
        ("Did Christopher Nolan direct Heat Wave?", True, False),
        ("Did Christopher Nolan direct Heat Wave?", False, True),
        # It does not tell.
        ("Did Christopher Nolan direct The Prestige in 1999?", False, False),
        ("Which films did Christopher Nolan direct?", True, False),
    ],
)
def test_yes_and_no_are_judged(question: str, gold: bool, hit: bool, tmp_path: Path) -> None:
    asked = entry(1, [{"head": {}, "boolean": gold}]) | {"question": [{"language": "en", "string": question}]}
    [one] = read(tmp_path, "qald", {"questions": [asked]})
    assert isinstance(one, BenchmarkQuestion)
    store = films(tmp_path)
    scorer = RuleScorer(("about nolan", "0 ^film.film.directed_by", "answer 1"))
    outcome = ask(one, store, scorer, EvaluationSettings(topics="linked"))
    assert outcome.hit is hit
    assert outcome.predicted_total <= 1
    store.close()


@pytest.mark.real_data
def test_most_queries_of_lcquad_have_a_derivation(real_data: Path) -> None:
    file = real_data / "other_vocabularies" / "lcquad_train.json"
    if not file.is_file():
        pytest.skip(f"no {file}")
    questions = [question for question in read_dataset(file, "lcquad") if isinstance(question, BenchmarkQuestion)]
    problems = Counter(question.gold_problem for question in questions)
    # The others ask for yes or no.
    assert problems == {"": 3_715, "asks for something other than a selection": 285}
