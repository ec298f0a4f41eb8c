"""Agreement in a browser: the sample project's figures as worked by hand, the worst questions, every two people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults, themes_and_sizes
from tests.browser.test_annotation import ask, new_project, signed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser
FIGURES = {
    "answers": "0.57",
    "alpha": "0.51",
    "same_derivation": "0.50",
    "facts": "0.74",
    "distance": "0.88",
    "kappa_kind": "0.47",
    "kappa_topic": "1.00",
}
"""As `tests.webapp.test_agreement` works them out."""


def sample_project(page: Page) -> str:
    projects = ask(page, "GET", "/annotation/projects?search=Try labelling")["projects"]
    return str(projects[0]["id"])


@themes_and_sizes
def test_the_agreement_of_the_sample_project_is_asked_to_its_reviewers(
    open_page: Callable[..., Page], site: RunningSite, theme: str, size: tuple[int, int]
) -> None:
    page = signed_in(open_page, site, "reviewer", "/annotate", width=size[0], height=size[1], color_scheme=theme)
    page.goto(f"/annotate/projects/{sample_project(page)}")
    page.get_by_test_id("agreement").press("Enter")
    expect(page.get_by_test_id("first-line")).to_contain_text("4 of 9 questions with two labels or more")
    for name, value in FIGURES.items():
        expect(page.get_by_test_id(f"measure-{name}").locator("strong")).to_have_text(value)
        expect(page.get_by_test_id("pair").get_by_test_id(f"pair-{name}").locator("strong")).to_have_text(value)
    expect(page.get_by_test_id("measure-answers")).to_contain_text("pairs of labels of which one says nothing")
    expect(page.get_by_test_id("stage-search")).to_contain_text("3 of 8")
    expect(page.get_by_test_id("stage-infer")).to_contain_text("1 of 8")
    worst = page.get_by_test_id("worst")
    expect(worst.get_by_test_id("task")).to_have_count(5)
    expect(worst.get_by_test_id("task").first).to_contain_text("drummer of The Police")
    expect(worst.get_by_test_id("task").first).to_contain_text("answers 0.00, first difference: Answer, 2 edits")
    worst.get_by_test_id("show-labels").first.press("Enter")
    expect(worst.get_by_test_id("label")).to_have_count(2)
    worst.get_by_test_id("differing").press("Space")
    expect(worst.get_by_test_id("task")).to_have_count(9)
    cell = page.get_by_test_id("cell")
    expect(cell).to_have_accessible_name("Dan and Ben: 0.57 over 8 questions")
    page.get_by_test_id("matrix-measure").select_option("kappa_kind")
    expect(cell).to_have_accessible_name("Dan and Ben: 0.47 over 9 questions")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
    assert faults(page) == []


def test_a_project_without_two_labels_of_a_question_says_what_is_missing(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    project = new_project(open_page, site, "Nothing to compare yet", 1)
    page = signed_in(open_page, site, "reviewer", f"/annotate/projects/{project}/agreement")
    expect(page.get_by_test_id("first-line")).to_contain_text("No labels yet")
    expect(page.get_by_test_id("measures")).to_have_count(0)
    assert faults(page) == []


def test_an_annotator_is_shown_whose_page_this_is(open_page: Callable[..., Page], site: RunningSite) -> None:
    reviewer = signed_in(open_page, site, "reviewer", "/annotate")
    project = sample_project(reviewer)
    page = signed_in(open_page, site, "annotator", f"/annotate/projects/{project}/agreement")
    expect(page.get_by_role("heading", name="You do not have access to this project")).to_be_visible()
    expect(page.get_by_text("Only reviewers and managers")).to_be_visible()
