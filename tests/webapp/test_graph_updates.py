"""A project at another version of its graph: what was accepted is checked there, and offered again where it fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.reading import GraphToLoad
from tests.webapp.conftest import TOY_GRAPH, wait_until
from tests.webapp.labelled import Labeller, changed, dataset, made, signed_in
from webapp import engine
from webapp.labelling.adjudication.models import AcceptedLabel
from webapp.labelling.graph_updates.checking import why_not
from webapp.labelling.graph_updates.models import GraphUpdate
from webapp.labelling.graph_updates.worker import update_work
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.models import Assignment, Project, Task
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.webapp.conftest import Browser, Worker

CAST_KITT = "m.cast_kitt\ttv.regular_tv_appearance.actor\ten.william_daniels"
OTHER_ACTOR = {CAST_KITT: "m.cast_kitt\ttv.regular_tv_appearance.actor\ten.edward_mulhare"}
OTHER_NAME = {'"KITT"@en': '"Knight Industries Two Thousand"@en'}


@pytest.fixture
def version(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Loads the hand-drawn graph with some of its text as another; returns the version."""

    def load(replaced: dict[str, str]) -> str:
        text, facts = TOY_GRAPH.read_text(), tmp_path / "facts.tsv"
        for old, new in replaced.items():
            assert old in text
            text = text.replace(old, new)
        facts.write_text(text)
        engine.graph_library().load(GraphToLoad(TripleReader(facts), "labelled", "Labelled", "drawn by hand"))
        return engine.graph("labelled").info().version

    yield load
    engine.graph_library().remove("labelled")


@pytest.fixture
def project(rita: Browser, ben: Browser, mia: Browser, tmp_path: Path, version: Callable[..., str]) -> dict[str, Any]:
    """Two people say the same of two questions, so that their labels are accepted."""
    version({})
    project = made(rita, dataset(tmp_path), "ben", "mia", overlap=2, graph="labelled")
    for browser in (ben, mia):
        at_kitt = Labeller.at_next(browser, project)
        at_kitt.label_kitt()
        browser.post(f"{at_kitt.address}/submit")
        at_creator = Labeller.at_next(browser, project)
        at_creator.move(kind="answers", marked=["en.glen_larson"])
        browser.post(f"{at_creator.address}/submit")
    return project


def address(project: dict[str, Any]) -> str:
    return f"/api/annotation/projects/{project['id']}/graph"


def taken_along(reviewer: Browser, project: dict[str, Any]) -> Any:
    """What is told once a worker has taken a project to the version that is loaded."""
    reviewer.post(address(project))
    update_work(GraphUpdate.objects.get().pk)
    return reviewer.get(address(project))


def listed(reviewer: Browser, project: dict[str, Any]) -> dict[str, Any]:
    """The tasks with labels, by the name of their question."""
    page = reviewer.get(f"/api/annotation/projects/{project['id']}/adjudication")
    return {row["question_id"].partition("/")[0]: row for row in page["tasks"]}


def accepted(reviewer: Browser, project: dict[str, Any]) -> list[str]:
    """The answers of the accepted labels, as they are exported."""
    file = reviewer.client.get(f"/api/annotation/projects/{project['id']}/export/file?labels=accepted")
    lines = b"".join(file).decode().splitlines()
    return [answer for line in lines for answer in json.loads(line)["answers"]]


