"""A reviewer sends a label back; its maker finds it first, replies, changes it and hands it in again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults
from tests.browser.test_annotation import KITT, first_task, label_kitt, new_project, signed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

COMMENT = "Which KITT?\nThere are two <b>cars</b>."


def test_a_label_is_sent_back_and_handed_in_again_by_keyboard(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    project = new_project(open_page, site, "There and back", 1)
    page = signed_in(open_page, site, "annotator", "/annotate")
    first_task(page, project)
    label_kitt(page)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("state")).to_contain_text("handed in")

    admin = signed_in(open_page, site, "admin", f"/annotate/projects/{project}")
    admin.get_by_test_id("show-labels").press("Enter")
    admin.get_by_test_id("send-back").press("Enter")
    expect(admin.get_by_test_id("send-back-now")).to_be_disabled()
    admin.keyboard.type(COMMENT)
    assert faults(admin) == []
    admin.get_by_test_id("send-back-now").press("Enter")
    label = admin.get_by_test_id("label")
    expect(label).to_contain_text("sent back, in progress")
    expect(label.get_by_test_id("send-back")).to_have_count(0)

    page.goto("/annotate")
    waiting = page.get_by_test_id("sent-back-tasks").get_by_role("listitem").filter(has_text="There and back")
    expect(waiting).to_contain_text(COMMENT)
    assert faults(page) == []
    waiting.get_by_role("link").press("Enter")
    expect(page.get_by_test_id("question")).to_have_text(KITT)
    expect(page.get_by_test_id("sent-back")).to_contain_text(COMMENT)
    page.get_by_test_id("reply").press_sequentially("The car, not")
    expect(page.get_by_role("status").filter(has_text=re.compile("^saved$"))).to_be_visible()
    page.reload()
    expect(page.get_by_test_id("reply")).to_have_value("The car, not")
    assert faults(page) == []
    page.set_viewport_size({"width": 360, "height": 700})
    expect(page.get_by_test_id("sent-back")).to_contain_text("The car, not")
    assert faults(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    # What is typed last is told as well, however soon the label is handed in.
    page.get_by_test_id("reply").fill("The car, not the series.")
    page.get_by_test_id("reply").press("Escape")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("state")).to_contain_text("handed in")
    expect(page.get_by_test_id("reply")).to_have_count(0)

    admin.reload()
    admin.get_by_test_id("show-labels").click()
    expect(label.get_by_test_id("sent-back")).to_contain_text("handed in again")
    expect(label.get_by_test_id("sent-back")).to_contain_text("The car, not the series.")
    expect(label.get_by_test_id("send-back")).to_be_visible()
