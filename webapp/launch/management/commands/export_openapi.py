"""``manage.py export_openapi``: write what the frontend takes from Python, or see that it is fresh.

That is the API's schema, from which the TypeScript types are generated, and the vocabulary of stages.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from reasoning.options import Stage
from webapp.api import api
from webapp.environment import REPOSITORY
from webapp.terminal.command import TerminalCommand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from django.core.management.base import CommandParser

_FRONTEND = REPOSITORY / "frontend"


def _schema() -> str:
    return json.dumps(api.get_openapi_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _stages() -> str:
    lines = "".join(f"  {{ name: '{stage}', label: '{stage.label}' }},\n" for stage in Stage)
    return (
        "/** The stages of a run, in their order. Generated from the engine by `manage.py export_openapi`. */\n"
        f"export const STAGES = [\n{lines}] as const;\n\n"
        "/** A stage, by the name that events and figures give it. */\n"
        "export type Stage = (typeof STAGES)[number]['name'];\n"
    )


_FILES: Mapping[Path, Callable[[], str]] = {
    _FRONTEND / "openapi.json": _schema,
    _FRONTEND / "src" / "api" / "stages.ts": _stages,
}


class Command(TerminalCommand):
    """Write ``frontend/openapi.json`` and ``frontend/src/api/stages.ts``."""

    help = "Write the API's schema and the stages to the frontend."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        """Take ``--check``."""
        parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is stale")

    def handle(self, *_: Any, check: bool, **__: Any) -> None:
        """Write or compare."""
        for file, generate in _FILES.items():
            fresh, name = generate(), file.relative_to(REPOSITORY)
            if not check:
                file.parent.mkdir(exist_ok=True)
                file.write_text(fresh, encoding="utf-8")
                self.tell(f"Wrote {name}.")
            elif not file.exists() or file.read_text(encoding="utf-8") != fresh:
                raise CommandError(
                    f"{name} is not what Python says. Run `manage.py export_openapi` and, in frontend, `npm run types`."
                )
