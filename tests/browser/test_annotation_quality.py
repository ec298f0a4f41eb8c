"""A qualification round in a browser: made with the form, not passed, told kindly, and tried again."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults
from tests.browser.test_annotation import ask, loaded_sample, signed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser


def hand_in_wrong(page: Page) -> None:
    """Hand in the task that a page shows with an answer that is none, as a script would, and see it handed in."""
    task = page.url.rsplit("/", 1)[1].split("?")[0]
    work: dict[str, Any] = ask(page, "GET", f"/annotation/tasks/{task}")["work"]
    now = {"kind": "answers", "marked": ["en.kitt"]}
    move = {"id": str(uuid.uuid4()), "was": {name: work["draft"][name] for name in now}, "now": now}
    ask(page, "POST", f"/annotation/tasks/{task}/moves", {"after": work["last"], "moves": [move]})
    page.reload()
    expect(page.get_by_test_id("kind")).to_have_value("answers")
    page.get_by_test_id("hand-in").click()


def made_with_a_round(admin: Page, annotator: str) -> str:
    """Make a project with the form, which says at first what is wrong; its address."""
    dataset = loaded_sample(admin)
    admin.goto("/annotate")
    admin.get_by_test_id("new-project").click()
    form = admin.get_by_test_id("project-form")
    form.get_by_label("Title").fill("Qualified people")
    form.get_by_test_id("dataset").select_option(dataset)
    form.get_by_test_id("words").fill("KITT")
    form.get_by_test_id("people").fill(annotator)
    form.get_by_test_id("known-percent").fill("100")
    form.get_by_test_id("with-round").check()
    form.get_by_test_id("round-questions").fill("2")
    form.get_by_test_id("make").click()
    expect(form.get_by_test_id("form-fault")).to_contain_text("Ask for fewer")
    expect(form.get_by_test_id("form-fault")).to_be_in_viewport()
    form.get_by_test_id("known-percent").fill("5")
    form.get_by_test_id("make").click()
    expect(admin.get_by_test_id("quality")).to_contain_text("each annotator labels 2 questions")
    return admin.url


def test_who_does_not_pass_is_reported_kindly_and_let_try_again(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    name = site.account("annotator")[0]
    admin = signed_in(open_page, site, "admin", "/datasets")
    project = made_with_a_round(admin, name)
    page = signed_in(open_page, site, "annotator", project)
    expect(page.get_by_test_id("quality")).not_to_contain_text("measured")
    page.get_by_test_id("next").click()
    expect(page.get_by_test_id("place")).to_have_text("Qualification: 1 of 2")
    expect(page.get_by_test_id("skip")).to_have_count(0)
    hand_in_wrong(page)
    expect(page.get_by_test_id("place")).to_have_text("Qualification: 2 of 2")
    hand_in_wrong(page)
    shown = page.get_by_test_id("qualification")
    expect(shown).to_contain_text("Not passed")
    expect(shown.get_by_test_id("round-figures")).to_contain_text("0 of 2 right")
    expect(shown.get_by_test_id("expected")).to_have_count(2)
    expect(shown.get_by_test_id("expected").first).to_contain_text("Expected")
    expect(page.get_by_test_id("next")).to_have_count(0)
    assert faults(page) == []

    admin.goto(project)
    row = admin.get_by_test_id("progress").get_by_role("row").filter(has_text=name)
    expect(row.get_by_test_id("standing")).to_have_text("not passed: 0 of 2 right")
    member = admin.get_by_test_id("member").filter(has_text=name)
    member.get_by_test_id("again").press("Enter")
    expect(row.get_by_test_id("standing")).to_have_text("0 of 2 answered, try 2")
    member.get_by_role("combobox").select_option("reviewer")
    expect(member.get_by_role("checkbox")).to_be_enabled()
    member.get_by_role("checkbox").uncheck()
    expect(admin.get_by_role("status")).to_contain_text("gets no new tasks")
    assert faults(admin) == []

    # A reviewer sees how far everybody is, and changes nothing.
    page.goto(project)
    expect(page.get_by_test_id("progress")).to_be_visible()
    expect(page.get_by_test_id("tasks")).to_be_visible()
    expect(page.get_by_test_id("members")).to_have_count(0)
    expect(page.get_by_test_id("known")).to_have_count(0)
    page.get_by_test_id("show-labels").first.press("Enter")
    expect(page.get_by_test_id("label")).to_contain_text("Answers alone")
    expect(page.get_by_test_id("label")).to_contain_text("= KITT")
    assert faults(page) == []
    member.get_by_test_id("take-out-member").click()
    expect(admin.get_by_test_id("member").filter(has_text=name)).to_have_count(0)
    admin.get_by_test_id("member-name").fill(name)
    admin.get_by_test_id("add-member").press("Enter")
    expect(admin.get_by_test_id("member").filter(has_text=re.compile(name))).to_be_visible()
