# ruff: noqa: INP001 - Python finds it by its folder
"""Python imports this as it starts, in processes whose PYTHONPATH names this folder: their time of day can be set."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from django.utils import timezone

_OFFSET = Path(os.environ["CLOCK_OFFSET"])
_real_time = time.time


def shifted_time() -> float:
    """Seconds since 1970, and as many more as the file says."""
    return _real_time() + int(_OFFSET.read_text(encoding="utf-8"))


def shifted_now() -> datetime:
    """The same as Django reads it."""
    return datetime.fromtimestamp(shifted_time(), UTC)


time.time = shifted_time
timezone.now = shifted_now
