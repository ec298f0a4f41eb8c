"""Datasets: snapshots of files whose questions are rows, loaded once, stopped and gone on with, and never changed."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.identity import SNAPSHOT_ALGORITHM, identity_hash, text_hash
from reasoning.datasets.registry import FORMATS, asked, read_dataset
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.webapp.conftest import wait_until
from tests.webapp.test_uploads import send
from webapp.accounts.models import Audited, AuditEntry
from webapp.celery import app
from webapp.datasets.files import kept_folder
from webapp.datasets.models import Dataset, Question
from webapp.datasets.services import dataset_register
from webapp.datasets.transitions import TASK, dataset_loads
from webapp.datasets.worker import dataset_load, dataset_work
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.environment import REPOSITORY
from webapp.platform.work.heartbeat import is_served
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.webapp.conftest import Browser, Worker

TV = (SAMPLE_FOLDER / "tv.jsonl").read_text(encoding="utf-8").splitlines()
METAQA = "who directed [Jaws]\tSteven Spielberg\nwhat does [Duel] star\tDennis Weaver\n"
TYPES = "movie_to_director\nmovie_to_actor\n"
MALFORMED = ('{"id": "=cmd|bad", "phrasings": "no list"}', "not JSON at all", '{"id": 7}')


pytestmark = pytest.mark.usefixtures("sample_graph_loaded")


@pytest.fixture
def folder() -> Iterator[Path]:
    """The folder where admins put files of questions."""
    path: Path = settings.ENVIRONMENT.home / "datasets"
    path.mkdir()
    yield path
    shutil.rmtree(path)


@pytest.fixture
def tv(tmp_path: Path) -> Path:
    """Questions about television, with three lines between them that are none."""
    path = tmp_path / "tv.jsonl"
    path.write_text("\n".join([*TV[:2], *MALFORMED, *TV[2:]]) + "\n", encoding="utf-8")
    return path


def load(path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    call_command("load_dataset", str(path), "--format", "discern", "--json", *more)
    return json.loads(capsys.readouterr().out)


def many(path: Path, count: int) -> Path:
    """A file with this number of questions."""
    line = '{"id": "q%d", "phrasings": ["who wrote book %d?"], "topic": "m.%d", "search": [[0, "book.book.author"]], '
    line += '"constraints": [], "answer": 1, "answers": ["m.a%d"]}\n'
    path.write_text("".join(line % (n, n, n, n) for n in range(1, count + 1)), encoding="utf-8")
    return path


def evaluate(cleo: Browser, dataset: str, **more: Any) -> Evaluation:
    wanted = {"dataset": dataset, "graph": "sample", "scorer": "lexical", "split": "all", "limit": 3, **more}
    evaluation = Evaluation.objects.get(pk=cleo.post("/api/evaluations", wanted, status=201)["id"])
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
        evaluation.refresh_from_db()
    return evaluation


def test_a_file_is_loaded_once_and_a_changed_one_is_the_next_version(
    tv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = load(tv, capsys, "--name", "television")
    questions = list(asked(read_dataset(tv, "discern")))
    assert (first["version"], first["questions"], first["malformed"], first["known"]) == (1, len(questions), 3, False)
    assert first["train"] + first["validation"] == len(questions)
    assert first["file_sha256"] == hashlib.sha256(tv.read_bytes()).hexdigest()
    assert first["identity_algorithm"] == SNAPSHOT_ALGORITHM
    assert load(tv, capsys, "--name", "television") == first | {"known": True}
    rows = list(Question.objects.filter(dataset=first["id"]).order_by("position"))
    assert [row.to_benchmark() for row in rows] == questions
    assert [row.position for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0].identity == identity_hash("television", questions[0].id)
    assert rows[0].text_hash == text_hash(questions[0].text.upper())
    tv.write_text("\n".join(TV) + "\n", encoding="utf-8")
    second = load(tv, capsys, "--name", "television")
    assert (second["version"], second["malformed"], second["same_as"]) == (2, 0, [1])
    assert second["identity"] == first["identity"]
    tv.write_text("\n".join(TV[1:]) + "\n", encoding="utf-8")
    third = load(tv, capsys, "--name", "television")
    assert (third["version"], third["same_as"]) == (3, [])
    assert third["identity"] != first["identity"]
    assert Question.objects.filter(dataset=first["id"]).count() == len(questions)


def test_what_is_no_question_is_kept_with_its_line_and_ends_nothing(
    tv: Path, cleo: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("load_dataset", str(tv), "--format", "discern")
    output = capsys.readouterr().out
    assert "line 3" in output
    dataset = Dataset.objects.get()
    page = cleo.get(f"/api/datasets/{dataset.pk}/malformed?limit=2")
    assert [entry["place"] for entry in page["entries"]] == ["line 3", "line 4"]
    assert (page["next"], page["kept"], page["all"]) == (2, 3, 3)
    rest = cleo.get(f"/api/datasets/{dataset.pk}/malformed?limit=2&after=2")
    assert ([entry["place"] for entry in rest["entries"]], rest["next"]) == (["line 5"], None)
    response = cleo.client.get(f"/api/datasets/{dataset.pk}/malformed.csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["place"] for row in rows] == ["line 3", "line 4", "line 5"]
    assert dataset.malformed_reasons == {"not as the format says": 2, "not JSON": 1}


def test_a_file_without_any_question_is_refused_and_its_faults_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text("one\ntwo\n", encoding="utf-8")
    with pytest.raises(CommandError, match="line 1"):
        call_command("load_dataset", str(path), "--format", "discern")
    dataset = Dataset.objects.get()
    assert (dataset.status, dataset.malformed.count(), dataset.questions_stored) == (Status.FAILED, 2, 0)
    with pytest.raises(CommandError, match="webqsp, cwq"):
        call_command("load_dataset", str(path), "--format", "nonsense")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("load_dataset", str(tmp_path / "gone.jsonl"), "--format", "discern")
    with pytest.raises(CommandError, match="bundled sample"):
        call_command("load_dataset", str(path), "--format", "discern", "--name", "sample")


@pytest.mark.parametrize(("format_", "content"), [("grailqa", None), ("simplequestions", None), ("metaqa", TV[0])])
def test_a_file_of_another_format_says_which_it_looks_like(tmp_path: Path, format_: str, content: str | None) -> None:
    path = tmp_path / "file.txt"
    path.write_text(content or METAQA, encoding="utf-8")
    looks = "Discern's own questions" if content else "MetaQA"
    with pytest.raises(CommandError, match=f"The file looks like one of {looks}: load it in that format"):
        call_command("load_dataset", str(path), "--format", format_)
    assert looks in Dataset.objects.get().reason


def test_a_killed_load_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = many(tmp_path / "many.jsonl", 12_000)
    command = [sys.executable, "manage.py", "load_dataset", str(path), "--format", "discern"]
    process = subprocess.Popen(command, cwd=REPOSITORY, env={**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.settings"})
    wait_until(lambda: Dataset.objects.filter(questions_stored__gt=0).exists())
    process.kill()
    process.wait()
    dataset = Dataset.objects.get()
    stored = dataset.questions_stored
    assert 0 < stored == dataset.questions.count() < 12_000
    with pytest.raises(CommandError, match="another process"):
        load(path, capsys)
    Dataset.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    kept = set(dataset.questions.values_list("pk", flat=True))
    loaded = load(path, capsys)
    assert (loaded["id"], loaded["questions"], loaded["version"]) == (str(dataset.pk), 12_000, 1)
    assert kept < set(dataset.questions.values_list("pk", flat=True))
    whole = load(path, capsys, "--name", "in one go")
    assert whole["identity"] == loaded["identity"]


def test_a_stopped_load_keeps_what_was_stored(tmp_path: Path) -> None:
    path = many(tmp_path / "many.jsonl", 5_000)
    dataset, _ = dataset_register(path, name="many", format="discern", file="many.jsonl")

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dataset_load(dataset, path, stored=stop)
    dataset.refresh_from_db()
    assert dataset.status == Status.CANCELLED
    assert 0 < dataset.questions_stored == dataset.questions.count() < 5_000
    dataset_load(dataset, path)
    assert (dataset.status, dataset.questions.count()) == (Status.SUCCEEDED, 5_000)


def test_a_sent_file_is_loaded_by_a_worker_and_evaluated(
    cleo: Browser, tv: Path, worker: Callable[..., Worker]
) -> None:
    worker()
    wait_until(lambda: is_served(Queue.CPU_BACKGROUND))
    upload = send(cleo, tv.read_bytes(), "my questions.jsonl")
    wanted = {"upload": upload["id"], "name": "television", "format": "discern"}
    reply = cleo.post("/api/datasets", wanted, status=201)
    wait_until(lambda: cleo.get(f"/api/datasets/{reply['id']}")["status"] == "succeeded")
    listed = cleo.get("/api/datasets?search=telev")
    assert [(each["name"], each["file"], each["malformed"]) for each in listed["datasets"]] == [
        ("television", "my questions.jsonl", 3)
    ]
    assert [file.name for file in kept_folder(Dataset.objects.get()).iterdir()] == ["my_questions.jsonl"]
    again = send(cleo, tv.read_bytes(), "again.jsonl")
    assert cleo.post("/api/datasets", {**wanted, "upload": again["id"]}, status=201)["id"] == reply["id"]
    started = cleo.post(
        "/api/evaluations",
        {"dataset": "television", "version": 1, "graph": "sample", "scorer": "lexical", "split": "all", "limit": 2},
        status=201,
    )
    wait_until(lambda: cleo.get(f"/api/evaluations/{started['id']}")["status"] == "succeeded")
    done = cleo.get(f"/api/evaluations/{started['id']}")
    assert (done["snapshot"], done["version"]) == (reply["id"], 1)
    assert done["left_out"] == {"not as the format says": 2, "not JSON": 1}
    assert done["seen_in_training"] == {"questions": 2, "seen": 0, "same_identity": 0, "same_text": 0}


def test_a_file_of_types_is_sent_with_the_questions_and_hashed_with_them(cleo: Browser) -> None:
    def sent(types: str = TYPES, **more: str) -> dict[str, Any]:
        questions, second = send(cleo, METAQA.encode(), "dev set.txt"), send(cleo, types.encode(), "my types.txt")
        return {"upload": questions["id"], "second": second["id"], "name": "films", "format": "metaqa", **more}

    formats = {each["name"]: each["second"] for each in cleo.get("/api/datasets")["formats"]}
    assert [name for name, second in formats.items() if second] == ["metaqa"]
    reply = cleo.post("/api/datasets", sent(), status=201)
    dataset_work(UUID(reply["id"]))
    reply = cleo.get(f"/api/datasets/{reply['id']}")
    assert (reply["status"], reply["questions"], reply["malformed"]) == ("succeeded", 2, 0)
    assert (reply["file"], reply["second_file"], reply["format_title"]) == ("dev set.txt", "my types.txt", "MetaQA")
    both = hashlib.sha256(b"".join(hashlib.sha256(part.encode()).digest() for part in (METAQA, TYPES))).hexdigest()
    assert (reply["file_sha256"], reply["file_bytes"]) == (both, len(METAQA) + len(TYPES))
    questions = cleo.get(f"/api/datasets/{reply['id']}/questions")["questions"]
    assert [reading["path"] for question in questions for reading in question["readings"]] == [
        ["film.film.directed_by"],
        ["film.film.starring|film.performance.actor"],
    ]
    assert len(list(kept_folder(Dataset.objects.get()).iterdir())) == 2
    reread = cleo.post(f"/api/datasets/{reply['id']}/reread", status=201)
    dataset_work(UUID(reread["id"]))
    reread = cleo.get(f"/api/datasets/{reread['id']}")
    assert (reread["status"], reread["version"], reread["same_as"]) == ("succeeded", 2, [1])
    assert reread["second_file"] == "my types.txt"
    assert cleo.client.delete(f"/api/datasets/{reread['id']}", headers={"X-CSRFToken": cleo.token}).status_code == 204
    # The same two are the same version; other types are another one, and so are the questions alone.
    assert cleo.post("/api/datasets", sent(), status=201)["id"] == reply["id"]
    assert cleo.post("/api/datasets", sent("movie_to_writer\n"), status=201)["version"] == 2
    alone = {**sent(), "second": None}
    assert cleo.post("/api/datasets", alone, status=201)["version"] == 3
    refused = cleo.post("/api/datasets", sent(format="cwq"), status=422)
    assert (refused["code"], "comes alone" in refused["message"]) == ("dataset_refused", True)
    beside = {"file": "sample", "second": sent()["second"]}
    assert cleo.post("/api/datasets", beside, status=422)["code"] == "second_file"


def test_a_file_of_types_a_folder_above_counts_in_what_the_file_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "1-hop" / "vanilla" / "qa_dev.txt"
    path.parent.mkdir(parents=True)
    path.write_text(METAQA, encoding="utf-8")
    types = tmp_path / "1-hop" / "qa_dev_qtype.txt"
    versions = []
    for text in (TYPES, "movie_to_director\nmovie_to_writer\n"):
        types.write_text(text, encoding="utf-8")
        call_command("load_dataset", str(path), "--format", "metaqa", "--json")
        versions.append(json.loads(capsys.readouterr().out))
    assert [each["version"] for each in versions] == [1, 2]
    assert [each["second_file"] for each in versions] == ["qa_dev_qtype.txt"] * 2
    assert versions[0]["identity"] != versions[1]["identity"]


def test_a_reader_that_reads_otherwise_makes_a_new_version_of_the_same_file(
    tv: Path, cleo: Browser, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(tv, capsys)
    assert first["reader_version"] == FORMATS["discern"].reader_version
    evaluation = evaluate(cleo, "tv.jsonl")
    monkeypatch.setitem(FORMATS, "discern", replace(FORMATS["discern"], reader_version=first["reader_version"] + 1))
    second = load(tv, capsys)
    assert (second["version"], second["known"], second["same_as"]) == (2, False, [1])
    assert second["file_sha256"] == first["file_sha256"]
    assert load(tv, capsys)["id"] == second["id"]
    # What was evaluated still points at what it asked.
    evaluation.refresh_from_db()
    assert str(evaluation.snapshot_id) == first["id"]
    assert cleo.get(f"/api/datasets/{first['id']}/questions")["all"] == first["questions"]


def test_a_part_that_another_reader_read_is_not_gone_on_with(tv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset, _ = dataset_register(tv, name="tv.jsonl", format="discern", file="tv.jsonl")
    Dataset.objects.update(reader_version=0)
    dataset.refresh_from_db()
    with pytest.raises(DatasetError, match="becomes a new version"):
        dataset_load(dataset, tv)
    dataset.refresh_from_db()
    assert (dataset.status, dataset.questions.count()) == (Status.FAILED, 0)
    assert load(tv, capsys)["version"] == 2


def test_a_load_whose_worker_died_is_taken_up_or_ended_with_the_reason(folder: Path, tmp_path: Path) -> None:
    path = many(folder / "mine.jsonl", 3_000)
    within, _ = dataset_register(path, name="mine.jsonl", format="discern", file="mine.jsonl")
    elsewhere, _ = dataset_register(many(tmp_path / "far.jsonl", 5), name="far", format="discern", file="far.jsonl")
    lapsed = timezone.now() - timedelta(seconds=1)
    Dataset.objects.update(status=Status.RUNNING, claim=UUID(int=1), lease_until=lapsed)
    assert dataset_loads.recover(grace=timedelta(0)) == 2
    within.refresh_from_db()
    elsewhere.refresh_from_db()
    assert (within.status, elsewhere.status) == (Status.QUEUED, Status.FAILED)
    assert "load the same file again" in elsewhere.reason
    dataset_work(within.pk, gives_way=lambda: True)
    within.refresh_from_db()
    assert within.status == Status.QUEUED
    assert 0 < within.questions_stored < 3_000
    dataset_work(within.pk)
    within.refresh_from_db()
    assert (within.status, within.questions.count()) == (Status.SUCCEEDED, 3_000)
    assert TASK in app.tasks


def test_an_evaluation_points_at_the_version_that_it_asked(cleo: Browser, folder: Path) -> None:
    path = folder / "tv.jsonl"
    path.write_text("\n".join(TV), encoding="utf-8")
    first = evaluate(cleo, "tv.jsonl")
    path.write_text("\n".join(TV[:4]), encoding="utf-8")
    second = evaluate(cleo, "tv.jsonl")
    assert first.snapshot is not None
    assert second.snapshot is not None
    assert (first.snapshot.version, second.snapshot.version) == (1, 2)
    asked_first = list(EvaluatedQuestion.objects.filter(evaluation=first).select_related("dataset_question"))
    assert {row.dataset_question.dataset_id for row in asked_first if row.dataset_question} == {first.snapshot.pk}
    assert [row.dataset_question.text for row in asked_first if row.dataset_question] == [
        row.text for row in asked_first
    ]
    path.unlink()
    third = evaluate(cleo, "tv.jsonl", version=1, limit=3)
    assert [row.question_id for row in third.questions.all()] == [row.question_id for row in first.questions.all()]
    gone = {"dataset": "tv.jsonl", "version": 9, "graph": "sample"}
    assert cleo.post("/api/evaluations", gone, status=422)["code"] == "unknown_dataset"


def test_only_what_nothing_points_at_is_removed(cleo: Browser, tv: Path) -> None:
    used, unused = (dataset_register(tv, name=name, format="discern", file="tv.jsonl")[0] for name in ("used", "not"))
    for each in (used, unused):
        dataset_load(each, tv)
    evaluate(cleo, "used")
    refused = cleo.client.delete(f"/api/datasets/{used.pk}", headers={"X-CSRFToken": cleo.token})
    assert (refused.status_code, refused.json()["code"]) == (409, "dataset_in_use")
    assert "Archive it" in refused.json()["message"]
    assert cleo.post(f"/api/datasets/{used.pk}/archive")["archived"]
    assert [each["name"] for each in cleo.get("/api/datasets")["datasets"]] == ["not"]
    assert cleo.post("/api/evaluations", {"dataset": "used"}, status=422)["code"] == "unknown_dataset"
    assert not cleo.post(f"/api/datasets/{used.pk}/restore")["archived"]
    assert cleo.client.delete(f"/api/datasets/{unused.pk}", headers={"X-CSRFToken": cleo.token}).status_code == 204
    assert not Question.objects.filter(dataset=unused.pk).exists()
    done = list(AuditEntry.objects.filter(what__startswith="dataset_").values_list("what", flat=True))
    assert sorted(done) == sorted([Audited.DATASET_ARCHIVED, Audited.DATASET_RESTORED, Audited.DATASET_REMOVED])


def test_questions_are_searched_and_visited_once_each(cleo: Browser, tmp_path: Path) -> None:
    path = many(tmp_path / "many.jsonl", 230)
    dataset, _ = dataset_register(path, name="many", format="discern", file="many.jsonl")
    dataset_load(dataset, path)
    visited: list[str] = []
    after: int | None = 0
    while after is not None:
        page = cleo.get(f"/api/datasets/{dataset.pk}/questions?limit=100&after={after}")
        visited += [question["question_id"] for question in page["questions"]]
        after = page["next"]
    assert visited == [f"q{number}/1" for number in range(1, 231)]
    found = cleo.get(f"/api/datasets/{dataset.pk}/questions?search=BOOK 22")
    assert (found["total"], found["all"], found["next"]) == (11, 230, None)
    [reading] = found["questions"][0]["readings"]
    assert (reading["topic"], reading["answers"], reading["path"]) == ("m.22", ["m.a22"], ["book.book.author"])


def test_a_dataset_that_is_not_there_says_so(cleo: Browser) -> None:
    assert cleo.get(f"/api/datasets/{UUID(int=1)}", 404)["code"] == "unknown_dataset"
    assert cleo.post("/api/datasets", {"file": "../secret"}, status=422)["code"] == "unknown_dataset"
    assert cleo.post("/api/datasets", {"upload": str(UUID(int=1))}, status=422)["code"] == "unknown_upload"
