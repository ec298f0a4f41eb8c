"""Take the pictures of the documentation: ``python -m tests.browser.screenshots`` after the screen has changed."""

from __future__ import annotations

import shutil
import signal
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS
from tests.running_site import RunningSite
from webapp.launch.setup import chromium
from webapp.platform.environment import REPOSITORY

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


def _strategies(page: Page, address: str) -> None:
    """EtD's candidates, RoG's plans, EPERM's paths, DoG's debate, ToG's entities, and some side by side."""
    for strategy, question, step in (
        ("etd", "where is the home field of the team that Mark Attanasio owns?", "Ranked"),
        ("rog", "where is the home field of the team that Mark Attanasio owns?", "plans"),
        ("eperm", "where is the home field of the team that Mark Attanasio owns?", "paths, shows"),
        ("dog", "who directed the films written by George Lucas?", "Question shortened"),
        ("tog", "who plays the voice of KITT in Knight Rider?", "Hop 2"),
    ):
        page.goto(address)
        page.get_by_test_id("strategy-select").select_option(strategy)
        _ask(page, question)
        page.get_by_test_id("timeline-item").filter(has_text=step).first.click()
        page.wait_for_timeout(1_000)
        page.screenshot(path=FOLDER / f"{strategy}.png")
    page.goto(f"{address}side-by-side")
    page.get_by_test_id("side-by-side-question").fill("who plays the voice of KITT in Knight Rider?")
    page.get_by_test_id("side-by-side-ask").click()
    expect(page.get_by_test_id("side-by-side-parting")).to_be_visible(timeout=60_000)
    expect(page.locator("[data-testid=way]:not([data-status=succeeded])")).to_have_count(0)
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "side-by-side.png", full_page=True)


def _compare(page: Page, address: str, account: tuple[str, str]) -> None:
    """Evaluations of three strategies as one table, one chart and a vote."""
    _sign_in(page, f"{address}evaluations", account)
    expect(page.get_by_test_id("new-evaluation")).to_be_visible()
    for strategy in ("reads", "etd", "rog"):
        page.goto(f"{address}evaluations")
        page.get_by_test_id("new-evaluation").click()
        form = page.get_by_test_id("evaluation-form")
        form.get_by_test_id("limit").fill("100")
        form.get_by_test_id("strategy").select_option(strategy)
        form.get_by_test_id("start").click()
        expect(page.get_by_test_id("figures")).to_contain_text("All 100 questions", timeout=600_000)
    page.goto(f"{address}evaluations")
    # The newest first.
    boxes = page.get_by_test_id("evaluation").get_by_role("checkbox")
    for place in (2, 1, 0):
        boxes.nth(place).check()
    page.get_by_test_id("compare").click()
    expect(page.get_by_test_id("agreement-kinds")).to_be_visible()
    page.wait_for_timeout(3_000)
    page.get_by_test_id("standings-downloads").scroll_into_view_if_needed()
    page.mouse.wheel(0, 460)
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "standings.png")


def _label(page: Page, address: str, account: tuple[str, str]) -> None:
    """Label a question of the project to try until a condition is asked for."""
    _sign_in(page, f"{address}annotate", account)
    page.get_by_test_id("next").click()
    expect(page.get_by_test_id("question")).to_have_text("which films did Christopher Nolan direct in 2010?")
    for chosen in ("Christopher Nolan", "directed by", "initial release date"):
        page.get_by_test_id("choice").filter(has_text=chosen).first.click()
        expect(page.get_by_test_id("decision").filter(has_text=chosen)).to_be_visible()
        expect(page.get_by_test_id("choices")).to_have_attribute("aria-busy", "false")
    page.keyboard.press("0")
    page.get_by_test_id("choice").filter(has_text="is in 2010").click()
    expect(page.get_by_test_id("answers-now")).to_contain_text("1")
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "labelling.png")


def _review(page: Page, address: str, account: tuple[str, str]) -> None:
    """The project to try, with the labels of a question."""
    _sign_in(page, f"{address}annotate", account)
    page.get_by_test_id("all-projects").get_by_role("link").first.click()
    page.get_by_test_id("show-labels").nth(4).click()
    expect(page.get_by_test_id("label")).to_have_count(2)
    page.screenshot(path=FOLDER / "annotation-project.png", full_page=True)


