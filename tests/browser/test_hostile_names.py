"""A graph whose names try what names can try, looked at in a real browser."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.hostile_graph import NAMES, QUESTION, load_hostile_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

ASK = """async (asked) => {
    const { csrf_token } = await (await fetch("/api/session")).json();
    const reply = await fetch("/api/runs", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrf_token },
        body: JSON.stringify(asked),
    });
    return (await reply.json()).id;
}"""
SHOWN = """() => [document.title, document.body.innerText,
    ...[...document.querySelectorAll("[title], [aria-label]")].flatMap((each) =>
        [each.getAttribute("title") ?? "", each.getAttribute("aria-label") ?? ""]),
    ...[...document.querySelectorAll("svg text, option")].map((each) => each.textContent),
].join("\\n")"""
HIDDEN = re.compile("[\u202a-\u202e\u200b\u2060\ufeff\x00-\x08\x1b]")


@pytest.fixture
def hostile_run(site: RunningSite, open_page: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the finished run of a question about the hostile graph."""
    load_hostile_graph(site.home / "graphs")

    def open_run(question: str = QUESTION, **options: int) -> Page:
        page = open_page(**options)
        page.on("dialog", lambda dialog: pytest.fail(f"a name ran as a script: {dialog.message}"))
        run = page.evaluate(ASK, {"question": question, "graph": "fair", "topic": "en.fair"})
        page.goto(f"/runs/{run}")
        expect(page.get_by_test_id("answer")).to_have_attribute("data-state", "finished")
        page.get_by_test_id("list-answers").click()
        expect(page.get_by_test_id("answer")).to_contain_text("gpj.exe")
        return page

    return open_run


def test_hostile_names_are_shown_for_what_they_are(hostile_run: Callable[..., Page]) -> None:
    page = hostile_run(f"{QUESTION} \u202e\u200b")
    page.get_by_test_id("table-button").click()
    expect(page.get_by_test_id("facts-table")).to_contain_text("evil⟨U+202E⟩gpj.exe")
    shown = page.evaluate(SHOWN)
    for text in (
        "<script>alert('name')</script>",
        "KI⟨U+200B⟩TT",
        "red ⟨U+001B⟩[31m herring",
        "“None”",
        "⟨U+202E⟩⟨U+200B⟩ · Discern",
    ):
        assert text in shown
    assert "\u2068\u05e9\u05dc\u05d5\u05dd (1999)\u2069" in shown
    assert "\U0001f468\u200d\U0001f469\u200d\U0001f467" in shown
    assert HIDDEN.findall(shown) == []
    assert page.evaluate("document.querySelectorAll('img, script:not([src])').length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


def test_hostile_names_are_saved_as_they_are_and_as_no_formulas(hostile_run: Callable[..., Page]) -> None:
    page = hostile_run()
    page.get_by_test_id("export").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Answers, CSV").click()
    with saved.value.path().open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    formulas = {name for name in NAMES if name[0] in "=@"}
    assert {row["answer"] for row in rows} == {f"'{name}" if name in formulas else name for name in NAMES}


def test_hostile_names_keep_to_a_narrow_screen(hostile_run: Callable[..., Page]) -> None:
    page = hostile_run(width=360, height=740)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
