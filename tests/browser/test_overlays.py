"""Corrections of a benchmark in a browser: sent or kept from a project, figures with and without them side by side."""

from __future__ import annotations

import json
import re
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import expect

from kgstore.terms import parse_term
from reasoning.datasets.overlay import Correction, CorrectionKind, Overlay, overlay_of, signed
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.registry import read_dataset
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.browser.test_accessibility import faults
from tests.browser.test_adjudication import Script
from tests.browser.test_annotation import signed_in
from tests.webapp.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, FilePayload, Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

AT = "2026-11-23T12:00:00+00:00"
A_FILE = "corrections.json"
NARROW = 360


@pytest.fixture(scope="module")
def scripts(browser: Browser, site: RunningSite) -> Iterator[dict[str, Script]]:
    accounts = json.loads((site.home / "demo_accounts.json").read_text(encoding="utf-8"))
    found = {each["username"]: Script(browser, site, each) for each in accounts if each["username"] in ("cleo", "ben")}
    yield found
    for each in found.values():
        each.close()


@pytest.fixture(scope="module")
def dataset(scripts: dict[str, Script]) -> dict[str, Any]:
    """The sample's questions, loaded."""
    cleo = scripts["cleo"]
    made = cleo.ask("POST", "/datasets", {"file": "sample", "format": "discern", "name": "sample"})
    wait_until(lambda: cleo.ask("GET", f"/datasets/{made['id']}")["status"] == "succeeded")
    found: dict[str, Any] = cleo.ask("GET", f"/datasets/{made['id']}")
    return found


@pytest.fixture
def evaluation(scripts: dict[str, Script], dataset: dict[str, Any]) -> str:
    """The address of an evaluation of 30 of them."""
    cleo = scripts["cleo"]
    wanted = {"dataset": dataset["name"], "graph": "sample", "scorer": "lexical", "split": "all", "limit": 30}
    made = cleo.ask("POST", "/evaluations", wanted)
    wait_until(lambda: cleo.ask("GET", f"/evaluations/{made['id']}")["status"] == "succeeded")
    return f"/evaluations/{made['id']}"


def corrections(cleo: Script, dataset: dict[str, Any], evaluation: str) -> str:
    """Of the first question what was answered is right, the second has no answer, the third is to be reworded."""
    read = {each.id: each for each in read_dataset(SAMPLE_FOLDER, "discern") if isinstance(each, BenchmarkQuestion)}
    asked = cleo.ask("GET", f"{evaluation}/questions?limit=3")["questions"]
    first, second, third = (read[each["question_id"]] for each in asked)
    nobody = GoldParse(first.topic, frozenset({parse_term("m.nobody")}), None, "corrected: wrong")
    none = GoldParse(second.topic, frozenset(), None, "fact missing")
    more: dict[str, Any] = {"who": ("dan",), "agreement": 1.0, "at": AT}
    return signed(
        Overlay(
            dataset["name"],
            dataset["identity"],
            dataset["identity_algorithm"],
            "Rita of elsewhere",
            AT,
            (
                Correction(first.id, CorrectionKind.WRONG, first.parses, (nobody,), reason="nobody knows", **more),
                Correction(second.id, CorrectionKind.UNANSWERABLE, second.parses, (none,), **more),
                Correction(third.id, CorrectionKind.REWORDED, third.parses, third.parses, "who else?", **more),
            ),
        ),
        Ed25519PrivateKey.generate(),
    )


def send(page: Page, content: str) -> None:
    adding = page.get_by_test_id("add-overlay")
    if adding.get_attribute("open") is None:
        adding.locator("summary").press("Enter")
    file: FilePayload = {"name": A_FILE, "mimeType": "application/json", "buffer": content.encode()}
    adding.locator("input[type=file]").set_input_files(file)


def test_figures_stand_side_by_side_and_the_address_keeps_them(
    open_page: Callable[..., Page],
    site: RunningSite,
    scripts: dict[str, Script],
    dataset: dict[str, Any],
    evaluation: str,
) -> None:
    content = corrections(scripts["cleo"], dataset, evaluation)
    page = signed_in(open_page, site, "admin", evaluation, width=NARROW, height=768, color_scheme="dark")
    expect(page.get_by_test_id("add-overlay")).to_be_visible()
    before = page.get_by_test_id("figures").inner_text()
    send(page, content.replace("elsewhere", "nowhere"))
    expect(page.get_by_test_id("overlay-fault")).to_contain_text("was altered after it was signed")
    page.get_by_role("button", name="Choose another file").press("Enter")
    send(page, content)

    table = page.get_by_test_id("overlaid-figures")
    expect(table).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?overlay=[0-9a-f-]{36}$"))
    expect(page.get_by_test_id("choose-overlay").locator("option:checked")).to_contain_text("3 corrections by Rita of")
    expect(page.get_by_test_id("overlay-signer")).to_contain_text("Signed by Rita of elsewhere with the key")
    counts = page.get_by_test_id("overlaid-counts")
    expect(counts).to_contain_text("2 corrections applied: 1 cannot be answered, 1 wrong.")
    expect(counts).to_contain_text("30 of 30 questions judged.")
    expect(counts.get_by_role("listitem")).to_have_text(
        "1: reworded: it was asked in its old words, and counts as it did"
    )
    unanswered = table.get_by_role("row", name=re.compile("^Without an answer"))
    expect(unanswered.get_by_role("cell").last).not_to_be_empty()
    shown = table.inner_text()
    assert page.get_by_test_id("figures").inner_text() == before, "those of the benchmark stay as they are"
    corrected = page.get_by_test_id("question").first.get_by_test_id("corrected")
    expect(corrected).to_contain_text("Corrected: wrong")
    expect(corrected).to_contain_text(
        "“nobody knows” dan, 100.0 % agree, 23 November 2026. Wrong after the correction, F1 0.00."
    )
    expect(page.get_by_test_id("corrected")).to_have_count(3)
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW

    page.reload()
    expect(table).to_be_visible()
    assert table.inner_text() == shown
    address = page.url

    # A filter and an opened question keep it.
    page.get_by_test_id("case-filter").select_option("E1")
    expect(page).to_have_url(re.compile(r"\?case=E1&overlay="))
    page.goto(address)
    page.get_by_test_id("open-question").first.press("Enter")
    page.wait_for_url("**/runs/*")
    expect(page.get_by_test_id("opened-question").get_by_test_id("corrected")).to_contain_text("Corrected: wrong")
    page.get_by_test_id("back-to-list").click()
    expect(table).to_be_visible()

    visitor = open_page(address, width=NARROW, height=768)
    look_only(visitor, shown)
    remove(page, visitor)


