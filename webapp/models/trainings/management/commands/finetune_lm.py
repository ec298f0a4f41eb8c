"""Fine-tune a causal language model, so that it chooses well."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from reasoning.scorers.registry import trained_name
from reasoning.training.causal.errors import FineTuningError
from reasoning.training.causal.settings import LESSONS, NEW, NEW_TUNING, FineTuning
from reasoning.training.recipe.recipe import read_recipe, recipe_names
from webapp import engine
from webapp.models.trainings.management.training_bar import TrainingBar
from webapp.models.trainings.management.training_command import TrainingCommand, typed
from webapp.platform.terminal.arguments import positive

if TYPE_CHECKING:
    from argparse import ArgumentParser

_SETTINGS = ("epochs", "seed", "rank", "learning_rate", "row_tokens", "rows_a_step")


class Command(TrainingCommand):
    """``manage.py finetune_lm``."""

    help = (
        "Fine-tune a causal language model on the decisions of derivations, or to plan and answer as RoG does, and "
        "save it as a scorer that can be chosen by its name. Only a LoRA adapter of the model is trained; a new "
        "model is trained as a whole. A stopped training resumes. "
        "See docs/how-to/language-models.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument(
            "--base",
            required=True,
            help=f"a model's folder, its name on the Hugging Face hub, or “{NEW}” for a small untrained model",
        )
        parser.add_argument("--name", required=True, help="the name of the new scorer")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--samples", type=Path, help="the samples: JSON lines of export_samples")
        what.add_argument("--recipe", help=f"a recipe instead of samples: {', '.join(recipe_names())}, or a TOML file")
        parser.add_argument(
            "--lessons",
            nargs="+",
            choices=LESSONS,
            help="what is trained from a recipe: decisions (the default), plans (choosing among relation paths, as "
            "RoG does) or answers (naming answers from the facts along plans, as RoG does)",
        )
        parser.add_argument("--data", type=Path, help="the folder of the recipe's data (default: DISCERN_DATA)")
        parser.add_argument("--epochs", type=positive, help="number of passes over all samples")
        parser.add_argument("--seed", type=int, help="seed of the random numbers")
        parser.add_argument("--rank", type=positive, help="rank of the LoRA adapter")
        parser.add_argument("--learning-rate", type=float, help="the highest learning rate")
        parser.add_argument("--row-tokens", type=positive, help="tokens per batch row; fewer need less memory")
        parser.add_argument("--rows-a-step", type=positive, help="rows per optimizer step, over all GPUs")
        parser.add_argument("--json", action="store_true", help="print the model card as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Train, and say what came of it."""
        # torch takes seconds to import; only this command needs it.
        try:
            from reasoning.training.causal import build  # noqa: PLC0415
        except ImportError as error:
            raise CommandError(
                f"Fine-tuning needs torch, transformers and accelerate ({error}); install the extras “models” and "
                "“finetune”."
            ) from error
        with self.in_words(kept="checkpoint"):
            folder = engine.scorers_folder() / trained_name(options["name"])
            settings = _settings(options)
            wanted = tuple(dict.fromkeys(options["lessons"] or ("decisions",)))
            if options["recipe"]:
                recipe = read_recipe(options["recipe"])
                lessons = partial(build.from_recipe, recipe, options["data"], lessons=wanted)
            elif wanted != ("decisions",):
                raise CommandError("An export holds decisions alone; for plans and answers, name a recipe (--recipe).")
            else:
                lessons = partial(build.from_export, options["samples"])
            # Of several processes, one a GPU, the first speaks.
            with TrainingBar() if build.is_main() else nullcontext() as bar:
                show = bar.show if bar else lambda _: None
                card = build.finetune(
                    folder,
                    options["base"],
                    lessons(show),
                    settings,
                    name=options["name"],
                    command=_command(options),
                    progress=show,
                )
        if build.is_main():
            self.print_card(card, build.card_text(card), as_json=options["json"])


def _settings(options: dict[str, Any]) -> FineTuning:
    given = {key: options[key] for key in _SETTINGS if options[key] is not None}
    for key, value in given.items():
        if value <= 0 and key != "seed":
            raise FineTuningError(f"--{key.replace('_', '-')} should be above 0.")
    return replace(NEW_TUNING if options["base"] == NEW else FineTuning(), **given)


def _command(options: dict[str, Any]) -> str:
    """What was typed, without the places of files on this machine."""
    kept = ("base", "name", "samples", "recipe", "lessons", *_SETTINGS)
    given = {key: options[key] for key in kept if options[key] is not None}
    named = {
        key: Path(value).name if key in ("base", "samples") and Path(value).exists() else value
        for key, value in given.items()
    }
    return typed("finetune_lm", named)
