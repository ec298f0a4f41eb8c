"""The rules of published scripts: their figures by hand, and a transcription of each on random lists."""

from __future__ import annotations

import json
import random
import re
import string
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Entity, Text
from reasoning.datasets.benchmarks.webqsp import read_webqsp
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.evaluation.judging.judging import ask, judged_again
from reasoning.evaluation.judging.others import judge_others
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.predictions.prediction_files import read_predictions
from reasoning.evaluation.predictions.predictions import Given
from reasoning.evaluation.reporting.full_report import full_figures
from reasoning.evaluation.rules.registry import RULE_SETS
from reasoning.evaluation.rules.rule_set import JudgedQuestion
from tests.reasoning.rules import KITT, KITT_QUESTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore

SHOW, DANIELS, HASSELHOFF = (Entity(f"en.{name}") for name in ("knight_rider", "william_daniels", "david_hasselhoff"))
RIGHT, OTHER, WRONG = "en.william_daniels", "en.david_hasselhoff", "en.knight_rider"
FORM = "(AND tv.tv_actor (JOIN tv.tv_actor.character (JOIN tv.tv_character.show m.0kr)))"


def question(name: str, *readings: set[Entity], form: str = "", **labels: str) -> BenchmarkQuestion:
    parses = tuple(GoldParse(SHOW, frozenset(reading), None, "no gold query", form) for reading in readings)
    return BenchmarkQuestion(name, KITT_QUESTION, parses, labels=labels)


class Questions:
    """Questions that wait, and the outcomes of those that are judged."""

    def __init__(self, *questions: BenchmarkQuestion) -> None:
        self._questions = questions
        self.outcomes: list[Outcome] = []
        self.keep = self.outcomes.append

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        yield from self._questions

    def watch(self) -> None:
        raise AssertionError("nothing runs")


def report(folder: Path, store: GraphStore, content: Any, *questions: BenchmarkQuestion) -> dict[str, Any]:
    path = folder / "predictions.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    waiting = Questions(*questions)
    judge_others(waiting, store, read_predictions(path).of, EvaluationSettings(), system="other")
    # What is kept is read again, as the site does.
    outcomes = [Outcome.from_json(json.loads(json.dumps(each.to_json()))) for each in waiting.outcomes]
    return full_figures(outcomes, topics="gold", graph="toy")


def printed(entry: dict[str, Any], rules: str) -> dict[str, str]:
    return {row["figure"]: row["printed"] for row in entry["by_rules"] if row["rules"] == rules}


def counted(entry: dict[str, Any], rules: str) -> set[int]:
    return {row["questions"] for row in entry["by_rules"] if row["rules"] == rules}


def lines(*entries: dict[str, Any]) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


# --- Figures by hand


def test_the_rules_of_webqsp(tmp_path: Path, toy: GraphStore) -> None:
    """The best reading counts, a repeated wrong answer counts twice, and a question that is missing counts 0.

    a: gold {D} or {D, H}; predicted D, K, K: by {D} P 1/3, R 1, F1 1/2; by {D, H} P 1/3, R 1/2, F1 2/5. The first.
    b: gold is empty, nothing predicted: P 1, R 1, F1 1, correct. c: gold is empty, D predicted: P 0, R 1, F1 0.
    d: gold {D}, nothing predicted: P 1, R 0, F1 0. e: gold {D}, missing: 0, 0, 0.
    P (1/3 + 1 + 0 + 1 + 0) / 5 = 0.467; R (1 + 1 + 1 + 0 + 0) / 5 = 0.6; F1 (1/2 + 1) / 5 = 0.3;
    F1 of averages 2 · 0.46667 · 0.6 / 1.06667 = 0.525; true accuracy 1/5. ChatKBQA's hit: a, b and c, 3/5.
    """
    figures = report(
        tmp_path,
        toy,
        {"a": [RIGHT, WRONG, WRONG], "b": [], "c": [RIGHT], "d": []},
        question("a", {DANIELS}, {DANIELS, HASSELHOFF}),
        question("b", set()),
        question("c", set()),
        question("d", {DANIELS}),
        question("e", {DANIELS}),
    )
    assert printed(figures, "webqsp") == {
        "precision": "0.467",
        "recall": "0.600",
        "f1": "0.300",
        "f1_of_averages": "0.525",
        "true_accuracy": "0.200",
        "hits_at_1_of_chatkbqa": "0.600",
    }
    # Ours are the same but for the hit: of a and b alone.
    ours = {row["figure"]: round(row["ours"], 3) for row in figures["by_rules"] if row["rules"] == "webqsp"}
    assert ours == {
        "precision": 0.467,
        "recall": 0.6,
        "f1": 0.3,
        "f1_of_averages": 0.525,
        "true_accuracy": 0.2,
        "hits_at_1_of_chatkbqa": 0.4,
    }


