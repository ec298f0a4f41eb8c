"""A question asked in several ways at once: chosen, followed, compared, stopped; and the ways there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.conftest import submit
from tests.browser.test_accessibility import faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

QUESTION = "who plays the voice of KITT in Knight Rider?"


def choose(page: Page, *strategies: str) -> None:
    """Choose these strategies alone."""
    boxes = page.get_by_test_id("side-by-side-strategies").get_by_role("checkbox")
    expect(boxes.first).to_be_visible()  # all() does not wait
    for box in boxes.all():
        if box.is_enabled():
            box.set_checked(box.get_attribute("value") in strategies)


def ask(page: Page, *strategies: str) -> None:
    page.get_by_test_id("side-by-side-question").fill(QUESTION)
    choose(page, *strategies)
    page.get_by_test_id("side-by-side-ask").click()
    page.wait_for_url(re.compile(r"/side-by-side/[0-9a-f-]{36}$"))


def over(page: Page) -> None:
    expect(page.locator("[data-testid=way]:not([data-status=succeeded])")).to_have_count(0)


def test_ways_are_followed_and_stand_side_by_side_with_the_decision_where_they_part(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/side-by-side")
    ask(page, "reads", "etd", "rog")
    ways = page.get_by_test_id("way")
    expect(ways).to_have_count(3)
    # While they run, decisions come one by one.
    expect(page.get_by_test_id("way-step").first).to_be_visible()
    over(page)

    expect(ways.first.get_by_test_id("way-answer")).to_have_text("William Daniels")
    expect(ways.first.get_by_test_id("way-evidence")).to_contain_text("regular cast")
    rows = page.get_by_test_id("side-by-side-costs").get_by_role("row")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_contain_text(re.compile(r"William Daniels.*\d s"))

    # They part: each that goes a way of its own leads to that step of its theatre.
    parting = page.get_by_test_id("side-by-side-parting")
    expect(parting).to_contain_text("made the same")
    link = parting.get_by_test_id("parting-link").first
    step = re.search(r"step=(\d+)", link.get_attribute("href") or "")
    assert step
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*")
    expect(page.get_by_test_id("scrubber")).to_have_attribute("data-step", step[1])

    # And back: the run knows those that were asked with it.
    page.get_by_test_id("to-side-by-side").click()
    expect(page.get_by_test_id("way")).to_have_count(3)
    page.goto("/")
    recent = page.get_by_test_id("recent").get_by_role("link")
    expect(recent).to_have_count(1)
    expect(recent).to_contain_text("compare several methods")
    page.goto("/questions")
    page.get_by_test_id("own-side-by-side").click()
    expect(page.get_by_test_id("side-by-side-title")).to_have_text(QUESTION)


def test_the_ask_page_and_a_run_lead_there_with_what_was_asked(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_test_id("ask-input").fill(QUESTION)
    page.get_by_test_id("to-side-by-side").click()
    expect(page.get_by_test_id("side-by-side-question")).to_have_value(QUESTION)
    page.goto("/")
    submit(page, QUESTION)
    expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")
    page.get_by_test_id("to-side-by-side").click()
    expect(page.get_by_test_id("side-by-side-question")).to_have_value(QUESTION)
    # By keyboard: Enter in the question asks.
    choose(page, "reads", "beam")
    # A strategy once more, with other switches.
    page.get_by_test_id("own-ways").locator("summary").click()
    page.get_by_test_id("add-own-way").select_option("beam")
    page.get_by_test_id("own-way").get_by_test_id("width-select").select_option("1")
    expect(page.get_by_test_id("side-by-side-count")).to_have_text(re.compile("^3 combinations"))
    page.get_by_test_id("side-by-side-question").press("Enter")
    page.wait_for_url(re.compile(r"/side-by-side/[0-9a-f-]{36}$"))
    over(page)
    expect(page.get_by_test_id("side-by-side-agreement")).to_have_text("All 3 give the same answers.")
    titles = page.get_by_test_id("side-by-side-costs").get_by_role("rowheader")
    expect(titles).to_have_text(["READS", re.compile(", 3 readings kept$"), re.compile(", 1 reading kept$")])
    expect(page.get_by_test_id("side-by-side-parting")).to_contain_text("None:")


def test_too_few_and_too_many_ways_are_reported_before_anything_is_asked(open_page: Callable[..., Page]) -> None:
    page = open_page("/side-by-side")
    count, button = page.get_by_test_id("side-by-side-count"), page.get_by_test_id("side-by-side-ask")
    choose(page, "reads")
    expect(count).to_have_text("Choose at least two combinations: two methods, or two models.")
    expect(button).to_be_disabled()
    choose(page, "reads", "beam", "etd", "rog")
    expect(count).to_have_text(re.compile("^4 combinations of at most 12. Each counts"))
    for box in page.get_by_test_id("side-by-side-scorers").get_by_role("checkbox").all():
        box.check()
    models = page.get_by_test_id("side-by-side-scorers").get_by_role("checkbox").count()
    if models > 3:
        expect(count).to_contain_text(f"{4 * models} combinations selected")
        expect(button).to_be_disabled()
    # A strategy that needs a model that writes cannot be chosen, and says why.
    writes = page.get_by_test_id("side-by-side-strategies").get_by_role("checkbox", disabled=True)
    expect(writes.first).to_be_disabled()
    choose(page, "reads", "beam")
    page.get_by_test_id("side-by-side-question").fill(" ")
    page.get_by_test_id("side-by-side-question").press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Write a question first")).to_be_visible()


def test_all_are_stopped_at_once_by_who_asked_alone(open_page: Callable[..., Page]) -> None:
    page = open_page("/side-by-side")
    ask(page, "reads", "beam", "etd", "rog")
    other = open_page(page.url.split("/", 3)[-1].join(("/", "")))
    expect(other.get_by_test_id("way")).to_have_count(4)
    expect(other.get_by_test_id("side-by-side-cancel")).to_have_count(0)
    page.get_by_test_id("side-by-side-cancel").click()
    expect(page.locator("[data-testid=way][data-status=cancelled]").last).to_be_visible()
    expect(page.get_by_test_id("side-by-side-cancel")).to_have_count(0)


def test_what_is_not_there_says_so(open_page: Callable[..., Page]) -> None:
    page = open_page("/side-by-side/00000000-0000-0000-0000-000000000000")
    expect(page.get_by_role("heading", name="This comparison does not exist")).to_be_visible()


def test_nothing_sticks_out_of_a_narrow_window(open_page: Callable[..., Page]) -> None:
    page = open_page("/side-by-side", width=360, height=740)
    ask(page, "reads", "rog")
    over(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360
    assert faults(page) == []
