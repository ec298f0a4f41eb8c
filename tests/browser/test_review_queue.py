"""The queue of reviews in a browser: chips, keys, verdicts about many cases at once, and views that are shared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults, themes_and_sizes
from tests.browser.test_annotation import ask, signed_in
from tests.webapp.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser
QUESTIONS = 60
TO_DO = "status=open&result=wrong&result=partly+right"
VIEW = "Stopped too early"
CHAINS = {"search": "chain"}


@pytest.fixture(scope="module")
def evaluations() -> list[str]:
    """The ids of two evaluations of the sample, as the first test that needs them starts them."""
    return []


def evaluated(evaluations: list[str], open_page: Callable[..., Page], site: RunningSite) -> str:
    """The id of an evaluation of some questions of the sample; there is a second one."""
    if not evaluations:
        admin = signed_in(open_page, site, "admin", "/review")
        dataset = ask(admin, "POST", "/datasets", {"file": "sample", "format": "discern", "name": "sample"})
        wait_until(lambda: ask(admin, "GET", f"/datasets/{dataset['id']}")["status"] == "succeeded")
        wanted = {"dataset": "sample", "graph": "sample", "scorer": "lexical", "split": "all", "limit": QUESTIONS}
        for note, settings in (("Chains alone", CHAINS), ("To be reviewed", {})):
            made = ask(admin, "POST", "/evaluations", {**wanted, "note": note, "settings": settings})
            wait_until(lambda at=f"/evaluations/{made['id']}": ask(admin, "GET", at)["status"] == "succeeded", 120)
            evaluations.append(made["id"])
    return evaluations[-1]


def cases(page: Page, of: str, query: str) -> dict[str, Any]:
    found: dict[str, Any] = ask(page, "GET", f"/review/{of}/cases?{query}")
    return found


def chip(page: Page, facet: str, value: str) -> Any:
    return page.get_by_test_id(f"facet-{facet}").locator(f'[data-value="{value}"]')


def test_a_reviewer_filters_judges_many_and_shares_a_view(
    open_page: Callable[..., Page], site: RunningSite, evaluations: list[str]
) -> None:
    of = evaluated(evaluations, open_page, site)
    page = signed_in(open_page, site, "reviewer", "/review")
    open_cases = cases(page, of, TO_DO)["total"]
    source = page.get_by_test_id("source").filter(has_text="To be reviewed")
    expect(source).to_contain_text(f"{open_cases} wrong answers, 0 reviewed")
    source.get_by_role("link").click()

    # What is to be done comes first, and stands in the address.
    expect(page.get_by_test_id("case-count")).to_have_text(f"{open_cases} of {QUESTIONS}")
    expect(page).to_have_url(re.compile(re.escape(f"/review/{of}?{TO_DO}") + "$"))
    expect(chip(page, "status", "open")).to_have_attribute("aria-pressed", "true")

    # A chip leaves as many as it says; several choices of a facet add up.
    causes = page.get_by_test_id("facet-cause").get_by_test_id("chip")
    first, second = (str(causes.nth(place).get_attribute("data-value")) for place in (0, 1))
    counts = [int(causes.nth(place).locator(".count").inner_text()) for place in (0, 1)]
    causes.first.click()
    expect(page.get_by_test_id("case-count")).to_have_text(f"{counts[0]} of {QUESTIONS}")
    chip(page, "cause", second).click()
    expect(page.get_by_test_id("case-count")).to_have_text(f"{sum(counts)} of {QUESTIONS}")
    chip(page, "cause", second).click()
    expect(page.get_by_test_id("case-count")).to_have_text(f"{counts[0]} of {QUESTIONS}")
    filtered = page.url

    # A case is opened by keys; on the way back the filter and the row are as they were.
    page.keyboard.press("j")
    page.keyboard.press("j")
    row = page.get_by_test_id("case").nth(1)
    expect(row.get_by_test_id("open-case")).to_be_focused()
    key = row.get_attribute("data-key")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: f"cases/{key}" in url or f"case={key}" in url)
    page.go_back()
    expect(page).to_have_url(f"{filtered}&row={key}")
    expect(page.get_by_test_id("case-count")).to_have_text(f"{counts[0]} of {QUESTIONS}")
    expect(page.get_by_test_id("case").nth(1).get_by_test_id("open-case")).to_be_focused()

    judge_many(page, counts[0], first, open_cases, of)
    share_a_view(page, open_page, site, of, counts[0])


def judge_many(page: Page, count: int, cause: str, open_cases: int, of: str) -> None:
    """Say the same of all that are found, take it back, and say it of two."""
    page.keyboard.press("x")
    expect(page.get_by_test_id("chosen-count")).to_have_text("1 selected")
    page.get_by_test_id("choose-all").click()
    expect(page.get_by_test_id("chosen-count")).to_have_text(f"{count} selected")
    page.get_by_test_id("bulk-says").select_option("agree")
    page.get_by_test_id("bulk-assignee").select_option("rosa")
    page.get_by_test_id("bulk-save").click()
    expect(page.get_by_test_id("said")).to_have_text(f"Saved for {count} cases.")
    expect(page.get_by_test_id("no-cases")).to_be_visible()
    expect(page.get_by_test_id("kappa")).to_contain_text(f"{count} cases")
    assert cases(page, of, f"{TO_DO}&cause={cause}")["total"] == 0
    page.get_by_test_id("undo").click()
    expect(page.get_by_test_id("said")).to_have_text(f"Undone for {count} cases.")
    expect(page.get_by_test_id("case-count")).to_have_text(f"{count} of {QUESTIONS}")
    assert cases(page, of, TO_DO)["total"] == open_cases

    # A range by Shift; what was said stands in its rows, and behind a cell of the agreement.
    boxes = page.get_by_test_id("case").get_by_role("checkbox")
    boxes.nth(2).click()
    page.keyboard.press("x")
    expect(page.get_by_test_id("judging")).to_have_count(0)
    boxes.nth(0).click()
    boxes.nth(1).click(modifiers=["Shift"])
    expect(page.get_by_test_id("chosen-count")).to_have_text("2 selected")
    page.get_by_test_id("bulk-says").select_option("gold:incomplete")
    page.get_by_test_id("bulk-save").click()
    expect(page.get_by_test_id("said")).to_have_text("Saved for 2 cases.")
    page.get_by_test_id("proposal-agreement").locator("summary").click()
    page.get_by_test_id("agreement-cell").click()
    expect(page.get_by_test_id("case")).to_have_count(2)
    expect(page.get_by_test_id("verdict").first).to_have_text("Rosa: The benchmark is wrong: incomplete")
    expect(chip(page, "named", "gold answers differ")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page.get_by_test_id("case-count")).to_have_text(f"{count - 2} of {QUESTIONS}")


def share_a_view(page: Page, open_page: Callable[..., Page], site: RunningSite, of: str, count: int) -> None:
    """What one keeps another one opens; what others judged meanwhile is not taken back."""
    page.get_by_test_id("keep-view").click()
    page.get_by_test_id("keep-view-form").get_by_label("Name").fill(VIEW)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("views").get_by_role("link", name=VIEW)).to_have_attribute("aria-current", "true")
    page.get_by_test_id("case").get_by_role("checkbox").nth(0).check()
    page.get_by_test_id("case").get_by_role("checkbox").nth(1).check()
    key = str(page.get_by_test_id("case").first.get_attribute("data-key"))
    page.get_by_test_id("bulk-says").select_option("no_error")
    page.get_by_test_id("bulk-save").click()
    expect(page.get_by_test_id("said")).to_have_text("Saved for 2 cases.")

    other = signed_in(open_page, site, "admin", "/review")
    ask(other, "POST", f"/review/{of}/cases/{key}/verdict", {"says": "unsure"})
    other.get_by_test_id("shared-view").get_by_role("link", name=VIEW).click()
    expect(other.get_by_test_id("case-count")).to_have_text(f"{count - 4} of {QUESTIONS}")
    held = str(other.get_by_test_id("case").first.get_attribute("data-key"))
    ask(other, "POST", f"/review/{of}/cases/{held}/hold")

    page.keyboard.press("z")
    expect(page.get_by_test_id("said")).to_contain_text("Undone for 1 case. 1 other case")
    expect(page.get_by_test_id("case-count")).to_have_text(f"{count - 3} of {QUESTIONS}")
    # On return to the window, the current claims are shown.
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    expect(page.locator(f'[data-key="{held}"]').get_by_test_id("held")).to_have_text("Cleo has it open")

    page.goto("/review")
    page.get_by_test_id("shared-view").filter(has_text=VIEW).get_by_test_id("remove-view").click()
    page.get_by_test_id("remove-view-dialog").get_by_role("button", name="Delete the view").click()
    expect(page.get_by_test_id("shared-view").filter(has_text=VIEW)).to_have_count(0)


def test_cases_are_compared_with_another_evaluation_and_searched(
    open_page: Callable[..., Page], site: RunningSite, evaluations: list[str]
) -> None:
    of = evaluated(evaluations, open_page, site)
    page = signed_in(open_page, site, "reviewer", f"/review/{of}?all")
    expect(page.get_by_test_id("case-count")).to_have_text(f"{QUESTIONS} of {QUESTIONS}")
    expect(page.get_by_test_id("facet-other")).to_have_count(0)
    page.get_by_test_id("case-against").select_option(evaluations[0])
    here_only = chip(page, "other", "both wrong")
    count = int(here_only.locator(".count").inner_text())
    here_only.click()
    expect(page.get_by_test_id("case-count")).to_have_text(f"{count} of {QUESTIONS}")
    page.get_by_test_id("case-against").select_option("")
    expect(page.get_by_test_id("case-count")).to_have_text(f"{QUESTIONS} of {QUESTIONS}")
    page.get_by_role("searchbox", name="Search the cases").fill("zzz no such words")
    expect(page.get_by_test_id("no-cases")).to_contain_text("No case matches these filters")
    page.get_by_test_id("show-all").click()
    expect(page.get_by_test_id("case")).to_have_count(50)
    # All is all, not what is to be done.
    page.reload()
    expect(page.get_by_test_id("case-count")).to_have_text(f"{QUESTIONS} of {QUESTIONS}")
    page.get_by_test_id("case-sort").select_option("given")
    expect(page).to_have_url(re.compile("sort=given"))
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_test_id("case")).to_have_count(QUESTIONS - 50)
    page.get_by_test_id("to-do").click()
    expect(page).to_have_url(re.compile(re.escape(TO_DO)))


@themes_and_sizes
def test_reviews_can_be_read_by_everybody(
    open_page: Callable[..., Page], site: RunningSite, evaluations: list[str], theme: str, size: tuple[int, int]
) -> None:
    of = evaluated(evaluations, open_page, site)
    page = signed_in(open_page, site, "reviewer", "/review", width=size[0], height=size[1], color_scheme=theme)
    expect(page.get_by_test_id("source").first).to_be_visible()
    found = faults(page)
    page.goto(f"/review/{of}?against={evaluations[0]}&status=open")
    page.get_by_test_id("more-filters").locator("summary").click()
    page.get_by_test_id("proposal-agreement").locator("summary").click()
    page.get_by_test_id("case").get_by_role("checkbox").first.check()
    expect(page.get_by_test_id("judging")).to_be_visible()
    found += faults(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
    page.get_by_test_id("keep-view").click()
    found += faults(page)
    assert found == []


def test_who_may_not_review_is_shown_why(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = open_page("/review")
    expect(page.get_by_role("main")).to_contain_text("Sign in to review")
    page.goto("/review/asked")
    expect(page.get_by_role("main")).to_contain_text("Sign in to review")
    page = signed_in(open_page, site, "annotator", "/review")
    expect(page.get_by_role("main")).to_contain_text("This page is for reviewers")
    page = signed_in(open_page, site, "reviewer", "/review/00000000-0000-4000-8000-000000000000")
    expect(page.get_by_role("main")).to_contain_text("These cases do not exist")
