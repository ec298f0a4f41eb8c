"""How a scorer does on graphs that no training read: ``python -m tests.bench.bench_small_graphs [FOLDER] [--json]``.

Eight small graphs with relation names of their own (`tests/bench/small_graphs`) are asked questions of one and two hops
that were written by hand, with topics given. ``FOLDER`` holds other weights than the bundled ones; ``--scorer`` names
another kind of scorer than the encoder. No recipe reads the graphs. The facts are drawn by chance, the same each time.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.intervals import interval
from reasoning.scorers.registry import open_scorer
from reasoning.training.path_reader.small_graphs import small_graph

if TYPE_CHECKING:
    from reasoning.scorers.base import Scorer

GRAPHS = Path(__file__).parent / "small_graphs"


def measure(scorer: Scorer) -> dict[str, dict[str, Any]]:
    """Hits@1 by graph and number of hops, and over all graphs."""
    hits: dict[str, list[float]] = {}
    settings = EvaluationSettings(topics="gold")
    for path in sorted(GRAPHS.glob("*.toml")):
        with small_graph(path) as (store, to_ask):
            for question in to_ask:
                hit = float(ask(question, store, scorer, settings).hit_first)
                for graph in (path.stem, "all"):
                    hits.setdefault(f"{graph}, {question.labels['hops']} hops", []).append(hit)
    return {
        name: {"questions": len(found), "hits_at_1": sum(found) / len(found), "interval": interval(found)}
        for name, found in sorted(hits.items())
    }


def main() -> None:
    """Ask, and print what was right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="weights, instead of the bundled ones")
    parser.add_argument("--scorer", default="encoder", help="the kind of scorer; encoder if not given")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    found = measure(open_scorer(options.scorer, options.folder))
    console = Console(width=None if options.json else 100)
    if options.json:
        console.print_json(json.dumps(found))
        return
    table = Table("graph", "questions", "Hits@1", "95 % interval", header_style="dim")
    for name, row in found.items():
        low, high = row["interval"]
        table.add_row(name, str(row["questions"]), f"{row['hits_at_1']:.3f}", f"{low:.3f} to {high:.3f}")
    console.print(table)


if __name__ == "__main__":
    main()
