"""Measure what a scorer's None costs and recognises, on questions with an answer and the same ones without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from rich.table import Table

from reasoning.core.errors import ReasoningError
from reasoning.scorers.encoder.architecture import Biases
from reasoning.training.recipe.recipe import read_recipe, recipe_names
from webapp import engine
from webapp.models.trainings.management.training_bar import TrainingBar
from webapp.platform.terminal.arguments import positive
from webapp.platform.terminal.command import Terminal, TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser

ALL = "all of them"
BIASES = (0.0, -0.75, -1.5, -3.0, -5.0)


class Command(TerminalCommand):
    """``manage.py measure_abstention``."""

    help = (
        "Ask a scorer the test questions of a recipe (or the validation questions of its sources), each over "
        "its graph and over the same graph without a relation that it needs. Print how many end in abstention on "
        "either graph, at several biases of None before the first step. Nothing is written. See "
        "docs/explanation/scorer.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "--recipe", required=True, help=f"the recipe with the tests: {', '.join(recipe_names())}, or a TOML file"
        )
        parser.add_argument("--scorer", help="the scorer (default: the site's)")
        parser.add_argument(
            "--taken-out",
            choices=("first", "last"),
            default="first",
            help="which relation of the gold path is removed (first)",
        )
        parser.add_argument("--limit", type=positive, help="maximum number of questions of each test")
        parser.add_argument("--data", type=Path, help="the folder of the data sets (default: DISCERN_DATA)")
        parser.add_argument("--json", action="store_true", help="print the figures as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Ask, and print what comes of it."""
        # torch takes seconds to import; only commands that need it do so.
        from reasoning.training.encoder.unanswerable import Pair, pairs, trade  # noqa: PLC0415
        from reasoning.training.encoder.validation import sources_to_ask  # noqa: PLC0415
        from reasoning.training.lessons.sources import Sources, data_folder  # noqa: PLC0415

        name = options["scorer"] or engine.default_scorer()
        try:
            recipe = read_recipe(options["recipe"])
            sources = Sources(recipe, options["data"] or data_folder())
            bias = Biases.of_card(engine.scorer_card(name) or {}).first_none_bias
            found: dict[str, list[Pair]] = {}
            with TrainingBar() as bar, engine.scorer(name) as scorer:
                for test in sources_to_ask(recipe):
                    shown = bar.asking(test.name)
                    most, place = options["limit"], options["taken_out"]
                    found[test.name] = list(pairs(test, sources, scorer, place=place, most=most, progress=shown))
        except ReasoningError as error:
            raise CommandError(str(error)) from error
        if len(found) > 1:
            found[ALL] = [pair for each in found.values() for pair in each]
        figures = {test: trade(each, bias, BIASES) for test, each in found.items()}
        if options["json"]:
            self.print_json({"recipe": recipe.name, "scorer": name, "bias": bias, "tests": figures})
        else:
            _print(f"{recipe.title}. Asked: {name}, bias {bias:g}", figures)


def _print(title: str, figures: dict[str, dict[str, Any]]) -> None:
    columns = (*(f"bias {bias:g}" for bias in BIASES), "3 % unanswered", "80 % recognised")
    table = Table("test", "pairs", *columns, "by None, by confidence", title=title, header_style="dim")
    for name, each in figures.items():
        if each["pairs"]:
            cells = [_shown(step) for step in each["at"]]
            cells += [_shown(each[key], with_bias=True) for key in ("few_unanswered", "most_recognised")]
            apart = each["told_apart"]
            table.add_row(name, str(each["pairs"]), *cells, f"{apart['by_none']:.2f}, {apart['by_confidence']:.2f}")
    console = Terminal()
    console.print(table)
    console.print("Each cell: the share unanswered where there is an answer / recognised where there is none.")


def _shown(step: dict[str, float] | None, *, with_bias: bool = False) -> str:
    if step is None:
        return "none"
    text = f"{step['unanswered']:.3f} / {step['recognised']:.3f}"
    return f"{text} at {step['bias']:.1f}" if with_bias else text
