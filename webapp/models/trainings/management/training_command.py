"""What the commands that train share: their arguments, what ends them, and how they print the card."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from reasoning.core.errors import ReasoningError
from reasoning.training.recipe.recipe import Recipe
from webapp.platform.terminal.arguments import positive
from webapp.platform.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Mapping


class TrainingCommand(TerminalCommand):
    """A command that trains by a recipe."""

    def add_recipe_arguments(self, parser: ArgumentParser, *, epochs: str) -> None:
        """Take what replaces parts of a recipe; ``epochs`` says what their number is."""
        parser.add_argument("--data", type=Path, help="the folder of the data sets (default: DISCERN_DATA)")
        parser.add_argument("--epochs", type=positive, help=epochs)
        parser.add_argument(
            "--questions", type=positive, help="number of questions per source, instead of the recipe's"
        )
        parser.add_argument("--seed", type=int, help="seed of the random numbers")

    @contextmanager
    def in_words(self, *, kept: str = "whole epoch") -> Iterator[None]:
        """Report in words why a training ended; ``kept`` is what it resumes from."""
        try:
            yield
        except ReasoningError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. Run it again to resume from the last {kept}.", returncode=130) from None

    def print_card(self, card: dict[str, Any], text: str, *, as_json: bool) -> None:
        """Print a card as JSON or as text."""
        if as_json:
            self.print_json(card)
        else:
            self.print_text(text)


def as_chosen(recipe: Any, options: Mapping[str, Any], *settings: str) -> Any:
    """A recipe of any kind with the number of questions for each source, and the settings, that were given."""
    given = {key: options[key] for key in ("epochs", "seed", *settings) if options[key] is not None}
    recipe = replace(recipe, settings=replace(recipe.settings, **given))
    if options["questions"] is None:
        return recipe
    data: Recipe = recipe if isinstance(recipe, Recipe) else recipe.data
    data = replace(data, sources=tuple(replace(source, questions=options["questions"]) for source in data.sources))
    return data if isinstance(recipe, Recipe) else replace(recipe, data=data)


def typed(command: str, options: Mapping[str, Any]) -> str:
    """The given options as they were typed; an option with several values lists all."""
    given = (
        f"--{key.replace('_', '-')} {' '.join(value) if isinstance(value, list) else value}"
        for key, value in options.items()
    )
    return " ".join([f"python manage.py {command}", *given])
