"""Evaluations that others use: found again, named, judged beside other systems, printed, deleted; in a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_evaluations import A_MINUTE, sign_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

LIMIT = 12


def start(page: Page, note: str, *, group: str = "", predictions: Path | None = None) -> str:
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("limit").fill(str(LIMIT))
    form.get_by_label("Note").fill(note)
    form.get_by_label("Group").fill(group)
    if predictions is None:
        form.get_by_test_id("scorer").select_option("lexical")
    else:
        form.get_by_test_id("others").check()
        expect(form.get_by_test_id("scorer")).to_have_count(0)
        form.get_by_role("textbox", name="System").fill("RoG")
        expect(form.get_by_test_id("start")).to_be_disabled()
        form.locator("input[type=file]").set_input_files(predictions)
        expect(form.get_by_test_id("file-upload")).to_contain_text("sent")
    form.get_by_test_id("start").click()
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}$"))
    expect(page.get_by_test_id("figures")).to_contain_text(f"All {LIMIT} questions", timeout=A_MINUTE)
    expect(page.get_by_test_id("progress")).to_have_count(0, timeout=A_MINUTE)
    return page.url


def saved(menu: Locator, role: str, name: str, folder: Path) -> Path:
    """The file that a menu's entry hands out."""
    menu.locator("summary").click()
    with menu.page.expect_download() as download:
        menu.get_by_role(role, name=name).click()  # type: ignore[arg-type]
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    expect(menu.locator("summary")).to_be_visible()
    return path


def test_an_evaluation_is_used_by_others_printed_and_deleted(
    open_page: Callable[..., Page], site: RunningSite, tmp_path: Path
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    ours = start(page, "To be printed", group="paper & more")
    expect(page.get_by_role("heading", level=1)).to_have_text("To be printed · lexical · READS · bundled sample")

    # What it was made with.
    manifest = page.get_by_test_id("manifest")
    manifest.get_by_text("What it was made with").click()
    expect(manifest.get_by_role("row", name=re.compile("Code, sources"))).to_be_visible()
    with page.expect_download() as download:
        manifest.get_by_role("link", name="Manifest").click()
    assert json.loads(Path(download.value.path()).read_text("utf-8"))["dataset"]["questions"] == LIMIT

    # A chart as numbers and as a picture, the report as a page that stands alone.
    for fold in ("all-figures", "all-charts"):
        page.get_by_test_id(fold).locator("summary").first.click()
    chart = page.get_by_test_id("chart-menu").first
    assert saved(chart, "button", "CSV", tmp_path).read_text("utf-8").splitlines()[2].startswith("C1 right,share,")
    picture = saved(chart, "button", "PNG", tmp_path).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5_000
    chart.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(chart.get_by_role("button", name="CSV")).to_be_visible()
    page.keyboard.press("Escape")
    expect(chart.get_by_role("button", name="CSV")).to_be_hidden()
    hits = page.get_by_test_id("figures").locator("dd").first.inner_text()
    report = saved(page.get_by_test_id("downloads"), "link", "Report", tmp_path)
    alone = page.context.new_page()
    alone.goto(report.as_uri())
    expect(alone.get_by_role("row", name=re.compile("Hits@1")).first).to_contain_text(hits)
    alone.close()

    # Its predictions, judged as another system's.
    predictions = saved(page.get_by_test_id("downloads"), "link", "Predictions", tmp_path)
    page.goto("/evaluations")
    theirs = start(page, "", predictions=predictions)
    expect(page.get_by_role("heading", level=1)).to_have_text("RoG · bundled sample")
    expect(page.get_by_test_id("prediction-notes")).to_contain_text("read from the field “answers”")
    page.get_by_test_id("all-figures").locator("summary").first.click()
    expect(page.get_by_test_id("figures").locator("dd").first).to_have_text(hits)
    expect(page.get_by_test_id("figures")).not_to_contain_text("Model calls")
    page.get_by_test_id("open-question").first.click()
    expect(page.get_by_test_id("question").first.get_by_role("alert")).to_contain_text("What it decided is not known")

    found_again(page)
    renamed_and_deleted(page, theirs)
    page.goto(ours)
    expect(page.get_by_test_id("all-figures")).to_be_visible()


def test_a_file_whose_answers_are_gold_is_refused_by_name(
    open_page: Callable[..., Page], site: RunningSite, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"question": "who plays KITT?", "answers": ["William Daniels"], "f1": 0.71}\n', encoding="utf-8")
    page = open_page("/evaluations", width=1280)
    sign_in(page, site)
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("limit").fill(str(LIMIT))
    form.get_by_test_id("others").check()
    form.get_by_role("textbox", name="System").fill("RoG")
    form.locator("input[type=file]").set_input_files(gold)
    expect(form.get_by_test_id("file-upload")).to_contain_text("sent")
    form.get_by_test_id("start").click()
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}$"))
    reason = page.get_by_text("“answers” holds the gold answers, as it stands beside “f1”")
    expect(reason).to_be_visible(timeout=A_MINUTE)
    page.screenshot(path=tmp_path / "refused.png")


def found_again(page: Page) -> None:
    """By words, group and star; the address keeps it."""
    page.goto("/evaluations")
    page.get_by_label("Star To be printed").click()
    expect(page.get_by_label("Star To be printed")).to_have_attribute("aria-pressed", "true")
    page.get_by_test_id("group-filter").select_option("paper & more")
    expect(page.get_by_test_id("evaluation")).to_have_count(1)
    page.get_by_role("button", name="Starred", exact=True).click()
    page.get_by_label("Search the evaluations").fill("printed reads")
    expect(page).to_have_url(re.compile(r"search=printed\+reads&group=paper\+%26\+more&starred=1"))
    page.reload()
    expect(page.get_by_test_id("evaluation")).to_have_count(1)
    expect(page.get_by_role("search")).to_contain_text(re.compile(r"1 of \d+ evaluations"))
    page.get_by_label("Search the evaluations").fill("nothing like it")
    expect(page.get_by_test_id("none-found")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_test_id("evaluation").nth(1)).to_be_visible()


def renamed_and_deleted(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_test_id("name").click()
    form = page.get_by_test_id("name-form")
    form.get_by_label("Note").fill("Not needed")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Not needed · RoG · bundled sample")
    page.get_by_test_id("remove").click()
    dialog = page.get_by_test_id("remove-evaluation")
    expect(dialog).to_contain_text(f"{LIMIT} judged questions go with it")
    expect(dialog.get_by_role("button", name="Keep it")).to_be_focused()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Evaluations")).to_be_visible()
    expect(page.get_by_test_id("evaluations")).not_to_contain_text("Not needed")
    page.goto(address)
    expect(page.get_by_text("There is no such evaluation")).to_be_visible()
