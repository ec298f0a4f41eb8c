"""Nothing serious for people who use a screen reader, or see colours less well: axe on every screen, in every theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accounts import sign_in
from webapp.environment import REPOSITORY

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
        "/graphs",
        "/datasets",
        "/evaluations",
        "/models",
        "/feedback",
        "/people",
        "/account",
        "/nowhere",
    ):
        page.goto(path)
        expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
        expect(page.locator(".skeleton")).to_have_count(0)
        found += faults(page)
    assert found == []
