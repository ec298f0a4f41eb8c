"""Processes that are started again when they die, and when that is given up."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webapp.launch.processes import Child, ChildError

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_PAUSE = 0.5
"""Seconds between a death and the restart; each earlier death within `WITHIN` doubles them."""
MAX_PAUSE_LENGTH = 8.0
WITHIN = 60.0
SETTLED = 5.0
"""A process that lived so long, in seconds, served before it died; a shorter life is a start that failed."""
MAX_SHORT_LIVES = 5
"""After this number of lives in a row that were shorter than `SETTLED`, a process is not started again.

With the pauses between them they take less than a minute. What served a while each time is started again however often
it dies, such as when it is killed by a user or by the system for lack of memory: it is better away for seconds than the
site for good.
"""
GRACE_SECONDS = 6.0
"""How long the processes may take to end by themselves, all together."""


@dataclass
class RestartPolicy:
    """Exponential back-off over the deaths of the last `WITHIN` seconds. It reads no clock: times are passed in."""

    _deaths: list[float] = field(default_factory=list)
    _short_lives: int = 0

    def died(self, now: float, lived: float) -> float | None:
        """Take note of a death after ``lived`` seconds; the seconds until the restart, None where none is due."""
        self._deaths = [*(death for death in self._deaths if death > now - WITHIN), now]
        self._short_lives = self._short_lives + 1 if lived < SETTLED else 0
        if self._short_lives >= MAX_SHORT_LIVES:
            return None
        return min(FIRST_PAUSE * 2.0 ** (len(self._deaths) - 1), MAX_PAUSE_LENGTH)


@dataclass
class _Part:
    """A process that is watched over, dead or alive."""

    name: str
    start: Callable[[], Child]
    child: Child
    began: float
    """When its last life began."""
    policy: RestartPolicy = field(default_factory=RestartPolicy)
    due: float | None = None
    """When it is started again; None while it lives."""


class Supervisor:
    """Starts the processes of a site, starts them again when they die, and ends them, youngest first."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        """Tell deaths and restarts by ``say``; ``clock`` counts seconds and never goes back."""
        self._say = say
        self._clock = clock
        self._parts: list[_Part] = []

    def start(self, name: str, start: Callable[[], Child]) -> None:
        """Start a process and take charge of it; ``start`` is called again after each death.

        Raises:
            ChildError: it did not start.

        """
        self._parts.append(_Part(name, start, start(), self._clock()))

    def check(self) -> None:
        """See that all of them live, as they must until the site is ready: what dies so early is set up wrongly.

        Raises:
            ChildError: one ended by itself.

        """
        for part in self._parts:
            if part.child.has_ended:
                raise ChildError(part.child.complaint())

    def watch(self) -> None:
        """Look after all of them once: say which died, and start again what is due.

        Raises:
            ChildError: one died too often; the message says which, and holds the last lines of its log.

        """
        for part in self._parts:
            if part.due is None:
                if part.child.has_ended:
                    self._died(part, part.child.complaint(), lived=self._clock() - part.began)
            elif self._clock() >= part.due:
                try:
                    part.child = part.start()
                except (ChildError, OSError) as error:
                    self._died(part, f"The {part.name} could not be started again: {error}", lived=0.0)
                else:
                    part.began, part.due = self._clock(), None
                    self._say(f"The {part.name} was started again (process {part.child.process.pid}).")

    def _died(self, part: _Part, complaint: str, *, lived: float) -> None:
        now = self._clock()
        pause = part.policy.died(now, lived)
        if pause is None:
            raise ChildError(
                f"{complaint}\nIt ended {MAX_SHORT_LIVES} times in a row, each less than {SETTLED:.0f} seconds after "
                f"its start, so it is not started again. The whole of its log is {part.child.log}."
            )
        part.due = now + pause
        self._say(f"{complaint}\nIt is started again in {pause:g} s.")

    def end(self) -> None:
        """End them all: dependents before what they depend on."""
        deadline = self._clock() + GRACE_SECONDS
        for part in reversed(self._parts):
            part.child.ask_to_end()
            part.child.end(deadline - self._clock())
        self._parts.clear()
