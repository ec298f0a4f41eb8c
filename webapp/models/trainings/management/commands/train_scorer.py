"""Train the encoder or the path reader by a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from reasoning.scorers.registry import KINDS, trained_name
from reasoning.training.path_reader.recipe import path_reader_recipe_names, read_path_reader_recipe
from reasoning.training.recipe.recipe import BUNDLED_RECIPE, read_recipe, recipe_names
from webapp import engine
from webapp.models.trainings.management.training_bar import TrainingBar
from webapp.models.trainings.management.training_command import TrainingCommand, as_chosen, typed

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    _Tools: TypeAlias = tuple[Callable[[str], Any], Callable[..., dict[str, Any]], str, Callable[[dict[str, Any]], str]]
    """What reads a recipe, builds the weights, their usual name, and what puts the card in words."""


class Command(TrainingCommand):
    """``manage.py train_scorer``."""

    help = (
        "Train the encoder, or the path reader, on the training questions of a recipe's data, and write weights and "
        "model card: the bundled ones, or with --name a new scorer, which can then be chosen by that name. A stopped "
        "training resumes. See docs/explanation/scorer.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--kind", choices=_BUILDS, default=_ENCODER, help=f"what is trained ({_ENCODER})")
        parser.add_argument(
            "--recipe",
            default=BUNDLED_RECIPE,
            help=(
                f"the recipe: {', '.join(recipe_names())}; of a path reader {', '.join(path_reader_recipe_names())}; "
                f"or a TOML file ({BUNDLED_RECIPE})"
            ),
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
        kind, name = options["kind"], options["name"]
        with self.in_words():
            folder = engine.scorers_folder() / trained_name(name) if name else options["out"] or KINDS[kind].bundled
            read, build, usual_name, as_text = _BUILDS[kind]()
            recipe = as_chosen(read(options["recipe"]), options)
            with TrainingBar() as bar:
                card = build(
                    folder,
                    recipe,
                    data=options["data"],
                    name=name or usual_name,
                    command=_command(options),
                    progress=bar.show,
                )
        self.print_card(card, as_text(card), as_json=options["json"])


def _encoder() -> _Tools:
    # torch takes seconds to import; only this command needs it.
    from reasoning.training.encoder.build import build_scorer  # noqa: PLC0415
    from reasoning.training.encoder.card import NAME, as_markdown  # noqa: PLC0415

    return read_recipe, build_scorer, NAME, as_markdown


def _path_reader() -> _Tools:
    from reasoning.training.path_reader.build import NAME, as_text, build_path_reader  # noqa: PLC0415 - as above

    return read_path_reader_recipe, build_path_reader, NAME, as_text


_ENCODER = "encoder"
_BUILDS = {_ENCODER: _encoder, "path-reader": _path_reader}
"""Their tools, by the kind of scorer."""


def _command(options: dict[str, Any]) -> str:
    """What was typed, without the places of files on this machine."""
    kept = ("kind", "recipe", "name", "epochs", "questions", "seed")
    return typed(
        "train_scorer", {key: options[key] for key in kept if options[key] not in (None, BUNDLED_RECIPE, _ENCODER)}
    )
