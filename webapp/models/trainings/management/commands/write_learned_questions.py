"""Write down which questions a scorer learned from, for weights of a training that did not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from reasoning.core.errors import ReasoningError
from reasoning.datasets.learned import LEARNED_FILE
from reasoning.scorers.cards import BUNDLED_WEIGHTS
from reasoning.scorers.registry import trained_name
from reasoning.training.recipe.recipe import BUNDLED_RECIPE, read_recipe, recipe_names
from webapp import engine
from webapp.models.trainings.management.training_bar import TrainingBar
from webapp.platform.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(TerminalCommand):
    """``manage.py write_learned_questions``."""

    help = (
        f"Write {LEARNED_FILE}, the hashes of the training questions of a recipe, next to the weights that were "
        "trained by it. Evaluations use it to report which questions were seen in training. Trainings write it "
        "themselves; this command is for older weights. Nothing is trained. See docs/how-to/datasets.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "--recipe",
            default=BUNDLED_RECIPE,
            help=f"the recipe of the weights: {', '.join(recipe_names())}, or a TOML file ({BUNDLED_RECIPE})",
        )
        parser.add_argument("--name", help="the name of the scorer (default: the bundled one)")
        parser.add_argument("--data", type=Path, help="the folder of the data sets (default: DISCERN_DATA)")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write the file, and say how many questions are in it."""
        # torch takes seconds to import; only this command needs it.
        from reasoning.training.encoder.build import add_learned_questions  # noqa: PLC0415

        name = options["name"]
        try:
            folder = engine.scorers_folder() / trained_name(name) if name else BUNDLED_WEIGHTS
            with TrainingBar() as bar:
                learned = add_learned_questions(
                    folder, read_recipe(options["recipe"]), data=options["data"], progress=bar.show
                )
        except ReasoningError as error:
            raise CommandError(str(error)) from error
        self.print_text(
            f"{folder / LEARNED_FILE}: {len(learned.identities):,} questions, {len(learned.texts):,} wordings."
        )