def test_the_rules_of_grailqa(tmp_path: Path, toy: GraphStore) -> None:
    """EM compares forms; where it is 1, F1 is 1. Two empty lists have F1 0, and so has a question that is missing.

    a (i.i.d.): the gold form in another order, no answer: EM 1, F1 1.
    b (i.i.d.): another form, D of {D, H}: EM 0, P 1, R 1/2, F1 2/3.
    c (zero-shot): the gold graph, but its other variable is asked for: EM 1, F1 1 by the script; ours say no.
    d (zero-shot): both lists are empty, and there is no form: EM 0, F1 0. e (zero-shot): missing.
    EM 2/5, F1 (1 + 2/3 + 1) / 5 = 8/15; i.i.d. 1/2 and 5/6; zero-shot 1/3 and 1/3. Our EM is 1/5.
    """
    other = "(JOIN (R tv.tv_actor.character) (JOIN (R tv.tv_show.actor) m.0kr))"
    middle = "(AND (JOIN tv.tv_character.show m.0kr) (JOIN (R tv.tv_actor.character) tv.tv_actor))"
    figures = report(
        tmp_path,
        toy,
        {
            "a": {"logical_form": FORM.replace("(AND tv.tv_actor ", "(AND ")[:-1] + " tv.tv_actor)", "answer": []},
            "b": {"logical_form": other, "answer": [RIGHT]},
            "c": {"logical_form": middle, "answer": [WRONG]},
            "d": {"logical_form": "", "answer": []},
        },
        question("a", {DANIELS}, form=FORM, level="i.i.d."),
        question("b", {DANIELS, HASSELHOFF}, form=FORM, level="i.i.d."),
        question("c", {DANIELS}, form=FORM, level="zero-shot"),
        question("d", set(), form=FORM, level="zero-shot"),
        question("e", {DANIELS}, form=FORM, level="zero-shot"),
    )
    values = {name: float(value) for name, value in printed(figures, "grailqa").items()}
    assert values == pytest.approx(
        {"em": 2 / 5, "f1": 8 / 15, "em_iid": 1 / 2, "f1_iid": 5 / 6, "em_zero": 1 / 3, "f1_zero": 1 / 3}
    )
    assert figures["all"]["exact_match_of_logical_forms"] == pytest.approx(1 / 5)
    assert figures["all"]["exact_match"] == pytest.approx(1 / 5), "of answers: d alone"


def test_without_logical_forms_there_is_no_em(tmp_path: Path, toy: GraphStore) -> None:
    figures = report(tmp_path, toy, {"a": [RIGHT]}, question("a", {DANIELS}, form=FORM))
    assert printed(figures, "grailqa") == {"f1": "1.0"}
    assert figures["all"]["exact_match_of_logical_forms"] is None
    # A benchmark without logical forms is not judged by these rules.
    assert printed(report(tmp_path, toy, {"a": [RIGHT]}, question("a", {DANIELS})), "grailqa") == {}


@pytest.mark.parametrize(
    "document",
    [
        {"answer": {"a": [RIGHT], "b": []}, "logical_form": {"a": FORM}},
        {"a": {"answer": [RIGHT], "logical_form": FORM}, "b": {"answer": []}},
        lines({"qid": "a", "logical_form": FORM, "answer": [RIGHT]}, {"qid": "b", "answer": []}),
    ],
)
def test_logical_forms_of_files_as_grailqas_systems_write_them(document: Any, tmp_path: Path, toy: GraphStore) -> None:
    figures = report(tmp_path, toy, document, *(question(name, {DANIELS}, form=FORM) for name in "ab"))
    assert figures["all"]["exact_match_of_logical_forms"] == figures["all"]["exact_match"] == 1 / 2
    assert printed(figures, "grailqa") == {"em": "0.5", "f1": "0.5"}


