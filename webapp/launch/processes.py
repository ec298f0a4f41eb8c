"""Processes that live and die with the one that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

GRACE_SECONDS = 6.0
"""How long a process may take to end by itself."""
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class ChildError(Exception):
    """A process did not start, or ended by itself; the message holds the last lines of its log."""


def _die_with_parent() -> None:
    """Ask Linux to end this process when its parent is gone, even by SIGKILL. Runs between fork and exec."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass
class Child:
    """A process in a group of its own, so that Ctrl-C reaches only the one that started it, which then ends it."""

    name: str
    log: Path
    process: subprocess.Popen[bytes]

    @classmethod
    def start(
        cls,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        environment: Mapping[str, str] | None = None,
        keep: Sequence[int] = (),
    ) -> Child:
        """Start a process whose output goes to ``log``; the file descriptors of ``keep`` stay open in it."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - our own commands
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - one call of libc
                pass_fds=keep,
            )
        return cls(name, log, process)

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.poll() is not None

    def complaint(self) -> str:
        """That it ended, and the last lines of its log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        tail = "\n".join(f"    {line}" for line in lines) or "    (it said nothing)"
        return f"The {self.name} ended by itself (exit status {self.process.returncode}). Its last lines:\n{tail}"

    def ask_to_end(self) -> None:
        """Ask the process to end."""
        self._signal(signal.SIGTERM)

    def end(self, within: float) -> None:
        """Wait for the process to end, and kill its whole group where it does not."""
        try:
            self.process.wait(timeout=max(0.0, within))
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self.process.wait()

    def _signal(self, number: signal.Signals) -> None:
        if not self.has_ended:
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                return


@dataclass
class Household:
    """The processes of a site, oldest first; they are ended youngest first."""

    children: list[Child] = field(default_factory=list)

    def add(self, child: Child) -> Child:
        """Take charge of a process."""
        self.children.append(child)
        return child

    def check(self) -> None:
        """See that all of them live.

        Raises:
            ChildError: one ended by itself.

        """
        for child in self.children:
            if child.has_ended:
                raise ChildError(child.complaint())

    def end(self) -> None:
        """End them all: whoever needs another before that other."""
        deadline = time.monotonic() + GRACE_SECONDS
        for child in reversed(self.children):
            child.ask_to_end()
            child.end(deadline - time.monotonic())
        self.children.clear()
