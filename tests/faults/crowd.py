"""People who ask and follow while something goes wrong, and the comparison of what they saw with the log."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import threading
import time
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2

from tests.faults.followers import Follower, GetFollower, SocketFollower
from tests.faults.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from tests.running_site import RunningSite

QUESTIONS = (
    "who plays the voice of KITT in Knight Rider?",
    "where did Kevin Love go to college?",
    "what is the capital of Australia?",
    "who created Knight Rider?",
)
GIVE_UP_SECONDS = 120.0
"""A run that has not ended so long after the fault counts as stuck."""
_OVER = ("succeeded", "failed", "cancelled")


class Asker:
    """One visitor."""

    def __init__(self, address: str) -> None:
        self.client = httpx2.Client(base_url=address, timeout=30)
        self.token = ""

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def ask(self, question: str, **more: str) -> str | None:
        """Ask; the id of the run, or None where the site could not take the question just now."""
        try:
            if not self.token:
                self.token = self.client.get("/api/session").raise_for_status().json()["csrf_token"]
            response = self.client.post(
                "/api/runs", json={"question": question, **more}, headers={"X-CSRFToken": self.token}
            )
        except httpx2.HTTPError:
            return None
        return str(response.json()["id"]) if response.status_code == 201 else None


class Crowd:
    """Asks ``runs`` questions, one every ``pause`` seconds, each followed over a socket and by GET."""

    def __init__(self, site: RunningSite, *, runs: int = 8, pause: float = 0.25, **more: str) -> None:
        self.site = site
        self.followers: list[Follower] = []
        self._wanted = runs
        self._pause = pause
        self._more = more
        self._asked = 0
        self._began = self._last_row()
        self._fault_at = 0.0
        self._loop = asyncio.new_event_loop()
        self._threads = [threading.Thread(target=self._loop.run_forever), threading.Thread(target=self._ask)]

    def __enter__(self) -> Crowd:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads[1].join()
        asyncio.run_coroutine_threadsafe(_cancelled_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._threads[0].join()
        self._loop.close()

    def _ask(self) -> None:
        port = urlsplit(self.site.address).port or 0
        until = time.monotonic() + GIVE_UP_SECONDS
        with Asker(self.site.address) as asker:
            while self._asked < self._wanted and time.monotonic() < until:
                run_id = asker.ask(QUESTIONS[self._asked % len(QUESTIONS)], **self._more)
                time.sleep(self._pause)
                if run_id is None:
                    continue
                self._asked += 1
                for kind in (SocketFollower, GetFollower):
                    follower = kind(run_id, port)
                    self.followers.append(follower)
                    asyncio.run_coroutine_threadsafe(follower.follow(), self._loop)

    def in_the_midst(self) -> None:
        """Wait until several runs are under way and some of their events were seen: now something may go wrong."""
        self.wait(lambda: self._asked >= self._wanted // 2 and sum(each.last for each in list(self.followers)) > 8)
        self._fault_at = time.monotonic()

    def wait(self, true: Callable[[], bool], seconds: float = GIVE_UP_SECONDS) -> bool:
        """Wait for something; whether it came to be."""
        until = time.monotonic() + seconds
        while not true():
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def well_again(self) -> float:
        """Wait until the site is ready and a new question is answered; the seconds since the fault.

        Raises:
            AssertionError: it never is, or has ended.

        """
        with Asker(self.site.address) as asker:

            def is_well() -> bool:
                assert self.site.process.poll() is None, f"the site has ended; see {self.site.home / 'logs'}"
                try:
                    if asker.client.get("/readyz").status_code != 200:
                        return False
                except httpx2.HTTPError:
                    return False
                run_id = asker.ask(QUESTIONS[0])
                return run_id is not None and self.wait(lambda: self._status(run_id) in _OVER, 20)

            assert self.wait(is_well), f"it never was well again; see {self.site.home / 'logs'}"
        return time.monotonic() - self._fault_at

    def settled(self) -> Tally:
        """Wait until all runs have ended and were seen, then compare them with the log."""
        seconds = self.well_again()
        self._threads[1].join()
        until = time.monotonic() + GIVE_UP_SECONDS
        self.wait(lambda: all(each.is_done for each in self.followers), until - time.monotonic())
        self.wait(lambda: not self._unfinished(), until - time.monotonic())
        tally = Tally(rounds=1, runs=len(self._rows()), seconds=seconds, stuck=self._unfinished())
        tally.failed = sum(status == "failed" for _, status in self._rows())
        for run_id, _status in self._rows():
            numbers = [seq for seq, _ in self.log(run_id)]
            tally.reordered += numbers != list(range(1, len(numbers) + 1))
        for follower in self.followers:
            _compare(follower, self.log(follower.run_id), tally)
        return tally

    def ends(self) -> dict[str, dict[str, Any]]:
        """The last event of each run that was asked."""
        return {each.run_id: each.seen[-1][1] for each in self.followers if each.seen}

    def log(self, run_id: str) -> list[tuple[int, Any]]:
        """What the database holds of a run."""
        query = "SELECT seq, event FROM questions_runevent WHERE run_id = ? ORDER BY seq"
        return [(seq, json.loads(event)) for seq, event in self._select(query, run_id.replace("-", ""))]

    def _status(self, run_id: str) -> str:
        rows = self._select("SELECT status FROM questions_reasoningrun WHERE id = ?", run_id.replace("-", ""))
        return str(rows[0][0]) if rows else ""

    def _rows(self) -> list[tuple[str, str]]:
        query = "SELECT r.id, r.status FROM questions_reasoningrun r WHERE r.question_id > ?"
        return [(str(run_id), str(status)) for run_id, status in self._select(query, self._began)]

    def _unfinished(self) -> int:
        return sum(status not in _OVER for _, status in self._rows())

    def _last_row(self) -> int:
        return int(self._select("SELECT coalesce(max(id), 0) FROM questions_question")[0][0])

    def _select(self, query: str, *values: object) -> list[Any]:
        with closing(sqlite3.connect(f"file:{database_of(self.site)}?mode=ro", uri=True, timeout=30)) as connection:
            return connection.execute(query, values).fetchall()


def database_of(site: RunningSite) -> Path:
    """The file in which a site's log lies."""
    return site.home / "db.sqlite3"


def _compare(follower: Follower, log: list[tuple[int, Any]], tally: Tally) -> None:
    """Compare what a follower saw with the log."""
    numbers = [seq for seq, _ in follower.seen]
    tally.events += len(numbers)
    tally.doubled += len(numbers) - len(set(numbers))
    tally.reordered += sum(later < earlier for earlier, later in pairwise(numbers))
    seen = dict(follower.seen)
    tally.lost += sum(seen.get(seq) != event for seq, event in log)
    tally.dropped += follower.dropped


async def _cancelled_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    for task in tasks:
        with contextlib.suppress(asyncio.CancelledError):
            await task
