"""An error gives its cause and what to do, never a folder; the log has that for operators."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from kgstore.sqlite.loader import load_graph
from reasoning.scorers.cards import BUNDLED_WEIGHTS
from tests.webapp.conftest import KITT, needs_sqlite
from webapp import engine
from webapp.accounts.models import Role, User
from webapp.accounts.viewer import Viewer
from webapp.asking.runs.models import Question
from webapp.asking.runs.worker import run_execute
from webapp.evaluations.schemas import EvaluationIn, SwitchesIn
from webapp.evaluations.services import evaluation_create
from webapp.evaluations.working.worker import evaluation_work
from webapp.models.trainings.schemas import TrainingIn
from webapp.models.trainings.services import training_create
from webapp.models.trainings.worker import training_execute
from webapp.platform.environment import REPOSITORY
from webapp.platform.http.errors import ProductError
from webapp.platform.redaction import without_folders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser

SHOWN_TO_NO_ONE = (str(REPOSITORY), str(settings.ENVIRONMENT.home), "/tmp", "/usr", ".sqlite", sys.prefix)  # noqa: S108


def discreet(answer: Any) -> Any:
    """The answer, in which no place on the server stands."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    assert [place for place in SHOWN_TO_NO_ONE if place in text] == []
    return answer


@pytest.fixture
def graph_file(toy_graph: None) -> Iterator[Path]:
    """The file of the default graph, which is whole again after a test."""
    file: Path = settings.ENVIRONMENT.home / "graphs" / "toy.sqlite"
    kept = file.read_bytes()
    engine.graph_library.cache_clear()
    yield file
    if file.is_dir():
        file.rmdir()
    file.write_bytes(kept)
    engine.graph_library.cache_clear()


@pytest.fixture
def admin() -> Viewer:
    cleo = User.objects.create_user("cleo", password="x", role=Role.ADMIN, is_staff=True)
    return Viewer(cleo, None, "127.0.0.1")


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def another_version(file: Path) -> None:
    with closing(sqlite3.connect(file)) as graph:
        graph.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (lambda file: file.write_bytes(b"no database, only some text" * 900), "damaged"),
        (lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]), "damaged"),
        (a_folder, "damaged"),
        (another_version, "Another version"),
    ],
)
def test_a_broken_graph_is_reported_by_its_cause(
    browser: Callable[[], Browser],
    graph_file: Path,
    caplog: pytest.LogCaptureFixture,
    broken: Callable[[Path], None],
    words: str,
) -> None:
    visitor = browser()
    asked = visitor.ask()
    broken(graph_file)
    for reply in (
        visitor.get("/api/graphs/toy/entities?q=knight", status=404),
        visitor.post("/api/runs", {"question": KITT}, status=422),
    ):
        assert reply["code"] == "graph_unavailable"
        assert words in discreet(reply)["message"]
    parts = discreet(visitor.get("/readyz", status=503))["parts"]
    assert words in parts["graph"]["reason"]
    run_execute(UUID(asked["id"]))
    failed = discreet(visitor.get(f"/api/runs/{asked['id']}/events"))[-1]["event"]
    assert (failed["kind"], failed["code"]) == ("failed", "graph_unavailable")
    assert words in failed["message"]
    assert str(graph_file) in caplog.text


def test_a_damaged_graph_is_listed_with_its_reason_beside_the_others(
    browser: Callable[[], Browser], graph_file: Path, admin: Viewer
) -> None:
    other = graph_file.with_name("aside.sqlite")
    load_graph([("m.1", "film.film.genre", "m.2")], other, name="aside", title="Aside", source="drawn by hand")
    try:
        graph_file.write_bytes(b"no database, only some text" * 900)
        visitor = browser()
        reply = {graph["name"]: graph for graph in discreet(visitor.get("/api/graphs"))}
        damaged, whole = reply["toy"], reply["aside"]
        assert (damaged["name"], damaged["title"], damaged["is_default"]) == ("toy", "toy", True)
        assert damaged["fault"] == "The graph is damaged. Tell the administrator: it has to be loaded again."
        assert (whole["title"], whole["triples"], whole["fault"]) == ("Aside", 1, None)
        assert visitor.get("/api/graphs/aside/entities?q=m") == []
        operator = Client()
        operator.force_login(admin.user)
        fault = operator.get("/api/graphs").json()[0]["fault"]
        assert fault.startswith(f"{graph_file} is damaged. Load the graph again. SQLite says: ")
    finally:
        other.unlink()


def test_an_evaluation_and_a_training_tell_no_folder(admin: Viewer, browser: Callable[[], Browser]) -> None:
    folder = settings.ENVIRONMENT.home / "datasets"
    folder.mkdir()
    try:
        shutil.copy(REPOSITORY / "reasoning" / "datasets" / "sample" / "film.jsonl", folder / "films.jsonl")
        wanted = EvaluationIn(dataset="films.jsonl", graph="toy", limit=3, settings=SwitchesIn(topics="linked"))
        evaluation = evaluation_create(wanted=wanted, viewer=admin)
        (folder / "films.jsonl").write_bytes(b"no json\n" * 9)
        with pytest.raises(ProductError) as refused:
            evaluation_create(wanted=wanted, viewer=admin)
        assert refused.value.code == "wrong_format"
        discreet(refused.value.message)
        evaluation_work(evaluation.pk)
        reply = discreet(browser().get(f"/api/evaluations/{evaluation.pk}"))
        assert reply["status"] == "failed"
        assert "films.jsonl" in reply["reason"]
    finally:
        shutil.rmtree(folder)


