"""What becomes of moves of labels while the processes of a site die: none is lost, doubled or reordered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

import httpx2
import pytest

from tests.running_site import living_process_of
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.running_site import RunningSite

MOVES = 100
"""Number of moves of each person, one after the other."""
PAUSE = 0.05
"""Seconds before a move is sent again. Between two moves there is none: one is on its way whenever a process dies."""
PATIENCE = 120
PROJECTS = "/api/annotation/projects"


class Labeller:
    """An annotator over HTTP, who sends a move again until it is answered, as a page does."""

    def __init__(self, site: RunningSite, role: str) -> None:
        self._client = httpx2.Client(base_url=site.address, timeout=20)
        name, password = site.account(role)
        self._token = self._client.get("/api/session").json()["csrf_token"]
        self._token = self.post("/api/session", {"username": name, "password": password})["csrf_token"]
        self.tried_again = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def post(self, path: str, body: object) -> Any:
        answer = self._client.post(path, json=body, headers={"X-CSRFToken": self._token})
        assert answer.status_code < 300, answer.text
        return answer.json()

    def get(self, path: str) -> Any:
        answer = self._client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def label(self, task: int) -> int:
        for number in range(MOVES):
            was, now = ({"note": self._note(each)} for each in (number, number + 1))
            move = {"id": str(uuid.uuid4()), "was": was, "now": now}
            self._until_answered(f"/api/annotation/tasks/{task}/moves", {"after": number, "moves": [move]})
        return task

    def _note(self, number: int) -> str:
        return f"move {number}" if number else ""

    def _until_answered(self, path: str, body: object) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                answer = self._client.post(path, json=body, headers={"X-CSRFToken": self._token})
            except httpx2.TransportError:
                answer = None
            if answer is not None and answer.status_code == 200:
                return
            assert answer is None or answer.status_code >= 500, answer and answer.text
            self.tried_again += 1
            time.sleep(PAUSE)
        pytest.fail("a move was not answered in time")


def project(site: RunningSite, folder: Path) -> str:
    """A project of one question that a reviewer and an annotator label."""
    path = folder / f"{uuid.uuid4()}.jsonl"
    path.write_text(json.dumps({"id": "1", "question": "who?", "topic": None, "answers": ["m.1"]}) + "\n")
    command = [sys.executable, "manage.py", "load_dataset", str(path), "--format", "discern", "--json"]
    done = subprocess.run(command, cwd=REPOSITORY, env=site.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wanted = {
        "title": "Under faults",
        "questions": {"dataset": json.loads(done.stdout)["id"]},
        "graph": "sample",
        "overlap": 2,
        "people": [site.account(role)[0] for role in ("annotator", "reviewer")],
    }
    with Labeller(site, "admin") as admin:
        return str(admin.post(PROJECTS, wanted)["id"])


def test_moves_survive_the_death_of_every_process(fault_round: int, site: RunningSite, tmp_path: Path) -> None:
    made = project(site, tmp_path)
    with Labeller(site, "annotator") as one, Labeller(site, "reviewer") as other, ThreadPoolExecutor(2) as pool:
        work = [pool.submit(who.label, who.post(f"{PROJECTS}/{made}/next", {})["task"]) for who in (one, other)]
        for victim in (b"redis-server", b"celery", b"web_server", b"web_server"):
            time.sleep(0.5)
            os.kill(living_process_of(site.home, victim), signal.SIGKILL)
        while not (one.tried_again or other.tried_again or all(each.done() for each in work)):
            # So far, each death fell between two moves.
            time.sleep(0.3)
            os.kill(living_process_of(site.home, b"web_server"), signal.SIGKILL)
        task, _ = (each.result(timeout=2 * PATIENCE) for each in work)
        for who in (one, other):
            log = who.get(f"/api/annotation/tasks/{task}/moves?limit=200")["moves"]
            assert [row["number"] for row in log] == list(range(1, MOVES + 1))
            assert [row["now"]["note"] for row in log] == [f"move {number}" for number in range(1, MOVES + 1)]
            assert who.get(f"/api/annotation/tasks/{task}")["work"]["draft"]["note"] == f"move {MOVES}"
        assert one.tried_again or other.tried_again, "no fault fell into a move"
