"""Real sites that real faults befall. ``make faults`` runs many rounds, ``make test`` one."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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
_tallies: dict[str, Tally] = {}


@pytest.fixture(scope="session", params=range(ROUNDS), ids=lambda number: f"round {number + 1}")
def fault_round(request: pytest.FixtureRequest) -> int:
    """The number of a round: everything goes wrong once before anything does so again."""
    return int(request.param)


@pytest.fixture(scope="session")
def started() -> Iterator[Callable[..., RunningSite]]:
    """Starts sites, and ends them after all tests."""
    sites: list[RunningSite] = []

    def start(home: Path | None = None, **more: str) -> RunningSite:
        folder = home or Path(tempfile.mkdtemp(prefix="discern-faults-"))
        sites.append(RunningSite(folder, **SETTINGS, **more))
        sites[-1].ready()
        return sites[-1]

    yield start
    for site in sites:
        if site.process.poll() is None:
            site.end(signal.SIGINT)
        else:
            site.process.communicate()
        shutil.rmtree(site.home, ignore_errors=True)


@pytest.fixture(scope="session")
def site(started: Callable[..., RunningSite]) -> RunningSite:
    """The site that most of it happens to."""
    return started()


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
