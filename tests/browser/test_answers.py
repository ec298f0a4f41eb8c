"""What the page says of an answer, and of none: how sure, what was not used, how to go on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_theatre import KITT, ask
from tests.browser.test_what_if import at_step, changed, path_of

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.browser


def test_the_weakest_decision_is_named_beside_the_answer_and_leads_to_it(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, KITT)
    expect(page.get_by_test_id("confidence")).to_have_text(re.compile(r"Confidence \d+ %"))
    weakest = page.get_by_test_id("weakest")
    expect(weakest).to_have_text(re.compile(r"^Weakest step: .+ \("))
    weakest.focus()
    page.keyboard.press("Enter")
    shown = page.locator('[data-testid="timeline-item"][aria-current="step"]')
    named = re.search(r": (?:follow |begin at |keep facts where )?(.+) \(", weakest.inner_text())
    assert named is not None
    expect(shown).to_contain_text(re.compile(re.escape(named[1]), re.IGNORECASE))
    # The place of the answer was the only one that was left: that is no certainty of the model's.
    expect(page.get_by_test_id("timeline")).not_to_contain_text("1.0")


def test_where_nothing_was_found_what_came_next_is_a_button(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "what was the budget of Knight Rider?")
    ways = page.get_by_test_id("ways-on")
    expect(ways).to_contain_text(
        re.compile(r"The model was (over |under )?\d+ % sure that no option leads to an answer\.")
    )
    expect(page.get_by_test_id("unused-words")).to_have_text("Not taken into account: “budget”")
    expect(page.get_by_test_id("answer")).not_to_contain_text("Not in this graph")
    before = path_of(page)
    page.get_by_test_id("runner-up").first.click()
    changed(page, before)
    expect(page.get_by_test_id("share-variant")).to_be_visible()
    page.get_by_test_id("keep").click()
    page.get_by_test_id("kept").click()
    expect(page).to_have_url(re.compile(r"/questions\?starred=1$"))
    expect(page.locator("li.own-row")).not_to_have_count(0)


def test_what_is_not_understood_is_said_while_typed_and_with_the_answer(open_page: Callable[..., Page]) -> None:
    page = open_page()
    shown = page.get_by_test_id("not-understood")
    page.get_by_test_id("ask-input").fill("who has never played the voice of KITT in Knight Rider?")
    expect(shown).to_have_text("Not supported yet: “never”. The answers may include what it excludes.")
    page.get_by_test_id("ask-input").fill("who created Knight Rider and when?")
    expect(shown).to_have_text("Only one question is answered. Ask “and when” on its own.")
    page.get_by_test_id("ask-input").fill("")
    expect(shown).to_have_count(0)
    ask(page, "who has never played the voice of KITT in Knight Rider?")
    expect(page.get_by_test_id("answer")).to_contain_text("The question leaves something out")
    expect(page.get_by_test_id("answer").get_by_test_id("not-understood")).to_have_text(
        "Not supported yet: “never”. The answers may include what it excludes."
    )


def test_yes_no_questions_and_comparisons_are_answered_and_what_is_left_out_is_the_headline(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    ask(page, "Is Berlin the capital of France?")
    expect(page.get_by_test_id("claim")).to_have_text("No such fact in this graph")
    expect(page.get_by_test_id("claim-why")).to_have_text("What the graph has instead of “Berlin”:")
    expect(page.get_by_test_id("answer-item")).to_have_text(["Paris"])
    page = open_page()
    ask(page, "Which is longer, the Nile or the Amazon?")
    expect(page.get_by_test_id("answer-item")).to_have_text(["Nile"])
    expect(page.get_by_test_id("compared-value")).to_have_text(
        ["Nile: length 6,650 km", "Amazon River: length 6,400 km"]
    )
    page = open_page()
    ask(page, "Who directed Inception and when was it released?")
    expect(page.get_by_test_id("partial")).to_have_text("Partial answer: “and when was it released” was not used")
    expect(page.get_by_test_id("confidence")).to_have_count(0)


def test_how_many_is_answered_by_a_number_with_the_list_below(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "how many films did Christopher Nolan direct?")
    expect(page.get_by_test_id("answer-number")).to_have_text("12")
    expect(page.get_by_test_id("counted")).to_have_text("Counted; the list shows 8 of 12.")
    expect(page.get_by_test_id("answer-item")).to_have_count(8)
    expect(page.get_by_test_id("timeline")).to_contain_text("Count the answers")
    expect(page.get_by_test_id("unused-words")).to_have_count(0)
    page.get_by_test_id("list-answers").press("Enter")
    expect(page.get_by_test_id("counted")).to_have_text("Counted; the list shows 12 of 12.")
    # The way to one of them is shown as for any answer, and the page opened again says the same.
    page.get_by_test_id("answer-item").nth(9).press("Enter")
    expect(page.get_by_test_id("answer-path")).to_contain_text("Christopher Nolan")
    page.reload()
    expect(page.get_by_test_id("answer-number")).to_have_text("12")


def test_the_second_highest_is_answered_and_becomes_the_third_by_a_condition_of_one_s_own(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    ask(page, "what is the second highest mountain in the Andes")
    expect(page.get_by_test_id("answer-item")).to_have_text(["Ojos del Salado"])
    expect(page.get_by_test_id("timeline")).to_contain_text("Keep facts where elevation is the second largest")
    expect(page.get_by_test_id("unused-words")).to_have_count(0)
    before = path_of(page)
    at_step(page, "Keep facts where")
    page.get_by_test_id("drop").click()
    changed(page, before)
    before = path_of(page)
    at_step(page, "The answer is")
    page.get_by_test_id("add-condition").click()
    form = page.get_by_test_id("condition-form")
    form.get_by_label("Node").select_option("elevation")
    form.get_by_label("Comparison").select_option("is the largest")
    form.get_by_test_id("condition-place").select_option("the third one from there")
    form.get_by_test_id("condition-set").click()
    changed(page, before)
    expect(page.get_by_test_id("now")).to_contain_text("Huascar")
    expect(page.get_by_test_id("timeline")).to_contain_text("Keep facts where elevation is the third largest")


def test_what_kind_is_asked_for_is_kept_and_may_be_said_by_hand(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "which counties are in Florida?")
    expect(page.get_by_test_id("answer-item")).to_have_text([re.compile(r"County\s*$"), re.compile(r"County\s*$")])
    expect(page.get_by_test_id("timeline")).to_contain_text("Keep facts where contains is a US county")
    before = path_of(page)
    at_step(page, "Keep facts where")
    page.get_by_test_id("drop").click()
    changed(page, before)
    expect(page.get_by_test_id("answer-item").nth(2)).to_be_visible()
    before = path_of(page)
    at_step(page, "The answer is")
    page.get_by_test_id("add-condition").click()
    form = page.get_by_test_id("condition-form")
    form.get_by_label("Comparison").select_option("is of a kind")
    form.get_by_test_id("condition-kind").fill("city or town")
    form.get_by_test_id("condition-set").click()
    changed(page, before)
    expect(page.get_by_test_id("now")).to_contain_text("Tampa")
    expect(page.get_by_test_id("timeline")).to_contain_text("is a city or town")


def test_what_held_then_is_kept_where_somebody_says_so(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "who coached the Pittsburgh Steelers?")
    expect(page.get_by_test_id("answer")).to_contain_text("Chuck Noll")
    before = path_of(page)
    at_step(page, "The answer is")
    page.get_by_test_id("add-condition").click()
    form = page.get_by_test_id("condition-form")
    form.get_by_label("Node").select_option("coaches")
    expect(form.get_by_label("Comparison").locator("option")).to_have_count(1)
    form.get_by_test_id("condition-value").fill("2006")
    form.get_by_test_id("condition-set").click()
    changed(page, before)
    expect(page.get_by_test_id("answer-item")).to_have_text(["Bill Cowher"])
    expect(page.get_by_test_id("timeline")).to_contain_text("Keep facts where coaches held in 2006")


def test_only_a_question_that_names_nothing_is_not_in_the_graph(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "where does Xyzzy Foobar live?")
    expect(page.get_by_test_id("answer")).to_contain_text("Not in this graph")
    expect(page.get_by_test_id("ways-on")).to_have_count(0)


def test_what_the_graph_holds_of_an_answer_is_unfolded_and_is_the_answer_to_tell_me_about(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    ask(page, KITT)
    about = page.get_by_test_id("about-entity")
    about.locator("summary").press("Enter")
    expect(about).to_contain_text("31 March 1927")
    page = open_page()
    ask(page, "Tell me about Barack Obama.")
    expect(page.get_by_test_id("answer")).to_contain_text("About Barack Obama")
    about = page.get_by_test_id("about-entity")
    expect(about.get_by_test_id("entity-values").filter(has_text="4 August 1961")).to_be_visible()
    expect(about).to_contain_text(re.compile(r"8 of \d+ relations"))
    about.get_by_role("link", name="Show all in Explore").press("Enter")
    card = page.get_by_test_id("card")
    expect(card.get_by_role("heading", name="Barack Obama")).to_be_visible()
    expect(card.get_by_test_id("values").filter(has_text="Malia Obama, Sasha Obama")).to_be_visible()