def test_a_label_that_gives_other_answers_now_is_offered_again(
    rita: Browser, ben: Browser, project: dict[str, Any], version: Callable[..., str]
) -> None:
    assert accepted(rita, project) == ["en.william_daniels", "en.glen_larson"]
    before, now = project["graph_version"], version(OTHER_ACTOR)
    reply = rita.get(address(project))
    assert (reply["version"], reply["loaded"], reply["accepted"], reply["work"]) == (before, now, 2, None)
    reply = taken_along(rita, project)
    work = reply["work"]
    assert (reply["version"], work["status"], work["done"], work["wanted"]) == (now, "succeeded", 2, 2)
    assert (work["holding"], work["lapsed"], reply["accepted"]) == (1, 1, 1)
    rows = listed(rita, project)
    assert [(name, row["stand"], row["accepted"]["how"]) for name, row in rows.items()] == [
        ("kitt", "open", "lapsed"),
        ("creator", "accepted", "equal"),
    ]
    assert rows["kitt"]["accepted"]["comment"] == (
        "It gives other answers: no longer William Daniels; now also Edward Mulhare."
    )
    assert accepted(rita, project) == ["en.glen_larson"]
    assert Assignment.objects.filter(answers=["en.edward_mulhare"]).count() == 2, "labels give what the graph says now"

    # A reviewer decides: it begins with what was accepted.
    at_task = f"/api/annotation/tasks/{rows['kitt']['task']}/adjudication"
    assert rita.post(f"{at_task}/withdraw", {"accepted": 2}, status=409)["code"] == "nothing_accepted"
    begun = rita.post(at_task)
    assert len(begun["task"]["work"]["draft"]["steps"]) == 3
    rita.post(f"{at_task}/accept", {"last": 0, "accepted": begun["history"][0]["number"]})
    assert accepted(rita, project) == ["en.edward_mulhare", "en.glen_larson"]
    assert Labeller.at_next(ben, project).work["draft"]["topic"] is None, "labelling goes on"


def test_a_label_whose_entities_are_gone_says_what_is_missing(
    rita: Browser, project: dict[str, Any], version: Callable[..., str]
) -> None:
    version({"en.glen_larson": "en.glen_a_larson", "en.kitt": "en.knight_industries_two_thousand"})
    assert taken_along(rita, project)["work"]["lapsed"] == 2
    rows = listed(rita, project)
    assert rows["creator"]["accepted"]["comment"] == "The graph does not hold 1 of the marked answers: en.glen_larson."
    assert rows["kitt"]["accepted"]["comment"].strip(), "and a derivation that leads nowhere says why"


def test_what_holds_on_another_version_stays_accepted(
    rita: Browser, project: dict[str, Any], version: Callable[..., str]
) -> None:
    version(OTHER_NAME)
    assert taken_along(rita, project)["work"]["lapsed"] == 0
    assert {row["stand"] for row in listed(rita, project).values()} == {"accepted"}
    assert AcceptedLabel.objects.count() == 2


def test_a_label_whose_answer_is_typed_otherwise_now_still_holds(
    rita: Browser, project: dict[str, Any], version: Callable[..., str]
) -> None:
    label = AcceptedLabel.objects.first()
    assert label is not None
    step = {"kind": "step", "position": 0, "relation": "geography.body_of_water.surface_elevation"}
    draft = Draft.model_validate({"topic": "en.lake_c", "steps": [step], "steps_ended": True, "answer": 1})
    label.draft = draft.model_copy(update={"conditions_ended": True}).model_dump(mode="json")
    version({'"80"^^xsd:integer': '"1984"^^xsd:gYear'})
    for answer, why in (
        ('"1984"^^xsd:integer', ""),
        ('"1984"', ""),
        ('"1985"', "It gives other answers: no longer 1985; now also 1984."),
    ):
        label.answers = [answer]
        assert why_not(label, engine.graph("labelled")) == why


def test_after_a_graph_that_was_loaded_by_mistake_all_holds_again(
    rita: Browser, project: dict[str, Any], version: Callable[..., str]
) -> None:
    version(OTHER_ACTOR)
    taken_along(rita, project)
    version({})
    shown = taken_along(rita, project)
    assert (shown["version"], shown["work"]["lapsed"], shown["accepted"]) == (project["graph_version"], 0, 2)
    history = rita.post(f"/api/annotation/tasks/{listed(rita, project)['kitt']['task']}/adjudication")["history"]
    assert [(row["how"], row["comment"]) for row in history] == [
        ("equal", "It holds again."),
        ("lapsed", "It gives other answers: no longer William Daniels; now also Edward Mulhare."),
        ("equal", ""),
    ]
    assert accepted(rita, project) == ["en.william_daniels", "en.glen_larson"]


