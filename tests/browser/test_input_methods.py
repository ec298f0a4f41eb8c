"""Text that an input method composes: the Enter that confirms it does nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.judged_cases import first_case_opened
from tests.browser.test_annotation import first_task, new_project, signed_in, take

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

COMPOSED = "ナイトライダー"
HANDLED_BY_INPUT_METHOD = 229
SAFARI_ENTER = (
    "field => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true }))"
)
"""Safari sends the confirming Enter once the composition has ended."""


def compose(page: Page, field: Locator, text: str, option: str | None = None) -> None:
    """Compose text in a field and confirm it with Enter, in Chromium's way and in Safari's.

    ``option`` is the test id of what has to be offered before Enter is pressed.
    """
    field.focus()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    if option is not None:
        expect(page.get_by_test_id(option).first).to_be_visible()
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": HANDLED_BY_INPUT_METHOD}
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key})
    session.send("Input.insertText", {"text": text})
    session.send("Input.dispatchKeyEvent", {"type": "keyUp", **key})
    field.evaluate(SAFARI_ENTER)


def test_confirming_a_composition_asks_no_question_and_chooses_no_topic(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    question = page.get_by_test_id("ask-input")
    compose(page, question, COMPOSED)
    expect(question).to_have_value(COMPOSED)
    page.get_by_test_id("topic-button").click()
    field = page.get_by_test_id("topic-input")
    compose(page, field, "knight", "topic-option")
    expect(field).to_have_value("knight")
    assert page.url.endswith("/")


def test_confirming_a_composition_draws_nothing(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore")
    field = page.get_by_test_id("find")
    compose(page, field, "knight", "find-option")
    expect(field).to_have_value("knight")
    expect(page.get_by_test_id("card")).to_have_count(0)


def test_confirming_a_composition_takes_no_option(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = new_project(open_page, site, "Composed", 1)
    page = signed_in(open_page, site, "annotator", "/annotate")
    first_task(page, project)
    take(page, "Knight Rider", "Which relation comes next?")
    page.keyboard.press("/")
    field = page.get_by_test_id("choice-filter").get_by_role("searchbox")
    page.keyboard.type("r")
    compose(page, field, "e")
    expect(field).to_have_value("re")
    expect(page.get_by_test_id("decision")).to_have_count(1)


def test_confirming_a_composition_saves_no_comment(open_page: Callable[..., Page], site: RunningSite) -> None:
    admin = signed_in(open_page, site, "admin", "/datasets")
    first_case_opened(admin)
    field = admin.get_by_role("textbox", name="Comment")
    compose(admin, field, COMPOSED)
    expect(field).to_have_value(COMPOSED)
    field.press("Enter")
    expect(admin.get_by_test_id("comment-text")).to_contain_text(COMPOSED)
