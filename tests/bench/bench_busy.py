"""Speed of the encoder next to busy processes, and after a start: ``python -m tests.bench.bench_busy [--json]``.

Forty questions are asked of the bundled sample next to 0, 1 and 4 processes that do nothing but turn in circles: with
the threads that `reasoning.scorers.threads` chooses, and as torch would choose by itself. Each figure is a ratio
against the same choice without other processes, both from this run. Then: a question that is the first after a start,
against the same question as the third; those before it have no option in common with it, because what was read once
is cached.
Another load on the machine moves the figures, so each is the best of several.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).resolve().parents[2]
BUSY = (0, 1, 4)
QUESTIONS = 40
REPEATS = 3
MAX_LENGTH = 120.0
"""Seconds after which a child is ended; its figure is then at least as much."""
CHOICES = ("ours", "torch's own")
EARLY = "who won the Super Bowl in 2011"
OTHERS = ("what is the capital of Australia", "who directed Jaws?")


def ask(choice: str, repeats: int, asked_before: int) -> dict[str, float]:
    """Seconds of forty questions, the best of some repeats, and processor seconds of `EARLY` after some others."""
    if choice == "torch's own":
        import torch  # noqa: PLC0415 - before anything of ours chooses

        own = torch.get_num_threads()
    from kgstore.loading.sample import sample_graph  # noqa: PLC0415
    from kgstore.sqlite.library import SqliteLibrary  # noqa: PLC0415
    from reasoning.engine.engine import answer  # noqa: PLC0415
    from reasoning.run.run import TERSE  # noqa: PLC0415
    from reasoning.scorers.encoder import scorer as encoder  # noqa: PLC0415
    from tests.sample import sample_questions  # noqa: PLC0415

    if choice == "torch's own":
        encoder.small_model_threads = lambda: own  # type: ignore[attr-defined]
    questions = [question.phrasings[0] for question in sample_questions()][: QUESTIONS * 5 : 5]
    with tempfile.TemporaryDirectory() as folder:
        library = SqliteLibrary(Path(folder))
        library.load(sample_graph())
        store = library.open("sample")
        scorer = encoder.EncoderScorer.open()
        if choice == "ours":
            # As a worker does when it starts.
            scorer.read_ahead(store, Path(folder) / "kept")
            list(answer("who was the first president of the United States after 1950?", store, scorer, limits=TERSE))

        def seconds(*asked: str) -> float:
            began = time.perf_counter()
            for question in asked:
                for _ in answer(question, store, scorer, limits=TERSE):
                    pass
            return time.perf_counter() - began

        seconds(*OTHERS[:asked_before])
        began = time.process_time()
        seconds(EARLY)
        early = time.process_time() - began
        best = min((seconds(*questions) for _ in range(repeats)), default=0.0)
        library.close()
    return {"forty": best, "early": early}


@contextmanager
def busy(count: int) -> Iterator[None]:
    """This number of processes that keep a processor busy."""
    turning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in turning:
            process.kill()
            process.wait()


def measured(choice: str, *, repeats: int = REPEATS, asked_before: int = 0) -> dict[str, float]:
    """The figures of a process of its own."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OMP_")}
    command = [sys.executable, "-m", "tests.bench.bench_busy", "--child", choice]
    command += ["--repeats", str(repeats), "--asked-before", str(asked_before)]
    try:
        output = subprocess.run(
            command, cwd=REPOSITORY, env=environment, check=True, capture_output=True, timeout=MAX_LENGTH
        ).stdout
    except subprocess.TimeoutExpired:
        return {"forty": MAX_LENGTH, "early": MAX_LENGTH}
    figures: dict[str, float] = json.loads(output)
    return figures


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=CHOICES)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--asked-before", type=int, default=0)
    options = parser.parse_args()
    if options.child:
        sys.stdout.write(json.dumps(ask(options.child, options.repeats, options.asked_before)))
        return
    rows = []
    for choice in CHOICES:
        alone = None
        for count in BUSY:
            with busy(count):
                found = measured(choice)
                first, third = (
                    min(measured(choice, repeats=0, asked_before=before)["early"] for _ in range(REPEATS))
                    for before in (0, len(OTHERS))
                )
            alone = alone or found["forty"]
            rows.append(
                {
                    "choice": choice,
                    "busy": count,
                    "seconds": found["forty"],
                    "ratio": found["forty"] / alone,
                    "first_to_third": first / third,
                }
            )
    if options.json:
        shown = {"processors": os.cpu_count(), "load": os.getloadavg()[0], "rows": rows}
        sys.stdout.write(json.dumps(shown, indent=2) + "\n")
        return
    table = Table(
        "threads",
        "busy beside",
        "40 questions, s",
        "against none busy",
        "a question as the first, against as the third",
    )
    for row in rows:
        numbers = (f"{row['seconds']:.2f}", f"{row['ratio']:.1f}", f"{row['first_to_third']:.1f}")
        table.add_row(str(row["choice"]), str(row["busy"]), *numbers)
    Console().print(table)


if __name__ == "__main__":
    main()
