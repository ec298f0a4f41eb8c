"""What only PostgreSQL refuses: the tests of it run again on a private PostgreSQL server."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = (
    # A row that is locked together with one that may be missing.
    "tests/webapp/test_review.py::test_what_was_reviewed_is_reported_before_an_evaluation_is_deleted",
    # Texts that hold a NUL.
    "tests/webapp/test_graph_load_services.py::test_a_line_that_holds_a_nul_is_passed_over_and_shown_with_the_symbol_for_it",
    "tests/webapp/test_graph_load_services.py::test_a_reason_that_quotes_a_nul_can_be_kept",
)


def programs() -> Path:
    """The folder of PostgreSQL's own programs."""
    found = shutil.which("initdb") or next(
        (str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None
    )
    if found is None:
        pytest.skip("PostgreSQL's initdb is not on this machine; install the package postgresql to run this")
    return Path(found).resolve().parent


@pytest.fixture
def postgresql_url() -> Iterator[str]:
    """A PostgreSQL server in a folder of its own. It refuses to run as root, so root starts it as another user."""
    binaries = programs()
    owner = None
    if os.geteuid() == 0:
        try:
            owner = pwd.getpwnam("postgres").pw_uid
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres to run it as")
    folder = Path(tempfile.mkdtemp(prefix="discern-postgresql-"))
    if owner is not None:
        os.chown(folder, owner, -1)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    data = str(folder / "data")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    control = [str(binaries / "pg_ctl"), "--pgdata", data, "--wait", "--silent"]
    initdb = [str(binaries / "initdb"), "--pgdata", data, "--auth", "trust", "--username", "discern"]
    subprocess.run([*initdb, "--encoding", "UTF8", "--no-sync"], check=True, capture_output=True, user=owner)
    start = [*control, "--options", options, "--log", str(folder / "log"), "start"]
    subprocess.run(start, check=True, user=owner)
    try:
        yield f"postgres://discern@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "--mode", "immediate", "stop"], check=True, user=owner)
        shutil.rmtree(folder)


@pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="all tests run on PostgreSQL already")
def test_what_postgresql_alone_refuses_is_accepted_there(postgresql_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *TESTS],
        cwd=REPOSITORY,
        env={**os.environ, "TEST_DATABASE_URL": postgresql_url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr[-5_000:]
    assert f"{len(TESTS)} passed" in done.stdout
