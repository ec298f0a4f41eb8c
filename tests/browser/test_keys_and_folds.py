"""What is reached by a key, what folds where it has nothing to show, and what is told once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_hostile_names import ASK

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.browser

KITT = "who plays the voice of KITT in Knight Rider?"
NO_CLIPBOARD = "delete Navigator.prototype.clipboard"
"""As on a page that came over plain HTTP."""


def open_kitt(page: Page) -> None:
    run = page.evaluate(ASK, {"question": KITT, "graph": "sample", "topic": "en.knight_rider"})
    page.goto(f"/runs/{run}")
    expect(page.get_by_test_id("figures")).to_be_visible()


def is_strip(page: Page, pane: str) -> None:
    """Wait until a pane is as narrow as a strip."""
    narrow = "pane => document.querySelector(`section[data-pane=${pane}]`).getBoundingClientRect().width < 50"
    page.wait_for_function(narrow, arg=pane)


def test_a_pool_of_one_option_takes_no_pane_until_somebody_wants_it(open_page: Callable[..., Page]) -> None:
    page = open_page(width=1366, height=768)
    open_kitt(page)
    expect(page.get_by_test_id("open-options")).to_be_visible()
    expect(page.get_by_test_id("pool")).to_have_count(0)
    is_strip(page, "options")
    # A step with a choice opens it; so do a selected node and the button.
    page.get_by_test_id("timeline-item").filter(has_text="Follow actor").click()
    expect(page.get_by_test_id("pool-option").nth(1)).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_test_id("pool")).to_have_count(0)
    page.get_by_test_id("structure-node").first.click()
    expect(page.get_by_test_id("pool")).to_be_visible()
    page.get_by_test_id("structure-node").first.click()
    page.get_by_test_id("open-options").click()
    expect(page.get_by_test_id("add-condition")).to_be_visible()
    page.reload()
    expect(page.get_by_test_id("add-condition")).to_be_visible()


def test_side_panes_fold_and_a_link_keeps_them_so(open_page: Callable[..., Page]) -> None:
    page = open_page(width=1366, height=768)
    open_kitt(page)
    page.get_by_test_id("fold-decisions").click()
    expect(page.get_by_test_id("timeline")).to_have_count(0)
    page.reload()
    expect(page.get_by_test_id("open-decisions")).to_be_visible()
    is_strip(page, "decisions")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1366
    page.get_by_test_id("open-decisions").click()
    expect(page.get_by_test_id("timeline-item").first).to_be_visible()


def test_every_key_of_the_table_does_what_it_says(open_page: Callable[..., Page]) -> None:
    page = open_page(width=1366, height=768)
    page.add_init_script(NO_CLIPBOARD)
    open_kitt(page)
    page.keyboard.press("?")
    expect(page.get_by_test_id("keys")).to_be_visible()
    expect(page.get_by_test_id("keys")).to_contain_text("First step, last step")
    page.keyboard.press("Home")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("keys")).not_to_be_visible()
    # The focus leaves the table when the page is drawn next.
    page.wait_for_function("() => document.activeElement === document.body")
    scrubber = page.get_by_test_id("scrubber")
    expect(scrubber).to_have_attribute("data-step", "7")
    for key, step in (("Home", "1"), ("ArrowRight", "2"), ("End", "7"), ("ArrowLeft", "6")):
        page.keyboard.press(key)
        expect(scrubber).to_have_attribute("data-step", step)
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("/")
    expect(page.get_by_label("Filter the options")).to_be_focused()
    # What is typed in a field is no key.
    page.keyboard.press("s")
    expect(page.get_by_test_id("share-link")).not_to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect(page.get_by_test_id("pool-option").nth(1)).to_be_focused()
    page.keyboard.press("s")
    expect(page.get_by_test_id("share-link")).to_have_value(re.compile(r"/runs/.*step=2"))
    expect(page.get_by_test_id("share-link")).to_be_focused()


def test_the_search_of_a_list_is_reached_by_a_key(open_page: Callable[..., Page]) -> None:
    page = open_page()
    open_kitt(page)
    page.goto("/questions")
    expect(page.get_by_role("searchbox").first).to_be_visible()
    page.get_by_role("heading").first.click()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox").first).to_be_focused()


def test_the_panes_say_once_what_they_are(open_page: Callable[..., Page]) -> None:
    page = open_page(width=1366, height=768)
    open_kitt(page)
    page.get_by_test_id("open-options").click()
    expect(page.get_by_test_id("first-visit-hint")).to_have_count(2)
    page.reload()
    expect(page.get_by_test_id("pool")).to_be_visible()
    expect(page.get_by_test_id("first-visit-hint")).to_have_count(0)
