from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache, caches
from django.core.management.color import no_style
from django.db import connection
from django.test import Client, TransactionTestCase

from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.reading import GraphToLoad
from kgstore.neo4j.library import Neo4jLibrary
from kgstore.sqlite.loader import load_graph
from reasoning.scorers.cards import BUNDLED_WEIGHTS
from tests.running_site import migrated_database
from tests.webapp.labelled import signed_in
from webapp import engine
from webapp.accounts.models import Role, User
from webapp.accounts.viewer import Viewer
from webapp.datasets.files import SAMPLE, dataset_path
from webapp.datasets.models import Dataset, Question
from webapp.datasets.services import dataset_register
from webapp.datasets.worker import dataset_load
from webapp.launch.redis_server import start_redis
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from django.db.models import Model
    from pytest_django.fixtures import SettingsWrapper

TOY_GRAPH = REPOSITORY / "tests" / "reasoning" / "toy.tsv"
KITT = "who plays the voice of KITT in Knight Rider?"


def needs_sqlite(what: str) -> None:
    """Skip a test of a fault that is caused by what only SQLite has."""
    if connection.vendor != "sqlite":
        pytest.skip(f"the fault is caused with SQLite's {what}")


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Whether the database is there already: of SQLite, a copy is. PostgreSQL's is migrated for the tests."""
    is_there = connection.vendor == "sqlite"
    if is_there:
        shutil.copy(migrated_database(), connection.settings_dict["NAME"])
    return is_there


class OwnRedis:
    """The Redis of the tests, which may be stopped and started again."""

    def start(self) -> None:
        self._child = start_redis(
            settings.ENVIRONMENT.redis_socket, log=settings.ENVIRONMENT.home / "logs" / "redis.log"
        )

    def stop(self) -> None:
        self._child.ask_to_end()
        self._child.end(within=5)


@pytest.fixture(scope="session", autouse=True)
def redis() -> Iterator[OwnRedis]:
    """A Redis of the tests' own."""
    own = OwnRedis()
    own.start()
    yield own
    own.stop()


@pytest.fixture(scope="session", autouse=True)
def toy_graph(redis: OwnRedis) -> None:
    """The hand-drawn graph, under the name that the settings ask for."""
    target = settings.ENVIRONMENT.home / "graphs" / "toy.sqlite"
    load_graph(TripleReader(TOY_GRAPH), target, name="toy", title="Toy", source="drawn by hand")


@pytest.fixture(scope="module")
def sample_graph_loaded(toy_graph: None, sample_folder: Path) -> Iterator[None]:
    """The bundled sample, in addition to the hand-drawn graph."""
    shutil.copytree(sample_folder, settings.ENVIRONMENT.home / "graphs", dirs_exist_ok=True)
    yield
    engine.graph_library().remove("sample")


