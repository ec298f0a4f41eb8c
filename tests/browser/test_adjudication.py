"""Labels of a question over each other: equal ones need no click, a reviewer decides about others by keyboard."""

from __future__ import annotations

import json
import re
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.sample import sample_files
from kgstore.sqlite.loader import load_graph
from tests.browser.test_accessibility import faults, themes_and_sizes
from tests.browser.test_annotation import signed_in
from tests.webapp.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

TELEVISION = next(path for path in sample_files() if path.name == "tv.tsv")
CAST = {"kind": "step", "position": 0, "relation": "tv.tv_program.regular_cast"}
ACTOR = {"kind": "step", "position": 1, "relation": "tv.regular_tv_appearance.actor"}
CHARACTER = {"kind": "step", "position": 1, "relation": "tv.regular_tv_appearance.character"}


class Script:
    """A user who is signed in without a page, like a script."""

    def __init__(self, browser: Browser, site: RunningSite, account: dict[str, str]) -> None:
        self._context = browser.new_context(base_url=site.address)
        self.name = account["username"]
        self._token = ""
        self._token = str(self.ask("GET", "/session")["csrf_token"])
        shown = self.ask("POST", "/session", {"username": self.name, "password": account["password"]})
        self._token = str(shown["csrf_token"])

    def ask(self, method: str, path: str, body: object = None) -> Any:
        headers = {"X-CSRFToken": self._token}
        reply = self._context.request.fetch(f"/api{path}", method=method, data=body, headers=headers)
        assert reply.ok, reply.text()
        return reply.json()

    def close(self) -> None:
        self._context.close()


@pytest.fixture(scope="module")
def scripts(browser: Browser, site: RunningSite) -> Iterator[dict[str, Script]]:
    """The demo people who are needed, by their names."""
    accounts = json.loads((site.home / "demo_accounts.json").read_text(encoding="utf-8"))
    wanted = [each for each in accounts if each["role"] in ("annotator", "admin")]
    found = {each["username"]: Script(browser, site, each) for each in wanted}
    yield found
    for each in found.values():
        each.close()


@pytest.fixture(scope="module")
def dataset(scripts: dict[str, Script]) -> str:
    """The sample's questions, loaded."""
    cleo = scripts["cleo"]
    made = cleo.ask("POST", "/datasets", {"file": "sample", "format": "discern", "name": "sample"})
    wait_until(lambda: cleo.ask("GET", f"/datasets/{made['id']}")["status"] == "succeeded")
    return str(made["id"])


def labelled(person: Script, project: str, *, condition: bool, graph: str) -> int:
    """Label the next task of a project: who plays KITT, or where the condition is forgotten, who plays anybody."""
    task = int(person.ask("POST", f"/annotation/projects/{project}/next")["task"])
    draft = person.ask("GET", f"/annotation/tasks/{task}")["work"]["draft"]
    (series,) = {each["id"] for each in person.ask("GET", f"/graphs/{graph}/entities?q=Knight Rider")[:1]}
    kitt = next(each["id"] for each in person.ask("GET", f"/graphs/{graph}/entities?q=KITT") if each["name"] == "KITT")
    now: dict[str, Any] = {
        "topic": series,
        "steps": [CAST, ACTOR, CHARACTER] if condition else [CAST, ACTOR],
        "steps_ended": True,
        "conditions": [{"kind": "constraint", "position": 3, "operator": "=", "target": kitt}] if condition else [],
        "conditions_ended": True,
        "answer": 2,
    }
    move = {"id": str(uuid.uuid4()), "was": {name: draft[name] for name in now}, "now": now}
    moved = person.ask("POST", f"/annotation/tasks/{task}/moves", {"after": 0, "moves": [move]})
    assert moved["led_to"]["answers_total"] == (1 if condition else 6), moved
    assert person.ask("POST", f"/annotation/tasks/{task}/submit")["state"] == "submitted"
    return task


def project_of_both(
    scripts: dict[str, Script], dataset: str, title: str, graph: str = "sample"
) -> tuple[str, list[int]]:
    """Two questions about KITT: the annotators agree about the first one, and about the second one they do not."""
    ben, dan = scripts["ben"], scripts["dan"]
    wanted = {
        "title": title,
        "questions": {"dataset": dataset, "search": "KITT", "limit": 2},
        "graph": graph,
        "people": [ben.name, dan.name],
        "overlap": 2,
    }
    project = str(scripts["cleo"].ask("POST", "/annotation/projects", wanted)["id"])
    tasks = [labelled(ben, project, condition=True, graph=graph) for _ in range(2)]
    labelled(dan, project, condition=True, graph=graph)
    labelled(dan, project, condition=False, graph=graph)
    return project, tasks


