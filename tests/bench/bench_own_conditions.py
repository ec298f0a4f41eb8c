"""How the sample's questions are answered that READS' seven operators do not say.

``python -m tests.bench.bench_own_conditions [FOLDER] [--json]``: the share of wordings that are answered by just what
they ask for, of places in an order (*the second largest*), numbers of things, kinds, and what held then. Topics are
given. Questions that are kept for validation stand apart from those that a training may read. ``FOLDER`` holds other
weights than the bundled ones.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from kgstore.loading.sample import SAMPLE_GRAPH, sample_graph
from kgstore.sqlite.library import SqliteLibrary
from reasoning.core.derivation import Operator
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.evaluation.reporting.intervals import interval
from reasoning.question.counting import terms_shown
from reasoning.run.run import TERSE
from reasoning.scorers.encoder.scorer import EncoderScorer
from tests.sample import sample_questions

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.core.derivation import Derivation
    from reasoning.scorers.base import Scorer


def what_it_says(derivation: Derivation) -> str:
    """What of a question READS' operators do not say; empty where they say it all."""
    if derivation.counted:
        return "how many"
    operators = {constraint.operator for constraint in derivation.constraints}
    if Operator.KIND in operators:
        return "of a kind"
    if Operator.HOLDS in operators:
        return "held then"
    return "a place in an order" if any(c.place > 1 for c in derivation.constraints if c.operator.is_extremal) else ""


def measure(scorer: Scorer, store: GraphStore) -> dict[str, dict[str, Any]]:
    """The share of wordings that are answered as they should be, by what they say and by side of the split."""
    right: defaultdict[str, list[float]] = defaultdict(list)
    for question in sample_questions():
        says = "" if question.derivation is None else what_it_says(question.derivation)
        side = "validation" if question.is_validation else "training"
        for wording in question.phrasings if says else ():
            trace = Trace()
            list(answer(wording, store, scorer, topic=question.topic, trace=trace, limits=TERSE))
            found = frozenset(terms_shown(trace.answers, counted=trace.counted))
            right[f"{says}, {side}"].append(float(found == question.answers))
    return {
        name: {"wordings": len(found), "right": sum(found) / len(found), "interval": interval(found)}
        for name, found in sorted(right.items())
    }


def main() -> None:
    """Ask, and print what was right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="weights, instead of the bundled ones")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        library = SqliteLibrary(Path(scratch) / "graphs")
        library.load(sample_graph())
        found = measure(EncoderScorer.open(options.folder), library.open(SAMPLE_GRAPH))
        library.close()
    console = Console(width=None if options.json else 100)
    if options.json:
        console.print_json(json.dumps(found))
        return
    table = Table("says", "wordings", "right", "95 % interval", header_style="dim")
    for name, shown in found.items():
        low, high = shown["interval"]
        table.add_row(name, str(shown["wordings"]), f"{shown['right']:.3f}", f"{low:.3f} to {high:.3f}")
    console.print(table)


if __name__ == "__main__":
    main()
