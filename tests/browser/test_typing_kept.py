"""Typed text survives a reload while the field still has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.judged_cases import first_case_opened
from tests.browser.test_annotation import first_task, moves_of, new_project, signed_in
from tests.browser.test_explore import put
from tests.webapp.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

NOTE = "the voice, not the driver "
ANOTHER_STEP = """() => {
    const query = new URLSearchParams(location.search);
    query.set('step', '1');
    history.replaceState(null, '', `?${query}`);
    dispatchEvent(new PopStateEvent('popstate'));
}"""
FOCUSED = "field => field === document.activeElement"


def test_a_note_on_a_label_is_saved_while_it_is_typed(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = new_project(open_page, site, "Notes", 1)
    page = signed_in(open_page, site, "annotator", "/annotate")
    first_task(page, project)
    note = page.get_by_test_id("note")
    page.keyboard.press("n")
    page.keyboard.type(NOTE)
    wait_until(lambda: [move["now"] for move in moves_of(page)] == [{"note": NOTE}])
    assert note.evaluate(FOCUSED)
    expect(note).to_have_value(NOTE)
    page.keyboard.type("at all")
    page.reload()
    expect(note).to_have_value(f"{NOTE}at all")
    wait_until(lambda: moves_of(page)[-1]["now"] == {"note": f"{NOTE}at all"})

    # A rewording is kept in the same way.
    page.get_by_test_id("kind").select_option("reword")
    page.get_by_test_id("rewording").press_sequentially("who speaks?")
    page.reload()
    expect(page.get_by_test_id("rewording")).to_have_value("who speaks?")


def test_a_note_on_a_drawing_is_kept(open_page: Callable[..., Page]) -> None:
    page = open_page("/explore")
    note = put(page, "Knight Rider").get_by_role("textbox", name="Note")
    note.press_sequentially(NOTE)
    page.reload()
    page.get_by_test_id("drawn-count").wait_for()
    expect(page.get_by_role("textbox", name="Note")).to_have_value(NOTE)


def test_a_comment_that_was_not_sent_waits_in_its_field(open_page: Callable[..., Page], site: RunningSite) -> None:
    admin = signed_in(open_page, site, "admin", "/datasets")
    first_case_opened(admin)
    admin.keyboard.type(NOTE)
    admin.reload()
    field = admin.get_by_role("textbox", name="Comment")
    expect(field).to_have_value(NOTE)
    field.press("Enter")
    expect(admin.get_by_test_id("comment-text")).to_contain_text(NOTE.strip())
    admin.reload()
    expect(admin.get_by_test_id("comment-text")).to_be_visible()
    expect(field).to_have_count(0)


def test_a_field_for_a_comment_stays_open_where_the_address_keeps_another_step(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    """A case opens at its first wrong decision once its run is there, perhaps after the reviewer began to comment."""
    admin = signed_in(open_page, site, "admin", "/datasets")
    first_case_opened(admin)
    field = admin.get_by_role("textbox", name="Comment")
    expect(field).to_be_focused()
    admin.evaluate(ANOTHER_STEP)
    expect(admin.get_by_test_id("timeline-item").first).to_have_attribute("aria-current", "step")
    expect(field).to_be_focused()


def test_a_guideline_that_was_not_written_waits_in_its_form(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = new_project(open_page, site, "Guided", 1)
    page = signed_in(open_page, site, "admin", f"/annotate/projects/{project}")
    page.get_by_test_id("write-guideline").click()
    text = page.get_by_test_id("guideline-text")
    text.fill("Choose the shortest way.")
    page.reload()
    expect(text).to_have_value("Choose the shortest way.")
    page.get_by_role("button", name="Cancel").click()
    page.reload()
    page.get_by_test_id("write-guideline").wait_for()
    expect(text).to_have_count(0)