def test_the_rules_of_rog(tmp_path: Path, toy: GraphStore) -> None:
    """Gold names are looked for in the text, without case, punctuation and articles; the names are the file's own.

    a: two gold names in one line: precision 2/1, recall 1, F1 4/3, accuracy 1, hit 1.
    b: a list of three texts, two of them the same; one of two names is found: P 1/2, R 1/2, F1 1/2, accuracy 1/2.
    c: nothing is found in two lines, one of them empty: all 0. d: an empty list: all 0. e is missing: not counted.
    f has no gold answer: the script stops there; not counted.
    """
    text = report(
        tmp_path,
        toy,
        lines(
            {"id": "a", "prediction": "william DANIELS and the Car.", "ground_truth": ["William Daniels", "a car"]},
            {"id": "b", "prediction": ["K.I.T.T.", "x", "x"], "ground_truth": ["KITT", "Karr"]},
            {"id": "c", "prediction": "Nobody\n", "ground_truth": ["Karr"]},
            {"id": "d", "prediction": [], "ground_truth": ["Karr"]},
            {"id": "f", "prediction": "Karr", "ground_truth": []},
        ),
        *(question(name, {DANIELS}) for name in "abcde"),
        question("f", set()),
    )
    assert counted(text, "rog") == {4}
    assert {name: float(value) for name, value in printed(text, "rog").items()} == pytest.approx(
        {
            "accuracy": 100 * (1 + 1 / 2) / 4,
            "hit": 100 * 2 / 4,
            "f1": 100 * (4 / 3 + 1 / 2) / 4,
            "precision": 100 * (2 + 1 / 2) / 4,
            "recall": 100 * (1 + 1 / 2) / 4,
        }
    )


def test_names_of_the_graph_stand_in_where_the_file_has_ids(tmp_path: Path, toy: GraphStore) -> None:
    """RoG: D of D and H: P 1, R 1/2, F1 2/3. Think-on-Graph: a name is there."""
    figures = report(tmp_path, toy, {"a": [RIGHT]}, question("a", {DANIELS}, {HASSELHOFF}))
    assert printed(figures, "rog") == {
        "accuracy": "50.0",
        "hit": "100.0",
        "f1": str(2 / 3 * 100),
        "precision": "100.0",
        "recall": "50.0",
    }
    assert printed(figures, "tog") == {"exact_match": "1.0"}


def test_gold_answers_without_a_name_are_counted(tmp_path: Path, toy: GraphStore) -> None:
    """Of two questions one has a gold answer that the graph does not name; RoG's own names are in the file."""
    entries = [{"id": name, "prediction": "William Daniels"} for name in "ab"]
    questions = question("a", {DANIELS}), question("b", {Entity("m.0zzz")})
    figures = report(tmp_path, toy, lines(*entries), *questions)
    assert printed(figures, "tog") == {"exact_match": "0.5", "questions_with_an_unnamed_gold_answer": "1"}
    assert printed(figures, "rog")["questions_with_an_unnamed_gold_answer"] == "1"
    figures = report(tmp_path, toy, lines(*({**each, "ground_truth": ["William"]} for each in entries)), *questions)
    assert printed(figures, "rog")["hit"] == "100.0"
    assert "questions_with_an_unnamed_gold_answer" not in printed(figures, "rog")


