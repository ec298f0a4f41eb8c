"""How right and how fast each strategy is: ``python -m tests.bench.bench_all_strategies --out FOLDER``.

Every strategy that needs no model that writes is asked the same questions of each dataset at hand, by ``manage.py
evaluate``: those kept for validation, drawn with one seed, with topics given. A stopped measurement goes on where it
was when the command is given again. ``strategies.json`` and ``strategies.csv`` in ``FOLDER`` have the figures, and
``strategies.svg`` is one chart, accuracy against seconds, with a panel for each dataset. Let nothing else run
meanwhile: the seconds are those of the machine as it is.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from reasoning.core.switches import DEFAULT_SWITCHES
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.strategies.registry import STRATEGIES, needs_writer
from reasoning.training.lessons.sources import data_folder
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PANEL_WIDTH, PANEL_HEIGHT, COLUMNS = 330, 240, 3
LEFT, RIGHT, TOP, BOTTOM = 46, 16, 26, 34
LETTER = 6
"""So wide at most is a letter of the legend on average, in pixels."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a4fbf", "#444444")


@dataclass(frozen=True, slots=True)
class AtHand:
    """A dataset in the folder of data, and the graph that it is asked of."""

    title: str
    format: str
    file: Path
    graph: str
    loads: tuple[str, ...] = ()
    """What ``manage.py load_graph`` is told where the graph is not there; nothing for the bundled sample."""


def at_hand(out: Path) -> list[AtHand]:
    """The bundled sample, whose files are joined into one, and of the folder of data what is there."""
    sample = out / "sample.jsonl"
    sample.write_text("".join(each.read_text("utf-8") for each in sorted(SAMPLE_FOLDER.glob("*.jsonl"))), "utf-8")
    known = [AtHand("Bundled sample", "discern", sample, "sample")]
    folder = data_folder()
    if folder is None:
        return known
    known += [
        AtHand(
            f"MetaQA, {hops} hop",
            "metaqa",
            folder / f"metaqa/{hops}-hop/dev.txt",
            "metaqa",
            (str(folder / "metaqa/kb.txt"),),
        )
        for hops in (1, 2, 3)
    ]
    known += [
        AtHand(
            f"PathQuestion, {hops} hop",
            "pathquestion",
            folder / f"pathquestion/PQ-{hops}H.txt",
            f"pathquestion-{hops}h",
            (str(folder / f"pathquestion/{hops}H-kb.txt"), "--format", "pathquestion"),
        )
        for hops in (2, 3)
    ]
    subset = (str(folder / "freebase_subset/triples.tsv"), "--names", str(folder / "freebase_subset/names.tsv"))
    known.append(AtHand("WebQSP", "webqsp", folder / "webqsp/WebQSP.train.json", "freebase-subset", subset))
    return [each for each in known if each.file.exists()]


@dataclass(frozen=True, slots=True)
class Measured:
    """One strategy on one dataset; Hits@1 and F1 of all questions, with the 95 % interval of the first."""

    dataset: str
    strategy: str
    questions: int
    hits_at_1: float
    low: float
    high: float
    macro_f1: float
    seconds: float
    """The mean of a question."""
    calls: float
    tokens_in: float


def manage(*arguments: str) -> None:
    """Run a command of ours; what it prints goes to a log of its own."""
    subprocess.run([sys.executable, str(REPOSITORY / "manage.py"), *arguments], check=True, stdout=subprocess.DEVNULL)


def graph_ensure(source: AtHand, home: Path) -> None:
    """Load the graph of a dataset where the site has none of its name."""
    if source.loads and not (home / "graphs" / f"{source.graph}.sqlite").exists():
        file, *more = source.loads
        manage("load_graph", file, "--name", source.graph, *more)


def measured(source: AtHand, strategy: str, options: argparse.Namespace) -> Measured:
    """Evaluate a strategy on a dataset, or read what was measured before."""
    folder: Path = options.out / source.title / strategy
    if not (folder / "report.json").exists():
        chosen = ("--scorer", options.scorer) if options.scorer else ()
        manage(
            *("evaluate", "--dataset", str(source.file), "--format", source.format, "--graph", source.graph),
            *("--split", "validation", "--limit", str(options.limit), "--strategy", strategy, *chosen),
            *("--out", str(folder)),
        )
    report = json.loads((folder / "report.json").read_text("utf-8"))
    first = next(each for each in report["headline"] if each["name"] == "hits_at_1")
    return Measured(
        source.title,
        strategy,
        report["questions"],
        first["value"],
        first["low"],
        first["high"],
        report["all"]["macro_f1"],
        report["seconds"]["mean"],
        report["cost"]["calls"],
        report["cost"]["tokens_in"],
    )


