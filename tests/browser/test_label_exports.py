"""Labels are exported from the page of their project, by keyboard, with what is left out told before."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults
from tests.browser.test_annotation import ask, signed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser


def downloaded(page: Page) -> str:
    with page.expect_download() as download:
        page.get_by_test_id("export").press("Enter")
    return Path(download.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1366), ("dark", 360)])
def test_what_goes_in_is_reported_before_and_then_downloaded(
    open_page: Callable[..., Page], site: RunningSite, scheme: str, width: int
) -> None:
    page = signed_in(open_page, site, "reviewer", "/annotate", color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 768})
    projects = ask(page, "GET", "/annotation/projects")["projects"]
    project = next(each for each in projects if each["title"] == "Try labelling")
    page.goto(f"/annotate/projects/{project['id']}")
    panel = page.get_by_test_id("label-export")
    panel.locator("summary").first.press("Enter")
    shown = page.get_by_test_id("export-preview")
    done = project["figures"]["done"]
    expect(shown).to_contain_text(f"{done} of {done} labels go into the file.")
    page.get_by_test_id("export-people").select_option("pseudonyms")
    page.get_by_test_id("export-moves").press("Space")
    lines = [json.loads(line)["label"] for line in downloaded(page).splitlines()]
    assert len(lines) == done
    assert all(line["who"].startswith("annotator ") and line["log"] for line in lines)

    page.get_by_test_id("export-format").select_option("grailqa")
    expect(shown).to_contain_text(f"of {done} labels go into the file.")
    expect(page.get_by_test_id("export-left-out")).to_contain_text(": 1")
    expect(page.get_by_test_id("export-people")).to_have_count(0)
    expect(panel).to_contain_text("Limits of GrailQA")
    questions = json.loads(downloaded(page))
    expect(shown).to_contain_text(f"{len(questions)} of {done} labels")
    assert all(question["s_expression"].startswith("(") for question in questions)
    assert faults(page) == []

    page.get_by_test_id("export-overlay").press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text("No question of this project is corrected")

    page.get_by_test_id("export-format").select_option("csv")
    expect(shown).to_contain_text(f"{done} of {done} labels")
    assert len(list(csv.DictReader(io.StringIO(downloaded(page))))) == done


def test_who_only_labels_exports_nothing(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = signed_in(open_page, site, "annotator", "/annotate")
    project = ask(page, "GET", "/annotation/home")["projects"][0]["id"]
    page.goto(f"/annotate/projects/{project}")
    expect(page.get_by_test_id("figures")).to_be_visible()
    expect(page.get_by_test_id("label-export")).to_have_count(0)
