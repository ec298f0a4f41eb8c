"""Agreement over HTTP: the figures of the sample project worked by hand, rights, blind labels, large projects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from tests.webapp.conftest import wait_until
from tests.webapp.labelled import ACTOR, CAST, CHARACTER, Labeller, changed, dataset, made, signed_in
from webapp.accounts.demo import demo_accounts_ensure
from webapp.accounts.models import User
from webapp.datasets.models import Dataset
from webapp.labelling.agreement import services
from webapp.labelling.agreement import worker as agreement_worker
from webapp.labelling.agreement.models import AgreementWork, ComparedTask
from webapp.labelling.agreement.worker import agreement_work
from webapp.labelling.projects.models import Assignment, Project, State, Task
from webapp.labelling.projects.sample_project import sample_project_ensure
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser, Worker


pytestmark = pytest.mark.usefixtures("sample_graph_loaded")


@pytest.fixture
def sample() -> Project:
    demo_accounts_ensure()
    project = sample_project_ensure()
    assert project is not None
    return project


def agreement(who: Browser, project: object, status: int = 200) -> dict[str, Any]:
    found: dict[str, Any] = who.get(f"/api/annotation/projects/{project}/agreement", status)
    return found


def tasks(who: Browser, project: object, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = who.get(f"/api/annotation/projects/{project}/agreement/tasks{query}")
    return found


def value(measures: dict[str, Any], name: str) -> float | None:
    found: float | None = measures[name]["value"]
    return found


# --- The sample project, whose labels `webapp.labelling.projects.sample_project` lists


def test_the_figures_of_the_sample_project_are_those_worked_by_hand(rita: Browser, sample: Project) -> None:
    found = agreement(rita, sample.pk)
    assert (found["at_once"], found["work"], found["out_of_date"]) == (True, None, False)
    figures = found["figures"]
    assert [figures[name] for name in ("questions", "compared", "labels", "agreed")] == [9, 9, 18, 4]
    measures = figures["measures"]
    # Of eight questions that both say answers of, four are the same; one of 11 champions and one of 4 cups is right, of
    # two nothing is: F1 2/12, 2/5, 0 and 0.
    assert value(measures, "answers") == pytest.approx((4 + 2 / 12 + 2 / 5) / 8)
    assert measures["answers"]["left_out"] == {"pairs of labels of which one says nothing of answers": 1}
    assert measures["answers"]["low"] < value(measures, "answers") < measures["answers"]["high"]
    assert value(measures, "same_derivation") == 4 / 8
    # A condition and its branch twice, another relation, another place: 2, 2, 1 and 2.
    assert value(measures, "distance") == 7 / 8
    # The other place rests on three of four facts; the champion is another fact of three; 2 of 3 and 50, 1 of 2 and 4.
    assert value(measures, "facts") == pytest.approx((4 + 6 / 7 + 4 / 6 + 4 / 53 + 2 / 6) / 8)
    # MASI: 1 - 1/11 · 2/3, 1 - 1/4 · 2/3, 1 and 1, over 16 values of which four are there twice.
    observed = 2 * (31 / 33 + 5 / 6 + 1 + 1) / 16
    expected = (16 * 15 - 4 * 2 - 2 * 2 / 33 - 2 / 6) / (16 * 15)
    assert value(measures, "alpha") == pytest.approx(1 - observed / expected)
    # Eight derivations twice, and once two other kinds: p_o = 8/9, p_e = 64/81.
    assert value(measures, "kappa_kind") == pytest.approx(8 / 17)
    assert value(measures, "kappa_topic") == 1.0
    stages = {each["stage"]: (each["alike"]["value"], each["parted"]) for each in figures["stages"]}
    assert stages["link"] == (1.0, 0)
    assert stages["search"] == (pytest.approx((5 + 4 / 5 + 4 / 6 + 2 / 3) / 8), 3)
    assert stages["prune"] == (6 / 8, 0)
    assert stages["infer"] == (6 / 8, 1)
    assert [(person["display_name"], person["questions"]) for person in figures["people"]] == [("Ben", 9), ("Dan", 9)]
    (pair,) = figures["pairs"]
    assert (pair["questions"], figures["pairs_total"], figures["people_total"]) == (9, 1, 2)
    assert value(pair["measures"], "alpha") == value(measures, "alpha")
    assert (figures["bias"], figures["graph_fault"]) == (None, "")


def test_the_worst_questions_come_first_page_by_page(rita: Browser, sample: Project) -> None:
    found = tasks(rita, sample.pk)
    order = ["music-111/1", "nfl-005/1", "geo-131/1", "nba-001/1", "soccer-010/1"]
    assert [task["question_id"] for task in found["tasks"][:5]] == order
    assert (found["total"], found["compared"]) == (9, 9)
    police, _, snow = found["tasks"][:3]
    assert (police["answers"], police["parted"], police["distance"]) == (0.0, "infer", 2.0)
    assert police["facts"] == pytest.approx(6 / 7)
    assert (snow["answers"], snow["parted"], snow["agreed"]) == (None, None, False)
    assert snow["labels"] == [{"who": "Ben", "kind": "unanswerable"}, {"who": "Dan", "kind": "reword"}]
    second = tasks(rita, sample.pk, "?differing=true&offset=3&limit=3")
    assert [task["question_id"] for task in second["tasks"]] == order[3:]
    assert (second["total"], second["compared"]) == (5, 9)


def test_figures_follow_the_labels(rita: Browser, sample: Project) -> None:
    assert agreement(rita, sample.pk)["figures"]["compared"] == 9
    Assignment.objects.filter(person__username="dan", task__position=1).update(
        state=State.OPEN, submitted_at=None, answers=None, lease_until=timezone.now()
    )
    figures = agreement(rita, sample.pk)["figures"]
    assert (figures["questions"], figures["compared"], figures["labels"]) == (9, 8, 17)
    assert figures["measures"]["answers"]["left_out"]["questions with one label"] == 1
    User.objects.get(username="dan").delete()
    figures = agreement(rita, sample.pk)["figures"]
    assert (figures["compared"], figures["people_total"], figures["pairs"]) == (8, 1, [])
    assert figures["measures"]["kappa_kind"]["why"] == "No two people have labelled the same question."
    assert {label["who"] for task in tasks(rita, sample.pk)["tasks"] for label in task["labels"]} == {"Ben", ""}


def test_without_its_graph_all_is_shown_that_needs_none(rita: Browser, sample: Project) -> None:
    with_it = agreement(rita, sample.pk)["figures"]["measures"]
    Project.objects.update(graph_version="an older one")
    figures = agreement(rita, sample.pk)["figures"]
    assert "loaded again" in figures["graph_fault"]
    measures = figures["measures"]
    assert {name for name in measures if measures[name] != with_it[name]} == {"facts"}
    assert (measures["facts"]["value"], measures["facts"]["questions"]) == (1.0, 4), "of what is the same anyhow"
    assert measures["facts"]["left_out"] == {"pairs of labels of which one has no known facts": 5}


# --- Who and what


def labelled(browser: Browser, project: dict[str, Any], **draft: Any) -> Labeller:
    """The next task, labelled with the fields of a draft and handed in."""
    task = Labeller.at_next(browser, project)
    if draft:
        task.move(**draft)
    else:
        task.label_kitt()
    browser.post(f"{task.address}/submit")
    return task


NOTHING = {"kind": "unanswerable", "missing": {"what": "fact", "note": ""}}


def test_only_who_reviews_or_manages_a_project_sees_it(
    rita: Browser, browser: Callable[[], Browser], tmp_path: Path
) -> None:
    ben, dan = signed_in(browser, "ben"), signed_in(browser, "dan")
    project = made(rita, dataset(tmp_path), "ben", "dan", overlap=2)
    agreement(ben, project["id"], 403)
    ben.get(f"/api/annotation/projects/{project['id']}/agreement/tasks", 403)
    ben.post(f"/api/annotation/projects/{project['id']}/agreement", status=403)
    ben.post(f"/api/annotation/projects/{project['id']}/agreement/cancel", status=403)
    agreement(signed_in(browser, "eve"), project["id"], 404)
    dans = User.objects.get(username="dan").pk
    changed(rita, f"/api/annotation/projects/{project['id']}/members/{dans}", {"role": "reviewer"})
    assert agreement(dan, project["id"])["figures"]["questions"] == 0


def test_a_single_annotator_has_no_agreement_and_is_shown_so(
    rita: Browser, browser: Callable[[], Browser], tmp_path: Path
) -> None:
    ben = signed_in(browser, "ben")
    project = made(rita, dataset(tmp_path), "ben", overlap=2)
    labelled(ben, project)
    figures = agreement(rita, project["id"])["figures"]
    assert (figures["questions"], figures["compared"], figures["labels"]) == (1, 0, 1)
    assert figures["measures"]["alpha"] == {
        "value": None,
        "questions": 0,
        "why": "No question has two labels yet.",
        "low": None,
        "high": None,
        "left_out": {"questions with one label": 1},
    }
    assert tasks(rita, project["id"]) == {"tasks": [], "total": 0, "compared": 0}


def test_labels_of_qualification_rounds_are_left_out(
    rita: Browser, browser: Callable[[], Browser], tmp_path: Path
) -> None:
    ben, dan = signed_in(browser, "ben"), signed_in(browser, "dan")
    project = made(rita, dataset(tmp_path), "ben", "dan", overlap=2, qualification={"questions": 1, "percent": 1})
    for person in (ben, dan):
        labelled(person, project, **NOTHING)
    assert Assignment.objects.filter(state=State.SUBMITTED, round=1).count() == 2
    assert agreement(rita, project["id"])["figures"]["labels"] == 0


# --- Suggestions


def test_blind_labels_are_compared_with_those_whose_makers_saw_a_suggestion(
    rita: Browser, browser: Callable[[], Browser], tmp_path: Path
) -> None:
    ben, dan = signed_in(browser, "ben"), signed_in(browser, "dan")
    path = tmp_path / "gold.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "id": f"kitt-{number}",
                    "question": f"who plays the voice of KITT in Knight Rider? ({number})",
                    "topic": "en.knight_rider",
                    "search": [[0, CAST["relation"]], [1, ACTOR["relation"]], [1, CHARACTER["relation"]]],
                    "constraints": [[3, "=", "en.kitt"]],
                    "answer": 2,
                    "answers": ["en.william_daniels"],
                }
            )
            + "\n"
            for number in range(4)
        ),
        encoding="utf-8",
    )
    call_command("load_dataset", str(path), "--format", "discern")
    of = Dataset.objects.latest("created_at")
    project = made(rita, of, "ben", "dan", overlap=2, suggests="dataset")
    Task.objects.filter(position__in=(3, 4)).update(blind=True)
    for _ in range(2):
        labelled(ben, project)
        labelled(dan, project)
    labelled(ben, project)
    labelled(dan, project, **NOTHING)
    Assignment.objects.filter(task__blind=False).update(seconds=10)
    Assignment.objects.filter(task__blind=True).update(seconds=40)

    bias = agreement(rita, project["id"])["figures"]["bias"]
    assert (bias["shown"], bias["blind"], bias["neither"]) == (2, 1, 0)
    shown = {
        each["what"]: tuple(each[side]["value"] for side in ("shown", "blind", "difference"))
        for each in bias["contrasts"]
    }
    assert shown == {
        "as_suggested": (1.0, 0.5, 0.5),
        "agreement": (1.0, 0.0, 1.0),
        "rightness": (1.0, 0.5, 0.5),
        "seconds": (10.0, 40.0, -30.0),
    }
    # A reviewer of the project is not told how right labels are.
    dans = User.objects.get(username="dan").pk
    changed(rita, f"/api/annotation/projects/{project['id']}/members/{dans}", {"role": "reviewer"})
    seen = agreement(dan, project["id"])["figures"]["bias"]["contrasts"]
    assert [each["what"] for each in seen] == ["as_suggested", "agreement", "seconds"]


# --- More than a thousand tasks


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, sample: Project) -> Project:
    """The sample project where two tasks are many, and are compared two at a time."""
    monkeypatch.setattr(services, "AT_ONCE", 2)
    monkeypatch.setattr(agreement_worker, "BATCH", 2)
    return sample


def test_a_large_project_is_compared_by_a_worker_and_comes_to_the_same(
    rita: Browser, sample: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once, listed = agreement(rita, sample.pk)["figures"], tasks(rita, sample.pk)
    rita.post(f"/api/annotation/projects/{sample.pk}/agreement", status=409)
    monkeypatch.setattr(services, "AT_ONCE", 2)
    monkeypatch.setattr(agreement_worker, "BATCH", 2)
    before = agreement(rita, sample.pk)
    assert (before["at_once"], before["figures"], before["work"]) == (False, None, None)
    assert tasks(rita, sample.pk)["total"] == 0
    begun = rita.post(f"/api/annotation/projects/{sample.pk}/agreement")
    assert begun["work"] | {"waits": ""} == {"status": "queued", "reason": "", "waits": "", "done": 0, "wanted": 9}
    assert "No worker" in begun["work"]["waits"]
    agreement_work(AgreementWork.objects.get().pk)
    figures = agreement(rita, sample.pk)
    assert (figures["work"]["status"], figures["work"]["done"], figures["out_of_date"]) == ("succeeded", 9, False)
    assert figures["figures"] == at_once
    assert tasks(rita, sample.pk) == listed
    assert tasks(rita, sample.pk, "?differing=true&offset=3&limit=3")["total"] == 5


def test_who_stops_it_or_dies_over_it_lets_it_go_on_where_it_was(rita: Browser, large: Project) -> None:
    address = f"/api/annotation/projects/{large.pk}/agreement"
    rita.post(f"{address}/cancel", status=404)
    rita.post(address)
    item = AgreementWork.objects.get()
    looks = iter([False, False, True])
    agreement_work(item.pk, stopping=lambda: next(looks))
    item.refresh_from_db()
    assert (item.status, item.done, item.attempts) == (Status.QUEUED, 4, 0)
    kept = set(ComparedTask.objects.values_list("pk", flat=True))
    assert rita.post(f"{address}/cancel")["work"]["status"] == "cancelled"
    assert agreement(rita, large.pk)["figures"] is None
    assert rita.post(address)["work"] | {"waits": ""} == {
        "status": "queued",
        "reason": "",
        "waits": "",
        "done": 4,
        "wanted": 9,
    }
    agreement_work(item.pk)
    assert agreement(rita, large.pk)["work"]["done"] == 9
    assert kept < set(ComparedTask.objects.values_list("pk", flat=True))


def test_a_worker_whose_work_was_stopped_or_taken_over_writes_nothing(rita: Browser, large: Project) -> None:
    address = f"/api/annotation/projects/{large.pk}/agreement"
    rita.post(address)
    item = AgreementWork.objects.get()

    def stopped_meanwhile() -> bool:
        rita.post(f"{address}/cancel")
        return False

    agreement_work(item.pk, stopping=stopped_meanwhile)
    item.refresh_from_db()
    assert (item.status, item.done, ComparedTask.objects.count()) == (Status.CANCELLED, 0, 0)


def test_newer_labels_make_it_out_of_date_until_it_is_computed_anew(rita: Browser, large: Project) -> None:
    address = f"/api/annotation/projects/{large.pk}/agreement"
    rita.post(address)
    item = AgreementWork.objects.get()
    agreement_work(item.pk)
    Assignment.objects.filter(person__username="dan", task__position=1).update(
        state=State.OPEN, submitted_at=None, answers=None, lease_until=timezone.now()
    )
    old = agreement(rita, large.pk)
    assert (old["out_of_date"], old["figures"]["compared"]) == (True, 9)
    begun = rita.post(address)
    assert (begun["work"]["done"], begun["figures"]["compared"], tasks(rita, large.pk)["total"]) == (0, 9, 9)
    agreement_work(item.pk)
    new = agreement(rita, large.pk)
    assert (new["out_of_date"], new["figures"]["compared"], tasks(rita, large.pk)["total"]) == (False, 8, 8)
    assert set(ComparedTask.objects.values_list("turn", flat=True)) == {2}


def test_a_worker_takes_it_up_by_itself(rita: Browser, large: Project, worker: Callable[..., Worker]) -> None:
    rita.post(f"/api/annotation/projects/{large.pk}/agreement")
    worker()
    wait_until(lambda: AgreementWork.objects.get().status == Status.SUCCEEDED)
    assert agreement(rita, large.pk)["figures"]["agreed"] == 4
