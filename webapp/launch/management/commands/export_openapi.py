"""``manage.py export_openapi``: write the API's schema for the frontend's types, or see that it is fresh."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from webapp.api import api
from webapp.environment import REPOSITORY

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

_FILE = REPOSITORY / "frontend" / "openapi.json"


class Command(BaseCommand):
    """Write ``frontend/openapi.json``."""

    help = "Write the API's schema to frontend/openapi.json."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        """Take ``--check``."""
        parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is stale")

    def handle(self, *_: Any, check: bool, **__: Any) -> None:
        """Write or compare."""
        fresh = json.dumps(api.get_openapi_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if not check:
            _FILE.parent.mkdir(exist_ok=True)
            _FILE.write_text(fresh, encoding="utf-8")
            self.stdout.write(f"Wrote {_FILE.relative_to(REPOSITORY)}.")
        elif not _FILE.exists() or _FILE.read_text(encoding="utf-8") != fresh:
            raise CommandError(
                f"{_FILE.relative_to(REPOSITORY)} is not what the API says. "
                "Run `manage.py export_openapi` and, in frontend, `npm run types`."
            )
