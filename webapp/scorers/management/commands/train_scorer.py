"""Train the encoder scorer by a recipe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from reasoning.errors import ReasoningError
from reasoning.scorers.cards import BUNDLED_WEIGHTS
from reasoning.scorers.registry import trained_name
from reasoning.training.recipe import BUNDLED_RECIPE, read_recipe, recipe_names
from webapp import engine
from webapp.scorers.management.training_bar import TrainingBar
from webapp.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(TerminalCommand):
    """``manage.py train_scorer``."""

    help = (
        "Train the encoder scorer on the training questions of a recipe's data, and write weights and model card: the "
        "bundled ones, or with --name a scorer of your own, which can then be chosen by that name. A training that was "
        "broken off goes on where it was. See docs/scorer.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "--recipe",
            default=BUNDLED_RECIPE,
            help=f"what to learn from: {', '.join(recipe_names())}, or a TOML file ({BUNDLED_RECIPE})",
        )
        target = parser.add_mutually_exclusive_group()
        target.add_argument("--name", help="the name of the new scorer; without it the bundled one is built anew")
        target.add_argument("--out", type=Path, help="a folder for the weights, instead of a name")
        parser.add_argument("--data", type=Path, help="the folder of the data sets; DISCERN_DATA if not given")
        parser.add_argument("--epochs", type=int, help="how often to draw samples, instead of the recipe's number")
        parser.add_argument("--questions", type=int, help="so many questions of each source, instead of the recipe's")
        parser.add_argument("--seed", type=int, help="another start of the chance numbers")
        parser.add_argument("--json", action="store_true", help="print the model card as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Train, and say what came of it."""
        # torch takes seconds to import; only this command needs it.
        from reasoning.training.build import build_scorer  # noqa: PLC0415
        from reasoning.training.card import NAME, as_markdown  # noqa: PLC0415

        chosen = {key: options[key] for key in ("epochs", "seed") if options[key] is not None}
        name = options["name"]
        try:
            recipe = read_recipe(options["recipe"])
            recipe = replace(recipe, settings=replace(recipe.settings, **chosen))
            if options["questions"] is not None:
                sources = tuple(replace(source, questions=options["questions"]) for source in recipe.sources)
                recipe = replace(recipe, sources=sources)
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
        except ReasoningError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Run it again to go on from the last whole epoch.", returncode=130) from None
        if options["json"]:
            self.tell_json(card)
        else:
            self.tell(as_markdown(card))


def _command(options: dict[str, Any]) -> str:
    """What was typed, without the places of files on this machine."""
    kept = ("recipe", "name", "epochs", "questions", "seed")
    given = [f"--{key} {options[key]}" for key in kept if options[key] not in (None, BUNDLED_RECIPE)]
    return " ".join(["python manage.py train_scorer", *given])
