"""Train a strategy's own weights by a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from reasoning.training.own_weights import OWN_WEIGHTS
from reasoning.training.recipe.weights_recipe import HeldOut
from webapp import engine
from webapp.models.trainings.management.training_bar import TrainingBar
from webapp.models.trainings.management.training_command import TrainingCommand, as_chosen, typed

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(TrainingCommand):
    """``manage.py train_strategy``."""

    help = (
        "Train the weights of a strategy that has its own, on the questions and answers of a recipe's data. "
        "This site then uses them instead of the bundled ones. A stopped training resumes. See "
        "docs/explanation/etd.md and docs/explanation/eperm.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("strategy", choices=OWN_WEIGHTS, help="the strategy")
        parser.add_argument("--recipe", required=True, help="the recipe: a name or a TOML file")
        parser.add_argument("--from", dest="resume_from", type=Path, help="a folder of weights to continue from")
        parser.add_argument("--out", type=Path, help="a folder for the weights, instead of this site's own")
        self.add_recipe_arguments(parser, epochs="number of epochs, instead of the recipe's")
        parser.add_argument(
            "--held-out", choices=get_args(HeldOut), help="the kind of held-out questions, instead of the recipe's"
        )
        parser.add_argument("--json", action="store_true", help="print the card as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Train, and say what came of it."""
        weights = OWN_WEIGHTS[options["strategy"]]
        with self.in_words():
            recipe = as_chosen(weights.recipes.read(options["recipe"]), options, "held_out")
            build, as_text = weights.tools()
            with TrainingBar() as bar:
                card = build(
                    options["out"] or engine.strategies_folder() / options["strategy"],
                    recipe,
                    data=options["data"],
                    resume_from=options["resume_from"],
                    command=_command(options),
                    progress=bar.show,
                )
        self.print_card(card, as_text(card), as_json=options["json"])


def _command(options: dict[str, Any]) -> str:
    """What was typed, without the places of files on this machine."""
    kept = ("recipe", "epochs", "questions", "seed", "held_out")
    return typed(
        f"train_strategy {options['strategy']}", {key: options[key] for key in kept if options[key] is not None}
    )
