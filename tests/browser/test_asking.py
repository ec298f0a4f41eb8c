"""One's own questions, and whether an answer is right, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.quiet import asked_while_resting
from tests.browser.test_accounts import sign_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page, Route

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser
KITT = "who plays the voice of KITT in Knight Rider?"
JAMAICA = "what do Jamaican people speak?"


def ask(page: Page, question: str) -> None:
    page.goto("/")
    page.get_by_test_id("ask-input").fill(question)
    page.get_by_test_id("ask-input").press("Enter")
    expect(page.get_by_test_id("figures")).to_be_visible(timeout=60_000)


def wider_than_the_screen(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def test_one_finds_and_stars_ones_questions_by_the_keyboard(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page("/questions", width=360, height=740)
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    ask(page, KITT)
    ask(page, JAMAICA)
    page.goto("/")
    page.get_by_test_id("to-my-questions").click()
    rows = page.get_by_test_id("own-question")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text(JAMAICA)
    expect(page.get_by_text("Anyone with the link can read a question")).to_be_visible()
    assert not wider_than_the_screen(page)
    page.screenshot(path=tmp_path / "narrow.png", full_page=True)

    page.keyboard.press("/")
    expect(page.get_by_label("Search my questions")).to_be_focused()
    page.keyboard.type("knight kitt")
    expect(rows).to_have_count(1)
    expect(page.get_by_test_id("question-count")).to_have_text("1 of 2 questions")
    page.get_by_role("button", name=f"Star “{KITT}”").press("Enter")
    expect(page.get_by_role("button", name="Starred (1)")).to_be_visible()
    page.reload()
    expect(rows).to_have_count(1)
    page.get_by_label("Search my questions").fill("nothing like this")
    expect(page.get_by_test_id("nothing-found")).to_contain_text("None of your questions contains “nothing like this”")
    page.get_by_role("button", name="Show all").press("Enter")
    page.get_by_role("button", name="Starred (1)").press("Enter")
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Starred (1)").press("Enter")
    expect(rows).to_have_count(2)

    # With the arrows through the list.
    page.get_by_role("link", name=JAMAICA, exact=True).focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name=KITT, exact=True)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("link", name=JAMAICA, exact=True)).to_be_focused()


def test_what_a_question_names_is_reported_while_it_is_typed(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page("/", width=360, height=740)
    expect(page.get_by_test_id("graph-holds")).to_contain_text("Most frequent: ")
    field, shown = page.get_by_test_id("ask-input"), page.get_by_test_id("recognised")
    field.fill("who plays the voice of KITT in Night Rider?")
    expect(shown).to_contain_text("KITT")
    expect(shown).to_contain_text("“Night Rider”: did you mean Knight Rider?")
    page.screenshot(path=tmp_path / "typed.png")
    page.get_by_test_id("did-you-mean").press("Enter")
    expect(field).to_have_value(KITT)
    expect(field).to_be_focused()
    expect(shown).not_to_contain_text("did you mean")
    expect(shown).to_contain_text("Knight Rider")
    # What it names can be chosen, so that no model decides it.
    page.get_by_test_id("topic-button").click()
    page.get_by_role("option", name="Knight Rider").click()
    expect(page.get_by_test_id("topic-button")).to_contain_text("Knight Rider")
    assert not wider_than_the_screen(page)
    field.fill("who is Xyzzy Foobar?")
    expect(shown).to_contain_text("No entity in this graph is called “Xyzzy Foobar”.")


def test_the_topic_that_is_shown_is_that_of_the_text_that_stands_there(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    ask(page, KITT)
    expect(page.get_by_test_id("topic-button")).to_contain_text("Knight Rider")
    expect(page.get_by_test_id("recognised")).to_have_count(0)
    page.get_by_test_id("ask-input").fill(JAMAICA)
    expect(page.get_by_test_id("topic-button")).to_contain_text("automatic")
    expect(page.get_by_test_id("recognised")).to_contain_text("Jamaica")
    page.get_by_test_id("ask-input").fill(KITT)
    expect(page.get_by_test_id("topic-button")).to_contain_text("Knight Rider")


def test_the_form_to_ask_again_may_be_opened_before_the_graphs_are_known(open_page: Callable[..., Page]) -> None:
    page = open_page("/", width=1280)
    ask(page, KITT)

    def late(route: Route) -> None:
        page.wait_for_timeout(3_000)
        route.continue_()

    page.route("**/api/graphs", late)
    page.goto("/questions")
    rows = page.get_by_test_id("own-question")
    rows.first.get_by_role("button", name="Ask again").press("Enter")
    rows.first.get_by_label("Model").select_option("lexical")
    button = rows.first.get_by_role("button", name="Ask", exact=True)
    expect(button).to_be_enabled()
    expect(rows.first.get_by_label("Graph")).to_have_value("sample")
    expect(rows.first.get_by_label("Model")).to_have_value("lexical")
    button.press("Enter")
    expect(rows.first.get_by_test_id("own-run")).to_have_count(2)


def test_a_question_is_asked_again_of_another_model_and_deleted(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page("/", width=1280)
    ask(page, KITT)
    ask(page, JAMAICA)
    page.goto("/questions")
    rows = page.get_by_test_id("own-question")
    rows.nth(1).get_by_role("button", name="Ask again").press("Enter")
    rows.nth(1).get_by_label("Model").select_option("lexical")
    expect(rows.nth(1).get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    rows.nth(1).get_by_role("button", name="Ask", exact=True).press("Enter")
    # It was asked last now, and both runs stand side by side.
    expect(rows.first).to_contain_text(KITT)
    runs = rows.first.get_by_test_id("own-run")
    expect(runs).to_have_count(2)
    expect(runs.first).not_to_contain_text("running")
    assert asked_while_resting(page) == []
    page.screenshot(path=tmp_path / "wide.png", full_page=True)
    page.emulate_media(color_scheme="dark")
    page.reload()
    expect(rows).to_have_count(2)
    page.screenshot(path=tmp_path / "dark.png", full_page=True)
    run = runs.last.get_attribute("href")
    assert run is not None

    page.get_by_role("button", name=f"Delete “{KITT}”").press("Enter")
    dialog = page.get_by_test_id("erase-question")
    expect(dialog).to_contain_text("Both runs of it")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    page.screenshot(path=tmp_path / "delete.png")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(2)
    page.get_by_role("button", name=f"Delete “{KITT}”").press("Enter")
    dialog.get_by_role("button", name="Delete").press("Enter")
    expect(rows).to_have_count(1)
    expect(page.get_by_text(f"“{KITT}” is deleted.")).to_be_visible()
    page.goto(run)
    expect(page.get_by_role("heading", name="This run does not exist")).to_be_visible()


def test_more_questions_than_a_page_holds_and_a_site_that_is_away(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    for number in range(1, 23):
        answer = page.evaluate(
            """async (question) => {
                const { csrf_token } = await (await fetch('/api/session')).json();
                const headers = { 'Content-Type': 'application/json', 'X-CSRFToken': csrf_token };
                const body = JSON.stringify({ question, scorer: 'lexical' });
                return (await fetch('/api/runs', { method: 'POST', headers, body })).status;
            }""",
            f"who is number {number}?",
        )
        assert answer == 201
    page.goto("/questions")
    rows = page.get_by_test_id("own-question")
    expect(rows).to_have_count(20)
    expect(page.get_by_text("1–20 of 22")).to_be_visible()  # noqa: RUF001 - as it is written
    page.get_by_role("button", name="Older").press("Enter")
    expect(rows).to_have_count(2)
    expect(page).to_have_url("/questions?page=2")
    page.goto("/questions?page=7")
    expect(page.get_by_test_id("nothing-found")).to_contain_text("Page 7 does not exist.")

    page.route("**/api/questions?*", lambda route: route.fulfill(status=503, json={}))
    page.goto("/questions")
    expect(page.get_by_role("heading", name="Your questions could not be loaded")).to_be_visible()
    with page.expect_request("**/api/questions?*"):
        page.get_by_role("button", name="Try again").press("Enter")
    # Once the site is back, the page finds it by itself, too.
    page.unroute("**/api/questions?*")
    expect(rows).to_have_count(20)


def test_people_say_whether_an_answer_is_right_and_reviewers_read_it(
    open_page: Callable[..., Page], site: RunningSite, tmp_path: Path
) -> None:
    page = open_page("/", width=360, height=740)
    ask(page, KITT)
    asked = page.get_by_test_id("is-this-right")
    asked.get_by_role("button", name="Yes").press("Enter")
    expect(asked).to_contain_text("Thank you")
    asked.get_by_role("button", name="No").press("Enter")
    asked.get_by_label("What should it be?").fill("David Hasselhoff")
    expect(asked.get_by_role("button", name="Save")).to_be_visible()
    page.keyboard.press("Enter")
    expect(asked.get_by_role("button", name="Save")).to_be_hidden()
    expect(asked).to_contain_text("Thank you")
    assert not wider_than_the_screen(page)
    page.screenshot(path=tmp_path / "said-narrow.png")
    page.set_viewport_size({"width": 1366, "height": 768})
    page.reload()
    expect(asked.get_by_role("button", name="No")).to_have_attribute("aria-pressed", "true")
    expect(asked.get_by_label("What should it be?")).to_have_value("David Hasselhoff")
    page.screenshot(path=tmp_path / "said.png")

    # Another user with the link gives feedback, and removes it.
    other = open_page(page.url)
    theirs = other.get_by_test_id("is-this-right")
    theirs.get_by_role("button", name="Yes").click()
    expect(theirs).to_contain_text("Thank you")
    theirs.get_by_role("button", name="Yes").click()
    expect(theirs.get_by_role("button", name="Yes")).to_have_attribute("aria-pressed", "false")

    reviewer = open_page("/feedback")
    expect(reviewer.get_by_role("heading", name="This page is for reviewers")).to_be_visible()
    sign_in(reviewer, *site.account("reviewer"))
    given = reviewer.get_by_test_id("given-feedback")
    expect(given).to_have_count(1)
    expect(given).to_contain_text("Expected: David Hasselhoff")
    assert asked_while_resting(reviewer) == []
    reviewer.screenshot(path=tmp_path / "feedback.png")
    reviewer.keyboard.press("/")
    reviewer.keyboard.type("nothing like this")
    expect(reviewer.get_by_text("No feedback matches these filters.")).to_be_visible()
    reviewer.get_by_label("Search the feedback").fill("hasselhoff")
    reviewer.get_by_label("With an expected answer").check()
    expect(given).to_have_count(1)
    with reviewer.expect_download() as download:
        reviewer.get_by_role("link", name="CSV").click()
    assert "David Hasselhoff" in download.value.path().read_text()
    reviewer.set_viewport_size({"width": 360, "height": 740})
    assert not wider_than_the_screen(reviewer)
    reviewer.screenshot(path=tmp_path / "feedback-narrow.png")
