"""What a person does in a browser: ask, watch, look back, reload, cancel."""

from __future__ import annotations

import os
import re
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_evaluations import sign_in
from tests.running_site import held, living_process_of
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

WATCH_STRUCTURE = """
    window.structureSizes = [];
    new MutationObserver(() => {
        const size = document.querySelectorAll("[data-testid=structure-node]").length;
        if (size > 0 && size !== window.structureSizes.at(-1)) window.structureSizes.push(size);
    }).observe(document.body, { childList: true, subtree: true });
"""
SMALL = 500
"""Bytes up to which a file may be sent uncompressed."""
KITT = "who plays the voice of KITT in Knight Rider?"
ASKED_ONCE = "who was the voice of KITT in Knight Rider?"
"""No other test asks it: what the worker was asked before costs it no call."""


def ask(page: Page, question: str) -> None:
    field = page.get_by_test_id("ask-input")
    expect(field).to_be_focused()
    field.fill(question)
    field.press("Enter")
    page.wait_for_url("**/runs/*")


def test_the_structure_grows_the_condition_prunes_and_the_answer_is_proven(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.evaluate(WATCH_STRUCTURE)
    ask(page, ASKED_ONCE)
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    expect(page.get_by_test_id("answer-path")).to_contain_text(re.compile("regular cast.*actor", re.DOTALL))
    expect(page.get_by_test_id("answer")).to_contain_text("KITT")
    expect(page.get_by_test_id("facts-count")).to_contain_text("3 left")
    # The topic, the mediator, the actor, the character: drawn as they were found; a slow page may draw two at once.
    sizes = page.evaluate("window.structureSizes")
    assert len(sizes) > 1
    assert sizes == [size for size in (1, 2, 3, 4) if size in sizes]
    assert sizes[-1] == 4
    expect(page.get_by_test_id("figures")).to_contain_text(re.compile("Decided by .*decisions", re.DOTALL))
    page.get_by_test_id("cost").click()
    rows = page.get_by_test_id("stage-costs").locator("tbody tr").all_inner_texts()
    assert [row.split()[0] for row in rows] == ["Begin", "Search", "Prune", "Answer", "All"]
    calls = [int(row.split()[1]) for row in rows]
    assert sum(calls[:-1]) == calls[-1] > 0
    page.keyboard.press("Escape")
    expect(page).to_have_title(re.compile("KITT"))


def test_a_damaged_graph_is_reported_and_keeps_nobody_from_the_others(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    damaged = site.home / "graphs" / "damaged.sqlite"
    damaged.write_bytes(b"no database, only some text" * 900)
    try:
        page = open_page()
        expect(page.get_by_test_id("graph-fault")).to_have_text(
            "The graph “damaged” cannot be used. "
            "The graph is damaged. Tell the administrator: it has to be loaded again."
        )
        expect(page.get_by_test_id("graph-select").locator("option[value=damaged]")).to_be_disabled()
        ask(page, KITT)
        expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    finally:
        damaged.unlink()


def test_a_reload_in_the_middle_loses_nothing(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, KITT)
    expect(page.get_by_test_id("timeline-item")).not_to_have_count(0)
    expect(page.get_by_test_id("cancel-button")).to_be_visible()
    page.reload()
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    first = page.get_by_test_id("timeline-item").all_inner_texts()
    page.reload()
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    assert page.get_by_test_id("timeline-item").all_inner_texts() == first


def test_looking_back_shows_that_moment_and_the_address_keeps_it(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, KITT)
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    page.get_by_test_id("timeline-item").nth(1).click()
    expect(page.get_by_test_id("structure-node")).to_have_count(2)
    expect(page.get_by_test_id("pool-option")).not_to_have_count(0)
    assert "step=" in page.url
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("structure-node")).to_have_count(3)
    page.keyboard.press("ArrowLeft")
    page.reload()
    expect(page.get_by_test_id("structure-node")).to_have_count(2)
    page.go_back()
    expect(page.get_by_test_id("ask-input")).to_be_visible()
    expect(page.get_by_test_id("recent")).to_contain_text(KITT)


def test_a_node_chosen_in_the_structure_is_marked_among_the_facts(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, KITT)
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    page.get_by_test_id("structure-node").nth(1).click()
    expect(page.get_by_test_id("selected")).to_contain_text("regular cast")
    page.get_by_test_id("table-button").click()
    table = page.get_by_test_id("facts-table")
    expect(table).to_contain_text("David Hasselhoff")
    expect(table.locator("tbody tr.marked")).to_have_count(7)
    table.get_by_role("button", name="To", exact=True).click()
    expect(table.get_by_role("columnheader", name="To")).to_have_attribute("aria-sort", "ascending")
    expect(table.locator("tbody tr").first).to_contain_text("April Curtis")


def worker_held(site: RunningSite) -> AbstractContextManager[int]:
    """Let the worker do nothing, so that no run ends before it is looked at, however slow the browser is."""
    return held(site.home, b"celery")


@contextmanager
def worker_let_go(site: RunningSite) -> Iterator[None]:
    """Let a held worker go on for a while."""
    worker = living_process_of(site.home, b"celery")
    os.kill(worker, signal.SIGCONT)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGSTOP)


