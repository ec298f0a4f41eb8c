"""What may go wrong with the processes, the disk, the graph and the clock of a site that is being asked."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from tests.faults.crowd import Asker, Crowd
from tests.faults.shifted_clock import set_clock
from tests.faults.tally import NO_FAULTS
from tests.running_site import environment, living_process_of
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faults.tally import Tally
    from tests.running_site import RunningSite

WORKER, WEB, REDIS = b"celery", b"web_server", b"redis-server"
TOY_GRAPH = REPOSITORY / "tests" / "reasoning" / "toy.tsv"
HUNG_SECONDS = 7
"""Longer than channels and kombu wait for Redis before they give up on a connection."""
HOUR = 3600


@pytest.mark.parametrize(("name", "victim"), [("the worker", WORKER), ("the web server", WEB), ("Redis", REDIS)])
def test_a_process_is_killed(
    fault_round: int, site: RunningSite, counted: Callable[[str, Tally], None], name: str, victim: bytes
) -> None:
    with Crowd(site) as crowd:
        crowd.in_the_midst()
        os.kill(living_process_of(site.home, victim), signal.SIGKILL)
        tally = crowd.settled()
    counted(f"kill -9 of {name}", tally)
    assert tally.faults == NO_FAULTS
    assert tally.failed == 0


def test_redis_hangs(fault_round: int, site: RunningSite, counted: Callable[[str, Tally], None]) -> None:
    redis = living_process_of(site.home, REDIS)
    with Crowd(site) as crowd:
        crowd.in_the_midst()
        os.kill(redis, signal.SIGSTOP)
        try:
            time.sleep(HUNG_SECONDS)
        finally:
            os.kill(redis, signal.SIGCONT)
        tally = crowd.settled()
    counted(f"Redis hangs for {HUNG_SECONDS} s", tally)
    assert tally.faults == NO_FAULTS
    assert tally.failed == 0


def test_two_workers_are_given_every_run_again_and_again(
    fault_round: int, site: RunningSite, counted: Callable[[str, Tally], None]
) -> None:
    with Crowd(site) as crowd, second_worker(site):
        crowd.in_the_midst()
        deliver(site, [each.run_id for each in crowd.followers])
        tally = crowd.settled()
    counted("two workers, each run delivered many times", tally)
    assert tally.faults == NO_FAULTS
    assert tally.failed == 0


def test_a_graph_is_loaded_anew_and_the_worker_is_killed(
    fault_round: int, site: RunningSite, counted: Callable[[str, Tally], None], tmp_path: Path
) -> None:
    text = TOY_GRAPH.read_text(encoding="utf-8")
    load(site, tmp_path, text)
    with Crowd(site, graph="mine") as crowd:
        crowd.in_the_midst()
        load(site, tmp_path, f"{text}\nm.round{fault_round}\tcommon.topic.image\tm.other\n")
        os.kill(living_process_of(site.home, WORKER), signal.SIGKILL)
        tally = crowd.settled()
    counted("graph reloaded, and kill -9 of the worker", tally)
    assert tally.faults == NO_FAULTS
    for end in crowd.ends().values():
        assert end["kind"] == "finished" or end["code"] == "graph_changed"


def test_no_file_can_be_written(fault_round: int, site: RunningSite, counted: Callable[[str, Tally], None]) -> None:
    """As over a quota: a limit on the size of files keeps worker and web server from writing any."""
    writers = [living_process_of(site.home, WORKER), living_process_of(site.home, WEB)]
    with Crowd(site) as crowd:
        crowd.in_the_midst()
        before = [resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in writers]
        for pid, (_, hard) in zip(writers, before, strict=True):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))
        try:
            assert_full_and_readable(crowd)
        finally:
            for pid, limits in zip(writers, before, strict=True):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
        tally = crowd.settled()
    counted("no file can be written (limit on size)", tally)
    assert tally.faults == NO_FAULTS
    assert writers == [living_process_of(site.home, WORKER), living_process_of(site.home, WEB)]
    for end in crowd.ends().values():
        assert end["kind"] == "finished" or end["code"] == "disk_full"


def test_the_disk_is_full(
    fault_round: int, site: RunningSite, disk: tuple[Path, str], counted: Callable[[str, Tally], None]
) -> None:
    if disk[1]:
        pytest.skip(f"no disk can be mounted here, which takes root: {disk[1]}")
    filler = site.home.parent / "filler"
    with Crowd(site) as crowd:
        crowd.in_the_midst()
        fill(filler)
        try:
            assert_full_and_readable(crowd)
            assert shutil.disk_usage(site.home).free < 100_000
            os.kill(living_process_of(site.home, REDIS), signal.SIGKILL)
        finally:
            filler.unlink()
        tally = crowd.settled()
    counted("disk full, and kill -9 of Redis", tally)
    assert tally.faults == NO_FAULTS
    for end in crowd.ends().values():
        assert end["kind"] == "finished" or end["code"] == "disk_full"


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["forward", "back"])
def test_the_clock_jumps_and_the_worker_is_killed(
    fault_round: int, site: RunningSite, clock_offset: Path, counted: Callable[[str, Tally], None], jump: int
) -> None:
    with Crowd(site) as crowd:
        crowd.in_the_midst()
        set_clock(clock_offset, int(clock_offset.read_text()) + jump)
        os.kill(living_process_of(site.home, WORKER), signal.SIGKILL)
        tally = crowd.settled()
    counted(f"clock jumps by {jump:+,} s, and kill -9 of the worker", tally)
    assert tally.faults == NO_FAULTS
    assert tally.failed == 0


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["forward", "back"])
def test_the_clock_jumps(
    fault_round: int, site: RunningSite, clock_offset: Path, counted: Callable[[str, Tally], None], jump: int
) -> None:
    with Crowd(site) as crowd:
        crowd.in_the_midst()
        set_clock(clock_offset, int(clock_offset.read_text()) + jump)
        tally = crowd.settled()
    counted(f"clock jumps by {jump:+,} s", tally)
    assert tally.faults == NO_FAULTS
    assert tally.failed == 0


def assert_full_and_readable(crowd: Crowd) -> None:
    """The site says that its disk is full, takes nothing new, and can be read."""
    with httpx2.Client(base_url=crowd.site.address, timeout=30) as client:

        def disk() -> Any:
            return client.get("/readyz").json()["parts"]["disk"]

        with Asker(crowd.site.address) as asker:
            # What was asked before may be over by now: only what has to be written finds out.
            assert crowd.wait(lambda: asker.ask("who?") is None and not disk()["ok"], 30)
        assert "Free space" in disk()["reason"]
        assert client.get("/readyz").status_code == 503
        run_id = crowd.followers[0].run_id
        for path in (f"/api/runs/{run_id}", f"/api/runs/{run_id}/events", "/api/examples", "/healthz"):
            assert client.get(path).status_code == 200
        with Asker(crowd.site.address) as asker:
            assert asker.ask("who?") is None


def fill(filler: Path) -> None:
    """Write until not a page is left."""
    with filler.open("wb", buffering=0) as file:
        for size in (1_000_000, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def load(site: RunningSite, folder: Path, text: str) -> None:
    """Load a graph under the name ``mine``."""
    (folder / "mine.tsv").write_text(text, encoding="utf-8")
    command = [sys.executable, "manage.py", "load_graph", str(folder / "mine.tsv"), "--name", "mine"]
    subprocess.run(command, cwd=REPOSITORY, env=environment(site.home), check=True, capture_output=True)


@contextmanager
def second_worker(site: RunningSite) -> Iterator[None]:
    command = [sys.executable, "-m", "celery", "-A", "webapp.celery", "worker", "--hostname", "second@%h"]
    with (site.home / "logs" / "second.log").open("ab") as log:
        worker = subprocess.Popen(command, cwd=REPOSITORY, env=site.environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        worker.terminate()
        worker.wait()


DELIVER = """
import sys
import django
django.setup()
from webapp.asking.runs.transitions import TASK
from webapp.platform.work.delivery import deliver
from webapp.platform.work.queues import Queue
for _ in range(12):
    for run_id in sys.argv[1:]:
        deliver(TASK, run_id, Queue.CPU)
"""


def deliver(site: RunningSite, run_ids: list[str]) -> None:
    """Hand runs to the broker, each several times."""
    command = [sys.executable, "-c", DELIVER, *run_ids]
    subprocess.run(command, cwd=REPOSITORY, env=environment(site.home), check=True)
