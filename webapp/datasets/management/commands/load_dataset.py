"""Load a file of questions as a dataset, with its questions as rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from django.db import InterfaceError, OperationalError

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS
from webapp.datasets.files import dataset_name
from webapp.datasets.models import Dataset
from webapp.datasets.selectors import dataset_out
from webapp.datasets.services import dataset_register
from webapp.datasets.transitions import STOPPED
from webapp.datasets.worker import DatasetBusyError, dataset_load
from webapp.platform.disk import NoRoomError
from webapp.platform.terminal.command import TerminalCommand, progress_bar
from webapp.platform.work.lease import ClaimLostError

if TYPE_CHECKING:
    from argparse import ArgumentParser

MALFORMED_SHOWN = 20


class Command(TerminalCommand):
    """``manage.py load_dataset FILE --format FORMAT``."""

    help = (
        "Load a file of questions, so that evaluations can choose it by name. The same file is loaded once; a changed "
        "one is the next version. Entries that are not questions are listed and skipped. A stopped load resumes "
        "when the command is run again. See docs/how-to/datasets.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("file", type=Path, help="the benchmark's file; for discern also a folder of .jsonl files")
        parser.add_argument("--format", required=True, help=f"its format: {', '.join(FORMATS)}")
        parser.add_argument("--name", help="the name of the dataset (default: the name of the file)")
        parser.add_argument("--again", action="store_true", help="load the file again as the next version")
        parser.add_argument("--json", action="store_true", help="print the dataset as one JSON document")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Load it, and say what came of it."""
        path: Path = options["file"]
        name = options["name"] or dataset_name(path)
        try:
            dataset, _ = dataset_register(
                path, name=name, format=options["format"], file=dataset_name(path), again=options["again"]
            )
            is_known = dataset.is_loaded
            with _Bar(dataset) as bar:
                dataset = dataset_load(dataset, path, stored=bar.show)
        except (DatasetError, DatasetBusyError, NoRoomError) as error:
            raise CommandError(str(error)) from error
        except ClaimLostError as error:
            raise CommandError("The load was stopped from elsewhere. What was stored is kept.") from error
        except (OperationalError, InterfaceError) as error:
            message = f"The database took no more ({error}). Load the file again: it resumes there."
            raise CommandError(message) from error
        except KeyboardInterrupt:
            raise CommandError(STOPPED, returncode=130) from None
        if options["json"]:
            document = dataset_out(dataset).model_dump(mode="json") | {"known": is_known}
            self.print_json(document)
            return
        self._print(dataset, is_known=is_known)

    def _print(self, dataset: Dataset, *, is_known: bool) -> None:
        known = "was loaded before" if is_known else "is loaded"
        self.print_text(
            f"“{dataset.name}”, version {dataset.version}, {known}: {dataset.questions_stored:,} questions "
            f"({dataset.train:,} for training, {dataset.validation:,} held out), "
            f"{dataset.identity_algorithm}:{dataset.identity}"
        )
        out = dataset_out(dataset)
        for problem in out.gold_problems:
            self.print_text(
                f"No gold derivation: {problem.questions:,} of {out.questions:,} questions: {problem.reason}"
            )
        if out.gold_warning:
            self.print_text("Warning: many gold queries could not be read. Check the file, then load it with --again.")
        for entry in dataset.malformed.order_by("position")[:MALFORMED_SHOWN]:
            self.print_text(f"Passed over: {entry.place}: {entry.detail}")
        if (more := dataset.malformed_found - MALFORMED_SHOWN) > 0:
            self.print_text(f"… and {more:,} more; the page Datasets lists them.")


class _Bar:
    """How many questions are stored, on standard error."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._progress = progress_bar()
        self._task = self._progress.add_task("Reading the file", total=None)

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self) -> None:
        """Tell what is stored now."""
        known = Dataset.objects.only("questions_stored", "malformed_found").get(pk=self._dataset.pk)
        text = f"{known.questions_stored:,} questions stored"
        malformed = f", {known.malformed_found:,} entries passed over" if known.malformed_found else ""
        self._progress.update(self._task, description=text + malformed)
