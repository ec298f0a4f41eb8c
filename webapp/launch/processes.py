"""Processes that live and die with the one that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import IO

LOG_BYTES = 8_000_000
"""A log that is longer when a process starts is put aside, in place of the one that was put aside before."""
_TAIL_BYTES = 16_384
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class ChildError(Exception):
    """A process did not start, or ended by itself; the message holds the last lines of its log."""


def _opened_log(path: Path) -> IO[bytes]:
    """A log to append to; one that grew long is put aside first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if path.stat().st_size > LOG_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
    return path.open("ab", buffering=0)


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
    log_start: int = 0
    """Where in the log this process begins, in bytes: before it stand those that ran earlier."""

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
        """Start a process whose output is appended to ``log``; the file descriptors of ``keep`` stay open in it.

        Where the log cannot be written, since the disk is full, the process starts all the same.

        Raises:
            OSError: it cannot be started.

        """
        with ExitStack() as stack:
            output: IO[bytes] | int = subprocess.DEVNULL
            log_start = 0
            with suppress(OSError):
                output = stack.enter_context(_opened_log(log))
                log_start = output.tell()
                log_start += output.write(f"=== {name}, started {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC\n".encode())
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
        return cls(name, log, process, log_start)

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.poll() is not None

    def complaint(self) -> str:
        """That it ended, and the last lines of its log."""
        lines = self._own_log().splitlines()[-12:]
        tail = "\n".join(f"    {line}" for line in lines) or "    (it said nothing)"
        return f"The {self.name} ended by itself (exit status {self.process.returncode}). Its last lines:\n{tail}"

    def _own_log(self) -> str:
        try:
            with self.log.open("rb") as file:
                file.seek(max(self.log_start, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
                return file.read().decode(errors="replace")
        except OSError as error:
            return f"(its log cannot be read: {error})"

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
