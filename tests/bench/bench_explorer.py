"""What an explorer costs as K grows: ``python -m tests.bench.bench_explorer --weights FOLDER --recipe metaqa``.

Held-out questions of a recipe's sources are explored, each source by itself, with K from 40 to 400: seconds a question
once what is around it was read, the median; edges kept; Hits@1; and the most memory that the process took. Every K is
measured in a process of its own. ``--plot FILE`` draws time and memory as an SVG; ``--json`` prints all as a document.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import torch

from reasoning.scorers.threads import compute_with
from reasoning.strategies.etd.weights import Texts, read_explorer, with_keep
from reasoning.training.explorers.lessons import Classroom
from reasoning.training.explorers.recipe import read_explorer_recipe
from reasoning.training.explorers.train import explored, figures
from reasoning.training.sources import Sources, data_folder

KEPT = (40, 100, 200, 400)


@dataclass(frozen=True, slots=True)
class Measured:
    """One K over the questions of a source."""

    source: str
    keep: int
    questions: int
    milliseconds: float
    edges: float
    """Kept a question, in all layers together; the mean."""
    hits_at_1: float
    megabytes: float
    """The most that the process took, the graph and the encoder among it."""


def measured(weights: Path, recipe: str, source_name: str, keep: int, questions: int) -> Measured:
    """Explore questions of a source with one K, twice: what is around them is read by then."""
    compute_with(1)
    read = read_explorer_recipe(recipe)
    source = next(one for one in read.data.sources if one.name == source_name)
    sources, texts = Sources(read.data, data_folder()), Texts()
    model = with_keep(read_explorer(weights)[1], keep)
    with sources.graph(source, ()) as store:
        room = Classroom(source, store, texts)
        room.fill(sources, source, held_out="question", tested=questions, progress=lambda *_: None, teach=False)
        hits = figures(model, room, texts, 1)["hits_at_1"]
        seconds, edges = [], []
        for lesson in room.held_out:
            started = time.perf_counter()
            with torch.inference_mode():
                found = explored(model, room, texts, [lesson])
            seconds.append(time.perf_counter() - started)
            edges.append(sum(int(layer.kept.sum()) for layer in found.layers))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(
        source_name, keep, len(seconds), median(seconds) * 1e3, sum(edges) / max(len(edges), 1), hits or 0.0, most
    )


def plot(rows: list[Measured]) -> str:
    """Milliseconds and megabytes by K, as an SVG of two panels."""
    names = list(dict.fromkeys(row.source for row in rows))
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="260" font-family="sans-serif" font-size="11">'
    ]
    for panel, (title, value) in enumerate(
        (("ms a question", lambda row: row.milliseconds), ("MB at most", lambda row: row.megabytes))
    ):
        left, most = 50 + panel * 360, max(value(row) for row in rows) * 1.1
        parts.append(f'<text x="{left}" y="16">{title}, by K (0 to {most:.0f})</text>')
        parts.append(f'<path d="M{left} 30V220H{left + 280}" fill="none" stroke="#888"/>')
        for number, name in enumerate(names):
            colour = ("#1b6", "#16b", "#b61", "#91b")[number % 4]
            points = [
                (left + 280 * row.keep / KEPT[-1], 220 - 190 * value(row) / most) for row in rows if row.source == name
            ]
            line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts.append(f'<text x="{left + 90 * number}" y="250" fill="{colour}">{name}</text>')
        parts += [f'<text x="{left + 280 * keep / KEPT[-1] - 8:.0f}" y="234">{keep}</text>' for keep in KEPT]
    return "".join([*parts, "</svg>"])


def main() -> None:
    """Measure, and print a table or a document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="a folder that train_strategy wrote")
    parser.add_argument("--recipe", required=True, help="whose sources are asked")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: list[Measured] = []
    for source in read_explorer_recipe(options.recipe).data.sources:
        for keep in KEPT:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                task = (options.weights, options.recipe, source.name, keep, options.questions)
                rows.append(pool.apply(measured, task))
            row = rows[-1]
            if not options.json:
                print(  # noqa: T201 - a bench prints
                    f"{row.source} K={row.keep}: {row.milliseconds:.1f} ms, {row.edges:,.0f} edges, "
                    f"Hits@1 {row.hits_at_1:.3f}, {row.megabytes:.0f} MB",
                    flush=True,
                )
    if options.plot:
        options.plot.write_text(plot(rows), encoding="utf-8")
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))  # noqa: T201 - a bench prints


if __name__ == "__main__":
    main()
