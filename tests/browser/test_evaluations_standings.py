"""Evaluations of several strategies in a browser: one table, one chart, how far they agree, the cases behind that."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from playwright.sync_api import Page, expect

from reasoning.narration.wording import DOG_CLASSES
from tests.browser.test_accessibility import faults
from tests.browser.test_evaluations import LONGEST_MS, sign_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.running_site import RunningSite

LIMIT = 12
POST = """async (body) => {
    const token = (await (await fetch('/api/session')).json()).csrf_token;
    const headers = { 'Content-Type': 'application/json', 'X-CSRFToken': token };
    return (await fetch('/api/evaluations', { method: 'POST', headers, body: JSON.stringify(body) })).json();
}"""
GET = "async (path) => (await fetch(path)).json()"


def evaluated(page: Page, strategy: str, **more: object) -> str:
    """An evaluation of the sample by a strategy, which begins."""
    wanted = {"dataset": "sample", "split": "all", "limit": LIMIT, "note": strategy, "settings": {"strategy": strategy}}
    made: dict[str, Any] = page.evaluate(POST, {**wanted, **more})
    return str(made["id"])


def remove(page: Page, ids: list[str]) -> None:
    for each in ids:
        page.evaluate(
            """async (id) => {
                const token = (await (await fetch('/api/session')).json()).csrf_token;
                await fetch(`/api/evaluations/${id}`, { method: 'DELETE', headers: { 'X-CSRFToken': token } });
            }""",
            each,
        )


def test_several_strategies_are_one_table_one_chart_and_a_vote(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    ids = [evaluated(page, each) for each in ("reads", "rog", "etd")]
    other = evaluated(page, "beam", settings={"strategy": "beam", "topics": "linked"})
    try:
        compared(page, ids)
        agreed(page, ids)
        refused(page, ids)
        page.goto(f"/evaluations/{ids[0]}/against/{other}")
        expect(page.get_by_test_id("progress")).to_have_count(0, timeout=LONGEST_MS)
        expect(page.get_by_test_id("unlike")).to_contain_text("B: It had to find what each question is about")
        # Who only looks sees the same, without a way to the cases.
        stranger = open_page(f"/evaluations/{ids[0]}/against/{ids[1]}", width=390, height=800, color_scheme="dark")
        expect(stranger.get_by_test_id("standings").get_by_role("row")).to_have_count(3)
        expect(stranger.get_by_test_id("agreement-kinds").get_by_role("link")).to_have_count(0)
        assert stranger.evaluate("document.documentElement.scrollWidth") <= 390
        assert faults(stranger) == []
    finally:
        remove(page, [*ids, other])


def refused(page: Page, ids: list[str]) -> None:
    """What is told where an address names too many evaluations, one that is gone, or the server does not answer."""
    page.goto(f"/evaluations/{ids[0]}/against/{'/'.join(str(uuid4()) for _ in range(12))}")
    expect(page.get_by_role("heading", name="Too many evaluations at once")).to_be_visible()
    expect(page.get_by_text("The address names 13; the limit is 12.")).to_be_visible()
    page.goto(f"/evaluations/{ids[0]}/against/{ids[1]}/{uuid4()}")
    expect(page.get_by_text("One of the 3 does not exist.")).to_be_visible()
    expect(page.get_by_role("link", name="All evaluations")).to_be_visible()

    cut = re.compile(r"/api/evaluations/(standings|differences)\?")
    page.route(cut, lambda route: route.abort())
    page.goto(f"/evaluations/{ids[0]}/against/{ids[1]}")
    # Both tables are not there for the same reason, which is told once; what the server did tell stays.
    expect(page.get_by_role("alert")).to_have_text(re.compile("The server cannot be reached"))
    expect(page.get_by_test_id("compared")).to_be_visible()
    page.unroute(cut)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_test_id("standings")).to_be_visible()
    expect(page.get_by_test_id("differences")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_error_classes_of_dog_lead_to_their_questions_and_cases(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    debated = evaluated(page, "dog", limit=12)
    try:
        page.goto(f"/evaluations/{debated}")
        chart = page.get_by_test_id("dog-classes")
        expect(chart).to_have_count(1, timeout=LONGEST_MS)
        expect(page.get_by_test_id("progress")).to_have_count(0, timeout=LONGEST_MS)
        page.get_by_test_id("all-charts").locator("summary").first.click()
        expect(chart.locator(".main-svg").first).to_be_visible()
        classes = page.evaluate(GET, f"/api/evaluations/{debated}")["figures"]["dog"]["classes"]
        name, count = next(iter(classes.items()))
        words = DOG_CLASSES[name]["title"]
        chart.get_by_text("As a table").click()
        chart.get_by_role("link", name=words).click()
        page.wait_for_url(f"**/evaluations/{debated}?dog={name}**")
        questions = page.get_by_test_id("question")
        expect(questions).to_have_count(count)
        expect(questions.first).to_contain_text(f"DoG: {words}.")
        assert faults(page) == []

        page.goto(f"/review/{debated}")
        page.get_by_test_id("more-filters").locator("summary").first.click()
        chip = page.get_by_test_id("facet-dog").get_by_test_id("chip").filter(has_text=words)
        expect(chip).to_contain_text(str(count))
        chip.click()
        shown = page.get_by_test_id("dog-class")
        expect(shown).to_have_text([f"DoG: {words}"] * count)
        assert faults(page) == []
    finally:
        remove(page, [debated])


def compared(page: Page, ids: list[str]) -> None:
    page.goto(f"/evaluations/{'/'.join([ids[0], 'against', *ids[1:]])}")
    table = page.get_by_test_id("standings")
    expect(table.get_by_role("row")).to_have_count(4)
    # While they are at work, the table grows.
    expect(table.locator("caption")).to_contain_text(
        f"The {LIMIT} questions that all of them judged", timeout=LONGEST_MS
    )
    line = page.evaluate(GET, "/api/evaluations/standings?" + "&".join(f"id={each}" for each in ids))
    right = line["standings"][1]["right"]
    row = table.get_by_role("row").nth(2)
    expect(row).to_contain_text(f"{right['value'] * 100:.1f} %")
    expect(row).to_contain_text(f"{right['low'] * 100:.1f} % to {right['high'] * 100:.1f} %")
    expect(page.get_by_test_id("unlike")).to_have_count(0)

    # A point for each; the same in a table, which opens the evaluation.
    chart = page.get_by_test_id("chart").filter(has_text="Accuracy and time").first
    expect(chart.locator(".scatterlayer .trace")).to_have_count(3)
    chart.get_by_text("As a table").click()
    expect(chart.get_by_role("row", name=re.compile("rog"))).to_contain_text("per question")

    # Files.
    menu = page.get_by_test_id("standings-downloads")
    for name, rows in (("Table as CSV", 4), ("Agreement as CSV", LIMIT + 1)):
        menu.locator("summary").click()
        with page.expect_download() as download:
            menu.get_by_role("link", name=name).click()
        text = Path(download.value.path()).read_text("utf-8")
        assert len(list(csv.reader(io.StringIO(text)))) == rows
    menu.locator("summary").click()
    with page.expect_download() as download:
        menu.get_by_role("link", name="Everything as JSON").click()
    assert json.loads(Path(download.value.path()).read_text("utf-8"))["common"] == LIMIT
    assert faults(page) == []


def agreed(page: Page, ids: list[str]) -> None:
    """Each kind of agreement leads a reviewer to its cases."""
    text = page.evaluate(GET, "/api/evaluations/standings?" + "&".join(f"id={each}" for each in ids))["agreement"]
    counts = {each["kind"]: each["questions"] for each in text["kinds"]}
    kinds = page.get_by_test_id("agreement-kinds")
    expect(kinds.get_by_test_id("vote-right")).to_have_text(f"{text['right']['value'] * 100:.1f} %")
    kind = next(name for name in ("all but one agree", "all differ", "all agree, right") if counts[name])
    link = kinds.get_by_role("link", name=re.compile(kind))
    expect(link).to_contain_text(str(counts[kind]))
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/*")
    chip = page.get_by_test_id("facet-agreement").get_by_test_id("chip").filter(has_text=kind)
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_contain_text(str(counts[kind]))
    beside = page.get_by_test_id("case-beside")
    expect(beside.locator("summary")).to_have_text("Agreement with 2 other evaluations")
    chosen = beside.get_by_role("checkbox", checked=True)
    expect(chosen).to_have_count(2)
    for left in (1, 0):
        # A click, as the box is no longer among those that are chosen when its state would be looked at.
        chosen.first.click()
        expect(chosen).to_have_count(left)
    expect(page.get_by_test_id("facet-agreement")).to_have_count(0)
