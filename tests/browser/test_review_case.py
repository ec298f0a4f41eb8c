"""Error cases judged one after the other by keys: each with its first wrong decision, and what came of labelling it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.judged_cases import evaluation_with_cases
from tests.browser.test_accessibility import ARRIVED, faults, themes_and_sizes
from tests.browser.test_annotation import ask, signed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

LIMIT = 120
FILTER = "cause=wrong+relation"
"""The search took another relation first, and the right one was among its options."""
ALL_DECIDED = "All is decided"


@pytest.fixture
def admin(open_page: Callable[..., Page], site: RunningSite) -> Page:
    """A page of an administrator."""
    return signed_in(open_page, site, "admin", "/datasets")


@pytest.fixture(scope="module")
def evaluations() -> dict[str, str]:
    """The evaluation that errs, once it was made."""
    return {}


@pytest.fixture
def evaluation(admin: Page, evaluations: dict[str, str]) -> str:
    """The id of an evaluation of the loaded sample by a scorer that only compares words."""
    if "lexical" not in evaluations:
        evaluations["lexical"] = evaluation_with_cases(admin, limit=LIMIT)
    return evaluations["lexical"]


def keys_of(page: Page, evaluation: str) -> list[str]:
    return list(ask(page, "GET", f"/review/{evaluation}/cases?{FILTER}")["keys"])


def case_shown(page: Page, evaluation: str, key: str) -> dict[str, Any]:
    found: dict[str, Any] = ask(page, "GET", f"/review/{evaluation}/cases/{key}?{FILTER}")
    return found


def opened(page: Page, evaluation: str, key: str) -> None:
    page.goto(f"/review/{evaluation}/cases/{key}?{FILTER}")
    page.wait_for_url(re.compile(rf"/runs/[0-9a-f-]{{36}}\?step=\d+&review={evaluation}&case={key}&cause=wrong"))
    expect(page.get_by_test_id("evidence")).to_contain_text("Expected:")


def verdict(page: Page, name: str) -> None:
    """The one verdict that stands."""
    expect(page.get_by_test_id("verdicts").locator("[aria-pressed=true]")).to_have_text(re.compile(name))


def test_cases_are_judged_by_keys_one_after_the_other(admin: Page, evaluation: str) -> None:
    page, keys = admin, keys_of(admin, evaluation)
    total = len(keys)
    assert total >= 5
    opened(page, evaluation, keys[0])
    place = page.get_by_test_id("place")
    expect(place).to_have_text(f"1 of {total}")
    expect(page.get_by_test_id("back-to-queue")).to_have_attribute(
        "href", f"/review/{evaluation}?{FILTER}&row={keys[0]}"
    )

    # It stands at the first wrong decision, and says which option would have been right.
    step = 2 + case_shown(page, evaluation, keys[0])["proposed"]["number"]
    expect(page).to_have_url(re.compile(rf"step={step}&"))
    evidence = page.get_by_test_id("evidence")
    expect(evidence).to_contain_text(
        re.compile(r"wrong relation: At search step \d+ the model chose “.+”( backwards)? \(.+ %\)")
    )

    # Each verdict is one key, or two where it says which; Enter goes on within the filter.
    verdicts = (("1", "Cause is right"), ("2 1", "Another cause: linking"), ("3 2", "Benchmark is wrong: incomplete"))
    verdicts = (*verdicts, ("4", "Not an error"), ("5", "Unsure"))
    for number, (pressed, name) in enumerate(verdicts, start=1):
        expect(place).to_have_text(f"{number} of {total}")
        for one in pressed.split():
            page.keyboard.press(one)
        verdict(page, name)
        expect(page.get_by_test_id("said-by")).to_contain_text("Cleo")
        if number < len(verdicts):
            page.keyboard.press("Enter")
    said = [case_shown(page, evaluation, key) for key in keys[:5]]
    assert [(case["says"], case["cause"]) for case in said] == [
        ("agree", ""),
        ("other", "linking"),
        ("gold", "gold incomplete"),
        ("no_error", ""),
        ("unsure", ""),
    ]

    # What was said last is taken back first, and its case is shown.
    page.keyboard.press("z")
    expect(page.get_by_test_id("verdicts").locator("[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("z")
    expect(place).to_have_text(f"4 of {total}")
    expect(page.get_by_test_id("verdicts").locator("[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("k")
    expect(place).to_have_text(f"3 of {total}")
    verdict(page, "Benchmark is wrong")

    # A comment and an assignee, in the history.
    page.keyboard.press("c")
    page.keyboard.type("the second answer is missing")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("comment-text")).to_contain_text("the second answer is missing")
    page.get_by_test_id("assignee").select_option("rosa")
    expect(page.get_by_test_id("history")).to_contain_text("History (3)")
    page.get_by_test_id("history").locator("summary").click()
    expect(page.get_by_test_id("history").locator("li").first).to_contain_text("assigned it to Rosa")


def marked(page: Page, evaluation: str) -> str:
    """The key of a case whose gold option is listed."""
    cases = [case_shown(page, evaluation, key) for key in keys_of(page, evaluation)]
    return str(next(case["key"] for case in cases if case["proposed"]["wanted"][0]["rank"] is not None))


def test_the_gold_option_is_marked_and_what_if_it_had_been_chosen_is_one_key(admin: Page, evaluation: str) -> None:
    page, key = admin, marked(admin, evaluation)
    opened(page, evaluation, key)
    expect(page.get_by_test_id("gold-option").first).to_be_visible()
    run = page.url.partition("?")[0]
    page.keyboard.press("w")
    expect(page.get_by_test_id("compared")).to_contain_text("What if")
    assert page.url.partition("?")[0] != run
    assert f"review={evaluation}&case={key}" in page.url
    expect(page.get_by_test_id("evidence")).to_contain_text("Expected:")
    page.keyboard.press("z")
    page.wait_for_url(re.compile(re.escape(run)))

    # Both derivations as one structure: whose each step is stands in words, too.
    expect(page.get_by_test_id("gold-option").first).to_be_visible()
    page.keyboard.press("o")
    expect(page.get_by_test_id("sides-legend")).to_have_text(re.compile(r"both\s*only predicted\s*only gold"))
    table = page.get_by_test_id("laid-over-table")
    expect(table).to_contain_text("only gold")
    expect(table).to_contain_text("only predicted")
    expect(page.get_by_test_id("structure").get_by_text("only gold").first).to_be_visible()
    expect(page.get_by_test_id("timeline-item")).to_have_count(0)
    page.keyboard.press("o")
    expect(page.get_by_test_id("timeline-item")).not_to_have_count(0)


def test_a_case_is_labelled_and_comes_back_with_its_label(admin: Page, evaluation: str) -> None:
    page, key = admin, keys_of(admin, evaluation)[-1]
    opened(page, evaluation, key)
    page.keyboard.press("g")
    page.wait_for_url(re.compile(rf"/annotate/tasks/\d+\?.*review={evaluation}&case={key}"))
    back = page.get_by_test_id("back-to-origin")
    expect(back).to_have_text("Back to the case")
    back.get_by_role("link").click()
    expect(page.get_by_test_id("label")).to_have_text("Sent to annotation")

    page.keyboard.press("g")
    page.wait_for_url(re.compile(r"/annotate/tasks/\d+\?"))
    decide(page)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"/runs/.*case={key}"))
    expect(page.get_by_test_id("label")).to_contain_text("1 label")
    assert case_shown(page, evaluation, key)["label"]["labels"] == 1


def decide(page: Page) -> None:
    """The first option of each decision, one step and no condition."""
    heading = page.get_by_test_id("choices").get_by_role("heading")
    choices = page.get_by_test_id("choices")
    for _ in range(8):
        expect(choices).to_have_attribute("aria-busy", "false")
        asks = heading.inner_text()
        if ALL_DECIDED in asks:
            return
        decisions = page.get_by_test_id("decision").count()
        ends = "condition" in asks or ("relation" in asks and decisions > 1)
        page.keyboard.press("0" if ends else "1")
        expect(page.get_by_test_id("decision")).to_have_count(decisions + 1)
    raise AssertionError(heading.inner_text())


def test_somebody_else_who_has_it_open_is_reported(
    open_page: Callable[..., Page], site: RunningSite, admin: Page, evaluation: str
) -> None:
    key = keys_of(admin, evaluation)[1]
    opened(admin, evaluation, key)
    expect(admin.get_by_test_id("held-by")).to_have_count(0)
    other = signed_in(open_page, site, "reviewer", "/")
    opened(other, evaluation, key)
    expect(other.get_by_test_id("held-by")).to_have_text("Cleo has this open.")


def test_what_cannot_be_shown_says_why(open_page: Callable[..., Page], admin: Page, evaluation: str) -> None:
    admin.goto(f"/review/{evaluation}/cases/99999999")
    expect(admin.get_by_text("This case does not exist", exact=True)).to_be_visible()
    visitor = open_page(f"/review/{evaluation}/cases/1")
    expect(visitor.get_by_text("Sign in to review cases")).to_be_visible()


@themes_and_sizes
def test_a_case_is_read_by_everybody(
    open_page: Callable[..., Page],
    site: RunningSite,
    admin: Page,
    evaluation: str,
    theme: str,
    size: tuple[int, int],
) -> None:
    key = marked(admin, evaluation)
    page = signed_in(open_page, site, "reviewer", "/", width=size[0], height=size[1], color_scheme=theme)
    opened(page, evaluation, key)
    expect(page.get_by_test_id("gold-option").first).to_be_visible()
    page.wait_for_function(ARRIVED)
    assert faults(page) == []
    page.get_by_role("button", name="Another cause").click()
    expect(page.get_by_test_id("picks")).to_be_visible()
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.get_by_test_id("over").click()
    expect(page.get_by_test_id("laid-over-table")).to_be_visible()
    page.wait_for_function(ARRIVED)
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
