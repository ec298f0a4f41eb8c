"""The questions of an evaluation are chosen once, among those of its dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.utils import timezone

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion
from tests.webapp.evaluations_at_work import (
    LINE,
    QUESTIONS,
    running,
    stands,
    started,
    television,
)
from webapp.datasets.models import Dataset
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.questions.question_selection import own_graphs, questions_select
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webapp.accounts.viewer import Viewer


@pytest.fixture(autouse=True)
def folder() -> Iterator[Path]:
    """The folder where admins put files of questions, with one file."""
    with television() as path:
        yield path


def test_the_questions_of_a_dataset_are_chosen_once_and_written_down(admin_viewer: Viewer) -> None:
    evaluation = started(admin_viewer)
    questions_select(evaluation)
    evaluation.refresh_from_db()
    dataset = Dataset.objects.get()
    assert (evaluation.total, evaluation.done, evaluation.status) == (QUESTIONS, 0, Status.QUEUED)
    assert (evaluation.snapshot, evaluation.fingerprint) == (dataset, dataset.file_sha256)
    assert (dataset.name, dataset.file, dataset.starter) == ("tv.jsonl", "tv.jsonl", admin_viewer.user)
    assert (evaluation.compared_by, evaluation.left_out, evaluation.refused) == ("id", {}, [])
    rows = list(EvaluatedQuestion.objects.order_by("position"))
    assert [(row.position, row.question_id) for row in rows] == [(n, f"q{n}/1") for n in range(1, QUESTIONS + 1)]
    assert [row.dataset_question for row in rows] == list(dataset.questions.order_by("position"))
    first = rows[0]
    asked = BenchmarkQuestion.from_json(first.gold)
    assert (first.text, asked.text, asked.id) == ("who plays KITT?", "who plays KITT?", "q1/1")
    assert first.labels == asked.labels
    # Another worker that chose at the same time writes nothing.
    Evaluation.objects.update(left_out={"of": "the first"})
    other, waits = started(admin_viewer), started(admin_viewer)
    questions_select(other)
    waits.refresh_from_db()
    assert waits.total is None
    questions_select(evaluation)
    evaluation.refresh_from_db()
    assert evaluation.left_out == {"of": "the first"}
    assert EvaluatedQuestion.objects.filter(evaluation=evaluation).count() == QUESTIONS


@pytest.mark.parametrize("changes", [{"total": 3}, {"status": Status.RUNNING}])
def test_nothing_is_chosen_for_what_has_questions_or_was_begun(admin_viewer: Viewer, changes: dict[str, Any]) -> None:
    evaluation = started(admin_viewer)
    Evaluation.objects.update(**changes)
    questions_select(evaluation)
    assert not EvaluatedQuestion.objects.exists()


def test_entries_that_are_no_questions_are_counted_and_kept(admin_viewer: Viewer, folder: Path) -> None:
    (folder / "odd.jsonl").write_text(f'{{"id": 7}}\n{LINE % 1}{{"id": 8}}\n')
    evaluation = started(admin_viewer, dataset="odd.jsonl")
    questions_select(evaluation)
    evaluation.refresh_from_db()
    assert (evaluation.total, sum(evaluation.left_out.values())) == (1, 2)
    assert [entry["place"] for entry in evaluation.refused] == ["line 1", "line 3"]
    assert all(entry["reason"] and entry["detail"] for entry in evaluation.refused)


def test_a_part_and_a_number_of_questions_may_be_chosen(admin_viewer: Viewer) -> None:
    evaluation = running(admin_viewer, limit=4)
    positions = EvaluatedQuestion.objects.filter(evaluation=evaluation).values_list("position", flat=True)
    assert (evaluation.total, list(positions)) == (4, [1, 2, 3, 4])
    parts = [running(admin_viewer, split=split).total for split in ("train", "validation")]
    assert all(parts)
    assert sum(part or 0 for part in parts) == QUESTIONS


def test_of_the_bundled_sample_it_is_known_what_the_bundled_scorer_learned(admin_viewer: Viewer) -> None:
    evaluation = running(admin_viewer, dataset="sample", scorer="encoder", limit=20, settings={"topics": "linked"})
    seen = list(EvaluatedQuestion.objects.values_list("seen", flat=True))
    assert None not in seen
    assert evaluation.seen_in_training is not None
    assert True in seen
    # One that learns nothing has seen nothing.
    assert set(running(admin_viewer, limit=2).questions.values_list("seen", flat=True)) == {False}


def test_what_a_model_saw_of_which_nobody_knows_is_not_reported(admin_viewer: Viewer) -> None:
    evaluation = started(admin_viewer)
    evaluation.scorer = "from-elsewhere"
    questions_select(evaluation)
    evaluation.refresh_from_db()
    assert evaluation.seen_in_training is None
    assert set(evaluation.questions.values_list("seen", flat=True)) == {None}


def test_where_no_question_is_left_the_reason_is_reported(admin_viewer: Viewer, folder: Path) -> None:
    (folder / "one.jsonl").write_text(LINE % 1)
    running(admin_viewer, dataset="one.jsonl")
    (asked,) = Dataset.objects.get().questions.all()
    other = "train" if asked.split == "validation" else "validation"
    with pytest.raises(DatasetError) as shown:
        questions_select(started(admin_viewer, dataset="one.jsonl", split=other))
    assert str(shown.value) == "“one.jsonl” holds no such question that could be judged. Choose another split."
    branched = started(admin_viewer, settings={"gold_branches_from": 3})
    with pytest.raises(DatasetError) as shown:
        questions_select(branched)
    assert str(shown.value) == (
        "“tv.jsonl” holds no such question that could be judged. Left out were: fewer branches, or no gold "
        f"structure: {QUESTIONS}."
    )


def test_all_reasons_are_reported_for_which_none_is_left(admin_viewer: Viewer, folder: Path) -> None:
    (folder / "odd.jsonl").write_text(f'{{"id": 7}}\n{LINE % 1}')
    with pytest.raises(DatasetError) as shown:
        questions_select(started(admin_viewer, dataset="odd.jsonl", settings={"gold_branches_from": 3}))
    reasons = str(shown.value).removesuffix(".").partition(" Left out were: ")[2].split("; ")
    assert reasons[0] == "fewer branches, or no gold structure: 1"
    assert [reason.endswith(": 1") for reason in reasons] == [True, True]


def test_gold_answers_may_be_those_of_the_graph_that_is_asked(admin_viewer: Viewer, folder: Path) -> None:
    row = "en.knight_rider\ttv.tv_program.regular_cast\tm.cast_kitt\twho was in Knight Rider?\n"
    (folder / "cast.txt").write_text(row)
    found = {}
    for gold in ("given", "from-graph"):
        evaluation = running(admin_viewer, dataset="cast.txt", format="simplequestions", settings={"gold": gold})
        (asked,) = [BenchmarkQuestion.from_json(row.gold) for row in evaluation.questions.all()]
        found[gold] = {str(answer) for answer in asked.parses[0].answers}
    assert found == {"given": {"m.cast_kitt"}, "from-graph": {"m.cast_kitt", "m.cast_michael", "m.cast_devon"}}


def test_where_the_load_of_its_dataset_was_stopped_it_is_shown_what_to_do(admin_viewer: Viewer) -> None:
    evaluation = started(admin_viewer)

    def stop_first(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if sql.startswith("UPDATE") and Status.SUCCEEDED in params:
            over = {"status": Status.CANCELLED, "claim": None, "lease_until": None, "finished_at": timezone.now()}
            Dataset.objects.update(**over)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(stop_first), pytest.raises(DatasetError) as shown:
        questions_select(evaluation)
    assert str(shown.value) == "The load of “tv.jsonl” was stopped. Load it, then resume this evaluation."


def test_topics_that_are_given_must_be_of_the_graph(admin_viewer: Viewer, folder: Path) -> None:
    (folder / "far.jsonl").write_text((LINE % 1).replace("en.knight_rider", "m.far_away"))
    with pytest.raises(DatasetError, match="holds none of the 1 topic entities"):
        questions_select(started(admin_viewer, dataset="far.jsonl", settings={"topics": "gold"}))
    questions_select(started(admin_viewer, dataset="far.jsonl", settings={"topics": "linked"}))


def test_graphs_of_questions_lie_in_the_site_s_file_or_in_the_kept_one(admin_viewer: Viewer, folder: Path) -> None:
    row = (
        '{"id": "Q-1", "question": "who wrote it?", "q_entity": ["Book"], "a_entity": ["Ann"], '
        '"graph": [["Book", "book.book.author", "Ann"]]}\n'
    )
    (folder / "rog.jsonl").write_text(row)
    evaluation = started(admin_viewer, dataset="rog.jsonl", graph=None)
    assert own_graphs(evaluation) == folder / "rog.jsonl"
    evaluation_work(evaluation.pk)
    assert stands(evaluation) == (Status.SUCCEEDED, "", True)
    kept = own_graphs(evaluation)
    assert kept != folder / "rog.jsonl"
    assert kept.read_text() == row
    kept.unlink()
    with pytest.raises(DatasetError) as shown:
        own_graphs(evaluation)
    assert str(shown.value) == "The file of “rog.jsonl” is gone, and with it the graphs of its questions."
