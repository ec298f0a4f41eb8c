from __future__ import annotations

import os
import re
import signal
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
from hypothesis import settings
from xdist.scheduler.loadscope import LoadScopeScheduling

from kgstore.loading.formats.tsv import NameReader, TripleReader
from kgstore.loading.reading import GraphToLoad
from kgstore.loading.sample import sample_graph
from kgstore.neo4j.library import Neo4jLibrary
from kgstore.sqlite.library import SqliteLibrary
from tests.neo4j_server.server import Neo4jServer
from tests.vllm_server.server import VllmServer, install
from webapp.launch.setup import NO_NEO4J, NO_VLLM, has_vllm, neo4j_missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

    from kgstore.store import GraphStore

REPOSITORY = Path(__file__).resolve().parents[1]

# No test depends on how busy a machine is, or on what is drawn at random: the same code gets the same examples.
# `pytest --hypothesis-profile=exploring` draws others each time.
settings.register_profile("exploring", deadline=None)
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.load_profile("fixed")

# What a shell starts in its background ignores interrupts, and so would every process that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


SERVERS = {"neo4j": {"neo4j_url", "neo4j_library"}, "vllm": {"vllm"}}
"""Servers that many tests share, and the fixtures that start them."""
NOT_QUICK = {"real_data"}.union(*SERVERS.values())
"""Fixtures that start a server, or read data which lies outside the repository."""


GROUPS = {
    "pages of the first half": re.compile(r"tests/browser/test_([a-d]|etd|eperm|evaluations\.|evaluations_s)"),
    "pages of the real part of Freebase": re.compile(r"tests/browser/test_(labelling_real|real_subset)"),
    "pages of the second half": re.compile(r"tests/browser/"),
    "faults": re.compile(r"tests/faults/"),
    "neo4j": re.compile(r".*neo4j|tests/kgstore/test_real_data|tests/reasoning/test_compiling"),
    "vllm": re.compile(r".*vllm|tests/reasoning/test_chat_scorer"),
}
"""Tests that share a site or a server, the longest group first."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out slow tests, servers and real data")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("quick"):
        quick = {item: is_quick(item) for item in items}
        config.hook.pytest_deselected(items=[item for item in items if not quick[item]])
        items[:] = [item for item in items if quick[item]]
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: place_of(group_of(item.nodeid)))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return GroupScheduling(config, log)


def group_of(nodeid: str) -> str:
    """The tests that one process runs one after the other: a file, unless several share what takes long to start."""
    return next((group for group, pattern in GROUPS.items() if pattern.match(nodeid)), nodeid.split("::", 1)[0])


def place_of(group: str) -> int:
    """What takes longest is begun first."""
    return list(GROUPS).index(group) if group in GROUPS else len(GROUPS)


class GroupScheduling(LoadScopeScheduling):
    """Hands groups of tests to the processes of pytest-xdist."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def is_quick(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function):
        return True
    is_of_server = any(server in item.nodeid for server in SERVERS)
    return not (is_of_server or item.get_closest_marker("slow") or NOT_QUICK & set(item.fixturenames))


@pytest.fixture(scope="session")
def django_db_modify_db_settings_xdist_suffix() -> None:
    """Each process of pytest-xdist has a home folder of its own; its workers open the database that lies there."""


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The data sets that are not part of the repository."""
    folder = Path(os.environ.get("DISCERN_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data in {folder}; set DISCERN_DATA to where it is")
    return folder


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of graphs with the bundled sample, loaded once."""
    folder = tmp_path_factory.mktemp("sample")
    with closing(SqliteLibrary(folder)) as library:
        library.load(sample_graph())
    return folder


@pytest.fixture(scope="session")
def sample(sample_folder: Path) -> Iterator[GraphStore]:
    """The bundled sample graph."""
    with closing(SqliteLibrary(sample_folder)) as library:
        yield library.open("sample")


@pytest.fixture(scope="session")
def freebase_folder(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of graphs with the real part of Freebase, loaded once."""
    folder, data = tmp_path_factory.mktemp("freebase"), real_data / "freebase_subset"
    triples, names = TripleReader(data / "triples.tsv"), NameReader(data / "names.tsv")
    graph = GraphToLoad(triples, "freebase", "Freebase subset", "triples.tsv", names=names)
    with closing(SqliteLibrary(folder)) as library:
        library.load(graph)
    return folder


@pytest.fixture(scope="session")
def freebase(freebase_folder: Path) -> Iterator[GraphStore]:
    """The real part of Freebase."""
    with closing(SqliteLibrary(freebase_folder)) as library:
        yield library.open("freebase")


@pytest.fixture(scope="session")
def neo4j_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Neo4j for all tests: the one that ``NEO4J_TEST_URL`` names, else one of their own."""
    if url := os.environ.get("NEO4J_TEST_URL"):
        yield url
        return
    if missing := neo4j_missing():
        pytest.skip(NO_NEO4J.format(missing=missing))
    server = Neo4jServer.install(tmp_path_factory.mktemp("neo4j") / "home", heap="512m", page_cache="64m")
    try:
        server.start()
        yield server.url
    finally:
        server.kill()


@dataclass(frozen=True)
class ServedModel:
    """A vLLM server, and the folder of the model that it serves."""

    url: str
    folder: Path


@pytest.fixture(scope="session")
def vllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedModel]:
    """A vLLM for all tests: the one that ``VLLM_TEST_URL`` names, else one of their own."""
    if not has_vllm():
        pytest.skip(NO_VLLM)
    if url := os.environ.get("VLLM_TEST_URL"):
        yield ServedModel(url, Path(httpx2.get(f"{url}/v1/models").json()["data"][0]["root"]))
        return
    from tests.reasoning.language_models import served_model  # noqa: PLC0415 - torch, a second's work

    folder = tmp_path_factory.mktemp("vllm")
    model = served_model(folder / "model")
    server = VllmServer.start(install(), model, log=folder / "server.log")
    try:
        yield ServedModel(server.url, model)
    finally:
        server.stop()


@pytest.fixture
def neo4j_library(neo4j_url: str) -> Iterator[Neo4jLibrary]:
    """The graphs of that Neo4j; those that a test loads are gone after it."""
    library = Neo4jLibrary(neo4j_url)
    try:
        before = set(library.names())
        yield library
        if not library.connection.is_closed:
            for name in set(library.names()) - before:
                library.remove(name)
    finally:
        library.close()
