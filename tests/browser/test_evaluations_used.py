"""Evaluations in use: found again, named, compared with other systems, printed, deleted; in a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_evaluations import LONGEST_MS, sign_in

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
        expect(form.get_by_test_id("file-upload")).to_contain_text("uploaded")
        expect(form.get_by_test_id("predictions-look")).to_contain_text("Read from the field “answers”.")
    form.get_by_test_id("start").press("Enter")
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}$"))
    expect(page.get_by_test_id("figures")).to_contain_text(f"All {LIMIT} questions", timeout=LONGEST_MS)
    expect(page.get_by_test_id("progress")).to_have_count(0, timeout=LONGEST_MS)
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

    # Provenance.
    manifest = page.get_by_test_id("manifest")
    manifest.get_by_text("Provenance").click()
    expect(manifest.get_by_role("row", name=re.compile("Hash of the code"))).to_be_visible()
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
    rules = page.get_by_test_id("by-rules")
    rules.locator("summary").click()
    nsm = rules.get_by_role("table").filter(has=page.get_by_text("NSM", exact=True))
    expect(nsm.get_by_role("row", name=re.compile("^Hits "))).to_contain_text(f"{hits}{hits}Hits@1")
    expect(rules.get_by_role("table").filter(has=page.get_by_text("GrailQA", exact=True))).to_have_count(0)
    page.get_by_test_id("open-question").first.click()
    expect(page.get_by_test_id("question").first.get_by_role("alert")).to_contain_text("What it decided is not known")

    found_again(page)
    renamed_and_deleted(page, theirs)
    page.goto(ours)
    expect(page.get_by_test_id("all-figures")).to_be_visible()


GOLD_LOOKING = {
    "NSM": (
        [
            {"question": f"who plays KITT in film {number}?", "answers": ["m.gold"], "cand": cand, "hit": 0.0}
            for number, cand in enumerate([[["m.second", 0.2], ["m.first", 0.7]], [], *([[["m.first", 0.7]]] * 10)])
        ],
        "Read from the field “cand”.",
        ["who plays KITT in film 0?", "m.first · m.second"],
    ),
    "StructGPT": (
        [
            {"ID": f"film-{number}", "Answers": ["gold"], "Aliases": [], "Prediction": "David\nWilliam"}
            for number in range(12)
        ],
        "Read from the field “Prediction”.",
        ["film-0", "David · William"],
    ),
}
"""Files with gold answers next to the predicted ones: the lines, and what the page shows."""


def others_form(page: Page, file: Path, entries: list[dict[str, object]]) -> Locator:
    """The form of a new evaluation with a file of predictions that was sent."""
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("limit").fill(str(LIMIT))
    form.get_by_test_id("others").check()
    form.get_by_role("textbox", name="System").fill("RoG")
    form.locator("input[type=file]").set_input_files(file)
    expect(form.get_by_test_id("file-upload")).to_contain_text("uploaded")
    return form


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("system", GOLD_LOOKING)
def test_what_is_judged_is_shown_before(
    open_page: Callable[..., Page], site: RunningSite, tmp_path: Path, system: str, width: int
) -> None:
    """Gold answers are not mistaken for predictions."""
    entries, said, first = GOLD_LOOKING[system]
    page = open_page("/evaluations", width=width)
    sign_in(page, site)
    form = others_form(page, tmp_path / "predictions.jsonl", entries)
    look = form.get_by_test_id("predictions-look")
    expect(look).to_contain_text(said)
    expect(look.locator("tbody tr")).to_have_count(5)
    expect(look.locator("tbody tr").first.locator("th, td")).to_have_text(first)
    expect(look).not_to_contain_text("gold")
    expect(look).to_contain_text("5 of 12 predictions. Choose Start to evaluate them.")
    if system == "NSM":
        expect(look.locator("tbody tr").nth(1)).to_contain_text("no answer")
    form.get_by_test_id("start").scroll_into_view_if_needed()
    page.screenshot(path=tmp_path / "look.png")
    assert form.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
    # To stop is to choose another file; nothing was begun.
    form.get_by_role("button", name="Choose another file").press("Enter")
    expect(look).to_have_count(0)
    expect(form.get_by_test_id("start")).to_be_disabled()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_file_whose_predicted_field_stays_open_is_refused_before_it_is_judged(
    open_page: Callable[..., Page], site: RunningSite, tmp_path: Path, width: int
) -> None:
    page = open_page("/evaluations", width=width)
    sign_in(page, site)
    gold: list[dict[str, object]] = [{"question": "who plays KITT?", "answers": ["William Daniels"], "f1": 0.71}]
    form = others_form(page, tmp_path / "gold.jsonl", gold)
    look = form.get_by_test_id("predictions-look")
    expect(look.get_by_role("alert")).to_contain_text(
        "“answers” holds the gold answers, because the entry also has “f1”"
    )
    expect(form.get_by_test_id("start")).to_be_disabled()
    page.screenshot(path=tmp_path / "refused.png")
    form.get_by_role("button", name="Choose another file").press("Enter")
    # The site keeps the form open for another file, and what is judged follows from that one.
    two: list[dict[str, object]] = [{"id": "q", "prediction": "a", "response": "b"}]
    (tmp_path / "two.jsonl").write_text(json.dumps(two[0]) + "\n", encoding="utf-8")
    form.locator("input[type=file]").set_input_files(tmp_path / "two.jsonl")
    expect(look.get_by_role("alert")).to_contain_text("there are “prediction”, “response”")
    expect(look.get_by_role("button")).to_have_count(0)


def test_an_empty_file_is_refused_before_it_is_sent(
    open_page: Callable[..., Page], site: RunningSite, tmp_path: Path
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("others").check()
    (tmp_path / "empty.jsonl").touch()
    form.locator("input[type=file]").set_input_files(tmp_path / "empty.jsonl")
    upload = form.get_by_test_id("file-upload")
    expect(upload.get_by_role("alert")).to_have_text("This file is empty. Choose another one.")
    # Nothing is on its way, and another file can be chosen at once.
    expect(upload.get_by_role("progressbar")).to_have_count(0)
    expect(upload.locator("input[type=file]")).to_be_enabled()


def test_a_look_at_predictions_that_was_cut_off_is_tried_again(
    open_page: Callable[..., Page], site: RunningSite, tmp_path: Path
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    page.route("**/api/evaluations/predictions/*", lambda route: route.abort())
    form = others_form(page, tmp_path / "predictions.jsonl", [{"id": "film-001/1", "prediction": ["a"]}])
    look = form.get_by_test_id("predictions-look")
    expect(look.get_by_role("alert")).not_to_be_empty()
    expect(form.get_by_test_id("start")).to_be_disabled()
    page.unroute("**/api/evaluations/predictions/*")
    look.get_by_role("button", name="Read it again").press("Enter")
    expect(look).to_contain_text("Read from the field “prediction”.")
    expect(look).to_contain_text("1 prediction. Choose Start to evaluate them.")
    expect(form.get_by_test_id("start")).to_be_enabled()


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
    expect(dialog).to_contain_text(f"{LIMIT} judged questions are deleted too")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Evaluations")).to_be_visible()
    expect(page.get_by_test_id("evaluations")).not_to_contain_text("Not needed")
    page.goto(address)
    expect(page.get_by_text("This evaluation does not exist")).to_be_visible()
