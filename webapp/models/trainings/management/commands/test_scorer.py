"""Ask a scorer the tests of a recipe: questions over graphs that a training by it never sees."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.table import Table

from reasoning.core.errors import ReasoningError
from reasoning.evaluation.reporting.intervals import with_interval
from reasoning.training.recipe.recipe import read_recipe, recipe_names
from webapp import engine
from webapp.models.trainings.management.training_bar import TrainingBar
from webapp.platform.terminal.arguments import positive
from webapp.platform.terminal.command import Terminal, TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator

    from reasoning.training.recipe.recipe import Source

UNTRAINED = "nearest path, untrained"


class Command(TerminalCommand):
    """``manage.py test_scorer``."""

    help = (
        "Ask a scorer the test questions of a recipe, or the validation questions of its sources if it has none, "
        "and print the figures with 95 % intervals. Nothing is trained or written. See "
        "docs/how-to/evaluation.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "--recipe", required=True, help=f"the recipe with the tests: {', '.join(recipe_names())}, or a TOML file"
        )
        asked = parser.add_mutually_exclusive_group()
        asked.add_argument("--scorer", help="the scorer (default: the site's)")
        asked.add_argument(
            "--untrained",
            action="store_true",
            help="use no scorer, but the relation path that is most similar to the question; its length and topics "
            "are given",
        )
        parser.add_argument("--limit", type=positive, help="maximum number of questions of each test")
        parser.add_argument("--data", type=Path, help="the folder of the data sets (default: DISCERN_DATA)")
        parser.add_argument("--json", action="store_true", help="print the figures as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Ask, and print what comes of it."""
        # torch takes seconds to import; only commands that need it do so.
        from reasoning.training.encoder.validation import sources_to_ask  # noqa: PLC0415
        from reasoning.training.lessons.sources import Sources, data_folder  # noqa: PLC0415

        name = UNTRAINED if options["untrained"] else options["scorer"] or engine.default_scorer()
        try:
            recipe = read_recipe(options["recipe"])
            sources = Sources(recipe, options["data"] or data_folder())
            with (
                TrainingBar() as bar,
                _asking(None if options["untrained"] else name, sources, options["limit"]) as ask,
            ):
                found = {test.name: ask(test, bar.asking(test.name)) for test in sources_to_ask(recipe)}
        except ReasoningError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.print_json({"recipe": recipe.name, "scorer": name, "tests": found})
        else:
            _print(f"{recipe.title}. Asked: {name}", found)


@contextmanager
def _asking(
    scorer: str | None, sources: Any, limit: int | None
) -> Iterator[Callable[[Source, Callable[[int, int], None]], dict[str, Any]]]:
    """Runs a test and returns its figures."""
    from reasoning.training.encoder.validation import validate  # noqa: PLC0415

    if scorer is None:
        from reasoning.training.encoder.nearest_path import NearestPath  # noqa: PLC0415

        nearest = NearestPath()
        yield lambda test, report_progress: nearest.validate(test, sources, most=limit, progress=report_progress)
    else:
        with engine.scorer(scorer) as model:
            yield lambda test, report_progress: validate(test, sources, model, most=limit, progress=report_progress)[0]


def _print(title: str, found: dict[str, dict[str, Any]]) -> None:
    table = Table(
        "test", "topics", "questions", "Hits@1", "macro-F1", "perfect", "unanswered", title=title, header_style="dim"
    )
    for name, each in found.items():
        answered = each["answerable"]
        if not answered or not answered["questions"]:
            table.add_row(name, each["topics"], "0")
            continue
        table.add_row(
            name,
            each["topics"],
            str(answered["questions"]),
            *(with_interval(answered[key], each["intervals"][key]) for key in ("hits_at_1", "macro_f1")),
            "" if each["perfect_f1"] is None else f"{each['perfect_f1']:.3f}",
            f"{answered['turned_away']:.3f}" if "turned_away" in answered else "",
        )
    Terminal().print(table)