def test_names_of_the_benchmark_come_before_those_of_the_graph(tmp_path: Path, toy: GraphStore) -> None:
    """The graph knows no name of the answer. WebQSP's file does, and Think-on-Graph's script reads it there."""
    answers = [
        {"AnswerType": "Entity", "AnswerArgument": "m.0zzz", "EntityName": "George Feeny"},
        {"AnswerType": "Value", "AnswerArgument": "1982", "EntityName": None},
    ]
    entry = {"QuestionId": "a", "RawQuestion": "who?", "Parses": [{"Sparql": "", "Answers": answers}]}
    path = tmp_path / "webqsp.json"
    path.write_text(json.dumps({"Questions": [entry]}), encoding="utf-8")
    (asked,) = read_webqsp(path)
    assert isinstance(asked, BenchmarkQuestion)
    assert BenchmarkQuestion.from_json(asked.to_json()) == asked
    for text, right in (("It is {George Feeny}.", 1.0), ("{1982}", 1.0), ("{m.0zzz}", 0.0)):
        figures = report(tmp_path, toy, lines({"id": "a", "results": text}), asked)
        assert printed(figures, "tog") == {"exact_match": str(right)}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("So the answer is {William Daniels}.", True),
        ("williamdaniels, of course", True),
        ("{Will}", True),  # a part of the name
        ("{}", True),  # nothing is a part of every name
        ("", True),
        ("{NULL}", False),
        ("NULL", False),
        ("{Yes}. It is {William Daniels}.", False),  # the first braces alone
        ("{William Daniels", True),  # without an end, all but the last letter
        ("David Hasselhoff", False),
    ],
)
def test_the_rules_of_think_on_graph(text: str, right: bool, tmp_path: Path, toy: GraphStore) -> None:
    """One question of two is counted, as the file does not name the other."""
    figures = report(
        tmp_path, toy, lines({"id": "a", "results": text}), question("a", {DANIELS}), question("b", {DANIELS})
    )
    assert (printed(figures, "tog"), counted(figures, "tog")) == ({"exact_match": str(float(right))}, {1})


def test_an_empty_list_is_no_text_of_think_on_graph(tmp_path: Path, toy: GraphStore) -> None:
    figures = report(tmp_path, toy, {"a": [], "b": None}, question("a", {DANIELS}), question("b", {DANIELS}))
    assert printed(figures, "tog") == {"exact_match": "0.0"}


def test_the_rules_of_nsm(tmp_path: Path, toy: GraphStore) -> None:
    """The readings are one set; hits is of the most probable candidate, and 1 where there is no gold answer.

    a: gold {D, H} of two readings; K 0.6, D 0.3: P 1/2, R 1/2, F1 1/2, hits 0. b: no gold answer, D: P 0, R 1, F1 0,
    hits 1. c: gold {D}, nothing: P 1, R 0, F1 0, hits 0. d is missing: not counted.
    """
    entries = ({"id": "a", "cand": [[RIGHT, 0.3], [WRONG, 0.6]]}, {"id": "b", "cand": [[RIGHT, 1]]})
    figures = report(
        tmp_path,
        toy,
        lines(*entries, {"id": "c", "cand": []}),
        question("a", {DANIELS}, {HASSELHOFF}),
        question("b", set()),
        question("c", {DANIELS}),
        question("d", {DANIELS}),
    )
    assert {name: float(value) for name, value in printed(figures, "nsm").items()} == pytest.approx(
        {"hits": 1 / 3, "precision": 1 / 2, "recall": 1 / 2, "f1": 1 / 6}
    )
    assert counted(figures, "nsm") == {3}


def test_the_rules_of_gerbil(tmp_path: Path, toy: GraphStore) -> None:
    """Sets, of the first reading; a missing question has no answer.

    a: gold {D}, predicted D, K, K: 1 right, 1 wrong: P 1/2, R 1, F1 2/3. b: gold {D, H}, nothing: 0, 0, 0, but by QALD
    P 1. c: no gold answer, nothing: 1, 1, 1. d: gold {D}, missing: as b. e: gold {H}, K: 0, 0, 0.
    Macro P (1/2 + 1) / 5 = 0.3, R (1 + 1) / 5 = 0.4, F1 (2/3 + 1) / 5 = 1/3. QALD: P (1/2 + 1 + 1 + 1) / 5 = 0.7, with
    R 0.4: 0.56 / 1.1. Micro: right 1, wrong 2, lacking 2 + 1 + 1 = 4: P 1/3, R 1/5, F1 1/4.
    """
    figures = report(
        tmp_path,
        toy,
        {"a": [RIGHT, WRONG, WRONG], "b": [], "c": [], "e": [WRONG]},
        question("a", {DANIELS}, {HASSELHOFF}),
        question("b", {DANIELS, HASSELHOFF}),
        question("c", set()),
        question("d", {DANIELS}),
        question("e", {HASSELHOFF}),
    )
    assert {name: float(value) for name, value in printed(figures, "gerbil").items()} == pytest.approx(
        {
            "macro_precision": 0.3,
            "macro_recall": 0.4,
            "macro_f1": 1 / 3,
            "macro_f1_qald": 0.56 / 1.1,
            "micro_precision": 1 / 3,
            "micro_recall": 1 / 5,
            "micro_f1": 1 / 4,
        }
    )


