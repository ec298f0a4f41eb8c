"""Files of published systems in small: which field is judged, and the figures that the official rule gives."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Date, Entity, Number, Term, Text
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.registry import read_dataset
from reasoning.evaluation.judging.others import judge_others
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.metrics.metrics import compare
from reasoning.evaluation.predictions.prediction_files import read_predictions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.predictions.predictions import Predictions

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
        # NSM, ReaRev, GNN-RAG: gold next to what was retrieved. One of two is right, one of two gold answers is found.
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
        (
            {"id": "q", "answers": ["a"], "f1": 0.71},
            "“answers” holds the gold answers, because the entry also has “f1”",
        ),
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


@pytest.mark.parametrize("relation", ["sports.pro_athlete.career_start", "people.person.height_in_inches"])
@pytest.mark.parametrize("predicted", ["1990", 1990, '"1990"^^xsd:gYear', '"1990"^^xsd:integer'])
def test_a_value_of_rogs_rows_is_right_whatever_its_relation_is_called(
    relation: str, predicted: str | int, tmp_path: Path
) -> None:
    row = {"id": "r", "question": "?", "q_entity": ["A"], "a_entity": ["1990"], "graph": [["A", relation, "1990"]]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (question,) = read_dataset(tmp_path / "rows.jsonl", "rog")
    assert isinstance(question, BenchmarkQuestion)
    waiting = _One(question)
    predictions = predictions_of_entries(tmp_path, {"id": "r", "prediction": predicted})
    judge_others(waiting, tmp_path / "rows.jsonl", predictions.of, EvaluationSettings(), system="other")
    assert (waiting.outcomes[0].f1, waiting.outcomes[0].graph_gap) == (1.0, False)


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


EDEN = {"dev/1": "who acted in the movie Eden", "dev/2": "who is it", "dev/3": "who acted in the movie Eden"}


def predictions_of_entries(folder: Path, *entries: Any) -> Predictions:
    path = folder / "predictions.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return read_predictions(path)


def predicted(predictions: Predictions, wordings: dict[str, str]) -> dict[str, list[str]]:
    """The texts of what is predicted for each question; those with none are left out."""
    found = {each: predictions.of(BenchmarkQuestion(each, text, ())) for each, text in wordings.items()}
    return {each: [answer.text for answer in given.answers] for each, given in found.items() if given is not None}


@pytest.mark.parametrize(
    ("texts", "repeated"),
    [
        pytest.param(["who acted in the movie Eden", "who acted in the movie Eden"], 0, id="the same text"),
        pytest.param(["Who acted in the movie Eden?", "who acted in the movie eden ."], 0, id="other spellings"),
        pytest.param(["who acted in the movie [Eden]", "who acted in the movie e ##den"], 0, id="by letters"),
        pytest.param(["who acted in the movie Eden"] * 4, 2, id="a second run appended: the last two"),
    ],
)
def test_questions_of_one_wording_have_the_predictions_of_their_places(
    texts: list[str], repeated: int, tmp_path: Path
) -> None:
    runs = [["Old", "Older"], ["Beau", "Félix"]][-len(texts) // 2 :]
    answers = [answer for run in runs for answer in run]
    entries = [{"question": text, "prediction": answer} for text, answer in zip(texts, answers, strict=True)]
    predictions = predictions_of_entries(
        tmp_path, *entries, {"question": "who is it", "prediction": "me"}
    ).distinguished(EDEN, EDEN)
    assert predicted(predictions, EDEN) == {"dev/1": ["Beau"], "dev/2": ["me"], "dev/3": ["Félix"]}
    assert (predictions.questions, predictions.repeated) == (3, repeated)


def test_questions_of_one_wording_are_distinguished_by_their_ids(tmp_path: Path) -> None:
    text = EDEN["dev/1"]
    entries = [{"id": "dev/3", "question": text, "prediction": "Félix"}, {"id": "dev/1", "prediction": "Beau"}]
    predictions = predictions_of_entries(tmp_path, *entries).distinguished(EDEN, EDEN)
    assert predicted(predictions, EDEN) == {"dev/1": ["Beau"], "dev/3": ["Félix"]}
    # One by its id: then the other is the only one of its wording.
    predictions = predictions_of_entries(tmp_path, entries[0], {"question": text, "prediction": "Beau"}).distinguished(
        EDEN, EDEN
    )
    assert predicted(predictions, EDEN) == {"dev/1": ["Beau"], "dev/3": ["Félix"]}


def test_a_file_that_does_not_tell_questions_of_one_wording_apart_is_refused(tmp_path: Path) -> None:
    predictions = predictions_of_entries(tmp_path, {"question": "who acted in the movie Eden?", "prediction": "Beau"})
    says = (
        r"“who acted in the movie Eden” is the text of 2 questions \(dev/1, dev/3\), and the file has 1 prediction of "
        r"that text\. Write the question's “id”"
    )
    with pytest.raises(DatasetError, match=says):
        predictions.distinguished(EDEN, {"dev/3"})
    assert predicted(predictions.distinguished(EDEN, {"dev/2"}), {"dev/2": EDEN["dev/2"]}) == {}


@pytest.mark.real_data
def test_metaqas_questions_that_occur_twice_have_their_own_predictions(real_data: Path, tmp_path: Path) -> None:
    questions = [
        question
        for question in read_dataset(real_data / "metaqa" / "1-hop" / "dev.txt", "metaqa")
        if isinstance(question, BenchmarkQuestion)
    ]
    wordings = {question.id: question.text for question in questions}
    twice = {text for text, count in Counter(wordings.values()).items() if count > 1}
    assert (len(wordings), len(twice)) == (9_992, 3)
    entries = [
        {"question": question.text, "prediction": sorted(str(term) for term in question.parses[0].answers)}
        for question in questions
    ]
    # A part of them is judged, and the second of two alone may be in it.
    asked = {question.id for question in questions if question.split == "validation"} | {"1-hop/dev/2545"}
    predictions = predictions_of_entries(tmp_path, *entries).distinguished(wordings, asked)
    assert predictions.repeated == 0
    by_id = {question.id: question for question in questions}
    for id_ in (each for each, text in wordings.items() if text in twice):
        given = predictions.of(by_id[id_])
        assert given is not None
        assert {answer.text for answer in given.answers} == {str(term) for term in by_id[id_].parses[0].answers}, id_
