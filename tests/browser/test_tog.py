"""ToG in the theatre: relations and entities that are kept, tries after each hop, and its switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.conftest import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

QUESTION = "who plays the voice of KITT in Knight Rider?"


def ask(page: Page, width: str, strategy: str = "tog") -> None:
    page.get_by_test_id("strategy-select").select_option(strategy)
    page.get_by_test_id("width-select").select_option(width)
    submit(page, QUESTION)
    expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")


def test_a_hop_shows_the_entities_that_were_kept_and_dropped_and_who_judged(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "2")
    expect(page.get_by_test_id("strategy")).to_have_text("ToG, 2 entities a hop")
    kept = page.get_by_test_id("timeline-item").filter(has_text="Hop 2").first
    expect(kept).to_contain_text("judged by the sentence encoder")
    kept.focus()
    page.keyboard.press("Enter")
    entities = page.get_by_test_id("frontier-entity")
    expect(entities.filter(has_text="dropped").first).to_be_visible()
    widths = entities.locator(".bar span").evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().width)")
    assert widths == sorted(widths, reverse=True)
    assert entities.locator("s").count() == entities.count() - 2
    # A link restores the step.
    page.reload()
    expect(page.get_by_test_id("frontier-entity").first).to_be_visible()


def test_a_try_tells_from_which_facts_it_was_not_enough(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "3", "tog-r")
    page.get_by_test_id("timeline-item").filter(has_text="Not enough yet").first.click()
    expect(page.get_by_test_id("tried-share")).to_contain_text("the facts are enough")
    expect(page.get_by_test_id("facts-beside").locator("li").first).to_contain_text("Knight Rider")


def test_it_can_be_read_on_a_telephone(open_page: Callable[..., Page]) -> None:
    page = open_page(width=360, height=740)
    ask(page, "2")
    page.get_by_test_id("timeline-item").filter(has_text="Hop 2").first.click()
    expect(page.get_by_test_id("frontier-entity").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
