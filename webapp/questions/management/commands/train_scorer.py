"""Train the encoder scorer on the bundled sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn

from reasoning.errors import ReasoningError

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from reasoning.training.train import Progress as TrainingProgress

_STAGES = {
    "reading": "Reading texts",
    "training": "Training",
    "testing": "Testing itself",
    "validating": "Answering validation questions",
}


class Command(BaseCommand):
    """``manage.py train_scorer``."""

    help = (
        "Train the encoder scorer on the bundled sample's training questions, and write weights and model card. "
        "A training that was broken off goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--out", type=Path, help="a folder for the weights; the bundled ones if not given")
        parser.add_argument("--epochs", type=int, help="how often to go through the samples")
        parser.add_argument("--seed", type=int, help="another start of the chance numbers")
        parser.add_argument("--json", action="store_true", help="print the model card as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Train, and say what came of it."""
        # torch takes seconds to import; only this command needs it.
        from reasoning.scorers.encoder import BUNDLED_WEIGHTS  # noqa: PLC0415
        from reasoning.training.build import build_scorer  # noqa: PLC0415
        from reasoning.training.card import as_markdown  # noqa: PLC0415
        from reasoning.training.train import TrainingSettings  # noqa: PLC0415

        chosen = {key: options[key] for key in ("epochs", "seed") if options[key] is not None}
        folder = options["out"] or BUNDLED_WEIGHTS
        try:
            with _Bar() as bar:
                card = build_scorer(folder, TrainingSettings(**chosen), progress=bar.show)
        except ReasoningError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Run it again to go on from the last whole epoch.", returncode=130) from None
        if options["json"]:
            self.stdout.write(json.dumps(card, indent=2, ensure_ascii=False))
        else:
            self.stdout.write(as_markdown(card))


class _Bar:
    """Progress on standard error: one line a stage and epoch."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True))
        self._tasks: dict[tuple[str, int], TaskID] = {}

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, progress: TrainingProgress) -> None:
        """Take up what training tells."""
        key = (progress.stage, progress.epoch)
        told = _STAGES[progress.stage]
        if progress.epochs:
            told += f", epoch {progress.epoch} of {progress.epochs}"
        if key not in self._tasks:
            self._tasks[key] = self._progress.add_task(told, total=progress.total)
        loss = "" if progress.loss is None else f", loss {progress.loss:.3f}"
        self._progress.update(self._tasks[key], description=told + loss, completed=progress.done, total=progress.total)
