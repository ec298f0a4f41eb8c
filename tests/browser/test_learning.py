"""From ten labels to a new default and back, in a browser, while people ask and a worker dies."""

from __future__ import annotations

import json
import os
import re
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
"""So few questions judge, so that nobody waits."""
PROJECT = "Ten labels"


def ten_questions() -> list[BenchmarkQuestion]:
    """Questions of the sample that teach, of so many groups, each with one topic and some answers."""
    found: dict[str, BenchmarkQuestion] = {}
    for question in asked(read_dataset(SAMPLE_FOLDER, "discern")):
        parse = question.parses[0]
        if question.split == "train" and parse.answers and parse.topic and parse.derivation:
            found.setdefault(question.group, question)
    return list(found.values())[:LABELS]


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
    form.get_by_label("At most").fill(str(HELD_OUT))
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
    form.locator("summary").press("Enter")
    form.get_by_label("Epochs at most").fill("2")
    form.get_by_label("Decisions an epoch").fill("40")
    form.get_by_label("Share that chooses").fill("0")
    form.get_by_label("Learning rate").fill("0.00001")
    form.get_by_role("button", name="Start").press("Enter")
    expect(admin).to_have_url(re.compile(r"/learning/[0-9a-f-]{36}$"))
    expect(admin.get_by_test_id("step-snapshot")).to_contain_text("done")
    expect(admin.get_by_test_id("lineage")).to_contain_text(f"Labels of {PROJECT}, version 1")

    # The worker dies in the midst; another goes on, and whoever asks is answered.
    os.kill(living_process_of(site.home, b"celery"), signal.SIGKILL)
    visitor = open_page("/")
    ask_question(visitor, KITT)
    expect(visitor.get_by_test_id("answer")).to_contain_text("William Daniels")
    expect(admin.get_by_test_id("step-compare")).to_contain_text("done", timeout=120_000)
    expect(admin.get_by_test_id("compared")).to_contain_text(f"{HELD_OUT} questions")

    # It goes on from the default with a very small step, so it is no worse.
    verdict = admin.get_by_test_id("verdict")
    expect(verdict).to_contain_text("It may become the default")
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
    expect(admin.get_by_test_id("chart")).to_contain_text("Models by the pinned questions")
    admin.get_by_test_id("put-back").press("Enter")
    expect(admin.get_by_test_id("default-name")).to_have_text("encoder")
    assert faults(admin) == []
