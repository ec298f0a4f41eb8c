"""Commands over a database without tables: the error says what to run first."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.conftest import REPOSITORY
from tests.running_site import environment

if TYPE_CHECKING:
    from pathlib import Path


LOAD = ["load_dataset", str(SAMPLE_FOLDER), "--format", "discern"]


@pytest.mark.parametrize("command", [LOAD, ["backfill_error_causes"]])
def test_a_command_before_prepare_says_what_to_run(tmp_path: Path, command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=REPOSITORY,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Run “manage.py prepare” first" in done.stderr
    assert "no such table" not in done.stderr
