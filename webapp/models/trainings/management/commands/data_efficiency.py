"""Measure how often each stage decides correctly against the share of the training data."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from django.utils import timezone
from rich.table import Table

from reasoning.core.errors import ReasoningError
from reasoning.evaluation.reporting.intervals import with_interval
from reasoning.training.recipe.recipe import read_recipe, recipe_names
from reasoning.training.simulation.curve import Point, curves_svg
from reasoning.training.simulation.efficiency import COLUMNS, accuracies, decisions_asked, shared
from reasoning.training.simulation.journal import Journal
from webapp.models.trainings.efficiency import efficiency_folder
from webapp.models.trainings.management.training_bar import TrainingBar
from webapp.platform.terminal.arguments import positive
from webapp.platform.terminal.command import Terminal, TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from reasoning.training.recipe.recipe import Recipe

CHART_FILE = "curves.svg"
_TESTED = 300


class Command(TerminalCommand):
    """``manage.py data_efficiency``."""

    help = (
        "Train by a recipe on shares of its questions, and print how often each stage (link, search, prune, "
        "answer) decides correctly on validation questions. No weights are saved. See "
        "docs/how-to/what-to-label-next.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--recipe", required=True, help=f"the recipe: {', '.join(recipe_names())}, or a TOML file")
        parser.add_argument("--shares", default="0.1,0.25,0.5,1", help="of the questions (%(default)s)")
        parser.add_argument("--data", type=Path, help="the folder of the data sets (default: DISCERN_DATA)")
        parser.add_argument("--epochs", type=positive, help="number of epochs, instead of the recipe's")
        parser.add_argument(
            "--questions", type=positive, help="number of questions per source, instead of the recipe's"
        )
        parser.add_argument(
            "--tested",
            type=positive,
            default=_TESTED,
            help="maximum number of decisions of each stage (default: %(default)s)",
        )
        parser.add_argument(
            "--out",
            type=Path,
            help="a folder for rows (JSON, CSV), report and chart; an earlier run there is resumed (default: a "
            "folder in the home folder, which the page Learning shows)",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Train and ask, and print what comes of it."""
        shares = _shares(options["shares"])
        try:
            recipe = read_recipe(options["recipe"])
            if options["epochs"] is not None:
                recipe = replace(recipe, settings=replace(recipe.settings, epochs=options["epochs"]))
            if options["questions"] is not None:
                sources = tuple(replace(source, questions=options["questions"]) for source in recipe.sources)
                recipe = replace(recipe, sources=sources)
            report = _measured(recipe, shares, options)
        except ReasoningError as error:
            raise CommandError(str(error)) from error
        except ValueError as error:
            raise CommandError(f"It cannot be trained: {error}. Take larger --shares, or another recipe.") from error
        except KeyboardInterrupt:
            message = "Stopped. What was found is kept; the same command resumes where it stopped."
            raise CommandError(message, returncode=130) from None
        if options["json"]:
            self.print_json(report)
        else:
            _print(report)


def _measured(recipe: Recipe, shares: list[float], options: dict[str, Any]) -> dict[str, Any]:
    # torch takes seconds to import; only commands that need it do so.
    from reasoning.training.encoder.build import started  # noqa: PLC0415
    from reasoning.training.encoder.train import Progress  # noqa: PLC0415
    from reasoning.training.lessons.sources import Sources, data_folder  # noqa: PLC0415
    from reasoning.training.simulation.trial import trial  # noqa: PLC0415

    sources = Sources(recipe, options["data"] or data_folder())
    recipe, start, _ = started(recipe)
    run = {
        "recipe": recipe.name,
        "title": recipe.title,
        "settings": asdict(recipe.settings),
        "questions": options["questions"],
        "tested": options["tested"],
        "data_sha256": sources.digests(),
    }
    journal = Journal(options["out"] or efficiency_folder(run), run)

    def reading(source: str, done: int, total: int) -> None:
        bar.show(Progress(f"reading {source}", 0, 0, done, total, None, 0.0))

    done = {row["share"] for row in journal.rows if row["stage"] == "all"}
    with TrainingBar() as bar:
        if missing := [share for share in shares if share not in done]:
            taught = list(sources.samples("train", reading))
            asked = decisions_asked(sources.samples("validation", reading), options["tested"])
        for share in missing:
            samples = list(shared(taught, share))
            of = {source.name: source.share for source in recipe.sources}
            trained = trial(
                samples, recipe.settings, recipe.shape, start=start, shares=of, biases=recipe.biases, progress=bar.show
            )
            questions = len({(sample.source, sample.group or sample.question_id) for sample in samples})
            with trained as scorer:
                found = accuracies(scorer, asked, bar.asking(f"a share of {share:g}"))
            # The row of all stages comes last, so that a share without it is measured again.
            for each in found:
                journal.add({"share": share, "questions": questions, "samples": len(samples), **each})
    finished_at = timezone.now().isoformat(timespec="seconds")
    report = run | {"shares": shares, "finished_at": finished_at, "figures": _whole(journal.rows)}
    journal.write(CHART_FILE, [_chart(report)])
    journal.finish(report, COLUMNS)
    return report


def _whole(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last row of each share and stage, by share."""
    found = {(row["share"], row["stage"]): row for row in rows}
    return sorted(found.values(), key=lambda row: float(row["share"]))


def _shares(text: str) -> list[float]:
    try:
        shares = sorted({float(each) for each in text.split(",")})
    except ValueError:
        shares = []
    if not shares or not 0 < shares[0] <= shares[-1] <= 1:
        raise CommandError("--shares are numbers above 0 and up to 1, with commas between them, such as 0.1,0.5,1.")
    return shares


def _chart(report: dict[str, Any]) -> str:
    curves: dict[str, list[Point]] = {}
    for row in report["figures"]:
        curves.setdefault(row["stage"], []).append(Point(row["share"], row["accuracy"], row["low"], row["high"]))
    title = f"Right decisions by stage against the share of the questions: {report['title']}"
    return curves_svg(title, "share of the training questions", list(curves.items()))


def _print(report: dict[str, Any]) -> None:
    table = Table(
        "share", "questions", "samples", "stage", "decisions", "right", title=report["title"], header_style="dim"
    )
    for row in report["figures"]:
        right = with_interval(row["accuracy"], (row["low"], row["high"]))
        table.add_row(
            f"{row['share']:g}", *(f"{row[key]:,}" for key in ("questions", "samples")), row["stage"],
            f"{row['decisions']:,}", right,
        )  # fmt: skip
    Terminal().print(table)
