"""``manage.py check_worker``: whether a worker lives.

A solo pool at work does not answer Celery's own ping; the thread that reports it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from redis.exceptions import RedisError

from webapp.platform.terminal.command import TerminalCommand
from webapp.platform.work.heartbeat import GONE_SECONDS, worker_lives

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(TerminalCommand):
    """For health checks: the exit status is 0 where the worker lives."""

    help = "Check whether a worker has sent a heartbeat recently."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the worker's name."""
        parser.add_argument("worker", help="its name: celery@ and the host's name, unless it was started with another")

    def handle(self, *_: Any, worker: str, **__: Any) -> None:
        """Look."""
        try:
            lives = worker_lives(worker)
        except (RedisError, OSError) as error:
            raise CommandError(f"Redis does not answer ({error}).") from error
        if not lives:
            raise CommandError(f"{worker} was not heard of for {GONE_SECONDS} seconds.")
