"""How far a training is, on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.platform.terminal.command import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import TaskID

    from reasoning.training.encoder.train import Progress as TrainingProgress


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
        """Show the progress that a training reports."""
        key = (progress.stage, progress.epoch)
        title = progress.stage.capitalize()
        if progress.epochs:
            title += f", epoch {progress.epoch} of {progress.epochs}"
        loss = "" if progress.loss is None else f", loss {progress.loss:.3f}"
        self._update(key, title + loss, progress.done, progress.total)

    def asking(self, name: str) -> Callable[[int, int], None]:
        """Takes up how many of a test's questions were asked, and of how many."""
        return lambda done, total: self._update((name, 0), f"Asking {name}", done, total)

    def _update(self, key: tuple[str, int], line: str, done: int, total: int) -> None:
        if key not in self._tasks:
            self._tasks[key] = self._progress.add_task(line, total=total)
        self._progress.update(self._tasks[key], description=line, completed=done, total=total)
