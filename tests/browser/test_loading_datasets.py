"""What an administrator and a visitor do with datasets in a browser."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.browser.test_evaluations import LONGEST_MS, sign_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser


@pytest.fixture
def television(tmp_path: Path) -> Path:
    """Questions of the bundled sample, which the bundled scorer learned from in part, and 30 lines that are none."""
    lines = (SAMPLE_FOLDER / "tv.jsonl").read_text(encoding="utf-8").splitlines()
    broken = [json.dumps({"id": f"broken-{number}", "phrasings": "no list"}) for number in range(30)]
    path = tmp_path / "television.jsonl"
    path.write_text("\n".join([*lines[:5], *broken, *lines[5:]]) + "\n", encoding="utf-8")
    return path


def test_a_file_is_sent_checked_and_evaluated_and_what_training_saw_is_said(
    open_page: Callable[..., Page], site: RunningSite, television: Path
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    page.get_by_role("main").get_by_role("link", name="dataset").click()
    expect(page).to_have_title("Datasets · Discern")
    page.get_by_test_id("load").press("Enter")
    form = page.get_by_test_id("load-form")
    form.get_by_test_id("start-load").click()
    expect(form.get_by_test_id("load-fault")).to_have_text("Choose a file first.")
    form.locator("input[type=file]").set_input_files(television)
    expect(form.get_by_test_id("file-upload")).to_contain_text("uploaded")
    form.get_by_label("Name").fill("television")
    form.get_by_label("Name").press("Enter")

    page.wait_for_url(re.compile(r"/datasets/[0-9a-f-]{36}$"))
    address = page.url
    look_through(page)
    evaluate(page)
    # What an evaluation points at stays; it is archived and offered again.
    page.goto(address)
    expect(page.get_by_role("button", name="Delete")).to_be_disabled()
    page.get_by_role("button", name="Archive").press("Enter")
    expect(page.get_by_role("button", name="Unarchive")).to_be_visible()
    page.get_by_role("button", name="Unarchive").press("Enter")
    expect(page.get_by_role("button", name="Archive")).to_be_visible()
    look_only(open_page, address)


def look_through(page: Page) -> None:
    """It loads in a worker; what is no question is listed and downloaded, and the questions are searched."""
    expect(page.get_by_test_id("stands")).to_contain_text("held out", timeout=LONGEST_MS)
    expect(page.get_by_test_id("stands")).to_contain_text("30 skipped")
    malformed = page.get_by_test_id("malformed")
    expect(malformed.get_by_test_id("malformed-count")).to_have_text("20 of 30")
    expect(malformed.get_by_role("row").nth(1)).to_contain_text("line 6")
    malformed.get_by_role("button", name="Next 20").press("Enter")
    expect(malformed.get_by_test_id("malformed-count")).to_have_text("30 of 30")
    with page.expect_download() as download:
        malformed.get_by_role("link", name="CSV").click()
    assert download.value.path().read_text(encoding="utf-8").count("line ") == 30

    questions = page.get_by_test_id("dataset-questions")
    questions.get_by_label("Search the questions").fill("KITT")
    expect(questions.get_by_test_id("question-count")).to_contain_text(re.compile(r"(\d+) of \1, of \d+ in all"))
    questions.locator("summary").first.press("Enter")
    expect(questions).to_contain_text("en.knight_rider")


def evaluate(page: Page) -> None:
    """It is chosen for an evaluation, whose figures tell what was seen in training."""
    page.goto("/evaluations")
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    option = form.get_by_test_id("dataset").locator("option", has_text="television, version 1")
    expect(option).to_have_count(1)
    form.get_by_test_id("dataset").select_option(label=option.inner_text().strip())
    form.get_by_test_id("split").select_option("train")
    form.get_by_test_id("limit").fill("4")
    form.get_by_test_id("scorer").select_option("encoder")
    form.get_by_test_id("start").click()
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}$"))
    warning = page.get_by_test_id("seen-in-training")
    expect(warning).to_contain_text("Seen in training: 4 of 4 questions", timeout=LONGEST_MS)
    expect(warning).to_contain_text("4 the same wording")
    expect(page.get_by_test_id("figures")).to_contain_text("Hits@1", timeout=LONGEST_MS)
    warning.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"seen=1"))
    expect(page.get_by_test_id("question")).to_have_count(4)


def look_only(open_page: Callable[..., Page], address: str) -> None:
    """A guest sees the questions without gold, on a telephone too, and may change nothing."""
    for scheme in ("light", "dark"):
        other = open_page(address, width=360, height=740, color_scheme=scheme)
        expect(other.get_by_test_id("dataset-questions").locator("li")).not_to_have_count(0)
        expect(other.get_by_test_id("gold-hidden")).to_contain_text("hidden from guests. Sign in to see them.")
        expect(other.get_by_role("button", name="Archive")).to_have_count(0)
        assert other.evaluate("document.documentElement.scrollWidth") <= 360
        other.goto("/datasets")
        expect(other.get_by_test_id("dataset").filter(has_text="television")).to_contain_text("held out")
        expect(other.get_by_test_id("load")).to_have_count(0)
        assert other.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_types_of_metaqa_are_sent_with_its_questions(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = open_page("/evaluations", width=1280, height=620)
    sign_in(page, site)
    page.goto("/datasets")
    page.get_by_test_id("load").click()
    form = page.get_by_test_id("load-form")
    expect(form.get_by_test_id("file-upload")).to_have_count(1)
    form.get_by_test_id("format").select_option("metaqa")
    questions, types = form.get_by_test_id("file-upload").all()
    expect(types).to_contain_text("Types of the questions (optional)")
    for field, name, text in (
        (questions, "dev.txt", "who directed [Jaws]\tSteven Spielberg\n"),
        (types, "types of dev.txt", "movie_to_director\n"),
    ):
        field.locator("input[type=file]").set_input_files(
            [{"name": name, "mimeType": "text/plain", "buffer": text.encode()}]
        )
        expect(field).to_contain_text("uploaded")
    # The button is in sight, however low the window.
    expect(form.get_by_test_id("start-load")).to_be_in_viewport()
    form.get_by_test_id("start-load").click()
    page.wait_for_url(re.compile(r"/datasets/[0-9a-f-]{36}$"))
    expect(page.get_by_test_id("stands")).to_contain_text("1 question;", timeout=LONGEST_MS)
    expect(page.get_by_test_id("dataset-page")).to_contain_text("format MetaQA")
    expect(page.get_by_test_id("dataset-page")).to_contain_text("dev.txt with types of dev.txt")
    row = page.get_by_test_id("dataset-questions")
    row.locator("summary").first.click()
    expect(row).to_contain_text("film.film.directed_by")


def test_unreadable_gold_queries_are_warned_of_and_the_file_is_read_again(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/evaluations", width=1280, height=720)
    sign_in(page, site)
    page.goto("/datasets")
    page.get_by_test_id("load").click()
    form = page.get_by_test_id("load-form")
    form.get_by_test_id("format").select_option("webqsp")
    parse = {"TopicEntityMid": "m.a", "Sparql": "SELECT nothing", "Answers": []}
    document = {"Questions": [{"QuestionId": "Q-1", "RawQuestion": "who is it?", "Parses": [parse]}]}
    form.locator("input[type=file]").set_input_files(
        [{"name": "cut.json", "mimeType": "application/json", "buffer": json.dumps(document).encode()}]
    )
    form.get_by_test_id("start-load").click()
    page.wait_for_url(re.compile(r"/datasets/[0-9a-f-]{36}$"))
    first = page.url
    missing = page.get_by_test_id("gold-missing")
    expect(missing).to_contain_text("1 of 1 questions", timeout=LONGEST_MS)
    expect(missing).to_contain_text("not SPARQL")
    expect(missing.get_by_role("alert")).to_contain_text("More than 5 % of the gold queries could not be read.")
    page.get_by_role("button", name="Reload the file").click()
    page.wait_for_url(lambda url: "/datasets/" in url and url != first)
    expect(page.get_by_test_id("dataset-page")).to_contain_text("Version 2", timeout=LONGEST_MS)
    expect(page.get_by_test_id("gold-missing")).to_contain_text("1 of 1 questions", timeout=LONGEST_MS)


def test_a_dataset_that_is_not_there_says_so(open_page: Callable[..., Page]) -> None:
    page = open_page("/datasets/00000000-0000-4000-8000-000000000000")
    expect(page.get_by_text("This dataset does not exist")).to_be_visible()
