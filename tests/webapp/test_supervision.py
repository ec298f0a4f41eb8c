"""When processes that die are started again, and when not: with real processes, and a clock in the test's hand."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from webapp.launch.processes import LOG_BYTES, Child, ChildError
from webapp.launch.side_printer import SidePrinter
from webapp.launch.supervision import (
    FIRST_PAUSE,
    MAX_PAUSE_LENGTH,
    MAX_SHORT_LIVES,
    SETTLED,
    WITHIN,
    RestartPolicy,
    Supervisor,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_pauses_double_and_the_last_of_many_short_lives_in_a_row_is_final() -> None:
    policy = RestartPolicy()
    assert [policy.died(now, lived=0.5) for now in (0.0, 1.0, 3.0, 6.0, 11.0)] == [0.5, 1.0, 2.0, 4.0, None]


def test_a_process_that_serves_a_while_each_time_is_started_again_however_often_it_is_killed() -> None:
    policy = RestartPolicy()
    now, pauses = 0.0, list[float]()
    for _ in range(40):
        now += SETTLED
        pause = policy.died(now, lived=SETTLED)
        assert pause is not None
        now += pause
        pauses.append(pause)
    assert pauses[:4] == [0.5, 1.0, 2.0, 4.0]
    assert max(pauses) == MAX_PAUSE_LENGTH


def test_a_life_that_was_not_short_begins_the_count_of_short_ones_anew() -> None:
    policy = RestartPolicy()
    now = 0.0
    for lived in [0.0] * (MAX_SHORT_LIVES - 1) + [SETTLED] + [0.0] * (MAX_SHORT_LIVES - 1):
        now += WITHIN
        assert policy.died(now, lived) == FIRST_PAUSE
    assert policy.died(now + 1, lived=SETTLED - 0.1) is None


def test_pauses_forget_deaths_that_lie_further_back() -> None:
    policy = RestartPolicy()
    pauses = [policy.died(now, lived=SETTLED) for now in (0.0, 20.0, 40.0, 60.0, 80.0)]
    assert pauses == [0.5, 1.0, 2.0, 2.0, 2.0]
    assert policy.died(80.0 + WITHIN, lived=SETTLED) == FIRST_PAUSE


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def child(log: Path, code: str) -> Callable[[], Child]:
    return partial(Child.start, "worker", [sys.executable, "-c", code], log=log)


def test_a_dead_process_is_started_again_when_its_pause_is_over(tmp_path: Path) -> None:
    log, lines, clock = tmp_path / "worker.log", list[str](), Clock()
    supervisor = Supervisor(lines.append, clock)
    started: list[Child] = []

    def start() -> Child:
        started.append(child(log, "print('out of luck'); raise SystemExit(3)")())
        return started[-1]

    supervisor.start("worker", start)
    started[0].process.wait()
    supervisor.watch()
    assert "The worker ended by itself (exit status 3). Its last lines:\n    out of luck\n" in lines[0]
    assert lines[0].endswith("It is started again in 0.5 s.")
    clock.now += 0.4
    supervisor.watch()
    assert (len(started), len(lines)) == (1, 1)
    clock.now += 0.2
    supervisor.watch()
    assert lines[1] == f"The worker was started again (process {started[1].process.pid})."

    for _ in range(MAX_SHORT_LIVES - 2):
        started[-1].process.wait()
        supervisor.watch()
        clock.now += MAX_PAUSE_LENGTH
        supervisor.watch()
    started[-1].process.wait()
    with pytest.raises(ChildError, match="5 times in a row, each less than 5 seconds after its start") as given_up:
        supervisor.watch()
    assert "out of luck" in str(given_up.value)
    assert str(log) in str(given_up.value)
    assert log.read_text().count("=== worker, started ") == log.read_text().count("out of luck") == MAX_SHORT_LIVES


def test_what_is_killed_again_and_again_while_it_serves_is_started_again(tmp_path: Path) -> None:
    lines, clock = list[str](), Clock()
    supervisor = Supervisor(lines.append, clock)
    started: list[Child] = []

    def start() -> Child:
        started.append(child(tmp_path / "worker.log", "import time; time.sleep(60)")())
        return started[-1]

    supervisor.start("worker", start)
    for number in range(3 * MAX_SHORT_LIVES):
        clock.now += SETTLED
        started[number].process.kill()
        started[number].process.wait()
        supervisor.watch()
        clock.now += MAX_PAUSE_LENGTH
        supervisor.watch()
    assert sum("was started again" in text for text in lines) == 3 * MAX_SHORT_LIVES
    supervisor.end()


def test_a_restart_that_fails_counts_as_a_death(tmp_path: Path) -> None:
    lines, clock = list[str](), Clock()
    supervisor = Supervisor(lines.append, clock)
    lives = [child(tmp_path / "worker.log", "")()]

    def start() -> Child:
        if lives:
            return lives.pop()
        clock.now += 2 * SETTLED  # as Redis may take that never answers
        raise ChildError("there is no such program")

    first = lives[0]
    supervisor.start("worker", start)
    first.process.wait()
    supervisor.watch()
    for _ in range(MAX_SHORT_LIVES - 2):
        clock.now += MAX_PAUSE_LENGTH
        supervisor.watch()
    clock.now += MAX_PAUSE_LENGTH
    with pytest.raises(ChildError, match="could not be started again: there is no such program"):
        supervisor.watch()
    assert sum("could not be started again" in text for text in lines) == MAX_SHORT_LIVES - 2


def test_a_log_that_cannot_be_written_keeps_no_process_from_starting(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    process = child(tmp_path / "folder", "print(1)")()
    assert process.process.wait() == 0
    assert "cannot be read" in process.complaint()


def test_a_long_log_is_put_aside_once(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    log.write_bytes(b"x" * (LOG_BYTES + 1))
    child(log, "print('fresh')")().process.wait()
    assert log.read_text().endswith("fresh\n")
    assert log.stat().st_size < 100
    assert (tmp_path / "worker.log.1").stat().st_size == LOG_BYTES + 1


def test_whoever_reads_nothing_holds_up_nobody() -> None:
    """A pipe is full after some lines; the site goes on, and the first lines are read once there is a reader."""
    reader, writer = os.pipe()
    pipe = os.fdopen(writer, "w", encoding="utf-8")
    with os.fdopen(reader, encoding="utf-8") as read:
        printer = SidePrinter(Console(file=pipe, width=200))
        started = time.monotonic()
        for number in range(5_000):
            printer.say(f"line {number} {'x' * 100}")
        printer.flush(0.2)
        assert time.monotonic() - started < 5
        assert [next(read).split()[1] for _ in range(100)] == [str(number) for number in range(100)]
    # The rest is never read.
    printer.flush(5)
    with suppress(BrokenPipeError):
        pipe.close()
