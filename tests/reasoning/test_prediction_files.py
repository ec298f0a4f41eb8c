"""Files of published systems in small: which field is judged, and the figures that the official rule gives."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Date, Entity, Number, Term, Text
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.evaluation.judging.metrics import compare
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.predictions.others import judge_others
from reasoning.evaluation.predictions.predictions import read_predictions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.evaluation.judging.outcome import Outcome

ENGLISH, CREOLE, SPANISH = "m.01428y", "m.04ygk0", "m.0m89b"
TEXT = "what does jamaican people speak?"


class _One:
    """One question that waits to be judged."""

    def __init__(self, question: BenchmarkQuestion) -> None:
        self._question = question
        self.outcomes: list[Outcome] = []
        self.keep = self.outcomes.append

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        yield self._question

    def watch(self) -> None:
        raise AssertionError("nothing runs")


def judged(folder: Path, store: GraphStore, content: Any, *gold: Term, text: str = TEXT) -> Outcome:
    path = folder / "predictions.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    parse = GoldParse(Entity("m.03_r3"), frozenset(gold or (Entity(ENGLISH), Entity(CREOLE))), None, "no gold query")
    waiting = _One(BenchmarkQuestion("WebQTest-0", text, (parse,)))
    judge_others(waiting, store, read_predictions(path).of, EvaluationSettings(), system="other")
    return waiting.outcomes[0]


def figures(outcome: Outcome) -> tuple[float, float, float]:
    return round(outcome.precision, 3), round(outcome.recall, 3), round(outcome.f1, 3)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        # NSM, ReaRev, GNN-RAG: gold beside what was retrieved. One of two is right, one of two gold answers is found.
        pytest.param(
            {"question": TEXT, "answers": [ENGLISH, CREOLE], "cand": [[SPANISH, 0.6], [ENGLISH, 0.3]], "hit": 0.0},
            (0.5, 0.5, 0.5),
            id="cand",
        ),
        # The same, worst first: the most probable is the first answer.
        pytest.param(
            {"question": TEXT, "answers": [ENGLISH, CREOLE], "cand": [[ENGLISH, 0.3], [SPANISH, 0.6]], "f1": 0.5},
            (0.5, 0.5, 0.5),
            id="cand in another order",
        ),
        # A question as a word-piece tokenizer split it.
        pytest.param(
            {"question": "what does jam ##aica ##n people speak ?", "answers": [ENGLISH], "cand": [[ENGLISH, 0.9]]},
            (1.0, 0.5, 0.667),
            id="word pieces",
        ),
        # StructGPT: names that are no gold answer's.
        pytest.param(
            {"ID": "WebQTest-0", "Question": TEXT, "Answers": [ENGLISH], "Aliases": [], "Prediction": SPANISH},
            (0.0, 0.0, 0.0),
            id="Prediction beside Answers",
        ),
        *(
            pytest.param(
                {"id": "WebQTest-0", "answers": [ENGLISH, CREOLE], field: [ENGLISH]}, (1.0, 0.5, 0.667), id=field
            )
            for field in ("predicted_answer", "generated_answer", "response", "output", "PREDICTED", "model_answer")
        ),
        # SubgraphRAG: text, then one answer a line; two of the lines say that there is none.
        pytest.param(
            {"id": "WebQTest-0", "prediction": f"Let me see.\n\nans: {ENGLISH}\nans: not available\nans: none"},
            (1.0, 0.5, 0.667),
            id="ans:",
        ),
        # Paths, then the answer; each path is an entry of a list.
        pytest.param(
            {
                "id": "WebQTest-0",
                "prediction": [f"# Reasoning Path:\nJamaica -> a.b.c -> {ENGLISH}\n# Answer:\n{ENGLISH}"] * 2,
            },
            (1.0, 0.5, 0.667),
            id="# Answer:",
        ),
        # Think-on-Graph: both answers in one pair of braces.
        pytest.param(
            {"question": TEXT, "results": f"{{Yes}}. They are {{{ENGLISH}, {CREOLE}}}."}, (1.0, 1.0, 1.0), id="braces"
        ),
        *(
            pytest.param({"id": "WebQTest-0", "answers": [written]}, (1.0, 0.5, 0.667), id=written)
            for written in (
                "www.freebase.com/m/01428y",
                "http://www.freebase.com/m/01428y",
                "http://rdf.freebase.com/ns/m.01428y",
                "<http://rdf.freebase.com/ns/m.01428y>",
                ":m.01428y",
                "ns:m.01428y",
                "fb:m.01428y",
                "/m/01428y",
                "m/01428y",
            )
        ),
        # WebQSP's script counts a wrong answer as often as it is predicted: TP 1, FP 2, FN 1.
        pytest.param({"WebQTest-0": [ENGLISH, SPANISH, SPANISH]}, (0.333, 0.5, 0.4), id="repeated wrong answers"),
        # A right answer counts once: TP 1, FP 0, FN 1.
        pytest.param({"WebQTest-0": [ENGLISH, ENGLISH]}, (1.0, 0.5, 0.667), id="repeated right answers"),
    ],
)
def test_the_predicted_field_is_judged(
    entry: dict[str, Any], expected: tuple[float, float, float], tmp_path: Path, toy: GraphStore
) -> None:
    assert figures(judged(tmp_path, toy, entry if "WebQTest-0" in entry else json.dumps(entry) + "\n")) == expected


def test_the_most_probable_candidate_comes_first(tmp_path: Path, toy: GraphStore) -> None:
    entry = {"question": TEXT, "answers": [ENGLISH], "cand": [[ENGLISH, 0.3], [SPANISH, 0.6]]}
    assert not judged(tmp_path, toy, json.dumps(entry)).hit_first


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"id": "q", "answers": ["a"], "f1": 0.71}, "“answers” holds the gold answers, as it stands beside “f1”"),
        ({"id": "q", "answer": ["a"], "ground_truth": ["a"]}, "“answer” holds the gold answers"),
        (
            {"id": "q", "prediction": "a", "response": "b"},
            "there are “prediction”, “response”",
        ),
        ({"id": "q", "answers": ["a"], "answer": ["b"]}, "one field with answers; there are “answers”, “answer”"),
        ({"id": "q", "found": ["a"]}, "the fields are “id”, “found”"),
    ],
)
def test_where_the_field_stays_open_the_file_is_refused(entry: dict[str, Any], says: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=says):
        read_predictions(path)


def test_the_fields_that_were_read_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    entries = [{"id": "1", "prediction": "a", "answer": "b"}, {"id": "2", "prediction": "a"}]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    assert read_predictions(path).fields == {"prediction": 2}


@pytest.mark.parametrize(
    ("predicted", "gold"),
    [
        ("1523", Number(1523)),
        ("1523", Date("1523")),
        ('"1500"^^xsd:integer', Date("1500")),
        ('"1500"^^xsd:gYear', Number(1500)),
        ("-479", Date("-0479")),
    ],
)
def test_a_year_and_a_count_of_the_same_digits_are_equal(
    predicted: str, gold: Term, tmp_path: Path, toy: GraphStore
) -> None:
    assert judged(tmp_path, toy, {"WebQTest-0": [predicted]}, gold).f1 == 1
    assert judged(tmp_path, toy, {"WebQTest-0": ["1524"]}, gold).f1 == 0


def official(gold: Sequence[Term], predicted: Sequence[Term]) -> tuple[float, float]:
    """Precision and recall as WebQSP's eval.py counts them."""
    if not gold:
        return (1.0, 1.0) if not predicted else (0.0, 1.0)
    if not predicted:
        return 1.0, 0.0
    found = sum(answer in predicted for answer in gold)
    wrong = sum(answer not in gold for answer in predicted)
    return (found / (found + wrong) if found else 0.0), found / len(gold)


def test_precision_and_recall_are_those_of_webqsps_script_on_random_lists() -> None:
    chance = random.Random(5)
    terms = [Text(letter) for letter in "abcdef"]
    for _ in range(1_000):
        gold = chance.sample(terms, chance.randint(0, 4))
        predicted = chance.choices(terms, k=chance.randint(0, 6))
        compared = compare(predicted, frozenset(gold))
        assert (compared.precision, compared.recall) == pytest.approx(official(gold, predicted)), (gold, predicted)