def chart(rows: Sequence[Measured]) -> str:
    """Hits@1 with its interval against seconds on a logarithmic scale, as an SVG with a panel for each dataset."""
    datasets = list(dict.fromkeys(row.dataset for row in rows))
    strategies = list(dict.fromkeys(row.strategy for row in rows))
    columns = min(COLUMNS, len(datasets))
    lines = math.ceil(len(datasets) / columns)
    width, height = columns * PANEL_WIDTH, lines * PANEL_HEIGHT + 40
    least = math.floor(math.log10(min(row.seconds for row in rows)))
    most = max(least + 1, math.ceil(math.log10(max(row.seconds for row in rows))))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        "<style>text { font-size: 11px }</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, dataset in enumerate(datasets):
        held = [row for row in rows if row.dataset == dataset]
        left, top = number % columns * PANEL_WIDTH, number // columns * PANEL_HEIGHT
        parts.append(f'<g transform="translate({left} {top})">')
        parts += _panel(held, strategies, (least, most))
        parts.append("</g>")
    titles = [STRATEGIES[strategy].title for strategy in strategies]
    # The width that the letters leave is shared, so that long titles reach no other's dot.
    gap = (width - LEFT - LETTER * sum(map(len, titles))) / max(len(titles), 1)
    x = float(LEFT)
    for number, title in enumerate(titles):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<circle cx="{x:.1f}" cy="{height - 16}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{x + 8:.1f}" y="{height - 12}">{escape(title)}</text>')
        x += LETTER * len(title) + gap
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(rows: Sequence[Measured], strategies: Sequence[str], decades: tuple[int, int]) -> Iterator[str]:
    """A dataset's points between its axes."""
    least, most = decades
    across, up = PANEL_WIDTH - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM

    def x_of(seconds: float) -> float:
        return LEFT + across * (math.log10(seconds) - least) / (most - least)

    def y_of(share: float) -> float:
        return TOP + up * (1 - share)

    questions = max(row.questions for row in rows)
    yield f'<text x="{LEFT}" y="16" font-weight="600">{escape(rows[0].dataset)}, {questions:,} questions</text>'
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = y_of(share)
        yield f'<path d="M{LEFT} {y:.1f}H{LEFT + across}" stroke="#e3e3e8"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#62656f">{share:.0%}</text>'
    for decade in range(least, most + 1):
        x = x_of(10.0**decade)
        yield f'<path d="M{x:.1f} {TOP}V{TOP + up}" stroke="#e3e3e8"/>'
        yield f'<text x="{x:.1f}" y="{TOP + up + 14}" text-anchor="middle" fill="#62656f">{10.0**decade:g} s</text>'
    for row in rows:
        colour = COLOURS[strategies.index(row.strategy) % len(COLOURS)]
        x = x_of(row.seconds)
        yield f'<path d="M{x:.1f} {y_of(row.low):.1f}V{y_of(row.high):.1f}" stroke="{colour}" stroke-width="1.5"/>'
        yield (
            f'<circle cx="{x:.1f}" cy="{y_of(row.hits_at_1):.1f}" r="4.5" fill="{colour}">'
            f"<title>{escape(STRATEGIES[row.strategy].title)}: {row.hits_at_1:.3f} ({row.low:.3f} to {row.high:.3f}), "
            f"{row.seconds:.3f} s</title></circle>"
        )


def main() -> None:
    """Measure, print a line for each, and write table and chart."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a folder for all that is measured; again to go on")
    parser.add_argument("--limit", type=int, default=1_000, help="maximum of questions of each dataset (1000)")
    parser.add_argument("--scorer", help="the model that decides; the site's own if not given")
    parser.add_argument("--strategy", action="append", choices=STRATEGIES, help="these alone")
    parser.add_argument("--dataset", action="append", help="of those whose title begins so alone: “MetaQA, 1”")
    options = parser.parse_args()
    home = Path(os.environ.get("DISCERN_HOME", REPOSITORY / "var"))
    chosen = options.strategy or [name for name in STRATEGIES if not needs_writer(name, DEFAULT_SWITCHES)]
    options.out.mkdir(parents=True, exist_ok=True)
    sources = [
        each for each in at_hand(options.out) if not options.dataset or each.title.startswith(tuple(options.dataset))
    ]
    tell = Console(highlight=False, soft_wrap=True).print
    rows: list[Measured] = []
    for source in sources:
        graph_ensure(source, home)
        for strategy in chosen:
            row = measured(source, strategy, options)
            rows.append(row)
            tell(
                f"{row.dataset}, {row.strategy}: Hits@1 {row.hits_at_1:.3f} ({row.low:.3f} to {row.high:.3f}), "
                f"F1 {row.macro_f1:.3f}, {row.seconds:.3f} s, {row.calls:.1f} calls, {row.questions:,} questions"
            )
            written(options.out, rows)


def written(folder: Path, rows: Sequence[Measured]) -> None:
    """What was measured so far, in all three files."""
    documents = [asdict(row) for row in rows]
    (folder / "strategies.json").write_text(json.dumps(documents, indent=2) + "\n", encoding="utf-8")
    (folder / "strategies.svg").write_text(chart(rows), encoding="utf-8")
    with (folder / "strategies.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=list(documents[0]))
        table.writeheader()
        table.writerows(documents)


if __name__ == "__main__":
    main()
