"""Where the benchmarks lie that trainings read."""

from __future__ import annotations

import os
from pathlib import Path

from webapp.datasets.files import datasets_folder


def training_data() -> Path:
    """The folder that recipes read: the one that ``DISCERN_DATA`` names, else that of the site's datasets."""
    named = os.environ.get("DISCERN_DATA")
    return Path(named) if named else datasets_folder()
