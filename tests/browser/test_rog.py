"""RoG in the theatre: plans with their weights, the steps along them, answers with every way, and what-if."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.conftest import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

QUESTION = "who plays the voice of KITT in Knight Rider?"


def ask(page: Page, plans: str = "3") -> None:
    page.get_by_test_id("strategy-select").select_option("rog")
    page.get_by_test_id("plans-select").select_option(plans)
    submit(page, QUESTION)
    expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")


def test_plans_are_a_step_with_bars_that_can_be_walked_by_keyboard(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "2")
    expect(page.get_by_test_id("strategy")).to_have_text("RoG, 2 plans")
    proposed = page.get_by_test_id("timeline-item").filter(has_text=re.compile(r"Weighed \d+ plans, proposed 2"))
    expect(proposed).to_have_count(1)
    proposed.focus()
    page.keyboard.press("Enter")
    plans = page.get_by_test_id("plan")
    expect(plans).to_have_count(2)
    expect(plans.first).to_contain_text("regular cast→actor")
    widths = plans.locator(".bar span").evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().width)")
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 0
    plans.first.focus()
    page.keyboard.press("Tab")
    expect(plans.nth(1)).to_be_focused()

    # A link restores the step.
    page.reload()
    expect(page.get_by_test_id("plan")).to_have_count(2)


def test_the_end_of_another_plan_is_tried_as_the_answer(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page)
    page.get_by_test_id("timeline-item").filter(has_text="The answer is").click()
    options = page.get_by_test_id("pool-option")
    expect(options.first).to_contain_text("actor")
    other = options.filter(has_text="character")
    other.click()
    other.get_by_test_id("choose-instead").click()
    expect(page.get_by_test_id("compared")).to_contain_text("character instead of actor")
    expect(page.get_by_test_id("answer")).to_contain_text("KITT")


def test_plans_can_be_read_on_a_telephone(open_page: Callable[..., Page]) -> None:
    page = open_page(width=360, height=740)
    ask(page)
    page.get_by_test_id("timeline-item").filter(has_text="plans, proposed").click()
    expect(page.get_by_test_id("plan").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
