"""The one way to a terminal, for every command: what is printed for people hides nothing, regardless of who wrote it.

What is printed for programs stays the same data: in JSON, what a terminal would hide is escaped.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.db.migrations.executor import MigrationExecutor
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from webapp.platform.terminal.shown import json_shown, lines_shown

if TYPE_CHECKING:
    from django.core.management.base import OutputWrapper
    from rich.progress import Task


SETTINGS_CHECKS = "settings"
"""The tag of system checks of what the settings name. Commands run no others: Django's own load the whole API."""


class Terminal(Console):
    """A console that marks what is hidden in every text, the cells of tables included. Rich's markup works as ever."""

    def render_str(self, text: str, **options: Any) -> Text:
        """See `rich.console.Console.render_str`."""
        return super().render_str(lines_shown(text), **options)


_NOT_PREPARED = (
    "The database lacks tables of this version of Discern. Run “manage.py prepare” first, or “make run”, which does so."
)


def _lacks_migrations() -> bool:
    """Whether the database can be read and lacks migrations."""
    try:
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError:
        return False


class TerminalCommand(BaseCommand):
    """A command; it prints with `print_text`, `print_note` and `print_json`, and tables by a `Terminal`."""

    requires_system_checks: tuple[str, ...] = (SETTINGS_CHECKS,)

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        """Do what was asked.

        Raises:
            CommandError: it cannot be done; nothing is hidden in why.

        """
        try:
            return super().execute(*arguments, **options)
        except (CommandError, OperationalError, ProgrammingError) as error:
            fault = error.__cause__ if isinstance(error, CommandError) else error
            if isinstance(fault, OperationalError | ProgrammingError) and _lacks_migrations():
                raise CommandError(_NOT_PREPARED) from fault
            error.args = tuple(lines_shown(str(found)) for found in error.args)
            raise

    def print_text(self, text: str) -> None:
        """Print some lines for people."""
        self.stdout.write(lines_shown(text))

    def print_note(self, text: str) -> None:
        """Print some lines for people on standard error."""
        self.stderr.write(lines_shown(text))

    def print_json(self, document: object, *, indent: int | None = 2) -> None:
        """Print a document for programs."""
        self.stdout.write(json_shown(json.dumps(document, indent=indent, ensure_ascii=False)))

    def json_lines(self) -> JsonLines:
        """Standard output for documents of a line each, already written as JSON."""
        return JsonLines(self.stdout)


class JsonLines:
    """Takes lines of JSON, and writes them at once."""

    def __init__(self, output: OutputWrapper) -> None:
        self._output = output

    def write(self, line: str) -> None:
        """Write a line, with its end or without."""
        self._output.write(json_shown(line))
        self._output.flush()


class _Described(TextColumn):
    def __init__(self) -> None:
        super().__init__("{task.description}", markup=False)

    def render(self, task: Task) -> Text:
        return Text(lines_shown(task.description), style=self.style, justify=self.justify)


def progress_bar(*, transient: bool = True) -> Progress:
    """A bar a task on standard error; ``transient``: it goes away at the end."""
    columns = (_Described(), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Terminal(stderr=True), transient=transient)
