"""A site of an earlier version: its database is migrated, and everything in it still works."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import httpx2
import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from tests.running_site import RunningSite, home_folder, migrate
from tests.webapp.conftest import TOY_GRAPH, wait_until
from webapp.celery import app
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator

EARLIER = REPOSITORY / "tests" / "recorded" / "earlier_database.sql"


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    database = sqlite3.connect(path)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def restore(path: Path) -> None:
    database = sqlite3.connect(path)
    database.executescript(EARLIER.read_text(encoding="utf-8"))
    database.close()


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home folder of the earlier version: three runs, one of them still in the queue, an evaluation, a training."""
    folder = Path(tempfile.mkdtemp(prefix="discern-earlier-"))
    restore(folder / "db.sqlite3")
    load_graph(
        TripleReader(TOY_GRAPH), folder / "graphs" / "toy.sqlite", name="toy", title="Toy", source="drawn by hand"
    )
    yield folder
    shutil.rmtree(folder)


def schema(path: Path) -> set[tuple[object, ...]]:
    """Columns, references, constraints and indexes of a database, without the order of the columns."""
    found: set[tuple[object, ...]] = set(
        rows(path, "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    )
    for table, statement in rows(path, "SELECT name, sql FROM sqlite_master WHERE type = 'table'"):
        found |= {(table, *column[1:]) for column in rows(path, f'PRAGMA table_info("{table}")')}
        found |= {(table, *reference[2:]) for reference in rows(path, f'PRAGMA foreign_key_list("{table}")')}
        found |= {(table, constraint) for constraint in re.split(r", (?=CONSTRAINT)", statement[:-1])[1:]}
    return found


def test_an_earlier_database_becomes_that_of_a_new_site(tmp_path: Path) -> None:
    """The squashed migrations make the same tables as those that they replace."""
    restore(tmp_path / "db.sqlite3")
    migrate(tmp_path)
    new = home_folder("discern-new-")
    assert schema(tmp_path / "db.sqlite3") == schema(new / "db.sqlite3")
    shutil.rmtree(new)


def test_what_an_earlier_site_holds_is_read_and_worked_off(home: Path) -> None:
    logs = {
        UUID(run): [json.loads(event) for (event,) in rows(home / "db.sqlite3", query)]
        for (run,) in rows(home / "db.sqlite3", "SELECT id FROM questions_reasoningrun WHERE status = 'succeeded'")
        for query in [f"SELECT event FROM questions_runevent WHERE run_id = '{run}' ORDER BY seq"]  # noqa: S608 - ours
    }
    [(waiting,)] = rows(home / "db.sqlite3", "SELECT id FROM questions_reasoningrun WHERE status = 'queued'")
    [(evaluation,)] = rows(home / "db.sqlite3", "SELECT id FROM evaluations_evaluation")
    assert len(logs) == 2
    site = RunningSite(home)
    try:
        with httpx2.Client(base_url=site.ready()) as client:
            for run, log in logs.items():
                assert client.get(f"api/runs/{run}").json()["status"] == "succeeded"
                reply = client.get(f"api/runs/{run}/events").json()
                assert [(row["seq"], row["event"]) for row in reply] == list(enumerate(log, start=1))
            wait_until(lambda: client.get(f"api/runs/{UUID(waiting)}").json()["status"] == "succeeded")
            report = client.get(f"api/evaluations/{UUID(evaluation)}").json()
            assert (report["status"], report["done"]) == ("succeeded", 3)
            assert [each["name"] for each in client.get("api/scorers/trainings").json()["trainings"]] == ["small"]
    finally:
        site.end(signal.SIGTERM)


def test_messages_that_an_earlier_site_left_in_the_broker_find_their_tasks() -> None:
    app.loader.import_default_modules()
    assert {"questions.run_execute", "evaluations.work", "scorers.training_execute"} <= app.tasks.keys()
    assert {queue.name for queue in app.conf.task_queues} == {"cpu", "cpu.background", "gpu", "gpu.background"}
