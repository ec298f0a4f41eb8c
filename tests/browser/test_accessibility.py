"""Nothing serious for people who use a screen reader, or see colours less well: axe on every screen, in every theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accounts import sign_in
from tests.browser.test_theatre import ask, worker_held, worker_let_go
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser
AXE = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
KITT = "who plays the voice of KITT in Knight Rider?"
SERIOUS = ("serious", "critical")
LABELLED = "label-content-name-mismatch"
"""Axe joins the texts of a drawn node without spaces, and its tooltips too, so no name could hold them."""

EVENTS_SO_FAR = "async () => (await (await fetch(`/api${location.pathname}/events?after=0`)).json()).length"
BREATHES = "(each) => each.animationName?.includes('breathe')"
ARRIVED = f"() => document.getAnimations().every((each) => ({BREATHES})(each) || each.playState !== 'running')"
"""What grows or fades in is there."""
AT_ITS_FAINTEST = f"""document.getAnimations().filter({BREATHES}).forEach((each) => {{
    each.pause();
    each.currentTime = each.effect.getTiming().duration / 2;
}})"""
A_SECOND = 1_000
"""What a held worker told before is on the page by then, if still fading in."""
IN_THE_MIDDLE = 3
SOME_DECISIONS_MS = 300

themes_and_sizes = pytest.mark.parametrize(
    ("theme", "size"), [("light", (1366, 768)), ("dark", (360, 740))], ids=("light and wide", "dark and narrow")
)


def faults(page: Page) -> list[str]:
    """What axe finds serious on the page as it stands: rule, place and why, each in a line."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{page.url}: {violation['id']}: {node['target']}: {node['failureSummary']}"
        for violation in found["violations"]
        if violation["impact"] in SERIOUS
        for node in violation["nodes"]
        if not (violation["id"] == LABELLED and str(node["target"][0]).startswith("g["))
    ]


def faults_at_work(page: Page) -> list[str]:
    """The same of a page on which something breathes, when it is the faintest."""
    page.wait_for_timeout(A_SECOND)
    page.wait_for_function(ARRIVED)
    page.evaluate(AT_ITS_FAINTEST)
    return faults(page)


@themes_and_sizes
def test_asking_and_the_theatre_can_be_read_by_everybody(
    open_page: Callable[..., Page], theme: str, size: tuple[int, int]
) -> None:
    page = open_page("/", width=size[0], height=size[1], color_scheme=theme)
    expect(page.get_by_test_id("example").first).to_be_visible()
    found = faults(page)
    page.get_by_test_id("ask-input").fill("who plays the voice of KITT in Night Rider?")
    expect(page.get_by_test_id("did-you-mean")).to_be_visible()
    found += faults(page)
    page.get_by_test_id("ask-input").fill(KITT)
    page.get_by_test_id("ask-input").press("Enter")
    expect(page.get_by_test_id("figures")).to_be_visible()
    found += faults(page)
    page.get_by_test_id("timeline-item").nth(2).click()
    found += faults(page)
    page.goto("/")
    page.get_by_test_id("ask-input").fill("what was the budget of Knight Rider?")
    page.get_by_test_id("ask-input").press("Enter")
    expect(page.get_by_test_id("figures")).to_be_visible()
    found += faults(page)
    assert found == []


@themes_and_sizes
def test_a_run_that_waits_or_is_at_work_can_be_read_by_everybody(
    open_page: Callable[..., Page], site: RunningSite, theme: str, size: tuple[int, int]
) -> None:
    page = open_page("/", width=size[0], height=size[1], color_scheme=theme)
    # What breathes or fades in must be readable meanwhile.
    page.emulate_media(reduced_motion="no-preference")
    with worker_held(site):
        ask(page, KITT)
        expect(page.get_by_test_id("cancel-button")).to_be_visible()
        found = faults_at_work(page)
        while page.evaluate(EVENTS_SO_FAR) < IN_THE_MIDDLE:
            with worker_let_go(site):
                page.wait_for_timeout(SOME_DECISIONS_MS)
        expect(page.get_by_test_id("timeline-item")).not_to_have_count(0)
        expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "running")
        found += faults_at_work(page)
        page.get_by_test_id("timeline-item").first.click()
        found += faults_at_work(page)
    assert found == []


@themes_and_sizes
def test_lists_and_forms_can_be_read_by_everybody(
    open_page: Callable[..., Page], site: RunningSite, theme: str, size: tuple[int, int]
) -> None:
    page = open_page("/", width=size[0], height=size[1], color_scheme=theme)
    page.get_by_role("button", name="Sign in").click()
    found = faults(page)
    page.keyboard.press("Escape")
    sign_in(page, *site.account("admin"))
    for path in (
        "/questions",
        "/side-by-side",
        "/graphs",
        "/datasets",
        "/evaluations",
        "/models",
        "/feedback",
        "/review",
        "/people",
        "/account",
        "/nowhere",
    ):
        page.goto(path)
        expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
        expect(page.locator(".skeleton")).to_have_count(0)
        found += faults(page)
    assert found == []