def test_equal_labels_need_no_click_and_others_are_decided_by_keyboard(
    open_page: Callable[..., Page], site: RunningSite, scripts: dict[str, Script], dataset: str
) -> None:
    project, _ = project_of_both(scripts, dataset, "Decided")
    rosa = signed_in(open_page, site, "reviewer", f"/annotate/projects/{project}/adjudicate")
    expect(rosa.get_by_test_id("stand-accepted")).to_contain_text("1 of 2")
    expect(rosa.get_by_test_id("stand-open")).to_contain_text("1 of 2")
    assert faults(rosa) == []
    rosa.get_by_test_id("stand-accepted").press("Enter")
    expect(rosa.get_by_test_id("to-decide")).to_contain_text("all labels are equal")
    rosa.get_by_test_id("make-dataset").press("Enter")
    expect(rosa.get_by_role("heading", name="Labels of Decided")).to_be_visible()
    rosa.go_back()
    expect(rosa.get_by_test_id("to-decide")).to_contain_text("agreement 0.29")
    rosa.keyboard.press("j")
    joints = rosa.get_by_test_id("joint")
    expect(joints).to_have_count(7)
    expect(rosa.get_by_test_id("joints")).to_contain_text("The labels differ in 2 of 7 decisions")
    expect(rosa.get_by_test_id("side")).to_have_count(2)
    expect(rosa.get_by_test_id("structure-node")).to_have_count(4)
    expect(rosa.get_by_test_id("structure").locator("circle.side")).to_have_count(1)
    assert faults(rosa) == []

    gives = rosa.get_by_test_id("comes-to")
    expect(gives).to_contain_text("William Daniels")
    rosa.keyboard.press("2")
    expect(gives).to_contain_text("6 answers")
    rosa.keyboard.press("z")
    expect(gives).to_contain_text("1 answer")
    rosa.keyboard.press("Shift+2")
    expect(gives).to_contain_text("6 answers")
    rosa.keyboard.press("Shift+1")
    expect(gives).to_contain_text("1 answer")
    rosa.get_by_test_id("why").fill("The question names the character.")
    rosa.keyboard.press("Escape")
    rosa.keyboard.press("Enter")
    expect(rosa.get_by_test_id("done")).to_contain_text("Accepted")
    expect(rosa.get_by_test_id("history")).to_contain_text("Rosa accepted a label")
    rosa.get_by_test_id("withdraw").press("Enter")
    expect(rosa.get_by_test_id("history")).to_contain_text("Rosa withdrew it")


def test_a_label_is_put_together_by_hand_on_the_canvas(
    open_page: Callable[..., Page], site: RunningSite, scripts: dict[str, Script], dataset: str
) -> None:
    _, tasks = project_of_both(scripts, dataset, "By hand")
    rosa = signed_in(open_page, site, "reviewer", f"/annotate/tasks/{tasks[1]}/adjudicate")
    rosa.get_by_test_id("by-hand").press("Enter")
    rosa.get_by_test_id("take-out").nth(5).click()
    expect(rosa.get_by_test_id("asks")).to_have_text("Which condition must hold?")
    rosa.keyboard.press("0")
    expect(rosa.get_by_test_id("answers-now")).to_have_text(re.compile(r"Answers now\s*6"))
    rosa.get_by_test_id("by-hand").press("Enter")
    expect(rosa.get_by_test_id("comes-to")).to_contain_text("6 answers")
    rosa.get_by_test_id("accept").click()
    expect(rosa.get_by_test_id("history")).to_contain_text("Rosa combined labels")

    rosa.get_by_test_id("change-guideline").press("Enter")
    rosa.get_by_test_id("guideline-text").fill("The character is a condition.")
    rosa.get_by_test_id("guidelines").get_by_test_id("guideline-changed").fill("Characters")
    rosa.get_by_test_id("save-guideline").press("Enter")
    expect(rosa.get_by_test_id("because").get_by_role("link")).to_have_attribute(
        "href", f"/annotate/tasks/{tasks[1]}/adjudicate"
    )
    assert faults(rosa) == []


