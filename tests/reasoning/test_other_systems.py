"""What other systems predicted: files as public repositories write them, and the same comparison as for our own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Date, Entity, Term, Text
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.registry import read_dataset
from reasoning.evaluation.judging.judging import ask, judged_again
from reasoning.evaluation.judging.others import judge_others
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.predictions.prediction_files import read_predictions
from reasoning.evaluation.predictions.predictions import GivenAnswer
from reasoning.evaluation.predictions.written_predictions import predictions_json
from reasoning.evaluation.reporting.report import figures
from tests.reasoning.rules import KITT, KITT_QUESTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.evaluation.predictions.predictions import Predictions

GOLD = EvaluationSettings()
SHOW, DANIELS, HASSELHOFF = (Entity(f"en.{name}") for name in ("knight_rider", "william_daniels", "david_hasselhoff"))


def question(*answers: Term, name: str = "q1", text: str = KITT_QUESTION, **more: Any) -> BenchmarkQuestion:
    return BenchmarkQuestion(name, text, (GoldParse(SHOW, frozenset(answers), None, "no gold query"),), **more)


class Questions:
    """Questions that wait, and the outcomes of those that are judged."""

    def __init__(self, questions: Iterable[BenchmarkQuestion]) -> None:
        self._questions = list(questions)
        self.outcomes: list[Outcome] = []
        self.keep = self.outcomes.append

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        yield from self._questions

    def watch(self) -> None:
        raise AssertionError("nothing runs")


def judged(path: Path, store: GraphStore, *questions: BenchmarkQuestion) -> list[Outcome]:
    waiting = Questions(questions)
    judge_others(waiting, store, read_predictions(path).of, GOLD, system="RoG")
    return waiting.outcomes


def written(folder: Path, document: Any) -> Path:
    path = folder / "predictions.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def lines(*entries: Any) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def predicted(shown: Predictions, asked: BenchmarkQuestion) -> list[GivenAnswer]:
    given = shown.of(asked)
    assert given is not None
    return [*given.answers]


ONE = {"q1": (GivenAnswer(text="m.1"), GivenAnswer(text="m.2")), "q2": ()}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"q1": ["m.1", "m.2"], "q2": []}, id="question to answers"),
        pytest.param('{\n "q1": ["m.1", "m.2"],\n "q2": []\n}', id="over several lines"),
        pytest.param(
            {"q1": {"logical_form": "(AND …)", "answer": ["m.1", "m.2"]}, "q2": {"logical_form": "", "answer": []}},
            id="GrailQA's official script",
        ),
        pytest.param(
            [{"QuestionId": "q1", "Answers": ["m.1", "m.2"]}, {"QuestionId": "q2", "Answers": []}],
            id="WebQSP's official script",
        ),
        pytest.param(
            lines({"qid": "q1", "answer": ["m.1", "m.2"]}, {"qid": "q2", "answer": []}), id="a GrailQA system's lines"
        ),
        pytest.param(
            lines(
                {"id": "q1", "question": "who?", "prediction": "m.1\nm.2\n", "ground_truth": ["m.9"], "input": "…"},
                {"id": "q2", "question": "what?", "prediction": [], "ground_truth": ["m.9"], "input": "…"},
            ),
            id="RoG's predictions.jsonl",
        ),
        pytest.param({"q1": {"predict_answers": ["m.1", "m.2"]}, "q2": {"predict_answers": []}}, id="predict_answers"),
        pytest.param(
            lines(
                {"id": "q1", "answer": ["gold"], "pred": [["m.1", 0.7], ["m.2", 0.2]]},
                {"id": "q2", "answer": ["gold"], "pred": []},
            ),
            id="with probabilities, beside the gold",
        ),
    ],
)
def test_files_as_public_repositories_write_them(document: Any, tmp_path: Path) -> None:
    shown = read_predictions(written(tmp_path, document)).by_question
    assert {key: given.answers for key, given in shown.items()} == ONE


def test_a_sentence_with_its_answer_in_braces(tmp_path: Path) -> None:
    """Think-on-Graph writes no ids, and a sentence."""
    path = written(
        tmp_path,
        lines(
            {"question": "who directed Jaws", "results": "The answer is {Steven Spielberg}.", "reasoning_chains": []},
            {
                "question": "who made Duel",
                "results": "{Yes}. By the triplets it is {Universal}.",
                "reasoning_chains": [],
            },
            {"question": "why", "results": "I am sorry, I do not know.", "reasoning_chains": []},
        ),
    )
    shown = read_predictions(path)
    assert predicted(shown, question(name="x", text="Who directed  Jaws?")) == [GivenAnswer(text="Steven Spielberg")]
    assert predicted(shown, question(name="y", text="who made Duel")) == [GivenAnswer(text="Universal")]
    assert predicted(shown, question(name="z", text="why?")) == [GivenAnswer(text="I am sorry, I do not know.")]
    assert shown.of(question(name="n", text="another")) is None


def test_the_last_of_several_predictions_counts(tmp_path: Path) -> None:
    shown = read_predictions(written(tmp_path, lines({"id": 7, "answers": "a"}, {"id": 7, "answers": "b"})))
    assert [(key, *given.answers) for key, given in shown.by_question.items()] == [("7", GivenAnswer(text="b"))]
    assert shown.repeated == 1


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("", "contains no prediction|is empty"),
        ('{"id": "q1", "answers": ["a"]}\n{"id": "q2", "answers": [\n', "line 2: expected a JSON object"),
        (lines({"id": "q1", "answers": ["a"]}, {"answers": ["a"]}), "line 2: expected a question's “id”"),
        (lines({"id": "q1", "answers": ["a"]}, {"id": "q2", "found": ["a"]}), "line 2: expected a question's “id”"),
        (lines({"id": "q1", "answers": [["a", "b"]]}), "line 1: expected an answer to be a text"),
        (lines({"id": "q1", "answers": [{"score": 1}]}), "line 1: expected an answer with an “id” or a “name”"),
        (
            lines({"question": "who", "hit": 1.0, "cand": [[12, 0.9]]}),
            "line 1: expected ids or names; these are numbers",
        ),
        ({"q1": ["a"], "q2": [["x"]]}, "“q2”: expected an answer to be a text"),
        ([{"QuestionId": "q1", "Answers": [[4, 0.5]]}], "prediction 1: expected ids or names"),
        ({"q1": ["a\0"]}, "“q1”: expected an answer that can be kept; it holds a NUL"),
        ("<html>", "expected JSON"),
        ("[]", "contains no prediction"),
    ],
)
def test_what_is_no_prediction_is_reported_with_its_place(document: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=says):
        read_predictions(written(tmp_path, document))


def test_predictions_of_another_dataset_are_reported(tmp_path: Path) -> None:
    shown = read_predictions(written(tmp_path, {"WebQTest-0": ["m.1"]}))
    with pytest.raises(
        DatasetError, match=r"None of the 1 predictions is of one of the 1 questions.*“WebQTest-0”.*“q1”"
    ):
        shown.matched([question(DANIELS)])
    assert shown.matched([question(DANIELS), question(DANIELS, name="WebQTest-0")]) == 1


@pytest.mark.parametrize(
    ("answers", "compared_by", "figures_are"),
    [
        (["en.william_daniels"], "id", (1, 1, True)),
        (["/en/william_daniels"], "id", (1, 1, True)),
        ([{"id": "en.william_daniels", "name": "W. D."}], "id", (1, 1, True)),
        (["en.david_hasselhoff", "en.william_daniels"], "id", (1 / 2, 1, False)),
        (["m.0xyz"], "id", (0, 0, False)),
        (["WILLIAM  daniels"], "name", (1, 1, True)),
        ([{"id": "Q311453", "name": "William Daniels"}], "name", (1, 1, True)),
        (["William Daniels", "en.david_hasselhoff"], "name", (1 / 2, 1, True)),
        (["Daniels"], "name", (0, 0, False)),
        ([], "id", (1, 0, False)),
    ],
)
def test_answers_are_ids_or_names(
    toy: GraphStore, tmp_path: Path, answers: list[Any], compared_by: str, figures_are: tuple[float, float, bool]
) -> None:
    (found,) = judged(written(tmp_path, {"q1": answers}), toy, question(DANIELS))
    assert (found.precision, found.recall, found.hit_first) == figures_are
    assert (found.compared_by, found.system, found.predicted_total) == (compared_by, "RoG", len(answers))
    assert (found.verdict, found.reason) == (
        ("answered", "answered") if answers else ("no_answer_found", "nothing_predicted")
    )
    assert (found.case, found.graph_hit, found.derivation, found.relation_recall) == (None, None, None, None)
    assert Outcome.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_values_and_things_that_are_called_like_values(toy: GraphStore, tmp_path: Path) -> None:
    dated = question(Date("1982-09-26"), name="when")
    texts = question(Text("Au", "en"), name="symbol")
    path = written(tmp_path, {"when": ["1982-09-26"], "symbol": ["Au"]})
    assert [each.exact for each in judged(path, toy, dated, texts)] == [True, True]
    typed = {"when": [{"id": '"1982-09-26"^^xsd:date', "name": "26 September 1982"}], "symbol": [{"id": '"Au"@en'}]}
    assert [each.exact for each in judged(written(tmp_path, typed), toy, dated, texts)] == [True, True]
    assert [each.exact for each in judged(written(tmp_path, {"when": ["1983"]}), toy, dated)] == [False]


def test_a_question_of_which_the_file_says_nothing_has_failed_in_all_figures(toy: GraphStore, tmp_path: Path) -> None:
    there, missing, none = question(DANIELS), question(DANIELS, name="q2"), question(name="q3")
    found = judged(written(tmp_path, {"q1": ["en.william_daniels"]}), toy, there, missing, none)
    assert [(each.verdict, each.hit, each.precision, each.recall, each.f1) for each in found] == [
        ("answered", True, 1, 1, 1),
        ("failed", False, 0, 0, 0),
        ("failed", False, 0, 0, 0),
    ]
    shown = figures(found, topics="gold", graph="toy")
    assert shown["reasons"] == {"not_predicted": 2, "answered": 1}
    assert (shown["failed"], shown["all"]["hits_at_1"]) == (2, pytest.approx(1 / 3))
    assert shown["cases"] == {}
    assert shown["search"]["graph_hits"] is shown["search"]["relation_recall"] is shown["seconds"] is None
    assert shown["cost"]["calls"] is None
    assert judged_again(found[1], missing, toy, GOLD) == found[1]


def test_what_is_exported_is_imported_with_the_same_figures(toy: GraphStore, tmp_path: Path) -> None:
    own = [ask(question(DANIELS, HASSELHOFF, name=f"q{n}"), toy, KITT, GOLD) for n in range(2)]
    path = tmp_path / "predictions.json"
    path.write_text("".join(predictions_json(own)), encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8"))["q0"] == {
        "answers": [{"id": "en.william_daniels", "name": "William Daniels"}],
        "total": 1,
    }
    theirs = judged(path, toy, *(question(DANIELS, HASSELHOFF, name=f"q{n}") for n in range(2)))
    parts = ("all", "answerable", "in_graph", "graph_gap", "unanswerable")
    ours, others = (figures(each, topics="gold", graph="toy") for each in (own, theirs))
    assert {part: ours[part] for part in parts} == {part: others[part] for part in parts}
    assert "".join(predictions_json([])) == "{}\n"


def test_other_labels_judge_the_same_answers(toy: GraphStore, tmp_path: Path) -> None:
    (found,) = judged(written(tmp_path, {"q1": ["David Hasselhoff"]}), toy, question(DANIELS))
    again = judged_again(found, question(HASSELHOFF), toy, GOLD)
    assert again is not None
    assert (found.exact, again.exact, again.system, again.predicted) == (False, True, "RoG", ('"David Hasselhoff"',))
    assert judged_again(replace(found, predicted_total=2), question(HASSELHOFF), toy, GOLD) is None


def official(gold: Sequence[dict[str, Any]], predicted: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The figures that the script tells which is handed out with WebQSP, by its rules."""
    by_id = {each["QuestionId"]: each["Answers"] for each in predicted}
    found = []
    for entry in gold:
        comments = [parse["AnnotatorComment"] for parse in entry["Parses"]]
        if not any(each["QuestionQuality"] == "Good" and each["ParseQuality"] == "Complete" for each in comments):
            continue
        if entry["QuestionId"] not in by_id:
            found.append((0.0, 0.0, 0.0))
            continue
        answers = by_id[entry["QuestionId"]]
        best = (-1.0, 0.0, 0.0)
        for parse in entry["Parses"]:
            labels = [each["AnswerArgument"] for each in parse["Answers"]]
            right = sum(label in answers for label in labels)
            precision = (not labels and not answers) if not labels else (right / len(answers) if answers else 1.0)
            recall = right / len(labels) if labels else 1.0
            f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
            best = max(best, (f1, float(precision), recall), key=lambda each: each[0])
        found.append(best)
    f1, precision, recall = (sum(each) / len(found) for each in zip(*found, strict=True))
    return {"questions": len(found), "macro_f1": f1, "precision": precision, "recall": recall}