# --- What keeps them


def test_what_discern_answers_is_judged_by_the_same_rules(toy: GraphStore) -> None:
    """A run that fails is a question without an answer."""
    own = [
        ask(question("a", {DANIELS}), toy, KITT, EvaluationSettings()),
        ask(question("b", {DANIELS}), toy, None, EvaluationSettings()),  # type: ignore[arg-type] - breaks the run
    ]
    assert [each.verdict for each in own] == ["answered", "failed"]
    shown = full_figures(own, topics="gold", graph="toy")
    assert printed(shown, "webqsp")["f1"] == "0.500"
    assert printed(shown, "rog")["hit"] == "50.0"
    assert {row["rules"] for row in shown["by_rules"]} == set(RULE_SETS) - {"grailqa"}


def test_outcomes_that_were_judged_again_or_come_from_earlier_versions_are_not_counted(toy: GraphStore) -> None:
    asked = question("a", {DANIELS})
    own = ask(asked, toy, KITT, EvaluationSettings())
    again = judged_again(own, asked, toy, EvaluationSettings())
    document = own.to_json()
    for name in ("by_rules", "logical_form", "exact_form"):
        del document[name]
    for each in (again, Outcome.from_json(document)):
        assert each is not None
        assert full_figures([each], topics="gold", graph="toy")["by_rules"] == []


def test_a_prediction_is_kept_as_json_and_read_as_an_earlier_version_kept_it(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    entry = {"id": "a", "prediction": "x\ny", "ground_truth": ["z"], "logical_form": FORM}
    path.write_text(lines(entry, {"id": "b", "prediction": ["x"]}), encoding="utf-8")
    for given in read_predictions(path).by_question.values():
        assert Given.from_json(json.loads(json.dumps(given.to_json()))) == given
    (first, _) = read_predictions(path).by_question.values()
    assert Given.from_json([answer.to_json() for answer in first.answers]) == Given(first.answers)


# --- The scripts, transcribed: random lists


TERMS = [Text(letter) for letter in "abcdef"]


def drawn(chance: random.Random) -> JudgedQuestion:
    readings = [frozenset(chance.sample(TERMS, chance.randint(0, 3))) for _ in range(chance.randint(1, 3))]
    predicted = chance.choices(TERMS, k=chance.randint(0, 5))
    return JudgedQuestion(readings, predicted, (), (), is_predicted=chance.random() > 0.1)


def webqsp_by_reading(gold: Sequence[Text], predicted: Sequence[Text]) -> tuple[float, float, float, int]:
    """``CalculatePRF1`` of eval.py, with the hit of ChatKBQA's copy."""
    if not gold:
        return (0.0, 1.0, 0.0, 1) if predicted else (1.0, 1.0, 1.0, 1)
    if not predicted:
        return 1.0, 0.0, 0.0, 0
    tp, fp, fn = 1e-40, 0.0, 0.0
    for answer in gold:
        if answer in predicted:
            tp += 1
        else:
            fn += 1
    for answer in predicted:
        if answer not in gold:
            fp += 1
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return precision, recall, 2 * precision * recall / (precision + recall), int(tp > 1e-40)


def webqsp(questions: Sequence[JudgedQuestion]) -> dict[str, float]:
    sums, correct, hits = [0.0, 0.0, 0.0], 0, 0
    for each in questions:
        if not each.is_predicted:
            continue
        best, hit = (-9999.0, -9999.0, -9999.0), 0
        for reading in each.golds:
            precision, recall, f1, hit_here = webqsp_by_reading([*reading], each.predicted)  # type: ignore[arg-type,list-item]
            if f1 > best[2]:
                best = (precision, recall, f1)
            hit = max(hit, hit_here)
        sums = [total + value for total, value in zip(sums, best, strict=True)]
        correct += best[2] == 1.0
        hits += hit
    precision, recall, f1 = (total / len(questions) for total in sums)
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "f1_of_averages": 2 * recall * precision / (recall + precision) if recall + precision else 0,
        "true_accuracy": correct / len(questions),
        "hits_at_1_of_chatkbqa": hits / len(questions),
    }


