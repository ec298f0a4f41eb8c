"""A full disk: work that is new is refused, work that has begun ends or waits with the reason, and nothing is lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.conf import settings as site
from django.core.cache import cache
from django.db import OperationalError, connection
from django.utils import timezone
from redis import Redis
from redis.exceptions import ResponseError

from kgstore.loading.sample import sample_graph
from tests.reasoning.rules import KITT_GOLD
from tests.webapp.conftest import TOY_GRAPH, needs_sqlite, wait_until
from tests.webapp.full_disk import largest_file
from webapp import engine
from webapp.accounts.models import User
from webapp.asking.runs.models import ReasoningRun, RunEvent
from webapp.asking.runs.transitions import runs
from webapp.asking.runs.worker import run_execute
from webapp.datasets.models import Dataset
from webapp.evaluations.models import Evaluation
from webapp.evaluations.working.moves import evaluations
from webapp.evaluations.working.worker import evaluation_work
from webapp.health.readiness import redis_fault
from webapp.launch.redis_server import redis_binary
from webapp.models.trainings.models import Training
from webapp.models.trainings.worker import training_execute
from webapp.platform.work.heartbeat import READY, heartbeat_send
from webapp.platform.work.lease import LEASE
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser

EVERYTHING = 10**9
"""A reserve in megabytes that no disk has."""


@pytest.fixture
def reserve(settings: SettingsWrapper) -> Callable[[int], None]:
    def keep(megabytes: int) -> None:
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": megabytes})

    return keep


@contextmanager
def full_database() -> Iterator[None]:
    """SQLite itself says that the disk is full, for this thread's connection cannot make the file longer."""
    needs_sqlite("limit of the file's length")
    with connection.cursor() as cursor:
        # Pages that rows of earlier tests left would be used again.
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA max_page_count = 1")
        try:
            yield
        finally:
            cursor.execute("PRAGMA max_page_count = 1000000")


def disk_part(browser: Browser) -> Any:
    response = browser.client.get("/readyz")
    return response.json()["parts"]["disk"]


def fill_a_page() -> None:
    """Use up the room that the file's last pages still have."""
    with suppress(OperationalError):
        for number in range(10_000):
            User.objects.create(username=f"filler-{number}", first_name="x" * 100)


def test_where_less_than_the_reserve_is_free_new_work_is_refused_and_everything_can_be_read(
    cleo: Browser, reserve: Callable[[int], None]
) -> None:
    run = cleo.ask()
    run_execute(UUID(run["id"]))
    assert disk_part(cleo) == {"ok": True, "reason": ""}
    reserve(EVERYTHING)
    evaluation = {"dataset": "sample", "graph": "toy", "scorer": "lexical", "split": "all", "limit": 2}
    for address, body in (
        ("/api/runs", {"question": "who?"}),
        ("/api/evaluations", evaluation),
        ("/api/scorers/trainings", {"name": "small", "recipe": "sample"}),
    ):
        refused = cleo.post(address, body, status=503)
        assert refused["code"] == "disk_full"
        assert "can still be read" in refused["message"]
    assert cleo.get(f"/api/runs/{run['id']}")["status"] == "succeeded"
    assert len(cleo.get(f"/api/runs/{run['id']}/events")) > 5
    shown = disk_part(cleo)
    assert not shown["ok"]
    assert "MB are free, and the site takes no work below 1,000,000,000 MB" in shown["reason"]
    assert cleo.client.get("/readyz").status_code == 503
    reserve(0)
    cleo.ask()


def test_a_run_that_has_begun_ends_with_the_reason_while_there_is_room_to_write_it(
    cleo: Browser, reserve: Callable[[int], None]
) -> None:
    run = cleo.ask()
    reserve(EVERYTHING)
    run_execute(UUID(run["id"]))
    last = cleo.get(f"/api/runs/{run['id']}/events")[-1]["event"]
    assert (last["code"], last["retryable"]) == ("disk_full", True)
    assert "disk of this site is full" in last["message"]


@pytest.mark.parametrize("after", [0, 3])
def test_a_run_whose_database_is_full_loses_nothing_and_goes_on_once_there_is_room(cleo: Browser, after: int) -> None:
    heartbeat_send(worker="celery@here", queues=[Queue.CPU], scorer=READY)
    whole, run = cleo.ask(), cleo.ask()
    run_execute(UUID(whole["id"]))
    if after:
        begun = iter([False] * (after - 1))
        run_execute(UUID(run["id"]), stopping=lambda: next(begun, True))
    seen = list(RunEvent.objects.filter(run=run["id"]).order_by("seq").values())
    assert len(seen) == after
    with full_database():
        fill_a_page()
        with suppress(OperationalError):
            run_execute(UUID(run["id"]))
        assert cleo.get(f"/api/runs/{run['id']}")["question"] == run["question"]
        assert "could not be written" in disk_part(cleo)["reason"]
    past = timezone.now() - timedelta(hours=1)
    ReasoningRun.objects.filter(pk=run["id"], lease_until__isnull=False).update(lease_until=past)
    runs.recover()
    run_execute(UUID(run["id"]))
    log = list(RunEvent.objects.filter(run=run["id"]).order_by("seq").values())
    assert log[:after] == seen
    assert [row["seq"] for row in log] == list(range(1, len(log) + 1))
    ended = ReasoningRun.objects.get(pk=run["id"])
    if ended.status == Status.FAILED:
        assert log[-1]["event"]["code"] == "disk_full"
    else:
        assert [row["kind"] for row in log] == [
            each["event"]["kind"] for each in cleo.get(f"/api/runs/{whole['id']}/events")
        ]


