from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.mail_sink import Sink
from tests.running_site import RunningSite, home_folder, site_ready

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PACE_MS = 250
"""Between two decisions, so that a run can be seen, left and cancelled in its middle."""
PATIENCE_MS = 120_000
"""So long a test waits for what a page shows, however busy the machine is."""
SUBSET = "freebase"
"""The name of the real part of Freebase on its site."""
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # WebGL is drawn in software in any case; a page that moves costs a whole core if its layers are joined so, too.
    "--disable-gpu-compositing",
)


def mail_settings(mails: Sink) -> dict[str, str]:
    """The settings of a site whose mails are collected."""
    return {
        "DISCERN_MAIL_URL": mails.url,
        "DISCERN_MAIL_FROM": "discern@example.org",
        "DISCERN_SITE_URL": "https://discern.example.org",
    }


@pytest.fixture(scope="session")
def mails() -> Iterator[Sink]:
    """What the site mails."""
    with Sink.started() as sink:
        yield sink


@pytest.fixture(scope="session")
def site(mails: Sink) -> Iterator[RunningSite]:
    """A site with the sample graph and the default scorer."""
    settings = {"DISCERN_PACE_MS": str(PACE_MS), "DISCERN_SCORER": "encoder", "DISCERN_VISITOR_RATE": "1000/minute"}
    with site_ready(**settings, **mail_settings(mails)) as site:
        yield site


@pytest.fixture(scope="session")
def subset_site(freebase_folder: Path) -> Iterator[RunningSite]:
    """A site with the whole real part of Freebase."""
    home = home_folder("discern-subset-")
    try:
        shutil.copytree(freebase_folder, home / "graphs")
        site = RunningSite(home, DISCERN_SCORER="encoder", DISCERN_GRAPH=SUBSET, DISCERN_VISITOR_RATE="1000/minute")
        try:
            site.ready()
            yield site
        finally:
            site.end(signal.SIGINT)
    finally:
        shutil.rmtree(home)


@pytest.fixture(scope="session")
def address(site: RunningSite) -> str:
    """Where the site is."""
    return site.address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium that `make test` found, drawing WebGL in software."""
    executable = os.environ.get("DISCERN_CHROMIUM")
    if not executable:
        pytest.skip("there is no Chromium: run `make test`, which finds or installs one")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_FLAGS))
        yield chromium
        chromium.close()


def _is_fault(message: ConsoleMessage) -> bool:
    """An error of ours; that an answer of the site was an error is what the page shows people."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Opens pages of a visitor of its own; whatever a page's console calls an error fails the test."""
    expect.set_options(timeout=PATIENCE_MS)
    contexts = []
    errors: list[str] = []

    def open_one(path: str = "/", *, width: int = 1440, height: int = 900, **options: str) -> Page:
        context = browser.new_context(
            base_url=address, viewport={"width": width, "height": height}, reduced_motion="reduce", **options
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if _is_fault(message) else None)
        page.goto(path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []


def submit(page: Page, question: str) -> None:
    """Type a question in and ask it, of what the page says."""
    page.get_by_test_id("ask-input").fill(question)
    page.get_by_test_id("ask-input").press("Enter")
    page.wait_for_url("**/runs/*")
