"""``manage.py prepare``: make what the first question needs."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError

from kgstore.loading.errors import GraphLoadError
from webapp.accounts.demo import demo_accounts_ensure
from webapp.graphs.sample import sample_graph_ensure
from webapp.labelling.projects.sample_project import sample_project_ensure
from webapp.platform.terminal.command import TerminalCommand


class Command(TerminalCommand):
    """Migrate the database, load the sample graph where it is missing or stale, make what there is to try."""

    help = (
        "Migrate the database, load the bundled sample graph if it is missing or stale, and create the demo "
        "accounts and a sample annotation project."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        """Prepare, and say what was done."""
        call_command("migrate", verbosity=0, interactive=False)
        try:
            report = sample_graph_ensure()
        except GraphLoadError as error:
            raise CommandError(str(error)) from error
        if report is None:
            self.print_text("The sample graph is up to date.")
        else:
            self.print_text(f"Loaded the sample graph: {report.triples:,} triples in {report.seconds:.1f} s.")
        for account in demo_accounts_ensure():
            self.print_text(f"{account.role}: {account.username} / {account.password}")
        if (project := sample_project_ensure()) is not None:
            self.print_text(f"Made the annotation project “{project}” to try labelling with.")
