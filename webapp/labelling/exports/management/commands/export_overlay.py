"""Write the corrections of a dataset's labels that a project comes to, as a signed file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import CommandError

from webapp.evaluations.overlays.site_key import site_public_key
from webapp.labelling.exports.naming import project_named
from webapp.labelling.exports.overlays import overlay_written
from webapp.labelling.exports.people import by_name, by_pseudonym
from webapp.labelling.exports.selections import SELECTIONS
from webapp.platform.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(TerminalCommand):
    """``manage.py export_overlay --project PROJECT --out FILE``."""

    help = (
        "Write the corrections of a dataset that the labels of a project contain: gold answers that are wrong, "
        "incomplete or outdated, and questions that cannot be answered or must be reworded. The file is signed "
        "with the key of this site; evaluate --overlay "
        "reads it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """See ``--help``."""
        parser.add_argument("--project", required=True, help="the id of the project, or its title if it is unique")
        parser.add_argument("--out", type=Path, required=True, help="the file to write")
        parser.add_argument("--labels", choices=list(SELECTIONS), default="all", help="which labels")
        parser.add_argument("--pseudonyms", action="store_true", help="replace the names of people by pseudonyms")
        parser.add_argument("--signer", help="the name of the signer (default: the address of the site)")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write it, and say how many questions are corrected, and how many are disputed."""
        project = project_named(options["project"])
        named = by_pseudonym(project) if options["pseudonyms"] else by_name
        signer = options["signer"] or settings.ENVIRONMENT.site_url or "Discern"
        written, tally = overlay_written(project, SELECTIONS[options["labels"]], named, signer)
        out: Path = options["out"]
        try:
            out.write_text(written, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
        text = "; ".join(f"{kind.value}: {count:,}" for kind, count in sorted(tally.corrected.items()))
        self.print_note(f"Corrections written: {tally.corrected.total():,}{f' ({text})' if text else ''}")
        if tally.disputed:
            self.print_note(f"Left out, because annotators disagree: {tally.disputed:,}")
        self.print_note(f"Signed by {signer} with the key {site_public_key()}")
