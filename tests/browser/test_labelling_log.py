"""The log of a project in a browser: found from its page, filtered by keyboard, kept in the address, saved."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults
from tests.browser.test_agreement import sample_project
from tests.browser.test_annotation import new_project, signed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

NARROW = 360


def test_who_did_what_is_filtered_and_saved(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = signed_in(open_page, site, "reviewer", "/annotate", width=NARROW, height=740, color_scheme="dark")
    page.goto(f"/annotate/projects/{sample_project(page)}")
    page.get_by_test_id("labelling-log").press("Enter")
    entries, count = page.get_by_test_id("log-entry"), page.get_by_test_id("log-count")
    expect(entries).to_have_count(50)
    page.get_by_role("button", name="Older").press("Enter")
    expect(page.get_by_text("100 of 132")).to_be_visible()
    page.get_by_test_id("log-what").select_option("handed_in")
    expect(count).to_contain_text("18 of")
    page.get_by_test_id("log-person").select_option(label="Dan")
    expect(count).to_contain_text("9 of")
    expect(entries.first).to_contain_text("handed in")
    page.get_by_test_id("log-what").select_option("")
    page.get_by_test_id("log-person").select_option("")
    page.get_by_label("Question", exact=True).fill("police")
    expect(entries.first).to_contain_text("drummer of The Police")
    entries.first.get_by_role("button").press("Enter")
    expect(page.get_by_label("Question", exact=True)).not_to_have_value("police")
    expect(entries.filter(has_text="topic: The Police")).to_have_count(2)
    expect(entries.filter(has_text="next relation: ")).not_to_have_count(0)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW
    assert faults(page) == []
    shown = entries.count()
    page.reload()
    expect(entries).to_have_count(shown)
    page.get_by_test_id("log-people").select_option("pseudonyms")
    with page.expect_download() as download:
        page.get_by_test_id("log-file").press("Enter")
    with download.value.path().open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == shown
    assert all(row["who"].startswith("annotator ") for row in rows)
    page.get_by_test_id("log-to").fill("2001-01-01")
    expect(page.get_by_test_id("log-none")).to_contain_text("No entry matches these filters")
    page.get_by_test_id("log-everything").press("Enter")
    expect(entries).to_have_count(50)


def test_a_project_in_which_nothing_was_done_says_so(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = new_project(open_page, site, "Nothing done yet", 1)
    page = signed_in(open_page, site, "reviewer", f"/annotate/projects/{project}/log")
    expect(page.get_by_test_id("log-none")).to_contain_text("No entries yet")
    assert faults(page) == []


def test_an_annotator_is_shown_that_the_log_is_not_for_them(open_page: Callable[..., Page], site: RunningSite) -> None:
    project = sample_project(signed_in(open_page, site, "reviewer", "/annotate"))
    page = signed_in(open_page, site, "annotator", f"/annotate/projects/{project}/log")
    expect(page.get_by_role("heading", name="You do not have access to this project")).to_be_visible()
    expect(page.get_by_text("Only reviewers and managers")).to_be_visible()
