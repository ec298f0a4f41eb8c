"""Write the labels of a project as a file of questions."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.core.management.base import CommandError

from webapp.annotation.labels import label_lines
from webapp.annotation.models import Project
from webapp.http.errors import ProductError
from webapp.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(TerminalCommand):
    """``manage.py export_labels --project PROJECT --out FILE``."""

    help = (
        "Write every label of a project that was handed in, one JSON object a line, in the format discern. Labels that "
        "are derivations can be loaded again with load_dataset, and be learned from with export_samples."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--project", required=True, help="its id, or its title where no other has the same")
        parser.add_argument("--out", type=Path, required=True, help="the file to write; - for standard output")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write them, and say how many there are."""
        project = _project(options["project"])
        out: Path = options["out"]
        written = 0
        try:
            with nullcontext(self.json_lines()) if out == Path("-") else out.open("w", encoding="utf-8") as file:
                for line in label_lines(project, known=True):
                    file.write(line)
                    written += 1
        except ProductError as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
        self.tell_aside(f"Labels written: {written:,}")


def _project(named: str) -> Project:
    try:
        found = Project.objects.filter(pk=UUID(named))
    except ValueError:
        found = Project.objects.filter(title=named)
    projects = list(found.select_related("dataset")[:2])
    if not projects:
        raise CommandError(f"There is no project “{named}”. Name its id or its title.")
    if len(projects) > 1:
        raise CommandError(f"Several projects are called “{named}”. Name the id of one.")
    return projects[0]
