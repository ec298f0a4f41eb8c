"""Train the encoder scorer by a recipe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasoning.scorers.cards import BUNDLED_WEIGHTS
from reasoning.scorers.registry import trained_name
from reasoning.training.recipe.recipe import BUNDLED_RECIPE, read_recipe, recipe_names
from webapp import engine
from webapp.models.trainings.management.training_bar import TrainingBar
from webapp.models.trainings.management.training_command import TrainingCommand, typed, with_questions

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(TrainingCommand):
    """``manage.py train_scorer``."""

    help = (
        "Train the encoder scorer on the training questions of a recipe's data, and write weights and model card: the "
        "bundled ones, or with --name a new scorer, which can then be chosen by that name. A stopped training "
        "resumes. See docs/explanation/scorer.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "--recipe",
            default=BUNDLED_RECIPE,
            help=f"the recipe: {', '.join(recipe_names())}, or a TOML file ({BUNDLED_RECIPE})",
        )
        target = parser.add_mutually_exclusive_group()
        target.add_argument(
            "--name", help="the name of the new scorer; by default, the bundled scorer is trained again"
        )
        target.add_argument("--out", type=Path, help="a folder for the weights, instead of a name")
        self.add_recipe_arguments(parser, epochs="number of epochs, instead of the recipe's")
        parser.add_argument("--json", action="store_true", help="print the model card as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Train, and say what came of it."""
        # torch takes seconds to import; only this command needs it.
        from reasoning.training.encoder.build import build_scorer  # noqa: PLC0415
        from reasoning.training.encoder.card import NAME, as_markdown  # noqa: PLC0415

        chosen = {key: options[key] for key in ("epochs", "seed") if options[key] is not None}
        name = options["name"]
        with self.in_words():
            recipe = with_questions(read_recipe(options["recipe"]), options["questions"])
            recipe = replace(recipe, settings=replace(recipe.settings, **chosen))
            folder = engine.scorers_folder() / trained_name(name) if name else options["out"] or BUNDLED_WEIGHTS
            with TrainingBar() as bar:
                card = build_scorer(
                    folder,
                    recipe,
                    data=options["data"],
                    name=name or NAME,
                    command=_command(options),
                    progress=bar.show,
                )
        self.tell_card(card, as_markdown(card), as_json=options["json"])


def _command(options: dict[str, Any]) -> str:
    """What was typed, without the places of files on this machine."""
    kept = ("recipe", "name", "epochs", "questions", "seed")
    return typed("train_scorer", {key: options[key] for key in kept if options[key] not in (None, BUNDLED_RECIPE)})