def look_only(visitor: Page, told: str) -> None:
    """A visitor with the link sees the same, and cannot change it."""
    expect(visitor.get_by_test_id("overlaid-figures")).to_be_visible()
    assert visitor.get_by_test_id("overlaid-figures").inner_text() == told
    expect(visitor.get_by_test_id("add-overlay")).to_have_count(0)
    expect(visitor.get_by_test_id("remove-overlay")).to_have_count(0)


def remove(page: Page, visitor: Page) -> None:
    """Corrections are removed by keyboard, and their links say so."""
    page.get_by_test_id("remove-overlay").press("Enter")
    dialog = page.get_by_test_id("remove-overlay-dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Delete").press("Enter")
    expect(page.get_by_test_id("overlaid-figures")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("overlay="))
    visitor.reload()
    expect(visitor.get_by_test_id("corrections").get_by_role("alert")).to_contain_text("There are no such corrections")
    visitor.get_by_role("button", name="By the benchmark").press("Enter")
    expect(visitor.get_by_test_id("corrections")).to_have_count(0)


def test_a_project_s_corrections_are_downloaded_and_evaluated_with(
    open_page: Callable[..., Page],
    site: RunningSite,
    scripts: dict[str, Script],
    dataset: dict[str, Any],
    evaluation: str,
) -> None:
    ben, cleo = scripts["ben"], scripts["cleo"]
    asked = cleo.ask("GET", f"{evaluation}/questions?limit=1")["questions"][0]
    questions = {"dataset": dataset["id"], "search": asked["text"], "limit": 1}
    wanted = {"title": "Checked", "questions": questions, "graph": "sample", "people": ["ben"]}
    project = str(cleo.ask("POST", "/annotation/projects", wanted)["id"])
    task = int(ben.ask("POST", f"/annotation/projects/{project}/next")["task"])
    draft = ben.ask("GET", f"/annotation/tasks/{task}")["work"]["draft"]
    (thing, *_) = ben.ask("GET", "/graphs/sample/entities?q=KITT")
    now = {"kind": "benchmark", "benchmark": "wrong", "marked": [thing["id"]], "note": "it is KITT"}
    move = {"id": str(uuid.uuid4()), "was": {name: draft[name] for name in now}, "now": now}
    ben.ask("POST", f"/annotation/tasks/{task}/moves", {"after": 0, "moves": [move]})
    assert ben.ask("POST", f"/annotation/tasks/{task}/submit")["state"] == "submitted"

    page = signed_in(open_page, site, "admin", f"/annotate/projects/{project}")
    panel = page.get_by_test_id("label-export")
    panel.locator("summary").first.press("Enter")
    with page.expect_download() as download:
        page.get_by_test_id("export-overlay").press("Enter")
    content = Path(download.value.path()).read_text(encoding="utf-8")
    made = overlay_of(json.loads(content))
    key = cleo.ask("GET", "/annotation/exports")["overlay_key"]
    (correction,) = made.overlay.corrections
    assert (made.key, correction.question_id, correction.kind) == (key, asked["question_id"], "wrong")
    page.get_by_test_id("keep-overlay").press("Enter")
    expect(page.get_by_test_id("overlay-kept")).to_contain_text("1 correction added.")
    assert faults(page) == []

    page.goto(evaluation)
    expect(page.get_by_test_id("choose-overlay").locator("option")).to_have_count(2)
    send(page, content)
    expect(page.get_by_test_id("overlay-signer")).to_contain_text("Signed by this site")
    expect(page.get_by_test_id("overlaid-counts")).to_contain_text("1 correction applied: 1 wrong.")
    expect(page.get_by_test_id("corrected")).to_contain_text("“it is KITT” ben, 100.0 % agree")
    # Kept from the project, too, it is chosen by keyboard.
    page.get_by_test_id("choose-overlay").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("overlay-signer")).to_contain_text("Signed by this site")
    expect(page.get_by_test_id("overlaid-figures")).to_be_visible()
