"""What a person sees of strategies in which a model writes: what it was sent, what it wrote, how that was read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import submit
from tests.browser.test_evaluations import LONGEST_MS, sign_in
from tests.reasoning.chat_server import chat_server
from tests.running_site import RunningSite, site_ready

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.browser

QUESTION = "who plays the voice of KITT in Knight Rider?"
REPLY = "1. William Daniels\n2. Pat Morita\nI hope that this helps!"


@pytest.fixture(scope="module")
def writing_site() -> Iterator[RunningSite]:
    """A site whose settings name the server of a model that writes; it always replies the same."""
    with (
        chat_server(lambda _: REPLY, models=("storyteller",)) as server,
        site_ready(DISCERN_SCORER="encoder", DISCERN_LLM_URL=server.url, DISCERN_VISITOR_RATE="1000/minute") as site,
    ):
        yield site


def ask_with(page: Page, strategy: str, *, own: bool) -> None:
    expect(page.get_by_test_id("own-answers")).to_have_count(0)
    page.get_by_test_id("strategy-select").select_option(strategy)
    if own:
        page.get_by_test_id("own-answers").check()
    submit(page, QUESTION)


def test_what_the_model_answers_alone_is_reported_as_its_own_where_that_is_wanted(
    open_page: Callable[..., Page], writing_site: RunningSite
) -> None:
    page = open_page(writing_site.address)
    ask_with(page, "zero-shot", own=True)
    answer = page.get_by_test_id("answer")
    expect(answer).to_contain_text("William Daniels")
    expect(page.get_by_test_id("from-the-model")).to_contain_text("No fact of the graph supports it")
    expect(page.get_by_test_id("strategy")).to_have_text("Language model alone")
    expect(page.get_by_test_id("confidence")).to_have_count(0)

    # The last step is the text: marked, with its cost, how it was read, and what was sent for it.
    expect(page.get_by_test_id("written")).to_contain_text("Written by storyteller, not from the graph")
    expect(page.get_by_test_id("written")).to_contain_text("I hope that this helps!")
    said = page.get_by_test_id("said").get_by_role("listitem")
    expect(said).to_have_count(3)
    expect(said.nth(0)).to_have_text(
        "“William Daniels” names William Daniels, which is in the graph but not in the facts"
    )
    expect(said.nth(1)).to_have_text("“Pat Morita” names no entity and no option")
    expect(said.nth(2)).to_have_text("“I hope that this helps!” names no entity and no option")
    expect(page.get_by_test_id("written-cost")).to_contain_text("1 model call · 40 tokens in")
    sent = page.get_by_test_id("sent")
    sent.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(sent).to_contain_text("Answer the question from what you know.")
    expect(sent).to_contain_text(QUESTION)

    # Reloading shows the same, and asking again asks the same way.
    page.reload()
    expect(page.get_by_test_id("said")).to_contain_text("Pat Morita")
    expect(page.get_by_test_id("own-answers")).to_be_checked()
    with page.expect_request("**/api/runs") as asked:
        page.get_by_test_id("ask-again").click()
    assert asked.value.post_data_json["model_may_answer"] is True


def test_unless_it_is_wanted_the_models_own_answer_is_none(
    open_page: Callable[..., Page], writing_site: RunningSite
) -> None:
    page = open_page(writing_site.address)
    ask_with(page, "zero-shot", own=False)
    expect(page.get_by_test_id("answer")).to_contain_text("No answer found")
    expect(page.get_by_test_id("answer")).to_contain_text("A language model wrote an answer that no fact")
    expect(page.get_by_test_id("said")).to_contain_text("“William Daniels” names William Daniels")


def test_what_the_facts_hold_is_an_answer_with_its_path(
    open_page: Callable[..., Page], writing_site: RunningSite
) -> None:
    page = open_page(writing_site.address)
    ask_with(page, "augmented", own=False)
    expect(page.get_by_test_id("answer-item")).to_have_text("William Daniels")
    expect(page.get_by_test_id("from-the-model")).to_have_count(0)
    expect(page.get_by_test_id("answer")).to_contain_text("regular cast")
    expect(page.get_by_test_id("said").get_by_role("listitem").first).to_have_text(
        "“William Daniels” names William Daniels, which is in the facts"
    )
    page.get_by_test_id("sent").locator("summary").click()
    expect(page.get_by_test_id("sent")).to_contain_text(re.compile(r"Facts \(\d+ of \d+\)"))


def test_a_text_can_be_read_on_a_telephone(open_page: Callable[..., Page], writing_site: RunningSite) -> None:
    page = open_page(writing_site.address, width=360, height=740)
    ask_with(page, "augmented", own=True)
    expect(page.get_by_test_id("said")).to_contain_text("William Daniels")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_evaluation_counts_the_models_own_answers_apart(
    open_page: Callable[..., Page], writing_site: RunningSite
) -> None:
    page = open_page(f"{writing_site.address}/evaluations")
    sign_in(page, writing_site)
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("limit").fill("6")
    form.get_by_test_id("scorer").select_option("lexical")
    expect(form.get_by_test_id("model-may-answer")).to_have_count(0)
    form.get_by_test_id("strategy").select_option("zero-shot")
    form.get_by_test_id("model-may-answer").check()
    form.get_by_test_id("start").click()
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}$"))
    figures = page.get_by_test_id("figures")
    expect(figures).to_contain_text("All 6 questions", timeout=LONGEST_MS)
    expect(figures).to_contain_text("Model\u2019s own answers")
    expect(figures).to_contain_text("Hits@1 without them")