def _decide(page: Page, address: str, account: tuple[str, str]) -> None:
    """The two labels of a question of the project to try, over each other."""
    _sign_in(page, f"{address}annotate", account)
    page.get_by_test_id("all-projects").get_by_role("link").first.click()
    page.get_by_test_id("to-decide-link").click()
    page.get_by_test_id("to-decide").get_by_role("link").first.click()
    expect(page.get_by_test_id("joint").first).to_be_visible()
    expect(page.get_by_test_id("structure").locator("circle.side")).to_have_count(2)
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "adjudication.png")


def _sign_in(page: Page, address: str, account: tuple[str, str]) -> None:
    page.goto(address)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("User name").fill(account[0])
    page.get_by_label("Password").fill(account[1])
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()


def _agree(page: Page, address: str, account: tuple[str, str]) -> None:
    """The agreement of the project that is there to try."""
    _sign_in(page, f"{address}annotate", account)
    page.get_by_role("link", name="Try labelling").first.click()
    page.get_by_test_id("agreement").click()
    expect(page.get_by_test_id("pair")).to_be_visible()
    expect(page.get_by_test_id("worst").get_by_test_id("task")).to_have_count(5)
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "agreement.png")


def _evaluate(page: Page, address: str, account: tuple[str, str]) -> None:
    _sign_in(page, f"{address}evaluations", account)
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("limit").fill("400")
    form.get_by_label("Linked from the question").check()
    form.get_by_label("Note").fill("The bundled sample, kept for validation")
    form.get_by_test_id("start").click()
    expect(page.get_by_test_id("chart")).to_have_count(9, timeout=600_000)
    expect(page.get_by_test_id("progress")).to_have_count(0, timeout=600_000)
    page.wait_for_timeout(3_000)
    page.screenshot(path=FOLDER / "evaluation.png")


def _explore(page: Page, address: str) -> None:
    """Two actors of a series, and what joins them."""
    page.goto(f"{address}explore")
    for name in ("Knight Rider", "William Daniels", "David Hasselhoff"):
        page.get_by_test_id("find").fill(name)
        page.get_by_test_id("find-option").filter(has_text=name).first.click()
        expect(page.get_by_test_id("follow").first).to_be_visible()
        page.get_by_test_id("card").get_by_role("heading").first.click()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Loading from the graph")).to_have_count(0)
    page.get_by_test_id("arrange-force").click()
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "exploring.png")


def _learn(page: Page, address: str, account: tuple[str, str]) -> None:
    """A model taught from the sample, going on from the one that comes with Discern, and what came of it."""
    _sign_in(page, f"{address}learning", account)
    page.get_by_test_id("pin").click()
    form = page.get_by_test_id("pin-form")
    form.get_by_label("Maximum questions").fill("120")
    form.get_by_role("button", name="Pin").click()
    page.get_by_test_id("teach").click()
    form = page.get_by_test_id("chain-form")
    form.get_by_label("The bundled sample").check()
    form.get_by_text("Settings", exact=True).click()
    form.get_by_label("Maximum epochs").fill("2")
    form.get_by_label("Decisions per epoch").fill("500")
    form.get_by_label("Learning rate").fill("0.0001")
    form.get_by_role("button", name="Start").click()
    expect(page.get_by_test_id("verdict")).to_be_visible(timeout=1_200_000)
    page.wait_for_timeout(3_000)
    page.screenshot(path=FOLDER / "learning-chain.png", full_page=True)
    page.goto(f"{address}learning")
    expect(page.get_by_test_id("chart")).to_be_visible()
    page.wait_for_timeout(3_000)
    page.screenshot(path=FOLDER / "learning.png", full_page=True)


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
            _strategies(browser.new_page(viewport={"width": 1440, "height": 900}), address)
            _label(browser.new_page(viewport={"width": 1366, "height": 768}), address, site.account("annotator"))
            _review(browser.new_page(viewport={"width": 1280, "height": 900}), address, site.account("admin"))
            _decide(browser.new_page(viewport={"width": 1366, "height": 768}), address, site.account("reviewer"))
            _agree(browser.new_page(viewport={"width": 1280, "height": 1120}), address, site.account("reviewer"))
            _evaluate(browser.new_page(viewport={"width": 1280, "height": 1120}), address, site.account("admin"))
            _compare(browser.new_page(viewport={"width": 1280, "height": 1120}), address, site.account("admin"))
            _explore(browser.new_page(viewport={"width": 1366, "height": 768}), address)
            _learn(browser.new_page(viewport={"width": 1280, "height": 900}), address, site.account("admin"))
            browser.close()
    finally:
        site.end(signal.SIGINT)
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
