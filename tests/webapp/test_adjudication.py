"""Labels of a question side by side: equal ones are accepted, about others a reviewer decides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Entity
from tests.webapp.labelled import ACTOR, CAST, CHARACTER, IS_KITT, Labeller, dataset, made, signed_in
from webapp.accounts.models import Role, User
from webapp.datasets.models import Question
from webapp.labelling.adjudication.models import AcceptedLabel, Adjudication
from webapp.labelling.projects.models import Assignment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser


@pytest.fixture
def rex(browser: Callable[[], Browser]) -> Browser:
    return signed_in(browser, "rex", Role.REVIEWER)


@pytest.fixture
def project(rita: Browser, ben: Browser, mia: Browser, tmp_path: Path) -> dict[str, Any]:
    assert ben is not mia
    return made(rita, dataset(tmp_path), "ben", "mia", overlap=2)


def cast(at_work: Labeller) -> None:
    """The whole cast as answers: the condition is forgotten."""
    at_work.move(topic="en.knight_rider", steps=[CAST, ACTOR], steps_ended=True, conditions_ended=True, answer=2)


def kitt_in_another_order(at_work: Labeller) -> None:
    """The same label, but the character is stepped to before the actor."""
    at_work.move(
        topic="en.knight_rider",
        steps=[CAST, CHARACTER, ACTOR],
        steps_ended=True,
        conditions=[{**IS_KITT, "position": 2}],
        conditions_ended=True,
        answer=3,
    )


def hand_in(browser: Browser, project: dict[str, Any], label: Callable[[Labeller], None]) -> Labeller:
    at_work = Labeller.at_next(browser, project)
    label(at_work)
    browser.post(f"{at_work.address}/submit")
    return at_work


def listed(reviewer: Browser, project: dict[str, Any], query: str = "") -> Any:
    return reviewer.get(f"/api/annotation/projects/{project['id']}/adjudication{query}")


def begun(reviewer: Browser, at_work: Labeller, status: int = 200) -> Any:
    return reviewer.post(f"{at_work.address}/adjudication", status=status)


def accept(reviewer: Browser, at_work: Labeller, told: Any, status: int = 200, **more: Any) -> Any:
    history = told["history"]
    body = {"last": told["task"]["work"]["last"], "accepted": history[0]["number"] if history else 0, **more}
    return reviewer.post(f"{at_work.address}/adjudication/accept", body, status=status)


def test_labels_that_say_the_same_are_accepted_without_a_click(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    hand_in(ben, project, Labeller.label_kitt)
    (row,) = listed(rita, project)["tasks"]
    assert (row["stand"], row["labels"], row["agreed"], row["agreement"]) == ("waiting", 1, None, None)
    at_kitt = hand_in(mia, project, kitt_in_another_order)
    page = listed(rita, project)
    (row,) = page["tasks"]
    assert (row["stand"], row["agreed"], row["agreement"]) == ("accepted", True, 1.0)
    assert (row["accepted"]["how"], row["accepted"]["reviewer"]) == ("equal", "")
    assert page["counts"] == {"waiting": 0, "open": 0, "accepted": 1}
    accepted = AcceptedLabel.objects.get()
    assert (accepted.answers, accepted.draft["topic"]) == (["en.william_daniels"], "en.knight_rider")
    assert Assignment.objects.filter(task=at_kitt.task["id"]).count() == len(accepted.rests_on)


def test_about_labels_that_differ_a_reviewer_decides(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    at_kitt = hand_in(ben, project, Labeller.label_kitt)
    hand_in(mia, project, cast)
    (row,) = listed(rita, project, "?stand=open")["tasks"]
    assert (row["stand"], row["agreed"], row["own"]) == ("open", False, False)
    assert row["agreement"] == pytest.approx(0.5), "one answer in common, of one and of three"
    reply = begun(rita, at_kitt)
    assert [(side["who"], side["answers_total"], side["may_send_back"]) for side in reply["sides"]] == [
        ("Ben", 1, True),
        ("Mia", 3, True),
    ]
    assert reply["task"]["work"]["state"] == "adjudicating"
    assert reply["task"]["work"]["draft"]["conditions"] == [IS_KITT], "it begins with the label that came first"
    after = accept(rita, at_kitt, reply, comment="The condition is named.")
    assert (after["stand"], after["history"][0]["how"], after["history"][0]["reviewer"]) == (
        "accepted",
        "taken",
        "Rita",
    )
    assert after["history"][0]["comment"] == "The condition is named."
    assert rita.get("/api/annotation/home")["figures"]["done"] == 0, "it is no label of hers"


def test_labels_are_merged_by_moves_that_are_kept_and_taken_back(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    at_kitt = hand_in(ben, project, cast)
    hand_in(mia, project, lambda at_work: at_work.move(kind="answers", marked=["en.william_daniels"]))
    begun(rita, at_kitt)
    hers = Labeller(rita, at_kitt.task["id"])
    hers.move(steps=[CAST, ACTOR, CHARACTER])
    hers.move(conditions=[IS_KITT])
    hers.send([hers.drawn(conditions=[], undoes=2)])
    hers.send([hers.drawn(conditions=[IS_KITT], undoes=3)])
    assert hers.answers() == ["William Daniels"]
    assert rita.post(f"{hers.address}/submit", status=409)["code"] == "adjudicated"
    assert rita.post(f"{hers.address}/skip", status=409)["code"] == "adjudicated"
    assert rita.post(f"{hers.address}/reopen", status=409)["code"] == "adjudicated"
    reply = begun(rita, at_kitt)
    assert accept(rita, at_kitt, {**reply, "task": {"work": {"last": 1}}}, 409)["code"] == "draft_moved"
    assert accept(rita, at_kitt, reply)["history"][0]["how"] == "merged"
    hers.move(steps=[], conditions=[])
    faulty = accept(rita, at_kitt, begun(rita, at_kitt), 409)
    assert faulty["code"] == "label_faulty"


def test_decisions_are_looked_at_without_a_move(rita: Browser, ben: Browser, project: dict[str, Any]) -> None:
    at_kitt = hand_in(ben, project, cast)
    begun(rita, at_kitt)
    body = {"topic": "en.knight_rider", "steps": [CAST, ACTOR, CHARACTER]}
    seen = rita.post(f"{at_kitt.address}/adjudication/led-to", body)
    grown = [event["node"]["position"] for event in seen["events"] if event["kind"] == "search_step"]
    assert grown == [1, 2, 3]
    assert begun(rita, at_kitt)["task"]["work"]["last"] == 0


def test_of_two_reviewers_the_second_is_reported(
    rita: Browser, rex: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    at_kitt = hand_in(ben, project, Labeller.label_kitt)
    hand_in(mia, project, cast)
    first, second = begun(rita, at_kitt), begun(rex, at_kitt)
    accept(rita, at_kitt, first)
    refused = accept(rex, at_kitt, second, 409)
    assert refused["code"] == "decided_meanwhile"
    assert "Rita has decided" in refused["message"]
    assert [row["reviewer"] for row in accept(rex, at_kitt, begun(rex, at_kitt))["history"]] == ["Rex", "Rita"]


def test_what_one_labelled_oneself_others_decide_about(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    rita.post(
        f"/api/annotation/projects/{project['id']}/members", {"name": "rita", "labels": True, "role": "manager"}, 409
    )
    person = User.objects.get(username="ben").pk
    ben_reviews = {"role": "reviewer", "labels": True}
    at_kitt = hand_in(ben, project, Labeller.label_kitt)
    hand_in(mia, project, cast)
    rita.client.patch(
        f"/api/annotation/projects/{project['id']}/members/{person}",
        ben_reviews,
        content_type="application/json",
        headers={"X-CSRFToken": rita.token},
    )
    assert listed(ben, project)["tasks"][0]["own"]
    assert begun(ben, at_kitt, 409)["code"] == "own_label"
    assert begun(mia, at_kitt, 403)["code"] == "project_reviewers_only"


def test_who_decided_about_a_task_is_not_given_it_to_label(
    rita: Browser, ben: Browser, project: dict[str, Any]
) -> None:
    at_kitt = hand_in(ben, project, Labeller.label_kitt)
    begun(rita, at_kitt)
    person = User.objects.get(username="rita").pk
    rita.client.patch(
        f"/api/annotation/projects/{project['id']}/members/{person}",
        {"labels": True},
        content_type="application/json",
        headers={"X-CSRFToken": rita.token},
    )
    assert Labeller.at_next(rita, project).task["id"] != at_kitt.task["id"]
    own = rita.get(f"/api/annotation/projects/{project['id']}/own-tasks")
    assert own["total"] == 1


def test_a_task_is_open_again_where_its_labels_became_others(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    at_kitt = hand_in(ben, project, Labeller.label_kitt)
    hand_in(mia, project, Labeller.label_kitt)
    assert listed(rita, project)["tasks"][0]["stand"] == "accepted"
    ben.post(f"{at_kitt.address}/reopen")
    assert listed(rita, project)["tasks"][0]["stand"] == "waiting"
    bens = Labeller(ben, at_kitt.task["id"])
    bens.move(conditions=[])
    ben.post(f"{at_kitt.address}/submit")
    row = listed(rita, project)["tasks"][0]
    assert (row["stand"], row["agreed"], row["accepted"]["how"]) == ("open", False, "equal")


def test_an_accepted_label_is_withdrawn_and_stays_so(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    at_kitt = hand_in(ben, project, Labeller.label_kitt)
    hand_in(mia, project, Labeller.label_kitt)
    address = f"{at_kitt.address}/adjudication/withdraw"
    assert rita.post(address, {"accepted": 7}, status=409)["code"] == "decided_meanwhile"
    reply = rita.post(address, {"accepted": 1, "comment": "Both overlooked the year."})
    assert (reply["stand"], [row["how"] for row in reply["history"]]) == ("open", ["withdrawn", "equal"])
    assert rita.post(address, {"accepted": 2}, status=409)["code"] == "nothing_accepted"
    ben.post(f"{at_kitt.address}/reopen")
    ben.post(f"{at_kitt.address}/submit")
    assert listed(rita, project)["tasks"][0]["stand"] == "open", "the same labels are not accepted by themselves again"


def test_the_worst_agreed_comes_first(rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]) -> None:
    hand_in(ben, project, cast)
    hand_in(mia, project, Labeller.label_kitt)
    hand_in(ben, project, lambda at_work: at_work.move(kind="answers", marked=["en.glen_larson"]))
    hand_in(mia, project, lambda at_work: at_work.move(kind="answers", marked=["en.kitt"]))
    page = listed(rita, project)
    assert [(row["position"], row["agreement"]) for row in page["tasks"]] == [(2, 0.0), (1, 0.5)]
    first, second = (row["task"] for row in page["tasks"])
    reply = rita.post(f"/api/annotation/tasks/{first}/adjudication")
    assert (reply["previous"], reply["next"]) == (None, second)
    assert listed(rita, project, "?offset=1&limit=1")["tasks"][0]["task"] == second


def test_labels_without_answers_agree_as_far_as_they_are_of_one_kind(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    missing = {"what": "fact", "note": ""}
    hand_in(ben, project, lambda at_work: at_work.move(kind="unanswerable", missing=missing))
    hand_in(mia, project, lambda at_work: at_work.move(kind="reword", rewording="who speaks for KITT?"))
    hand_in(ben, project, lambda at_work: at_work.move(kind="unanswerable", missing=missing))
    hand_in(mia, project, lambda at_work: at_work.move(kind="unanswerable", missing={**missing, "what": "relation"}))
    figures = [(row["position"], row["agreed"], row["agreement"]) for row in listed(rita, project)["tasks"]]
    assert figures == [(1, False, 0.0), (2, False, 1.0)]


def test_a_label_of_nobody_else_is_no_reason_to_decide(rita: Browser, ben: Browser, project: dict[str, Any]) -> None:
    at_work = Labeller.at_next(ben, project)
    assert begun(rita, at_work, 409)["code"] == "no_label"
    assert rita.post("/api/annotation/tasks/987654321/adjudication", status=404)["code"] == "unknown_task"
    assert not Adjudication.objects.exists()


def test_who_made_a_label_is_shown_in_what_it_differs_where_the_reviewer_wants(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    at_kitt = hand_in(ben, project, cast)
    hand_in(mia, project, Labeller.label_kitt)
    sides = begun(rita, at_kitt)["sides"]
    hers = Labeller(rita, at_kitt.task["id"])
    hers.move(steps=[CAST, ACTOR, CHARACTER], conditions=[IS_KITT])
    labels = f"/api/annotation/projects/{project['id']}/tasks/{at_kitt.task['id']}/labels"
    rita.post(f"{labels}/{sides[0]['label']}/send-back", {"comment": "Who is it?", "shows_own": True})
    rita.post(f"{labels}/{sides[1]['label']}/send-back", {"comment": "Are you sure?"})
    bens, mias = (who.get(at_kitt.address) for who in (ben, mia))
    assert bens["sent_back"][0]["against"]["conditions"] == [IS_KITT]
    assert {term["label"] for term in bens["named_terms"]} == {"KITT", "Knight Rider"}
    assert "character" in {relation["label"] for relation in bens["named_relations"]}
    assert (mias["sent_back"][0]["against"], mias["named_terms"]) == (None, [])


def test_accepted_labels_are_exported_and_become_a_dataset_whose_versions_stay(
    rita: Browser, ben: Browser, mia: Browser, project: dict[str, Any]
) -> None:
    address = f"/api/annotation/projects/{project['id']}"
    assert rita.post(f"{address}/accepted/dataset", status=409)["code"] == "nothing_accepted"
    at_kitt = hand_in(ben, project, Labeller.label_kitt)
    hand_in(mia, project, kitt_in_another_order)
    hand_in(ben, project, cast)
    hand_in(mia, project, Labeller.label_kitt)
    assert ben.post(f"{address}/accepted/dataset", status=403)["code"] == "project_managers_only"
    first = rita.post(f"{address}/accepted/dataset", status=201)
    assert first["questions"] == 1
    assert rita.post(f"{address}/accepted/dataset", status=201) == first
    (question,) = Question.objects.filter(dataset=first["dataset"])
    assert question.question_id.startswith(at_kitt.task["question_id"])
    assert question.to_benchmark().topic == Entity("en.knight_rider")
    preview = rita.get(f"{address}/export?labels=accepted")
    assert (preview["total"], preview["went_in"]) == (1, 1)
    open_task = listed(rita, project, "?stand=open")["tasks"][0]["task"]
    reply = rita.post(f"/api/annotation/tasks/{open_task}/adjudication")
    body = {"last": reply["task"]["work"]["last"], "accepted": 0}
    rita.post(f"/api/annotation/tasks/{open_task}/adjudication/accept", body)
    second = rita.post(f"{address}/accepted/dataset", status=201)
    assert second["dataset"] != first["dataset"]
    assert second["questions"] == 1 + first["questions"]
    file = rita.client.get(f"{address}/export/file?labels=accepted&people=pseudonyms").getvalue().decode()
    equal, decided = (json.loads(line)["label"] for line in file.splitlines())
    same = {"labels": 2, "agreed": True, "answers": 1.0, "same_derivation": 1.0, "distance": 0.0, "facts": 1.0}
    assert equal["agreement"] == {**same, "parted": None}, "it rests on both, who agreed"
    assert (decided["agreement"]["labels"], decided["agreement"]["agreed"]) == (2, False)
    assert (decided["agreement"]["same_derivation"], decided["agreement"]["parted"]) == (0.0, "search")
    assert 0 < decided["agreement"]["facts"] < 1
    assert decided["who"].startswith("annotator ")
