"""EtD in the theatre: layers with what they kept, candidates with their ways, and the answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.conftest import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

QUESTION = "who plays the voice of KITT in Knight Rider?"


def ask(page: Page) -> None:
    page.get_by_test_id("strategy-select").select_option("etd")
    submit(page, QUESTION)


def test_layers_and_candidates_are_steps_that_one_can_go_to(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page)
    expect(page.get_by_test_id("strategy")).to_have_text("EtD")
    steps = page.get_by_test_id("timeline-item")
    layer = steps.filter(has_text=re.compile(r"Layer 1 of 3: kept \d+ of \d+ edges"))
    expect(layer).to_have_count(1)
    ranked = steps.filter(has_text=re.compile(r"Ranked [\d,]+ candidates, showing [1-3]"))
    expect(ranked).to_have_count(1)

    # A layer: what was looked at, with its weight, and how much of it was kept.
    layer.click()
    groups = page.get_by_test_id("explored-group")
    expect(groups.first).to_contain_text(re.compile(r"kept \d+ of \d+ edge"))
    widths = groups.locator(".bar span").evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().width)")
    kept = [width for width, text in zip(widths, groups.all_inner_texts(), strict=True) if "kept 0" not in text]
    assert kept == sorted(kept, reverse=True)

    # The candidates, each with the facts that lead to it; one is chosen with the keyboard.
    ranked.click()
    candidates = page.get_by_test_id("candidate")
    expect(candidates.first).to_be_visible()
    assert candidates.count() <= 3
    # A mediator on the way is a mark, for it has no name.
    way = candidates.filter(has_text="regular cast").first
    expect(way.get_by_role("img", name="a link without a name").first).to_be_visible()
    assert not re.search(r"\bm\.\w", way.inner_text())
    candidates.first.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("selected")).to_be_visible()

    # A link restores the step.
    page.reload()
    expect(page.get_by_test_id("candidate").first).to_be_visible()


def test_from_how_many_candidates_and_who_chooses_is_said_where_one_asks(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_test_id("strategy-select").select_option("etd")
    page.get_by_test_id("candidates-select").select_option("2")
    page.get_by_test_id("determination-select").select_option("explorer")
    ask(page)
    ranked = page.get_by_test_id("timeline-item").filter(has_text=re.compile(r"Ranked [\d,]+ candidates, showing [12]"))
    expect(ranked).to_have_count(1)
    # The run keeps it for the next request.
    expect(page.get_by_test_id("candidates-select")).to_have_value("2")
    expect(page.get_by_test_id("determination-select")).to_have_value("explorer")


def test_layers_can_be_read_on_a_telephone(open_page: Callable[..., Page]) -> None:
    page = open_page(width=360, height=740)
    ask(page)
    layer = page.get_by_test_id("timeline-item").filter(has_text="Layer 2 of 3")
    expect(layer).to_have_count(1)
    layer.click()
    expect(page.get_by_test_id("explored-group").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