def test_known_answers_are_read_anew(rita: Browser, project: dict[str, Any], version: Callable[..., str]) -> None:
    creator = Task.objects.get(question__question_id="creator/1")
    Task.objects.filter(pk=creator.pk).update(known={"answers": [["en.glen_larson"]]})
    version(OTHER_NAME)
    taken_along(rita, project)
    creator.refresh_from_db()
    assert creator.known == {"answers": [["en.glen_larson"]]}
    version({"en.glen_larson": "en.glen_a_larson"})
    taken_along(rita, project)
    creator.refresh_from_db()
    assert creator.known is None, "no one is measured by answers that the graph lacks"


def test_it_is_stopped_goes_on_and_is_not_finished_over_a_third_version(
    rita: Browser, project: dict[str, Any], version: Callable[..., str]
) -> None:
    rita.post(f"{address(project)}/cancel", status=404)
    version(OTHER_ACTOR)
    assert "No worker" in rita.post(address(project))["work"]["waits"]
    item = GraphUpdate.objects.get()
    looks = iter([False, True])
    update_work(item.pk, stopping=lambda: next(looks))
    item.refresh_from_db()
    assert (item.status, item.done, item.attempts, item.lapsed) == (Status.QUEUED, 1, 0, 1)
    assert rita.post(f"{address(project)}/cancel")["work"]["status"] == "cancelled"
    assert Project.objects.get().graph_version == project["graph_version"]
    assert rita.post(address(project))["work"]["done"] == 1, "it resumes where it stopped"

    version(OTHER_NAME)
    update_work(item.pk)
    reply = rita.get(address(project))
    assert (reply["work"]["status"], reply["version"]) == ("failed", project["graph_version"])
    assert "loaded again meanwhile" in reply["work"]["reason"]
    reply = taken_along(rita, project)
    assert (reply["work"]["status"], reply["work"]["lapsed"], reply["version"]) == ("succeeded", 0, reply["loaded"])
    assert {row["stand"] for row in listed(rita, project).values()} == {"accepted"}


def test_a_worker_whose_work_was_stopped_writes_nothing(
    rita: Browser, project: dict[str, Any], version: Callable[..., str]
) -> None:
    version(OTHER_ACTOR)
    rita.post(address(project))

    def stopped_meanwhile() -> bool:
        rita.post(f"{address(project)}/cancel")
        return False

    update_work(GraphUpdate.objects.get().pk, stopping=stopped_meanwhile)
    assert (GraphUpdate.objects.get().done, AcceptedLabel.objects.count()) == (0, 2)


def test_who_may_not_and_what_cannot_be_is_reported(
    rita: Browser, ben: Browser, browser: Callable[[], Browser], project: dict[str, Any], version: Callable[..., str]
) -> None:
    assert rita.post(address(project), status=409)["code"] == "graph_is_newest"
    assert ben.get(address(project), 403)["code"] == "project_reviewers_only"
    assert signed_in(browser, "eve").get(address(project), 404)
    version(OTHER_ACTOR)
    changed(rita, f"/api/annotation/projects/{project['id']}", {"archived": True})
    assert rita.post(address(project), status=409)["code"] == "project_archived"
    assert not rita.get(address(project))["may_update"]
    changed(rita, f"/api/annotation/projects/{project['id']}", {"archived": False})
    engine.graph_library().remove("labelled")
    reply = rita.get(address(project))
    assert reply["loaded"] is None
    assert reply["fault"]
    assert rita.post(address(project), status=409)["code"] == "graph_unavailable"
    version({})


def test_a_worker_takes_it_up_by_itself(
    rita: Browser, project: dict[str, Any], version: Callable[..., str], worker: Callable[..., Worker]
) -> None:
    version(OTHER_ACTOR)
    rita.post(address(project))
    worker()
    wait_until(lambda: GraphUpdate.objects.get().status == Status.SUCCEEDED)
    assert rita.get(address(project))["work"]["lapsed"] == 1
