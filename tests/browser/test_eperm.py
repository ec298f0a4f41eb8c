"""EPERM in the theatre: rounds, plans, frontiers, path weights with their factors, and candidates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.conftest import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

QUESTION = "who plays the voice of KITT in Knight Rider?"


def test_what_was_retrieved_kept_and_weighed_is_shown_step_by_step(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_test_id("strategy-select").select_option("eperm")
    page.get_by_test_id("plans-select").select_option("2")
    expect(page.get_by_test_id("predictor-select")).to_have_value("rank")
    submit(page, QUESTION)
    expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")
    expect(page.get_by_test_id("strategy")).to_have_text("EPERM, 2 plans")
    items = page.get_by_test_id("timeline-item")

    items.filter(has_text=re.compile(r"Kept \d+ of \d+ options")).first.click()
    expect(page.get_by_test_id("kept-options")).to_contain_text("from the topic")

    items.filter(has_text="Hop 1 (").first.click()
    entities = page.get_by_test_id("frontier-entity")
    expect(entities.first).to_be_visible()
    expect(entities.first.locator(".share")).to_have_text(re.compile(r"\d"))

    items.filter(has_text=re.compile(r"Weighed \d+ paths?")).click()
    path = page.get_by_test_id("weighed-path").first
    factors = path.get_by_test_id("factors")
    expect(factors).to_be_hidden()
    path.focus()
    expect(factors).to_contain_text("of the weight of all paths: plan")

    items.filter(has_text=re.compile(r"Ranked \d+ candidates?")).click()
    expect(page.get_by_test_id("candidate").first).to_be_visible()
    expect(page.get_by_text("answers have a weight of")).to_be_visible()

    # A link restores the step.
    page.reload()
    expect(page.get_by_test_id("candidate").first).to_be_visible()


def test_a_candidate_of_another_reading_is_reported_by_name(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_test_id("strategy-select").select_option("eperm")
    submit(page, "in which stadium does the team of owner Shahid Khan play")
    expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")
    page.get_by_test_id("timeline-item").filter(has_text=re.compile(r"Ranked \d+ candidates?")).click()

    overruled = page.get_by_test_id("candidate").filter(has_text="another reading of the question").first
    expect(overruled).to_be_visible()
    name = overruled.locator(".line .name")
    share = overruled.locator(".line .share")
    drawn, beside = name.bounding_box(), share.bounding_box()
    assert drawn
    assert beside
    # The name has all of its line but for the letter and the weight.
    assert drawn["width"] > 2 * beside["width"]
