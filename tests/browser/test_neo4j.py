"""The screen over graphs in Neo4j: an answer, an outage, and the recovery."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from kgstore.loading.reading import GraphToLoad
from kgstore.loading.rog import RogReader
from kgstore.neo4j_library import Neo4jLibrary
from tests.neo4j_server.server import Neo4jServer
from tests.running_site import RunningSite
from webapp.launch.setup import NO_NEO4J, neo4j_missing

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser

KITT = "who plays the voice of KITT in Knight Rider?"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Neo4jServer]:
    if missing := neo4j_missing(named_server_counts=False):
        pytest.skip(NO_NEO4J.format(missing=missing))
    server = Neo4jServer.install(tmp_path / "neo4j", heap="512m", page_cache="64m")
    server.start()
    yield server
    server.kill()


def readiness(address: str) -> tuple[int, dict[str, dict[str, object]]]:
    try:
        with urlopen(f"{address}/readyz") as response:  # noqa: S310 - our own site
            return response.status, json.load(response)["parts"]
    except HTTPError as error:
        return error.code, json.load(error)["parts"]


def test_a_question_is_answered_from_neo4j_and_an_outage_needs_no_restart(
    server: Neo4jServer, browser: Browser
) -> None:
    home = Path(tempfile.mkdtemp(prefix="discern-neo4j-"))
    site = RunningSite(home, GRAPH_STORE_URL=server.url, DISCERN_SCORER="encoder")
    context = None
    try:
        address = site.ready().rstrip("/")
        context = browser.new_context(base_url=address)
        page = context.new_page()
        expect.set_options(timeout=90_000)

        def ask() -> None:
            page.goto("/")
            page.get_by_test_id("ask-input").fill(KITT, timeout=60_000)
            page.get_by_test_id("ask-input").press("Enter")

        ask()
        page.wait_for_url("**/runs/*")
        expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
        assert readiness(address)[0] == 200

        server.kill()
        page.goto("/")
        expect(page.get_by_text("The graphs cannot be reached right now. Try again in a minute.").first).to_be_visible()
        status, parts = readiness(address)
        assert status == 503
        assert "does not answer. Start it, or correct GRAPH_STORE_URL." in str(parts["graph"]["reason"])
        assert server.password not in str(parts)

        server.start()
        ask()
        page.wait_for_url("**/runs/*")
        expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
        assert readiness(address)[0] == 200
    finally:
        if context is not None:
            context.close()
        site.end(signal.SIGINT)
        shutil.rmtree(home)


@pytest.mark.real_data
def test_jamaicas_languages_are_found_in_a_real_neighbourhood(
    server: Neo4jServer, browser: Browser, real_data: Path, tmp_path: Path
) -> None:
    path = real_data / "webqsp_subgraphs" / "subgraphs.jsonl"
    library = Neo4jLibrary(server.url)
    library.load(GraphToLoad(RogReader(path, strict=True), "webqsp", "WebQSP neighbourhoods", path.name))
    library.close()
    home = Path(tempfile.mkdtemp(prefix="discern-neo4j-"))
    site = RunningSite(home, GRAPH_STORE_URL=server.url, DISCERN_SCORER="encoder", DISCERN_GRAPH="webqsp")
    context = None
    try:
        context = browser.new_context(base_url=site.ready().rstrip("/"))
        page = context.new_page()
        expect.set_options(timeout=90_000)
        page.goto("/")
        page.get_by_test_id("ask-input").fill("what does jamaican people speak", timeout=60_000)
        page.get_by_test_id("ask-input").press("Enter")
        page.wait_for_url("**/runs/*")
        expect(page.get_by_test_id("answer")).to_contain_text("Jamaican English")
        expect(page.get_by_test_id("answer")).to_contain_text("Jamaican Creole English Language")
        page.screenshot(path=tmp_path / "jamaica.png")
    finally:
        if context is not None:
            context.close()
        site.end(signal.SIGINT)
        shutil.rmtree(home)