def test_a_run_can_be_cancelled(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = open_page()
    with worker_held(site):
        ask(page, KITT)
        page.get_by_test_id("cancel-button").click()
        expect(page.get_by_test_id("cancel-button")).to_be_hidden()
    expect(page.get_by_test_id("ask-button")).to_be_visible()
    expect(page.get_by_test_id("answer")).to_contain_text(re.compile("cancel|stopped", re.IGNORECASE))


def test_nonsense_gets_a_calm_answer(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, "zxqv wvvq blorp")
    expect(page.get_by_test_id("answer")).to_contain_text("Not in this graph")
    expect(page.get_by_test_id("ask-button")).to_be_enabled()


def test_a_model_that_stops_says_how_sure_it_was(open_page: Callable[..., Page]) -> None:
    page = open_page()
    # The sample knows the metal and no prices.
    ask(page, "platinum price per kilo")
    answer = page.get_by_test_id("answer")
    expect(answer).to_contain_text("No answer found")
    expect(answer).to_contain_text(re.compile(r"[\d.]+ % sure that no option leads to an answer"))
    expect(answer).not_to_contain_text("Not in this graph")
    expect(page.get_by_test_id("ask-button")).to_be_enabled()


def test_an_empty_question_is_not_asked(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_test_id("ask-input").press("Enter")
    expect(page.get_by_test_id("ask-fault")).to_be_visible()
    assert "/runs/" not in page.url


def test_the_topic_is_found_while_typing(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.get_by_test_id("topic-button").click()
    page.get_by_test_id("topic-input").fill("jamai")
    page.get_by_test_id("topic-option").filter(has_text="Jamaica").first.click()
    page.get_by_test_id("ask-input").fill("which languages do they speak?")
    page.get_by_test_id("ask-input").press("Enter")
    expect(page.get_by_test_id("answer")).to_contain_text("Jamaican Creole English Language")
    expect(page.get_by_test_id("answer")).to_contain_text("Jamaican English")


def test_an_example_is_asked_by_one_click(open_page: Callable[..., Page]) -> None:
    page = open_page()
    expect(page.get_by_test_id("example")).to_have_count(6)
    page.get_by_test_id("example").first.click()
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")


def test_a_shared_link_shows_the_run_to_somebody_else_who_may_not_cancel_it(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, KITT)
    other = open_page(page.url)
    expect(other.get_by_test_id("timeline-item")).not_to_have_count(0)
    expect(other.get_by_test_id("cancel-button")).to_have_count(0)
    expect(other.get_by_test_id("answer")).to_contain_text("William Daniels")


def test_an_admin_may_cancel_what_somebody_else_asked(open_page: Callable[..., Page], site: RunningSite) -> None:
    admin = open_page("/evaluations")
    sign_in(admin, site)
    page = open_page()
    with worker_held(site):
        ask(page, KITT)
        admin.goto(page.url)
        admin.get_by_test_id("cancel-button").click()
        expect(admin.get_by_test_id("cancel-button")).to_be_hidden()
    for each in (admin, page):
        expect(each.get_by_test_id("answer")).to_contain_text(re.compile("cancel|stopped", re.IGNORECASE))


def test_a_narrow_screen_has_question_answer_and_timeline(open_page: Callable[..., Page]) -> None:
    page = open_page(width=360, height=740)
    ask(page, KITT)
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    expect(page.get_by_test_id("timeline-item").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_run_that_is_not_there_says_so(open_page: Callable[..., Page]) -> None:
    page = open_page("/")
    page.goto("/runs/00000000-0000-4000-8000-000000000000")
    expect(page.get_by_text(re.compile("does not exist", re.IGNORECASE)).first).to_be_visible()


def test_the_way_to_the_answer_is_saved_as_queries(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask(page, KITT)
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    for language, beginning in (("SPARQL", "PREFIX xsd:"), ("Cypher", ":param graph => ")):
        page.get_by_test_id("export").click()
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Query, {language}").click()
        assert saved.value.path().read_text(encoding="utf-8").startswith(beginning)


def test_scripts_and_styles_are_sent_compressed(open_page: Callable[..., Page]) -> None:
    page = open_page("about:blank")
    sent = {}
    page.on("response", lambda response: sent.update({response.url: response.headers.get("content-encoding")}))
    page.goto("/")
    expect(page.get_by_test_id("ask-input")).to_be_visible()
    assets = REPOSITORY / "frontend" / "dist" / "assets"
    code = {url: coding for url, coding in sent.items() if url.endswith((".js", ".css")) and "/assets/" in url}
    # A few bytes are sent as they are: compressed, they would be more.
    large = {coding for url, coding in code.items() if (assets / url.rpartition("/")[2]).stat().st_size > SMALL}
    assert large == {"gzip"}
