"""How far a training is, on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.terminal.command import progress_bar

if TYPE_CHECKING:
    from rich.progress import TaskID

    from reasoning.training.train import Progress as TrainingProgress


class TrainingBar:
    """Progress on standard error: one line a stage and epoch."""

    def __init__(self) -> None:
        self._progress = progress_bar(transient=False)
        self._tasks: dict[tuple[str, int], TaskID] = {}

    def __enter__(self) -> TrainingBar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, progress: TrainingProgress) -> None:
        """Take up what training tells."""
        key = (progress.stage, progress.epoch)
        told = progress.stage.capitalize()
        if progress.epochs:
            told += f", epoch {progress.epoch} of {progress.epochs}"
        if key not in self._tasks:
            self._tasks[key] = self._progress.add_task(told, total=progress.total)
        loss = "" if progress.loss is None else f", loss {progress.loss:.3f}"
        self._progress.update(self._tasks[key], description=told + loss, completed=progress.done, total=progress.total)
