"""The whole site as people start it: one process that starts the others and ends them."""

from __future__ import annotations

import http.cookiejar
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from tests.running_site import RunningSite, environment, living_process_of, process_of, processes_of
from tests.webapp.conftest import wait_until
from webapp.launch.supervision import MAX_SHORT_LIVES
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home folder whose path is short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="discern-serve-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def serve(home: Path) -> Iterator[Callable[..., RunningSite]]:
    sites: list[RunningSite] = []

    def start(*arguments: str) -> RunningSite:
        sites.append(RunningSite(home, *arguments))
        return sites[-1]

    yield start
    for site in sites:
        if site.process.poll() is None:
            site.process.kill()
        if site.process.stdout is not None and not site.process.stdout.closed:
            site.process.communicate()


def ask(address: str, question: str) -> dict[str, Any]:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    token = json.load(opener.open(f"{address}api/session"))["csrf_token"]
    request = urllib.request.Request(  # noqa: S310 - the site just started
        f"{address}api/runs",
        json.dumps({"question": question}).encode(),
        {"Content-Type": "application/json", "X-CSRFToken": token},
    )
    run = json.load(opener.open(request))
    wait_until(lambda: json.load(opener.open(f"{address}api/runs/{run['id']}"))["finished_at"] is not None)
    answered: dict[str, Any] = json.load(opener.open(f"{address}api/runs/{run['id']}"))
    return answered


@pytest.fixture(autouse=True)
def clean() -> None:
    """These tests have a database of their own."""


def test_a_site_starts_answers_says_what_is_wrong_with_a_second_one_and_leaves_nothing(
    home: Path, serve: Callable[..., RunningSite]
) -> None:
    site = serve()
    address = site.ready()
    assert "Discern is ready after" in site.output
    assert httpx2.get(f"{address}readyz").status_code == 200
    for output in ("asker", "annotator", "reviewer", "admin", "voice of KITT"):
        assert output in site.output
    passwords = [account["password"] for account in json.loads((home / "demo_accounts.json").read_text())]
    assert len(set(passwords)) == 5
    assert all(password in site.output for password in passwords)
    assert (home / "demo_accounts.json").stat().st_mode & 0o777 == 0o600
    assert len(processes_of(home)) == 4
    assert ask(address, "who plays the voice of KITT in Knight Rider?")["status"] == "succeeded"

    second = serve()
    output, _ = second.process.communicate(timeout=60)
    assert second.process.returncode == 1
    assert f"it runs already, at {address} (process {site.process.pid})" in output

    assert site.end(signal.SIGINT) == 0
    assert site.output.endswith("Discern has ended.\n")
    assert processes_of(home) == []

    again = serve()
    again.ready()
    assert all(password in again.output for password in passwords)
    again.process.kill()
    again.process.communicate()
    wait_until(lambda: processes_of(home) == [], seconds=30)


def test_a_site_whose_model_cannot_be_loaded_does_not_say_that_it_is_ready(home: Path) -> None:
    site = RunningSite(home, DISCERN_SCORER="encoder", DISCERN_SCORER_WEIGHTS=str(home))
    address = site.ready()
    assert "Discern is ready" not in site.output
    assert "No question can be answered yet: " in site.output
    reasons = httpx2.get(f"{address}readyz").json()["parts"]["scorer"]
    assert reasons["reason"].split(".")[0] in site.output.replace("\n", " ")
    assert site.end(signal.SIGINT) == 0


def restarted(home: Path, mark: bytes, before: int) -> bool:
    return process_of(home, mark) not in (None, before)


def test_what_dies_is_started_again_and_the_port_stays_open(home: Path, serve: Callable[..., RunningSite]) -> None:
    site = serve()
    address = site.ready()
    for mark in (b"celery", b"web_server", b"redis-server"):
        before = living_process_of(home, mark)
        os.kill(before, signal.SIGKILL)
        # Also while there is no web server, a connection waits instead of being refused.
        assert httpx2.get(f"{address}healthz", timeout=30).status_code == 200
        wait_until(lambda: restarted(home, mark, before))  # noqa: B023 - called at once
        wait_until(lambda: httpx2.get(f"{address}readyz", timeout=30).status_code == 200, seconds=30)
        assert ask(address, "who plays the voice of KITT in Knight Rider?")["status"] == "succeeded"
    assert (home / "logs" / "worker.log").read_text().count("=== worker, started") >= 2
    assert site.end(signal.SIGINT) == 0
    for name in ("worker", "web server", "Redis"):
        assert f"The {name} ended by itself (exit status -9). Its last lines:" in site.output
        assert f"The {name} was started again" in site.output
    assert processes_of(home) == []


def test_what_dies_again_and_again_ends_the_site_with_its_last_lines(
    home: Path, serve: Callable[..., RunningSite]
) -> None:
    site = serve()
    site.ready()
    deaths = killed = 0
    while site.process.poll() is None:
        if restarted(home, b"celery", killed):
            killed = living_process_of(home, b"celery")
            os.kill(killed, signal.SIGKILL)
            deaths += 1
        time.sleep(0.05)
    output = site.process.communicate(timeout=30)[0]
    assert site.process.returncode == 1
    # Its first life counts only where the site was ready at once.
    assert deaths in (MAX_SHORT_LIVES, MAX_SHORT_LIVES + 1)
    assert "is started again in 4 s" in output
    end = output[output.index("Discern has ended, everything of it.") :]
    assert "The worker ended by itself (exit status -9). Its last lines:" in end
    assert "It ended 5 times in a row, each less than 5 seconds after its start, so it is not started again." in end
    assert processes_of(home) == []


@pytest.mark.parametrize("step", ["Starting Redis", "Preparing the demo accounts", "Discern is ready"])
def test_asked_to_stop_at_any_moment_it_ends_and_leaves_nothing(
    home: Path, serve: Callable[..., RunningSite], step: str
) -> None:
    site = serve()
    assert site.process.stdout is not None
    assert any(step in line for line in site.process.stdout)
    assert site.end(signal.SIGTERM) == 0
    assert processes_of(home) == []


def test_a_busy_port_is_named_with_the_way_to_choose_another(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            cwd=REPOSITORY,
            env=environment(home),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert f"port {port} is busy" in done.stderr
    assert "make run PORT=" in done.stderr
    assert processes_of(home) == []


def test_a_path_too_long_for_a_socket_is_said_to_be(home: Path) -> None:
    deep = home / ("x" * 100)
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", "0"],
        cwd=REPOSITORY,
        env=environment(deep),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Set DISCERN_HOME to a shorter one" in done.stderr
