"""From ten labels to a new default and back, in a browser, while people ask and a worker dies."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from reasoning.datasets.registry import asked, read_dataset
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.browser.test_accessibility import faults
from tests.browser.test_annotation import ask, signed_in
from tests.browser.test_theatre import KITT
from tests.browser.test_theatre import ask as ask_question
from tests.running_site import living_process_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from reasoning.datasets.question import BenchmarkQuestion
    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser
LABELS = 10
HELD_OUT = 12
"""Few questions, so that the test is fast."""
PROJECT = "Ten labels"
JUDGING = 24
"""Enough questions to show that a model without knowledge is worse by more than chance."""


def ten_questions() -> list[BenchmarkQuestion]:
    """Questions of the sample for teaching, from ten groups, each with one topic and some answers."""
    found: dict[str, BenchmarkQuestion] = {}
    for question in asked(read_dataset(SAMPLE_FOLDER, "discern")):
        parse = question.parses[0]
        if question.split == "train" and parse.answers and parse.topic and parse.derivation:
            found.setdefault(question.group, question)
    return list(found.values())[:LABELS]


def answered(question: BenchmarkQuestion) -> dict[str, Any]:
    """The way to the answers of a question, as Discern's own format writes it."""
    parse = question.parses[0]
    assert parse.derivation is not None
    return {**parse.derivation.to_json(), "answers": sorted(map(str, parse.answers))}


def labelled(admin: Page, annotators: list[Page], site: RunningSite) -> str:
    """The id of a project in which two people labelled ten questions, and said the same."""
    questions = ten_questions()
    lines = [
        json.dumps({"id": question.group, "question": question.text, "topic": None, "answers": []})
        for question in questions
    ]
    folder = site.home / "datasets"
    folder.mkdir(exist_ok=True)
    (folder / "ten.jsonl").write_text("\n".join(lines), encoding="utf-8")
    made = ask(admin, "POST", "/datasets", {"file": "ten.jsonl", "format": "discern", "name": "ten"})
    admin.goto(f"/datasets/{made['id']}")
    expect(admin.get_by_test_id("stands")).to_contain_text("held out")
    people = [site.account("annotator")[0], site.account("reviewer")[0]]
    wanted = {"title": PROJECT, "questions": {"dataset": made["id"]}, "graph": "sample", "people": people, "overlap": 2}
    project = ask(admin, "POST", "/annotation/projects", wanted)["id"]
    answers = {question.text: sorted(map(str, question.parses[0].answers)) for question in questions}
    topics = {question.text: str(question.parses[0].topic) for question in questions}
    for annotator in annotators:
        for _ in range(LABELS):
            task = ask(annotator, "POST", f"/annotation/projects/{project}/next")["task"]
            work = ask(annotator, "GET", f"/annotation/tasks/{task}")
            now: dict[str, Any] = {
                "kind": "answers",
                "topic": topics[work["question"]],
                "marked": answers[work["question"]],
            }
            was = {name: work["work"]["draft"][name] for name in now}
            move = {"id": str(uuid.uuid4()), "was": was, "now": now, "undoes": None}
            ask(annotator, "POST", f"/annotation/tasks/{task}/moves", {"after": work["work"]["last"], "moves": [move]})
            ask(annotator, "POST", f"/annotation/tasks/{task}/submit")
    return str(project)


