"""Printing from a thread of its own, so that a terminal or pipe that is not read blocks no other thread."""

from __future__ import annotations

import contextlib
import queue
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_LINES_WAITING = 200
"""More are dropped: the logs have what happened."""


class SidePrinter:
    """Prints line by line, in order. If the output is not read for long, lines are dropped."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lines: queue.Queue[str | Event] = queue.Queue(_LINES_WAITING)
        Thread(target=self._print, name="printer", daemon=True).start()

    def say(self, text: str) -> None:
        """Print a line soon; never waits."""
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(text)

    def flush(self, seconds: float) -> None:
        """Wait until everything so far is printed, or so long."""
        printed = Event()
        with contextlib.suppress(queue.Full):
            self._lines.put(printed, timeout=seconds)
            printed.wait(seconds)

    def _print(self) -> None:
        while True:
            line = self._lines.get()
            if isinstance(line, Event):
                line.set()
                continue
            # Where the output is a file on a full disk, is closed or a pipe without a reader (which rich takes for a
            # reason to exit), the site goes on.
            with contextlib.suppress(OSError, ValueError, SystemExit):
                self._console.print(line, markup=False, soft_wrap=True)
