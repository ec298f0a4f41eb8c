"""What an explorer costs as K grows: ``python -m tests.bench.bench_explorer --weights FOLDER --recipe metaqa``.

Held-out questions of a recipe's sources are explored, each source by itself, with K from 40 to 400: processor time a
question once what is around it was read, the median and the share under 50 ms; edges kept; Hits@1; and the most memory
that the process took. Edges are read before, and every K is measured in a process of its own that begins with them.
``--plot FILE`` draws time and memory as an SVG; ``--json`` prints all as a document.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import multiprocessing
import resource
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import torch

from reasoning.scorers.encoder.frozen_texts import FrozenTexts
from reasoning.scorers.threads import compute_with
from reasoning.strategies.etd.weights import read_explorer, with_keep
from reasoning.training.etd.lessons import Classroom
from reasoning.training.etd.recipe import EXPLORER_RECIPES
from reasoning.training.etd.train import by_depth, explored, figures
from reasoning.training.lessons.sources import Sources, data_folder

if TYPE_CHECKING:
    from reasoning.strategies.etd.model import ExplorerModel

KEPT = (40, 100, 200, 400)
SOON = 0.05
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One K over the questions of a source."""

    source: str
    keep: int
    questions: int
    milliseconds: float
    """Of processor time, with one thread."""
    soon: float
    """The share of the questions that took less than `SOON`."""
    edges: float
    """Kept a question, in all layers together; the mean."""
    hits_at_1: float
    megabytes: float
    """The most that the process took, the graph and the encoder among it."""


def measured(model: ExplorerModel, room: Classroom, texts: FrozenTexts, keep: int) -> Measured:
    """Explore the held-out questions of a source with one K; what is around them was read before."""
    compute_with(1)
    model = with_keep(model, keep)
    seconds, edges = [], []
    for depth, lessons in by_depth(model, texts, room.held_out, 1):
        started = time.process_time()
        with torch.inference_mode():
            found = explored(model, room, texts, lessons, depth)
        seconds.append(time.process_time() - started)
        edges.append(sum(int(layer.kept.sum()) for layer in found.layers))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    hits = figures(model, room, texts, 1)["hits_at_1"]
    asked = max(len(seconds), 1)
    soon = sum(each < SOON for each in seconds) / asked
    return Measured(room.name, keep, len(seconds), median(seconds) * 1e3, soon, sum(edges) / asked, hits or 0.0, most)


def measured_apart(model: ExplorerModel, room: Classroom, texts: FrozenTexts, keep: int) -> Measured:
    """The same in a process of its own, which begins with what this one read."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=lambda: there.send(measured(model, room, texts, keep)), daemon=True
    )
    child.start()
    found: Measured = here.recv()
    child.join()
    return found


def plot(rows: list[Measured]) -> str:
    """Milliseconds and megabytes by K, as an SVG of two panels."""
    names = list(dict.fromkeys(row.source for row in rows))
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="260" font-family="sans-serif" font-size="11">',
        '<rect width="720" height="260" fill="#fff"/>',
    ]
    for panel, (title, value) in enumerate(
        (
            ("ms of processor time a question", {row: row.milliseconds for row in rows}),
            ("MB at most", {row: row.megabytes for row in rows}),
        )
    ):
        left, most = 50 + panel * 360, max(value.values()) * 1.1
        parts.append(f'<text x="{left}" y="16">{title}, by K (0 to {most:.0f})</text>')
        parts.append(f'<path d="M{left} 30V220H{left + 280}" fill="none" stroke="#888"/>')
        for number, name in enumerate(names):
            colour = ("#1b6", "#16b", "#b61", "#91b")[number % 4]
            points = [
                (left + 280 * row.keep / KEPT[-1], 220 - 190 * value[row] / most) for row in rows if row.source == name
            ]
            line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts.append(f'<text x="{left + 90 * number}" y="250" fill="{colour}">{name}</text>')
        parts += [f'<text x="{left + 280 * keep / KEPT[-1] - 8:.0f}" y="234">{keep}</text>' for keep in KEPT]
    return "".join([*parts, "</svg>"])


def as_line(row: Measured) -> str:
    """What was measured, for people."""
    return (
        f"{row.source} K={row.keep}: {row.milliseconds:.1f} ms, {row.soon:.0%} under {SOON * 1e3:.0f} ms, "
        f"{row.edges:,.0f} edges, Hits@1 {row.hits_at_1:.3f}, {row.megabytes:.0f} MB"
    )


def main() -> None:
    """Measure, and print a table or a document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="a folder that train_strategy wrote")
    parser.add_argument("--recipe", required=True, help="whose sources are asked")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    # Before the processes part, so that no thread of this one is missing in them.
    compute_with(1)
    rows: list[Measured] = []
    recipe = EXPLORER_RECIPES.read(options.recipe)
    sources, texts, model = Sources(recipe.data, data_folder()), FrozenTexts(), read_explorer(options.weights)[1]
    for source in recipe.data.sources:
        with sources.graph(source, ()) as store:
            room = Classroom(source, store, texts)
            room.fill(
                sources,
                source,
                held_out="question",
                tested=options.questions,
                progress=lambda *_: None,
                teach=False,
            )
            figures(with_keep(model, max(KEPT)), room, texts, 1)
            # What was taken for that is given back, so that it does not count for any K.
            ctypes.CDLL(None).malloc_trim(0)
            for keep in KEPT:
                rows.append(measured_apart(model, room, texts, keep))
                if not options.json:
                    print(as_line(rows[-1]), flush=True)  # noqa: T201 - a bench prints
    if options.plot:
        options.plot.write_text(plot(rows), encoding="utf-8")
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))  # noqa: T201 - a bench prints


if __name__ == "__main__":
    main()
