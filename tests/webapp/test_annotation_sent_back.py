"""A label is sent back with a comment; its maker is told, keeps the task, replies and hands it in again."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from tests.webapp.labelled import Labeller, changed, dataset, made, removed
from webapp.accounts.models import User
from webapp.labelling.projects.labels.holding import LEASE
from webapp.labelling.projects.models import Assignment, SentBack, Task

if TYPE_CHECKING:
    from pathlib import Path

    from tests.webapp.conftest import Browser

HOME = "/api/annotation/home"
COMMENT = "Which KITT? There are two."


@pytest.fixture
def project(rita: Browser, ben: Browser, mia: Browser, tmp_path: Path) -> dict[str, Any]:
    assert ben is not mia
    return made(rita, dataset(tmp_path), "ben", "mia")


@pytest.fixture
def handed_in(project: dict[str, Any], ben: Browser) -> Labeller:
    at_work = Labeller.at_next(ben, project)
    at_work.label_kitt()
    ben.post(f"{at_work.address}/submit")
    return at_work


def labels(project: dict[str, Any], at_work: Labeller) -> str:
    return f"/api/annotation/projects/{project['id']}/tasks/{at_work.task['id']}/labels"


def send(
    reviewer: Browser, project: dict[str, Any], at_work: Labeller, status: int = 200, comment: str = COMMENT
) -> Any:
    label = Assignment.objects.get(task=at_work.task["id"], person__username="ben").pk
    return reviewer.post(f"{labels(project, at_work)}/{label}/send-back", {"comment": comment}, status=status)


def test_a_label_goes_back_to_its_maker_and_comes_again(
    rita: Browser, ben: Browser, project: dict[str, Any], handed_in: Labeller
) -> None:
    shown = send(rita, project, handed_in)["labels"][0]
    assert (shown["submitted_at"], shown["may_send_back"], shown["answers_total"]) == (None, False, 1)
    (row,) = ben.get(HOME)["sent_back"]
    assert (row["id"], row["project_title"], row["told"]["sender"]) == (handed_in.task["id"], "Television", "Rita")
    assert ben.get(HOME)["open"] == []
    assert ben.get(HOME)["figures"] | {"seconds": 0} == {
        "done": 0,
        "open": 1,
        "sent_back": 1,
        "skipped": 0,
        "flagged": 0,
        "seconds": 0,
    }
    again = Labeller(ben, handed_in.task["id"])
    assert [each["comment"] for each in again.task["sent_back"]] == [COMMENT]
    assert (again.work["state"], again.work["held_until"]) == ("open", None)
    again.move(note="The car.")
    ben.post(f"{again.address}/reply", {"reply": "The car, not "})
    ben.post(f"{again.address}/reply", {"reply": "The car, not the series."})
    assert ben.post(f"{again.address}/submit")["state"] == "submitted"
    assert ben.get(HOME)["sent_back"] == []
    (label,) = rita.get(labels(project, handed_in))["labels"]
    assert label["may_send_back"]
    assert [(each["reply"], each["answered_at"] is None) for each in label["sent_back"]] == [
        ("The car, not the series.", False)
    ]
    late = ben.post(f"{again.address}/reply", {"reply": "Or the series?"}, status=409)
    assert late["code"] == "not_sent_back"


def test_each_time_that_a_label_is_sent_back_is_kept(
    rita: Browser, ben: Browser, project: dict[str, Any], handed_in: Labeller
) -> None:
    for comment in ("First.", "Second."):
        send(rita, project, handed_in, comment=comment)
        ben.post(f"{handed_in.address}/submit")
    assert [each["comment"] for each in ben.get(handed_in.address)["sent_back"]] == ["Second.", "First."]


def test_what_was_sent_back_comes_first_and_is_kept_for_its_maker_for_good(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any], handed_in: Labeller
) -> None:
    begun = Labeller.at_next(ben, project)
    send(rita, project, handed_in)
    assert ben.get(HOME)["next_project"] == project["id"]
    assert Labeller.at_next(ben, project).task["id"] == handed_in.task["id"]
    handed_in.move(note="I look at it.")
    Assignment.objects.filter(task=begun.task["id"]).update(lease_until=timezone.now() - 2 * LEASE)
    SentBack.objects.update(sent_at=timezone.now() - timedelta(days=30))
    assert Labeller.at_next(mia, project).task["id"] == begun.task["id"]
    assert Labeller.at_next(ben, project).task["id"] == handed_in.task["id"]
    assert Task.objects.get(pk=handed_in.task["id"]).free == 0
    states = {
        row["id"]: row["state"] for row in ben.get(f"/api/annotation/projects/{project['id']}/own-tasks")["tasks"]
    }
    assert states == {handed_in.task["id"]: "sent_back", begun.task["id"]: "lapsed"}


def test_what_was_sent_back_may_be_left_to_others(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any], handed_in: Labeller
) -> None:
    send(rita, project, handed_in)
    assert ben.post(f"{handed_in.address}/skip")["state"] == "skipped"
    assert ben.get(HOME)["sent_back"] == []
    assert Labeller.at_next(mia, project).task["id"] == handed_in.task["id"]


def test_a_task_goes_to_others_where_who_has_it_back_leaves(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any], handed_in: Labeller
) -> None:
    send(rita, project, handed_in)
    person = User.objects.get(username="ben").pk
    removed(rita, f"/api/annotation/projects/{project['id']}/members/{person}")
    assert Labeller.at_next(mia, project).task["id"] == handed_in.task["id"]
    assert Labeller(ben, handed_in.task["id"]).work["draft"]["topic"] == "en.knight_rider"


def test_what_cannot_be_sent_back_says_why(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any], handed_in: Labeller
) -> None:
    address = labels(project, handed_in)
    assert send(ben, project, handed_in, 403)["code"] == "project_reviewers_only"
    assert rita.post(f"{address}/{2**40}/send-back", {"comment": "?"}, status=404)["code"] == "unknown_label"
    send(rita, project, handed_in, 422, comment=" \n")
    members = f"/api/annotation/projects/{project['id']}/members"
    person = User.objects.get(username="ben").pk
    changed(rita, f"{members}/{person}", {"role": "reviewer"})
    assert not ben.get(address)["labels"][0]["may_send_back"]
    assert send(ben, project, handed_in, 409)["code"] == "own_label"
    removed(rita, f"{members}/{person}")
    assert send(rita, project, handed_in, 409)["code"] == "labels_no_more"
    rita.post(members, {"name": "ben"}, status=201)
    send(rita, project, handed_in)
    assert send(rita, project, handed_in, 409)["code"] == "not_handed_in"
    assert mia.post(f"{handed_in.address}/reply", {"reply": "Mine"}, status=404)["code"] == "unknown_task"
    User.objects.get(username="ben").delete()
    Assignment.objects.filter(task=handed_in.task["id"]).update(
        state="submitted", answers=[], sent_back=False, submitted_at=timezone.now()
    )
    label = Assignment.objects.get(task=handed_in.task["id"]).pk
    assert rita.post(f"{address}/{label}/send-back", {"comment": "?"}, status=409)["code"] == "nobodys_label"
    changed(rita, f"/api/annotation/projects/{project['id']}", {"archived": True})
    assert rita.post(f"{address}/{label}/send-back", {"comment": "?"}, status=409)["code"] == "project_archived"
