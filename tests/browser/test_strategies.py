"""What a person does with strategies in a browser: keeps several readings of a question, and evaluates with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PACE_MS, submit
from tests.browser.test_evaluations import LONGEST_MS, sign_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.reasoning.chat_server import ChatServer
from tests.reasoning.chat_server import chat_server
from tests.running_site import RunningSite, site_ready
from tests.webapp.conftest import wait_until

pytestmark = pytest.mark.browser

QUESTION = "who plays the voice of KITT in Knight Rider?"


@pytest.fixture(scope="module")
def writing() -> Iterator[ChatServer]:
    """A server with a model that writes, word by word."""
    with chat_server(lambda _: "William Daniels, as far as I know.", models=("storyteller",)) as server:
        yield server


@pytest.fixture(scope="module")
def site_with_sketch(writing: ChatServer) -> Iterator[RunningSite]:
    """A site where a strategy with a writer is registered."""
    settings = {
        "DJANGO_SETTINGS_MODULE": "tests.browser.settings_with_sketch",
        "DISCERN_LLM_URL": writing.url,
        "DISCERN_PACE_MS": str(PACE_MS),
        "DISCERN_VISITOR_RATE": "1000/minute",
    }
    with site_ready(**settings) as site:
        yield site


def ask_with_sketch(page: Page) -> None:
    page.get_by_test_id("strategy-select").select_option("sketch")
    submit(page, QUESTION)


def test_what_was_kept_and_what_a_model_wrote_are_steps_that_one_can_go_to(
    open_page: Callable[..., Page], site_with_sketch: RunningSite
) -> None:
    page = open_page(site_with_sketch.address)
    ask_with_sketch(page)
    answer = page.get_by_test_id("answer")
    expect(answer).to_contain_text("No answer found")
    expect(answer).to_contain_text("A language model wrote an answer that no fact of Sample supports")
    expect(page.get_by_test_id("strategy")).to_have_text("Sketch")
    # An answer of the model itself has no confidence.
    expect(page.get_by_test_id("confidence")).to_have_count(0)

    # The run ends at the text, which is marked as the model's, with what it took.
    steps = page.get_by_test_id("timeline-item")
    expect(steps).to_have_count(3)
    expect(steps.nth(2)).to_contain_text("Written by storyteller, not from the graph")
    expect(steps.nth(2)).to_have_attribute("aria-current", "step")
    expect(page.get_by_test_id("written")).to_contain_text("William Daniels, as far as I know.")
    expect(page.get_by_test_id("written-cost")).to_contain_text("1 model call · 40 tokens in · 7 tokens out")
    expect(page.get_by_test_id("sent")).to_contain_text("Prompt")

    # One step back, the options that were kept: each with its weight, the kept ones marked.
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_test_id("scrubber")).to_have_attribute("data-step", "2")
    expect(page.get_by_test_id("pool")).to_contain_text(re.compile(r"Kept 2 of \d+ options, by probability"))
    options = page.get_by_test_id("kept-options").get_by_test_id("pool-option")
    expect(options.filter(has_text=", kept")).to_have_count(2)
    widths = options.locator(".track i:first-child").evaluate_all("bars => bars.map(bar => bar.offsetWidth)")
    assert len(widths) == options.count()
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > widths[-1]

    # A link restores the step.
    page.reload()
    expect(page.get_by_test_id("scrubber")).to_have_attribute("data-step", "2")
    expect(page.get_by_test_id("kept-options")).to_be_visible()


def test_an_option_that_one_strategy_declares_is_offered_asked_for_and_reported(
    open_page: Callable[..., Page], site_with_sketch: RunningSite
) -> None:
    page = open_page(site_with_sketch.address)
    expect(page.get_by_label("Relations kept")).to_have_count(0)
    page.get_by_test_id("strategy-select").select_option("sketch")
    kept = page.get_by_label("Relations kept")
    expect(kept).to_have_value("2")
    expect(kept.locator("option")).to_have_text(["1 relation", "2 relations", "3 relations", "4 relations"])
    kept.select_option("3")
    with page.expect_request("**/api/runs") as asked:
        submit(page, QUESTION)
    assert asked.value.post_data_json["kept"] == 3
    expect(page.get_by_test_id("strategy")).to_have_text("Sketch, 3 relations kept")
    page.get_by_test_id("timeline-item").nth(1).click()
    expect(page.get_by_test_id("pool")).to_contain_text(re.compile(r"Kept 3 of \d+ options, by probability"))

    page.goto(f"{site_with_sketch.address}/evaluations")
    sign_in(page, site_with_sketch)
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    expect(form.get_by_test_id("kept")).to_have_count(0)
    form.get_by_test_id("strategy").select_option("sketch")
    expect(form.get_by_label("Relations kept")).to_have_value("2")
    expect(form).to_contain_text("How many relations are kept.")


def test_steps_of_a_writer_can_be_read_on_a_telephone(
    open_page: Callable[..., Page], site_with_sketch: RunningSite
) -> None:
    page = open_page(site_with_sketch.address, width=360, height=740)
    ask_with_sketch(page)
    expect(page.get_by_test_id("written")).to_contain_text("William Daniels")
    page.get_by_test_id("timeline-item").nth(1).click()
    expect(page.get_by_test_id("kept-options")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_who_cancels_while_a_model_writes_stops_it(
    open_page: Callable[..., Page], site_with_sketch: RunningSite, writing: ChatServer
) -> None:
    page = open_page(site_with_sketch.address)
    answered, writing.answer, writing.pause = writing.answer, lambda _: "word " * 1_000, 0.1
    before = len(writing.asked)
    try:
        ask_with_sketch(page)
        expect(page.get_by_test_id("timeline-item")).to_have_count(2)
        wait_until(lambda: len(writing.asked) > before)
        page.get_by_test_id("cancel-button").click()
        expect(page.get_by_test_id("answer")).to_contain_text("Cancelled")
        assert writing.left.wait(timeout=10), "the connection to the model's server is closed"
    finally:
        writing.answer, writing.pause = answered, 0.0


def ask_with_a_width(page: Page, width: int) -> None:
    expect(page.get_by_test_id("width-select")).to_have_count(0)
    page.get_by_test_id("strategy-select").select_option("beam")
    page.get_by_test_id("width-select").select_option(str(width))
    submit(page, QUESTION)


def test_several_readings_are_kept_watched_and_reported(open_page: Callable[..., Page]) -> None:
    page = open_page()
    ask_with_a_width(page, 4)
    # While readings are weighed, the rounds are what there is to see.
    expect(page.get_by_test_id("round").first).to_be_visible()
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    expect(page.get_by_test_id("confidence")).to_have_text(re.compile(r"Confidence \d+ %"))
    expect(page.get_by_test_id("strategy")).to_have_text("READS, several readings, 4 readings kept")

    # Then they are one line before the decisions, which opens to each round and to what it kept.
    rounds = page.get_by_test_id("rounds")
    expect(rounds.locator("> summary")).to_have_text(re.compile(r"^Weighed \d+ readings in \d+ rounds$"))
    expect(page.get_by_test_id("round").first).to_be_hidden()
    rounds.locator("> summary").click()
    last = page.get_by_test_id("round").last
    expect(last).to_contain_text(re.compile(r"Weighed \d+ readings, kept [2-4]"))
    last.locator("summary").click()
    expect(last).to_contain_text("Knight Rider → regular cast → actor, where character is KITT · complete")

    # How else the question may be read.
    others = page.get_by_test_id("other-readings")
    expect(others.locator("summary")).to_have_text(re.compile("[1-3] other readings?"))
    expect(page.get_by_test_id("other-reading").first).to_be_hidden()
    others.locator("summary").click()
    expect(page.get_by_test_id("other-reading").first).to_contain_text(re.compile(r"^\.\d\d|^<\.01"))

    # Reloading shows the same; asking again asks the same way.
    page.reload()
    expect(page.get_by_test_id("rounds")).to_contain_text("rounds")
    expect(page.get_by_test_id("width-select")).to_have_value("4")
    with page.expect_request("**/api/runs") as asked:
        page.get_by_test_id("ask-again").click()
    assert asked.value.post_data_json["strategy"] == "beam"
    assert asked.value.post_data_json["width"] == 4


def test_readings_can_be_read_on_a_telephone(open_page: Callable[..., Page]) -> None:
    page = open_page(width=360, height=740)
    ask_with_a_width(page, 3)
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")
    page.get_by_test_id("other-readings").locator("summary").click()
    page.get_by_test_id("rounds").locator("> summary").click()
    page.get_by_test_id("round").last.locator("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_evaluation_asks_with_the_strategy_and_says_so(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("limit").fill("10")
    form.get_by_test_id("scorer").select_option("lexical")
    expect(form.get_by_test_id("width")).to_have_count(0)
    form.get_by_test_id("strategy").select_option("beam")
    form.get_by_test_id("width").select_option("2")
    form.get_by_label("Note").fill("Two readings")
    form.get_by_test_id("start").click()
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}$"))
    expect(page.get_by_test_id("figures")).to_contain_text("All 10 questions", timeout=LONGEST_MS)
    expect(page.locator("header").filter(has_text="Two readings")).to_contain_text(
        "READS, several readings, 2 readings kept"
    )
    page.goto("/evaluations")
    expect(page.get_by_test_id("evaluation").filter(has_text="Two readings")).to_contain_text("2 readings kept")
