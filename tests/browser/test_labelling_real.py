"""Eight WebQSP training questions, labelled on the pages over the real part of Freebase, compared with their gold."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from kgstore.sqlite.store import SqliteStore
from reasoning.core.derivation import Derivation
from reasoning.datasets.registry import asked, read_dataset
from reasoning.gold.fitting import Fit, fit
from tests.browser.conftest import SUBSET
from tests.browser.test_annotation import ask, signed_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from reasoning.core.derivation import SearchStep
    from tests.running_site import RunningSite

pytestmark = [pytest.mark.browser, pytest.mark.real_data]

WANTED = 8
EVERY = 60
"""One question out of this number, so that the kinds differ."""


@pytest.fixture(scope="module")
def site(subset_site: RunningSite) -> RunningSite:
    """A site with the whole subset."""
    return subset_site


@pytest.fixture(scope="module")
def address(site: RunningSite) -> str:
    """Where that site is."""
    return site.address


@pytest.fixture(scope="module")
def gold(real_data: Path, site: RunningSite) -> dict[str, Derivation]:
    """The gold derivations of eight questions that lead to their answers in the subset, by the questions' ids."""
    store = SqliteStore(site.home / "graphs" / f"{SUBSET}.sqlite")
    questions = list(asked(read_dataset(real_data / "webqsp" / "WebQSP.train.json", "webqsp")))
    found: dict[str, Derivation] = {}
    for question in [*questions[::EVERY], *questions]:
        parse = question.parses[0] if question.parses else None
        if len(found) == WANTED:
            break
        if parse is None or parse.topic is None or parse.derivation is None:
            continue
        fitted = fit(parse.derivation, parse.topic, parse.answers, store)
        if fitted is not None and fitted.fit is Fit.EXACT and not fitted.derivation.constraints:
            found[question.id] = fitted.derivation
    store.close()
    return found


@pytest.fixture(scope="module")
def file(real_data: Path, gold: dict[str, Derivation], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """These questions as a file of the benchmark."""
    every = json.loads((real_data / "webqsp" / "WebQSP.train.json").read_text(encoding="utf-8"))
    chosen = [each for each in every["Questions"] if each["QuestionId"] in gold]
    path = tmp_path_factory.mktemp("webqsp") / "WebQSP.eight.json"
    path.write_text(json.dumps({**every, "Questions": chosen}), encoding="utf-8")
    return path


def test_eight_questions_are_labelled_as_their_gold_has_them(
    open_page: Callable[..., Page], site: RunningSite, gold: dict[str, Derivation], file: Path
) -> None:
    folder = site.home / "datasets"
    folder.mkdir(exist_ok=True)
    (folder / file.name).write_bytes(file.read_bytes())
    admin = signed_in(open_page, site, "admin", "/datasets")
    dataset = ask(admin, "POST", "/datasets", {"file": file.name, "format": "webqsp", "name": "eight"})["id"]
    admin.goto(f"/datasets/{dataset}")
    expect(admin.get_by_test_id("stands")).to_contain_text("held out")
    wanted = {
        "title": "Eight of WebQSP",
        "questions": {"dataset": dataset},
        "graph": SUBSET,
        "people": [site.account("annotator")[0]],
    }
    project = ask(admin, "POST", "/annotation/projects", wanted)["id"]

    page = signed_in(open_page, site, "annotator", f"/annotate/projects/{project}")
    page.get_by_test_id("next").click()
    labelled = {}
    for number in range(1, len(gold) + 1):
        expect(page.get_by_test_id("place")).to_have_text(f"{number} of {len(gold)}")
        task = page.url.rsplit("/", 1)[1].split("?")[0]
        question = str(ask(page, "GET", f"/annotation/tasks/{task}")["question_id"])
        label(page, gold[question])
        labelled[question] = read(ask(page, "GET", f"/annotation/tasks/{task}")["work"]["draft"])
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("done")).to_be_visible()
    assert labelled == gold
    figures = ask(admin, "GET", f"/annotation/projects/{project}")["figures"]
    assert (figures["done"], figures["open"]) == (WANTED, 0)


def label(page: Page, derivation: Derivation) -> None:
    """Make the decisions of a derivation, by the mouse."""
    expect(page.get_by_test_id("asks")).to_have_text("What is the question about?")
    choose(page, str(derivation.topic))
    for number, step in enumerate(derivation.steps, start=1):
        take(page, step)
        expect(page.get_by_test_id("decision")).to_have_count(1 + number)
    settled(page)
    page.keyboard.press("0")
    asks = page.get_by_test_id("asks")
    expect(asks).to_have_text(re.compile("Which condition must hold|Which part of the plan holds the answer"))
    settled(page)
    if "condition" in asks.inner_text():
        page.keyboard.press("0")
        expect(asks).to_have_text("Which part of the plan holds the answer?")
    page.get_by_test_id("choice").nth(derivation.answer_position - 1).click()
    expect(page.get_by_test_id("choices").get_by_role("heading")).to_have_text("All is decided")
    settled(page)


def settled(page: Page) -> None:
    """Wait until what was decided has come back from the graph."""
    expect(page.get_by_test_id("choices")).to_have_attribute("aria-busy", "false")


def take(page: Page, step: SearchStep) -> None:
    """Take a relation: where the list shows but a part of many, its name is typed first."""
    named = page.locator(f'[data-testid="choice"][title*="{step.relation.predicate}"]')
    settled(page)
    if not named.count():
        page.get_by_test_id("choices").get_by_role("searchbox").fill(step.relation.predicate.rsplit(".", 1)[1][:8])
    named.first.click()


def choose(page: Page, entity: str) -> None:
    """Take the topic of an id among those that the question names."""
    page.locator(f'[data-testid="choice"][title^="{entity};"]').click()


def read(draft: dict[str, Any]) -> Derivation:
    """The derivation of a draft."""
    return Derivation.from_json(
        {
            "topic": draft["topic"],
            "search": [[step["position"], step["relation"]] for step in draft["steps"]],
            "constraints": [[one["position"], one["operator"], one["target"]] for one in draft["conditions"]],
            "answer": draft["answer"],
        }
    )
