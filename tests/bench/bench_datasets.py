"""How fast questions are loaded as a dataset: ``python -m tests.bench.bench_datasets [--questions N] [--json]``.

A made-up file is loaded by ``manage.py load_dataset`` in a process of its own, into a new SQLite database. Then the
same load is killed half-way and given again.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from webapp.platform.environment import REPOSITORY

QUESTIONS = 100_000
LEASE_SECONDS = 9.0
"""A killed load is resumed once its lease expires."""
LINE = (
    '{"id": "q%d", "phrasings": ["who wrote the %dth book of the series?"], "topic": "m.%d", '
    '"search": [[0, "book.book.author"]], "constraints": [], "answer": 1, "answers": ["m.a%d"]}\n'
)


def command(home: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "DISCERN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def timed(home: Path, *arguments: str) -> tuple[float, float]:
    """The seconds that a command takes, by the clock and of the processor."""
    spent, began = os.times(), time.perf_counter()
    if command(home, *arguments).wait():
        raise RuntimeError(f"{arguments[0]} failed")
    seconds, now = time.perf_counter() - began, os.times()
    return seconds, now.children_user - spent.children_user + now.children_system - spent.children_system


def stored(home: Path) -> int:
    database = sqlite3.connect(home / "db.sqlite3")
    try:
        return int(database.execute("SELECT count(*) FROM datasets_question").fetchone()[0])
    finally:
        database.close()


def measured(questions: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="discern-bench-") as scratch:
        path = Path(scratch) / "many.jsonl"
        path.write_text("".join(LINE % (n, n, n, n) for n in range(questions)), encoding="utf-8")
        load = ("load_dataset", str(path), "--format", "discern")
        whole, killed = Path(scratch) / "whole", Path(scratch) / "killed"
        for home in (whole, killed):
            command(home, "migrate").wait()
        seconds, processor = timed(whole, *load)
        process = command(killed, *load)
        while stored(killed) < questions / 2:
            if process.poll() is not None:
                raise RuntimeError("the load ended before it could be killed")
            time.sleep(0.05)
        process.kill()
        process.wait()
        kept = stored(killed)
        time.sleep(LEASE_SECONDS)
        rest, processor_rest = timed(killed, *load)
        return {
            "questions": questions,
            "seconds": seconds,
            "processor_seconds": processor,
            "kept_of_a_killed_load": kept,
            "seconds_to_go_on": rest,
            "processor_seconds_to_go_on": processor_rest,
            "stored_twice": stored(killed) - questions,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured(options.questions)
    if options.json:
        print(json.dumps(found, indent=2))  # noqa: T201 - a bench prints
        return
    for name, value in found.items():
        text = f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"
        Console().print(f"{name.replace('_', ' ')}: {text}")


if __name__ == "__main__":
    main()