@pytest.fixture(autouse=True)
def graph_store(request: pytest.FixtureRequest, settings: SettingsWrapper) -> Iterator[None]:
    """Where the graphs lie: in files, or in Neo4j for tests that are parametrised so."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield
        return
    url = request.getfixturevalue("toy_in_neo4j")
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"graph_store_url": url})
    engine.graph_library.cache_clear()
    yield
    engine.graph_library().close()
    engine.graph_library.cache_clear()


@pytest.fixture(scope="module")
def toy_in_neo4j(neo4j_url: str) -> Iterator[str]:
    """A Neo4j with the toy graph, loaded once for the tests of a file, none of which changes it."""
    library = Neo4jLibrary(neo4j_url)
    try:
        library.load(GraphToLoad(TripleReader(TOY_GRAPH), "toy", "Toy", "drawn by hand"))
        yield neo4j_url
        library.remove("toy")
    finally:
        library.close()


@pytest.fixture(scope="session", autouse=True)
def tables_emptied_fast(django_db_setup: None) -> Iterator[None]:
    """Content types and permissions, which migrating made and no test changes, stay in the tables that are emptied.

    Django would create them again after every test, which takes twenty times as long as to empty all tables.
    """

    def empty(_: TransactionTestCase) -> None:
        tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False))
        kept = {ContentType._meta.db_table, Permission._meta.db_table}
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), sorted(tables - kept)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


@pytest.fixture(autouse=True)
def clean(transactional_db: None, redis: OwnRedis) -> None:
    """Empty tables and an empty Redis for every test."""
    cache.clear()
    caches["process"].clear()


@pytest.fixture
def sample_questions(clean: None) -> None:
    """The dataset of the bundled sample, with its 5,300 questions."""
    path = dataset_path(SAMPLE)
    load = lambda: dataset_load(dataset_register(path, name=SAMPLE, format="discern", file=SAMPLE)[0], path)  # noqa: E731
    made_once("sample", (Dataset, Question), load)


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password="a long password", first_name="Ada", role=Role.ASKER)


@pytest.fixture
def browser() -> Callable[[], Browser]:
    """Makes browsers: clients that keep cookies and send the token, as a page does."""
    return Browser


@pytest.fixture
def cleo(browser: Callable[[], Browser]) -> Browser:
    """The browser of an administrator."""
    return signed_in(browser, "cleo", Role.ADMIN)


@pytest.fixture
def admin_viewer() -> Viewer:
    """An administrator."""
    return Viewer(User.objects.create_user("cleo", password="a long password", role=Role.ADMIN), None, "192.0.2.2")


@pytest.fixture
def models_removed() -> Iterator[None]:
    """The folder of trained models is empty again afterwards."""
    yield
    shutil.rmtree(engine.scorers_folder(), ignore_errors=True)


@pytest.fixture
def rita(browser: Callable[[], Browser]) -> Browser:
    """A reviewer, who manages projects of labels."""
    return signed_in(browser, "rita", Role.REVIEWER)


@pytest.fixture
def ben(browser: Callable[[], Browser]) -> Browser:
    """An annotator."""
    return signed_in(browser, "ben")


@pytest.fixture
def mia(browser: Callable[[], Browser]) -> Browser:
    """Another annotator."""
    return signed_in(browser, "mia")


@pytest.fixture
def encoder_reloaded(settings: SettingsWrapper, tmp_path: Path) -> None:
    """The encoder as after a start. It keeps what it read, so what a run costs depends on those before it."""
    weights = tmp_path / "encoder"
    weights.symlink_to(BUNDLED_WEIGHTS)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"scorer": "encoder", "scorer_weights": weights})


class Browser:
    def __init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.token = self.get("/api/session")["csrf_token"]

    def get(self, path: str, status: int = 200) -> Any:
        response = self.client.get(path)
        assert response.status_code == status, response.content
        return response.json()

    def post(self, path: str, body: object = None, status: int = 200) -> Any:
        response = self.client.post(
            path, body or {}, content_type="application/json", headers={"X-CSRFToken": self.token}
        )
        assert response.status_code == status, response.content
        return response.json()

    def ask(self, question: str = KITT, **more: str) -> Any:
        return self.post("/api/runs", {"question": question, **more}, status=201)


class Worker:
    """A worker as a process of its own, as the site starts it."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.log = Path(settings.ENVIRONMENT.home) / "worker.log"
        self._before = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "webapp.celery", "worker", "--loglevel", "INFO", *arguments],
                cwd=REPOSITORY,
                env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.site_settings", **environment},
                stdout=output,
                stderr=output,
            )

    def log_text(self) -> str:
        """What stands in the log since this worker was started."""
        return self.log.read_bytes()[self._before :].decode()

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> float:
        """Ask it to stop; return how long that took."""
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(timeout=20)
        return time.monotonic() - began


@pytest.fixture
def worker() -> Iterator[Callable[..., Worker]]:
    """Starts workers, and ends those that are left. What they logged is shown where a test fails."""
    workers: list[Worker] = []

    def start(*arguments: str, **environment: str) -> Worker:
        workers.append(Worker(*arguments, **environment))
        return workers[-1]

    yield start
    for each in workers:
        if not each.has_ended():
            each.kill()
        sys.stdout.write(each.log_text())


def made_once(name: str, models: Sequence[type[Model]], make: Callable[[], object]) -> None:
    """Fill the tables of some models by ``make`` once a session; after that, with copies of the rows."""
    is_made = f"{name}_{models[0]._meta.db_table}" in connection.introspection.table_names()
    if not is_made:
        make()
    copy = "INSERT INTO {table} SELECT * FROM {kept}" if is_made else "CREATE TABLE {kept} AS SELECT * FROM {table}"
    with connection.cursor() as cursor:
        for table in (model._meta.db_table for model in models):
            cursor.execute(copy.format(table=table, kept=f"{name}_{table}"))


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> float:
    """Wait for something to become true; return how long it took."""
    began = time.monotonic()
    while not true():
        if time.monotonic() - began > seconds:
            pytest.fail(f"did not become true within {seconds} s")
        time.sleep(0.02)
    return time.monotonic() - began
