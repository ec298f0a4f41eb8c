"""A dozen questions of the sample, labelled only with the keyboard, compared with their gold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from reasoning.core.derivation import Derivation
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.browser.test_annotation import MOVES, ask, signed_in
from tests.browser.test_labelling_real import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

WANTED = 12
TOUCHED = "addEventListener('pointerdown', () => (window.touched = true), true)"


def test_a_dozen_questions_are_labelled_with_the_keyboard_alone(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    gold = written(site)
    admin = signed_in(open_page, site, "admin", "/datasets")
    dataset = ask(admin, "POST", "/datasets", {"file": "dozen.jsonl", "format": "discern", "name": "dozen"})["id"]
    admin.goto(f"/datasets/{dataset}")
    expect(admin.get_by_test_id("stands")).to_contain_text("held out")
    people = [site.account("annotator")[0]]
    wanted = {"title": "A dozen", "questions": {"dataset": dataset}, "graph": "sample", "people": people}
    project = ask(admin, "POST", "/annotation/projects", wanted)["id"]

    page = signed_in(open_page, site, "annotator", f"/annotate/projects/{project}")
    page.evaluate(TOUCHED)
    page.get_by_test_id("next").press("Enter")
    labelled = {}
    for number in range(1, WANTED + 1):
        expect(page.get_by_test_id("place")).to_have_text(f"{number} of {WANTED}")
        question = str(task_of(page)["question_id"])
        label(page, gold[question])
        labelled[question] = read(task_of(page)["work"]["draft"])
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("done")).to_contain_text("Handed in.")
    assert labelled == gold
    assert page.evaluate("() => window.touched") is None, "no pointer was used"
    assert ask(admin, "GET", f"/annotation/projects/{project}")["figures"]["done"] == WANTED


def written(site: RunningSite) -> dict[str, Derivation]:
    """Write every n-th of the sample's questions as a dataset of the site; return their gold, by the ids."""
    lines = [line for path in sorted(SAMPLE_FOLDER.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    chosen = [json.loads(line) for line in lines]
    chosen = [each for each in chosen if each.get("search") and not each.get("counted")]
    chosen = chosen[2 :: len(chosen) // WANTED][:WANTED]
    for each in chosen:
        each["phrasings"] = each["phrasings"][:1]
    folder = site.home / "datasets"
    folder.mkdir(exist_ok=True)
    (folder / "dozen.jsonl").write_text("".join(json.dumps(row) + "\n" for row in chosen), encoding="utf-8")
    return {f"{each['id']}/1": Derivation.from_json(each) for each in chosen}


def task_of(page: Page) -> dict[str, Any]:
    """The task that a page shows, as the site has it."""
    task = page.url.rsplit("/", 1)[1].split("?")[0]
    found: dict[str, Any] = ask(page, "GET", f"/annotation/tasks/{task}")
    return found


def label(page: Page, derivation: Derivation) -> None:
    """Make the decisions of a derivation as they are asked for."""
    shown = task_of(page)
    while (end := shown["led_to"]["events"][-1])["kind"] != "finished":
        expect(page.get_by_test_id("choices")).to_have_attribute("aria-busy", "false")
        nothing = next((each for each in end["options"] if each["kind"] == "none"), None)
        option = next((each for each in end["options"] if is_gold(each, end["number"], derivation)), nothing)
        assert option is not None
        with page.expect_response(MOVES) as response:
            take(page, option)
        shown = response.value.json()
    expect(page.get_by_test_id("choices").get_by_role("heading")).to_have_text("All is decided")


def is_gold(option: dict[str, Any], number: int, derivation: Derivation) -> bool:
    """Whether an option of a decision is what a derivation says there."""
    match option["kind"]:
        case "topic":
            return bool(option["term"]["id"] == str(derivation.topic))
        case "step" if number < len(derivation.steps):
            step = derivation.steps[number]
            return (option["position"], option["relation"]["id"]) == (step.position, str(step.relation))
        case "constraint" if number < len(derivation.constraints):
            wanted, found = derivation.constraints[number], option["constraint"]
            target = None if found["target"] is None else found["target"]["id"]
            return (found["position"], found["operator"], target) == (
                wanted.position,
                wanted.operator.value,
                None if wanted.target is None else str(wanted.target),
            )
        case "answer":
            return bool(option["position"] == derivation.answer_position)
    return False


def take(page: Page, option: dict[str, Any]) -> None:
    """Take an option by its number; one that has none is found by its name first."""
    row = page.locator(f'[data-testid="choice"][data-option="{option["index"]}"]')
    if not row.count() or not row.get_attribute("aria-keyshortcuts"):
        page.keyboard.press("/")
        page.keyboard.type(name_of(option))
        expect(row).to_be_visible()
        page.keyboard.press("ArrowDown")
        while not row.evaluate("(row) => row === document.activeElement"):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        return
    page.keyboard.press(row.get_attribute("aria-keyshortcuts") or "none")


def name_of(option: dict[str, Any]) -> str:
    """What an option is found by."""
    match option["kind"]:
        case "step":
            named = option["relation"]
        case "constraint":
            named = option["constraint"]["target"]
        case _:
            named = option["term"]
    return str(named["label"])
