"""What a continuation and a width cost: ``python -m tests.bench.bench_strategies [--json]``.

Questions of the bundled sample are asked with the bundled encoder. *Last one given* goes on with all decisions but the
last, which a user makes: the graph is read again, and the model is not asked. *Last one asked* asks it for the last,
whose share of the calls is the lower limit. Both are ratios against asking again in the same run. *Width n* is the time
and the calls of READS, several readings, as ratios against READS.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from kgstore.loading.sample import sample_graph
from kgstore.sqlite.library import SqliteLibrary
from reasoning import events
from reasoning.core.switches import EngineSwitches
from reasoning.engine.engine import answer, go_on
from reasoning.narration.replay import decisions_made, places_of
from reasoning.run.continuation import Continuation, Replace
from reasoning.scorers.encoder.scorer import EncoderScorer
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kgstore.store import GraphStore

QUESTIONS = 40
REPEATS = 3
WIDTHS = (2, 3, 5)


def seconds_of(run: Iterable[events.StageEvent]) -> tuple[float, list[events.StageEvent]]:
    """How long a run takes, and what it tells."""
    started = time.perf_counter()
    shown = list(run)
    return time.perf_counter() - started, shown


def continued(store: GraphStore, questions: Sequence[str]) -> tuple[float, float, float]:
    """Seconds of going on with the last decision given, and asked, over those of asking again; and its share of calls.

    Each is the median over questions.
    """
    given, asked, shares = [], [], []
    for question in questions:
        # A scorer remembers what it was asked a moment ago, so each run asks one of its own.
        anew, shown = seconds_of(answer(question, store, warm(store)))
        made = decisions_made(shown)
        last = made[-1]
        change = Replace(last.stage, last.number, last.choice)
        given.append(best(lambda: go_on(question, store, None, Continuation(tuple(shown), change))) / anew)  # noqa: B023
        cut = max(i for i, place in enumerate(places_of(shown)) if place is not None and place.made == last)
        scorer = warm(store)
        asked.append(seconds_of(go_on(question, store, scorer, Continuation(tuple(shown[:cut]))))[0] / anew)
        shares.append(
            1 / len([one for one in made if one.record is not None and one.record.cost and one.record.cost.calls])
        )
    return median(given), median(asked), median(shares)


def best(run: Callable[[], Iterable[events.StageEvent]]) -> float:
    """The least seconds of some repeats."""
    return min(seconds_of(run())[0] for _ in range(REPEATS))


def warm(store: GraphStore) -> EncoderScorer:
    """A scorer that has answered another question."""
    scorer = EncoderScorer.open()
    list(answer("what is the capital of Australia", store, scorer))
    return scorer


def widths(store: GraphStore, questions: Sequence[str]) -> dict[str, dict[str, float]]:
    """Seconds and model calls of each width, over those of READS."""
    found: dict[str, dict[str, float]] = {}
    usual = seconds = calls = 0.0
    for width in (1, *WIDTHS):
        scorer = EncoderScorer.open()
        seconds = calls = 0.0
        for question in questions:
            switches = EngineSwitches.of(width=width)
            took, shown = seconds_of(answer(question, store, scorer, strategy="beam", switches=switches))
            seconds += took
            last = shown[-1]
            calls += last.cost.calls if isinstance(last, events.Finished) else 0
        if width == 1:
            usual, asked = seconds, calls
        else:
            found[f"width {width}"] = {"seconds": seconds / usual, "calls": calls / asked}
    return found


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = parser.parse_args().json
    questions = [question.phrasings[0] for question in sample_questions()][: QUESTIONS * 5 : 5]
    with tempfile.TemporaryDirectory() as folder:
        library = SqliteLibrary(Path(folder))
        library.load(sample_graph())
        store = library.open("sample")
        given, asked, share = continued(store, questions[:10])
        figures = {"last one given": given, "last one asked": asked, "its share": share, **widths(store, questions)}
    if as_json:
        Console().print_json(json.dumps(figures))
        return
    table = Table("what", "seconds, of asking with READS", "model calls, of READS'")
    table.add_row("continued, last decision given", f"{given:.3f}", "0")
    table.add_row("continued, last decision asked", f"{asked:.3f}", f"{share:.2f}")
    for name, ratio in figures.items():
        if isinstance(ratio, dict):
            table.add_row(name, f"{ratio['seconds']:.2f}", f"{ratio['calls']:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