def test_ten_labels_become_a_new_default_and_the_old_one_is_put_back(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    admin = signed_in(open_page, site, "admin", "/learning")
    annotators = [signed_in(open_page, site, role, "/annotate") for role in ("annotator", "reviewer")]
    project = labelled(admin, annotators, site)

    # What judges is pinned once.
    admin.goto("/learning")
    admin.get_by_test_id("pin").press("Enter")
    form = admin.get_by_test_id("pin-form")
    form.get_by_label("Maximum questions").fill(str(HELD_OUT))
    form.get_by_label("Graph").select_option("sample")
    form.get_by_role("button", name="Pin").press("Enter")
    expect(admin.get_by_test_id("pinned")).to_contain_text(f"{HELD_OUT} questions")

    # One click from the labels.
    admin.goto(f"/annotate/projects/{project}")
    admin.get_by_test_id("teach-from-labels").press("Enter")
    form = admin.get_by_test_id("chain-form")
    chosen = form.get_by_role("checkbox", name=f"Accepted labels of {PROJECT}")
    expect(chosen).to_be_checked()
    form.get_by_label("Name").fill("from-ten")
    form.get_by_text("Settings", exact=True).press("Enter")
    form.get_by_label("Maximum epochs").fill("2")
    form.get_by_label("Decisions per epoch").fill("40")
    form.get_by_label("Share for choosing").fill("0")
    form.get_by_label("Learning rate").fill("0.00001")
    form.get_by_role("button", name="Start").press("Enter")
    expect(admin).to_have_url(re.compile(r"/learning/[0-9a-f-]{36}$"))
    expect(admin.get_by_test_id("step-snapshot")).to_contain_text("done")
    expect(admin.get_by_test_id("lineage")).to_contain_text(f"Labels of {PROJECT}, version 1")

    # The worker dies during the work; another one continues, and questions are answered.
    os.kill(living_process_of(site.home, b"celery"), signal.SIGKILL)
    visitor = open_page("/")
    ask_question(visitor, KITT)
    expect(visitor.get_by_test_id("answer")).to_contain_text("William Daniels")
    expect(admin.get_by_test_id("step-compare")).to_contain_text("done", timeout=120_000)
    expect(admin.get_by_test_id("compared")).to_contain_text(f"{HELD_OUT} questions")

    # It goes on from the default with a very small step, so it is no worse.
    verdict = admin.get_by_test_id("verdict")
    expect(verdict).to_contain_text("It can become the default")
    assert faults(admin) == []
    admin.get_by_test_id("make-default").press("Enter")
    expect(verdict).to_contain_text("It is the default.")
    visitor.goto("/")
    ask_question(visitor, "who created Knight Rider?")
    expect(visitor.get_by_test_id("answer")).to_be_visible()
    run = ask(visitor, "GET", f"/runs/{visitor.url.rpartition('/')[2][:36]}")
    assert run["scorer"] == "from-ten"

    # Back by one click.
    admin.goto("/learning")
    expect(admin.get_by_test_id("default-name")).to_have_text("from-ten")
    expect(admin.get_by_test_id("chart")).to_contain_text("Models on the held-out questions")
    admin.get_by_test_id("put-back").press("Enter")
    expect(admin.get_by_test_id("default-name")).to_have_text("encoder")
    assert faults(admin) == []


def ten_loaded(admin: Page, site: RunningSite, name: str) -> None:
    """Load a dataset of ten answered questions."""
    lines = [
        json.dumps({"id": question.group, "question": question.text, **answered(question)})
        for question in ten_questions()
    ]
    folder = site.home / "datasets"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    made = ask(admin, "POST", "/datasets", {"file": f"{name}.jsonl", "format": "discern", "name": name})
    admin.goto(f"/datasets/{made['id']}")
    expect(admin.get_by_test_id("stands")).to_contain_text("held out")


def test_a_model_that_got_worse_is_refused_its_drop_is_marked_and_what_it_doubts_is_labelled_next(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    admin = signed_in(open_page, site, "admin", "/evaluations")
    # The default model is judged first, so that the other one is judged after it.
    wanted = {"dataset": "sample", "split": "validation", "limit": JUDGING, "graph": "sample", "scorer": "encoder"}
    first = ask(admin, "POST", "/evaluations", wanted)["id"]
    admin.goto(f"/evaluations/{first}")
    expect(admin.get_by_test_id("figures")).to_contain_text(f"All {JUDGING} questions", timeout=120_000)
    expect(admin.get_by_test_id("progress")).to_have_count(0, timeout=120_000)
    expect(admin.get_by_test_id("drop")).to_have_count(0)
    ask(admin, "POST", "/learning/held-out", {"dataset": "sample", "limit": JUDGING, "graph": "sample"})

    # A model that begins from nothing and sees ten questions once knows next to nothing.
    ten_loaded(admin, site, "few")
    admin.goto("/learning")
    admin.get_by_test_id("teach").press("Enter")
    form = admin.get_by_test_id("chain-form")
    form.get_by_role("group", name="Datasets").get_by_role("checkbox", name="few, version 1").check()
    form.get_by_label("Name").fill("from-nothing")
    form.get_by_label("Start from").select_option("")
    form.get_by_text("Settings", exact=True).press("Enter")
    form.get_by_label("Maximum epochs").fill("1")
    form.get_by_label("Decisions per epoch").fill("8")
    form.get_by_label("Share for choosing").fill("0")
    form.get_by_role("button", name="Start").press("Enter")
    expect(admin).to_have_url(re.compile(r"/learning/[0-9a-f-]{36}$"))
    verdict = admin.get_by_test_id("verdict")
    expect(verdict).to_contain_text("It is not recommended as the default", timeout=180_000)
    expect(verdict).to_contain_text(f"It is worse than “encoder” on {JUDGING} pinned questions.")
    expect(admin.get_by_test_id("make-default")).to_have_count(0)
    assert faults(admin) == []

    # Nor among those that may take the default's place.
    admin.goto("/learning")
    expect(admin.get_by_test_id("default-name")).to_have_text("encoder")
    admin.get_by_test_id("default").locator("summary").press("Enter")
    refused = admin.get_by_test_id("verdicts").get_by_role("listitem").filter(has_text="from-nothing")
    expect(refused).to_contain_text("It is worse than “encoder”")
    expect(refused.get_by_role("button")).to_have_count(0)
    refused.get_by_role("link", name="Compare them").press("Enter")
    admin.wait_for_url("**/against/*")

    # Its evaluation tells that it fell, and offers what to label.
    label_what_it_doubts(admin, admin.url.rpartition("/")[2])


def label_what_it_doubts(admin: Page, evaluation: str) -> None:
    """From an evaluation that fell to a project of the five questions that the model was least sure of."""
    admin.goto(f"/evaluations/{evaluation}")
    expect(admin.get_by_test_id("drop")).to_contain_text("Worse than before. Hits@1 and F1 fell significantly")
    assert faults(admin) == []
    admin.get_by_test_id("label-next").press("Enter")
    project = admin.get_by_test_id("project-form")
    expect(project.get_by_test_id("next-fields")).to_contain_text("sample")
    project.get_by_label("Maximum questions").fill("5")
    project.get_by_label("Title").fill("What it doubts")
    project.get_by_test_id("make").click()
    admin.wait_for_url("**/annotate/projects/*")
    expect(admin.get_by_role("heading", level=1)).to_have_text("What it doubts")
    made = ask(admin, "GET", f"/annotation/projects/{admin.url.rpartition('/')[2]}")
    assert made["tasks"] == 5


def test_a_small_language_model_is_taught_from_weak_labels_and_judged(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    admin = signed_in(open_page, site, "admin", "/learning")
    expect(admin.get_by_test_id("data-efficiency")).to_contain_text("manage.py data_efficiency --recipe sample")
    ask(admin, "POST", "/learning/held-out", {"dataset": "sample", "limit": HELD_OUT, "graph": "sample"})
    ten_loaded(admin, site, "answers")

    admin.goto("/learning")
    admin.get_by_test_id("teach").press("Enter")
    form = admin.get_by_test_id("chain-form")
    weak = form.get_by_role("group").filter(has_text="Weak labels").last
    weak.locator("summary").press("Enter")
    source = weak.get_by_test_id("source").filter(has_text="answers, version 1")
    source.get_by_role("checkbox").check()
    source.get_by_label("Graph").select_option("sample")
    source.get_by_label("Minimum precision").fill("0.8")
    assert faults(admin) == []
    form.get_by_label("Name").fill("tiny")
    form.get_by_label("What is trained").select_option("new")
    expect(form.get_by_label("Start from")).to_have_count(0)
    form.get_by_text("Settings", exact=True).press("Enter")
    expect(form.get_by_label("Decisions per epoch")).to_have_count(0)
    form.get_by_label("Maximum epochs").fill("2")
    assert faults(admin) == []
    form.get_by_role("button", name="Start").press("Enter")
    expect(admin).to_have_url(re.compile(r"/learning/[0-9a-f-]{36}$"))
    lineage = admin.get_by_test_id("lineage")
    expect(lineage).to_contain_text("weak labels, minimum precision 80.0 %")
    expect(lineage).to_contain_text("a small language model, from scratch")
    expect(admin.get_by_test_id("step-compare")).to_contain_text("done", timeout=300_000)
    expect(admin.get_by_test_id("compared")).to_contain_text(f"{HELD_OUT} questions")
    expect(admin.get_by_test_id("training-log")).to_contain_text("Loss per epoch")
    assert faults(admin) == []


def test_data_efficiency_is_shown_as_curves_with_a_table(open_page: Callable[..., Page], site: RunningSite) -> None:
    folder = site.home / "data-efficiency" / "sample-1"
    folder.mkdir(parents=True)
    figures = [
        {"share": share, "questions": 10, "samples": 60, "stage": stage, "decisions": 40, "accuracy": share,
         "low": share / 2, "high": share}
        for share in (0.25, 1)
        for stage in ("search", "all")
    ]  # fmt: skip
    report = {"title": "The bundled sample", "recipe": "sample", "finished_at": "2026-01-02T12:00:00Z", "tested": 300}
    (folder / "report.json").write_text(json.dumps({**report, "questions": None, "figures": figures}))
    try:
        reviewer = signed_in(open_page, site, "reviewer", "/learning", width=360)
        shown = reviewer.get_by_test_id("data-efficiency")
        expect(shown).to_contain_text("The bundled sample; at most 300 validation decisions of each stage.")
        shown.get_by_text("As a table").press("Enter")
        expect(shown.get_by_role("row")).to_have_count(5)
        expect(shown.get_by_role("row").nth(1)).to_contain_text(
            "25.0 % of 40 decisions, 95 % between 12.5 % and 25.0 %"
        )
        assert faults(reviewer) == []
        # What cannot be read is named.
        (folder / "report.json").write_text("{")
        reviewer.reload()
        expect(shown).to_contain_text("1 report cannot be read: sample-1.")
    finally:
        shutil.rmtree(folder.parent)
