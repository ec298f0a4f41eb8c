"""Checks the parts of the site, without waiting for any that hangs."""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as DeadlineError
from threading import Lock, Thread
from typing import TYPE_CHECKING

from django.db import connections

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

log = logging.getLogger(__name__)


class Probe:
    """Asks one part, in a thread of its own, and never twice at a time: a part that hangs for hours holds one thread.

    ``ask`` tells what is wrong with the part, None where nothing is. Where it does not tell in time, ``late`` is what
    is wrong; or its last report, if that was a fault: what is away may be sought for longer than anybody waits.
    """

    def __init__(self, ask: Callable[[], str | None], late: str) -> None:
        self._late = late
        self._last_fault: str | None = None
        self._ask = ask
        self._lock = Lock()
        self._answer: Future[str | None] | None = None

    def begin(self) -> Future[str | None]:
        """Ask, or wait for the answer to a request that is already running."""
        with self._lock:
            if self._answer is None or self._answer.done():
                self._answer = Future()
                Thread(target=self._settle, args=(self._answer,), name="probe", daemon=True).start()
            return self._answer

    @property
    def late(self) -> str:
        """What is wrong where no answer came in time."""
        return self._last_fault or self._late

    def _settle(self, answer: Future[str | None]) -> None:
        try:
            fault = self._ask()
        except Exception:
            log.exception("a part of the site could not be asked")
            fault = "It could not be asked; see the web server's log."
        finally:
            connections.close_all()
        self._last_fault = fault
        answer.set_result(fault)


def faults(probes: Mapping[str, Probe], *, within: float) -> dict[str, str | None]:
    """What is wrong with each part, all asked at the same time, after ``within`` seconds at the latest."""
    until = time.monotonic() + within
    asked = [(name, probe, probe.begin()) for name, probe in probes.items()]
    found: dict[str, str | None] = {}
    for name, probe, answer in asked:
        try:
            found[name] = answer.result(timeout=max(0.0, until - time.monotonic()))
        except DeadlineError:
            found[name] = probe.late
    return found
