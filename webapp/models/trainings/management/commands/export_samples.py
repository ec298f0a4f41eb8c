"""Write training samples as JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import RefusedQuestion
from reasoning.datasets.registry import FORMATS, read_dataset
from reasoning.training.lessons.export import write_samples
from reasoning.training.lessons.sources import Sources, data_folder, lessons
from reasoning.training.recipe.recipe import BUNDLED_RECIPE, read_recipe, recipe_names
from webapp import engine
from webapp.graphs.sample import graph_prepared
from webapp.platform.terminal.command import TerminalCommand, progress_bar

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator

    from rich.progress import TaskID

    from reasoning.datasets.question import Split
    from reasoning.training.lessons.samples import TrainingSample


class Command(TerminalCommand):
    """``manage.py export_samples``."""

    help = (
        "Write every decision of derivations as a training sample, one JSON object per line: the prompt, the "
        "pool and the right option. The derivations come from the sources of a recipe, or from one file over a "
        "graph of the site: a benchmark, or labels and accepted runs in the format discern."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("out", type=Path, help="the file to write; - for standard output")
        parser.add_argument(
            "--recipe",
            default=BUNDLED_RECIPE,
            help=f"the recipe whose sources are used: {', '.join(recipe_names())}, or a TOML file ({BUNDLED_RECIPE})",
        )
        parser.add_argument("--data", type=Path, help="the folder of the recipe's data (default: DISCERN_DATA)")
        parser.add_argument("--dataset", type=Path, help="a file of questions, instead of a recipe")
        parser.add_argument("--format", choices=list(FORMATS), default="discern", help="its format (discern)")
        parser.add_argument("--graph", help="the graph of the file (default: the site's)")
        parser.add_argument(
            "--split", choices=("train", "validation", "all"), default="train", help="the fixed split (train)"
        )
        parser.add_argument("--json", action="store_true", help="print the counts as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write the samples, and say how many of what there are."""
        to_screen = options["out"] == Path("-")
        try:
            with (
                nullcontext(self.json_lines()) if to_screen else options["out"].open("w", encoding="utf-8") as file,
                _Bar() as bar,
            ):
                left_out: Counter[str] = Counter()
                counts = write_samples(_samples(options, bar.show, left_out), file)
                counts.update({f"questions left out: {reason}": count for reason, count in left_out.items()})
        except (ReasoningError, DatasetError, GraphStoreError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{options['out']} cannot be written: {error.strerror}.") from error
        if options["json"]:
            document = json.dumps(dict(sorted(counts.items())), indent=2)
            (self.stderr if to_screen else self.stdout).write(document)
            return
        for name, count in sorted(counts.items()):
            self.print_note(f"{count:>10,}  {name}")


def _samples(
    options: dict[str, Any], progress: Callable[[str, int, int], None], left_out: Counter[str]
) -> Iterator[TrainingSample]:
    sides: tuple[Split, ...] = ("train", "validation") if options["split"] == "all" else (options["split"],)
    if options["dataset"] is None:
        sources = Sources(read_recipe(options["recipe"]), options["data"] or data_folder())
        for side in sides:
            yield from sources.samples(side, progress)
            for counts in sources.counts.values():
                left_out.update(counts.problems)
        return
    store = graph_prepared(options["graph"] or engine.default_graph())
    questions = []
    for question in read_dataset(options["dataset"], options["format"]):
        if isinstance(question, RefusedQuestion):
            left_out[question.reason] += 1
        elif question.split in sides:
            questions.append(question)
    for number, question in enumerate(questions, start=1):
        yield from lessons(question, store, left_out)
        progress(options["dataset"].name, number, len(questions))


class _Bar:
    """Progress on standard error: one line a source."""

    def __init__(self) -> None:
        self._progress = progress_bar()
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, source: str, done: int, total: int) -> None:
        """Take up how far a source is."""
        if source not in self._tasks:
            self._tasks[source] = self._progress.add_task(source, total=total)
        self._progress.update(self._tasks[source], completed=done, total=total)
