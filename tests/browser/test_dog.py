"""DoG in the theatre: the question gets shorter above the timeline, and a debate is a dialogue next to its facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.conftest import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

QUESTION = "who directed the films written by George Lucas?"


def ask(page: Page, debaters: str = "3") -> None:
    page.get_by_test_id("strategy-select").select_option("dog")
    page.get_by_test_id("debaters-select").select_option(debaters)
    submit(page, QUESTION)
    expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")


def test_the_question_gets_shorter_with_what_went_struck_through(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page)
    expect(page.get_by_test_id("strategy")).to_have_text("DoG")
    strip = page.get_by_test_id("shorter-questions")
    expect(strip.locator("s").last).to_contain_text("George Lucas")
    expect(page.get_by_test_id("asked-now").locator("u")).to_contain_text("these")

    # Before the debate there was nothing shorter.
    page.get_by_test_id("timeline-item").first.click()
    expect(strip).to_have_count(0)


def test_a_debate_is_a_dialogue_beside_its_facts_by_keyboard_and_by_link(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page)
    step = page.get_by_test_id("shorter-question").first
    step.focus()
    page.keyboard.press("Enter")
    turns = page.get_by_test_id("debate-turn")
    expect(turns).to_have_count(3)
    expect(turns.first).to_contain_text("Simplifier")
    expect(page.locator(".pool-panel")).to_contain_text("by rules instead of a language model")
    expect(page.get_by_test_id("facts-beside")).to_contain_text("George Lucas")
    page.reload()
    expect(page.get_by_test_id("debate-turn")).to_have_count(3)


def test_whether_it_is_enough_is_a_step_with_its_facts(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "1")
    page.get_by_test_id("timeline-item").filter(has_text="Not enough yet").first.click()
    expect(page.get_by_test_id("tried-share")).to_contain_text("the facts are enough")
    expect(page.get_by_test_id("facts-beside").locator("li").first).to_be_visible()


def test_it_can_be_read_on_a_telephone(open_page: Callable[..., Page]) -> None:
    page = open_page(width=360, height=740)
    ask(page)
    page.get_by_test_id("shorter-question").first.click()
    expect(page.get_by_test_id("debate-turn").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
