"""What a person decides otherwise in a browser: by mouse, by keyboard, on a telephone; and sees what became of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_strategies import ask_with_a_width
from tests.browser.test_theatre import KITT, ask

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.browser

RUN = re.compile(r"/runs/[0-9a-f-]{36}")


@pytest.fixture
def asked(open_page: Callable[..., Page]) -> Page:
    page = open_page()
    ask(page, KITT)
    expect(page.get_by_test_id("figures")).to_be_visible()
    return page


def at_step(page: Page, words: str) -> None:
    page.get_by_test_id("timeline-item").filter(has_text=words).first.click()
    # Where there was one option, what else may be done is folded with it.
    expect(page.get_by_test_id("open-options").or_(page.get_by_test_id("pool"))).to_be_visible()
    if page.get_by_test_id("open-options").count():
        page.get_by_test_id("open-options").click()


def changed(page: Page, before: str) -> None:
    """Wait for the variant, and its comparison."""
    page.wait_for_function("before => location.pathname !== before", arg=before.partition("?")[0])
    expect(page.get_by_test_id("compared").get_by_test_id("now")).to_be_visible()


def path_of(page: Page) -> str:
    path: str = page.evaluate("location.pathname")
    return path


def test_an_option_is_chosen_instead_and_the_answers_are_compared(asked: Page) -> None:
    before = path_of(asked)
    at_step(asked, "Follow actor")
    option = asked.get_by_test_id("pool-option").filter(has_text="character")
    option.hover()
    # What it would add is seen in both drawings before anybody takes it.
    expect(asked.locator(".ghost")).to_contain_text("+ 7 facts")
    terms = asked.get_by_test_id("facts-graph")
    expect(terms).to_have_attribute("data-facts", "21")
    option.get_by_test_id("choose-instead").click()
    changed(asked, before)
    expect(asked.get_by_test_id("was")).to_contain_text("William Daniels")
    expect(asked.get_by_test_id("was")).to_contain_text(re.compile(r"\d lost"))
    expect(asked.get_by_test_id("compared")).to_contain_text("character instead of actor")
    # The tree is next to the timeline, and each of its runs has a link.
    variants = asked.get_by_test_id("variant")
    expect(variants).to_have_count(2)
    expect(variants.nth(1)).to_have_attribute("aria-current", "page")
    variants.nth(0).click()
    asked.wait_for_url(f"**{before}")
    expect(asked.get_by_test_id("compared")).to_have_count(0)
    expect(asked.get_by_test_id("variant")).to_have_count(2)


def test_a_condition_is_dropped_its_branches_come_back_and_z_leads_to_the_original(asked: Page) -> None:
    before = path_of(asked)
    at_step(asked, "Keep facts where")
    asked.get_by_test_id("drop").click()
    changed(asked, before)
    expect(asked.get_by_test_id("now")).to_contain_text("5 gained · 1 kept")
    expect(asked.get_by_test_id("was")).to_contain_text("0 lost")
    expect(asked.get_by_test_id("answer")).to_contain_text("David Hasselhoff")
    expect(asked.get_by_test_id("facts-count")).to_have_text("21 facts")
    # Typing a z is no way back.
    asked.get_by_test_id("ask-input").click()
    asked.keyboard.press("z")
    assert path_of(asked) != before
    asked.get_by_test_id("timeline-item").first.click()
    asked.keyboard.press("z")
    asked.wait_for_url(f"**{before}")


def test_a_condition_is_added_that_was_not_offered_its_target_found_as_it_is_typed(asked: Page) -> None:
    first = path_of(asked)
    at_step(asked, "Keep facts where")
    asked.get_by_test_id("drop").click()
    changed(asked, first)
    second = path_of(asked)
    at_step(asked, "The answer is")
    asked.get_by_test_id("add-condition").click()
    form = asked.get_by_test_id("condition-form")
    form.get_by_label("Node").select_option("character")
    expect(form.get_by_test_id("condition-set")).to_be_disabled()
    form.get_by_test_id("condition-target").fill("michael k")
    form.get_by_test_id("condition-target-option").filter(has_text="Michael Knight").click()
    form.get_by_test_id("condition-set").click()
    changed(asked, second)
    expect(asked.get_by_test_id("now")).to_contain_text("David Hasselhoff")
    expect(asked.get_by_test_id("was")).to_contain_text("William Daniels")
    expect(asked.get_by_test_id("variant")).to_have_count(3)
    # A condition that leaves no place for the answer is not offered: of the answer, only what kind it is.
    at_step(asked, "The answer is")
    asked.get_by_test_id("add-condition").click()
    places = form.get_by_label("Node")
    expect(places.locator("option")).to_have_text(["regular cast", "actor", "character"])
    places.select_option("actor")
    expect(form.get_by_label("Comparison").locator("option")).to_have_text(["is of a kind"])


def test_another_answer_position(asked: Page) -> None:
    first = path_of(asked)
    at_step(asked, "Keep facts where")
    asked.get_by_test_id("drop").click()
    changed(asked, first)
    second = path_of(asked)
    at_step(asked, "The answer is")
    option = asked.get_by_test_id("pool-option").filter(has_text="character")
    option.hover()
    option.get_by_test_id("choose-instead").click()
    changed(asked, second)
    expect(asked.get_by_test_id("answer")).to_contain_text("KITT")


def test_another_topic(asked: Page) -> None:
    before = path_of(asked)
    at_step(asked, "Begin at")
    asked.get_by_test_id("other-topic").fill("jamai")
    asked.get_by_test_id("other-topic-option").filter(has_text="Jamaica").first.click()
    changed(asked, before)
    expect(asked.get_by_test_id("timeline-item").first).to_contain_text("Jamaica")
    expect(asked.get_by_test_id("compared")).to_contain_text("Jamaica instead of Knight Rider")


def test_stop_here_and_go_on_searching(asked: Page) -> None:
    before = path_of(asked)
    at_step(asked, "Follow actor")
    asked.get_by_test_id("stop-here").click()
    changed(asked, before)
    expect(asked.get_by_test_id("structure-node")).to_have_count(3)
    stopped = path_of(asked)
    at_step(asked, "Stop searching")
    asked.get_by_test_id("go-on").click()
    changed(asked, stopped)
    expect(asked.get_by_test_id("structure-node")).not_to_have_count(3)


def test_it_is_all_done_by_keyboard(asked: Page) -> None:
    before = path_of(asked)
    at_step(asked, "Follow actor")
    asked.keyboard.press("2")
    expect(asked.get_by_test_id("pool-option").nth(1)).to_be_focused()
    asked.keyboard.press("0")
    expect(asked.locator("[data-testid=pool-option].none")).to_be_focused()
    asked.keyboard.press("1")
    asked.keyboard.press("Enter")  # it was chosen, so nothing happens
    asked.keyboard.press("ArrowDown")
    expect(asked.get_by_test_id("pool-option").nth(1)).to_be_focused()
    assert path_of(asked) == before
    # To the filter, and from it to the first option that is found.
    asked.keyboard.press("/")
    asked.keyboard.type("chara")
    expect(asked.get_by_test_id("pool-option")).to_have_count(1)
    asked.keyboard.press("ArrowDown")
    expect(asked.get_by_test_id("pool-option").first).to_be_focused()
    asked.keyboard.press("Enter")
    changed(asked, before)
    asked.keyboard.press("z")
    asked.wait_for_url(f"**{before}")


def test_every_option_of_a_pool_can_be_found(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "what was the budget of the country where Usain Bolt was born?")
    expect(page.get_by_test_id("figures")).to_be_visible()
    steps = page.get_by_test_id("timeline-item").filter(has_text=re.compile("Follow|Stop"))
    for index in range(steps.count()):
        steps.nth(index).click()
        heading = page.get_by_test_id("pool").locator("h2").inner_text()
        total = int(re.findall(r"([\d,]+) option", heading)[0].replace(",", ""))
        if total < 8:
            continue
        page.get_by_test_id("pool-filter").locator("input").fill(".")
        expect(page.get_by_test_id("pool-filter")).to_contain_text(f"of {total}")
        expect(page.get_by_test_id("pool-option")).to_have_count(min(80, total - 1))
        page.get_by_test_id("pool-filter").locator("input").fill("no such relation")
        expect(page.get_by_test_id("pool")).to_contain_text("No option matches")
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("pool-filter").locator("input")).to_have_value("")


def test_another_reading_is_opened_by_one_click(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask_with_a_width(page, 3)
    expect(page.get_by_test_id("figures")).to_be_visible()
    before = path_of(page)
    page.get_by_test_id("other-readings").locator("summary").click()
    page.get_by_test_id("open-reading").first.click()
    changed(page, before)
    expect(page.get_by_test_id("compared")).to_contain_text("other reading 1")
    expect(page.get_by_test_id("variant")).to_have_count(2)


def test_whoever_has_the_link_may_try_something_too_and_it_is_theirs(
    asked: Page, open_page: Callable[..., Page]
) -> None:
    other = open_page(path_of(asked))
    expect(other.get_by_test_id("figures")).to_be_visible()
    before = path_of(other)
    at_step(other, "Keep facts where")
    other.get_by_test_id("drop").click()
    changed(other, before)
    asked.reload()
    expect(asked.get_by_test_id("figures")).to_be_visible()
    expect(asked.get_by_test_id("variant")).to_have_count(0)


def test_a_reload_shows_the_variant_again(asked: Page) -> None:
    before = path_of(asked)
    at_step(asked, "Keep facts where")
    asked.get_by_test_id("drop").click()
    changed(asked, before)
    asked.reload()
    expect(asked.get_by_test_id("now")).to_contain_text("5 gained · 1 kept")
    asked.go_back()
    expect(asked.get_by_test_id("compared")).to_have_count(0)
    expect(asked.get_by_test_id("answer")).to_contain_text("William Daniels")


def test_on_a_telephone(open_page: Callable[..., Page]) -> None:
    page = open_page(width=360, height=740)
    ask(page, KITT)
    expect(page.get_by_test_id("figures")).to_be_visible()
    before = path_of(page)
    at_step(page, "Follow actor")
    option = page.get_by_test_id("pool-option").filter(has_text="character")
    # The first touch looks at it.
    option.click(position={"x": 20, "y": 12})
    assert path_of(page) == before
    option.get_by_test_id("choose-instead").click()
    changed(page, before)
    expect(page.get_by_test_id("variant")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
