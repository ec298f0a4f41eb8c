"""Take the pictures of the documentation: ``python -m tests.browser.screenshots`` after the screen has changed."""

from __future__ import annotations

import shutil
import signal
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS
from tests.running_site import RunningSite
from webapp.environment import REPOSITORY
from webapp.launch.setup import chromium

FOLDER = REPOSITORY / "docs" / "images"


def _take(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_test_id("example")).to_have_count(6)
    page.screenshot(path=FOLDER / "ask.png")
    _ask(page, "who plays the voice of KITT in Knight Rider?")
    page.get_by_test_id("timeline-item").nth(2).click()
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "searching.png")
    page.get_by_test_id("timeline-item").last.click()
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "answered.png")
    page.goto(address)
    _ask(page, "what was the budget of Knight Rider?")
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "not-in-graph.png")


def _evaluate(page: Page, address: str, account: tuple[str, str]) -> None:
    page.goto(f"{address}evaluations")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("User name").fill(account[0])
    page.get_by_label("Password").fill(account[1])
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("limit").fill("400")
    form.get_by_label("Found in the question").check()
    form.get_by_label("Note").fill("The bundled sample, kept for validation")
    form.get_by_test_id("start").click()
    expect(page.get_by_test_id("chart")).to_have_count(5, timeout=600_000)
    expect(page.get_by_test_id("progress")).to_have_count(0, timeout=600_000)
    page.wait_for_timeout(3_000)
    page.screenshot(path=FOLDER / "evaluation.png")


def _ask(page: Page, question: str) -> None:
    page.get_by_test_id("ask-input").fill(question)
    page.get_by_test_id("ask-input").press("Enter")
    expect(page.get_by_test_id("figures")).to_be_visible(timeout=60_000)


def main() -> None:
    """Start a site, visit it, end it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="discern-pictures-"))
    site = RunningSite(home, DISCERN_SCORER="encoder")
    try:
        address = site.ready()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
            _take(browser.new_page(viewport={"width": 1440, "height": 900}), address)
            _evaluate(browser.new_page(viewport={"width": 1280, "height": 1120}), address, site.account("admin"))
            browser.close()
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