def test_what_cannot_be_written_is_refused_with_the_reason_and_not_as_a_bug(cleo: Browser) -> None:
    body = {"question": "who plays KITT? " * 15}
    with full_database():
        # The file's last pages have room for some.
        for _ in range(50):
            response = cleo.client.post(
                "/api/runs", body, content_type="application/json", headers={"X-CSRFToken": cleo.token}
            )
            if response.status_code != 201:
                break
    assert response.status_code == 503
    refused = response.json()
    assert refused["code"] == "disk_full"
    assert "/" not in refused["message"]
    cache.clear()
    assert disk_part(cleo)["ok"]


def test_an_evaluation_waits_for_room_with_the_reason_and_goes_on_by_itself(
    cleo: Browser, reserve: Callable[[int], None]
) -> None:
    heartbeat_send(worker="celery@here", queues=[Queue.CPU_BACKGROUND], scorer=READY)
    engine.graph_library().load(sample_graph())
    wanted = {"dataset": "sample", "graph": "sample", "scorer": "lexical", "split": "all", "limit": 6}
    pk = UUID(cleo.post("/api/evaluations", wanted, status=201)["id"])

    def due() -> Evaluation:
        lapsed = timezone.now() - LEASE - timedelta(seconds=1)
        Evaluation.objects.filter(pk=pk).update(seen_at=lapsed)
        # What held the dataset when the disk was full could not let go of it.
        Dataset.objects.filter(status=Status.RUNNING).update(lease_until=lapsed)
        evaluations.recover()
        evaluation_work(pk)
        return Evaluation.objects.get(pk=pk)

    reserve(EVERYTHING)
    waiting = due()
    assert (waiting.status, waiting.done) == (Status.QUEUED, 0)
    assert "disk of this site is full" in waiting.reason
    reserve(0)
    with full_database():
        fill_a_page()
        with suppress(OperationalError):
            due()
    done = [due() for _ in range(4)][-1]
    assert (done.status, done.done, done.reason) == (Status.SUCCEEDED, 6, "")


def test_a_training_whose_checkpoint_finds_no_room_says_so_leaves_nothing_half_and_is_resumed(
    cleo: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "few.toml").write_text(
        'title = "Few"\n[settings]\nepochs = 1\nepoch_samples = 16\n'
        '[[sources]]\nname = "tv"\ndataset = "tv.jsonl"\nformat = "discern"\ngraph = "toy.tsv"\n'
    )
    (tmp_path / "tv.jsonl").write_text("\n".join(json.dumps({**KITT_GOLD, "id": f"tv-{i}"}) for i in range(12)))
    shutil.copy(TOY_GRAPH, tmp_path / "toy.tsv")
    monkeypatch.setenv("DISCERN_DATA", str(tmp_path))
    monkeypatch.setattr("reasoning.training.recipe.recipe.RECIPES", tmp_path)
    folder = engine.scorers_folder() / "small"
    try:
        pk = UUID(cleo.post("/api/scorers/trainings", {"name": "small", "recipe": "few"}, status=201)["id"])
        with largest_file(3_000_000):
            training_execute(pk)
        training = Training.objects.get(pk=pk)
        assert training.status == Status.FAILED
        assert "disk of this site is full" in training.reason
        assert list(folder.rglob("*.*")) == []
        assert "small" not in {scorer["name"] for scorer in cleo.get("/api/scorers")}
        assert not disk_part(cleo)["ok"]
        cleo.post(f"/api/scorers/trainings/{pk}/resume")
        training_execute(pk)
        assert Training.objects.get(pk=pk).status == Status.SUCCEEDED
    finally:
        shutil.rmtree(engine.scorers_folder(), ignore_errors=True)


def test_loading_a_graph_that_finds_no_room_says_so_and_leaves_the_old_one(tmp_path: Path) -> None:
    home = site.ENVIRONMENT.home
    graphs = sorted((home / "graphs").iterdir())
    version = engine.graph("toy").info().version
    lines = (f"a{n}\tr.s.t\tb{n}\n" for n in range(40_000))
    (tmp_path / "large.tsv").write_text("".join(lines))
    for name in ("toy", "other"):
        done = subprocess.run(
            [sys.executable, "manage.py", "load_graph", str(tmp_path / "large.tsv"), "--name", name],
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.settings"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert "the disk is full, so what was written of it was removed. Free space" in done.stderr
    assert [path for path in sorted((home / "graphs").iterdir()) if path.suffix != ".lock"] == [
        path for path in graphs if path.suffix != ".lock"
    ]
    assert engine.graph("toy").info().version == version


def test_a_redis_that_refuses_writes_since_it_could_not_save_itself_is_reported(
    tmp_path: Path, settings: SettingsWrapper
) -> None:
    """A Redis of one's own that keeps snapshots refuses writes once its disk is full; the site's own keeps none."""
    socket = tmp_path / "r.sock"
    with subprocess.Popen(
        [redis_binary(), "--port", "0", "--unixsocket", str(socket), "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),  # noqa: PLW1509 - one system call
    ) as process:
        try:
            wait_until(socket.exists)
            with Redis(unix_socket_path=str(socket)) as client:
                client.config_set("save", "3600 1")
                client.set("something", 1)
                with suppress(ResponseError):
                    client.bgsave()
                wait_until(lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err")
            settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": f"unix://{socket}"}}
            assert "MISCONF" in str(redis_fault())
        finally:
            process.kill()
    with Redis(unix_socket_path=str(site.ENVIRONMENT.redis_socket)) as own:
        assert own.config_get("save") == {"save": ""}