def test_two_reviewers_at_once_and_a_label_that_is_sent_back(
    open_page: Callable[..., Page], site: RunningSite, scripts: dict[str, Script], dataset: str
) -> None:
    project, tasks = project_of_both(scripts, dataset, "Two at once")
    address = f"/annotate/tasks/{tasks[1]}/adjudicate"
    rosa = signed_in(open_page, site, "reviewer", address)
    cleo = signed_in(open_page, site, "admin", address)
    for page in (rosa, cleo):
        expect(page.get_by_test_id("joint")).to_have_count(7)
    rosa.get_by_test_id("accept").click()
    expect(rosa.get_by_test_id("done")).to_contain_text("Accepted")
    cleo.keyboard.press("Shift+2")
    expect(cleo.get_by_test_id("comes-to")).to_contain_text("6 answers")
    cleo.get_by_test_id("accept").click()
    expect(cleo.get_by_test_id("decide-fault")).to_contain_text("Rosa has decided about this question meanwhile")
    cleo.reload()
    expect(cleo.get_by_test_id("comes-to")).to_contain_text("6 answers")

    cleo.get_by_test_id("joint").nth(3).focus()
    cleo.keyboard.press("s")
    cleo.keyboard.type("Which character?")
    cleo.get_by_test_id("send-back-now").press("Enter")
    expect(cleo.get_by_test_id("side")).to_have_count(1)
    cleo.goto(f"/annotate/projects/{project}/adjudicate")
    expect(cleo.get_by_test_id("stand-waiting")).to_contain_text("1 of 2")

    ben = signed_in(open_page, site, "annotator", f"/annotate/tasks/{tasks[1]}")
    shown = ben.get_by_test_id("sent-back")
    expect(shown).to_contain_text("Which character?")
    expect(ben.get_by_test_id("difference").get_by_role("listitem")).to_have_text(
        [re.compile("only yours.*character"), re.compile("only yours.*character is KITT")]
    )
    assert faults(ben) == []


def loaded(site: RunningSite, folder: Path, old: str = "\n", new: str = "\n") -> None:
    """Load the sample's television as a graph of its own, or load it again with one text replaced."""
    facts = folder / "tv.tsv"
    facts.write_text(TELEVISION.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    target = site.home / "graphs" / "television.sqlite"
    load_graph(TripleReader(facts), target, name="television", title="Television", source="the sample")


def test_what_holds_no_more_on_a_newer_graph_is_offered_again(
    open_page: Callable[..., Page], site: RunningSite, scripts: dict[str, Script], dataset: str, tmp_path: Path
) -> None:
    loaded(site, tmp_path)
    project, _ = project_of_both(scripts, dataset, "Newer", "television")
    loaded(site, tmp_path, "actor\ten.william_daniels", "actor\ten.david_hasselhoff")
    rosa = signed_in(open_page, site, "reviewer", f"/annotate/projects/{project}", width=360, height=740)
    shown = rosa.get_by_test_id("graph-update")
    expect(shown).to_contain_text("Television was replaced after this project was created")
    expect(shown).to_contain_text("1 accepted label is checked on the new version")
    assert faults(rosa) == []
    cleo = signed_in(open_page, site, "admin", f"/annotate/projects/{project}")
    cleo.get_by_test_id("begin-update").press("Enter")
    expect(cleo.get_by_test_id("updated")).to_contain_text(
        "the accepted label is no longer valid and must be adjudicated again"
    )
    rosa.set_viewport_size({"width": 1366, "height": 768})
    rosa.reload()
    shown.get_by_test_id("lapsed-link").press("Enter")
    expect(rosa.get_by_test_id("stand-open")).to_contain_text("2 of 2")
    first = rosa.get_by_test_id("to-decide").get_by_role("listitem").first
    expect(first).to_contain_text("is no longer valid on the current graph: It gives other answers: no longer William")
    assert faults(rosa) == []
    rosa.keyboard.press("j")
    expect(rosa.get_by_test_id("history")).to_contain_text("no longer valid")
    decided = rosa.url
    rosa.get_by_test_id("accept").click()
    expect(rosa).not_to_have_url(decided)
    rosa.goto(f"/annotate/projects/{project}/adjudicate")
    expect(rosa.get_by_test_id("stand-accepted")).to_contain_text("1 of 2")


@themes_and_sizes
def test_deciding_is_read_by_everybody(
    open_page: Callable[..., Page],
    site: RunningSite,
    scripts: dict[str, Script],
    dataset: str,
    theme: str,
    size: tuple[int, int],
) -> None:
    project, tasks = project_of_both(scripts, dataset, f"Deciding for all, {theme}")
    found = []
    rosa = signed_in(open_page, site, "reviewer", "/", width=size[0], height=size[1], color_scheme=theme)
    for path in (f"/annotate/projects/{project}/adjudicate", f"/annotate/tasks/{tasks[1]}/adjudicate"):
        rosa.goto(path)
        expect(rosa.get_by_test_id("to-decide").or_(rosa.get_by_test_id("joints"))).to_be_visible()
        found += faults(rosa)
    if size[0] < size[1]:
        expect(rosa.get_by_role("note").first).to_contain_text("at least 768 pixels")
        expect(rosa.get_by_test_id("accept")).not_to_be_visible()
    assert found == []