def test_a_scorer_whose_weights_are_damaged_tells_no_folder(
    browser: Callable[[], Browser], caplog: pytest.LogCaptureFixture
) -> None:
    mine = engine.scorers_folder() / "mine"
    shutil.copytree(BUNDLED_WEIGHTS, mine)
    try:
        visitor = browser()
        asked = visitor.ask(scorer="mine")
        (mine / "scorer.safetensors").write_bytes(b"no weights")
        run_execute(UUID(asked["id"]))
        failed = discreet(visitor.get(f"/api/runs/{asked['id']}/events"))[-1]["event"]
        assert failed["code"] == "scorer_unavailable"
        assert "Choose another" in failed["message"]
        assert str(mine) in caplog.text
        (mine / "card.json").write_bytes(b"no card")
        assert "mine" in [scorer["name"] for scorer in discreet(visitor.get("/api/scorers"))]
    finally:
        shutil.rmtree(mine)


def test_a_training_whose_data_is_gone_tells_no_folder(
    admin: Viewer, browser: Callable[[], Browser], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    training = training_create(wanted=TrainingIn(name="mine", recipe="sample"), viewer=admin)
    engine.scorers_folder().mkdir(exist_ok=True)
    blocked = engine.scorers_folder() / "mine"
    blocked.write_text("a file stands where the scorer's folder would be")
    try:
        training_execute(training.pk)
        page = discreet(browser().get("/api/scorers/trainings"))
        assert page["trainings"][0]["status"] == "failed"
        assert page["trainings"][0]["reason"]
    finally:
        blocked.unlink()


def test_redis_and_the_database_are_reported_without_their_places(settings: SettingsWrapper) -> None:
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "unix:///tmp/none.sock"}
    }
    parts = discreet(Client().get("/readyz").json())["parts"]
    assert "Redis does not answer" in parts["redis"]["reason"]


@pytest.fixture
def quick_database() -> Iterator[None]:
    """A database that gives up at once if another process has locked it."""
    needs_sqlite("lock of the whole file, and its pragmas")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 20")
    yield
    connection.close()


def test_a_busy_database_says_when_to_try_again(browser: Callable[[], Browser], quick_database: None) -> None:
    visitor = browser()
    visitor.ask()
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        response = visitor.client.post(
            "/api/runs", {"question": KITT}, content_type="application/json", headers={"X-CSRFToken": visitor.token}
        )
        assert response.status_code == 503
        assert discreet(response.json())["code"] == "busy"
        assert response.json()["extra"]["wait_seconds"] == int(response.headers["Retry-After"]) > 0
        # A session of its own is kept around the routes.
        newcomer = Client(enforce_csrf_checks=True, raise_request_exception=False)
        token = newcomer.get("/api/session").json()["csrf_token"]
        refused = newcomer.post(
            "/api/runs", {"question": KITT}, content_type="application/json", headers={"X-CSRFToken": token}
        )
        assert (refused.status_code, refused.json()["code"]) == (503, "busy")
        assert visitor.get("/api/runs")[0]["question"] == KITT
    assert Question.objects.count() == 1
    visitor.ask()


@pytest.mark.parametrize(("pragma", "code"), [("max_page_count = 1", "disk_full"), ("query_only = ON", "read_only")])
def test_a_database_that_cannot_be_written_says_why_and_is_read(
    browser: Callable[[], Browser], quick_database: None, settings: SettingsWrapper, pragma: str, code: str
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"visitor_rate": "1000/minute"})
    visitor = browser()
    visitor.ask()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # no page is free that rows of other tests took
        cursor.execute(f"PRAGMA {pragma}")
    headers = {"X-CSRFToken": visitor.token}
    for _ in range(300):
        reply = visitor.client.post(
            "/api/runs", {"question": KITT.ljust(300, "?")}, content_type="application/json", headers=headers
        )
        if reply.status_code != 201:
            break
    assert (reply.status_code, discreet(reply.json())["code"]) == (503, code)
    assert visitor.get("/api/runs")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/srv/discern/datasets/mine.jsonl, line 3: expected JSON.", "mine.jsonl, line 3: expected JSON."),
        ("The weights in /home/ada/scorers/mine cannot be used", "The weights in mine cannot be used"),
        ("“/srv/a b/c.txt” is gone", "“c.txt” is gone"),
        ("~/graphs/x.sqlite and (/var/x.sqlite)", "x.sqlite and (x.sqlite)"),
        ("see https://example.org/a/b/c, 1/2 and w/o a path; either/or", None),
        ("metaqa/1-hop/dev.txt holds no question", None),
    ],
)
def test_files_are_called_by_their_names_alone(text: str, told: str | None) -> None:
    assert without_folders(text, "/srv/a b") == (told or text)