def grailqa(questions: Sequence[JudgedQuestion]) -> dict[str, float]:
    """The body of grail_evaluate.py; whether two forms are the same is checked elsewhere."""
    em_sum = f1_sum = 0.0
    for each in questions:
        answer: set[Any] = set(each.gold)
        if not each.is_predicted:
            continue
        em = each.form == each.gold_forms[0]
        em_sum += em
        if em:
            f1_sum += 1
            continue
        predicted: set[Any] = set(each.predicted)
        if predicted.intersection(answer):
            precision = len(predicted.intersection(answer)) / len(predicted)
            recall = len(predicted.intersection(answer)) / len(answer)
            f1_sum += 2 * recall * precision / (recall + precision)
    return {"em": em_sum / len(questions), "f1": f1_sum / len(questions)}


def nsm(questions: Sequence[JudgedQuestion]) -> dict[str, float]:
    """``f1_and_hits_new`` of evaluate_nsm.py, of what was retrieved."""
    rows = []
    for each in questions:
        if not each.is_predicted:
            continue
        answers, retrieved = each.gold, each.predicted
        correct = sum(1 for candidate in retrieved if candidate in answers)
        if not answers:
            rows.append((1.0, 1.0, 1.0, 1.0) if not retrieved else (0.0, 1.0, 0.0, 1.0))
            continue
        hits = float(bool(retrieved) and retrieved[0] in answers)
        if not retrieved:
            rows.append((1.0, 0.0, 0.0, hits))
            continue
        p, r = correct / len(retrieved), correct / len(answers)
        rows.append((p, r, 2 / (1 / p + 1 / r) if p and r else 0.0, hits))
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return dict(zip(("precision", "recall", "f1", "hits"), means, strict=True))


def gerbil(questions: Sequence[JudgedQuestion]) -> dict[str, float]:
    """``calculateMeasures``, ``calculateMeasuresQALD`` and their sums of FMeasureCalculator.java."""

    def measures(tp: int, fp: int, fn: int, *, qald: bool = False) -> tuple[float, float, float]:
        if tp == 0:
            if fp == 0 and fn == 0:
                return 1.0, 1.0, 1.0
            return (1.0, 0.0, 0.0) if qald and fp == 0 else (0.0, 0.0, 0.0)
        precision, recall = tp / (tp + fp), tp / (tp + fn)
        return precision, recall, 2 * precision * recall / (precision + recall)

    counts = []
    for each in questions:
        gold: set[Any] = set(each.golds[0])
        found: set[Any] = set(each.predicted) if each.is_predicted else set()
        counts.append((len(gold & found), len(found - gold), len(gold - found)))
    macro = [sum(column) / len(counts) for column in zip(*(measures(*count) for count in counts), strict=True)]
    qald = [
        sum(column) / len(counts) for column in zip(*(measures(*count, qald=True) for count in counts), strict=True)
    ]
    micro = measures(*(sum(column) for column in zip(*counts, strict=True)))
    names = [f"{mean}_{figure}" for mean in ("macro", "micro") for figure in ("precision", "recall", "f1")]
    harmonic = 2 * qald[0] * qald[1] / (qald[0] + qald[1]) if qald[0] + qald[1] else 0
    return dict(zip(names, [*macro, *micro], strict=True)) | {"macro_f1_qald": harmonic}


def by_our_rules(name: str, questions: Sequence[JudgedQuestion]) -> dict[str, float]:
    judged = [values for each in questions if (values := RULE_SETS[name].judge(each)) is not None]
    return {each.name: each.value for each in RULE_SETS[name].sum_up([(values, "") for values in judged])}


