"""What an administrator and a visitor do with evaluations in a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.quiet import asked_while_resting
from tests.running_site import site_ready

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

LONGEST_MS = 240_000
"""So long a test waits for work in the background, however busy the machine is."""


@pytest.fixture(scope="module")
def site() -> Iterator[RunningSite]:
    """A site without the evaluations of other files."""
    with site_ready() as site:
        yield site


@pytest.fixture(scope="module")
def address(site: RunningSite) -> str:
    """Where that site is."""
    return site.address


def sign_in(page: Page, site: RunningSite) -> None:
    username, password = site.account("admin")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(password)
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    expect(page.get_by_test_id("new-evaluation")).to_be_visible()


def start(page: Page, *, limit: int, note: str, chain: bool = False) -> None:
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("limit").fill(str(limit))
    form.get_by_test_id("scorer").select_option("lexical")
    form.get_by_label("Note").fill(note)
    if chain:
        form.get_by_text("Ablations").click()
        form.get_by_label("Ignore conditions").check()
    form.get_by_test_id("start").click()
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}$"))


def test_an_evaluation_is_started_watched_read_and_compared(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = open_page("/evaluations")
    expect(page.get_by_test_id("no-evaluations")).to_contain_text("sign in")
    sign_in(page, site)

    # Watched while it runs, without a reload: enough questions to take some seconds.
    start(page, limit=600, note="All switches on")
    expect(page.get_by_test_id("progress")).to_contain_text("of 600")
    expect(page.get_by_test_id("progress")).to_have_count(0, timeout=LONGEST_MS)
    expect(page.get_by_test_id("figures")).to_contain_text("Hits@1")
    expect(page.get_by_test_id("figures")).to_contain_text("Graph gap")
    expect(page.get_by_test_id("stage-costs").locator("tbody tr")).to_have_count(5)
    report = page.url
    read_the_rest(page)

    # A bar opens the questions behind it.
    bars = page.get_by_test_id("chart").first.locator(".point path")
    expect(bars).to_have_count(4)
    # The drawing takes clicks in a layer above its bars.
    bars.first.click(force=True)
    expect(page).to_have_url(re.compile(r"case=C1"))
    expect(page.get_by_test_id("case-filter")).to_have_value("C1")
    shown = page.get_by_test_id("question-count")
    expect(shown).to_have_text(re.compile(r"^\s*(?!600 )\d+ of 600"))
    right = int(shown.inner_text().split()[0])
    expect(page.get_by_test_id("question")).to_have_count(min(50, right))

    # So does the table below, for users who cannot point.
    page.get_by_test_id("chart").first.get_by_text("As a table").click()
    table = page.get_by_test_id("chart").first.get_by_role("table")
    expect(table.locator("caption")).to_contain_text("Graph: Sample; topic given")
    row = table.get_by_role("row", name=re.compile("C1"))
    expect(row).to_contain_text(f"{right} questions")

    # A question opens in the explorer, to be scrubbed.
    page.get_by_test_id("open-question").first.click()
    page.wait_for_url("**/runs/*")
    expect(page.get_by_test_id("answer")).to_contain_text("model calls")
    expect(page.get_by_test_id("answer")).not_to_contain_text(re.compile("Not in this graph|No answer found"))
    expect(page.get_by_test_id("timeline-item")).not_to_have_count(0)
    page.get_by_test_id("timeline-item").first.click()
    expect(page).to_have_url(re.compile(r"step="))
    walk_the_list(page, right)

    # A second one, compared with the first.
    page.goto("/evaluations")
    start(page, limit=80, note="No conditions", chain=True)
    expect(page.get_by_test_id("figures")).to_contain_text("All 80 questions", timeout=LONGEST_MS)
    page.goto("/evaluations")
    expect(page.get_by_test_id("evaluation")).to_have_count(2)
    page.get_by_label("Compare All switches on").check()
    page.get_by_label("Compare No conditions").check()
    page.get_by_test_id("compare").click()
    expect(page.get_by_test_id("compared")).to_contain_text("Hits@1")
    counts = page.get_by_test_id("changed-counts")
    alone = int(re.search(r"(\d+)\s*right only in A", counts.inner_text())[1])  # type: ignore[index]
    assert alone > 0
    counts.get_by_text("right only in A").click()
    expect(page.get_by_test_id("question")).to_have_count(min(50, alone))
    expect(page.get_by_test_id("question").first).to_contain_text("B ✕")
    read_the_difference(page, alone)
    look_only(open_page, report)


def read_the_rest(page: Page) -> None:
    """Four figures come first; the rest is folded, and each row of it opens the questions that it is about."""
    expect(page.get_by_test_id("headline").locator("dd")).to_have_count(4)
    expect(page.get_by_test_id("headline")).to_contain_text(re.compile(r"\d+\.\d to \d+\.\d %"))
    expect(page.get_by_test_id("since")).to_have_count(0)
    expect(page.get_by_test_id("chart")).to_have_count(9)
    expect(page.get_by_test_id("chart").first).to_be_hidden()
    page.get_by_test_id("reads-tables").locator("summary").first.click()
    expect(page.get_by_test_id("reads-tables")).to_contain_text("Relation recall")
    expect(page.get_by_test_id("reads-tables")).to_contain_text("F1, precision 0 without answers")
    expect(page.get_by_test_id("reads-tables").get_by_test_id("chart").last.locator(".point path")).not_to_have_count(0)
    page.get_by_test_id("slices").locator("summary").first.click()
    row = page.get_by_test_id("slices").get_by_role("table").first.locator("tbody tr").first
    count = int(row.locator("td").first.inner_text())
    row.get_by_role("link").click()
    expect(page.get_by_test_id("question-count")).to_contain_text(f"{count} of 600")
    expect(page.get_by_test_id("part")).to_contain_text(f"Of these {count} judged questions")
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_test_id("part")).to_have_count(0)
    expect(page.get_by_test_id("question-count")).to_contain_text("600 of 600")
    page.get_by_test_id("all-charts").locator("summary").first.click()


def read_the_difference(page: Page, broken: int) -> None:
    """What differs stands in words, and each changed question decision by decision."""
    table = page.get_by_test_id("differences")
    expect(table.locator("tbody tr")).to_have_count(2)
    expect(table.locator("tbody tr").nth(1)).to_contain_text(re.compile(r"worse by \d+\.\d points, between"))
    pairs = page.get_by_test_id("decision-pairs").first
    pairs.locator("summary").click()
    expect(pairs).to_contain_text("first difference")
    table.locator("tbody tr").nth(1).get_by_role("link", name=str(broken), exact=True).first.click()
    expect(page.get_by_test_id("changed-filter")).not_to_have_value("")


def walk_the_list(page: Page, total: int) -> None:
    """From question to question of the same list, each with its gold, and back to the row."""
    place = page.get_by_test_id("place")
    expect(place).to_have_text(f"1 of {total}")
    expect(page.get_by_test_id("opened-question")).to_contain_text("C1 right")
    expect(page.get_by_test_id("gold")).to_contain_text(re.compile(r"Gold\s*\S"))
    expect(page.get_by_role("button", name="Previous")).to_be_disabled()
    first = page.url
    page.keyboard.press("j")
    expect(place).to_have_text(f"2 of {total}")
    assert page.url.partition("?")[0] != first.partition("?")[0]
    page.keyboard.press("k")
    expect(place).to_have_text(f"1 of {total}")
    page.get_by_role("button", name="Next").click()
    expect(place).to_have_text(f"2 of {total}")
    # A link restores the list, too.
    page.reload()
    expect(place).to_have_text(f"2 of {total}")
    page.get_by_test_id("back-to-list").click()
    expect(page.get_by_test_id("case-filter")).to_have_value("C1")
    expect(page.get_by_test_id("question").nth(1).get_by_test_id("open-question")).to_be_focused()


def look_only(open_page: Callable[..., Page], report: str) -> None:
    """A guest sees the same figures, on a telephone too, is told why no question is shown, and may change nothing."""
    other = open_page(report, width=360, height=740)
    expect(other.get_by_test_id("figures")).to_contain_text("Hits@1")
    expect(other.get_by_test_id("gold-hidden")).to_contain_text("hidden from guests. Sign in to see them.")
    expect(other.get_by_test_id("question")).to_have_count(0)
    assert asked_while_resting(other) == []
    assert other.evaluate("document.documentElement.scrollWidth") <= 360
    other.goto("/evaluations")
    expect(other.get_by_test_id("evaluation")).to_have_count(2)
    expect(other.get_by_test_id("new-evaluation")).to_have_count(0)
    assert other.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_evaluation_that_is_not_there_says_so(open_page: Callable[..., Page]) -> None:
    page = open_page("/evaluations/00000000-0000-4000-8000-000000000000")
    expect(page.get_by_text("This evaluation does not exist")).to_be_visible()


def test_the_page_is_quiet_where_nothing_is_at_work(open_page: Callable[..., Page]) -> None:
    page = open_page("/evaluations")
    expect(page.get_by_role("heading", name="Evaluations")).to_be_visible()
    assert asked_while_resting(page) == []


def test_an_evaluation_says_from_how_many_candidates_and_who_chooses(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    expect(form.get_by_test_id("candidates")).to_have_count(0)
    form.get_by_test_id("limit").fill("3")
    form.get_by_test_id("scorer").select_option("lexical")
    form.get_by_test_id("strategy").select_option("etd")
    form.get_by_test_id("candidates").select_option("2")
    form.get_by_test_id("determination").select_option("explorer")
    form.get_by_test_id("start").click()
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}$"))
    expect(page.get_by_text("EtD, 2 candidates, explorer alone")).to_be_visible()
    expect(page.get_by_test_id("figures")).to_contain_text("All 3 questions", timeout=LONGEST_MS)
