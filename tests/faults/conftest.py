"""Real sites that real faults befall. ``make faults`` runs many rounds, ``make test`` one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.faults.shifted_clock import set_clock
from tests.faults.tally import Tally, table
from tests.running_site import RunningSite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _pytest.terminal import TerminalReporter

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "1"))
SETTINGS = {
    "DISCERN_PACE_MS": "60",
    "DISCERN_WORKER_THREADS": "4",
    "DISCERN_VISITOR_RATE": "100000/minute",
    "DISCERN_DISK_RESERVE_MB": "4",
}
DISK_MB = 200
_tallies: dict[str, Tally] = {}


@pytest.fixture(scope="session", params=range(ROUNDS), ids=lambda number: f"round {number + 1}")
def fault_round(request: pytest.FixtureRequest) -> int:
    """The number of a round: everything goes wrong once before anything does so again."""
    return int(request.param)


@pytest.fixture(scope="session")
def disk() -> Iterator[tuple[Path, str]]:
    """A folder on a disk of its own, and nothing; where none can be mounted, any folder, and why."""
    folder = Path(tempfile.mkdtemp(prefix="discern-faults-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "none", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    yield folder, done.stderr.strip()
    if done.returncode == 0:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def clock_offset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that says by how many seconds the clock of the site's processes is wrong."""
    offset = tmp_path_factory.mktemp("clock") / "offset"
    set_clock(offset, 0)
    return offset


@pytest.fixture(scope="session")
def site(disk: tuple[Path, str], clock_offset: Path) -> Iterator[RunningSite]:
    """The site that all of it happens to: on a small disk, with a clock that can be set."""
    shifted = {"PYTHONPATH": str(Path(__file__).parent / "shifted_clock"), "CLOCK_OFFSET": str(clock_offset)}
    site = RunningSite(disk[0] / "home", **SETTINGS, **shifted)
    try:
        site.ready()
        yield site
    finally:
        if site.process.poll() is None:
            site.end(signal.SIGINT)
        else:
            site.process.communicate()


@pytest.fixture
def counted(request: pytest.FixtureRequest) -> Callable[[str, Tally], None]:
    """Adds a round to the count of its scenario."""

    def count(scenario: str, tally: Tally) -> None:
        _tallies.setdefault(scenario, Tally()).add(tally)

    return count


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print what was counted."""
    if _tallies:
        terminalreporter.write_sep("-", "faults")
        terminalreporter.write_line(table(_tallies))