@pytest.mark.real_data
def test_the_figures_are_those_of_the_official_webqsp_script(real_data: Path, toy: GraphStore, tmp_path: Path) -> None:
    """Predictions that are right, short, too long, wrong, empty, missing or repeated by turns; all compared by ids."""
    file = real_data / "webqsp" / "WebQSP.train.json"
    gold = json.loads(file.read_text(encoding="utf-8"))["Questions"]
    predicted = []
    for number, entry in enumerate(gold):
        answers = [each["AnswerArgument"] for each in (entry["Parses"][-1]["Answers"] if entry["Parses"] else [])]
        turns = [answers, answers[:1], [*answers, "m.0zzzz"], ["m.0zzzz"], [], None, [*answers[:1], *["m.0zzzz"] * 2]]
        if (turn := turns[number % len(turns)]) is not None:
            predicted.append({"QuestionId": entry["QuestionId"], "Answers": turn})
    questions = [
        each
        for each in read_dataset(file, "webqsp")
        if isinstance(each, BenchmarkQuestion) and each.parses and each.labels.get("scored") != "no"
    ]
    shown = figures(judged(written(tmp_path, predicted), toy, *questions), topics="gold", graph="toy")["all"]
    expected = official(gold, predicted)
    assert expected["questions"] > 3_000
    assert {name: shown[name] for name in expected} == pytest.approx(expected)
