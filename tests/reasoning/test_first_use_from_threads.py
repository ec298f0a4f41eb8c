"""Parts that are initialised on first use are first used by many threads at once, in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

pytestmark = pytest.mark.slow


def test_many_threads_read_what_one_thread_reads() -> None:
    expected = _results(threads=1)
    assert "derivation" in expected["queries"][0]
    assert "William Daniels" in expected["answer"][0]
    for part, results in _results(threads=8).items():
        assert results == expected[part] * 8, part


def _results(*, threads: int) -> dict[str, list[str]]:
    """What each thread read, by part."""
    command = [sys.executable, "-m", "tests.reasoning.first_use", str(threads)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results: dict[str, list[str]] = json.loads(done.stdout)
    return results
