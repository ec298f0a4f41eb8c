"""How fast the engine tells its decisions: ``python -m tests.bench.bench_engine [--before FOLDER] [--json]``.

READS answers questions of the bundled sample with the lexical scorer, which costs next to nothing, so that what the
engine itself takes is seen: events a second. ``--before`` names another checkout, such as an earlier version's (``git
worktree add FOLDER REVISION``): both are asked in turns, in processes of their own, and the ratio of medians is told.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

from rich.console import Console

from reasoning.datasets.sample_questions import SAMPLE_FOLDER

ROUNDS = 5
QUESTIONS = 300
_HERE = Path(__file__).parents[2]
_MEASURE = """
import json, sys, tempfile, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from kgstore.loading.sample import sample_graph
from kgstore.sqlite.library import SqliteLibrary
from reasoning.engine.engine import answer
from reasoning.scorers.lexical import LexicalScorer
lines = [line for path in sorted(Path(sys.argv[3]).glob("*.jsonl")) for line in path.read_text().splitlines()]
texts = [json.loads(line)["phrasings"][0] for line in lines][: int(sys.argv[2])]
with tempfile.TemporaryDirectory() as folder:
    library = SqliteLibrary(Path(folder))
    library.load(sample_graph())
    store, scorer = library.open("sample"), LexicalScorer()
    for _ in range(2):  # the first time warms the file's cache
        started = time.perf_counter()
        told = sum(1 for text in texts for _ in answer(text, store, scorer))
        seconds = time.perf_counter() - started
    print(told / seconds)
    library.close()
"""


def events_a_second(checkout: Path) -> float:
    """Of one checkout's engine, in a process of its own."""
    command = [sys.executable, "-c", _MEASURE, str(checkout), str(QUESTIONS), str(SAMPLE_FOLDER)]
    output = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True)
    return float(output.stdout)


def main() -> None:
    """Measure this checkout, and another in turns with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    now: list[float] = []
    before: list[float] = []
    for _ in range(ROUNDS):
        now.append(events_a_second(_HERE))
        if options.before is not None:
            before.append(events_a_second(options.before.resolve()))
    found = {"events_a_second": median(now)}
    if before:
        found |= {"before": median(before), "ratio": median(now) / median(before)}
    if options.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    console = Console()
    console.print(f"READS, lexical scorer, {QUESTIONS} questions: {found['events_a_second']:,.0f} events a second")
    if before:
        console.print(f"before: {found['before']:,.0f}; now {found['ratio']:.2f} times that")


if __name__ == "__main__":
    main()
