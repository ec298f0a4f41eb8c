"""Every move of a dataset and its load, as `webapp.datasets` promises it."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import time
import uuid
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as site
from django.db import IntegrityError, connection
from django.utils import timezone

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.webapp.failing_writes import failing_write
from tests.webapp.told_by_services import STAFF_ONLY, audit_log, delivered, forget_deliveries, refused, said_in, stands
from webapp.accounts.viewer import Viewer
from webapp.datasets import loading
from webapp.datasets.files import kept_file, kept_folder
from webapp.datasets.models import Dataset, MalformedEntry, Question
from webapp.datasets.schemas import DatasetIn
from webapp.datasets.selectors import dataset_out
from webapp.datasets.services import (
    dataset_archive,
    dataset_cancel,
    dataset_create,
    dataset_register,
    dataset_remove,
    dataset_reread,
    dataset_resume,
)
from webapp.datasets.transitions import STOPPED, dataset_loads
from webapp.datasets.worker import DatasetBusyError, dataset_load, dataset_work
from webapp.evaluations.models import Evaluation
from webapp.labelling.projects.models import Project
from webapp.models.pipelines.models import HeldOut
from webapp.models.trainings.models import Training, TrainingLesson
from webapp.platform.disk import NoRoomError, disk_fault
from webapp.platform.http.errors import ProductError
from webapp.platform.work import lease
from webapp.platform.work.lease import LEASE, ClaimLostError
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status
from webapp.platform.work.turn import HandedBackError
from webapp.uploads.models import Upload
from webapp.uploads.services import upload_append, upload_create

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from webapp.accounts.models import User

TASK = "datasets.load"
ARCHIVE = "Archive it instead: it is then no longer offered."
LOGS = ("webapp.datasets.services", "webapp.platform.work.turn", "webapp.platform.work.state_machine")
LINE = (
    '{"id": "q%d", "phrasings": ["who wrote book %d?"], "topic": "m.%d", "search": [[0, "book.book.author"]], '
    '"constraints": [], "answer": 1, "answers": ["m.a%d"]}\n'
)
ROG_ROW = (
    '{"id": "Q-1", "question": "who wrote it?", "q_entity": ["Book"], "a_entity": ["Ann"], '
    '"graph": [["Book", "book.book.author", "Ann"]]}\n'
)


@pytest.fixture
def asker(ada: User) -> Viewer:
    return Viewer(ada, None, "192.0.2.1")


@pytest.fixture(autouse=True)
def all_levels(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


@pytest.fixture(autouse=True)
def folder() -> Iterator[Path]:
    """The folder where admins put files of questions."""
    path: Path = site.ENVIRONMENT.home / "datasets"
    path.mkdir()
    yield path
    shutil.rmtree(path)
    shutil.rmtree(site.ENVIRONMENT.home / "dataset_files", ignore_errors=True)


def questions(count: int) -> str:
    return "".join(LINE % (n, n, n, n) for n in range(1, count + 1))


def written(path: Path, content: int | str = 3) -> Path:
    path.write_text(questions(content) if isinstance(content, int) else content, encoding="utf-8")
    return path


def registered(path: Path, **more: Any) -> Dataset:
    return dataset_register(path, **{"name": path.name, "format": "discern", "file": path.name, **more})[0]


def offered(folder: Path, viewer: Viewer, count: int = 3, name: str = "mine.jsonl") -> Dataset:
    """The dataset of a file of the folder, waiting for a worker."""
    return dataset_create(wanted=DatasetIn(file=written(folder / name, count).name), viewer=viewer)


def sent(viewer: Viewer, content: str, name: str = "my questions.jsonl") -> uuid.UUID:
    data = content.encode()
    upload = upload_create(name=name, size=len(data), viewer=viewer)
    upload_append(upload=upload, offset=0, part=data)
    return upload.pk


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return said_in(caplog, LOGS)


def held_by_another(dataset: Dataset, *, seconds: float = 5, attempts: int = 1) -> None:
    until = timezone.now() + timedelta(seconds=seconds)
    Dataset.objects.filter(pk=dataset.pk).update(
        status=Status.RUNNING, claim=uuid.uuid4(), lease_until=until, attempts=attempts, finished_at=None
    )


def evaluation_of(dataset: Dataset) -> Evaluation:
    return Evaluation.objects.create(
        dataset=dataset.name,
        snapshot=dataset,
        format="discern",
        split="all",
        graph_title="Toy",
        switches={},
        seen_at=timezone.now(),
    )


# Registering


def test_a_file_becomes_a_row_once_and_a_changed_one_the_next_version(tmp_path: Path, ada: User) -> None:
    path = written(tmp_path / "mine.jsonl")
    first, is_new = dataset_register(path, name="books", format="discern", file="x" * 400, starter=ada)
    first.refresh_from_db()
    assert is_new
    assert (first.name, first.version, first.format, first.file) == ("books", 1, "discern", "x" * 300)
    assert (first.file_sha256, first.file_bytes) == (
        hashlib.sha256(path.read_bytes()).hexdigest(),
        path.stat().st_size,
    )
    assert (first.starter, first.status, first.attempts) == (ada, Status.QUEUED, 0)
    assert timezone.now() - first.enqueued_at < timedelta(minutes=5)
    again = dataset_register(path, name="books", format="discern", file="other name")
    assert again == (first, False)
    assert dataset_register(path, name="other", format="discern", file="f")[0].version == 1
    written(path, 4)
    second, is_new = dataset_register(path, name="books", format="discern", file="f")
    assert (is_new, second.version, second.starter) == (True, 2, None)
    assert dataset_register(path, name="books", format="webqsp", file="f")[0].version == 3


def test_the_fingerprint_of_a_file_that_was_sent_is_not_taken_again(tmp_path: Path, admin_viewer: Viewer) -> None:
    upload = Upload.objects.get(pk=sent(admin_viewer, questions(3)))
    upload.sha256 = "0" * 64
    assert registered(written(tmp_path / "mine.jsonl"), sent=[upload]).file_sha256 == "0" * 64


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\0b", "half \ud800"])
def test_a_name_that_no_dataset_can_have_is_refused(tmp_path: Path, name: str) -> None:
    said = "^A dataset's name has 1 to 200 characters, and none that cannot be stored\\.$"
    with pytest.raises(DatasetError, match=said):
        registered(written(tmp_path / "mine.jsonl"), name=name)
    assert registered(tmp_path / "mine.jsonl", name="x" * 200).version == 1


def test_the_sample_s_name_is_the_sample_s(tmp_path: Path) -> None:
    said = "^“sample” is the name of the bundled sample\\. Choose another name\\.$"
    with pytest.raises(DatasetError, match=said):
        registered(written(tmp_path / "mine.jsonl"), name="sample")
    assert registered(SAMPLE_FOLDER, name="sample").version == 1


def test_a_file_that_cannot_be_read_or_of_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read: No such file"):
        registered(tmp_path / "gone.jsonl")
    with pytest.raises(DatasetError, match="webqsp, cwq"):
        registered(written(tmp_path / "mine.jsonl"), format="nonsense")


@contextmanager
def names_taken(times: int) -> Iterator[None]:
    """How often another process takes the next version of a dataset just before it is written."""
    left = times

    def take(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        nonlocal left
        if left and sql.startswith('INSERT INTO "datasets_dataset"'):
            left -= 1
            raise IntegrityError("this version is there already")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(take):
        yield


def test_where_somebody_else_takes_the_version_meanwhile_another_is_drawn(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = written(tmp_path / "mine.jsonl")
    with names_taken(2):
        assert registered(path).version == 1
    assert said(caplog) == ["another version of the dataset mine.jsonl was registered meanwhile"] * 2
    busy = "^Several files are being loaded as “other” at once\\. Try again\\.$"
    with names_taken(3), pytest.raises(DatasetBusyError, match=busy):
        registered(path, name="other")


def test_what_lies_beside_a_file_of_the_site_is_a_part_of_it(admin_viewer: Viewer, folder: Path) -> None:
    path = written(folder / "qa_dev.txt", "who directed [Jaws]\tSteven Spielberg\n")
    alone = registered(path, format="metaqa")
    types = written(folder / "qa_dev_qtype.txt", "movie_to_director\n")
    both = registered(path, format="metaqa")
    assert (alone.second_file, both.second_file, both.version) == ("", "qa_dev_qtype.txt", 2)
    assert both.file_bytes == path.stat().st_size + types.stat().st_size
    wanted = DatasetIn(file=path.name, format="metaqa", second=sent(admin_viewer, "movie_to_writer\n"))
    message = "A file of the site is read together with its second file. Send both files, or neither."
    assert refused(lambda: dataset_create(wanted=wanted, viewer=admin_viewer)) == (422, "second_file", message)


# Beginning


def test_a_file_of_the_folder_is_queued_handed_over_and_written_down(admin_viewer: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    assert (dataset.name, dataset.version, dataset.format, dataset.file) == ("mine.jsonl", 1, "discern", "mine.jsonl")
    assert (dataset.status, dataset.starter) == (Status.QUEUED, admin_viewer.user)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(dataset.pk))]
    assert audit_log() == [("cleo", "dataset_loaded", "mine.jsonl, version 1", "", "discern, mine.jsonl")]
    named = dataset_create(wanted=DatasetIn(file="mine.jsonl", name="  books ", format="webqsp"), viewer=admin_viewer)
    assert (named.name, named.format, named.file) == ("books", "webqsp", "mine.jsonl")


def test_what_failed_is_begun_anew_and_what_runs_or_is_done_is_not(admin_viewer: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    forget_deliveries()
    Dataset.objects.update(status=Status.FAILED, reason="why", attempts=3, finished_at=timezone.now())
    assert dataset_create(wanted=DatasetIn(file="mine.jsonl"), viewer=admin_viewer) == dataset
    assert stands(dataset) == (Status.QUEUED, "", None, None, False)
    assert dataset.attempts == 0
    assert len(delivered(Queue.CPU_BACKGROUND)) == 1
    held_by_another(dataset)
    assert dataset_create(wanted=DatasetIn(file="mine.jsonl"), viewer=admin_viewer).status == Status.RUNNING
    held_by_another(dataset, seconds=-1)
    dataset_loads.recover()
    dataset_work(dataset.pk)
    assert dataset_create(wanted=DatasetIn(file="mine.jsonl"), viewer=admin_viewer).status == Status.SUCCEEDED
    assert [what for _, what, *_ in audit_log()] == ["dataset_loaded"] * 2


def test_only_administrators_manage_datasets(admin_viewer: Viewer, asker: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    for act in (
        lambda: dataset_create(wanted=DatasetIn(file="mine.jsonl"), viewer=asker),
        lambda: dataset_cancel(dataset=dataset, viewer=asker),
        lambda: dataset_resume(dataset=dataset, viewer=asker),
        lambda: dataset_archive(dataset=dataset, viewer=asker, archived=True),
        lambda: dataset_remove(dataset=dataset, viewer=asker),
    ):
        assert refused(act) == STAFF_ONLY
    assert len(audit_log()) == 1


def test_nothing_is_begun_on_a_full_disk(admin_viewer: Viewer, folder: Path, settings: SettingsWrapper) -> None:
    dataset = offered(folder, admin_viewer)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    for act in (
        lambda: dataset_create(wanted=DatasetIn(file="mine.jsonl"), viewer=admin_viewer),
        lambda: dataset_resume(dataset=dataset, viewer=admin_viewer),
    ):
        assert refused(act)[:2] == (503, "disk_full")


def test_what_makes_no_dataset_is_refused_without_the_server_s_folders(admin_viewer: Viewer, folder: Path) -> None:
    written(folder / "mine.jsonl")

    def why(**wanted: Any) -> tuple[int, str, str]:
        return refused(lambda: dataset_create(wanted=DatasetIn(**wanted), viewer=admin_viewer))

    assert why(file="gone.jsonl")[1] == "unknown_dataset"
    assert why(upload=uuid.uuid4())[1] == "unknown_upload"
    status, code, message = why(file="mine.jsonl", name="sample")
    assert (status, code) == (422, "dataset_refused")
    assert message == "“sample” is the name of the bundled sample. Choose another name."
    assert why(file="mine.jsonl", format="nonsense")[1] == "dataset_refused"
    (folder / "mine.jsonl").chmod(0)
    (folder / "link.jsonl").symlink_to(folder / "mine.jsonl")
    assert str(folder) not in why(file="mine.jsonl", format="nonsense")[2]
    assert not Dataset.objects.exists()


def test_a_sent_file_is_kept_for_its_load(admin_viewer: Viewer) -> None:
    upload = sent(admin_viewer, questions(3))
    dataset = dataset_create(wanted=DatasetIn(upload=upload), viewer=admin_viewer)
    assert (dataset.name, dataset.format, dataset.file) == ("my questions", "discern", "my questions.jsonl")
    assert dataset.file_sha256 == hashlib.sha256(questions(3).encode()).hexdigest()
    assert dataset.starter == admin_viewer.user
    file = kept_file(dataset)
    assert file is not None
    assert file.read_text() == questions(3)
    assert not Upload.objects.exists()
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(dataset.pk))]
    dataset_work(dataset.pk)
    assert stands(dataset)[:2] == (Status.SUCCEEDED, "")
    assert kept_file(dataset) == file
    # Sent again, it is the same.
    again = sent(admin_viewer, questions(3))
    assert dataset_create(wanted=DatasetIn(upload=again), viewer=admin_viewer) == dataset
    assert not Upload.objects.exists()


def test_missing_gold_derivations_are_counted_and_warned_of(admin_viewer: Viewer) -> None:
    def parse(query: str) -> dict[str, Any]:
        return {"TopicEntityMid": "m.a", "Sparql": query, "Answers": []}

    good = "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT DISTINCT ?x WHERE { ns:m.a ns:r.b ?x }"
    queries = [[good], [good], ["SELECT nothing"], ["SELECT nothing", good], [""], []]
    document = {
        "Questions": [
            {"QuestionId": f"Q-{number}", "RawQuestion": f"who is it {number}?", "Parses": [*map(parse, each)]}
            for number, each in enumerate(queries)
        ]
    }
    upload = sent(admin_viewer, json.dumps(document), "webqsp.json")
    dataset = dataset_create(wanted=DatasetIn(upload=upload, name="gold"), viewer=admin_viewer)
    assert dataset_out(dataset).gold_missing == 0
    dataset_work(dataset.pk)
    dataset.refresh_from_db()
    out = dataset_out(dataset)
    assert out.gold_missing == 3
    assert {each.reason: each.questions for each in out.gold_problems} == {
        "not SPARQL": 1,
        "no SPARQL": 1,
        "the benchmark has no parse": 1,
    }
    # One unreadable query in six questions; the two without any query do not count.
    assert out.gold_warning
    # Formats without gold queries have nothing that could not be read.
    rows = dataset_create(wanted=DatasetIn(upload=sent(admin_viewer, ROG_ROW, "rog.jsonl")), viewer=admin_viewer)
    dataset_work(rows.pk)
    rows.refresh_from_db()
    assert (dataset_out(rows).gold_missing, dataset_out(rows).gold_warning) == (1, False)


def test_a_file_is_read_again_as_the_next_version(admin_viewer: Viewer, asker: Viewer) -> None:
    dataset = dataset_create(wanted=DatasetIn(upload=sent(admin_viewer, questions(3))), viewer=admin_viewer)
    assert dataset_reread(dataset=dataset, viewer=admin_viewer) == dataset, "not loaded yet, so its load goes on"
    dataset_work(dataset.pk)
    dataset.refresh_from_db()
    assert refused(lambda: dataset_reread(dataset=dataset, viewer=asker))[0] == 403
    again = dataset_reread(dataset=dataset, viewer=admin_viewer)
    dataset_work(again.pk)
    again.refresh_from_db()
    assert (again.version, again.reading, again.status, again.identity) == (2, 2, Status.SUCCEEDED, dataset.identity)
    assert again.questions.count() == dataset.questions.count() == 3
    assert dataset_out(again).same_as == [1]
    # Each keeps a file of its own, so either can be removed.
    dataset_remove(dataset=dataset, viewer=admin_viewer)
    third = dataset_reread(dataset=again, viewer=admin_viewer)
    assert (third.version, third.reading) == (3, 3)
    # A file that is gone is sent again, under the same name.
    shutil.rmtree(kept_folder(again))
    status, code, message = refused(lambda: dataset_reread(dataset=again, viewer=admin_viewer))[:3]
    assert (status, code) == (409, "file_gone")
    assert "Load the same file under the same name" in message


def test_a_sent_file_has_the_name_and_the_format_that_were_wished(admin_viewer: Viewer) -> None:
    wanted = DatasetIn(upload=sent(admin_viewer, questions(3), "rog.jsonl"), name=" books ", format="discern")
    dataset = dataset_create(wanted=wanted, viewer=admin_viewer)
    assert (dataset.name, dataset.format) == ("books", "discern")
    likely = dataset_create(wanted=DatasetIn(upload=sent(admin_viewer, ROG_ROW, "rog.jsonl")), viewer=admin_viewer)
    assert (likely.name, likely.format) == ("rog", "rog")


def test_a_sent_file_that_is_refused_is_let_go_and_one_that_waits_is_kept_once(admin_viewer: Viewer) -> None:
    wanted = DatasetIn(upload=sent(admin_viewer, questions(3)), name="sample")
    assert refused(lambda: dataset_create(wanted=wanted, viewer=admin_viewer))[1] == "dataset_refused"
    assert list(Upload.objects.values_list("is_held", flat=True)) == [False]
    Upload.objects.all().delete()
    dataset = dataset_create(wanted=DatasetIn(upload=sent(admin_viewer, questions(3))), viewer=admin_viewer)
    dataset_create(
        wanted=DatasetIn(upload=sent(admin_viewer, questions(3), "other name.jsonl"), name=dataset.name),
        viewer=admin_viewer,
    )
    assert [file.name for file in kept_folder(dataset).iterdir()] == ["my_questions.jsonl"]
    assert not Upload.objects.exists()


# Stopping and going on


def test_a_load_is_stopped_once_and_goes_on(admin_viewer: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    forget_deliveries()
    for _ in range(2):
        assert dataset_cancel(dataset=dataset, viewer=admin_viewer).status == Status.CANCELLED
    assert stands(dataset) == (Status.CANCELLED, "", None, None, True)
    assert dataset_resume(dataset=dataset, viewer=admin_viewer).status == Status.QUEUED
    assert stands(dataset) == (Status.QUEUED, "", None, None, False)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(dataset.pk))]
    title = "mine.jsonl, version 1"
    assert audit_log()[1:] == [
        ("cleo", "dataset_cancelled", title, "queued", ""),
        ("cleo", "dataset_loaded", title, "", "discern, mine.jsonl"),
    ]


def test_a_load_goes_on_only_where_its_file_is_what_it_was(admin_viewer: Viewer, folder: Path) -> None:
    dataset = dataset_cancel(dataset=offered(folder, admin_viewer), viewer=admin_viewer)
    written(folder / "mine.jsonl", 4)
    status, code, message = refused(lambda: dataset_resume(dataset=dataset, viewer=admin_viewer))
    assert (status, code) == (409, "file_gone")
    assert message == (
        "This cannot go on here: The file “mine.jsonl” was changed since. Load it again: it becomes a new version."
    )
    written(folder / "mine.jsonl", 3)
    dataset_resume(dataset=dataset, viewer=admin_viewer)
    dataset_work(dataset.pk)
    dataset.refresh_from_db()
    (folder / "mine.jsonl").unlink()
    assert dataset_resume(dataset=dataset, viewer=admin_viewer).status == Status.SUCCEEDED


# Offering and removing


def test_a_dataset_is_archived_and_offered_again_once_each(admin_viewer: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    for archived in (True, True, False, False):
        dataset = dataset_archive(dataset=dataset, viewer=admin_viewer, archived=archived)
        assert (dataset.archived_at is not None) is archived
    title = "mine.jsonl, version 1"
    assert audit_log()[1:] == [
        ("cleo", "dataset_archived", title, "", ""),
        ("cleo", "dataset_restored", title, "", ""),
    ]


def test_a_dataset_is_removed_with_all_that_is_its_own(admin_viewer: Viewer, folder: Path, tmp_path: Path) -> None:
    other = registered(written(tmp_path / "other.jsonl", questions(2) + "bad\n"))
    dataset_load(other, tmp_path / "other.jsonl")
    rows = written(tmp_path / "rows.jsonl", ROG_ROW + "bad\n")
    dataset = registered(rows, format="rog")
    dataset_load(dataset, rows)
    assert kept_folder(dataset).exists()
    dataset_remove(dataset=dataset, viewer=admin_viewer)
    assert not kept_folder(dataset).exists()
    assert list(Dataset.objects.all()) == [other]
    assert (Question.objects.count(), MalformedEntry.objects.count()) == (2, 1)
    assert audit_log() == [("cleo", "dataset_removed", "rows.jsonl, version 1", "1 questions", "")]


def test_a_dataset_that_is_busy_or_in_use_stays(admin_viewer: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    message = "This dataset is being loaded. Stop that first."
    assert refused(lambda: dataset_remove(dataset=dataset, viewer=admin_viewer)) == (409, "dataset_busy", message)
    dataset_work(dataset.pk)
    dataset.refresh_from_db()
    for count, shown in ((1, "1 evaluation depends"), (2, "2 evaluations depend")):
        evaluation_of(dataset)
        with pytest.raises(ProductError) as raised:
            dataset_remove(dataset=dataset, viewer=admin_viewer)
        error = raised.value
        assert (error.status, error.code, error.extra) == (409, "dataset_in_use", {"evaluations": count})
        assert error.message == f"{shown} on this dataset, so it is kept. {ARCHIVE}"
    assert dataset.questions.count() == 3


def test_a_dataset_is_kept_for_all_that_depends_on_it(admin_viewer: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    dataset_work(dataset.pk)
    dataset.refresh_from_db()
    Project.objects.create(title="Ours", dataset=dataset, graph="toy", overlap=1)
    HeldOut.objects.create(dataset=dataset, split="validation", graph="toy", questions=1)
    training = Training.objects.create(name="new", enqueued_at=timezone.now())
    for _ in range(2):
        TrainingLesson.objects.create(training=training, dataset=dataset, graph="toy")
    with pytest.raises(ProductError) as raised:
        dataset_remove(dataset=dataset, viewer=admin_viewer)
    depend = "1 annotation project and 1 training and 1 set of held-out questions depend"
    assert raised.value.message == f"{depend} on this dataset, so it is kept. {ARCHIVE}"
    assert raised.value.extra == {"evaluations": 0}


def test_a_dataset_that_somebody_begins_to_use_just_now_stays(admin_viewer: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    dataset_work(dataset.pk)
    dataset.refresh_from_db()
    begun: list[Evaluation] = []

    def begin(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if sql.startswith("DELETE") and not begun:
            begun.append(evaluation_of(dataset))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(begin):
        error = refused(lambda: dataset_remove(dataset=dataset, viewer=admin_viewer))
    message = "Something began to use this dataset just now, so it stays. Look again."
    assert error == (409, "dataset_in_use", message)
    assert dataset.questions.count() == 3
    assert len(audit_log()) == 1


# Loading here and now


def test_a_dataset_is_loaded_here_and_now_and_once(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.jsonl", questions(5) + "bad\n")
    dataset = registered(path)
    began = timezone.now()
    calls: list[int] = []
    assert dataset_load(dataset, path, stored=lambda: calls.append(1)) is dataset
    assert stands(dataset) == (Status.SUCCEEDED, "", None, None, True)
    assert (dataset.questions_stored, dataset.malformed_found, dataset.attempts) == (5, 1, 1)
    assert dataset.finished_at is not None
    assert dataset.finished_at >= began
    assert calls == [1]
    dataset_load(dataset, tmp_path / "gone.jsonl")
    assert stands(dataset)[0] == Status.SUCCEEDED
    assert dataset.attempts == 1


def test_a_dataset_that_another_process_loads_is_busy(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.jsonl")
    dataset = registered(path)
    held_by_another(dataset)
    said = "^“mine.jsonl” is being loaded by another process\\. Wait until that is done\\.$"
    with pytest.raises(DatasetBusyError, match=said):
        dataset_load(dataset, path)
    held_by_another(dataset, seconds=-1)
    dataset_load(dataset, path)
    assert stands(dataset)[0] == Status.SUCCEEDED


def test_a_load_that_ends_otherwise_than_well_says_why(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(folder / "mine.jsonl", "bad\n")
    dataset = registered(path)
    with pytest.raises(DatasetError):
        dataset_load(dataset, path)
    status, reason, claim, _, over = stands(dataset)
    assert (status, claim, over) == (Status.FAILED, None, True)
    assert reason == "mine.jsonl, line 1: expected a JSON object: Expecting value."
    path.unlink()
    with pytest.raises(DatasetError, match=str(folder)):
        dataset_load(dataset, path)
    assert str(folder) not in stands(dataset)[1]
    assert "mine.jsonl" in dataset.reason

    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loading, "ROWS_AT_ONCE", 2)
    with pytest.raises(KeyboardInterrupt):
        dataset_load(dataset, written(path, 3), stored=stop)
    assert stands(dataset) == (Status.CANCELLED, STOPPED, None, None, True)
    assert STOPPED == "The load was stopped. What was stored is kept; load the same file again, and it resumes there."


def test_a_load_may_be_handed_back_and_no_attempt_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "ROWS_AT_ONCE", 2)
    path = written(tmp_path / "mine.jsonl")
    dataset = registered(path)
    Dataset.objects.update(enqueued_at=timezone.now() - timedelta(hours=1))

    def back() -> None:
        raise HandedBackError

    with pytest.raises(HandedBackError):
        dataset_load(dataset, path, stored=back)
    assert stands(dataset) == (Status.QUEUED, "", None, None, False)
    assert dataset.attempts == 0
    assert timezone.now() - dataset.enqueued_at < timedelta(minutes=5)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(dataset.pk))]


def test_a_load_that_is_done_is_handed_to_nobody(tmp_path: Path) -> None:
    dataset = registered(written(tmp_path / "mine.jsonl"))

    def back() -> None:
        raise HandedBackError

    with pytest.raises(HandedBackError):
        dataset_load(dataset, tmp_path / "mine.jsonl", stored=back)
    assert stands(dataset)[0] == Status.SUCCEEDED
    assert delivered(Queue.CPU_BACKGROUND) == []


def test_a_load_that_was_cancelled_meanwhile_stores_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "ROWS_AT_ONCE", 2)
    path = written(tmp_path / "mine.jsonl", 5)
    dataset = registered(path)

    def cancel() -> None:
        Dataset.objects.update(status=Status.CANCELLED, claim=None, lease_until=None, finished_at=timezone.now())

    with pytest.raises(ClaimLostError):
        dataset_load(dataset, path, stored=cancel)
    assert (stands(dataset)[0], dataset.questions_stored) == (Status.CANCELLED, 2)


def test_a_lease_is_renewed_while_a_load_takes_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "LEASE", timedelta(seconds=0.2))
    monkeypatch.setattr(loading, "ROWS_AT_ONCE", 2)
    path = written(tmp_path / "mine.jsonl")
    dataset = registered(path)
    ends: list[Any] = []
    began = timezone.now()

    def look() -> None:
        for _ in range(2):
            dataset.refresh_from_db()
            ends.append(dataset.lease_until)
            time.sleep(0.3)
        raise HandedBackError

    with pytest.raises(HandedBackError):
        dataset_load(dataset, path, stored=look)
    assert ends[1] - ends[0] > timedelta(seconds=0.1)
    assert all(began + LEASE <= end <= timezone.now() + LEASE for end in ends)


def test_rows_that_hold_graphs_are_kept_from_wherever_they_come(tmp_path: Path, settings: SettingsWrapper) -> None:
    path = written(tmp_path / "rows.jsonl", ROG_ROW)
    dataset = registered(path, format="rog")
    before = settings.ENVIRONMENT
    settings.ENVIRONMENT = before.model_copy(update={"disk_reserve_mb": 10**9})
    with pytest.raises(NoRoomError):
        dataset_load(dataset, path)
    assert not kept_folder(dataset).exists()
    settings.ENVIRONMENT = before
    held_by_another(dataset, seconds=-1)
    dataset_load(dataset, path)
    assert [file.name for file in kept_folder(dataset).iterdir()] == ["rows.jsonl"]
    kept = kept_file(dataset)
    assert kept is not None
    assert kept.read_text() == ROG_ROW
    assert path.exists()


# A worker's loads


def test_a_worker_loads_what_waits_and_nothing_else(
    admin_viewer: Viewer, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dataset = offered(folder, admin_viewer)
    held_by_another(dataset, seconds=-1)
    dataset_work(dataset.pk)
    assert stands(dataset)[0] == Status.RUNNING
    dataset_work(uuid.uuid4())
    assert said(caplog) == []
    dataset_loads.recover()
    dataset_work(dataset.pk)
    assert (stands(dataset)[0], dataset.attempts) == (Status.SUCCEEDED, 2)
    assert len(said(caplog)) == 1


@pytest.mark.parametrize("why", ["stopping", "gives_way"])
def test_a_worker_that_is_needed_elsewhere_gives_the_load_back_after_something_was_stored(
    admin_viewer: Viewer, folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    monkeypatch.setattr(loading, "ROWS_AT_ONCE", 2)
    dataset = offered(folder, admin_viewer, 5)
    forget_deliveries()
    wishes: dict[str, Callable[[], bool]] = {why: lambda: True}
    dataset_work(dataset.pk, **wishes)
    assert (stands(dataset)[0], dataset.questions_stored, dataset.attempts) == (Status.QUEUED, 2, 0)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(dataset.pk))]
    assert said(caplog) == []
    dataset_work(dataset.pk)
    assert (stands(dataset)[0], dataset.questions.count()) == (Status.SUCCEEDED, 5)


def test_a_file_of_no_question_ends_a_worker_s_load_with_the_reason(
    admin_viewer: Viewer, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    written(folder / "mine.jsonl", "bad\n")
    dataset = dataset_create(wanted=DatasetIn(file="mine.jsonl"), viewer=admin_viewer)
    dataset_work(dataset.pk)
    reason = "mine.jsonl, line 1: expected a JSON object: Expecting value."
    assert stands(dataset)[:2] == (Status.FAILED, reason)
    assert said(caplog) == [f"{TASK} of {dataset.pk} failed: {folder}/{reason}"]


def test_a_file_that_went_ends_a_worker_s_load_with_the_reason(admin_viewer: Viewer, folder: Path) -> None:
    dataset = offered(folder, admin_viewer)
    (folder / "mine.jsonl").unlink()
    dataset_work(dataset.pk)
    reason = "There is no dataset “mine.jsonl”. Put its file into the site's folder “datasets”, then choose it again."
    assert stands(dataset) == (Status.FAILED, reason, None, None, True)


def test_a_load_that_is_stopped_while_a_worker_is_at_it_is_left_alone(
    admin_viewer: Viewer, folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "ROWS_AT_ONCE", 2)
    dataset = offered(folder, admin_viewer, 5)

    def cancelled_meanwhile() -> bool:
        dataset_cancel(dataset=dataset, viewer=admin_viewer)
        return False

    dataset_work(dataset.pk, stopping=cancelled_meanwhile)
    assert stands(dataset) == (Status.CANCELLED, "", None, None, True)
    assert said(caplog) == [f"{TASK} of {dataset.pk} was cancelled or taken over"]


def test_what_nobody_foresaw_ends_a_load_and_stands_in_the_log(
    admin_viewer: Viewer, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dataset = offered(folder, admin_viewer)
    Dataset.objects.update(format="of no kind")
    dataset_work(dataset.pk)
    reason = "The load broke. See the worker's log, then go on with it."
    assert stands(dataset) == (Status.FAILED, reason, None, None, True)
    assert said(caplog) == [f"{TASK} of {dataset.pk} broke"]
    assert caplog.records[-1].exc_info


def test_a_full_disk_ends_a_load_with_the_reason(
    admin_viewer: Viewer, folder: Path, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    dataset = offered(folder, admin_viewer)
    before = settings.ENVIRONMENT
    settings.ENVIRONMENT = before.model_copy(update={"disk_reserve_mb": 10**9})
    dataset_work(dataset.pk)
    settings.ENVIRONMENT = before
    reason = "The disk of this site is full. Free space, then go on: what was stored is kept."
    assert stands(dataset) == (Status.FAILED, reason, None, None, True)
    assert "could not be written" in str(disk_fault())
    assert "the disk is full: Where the home folder is" in caplog.text
    assert said(caplog) == []


def test_a_load_that_the_database_refused_is_taken_up_once_its_lease_is_over(
    admin_viewer: Viewer, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dataset = offered(folder, admin_viewer)
    with failing_write(2):
        dataset_work(dataset.pk)
    assert stands(dataset)[0] == Status.RUNNING
    assert said(caplog) == [
        f"datasets.load of {dataset.pk} met a fault of the database: the server closed the connection"
    ]
    Dataset.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert dataset_loads.recover() == 1


def test_a_load_that_ran_out_of_room_where_not_even_that_can_be_written_waits_for_its_lease(
    admin_viewer: Viewer, folder: Path, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    dataset = offered(folder, admin_viewer)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    with failing_write(2):
        dataset_work(dataset.pk)
    assert stands(dataset)[0] == Status.RUNNING
    closed = "the server closed the connection"
    assert said(caplog) == [f"datasets.load of {dataset.pk} resumes once its lease has expired: {closed}"]


# Recovering


@pytest.mark.parametrize(("attempts", "status"), [(4, Status.QUEUED), (5, Status.FAILED), (6, Status.FAILED)])
def test_five_workers_may_die_over_a_load(admin_viewer: Viewer, folder: Path, attempts: int, status: Status) -> None:
    dataset = offered(folder, admin_viewer)
    held_by_another(dataset, seconds=-1, attempts=attempts)
    Dataset.objects.update(enqueued_at=timezone.now() - timedelta(hours=1))
    forget_deliveries()
    assert dataset_loads.recover() == 1
    if status == Status.QUEUED:
        assert stands(dataset) == (Status.QUEUED, "", None, None, False)
        assert timezone.now() - dataset.enqueued_at < timedelta(minutes=5)
        assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(dataset.pk))]
        return
    reason = "The worker stopped 5 times while it loaded this. See its log, then go on with it."
    assert stands(dataset) == (Status.FAILED, reason, None, None, True)
    assert delivered(Queue.CPU_BACKGROUND) == []


def test_all_that_were_moved_are_counted(admin_viewer: Viewer, folder: Path, tmp_path: Path) -> None:
    moved = [offered(folder, admin_viewer, count, f"{count}.jsonl") for count in range(1, 5)]
    for dataset, attempts in zip(moved, (5, 1, 5, 1), strict=True):
        held_by_another(dataset, seconds=-1, attempts=attempts)
    far = [registered(written(tmp_path / f"{count}.jsonl", count), name=f"far {count}") for count in (7, 8)]
    for dataset in far:
        held_by_another(dataset, seconds=-1)
        Dataset.objects.filter(pk=dataset.pk).update(file="nowhere")
    lost = [offered(folder, admin_viewer, count, f"{count}.jsonl") for count in (5, 6)]
    for dataset in lost:
        Dataset.objects.filter(pk=dataset.pk).update(enqueued_at=timezone.now() - timedelta(seconds=6))
    held_by_another(offered(folder, admin_viewer, 9, "9.jsonl"))
    offered(folder, admin_viewer, 10, "10.jsonl")
    forget_deliveries()
    assert dataset_loads.recover() == 8
    assert {pk for _, pk in delivered(Queue.CPU_BACKGROUND)} == {
        str(dataset.pk) for dataset in (moved[1], moved[3], *lost)
    }
    assert {stands(dataset)[:2] for dataset in far} == {(Status.FAILED, STOPPED)}
    assert dataset_loads.recover() == 0
    assert dataset_loads.recover(grace=timedelta(0)) == 5
