"""What was measured of data efficiency: of each a folder that `manage.py data_efficiency` leaves in the home folder."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from pydantic import ValidationError

from reasoning.training.simulation.journal import REPORT_FILE
from webapp.models.trainings.schemas import EfficiencyOut, EfficiencyPageOut

if TYPE_CHECKING:
    from collections.abc import Mapping

log = logging.getLogger(__name__)

SHOWN = 10


def efficiency_folder(run: Mapping[str, Any]) -> Path:
    """Where the site looks for what is measured in such a way: the same way has the same folder."""
    way = hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()
    return _folder() / f"{run['recipe']}-{way[:8]}"


def efficiency_page() -> EfficiencyPageOut:
    """What was measured, the last first."""
    found: list[EfficiencyOut] = []
    damaged: list[str] = []
    for path in sorted(_folder().glob(f"*/{REPORT_FILE}")):
        name = path.parent.name
        try:
            found.append(EfficiencyOut(**(json.loads(path.read_text(encoding="utf-8")) | {"name": name})))
        except (OSError, ValueError, TypeError, ValidationError) as error:
            log.warning("%s cannot be read: %s", path, error)
            damaged.append(name)
    found.sort(key=lambda each: each.finished_at, reverse=True)
    return EfficiencyPageOut(measured=found[:SHOWN], total=len(found), damaged=damaged)


def _folder() -> Path:
    return Path(settings.ENVIRONMENT.home) / "data-efficiency"