@pytest.mark.parametrize("script", [webqsp, grailqa, nsm, gerbil])
def test_answers_are_judged_as_the_script_judges_them(
    script: Callable[[Sequence[JudgedQuestion]], dict[str, float]],
) -> None:
    """Each of 1,000 questions alone, then all of them together."""
    chance = random.Random(7)
    questions = [drawn(chance) for _ in range(1_000)]
    if script is grailqa:
        forms = ("(JOIN t.a.r m.01)", "(JOIN t.a.r m.02)")
        questions = [
            JudgedQuestion(
                each.golds[:1],
                each.predicted,
                (),
                (),
                is_predicted=each.is_predicted,
                gold_forms=forms[:1],
                form=chance.choice(forms),
            )
            for each in questions
        ]
    named = [each for each in questions if each.is_predicted]
    assert 800 < len(named) < 1_000
    for part in (*([each] for each in named), questions):
        assert by_our_rules(script.__name__, part) == pytest.approx(script(part))


PIECES = ("a", "The", "an", "Kitt", "kitt", "K.I.T.T.", "car", "car's", "{", "}", "\n", ",", " ", "NULL", "1,984", "É")


def text_drawn(chance: random.Random, longest: int = 6) -> str:
    return chance.choice(("", " ")).join(chance.choices(PIECES, k=chance.randint(0, longest)))


def rog(said: str | list[str], answers: Sequence[str]) -> dict[str, float]:
    """``eval_f1``, ``eval_acc`` and ``eval_hit`` of evaluate_results.py."""

    def normalize(text: str) -> str:
        text = text.lower()
        text = "".join(char for char in text if char not in set(string.punctuation))
        text = re.sub(r"\b(a|an|the)\b", " ", text)
        return " ".join(text.split())

    if isinstance(said, list):
        counts: dict[str, int] = {}
        for each in said:
            counts[each] = counts.get(each, 0) + 1
        prediction = [name for name, _ in sorted(counts.items(), key=lambda one: one[1], reverse=True)]
    else:
        prediction = said.split("\n")
    matched = sum(1 for answer in answers if normalize(answer) in normalize(" ".join(prediction)))
    precision = matched / len(prediction) if prediction else 0
    recall = matched / len(answers) if prediction else 0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    accuracy = matched / len(answers)
    return {"accuracy": accuracy, "hit": float(matched > 0), "f1": f1, "precision": precision, "recall": recall}


def tog(said: str, answers: Sequence[str]) -> dict[str, float]:
    """The loop of eval.py with ``clean_results`` and ``exact_match``."""

    def exact_match(response: str) -> bool:
        clean_result = response.strip().replace(" ", "").lower()
        for answer in answers:
            clean_answer = answer.strip().replace(" ", "").lower()
            if clean_result == clean_answer or clean_result in clean_answer or clean_answer in clean_result:
                return True
        return False

    if "{" not in said:
        return {"exact_match": float(exact_match(said))}
    response = said[said.find("{") + 1 : said.find("}")]
    return {"exact_match": float(response != "NULL" and exact_match(response))}


def test_texts_are_judged_as_the_scripts_judge_them() -> None:
    chance = random.Random(11)
    seen: dict[str, set[float]] = {"rog": set(), "tog": set()}
    for _ in range(1_000):
        answers = [text_drawn(chance, 3) for _ in range(chance.randint(1, 3))]
        text = text_drawn(chance)
        said: str | list[str] = chance.choice((text, [text_drawn(chance, 3) for _ in range(chance.randint(0, 4))]))
        expected = rog(said, answers)
        assert by_our_rules("rog", [JudgedQuestion([frozenset()], (), answers, said)]) == pytest.approx(expected)
        assert by_our_rules("tog", [JudgedQuestion([frozenset()], (), answers, text)]) == tog(text, answers)
        seen["rog"].add(expected["precision"])
        seen["tog"].add(tog(text, answers)["exact_match"])
    assert max(seen["rog"]) > 1
    assert seen["tog"] == {0, 1}
