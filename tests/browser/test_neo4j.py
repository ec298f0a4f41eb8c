"""The screen over graphs in Neo4j: answers, an outage, and the recovery."""

from __future__ import annotations

import json
import shutil
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from kgstore.loading.formats.rog import RogReader
from kgstore.loading.reading import GraphToLoad
from kgstore.neo4j.library import Neo4jLibrary
from tests.neo4j_server.server import Neo4jServer
from tests.running_site import RunningSite, home_folder
from tests.webapp.conftest import wait_until
from webapp.launch.setup import NO_NEO4J, neo4j_missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.browser

KITT = "who plays the voice of KITT in Knight Rider?"
JAMAICA = "what does jamaican people speak"
SLOWEST_MS = 90_000
"""For a first question: the worker reads its model meanwhile."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """A server that a test may kill; it goes on with what it held."""
    if missing := neo4j_missing(named_server_counts=False):
        pytest.skip(NO_NEO4J.format(missing=missing))
    server = Neo4jServer.install(tmp_path_factory.mktemp("neo4j") / "home", heap="512m", page_cache="64m")
    try:
        server.start()
        yield server
    finally:
        server.kill()


@contextmanager
def page_of_a_site(server: Neo4jServer, browser: Browser, graph: str) -> Iterator[tuple[str, Page]]:
    """The address of a site whose graphs lie in that server, and a visitor's page."""
    home = home_folder("discern-neo4j-")
    site = RunningSite(home, GRAPH_STORE_URL=server.url, DISCERN_GRAPH=graph, DISCERN_SCORER="encoder")
    try:
        address = site.ready().rstrip("/")
        context = browser.new_context(base_url=address, reduced_motion="reduce")
        expect.set_options(timeout=SLOWEST_MS)
        yield address, context.new_page()
        context.close()
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)


def ask(page: Page, question: str, *answers: str) -> None:
    page.goto("/")
    page.get_by_test_id("ask-input").fill(question, timeout=SLOWEST_MS)
    page.get_by_test_id("ask-input").press("Enter")
    page.wait_for_url("**/runs/*")
    for answer in answers:
        expect(page.get_by_test_id("answer")).to_contain_text(answer)


def readiness(address: str) -> tuple[int, dict[str, dict[str, object]]]:
    try:
        with urlopen(f"{address}/readyz") as response:  # noqa: S310 - our own site
            return response.status, json.load(response)["parts"]
    except HTTPError as error:
        return error.code, json.load(error)["parts"]


def test_a_question_is_answered_from_neo4j_and_an_outage_needs_no_restart(
    server: Neo4jServer, browser: Browser
) -> None:
    with page_of_a_site(server, browser, "sample") as (address, page):
        ask(page, KITT, "William Daniels")
        wait_until(lambda: readiness(address)[0] == 200)

        server.kill()
        page.goto("/")
        expect(page.get_by_text("The graphs cannot be reached right now. Try again in a minute.").first).to_be_visible()
        # The driver searches longer for the server than a readiness check waits; later checks know.
        away = {"ok": False, "reason": "The graphs cannot be reached right now. Try again in a minute."}
        wait_until(lambda: readiness(address)[1]["graph"] == away)
        status, parts = readiness(address)
        assert status == 503
        assert parts["graph"] == away
        assert server.password not in str(parts)

        server.start()
        ask(page, KITT, "William Daniels")
        wait_until(lambda: readiness(address)[0] == 200)


@pytest.mark.real_data
def test_jamaicas_languages_are_found_in_a_real_neighbourhood(
    server: Neo4jServer, browser: Browser, real_data: Path
) -> None:
    path = real_data / "webqsp_subgraphs" / "subgraphs.jsonl"
    library = Neo4jLibrary(server.url)
    library.load(GraphToLoad(RogReader(path, strict=True), "webqsp", "WebQSP neighbourhoods", path.name))
    library.close()
    with page_of_a_site(server, browser, "webqsp") as (_, page):
        ask(page, JAMAICA, "Jamaican English", "Jamaican Creole English Language")
