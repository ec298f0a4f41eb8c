"""Write the labels of a project as a file, in any format that labels are exported in."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from reasoning.exports.registry import EXPORT_FORMATS
from reasoning.exports.source import ExportTally, exported
from webapp.labelling.exports.labels import graph_fault, labels_of
from webapp.labelling.exports.naming import project_named
from webapp.labelling.exports.people import by_name, by_pseudonym
from webapp.labelling.exports.selections import SELECTIONS, LabelWants
from webapp.platform.http.errors import ProductError
from webapp.platform.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser

_STANDARD_OUTPUT = Path("-")


class Command(TerminalCommand):
    """``manage.py export_labels --project PROJECT --out FILE``."""

    help = (
        "Write the submitted labels of a project, by default in the format discern. Labels in that format that "
        "are derivations can be loaded with load_dataset and turned into samples with export_samples."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--project", required=True, help="the id of the project, or its title if it is unique")
        parser.add_argument("--out", type=Path, required=True, help="the file to write; - for standard output")
        parser.add_argument("--format", choices=list(EXPORT_FORMATS), default="discern", help="discern by default")
        parser.add_argument("--labels", choices=list(SELECTIONS), default="all", help="which labels")
        parser.add_argument("--pseudonyms", action="store_true", help="replace the names of people by pseudonyms")
        parser.add_argument(
            "--moves", action="store_true", help="include the log of actions; only in the format discern"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write them, and say how many there are, and how many were left out, and why."""
        project = project_named(options["project"])
        format_, tally = EXPORT_FORMATS[options["format"]], ExportTally()
        named = by_pseudonym(project) if options["pseudonyms"] else by_name
        wants = LabelWants(named, known=True, moves=options["moves"], agreement=format_.has_agreement)
        out: Path = options["out"]
        if out == _STANDARD_OUTPUT and "json" not in format_.media_type:
            raise CommandError(f"{format_.title} is not JSON, so it cannot go to standard output. Name a file.")
        try:
            with (
                nullcontext(self.json_lines())
                if out == _STANDARD_OUTPUT
                else out.open("w", encoding="utf-8", newline="")
            ) as file:
                for part in exported(labels_of(project, SELECTIONS[options["labels"]], wants, format_), format_, tally):
                    file.write(part)
        except ProductError as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
        self.print_note(f"Labels written: {tally.went_in:,}")
        for reason, count in tally.left_out.most_common():
            self.print_note(f"Left out, because they {reason}: {count:,}")
        if fault := graph_fault(project, format_):
            self.print_note(f"Without names and facts of the graph. {fault}")
