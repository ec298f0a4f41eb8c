"""Processes that are started again when they die, and when that is given up."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webapp.launch.processes import Child, ChildError

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_PAUSE = 0.5
"""Seconds between the first death and the restart; each further death within `WITHIN` doubles them."""
LONGEST_PAUSE = 8.0
MOST_DEATHS = 5
"""A process that dies so often within `WITHIN` seconds is not started again."""
WITHIN = 60.0
GRACE_SECONDS = 6.0
"""How long the processes may take to end by themselves, all together."""


@dataclass
class RestartPolicy:
    """Exponential back-off over the deaths of the last `WITHIN` seconds. It reads no clock: times are passed in."""

    _deaths: list[float] = field(default_factory=list)

    def died(self, now: float) -> float | None:
        """Take note of a death; return the seconds until the restart, None where there is to be none."""
        self._deaths = [*(death for death in self._deaths if death > now - WITHIN), now]
        if len(self._deaths) >= MOST_DEATHS:
            return None
        return min(FIRST_PAUSE * 2.0 ** (len(self._deaths) - 1), LONGEST_PAUSE)


@dataclass
class _Part:
    """A process that is watched over, dead or alive."""

    name: str
    start: Callable[[], Child]
    child: Child
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
        self._parts.append(_Part(name, start, start()))

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
                    self._died(part, part.child.complaint())
            elif self._clock() >= part.due:
                try:
                    part.child = part.start()
                except (ChildError, OSError) as error:
                    self._died(part, f"The {part.name} could not be started again: {error}")
                else:
                    part.due = None
                    self._say(f"The {part.name} was started again (process {part.child.process.pid}).")

    def _died(self, part: _Part, complaint: str) -> None:
        now = self._clock()
        pause = part.policy.died(now)
        if pause is None:
            raise ChildError(
                f"{complaint}\nIt died {MOST_DEATHS} times within {WITHIN:.0f} seconds, so it is not started again. "
                f"The whole of its log is {part.child.log}."
            )
        part.due = now + pause
        self._say(f"{complaint}\nIt is started again in {pause:g} s.")

    def end(self) -> None:
        """End them all: whoever needs another before that other."""
        deadline = self._clock() + GRACE_SECONDS
        for part in reversed(self._parts):
            part.child.ask_to_end()
            part.child.end(deadline - self._clock())
        self._parts.clear()
