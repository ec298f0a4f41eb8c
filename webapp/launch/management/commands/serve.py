"""``manage.py serve``: start the whole site, watch over it, and end it as one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from webapp.launch.serving import GivenUpError, LaunchError, Site
from webapp.platform.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(TerminalCommand):
    """Start everything; Ctrl-C ends everything."""

    help = "Start the site: its Redis, a worker and the web server, each restarted if it exits. Ctrl-C stops them all."
    requires_system_checks = ()  # the site runs them itself, once everything is there

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address."""
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="the port to listen on; 0 takes a free one")

    def handle(self, *_: Any, host: str, port: int, **__: Any) -> None:
        """Run until asked to stop."""
        try:
            Site(host, port).run()
        except GivenUpError as error:
            self.print_note(f"Discern has ended, everything of it. {error}")
            sys.exit(1)
        except LaunchError as error:
            self.print_note(f"Discern cannot start: {error}")
            sys.exit(1)
