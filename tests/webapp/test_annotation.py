"""Labelling: projects hand out tasks, every move is kept, and a label that does not hold is not handed in."""

from __future__ import annotations

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.utils import timezone

from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.reading import GraphToLoad
from tests.webapp.conftest import TOY_GRAPH
from tests.webapp.labelled import (
    ACTOR,
    CAST,
    CHARACTER,
    EMPTY,
    IS_KITT,
    Labeller,
    changed,
    dataset,
    made,
    removed,
    signed_in,
)
from webapp import engine
from webapp.accounts.models import AuditEntry, Role, User
from webapp.labelling.projects.draft import Draft, MoveIn, draft_moved
from webapp.labelling.projects.labels.holding import LEASE
from webapp.labelling.projects.labels.known_answers import label_answers
from webapp.labelling.projects.models import Assignment, Move, Task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser
    from webapp.datasets.models import Dataset


@pytest.fixture
def of(tmp_path: Path) -> Dataset:
    """The dataset of the questions."""
    return dataset(tmp_path)


@pytest.fixture
def project(rita: Browser, of: Dataset, ben: Browser, mia: Browser) -> dict[str, Any]:
    """A project of four questions, each for one person, in which Ben and Mia label."""
    return made(rita, of, "ben", "mia", guideline="Label *every* answer.")


def next_of(who: Browser, project: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = who.post(f"/api/annotation/projects/{project['id']}/next")
    return found


# --- Projects


def test_a_project_has_a_task_for_each_question_and_says_how_far_it_is(
    project: dict[str, Any], rita: Browser, ben: Browser
) -> None:
    assert (project["tasks"], project["wanted"], project["graph_title"]) == (4, 4, "Toy")
    assert project["guideline"] | {"written_at": ""} == {
        "version": 1,
        "text": "Label *every* answer.",
        "changed": "",
        "because": None,
        "writer": "Rita",
        "written_at": "",
    }
    assert project["mine"] is None, "who manages it does not label in it"
    seen = ben.get(f"/api/annotation/projects/{project['id']}")
    assert (seen["may_label"], seen["may_manage"]) == (True, False)
    rows = rita.get(f"/api/annotation/projects/{project['id']}/tasks")
    assert [row["question_id"] for row in rows["tasks"]] == ["kitt/1", "creator/1", "jamaica/1", "capital/1"]
    assert AuditEntry.objects.get().what == "project_made"


def test_a_part_of_a_dataset_and_another_order_may_be_chosen(rita: Browser, of: Dataset) -> None:
    few = made(rita, of, questions={"dataset": str(of.pk), "search": "knight rider", "limit": 1})
    assert few["tasks"] == 1
    drawn = made(rita, of, order="random")
    rows = rita.get(f"/api/annotation/projects/{drawn['id']}/tasks")["tasks"]
    assert {row["question_id"] for row in rows} == {"kitt/1", "creator/1", "jamaica/1", "capital/1"}
    assert [row["position"] for row in rows] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"questions": {"dataset": str(uuid.UUID(int=1))}}, 404, "unknown_dataset"),
        ({"graph": "nothing"}, 422, "graph_unavailable"),
        ({"people": ["nobody"]}, 422, "unknown_person"),
        ({"people": ["ada"]}, 422, "no_annotator"),
        ({"title": "  "}, 422, "empty_title"),
    ],
)
def test_a_project_that_cannot_be_made_says_why(
    rita: Browser, of: Dataset, ada: User, change: dict[str, Any], status: int, code: str
) -> None:
    wanted = {"title": "T", "questions": {"dataset": str(of.pk)}, "graph": "toy", **change}
    assert rita.post("/api/annotation/projects", wanted, status=status)["code"] == code


def test_no_question_makes_no_project(rita: Browser, of: Dataset) -> None:
    wanted = {"title": "T", "questions": {"dataset": str(of.pk), "search": "no such words"}, "graph": "toy"}
    assert rita.post("/api/annotation/projects", wanted, status=422)["code"] == "no_questions"


def test_only_who_labels_in_a_project_or_manages_projects_sees_it(
    project: dict[str, Any], browser: Callable[[], Browser]
) -> None:
    other = signed_in(browser, "otto")
    assert other.get(f"/api/annotation/projects/{project['id']}", 404)["code"] == "unknown_project"
    assert other.get("/api/annotation/projects")["total"] == 0
    assert signed_in(browser, "cleo", Role.ADMIN).get("/api/annotation/projects")["total"] == 1


def test_who_is_taken_out_keeps_what_they_labelled_and_gets_no_further_task(
    project: dict[str, Any], rita: Browser, ben: Browser
) -> None:
    address = f"/api/annotation/projects/{project['id']}"
    task = next_of(ben, project)["task"]
    removed(rita, f"{address}/members/{User.objects.get(username='ben').pk}")
    assert ben.post(f"{address}/next", status=403)["code"] == "no_member"
    assert ben.get(f"/api/annotation/tasks/{task}")["work"]["state"] == "open"
    people = {one["name"]: one["labels_now"] for one in rita.get(f"{address}/progress")["people"]}
    assert people == {"ben": False, "mia": True, "rita": False}
    rita.post(f"{address}/members", {"name": "ben"}, status=201)
    assert next_of(ben, project)["task"] == task


def test_in_a_project_that_was_put_away_nothing_is_labelled(
    project: dict[str, Any], rita: Browser, ben: Browser
) -> None:
    address = f"/api/annotation/projects/{project['id']}"
    changed(rita, address, {"archived": True})
    assert ben.post(f"{address}/next", status=409)["code"] == "project_archived"
    assert rita.get("/api/annotation/projects")["total"] == 0
    assert rita.get("/api/annotation/projects?archived=true")["total"] == 1


def test_a_guideline_is_versioned_and_who_labels_is_shown_what_changed(
    project: dict[str, Any], rita: Browser, ben: Browser
) -> None:
    address = f"/api/annotation/projects/{project['id']}/guidelines"
    at_work = Labeller.at_next(ben, project)
    at_work.move(topic="en.knight_rider")
    same = {"text": "Label *every* answer.", "changed": "Nothing"}
    assert rita.post(address, same, status=422)["code"] == "same_guideline"
    rita.post(address, {"text": "Label the first answer.", "changed": "One answer is enough."}, status=201)
    again = Labeller(ben, at_work.task["id"])
    assert (again.task["guideline"]["version"], again.task["guideline_seen"]) == (2, 1)
    assert again.task["guideline"]["changed"] == "One answer is enough."
    assert [one["version"] for one in ben.get(address)["guidelines"]] == [2, 1]
    again.move(note="seen")
    assert Labeller(ben, at_work.task["id"]).task["guideline_seen"] == 2
    seen = [who.get(f"/api/annotation/projects/{project['id']}")["guideline_seen"] for who in (ben, rita)]
    assert seen == [2, None]


def test_a_guideline_says_which_question_led_to_it(project: dict[str, Any], rita: Browser, ben: Browser) -> None:
    address = f"/api/annotation/projects/{project['id']}/guidelines"
    assert ben.get(address)["guidelines"][0]["because"] is None
    led_to = Task.objects.get(project=project["id"], position=2)
    wanted = {"text": "Look at the year.", "changed": "The year.", "because": led_to.pk}
    assert rita.post(address, {**wanted, "because": 2**40}, status=404)["code"] == "unknown_task"
    rita.post(address, wanted, status=201)
    assert ben.get(address)["guidelines"][0]["because"] == {"task": led_to.pk, "question": "who created Knight Rider?"}


# --- Tasks


def test_next_gives_each_task_to_as_many_people_as_it_needs(
    rita: Browser, of: Dataset, ben: Browser, mia: Browser, browser: Callable[[], Browser]
) -> None:
    otto = signed_in(browser, "otto")
    both = made(rita, of, "ben", "mia", "otto", overlap=2, questions={"dataset": str(of.pk), "limit": 2})
    first, second = (row["id"] for row in rita.get(f"/api/annotation/projects/{both['id']}/tasks")["tasks"])
    assert [next_of(who, both)["task"] for who in (ben, mia, otto)] == [first, first, second]
    assert next_of(ben, both)["task"] == first, "who began one goes on with it"


def test_many_who_ask_at_once_never_get_one_task_more_often_than_its_overlap(
    rita: Browser, browser: Callable[[], Browser], tmp_path: Path
) -> None:
    names = [f"person{n}" for n in range(8)]
    people = [signed_in(browser, name) for name in names]
    shared = made(rita, dataset(tmp_path, 4), *names, overlap=2)

    def ask(who: Browser) -> int | None:
        try:
            return next_of(who, shared)["task"]
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        given = list(pool.map(ask, people))
    assert sorted(given.count(task) for task in set(given)) == [2, 2, 2, 2]
    assert set(Task.objects.values_list("free", flat=True)) == {0}
    ended = next_of(signed_in(browser, "person0"), shared)
    assert ended["task"] is not None, "who began one goes on with it"


def test_where_nothing_is_left_it_says_why(rita: Browser, of: Dataset, ben: Browser, mia: Browser) -> None:
    one = made(rita, of, "ben", "mia", questions={"dataset": str(of.pk), "limit": 1})
    at_work = Labeller.at_next(ben, one)
    assert next_of(mia, one) == {"task": None, "reason": "Every task of this project is taken."}
    ben.post(f"{at_work.address}/skip")
    shown = next_of(ben, one)
    assert shown == {"task": None, "reason": "There is no new task for you. Still open are 1 that you skipped."}
    assert next_of(mia, one)["task"] == at_work.task["id"], "a skipped task goes to others"


def lapse(task: int) -> None:
    Assignment.objects.filter(task=task).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_task_of_which_nothing_is_heard_goes_to_others_and_the_draft_stays(
    rita: Browser, of: Dataset, ben: Browser, mia: Browser
) -> None:
    one = made(rita, of, "ben", "mia", questions={"dataset": str(of.pk), "limit": 1})
    at_work = Labeller.at_next(ben, one)
    at_work.move(topic="en.knight_rider")
    lapse(at_work.task["id"])
    hers = Labeller.at_next(mia, one)
    assert hers.work["draft"] == EMPTY, "a draft is visible only to its annotator"
    assert at_work.move(status=409, steps=[CAST])["code"] == "task_taken"
    assert Labeller(ben, at_work.task["id"]).work["draft"]["topic"] == "en.knight_rider"
    mia.post(f"{hers.address}/skip")
    at_work.move(steps=[CAST])
    assert at_work.work["held_until"] is not None


def test_a_lease_in_a_far_future_is_one_of_a_clock_that_was_set_back(
    rita: Browser, of: Dataset, ben: Browser, mia: Browser
) -> None:
    one = made(rita, of, "ben", "mia", questions={"dataset": str(of.pk), "limit": 1})
    at_work = Labeller.at_next(ben, one)
    Assignment.objects.update(lease_until=timezone.now() + 2 * LEASE)
    assert next_of(mia, one)["task"] == at_work.task["id"]


def test_presence_renews_the_lease_and_counts_no_more_time_than_went_by(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    Assignment.objects.update(started_at=timezone.now() - timedelta(seconds=100))
    reply = ben.post(f"{at_work.address}/present", {"seconds": 60})
    assert reply["seconds"] == 60
    reply = ben.post(f"{at_work.address}/present", {"seconds": 3_000})
    assert reply["seconds"] <= 60 + 20


# --- Moves


def test_a_question_is_labelled_decision_by_decision(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    asked = [at_work.open_decision()]
    for now in (
        {"topic": "en.knight_rider"},
        {"steps": [CAST]},
        {"steps": [CAST, ACTOR]},
        {"steps": [CAST, ACTOR, CHARACTER]},
        {"steps_ended": True},
        {"conditions": [IS_KITT]},
        {"conditions_ended": True},
        {"answer": 2},
    ):
        at_work.move(**now)
        asked.append(at_work.open_decision())
    assert asked == [
        ("link", 0),
        ("search", 0),
        ("search", 1),
        ("search", 2),
        ("search", 3),
        ("prune", 0),
        ("infer", 0),
        ("infer", 0),
        None,
    ]
    assert at_work.answers() == ["William Daniels"]
    assert ben.get(f"{at_work.address}/check") == {"kind": "derivation", "faults": []}
    handed_in = ben.post(f"{at_work.address}/submit")
    assert (handed_in["state"], handed_in["held_until"]) == ("submitted", None)
    assert at_work.move(status=409, note="more")["code"] == "handed_in"
    home = ben.get("/api/annotation/home")
    assert (home["figures"]["done"], home["figures"]["open"]) == (1, 0)


def test_a_label_may_count_its_answers(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    at_work.move(topic="en.knight_rider")
    at_work.move(steps=[CAST, ACTOR], steps_ended=True, conditions_ended=True, answer=2)
    shown = at_work.move(counted=True)
    kinds = [(event["kind"], event.get("counted"), event.get("count")) for event in shown["led_to"]["events"]]
    assert ("answers_counted", True, None) in kinds
    assert kinds[-1] == ("finished", None, 3)
    assert ben.post(f"{at_work.address}/submit")["state"] == "submitted"
    label = Assignment.objects.get(state="submitted")
    assert label_answers(label) == ['"3"^^xsd:integer']


def test_a_label_that_does_not_hold_is_not_handed_in_and_says_why(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    at_work.move(topic="en.knight_rider")
    reply = ben.post(f"{at_work.address}/submit", status=409)
    assert (reply["code"], reply["message"]) == (
        "label_faulty",
        "Choose at least one fact that leads on from the topic.",
    )
    assert ben.get(f"{at_work.address}/check")["faults"][0]["code"] == "no_step"


KINDS: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"kind": "answers"}, "no_answers", {"marked": ["en.kitt"]}),
    ({"kind": "answers", "marked": ["en.nobody"]}, "unknown_answers", {"marked": ["en.kitt"]}),
    ({"kind": "unanswerable"}, "nothing_missing", {"missing": {"what": "fact", "note": "who speaks in the film"}}),
    ({"kind": "reword"}, "no_rewording", {"rewording": "who speaks KITT?"}),
    (
        {"kind": "reword", "rewording": "who plays the voice of KITT in Knight Rider?"},
        "same_wording",
        {"rewording": "?"},
    ),
    ({"kind": "benchmark"}, "no_verdict", {"benchmark": "outdated"}),
    (
        {"kind": "facts", "marked": ["en.glen_larson"]},
        "no_facts",
        {
            "facts": [
                {
                    "subject": "en.knight_rider",
                    "relation": "tv.tv_program.program_creator",
                    "object": "en.glen_larson",
                }
            ]
        },
    ),
    (
        {"kind": "ambiguous"},
        "one_reading",
        {
            "readings": [
                {"topic": "en.knight_rider", "steps": [CAST, ACTOR], "conditions": [], "answer": 2},
                {"topic": "en.knight_rider", "steps": [CAST, CHARACTER], "conditions": [], "answer": 2},
            ]
        },
    ),
]


@pytest.mark.parametrize(("begun", "fault", "mended"), KINDS, ids=[f"{one[0]['kind']}-{one[1]}" for one in KINDS])
def test_each_kind_of_label_has_a_check_of_its_own(
    project: dict[str, Any], ben: Browser, begun: dict[str, Any], fault: str, mended: dict[str, Any]
) -> None:
    at_work = Labeller.at_next(ben, project)
    at_work.move(**begun)
    assert [one["code"] for one in ben.get(f"{at_work.address}/check")["faults"]] == [fault]
    at_work.move(**mended)
    assert ben.get(f"{at_work.address}/check")["faults"] == []
    assert ben.post(f"{at_work.address}/submit")["state"] == "submitted"


def test_the_draft_is_what_its_log_folds_to_and_undo_is_one_more_entry(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    at_work.move(topic="en.knight_rider")
    at_work.move(steps=[CAST])
    last = at_work.work["undo"][-1]
    assert (last["number"], last["who"], last["was"], last["now"]) == (2, "Ben", {"steps": []}, {"steps": [CAST]})
    at_work.send([at_work.drawn(undoes=last["number"], **last["was"])])
    assert at_work.work["draft"]["steps"] == []
    assert [[one["number"] for one in at_work.work[stack]] for stack in ("undo", "redo")] == [[1], [3]]
    taken_back = at_work.work["redo"][-1]
    at_work.send([at_work.drawn(undoes=taken_back["number"], **taken_back["was"])])
    assert at_work.work["draft"]["steps"] == [CAST]
    assert [[one["number"] for one in at_work.work[stack]] for stack in ("undo", "redo")] == [[1, 4], []]
    folded = Draft()
    log = list(Move.objects.order_by("number"))
    for row in log:
        fields = {"id": row.move_id, "was": row.was, "now": row.now, "undoes": row.undoes}
        folded = draft_moved(folded, MoveIn.model_validate(fields))
    assert [row.number for row in log] == [1, 2, 3, 4]
    assert folded.model_dump(mode="json") == at_work.work["draft"] == Assignment.objects.get().draft
    assert ben.get(f"{at_work.address}/moves?after=2")["moves"][0]["undoes"] == 2


def test_a_new_move_ends_what_could_be_done_again(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    at_work.move(note="one")
    at_work.send([at_work.drawn(undoes=1, note="")])
    at_work.move(note="two")
    assert at_work.work["redo"] == []
    assert [one["number"] for one in at_work.work["undo"]] == [3]


def test_moves_that_are_sent_twice_count_once(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    moves = [at_work.drawn(topic="en.knight_rider"), {**at_work.drawn(steps=[CAST])}]
    at_work.send(moves)
    for after in (0, 2):
        at_work.send(moves, after=after)
        assert at_work.work["last"] == Move.objects.count() == 2
    later = {**at_work.drawn(steps=[CAST, ACTOR])}
    at_work.send([*moves, later], after=0)
    assert at_work.work["last"] == Move.objects.count() == 3, "an answer that was lost is asked for again, with more"


def test_two_tabs_are_reported_and_neither_overwrites_the_other(project: dict[str, Any], ben: Browser) -> None:
    one = Labeller.at_next(ben, project)
    other = Labeller(ben, one.task["id"])
    one.move(topic="en.knight_rider")
    shown = other.move(status=409, note="from the other tab")
    assert (shown["code"], shown["extra"]) == ("draft_moved", {"last": 1})
    assert Labeller(ben, one.task["id"]).work["draft"] == {**EMPTY, "topic": "en.knight_rider"}


@pytest.mark.parametrize(
    ("was", "now", "status", "code"),
    [
        ({}, {}, 422, "unreadable_move"),
        ({"note": ""}, {}, 422, "unreadable_move"),
        ({"unknown": 1}, {"unknown": 2}, 422, "invalid_request"),
        ({"note": ""}, {"note": 5}, 422, "invalid_request"),
        ({"note": ""}, {"note": "x" * 2_001}, 422, "invalid_request"),
        ({"steps": []}, {"steps": [{"kind": "step", "position": -1, "relation": "a"}]}, 422, "invalid_request"),
        ({"conditions": []}, {"conditions": [{**IS_KITT, "target": '"a'}]}, 422, "unreadable_choice"),
        ({"note": "another"}, {"note": "x"}, 409, "draft_moved"),
    ],
)
def test_a_move_that_cannot_be_one_changes_nothing(
    project: dict[str, Any], ben: Browser, was: dict[str, Any], now: dict[str, Any], status: int, code: str
) -> None:
    at_work = Labeller.at_next(ben, project)
    fine = at_work.drawn(topic="en.knight_rider")
    bad = {"id": str(uuid.uuid4()), "was": was, "now": now, "undoes": None}
    assert at_work.send([fine, bad], status)["code"] == code
    assert Labeller(ben, at_work.task["id"]).work["last"] == Move.objects.count() == 0


def test_a_move_takes_back_none_that_is_yet_to_come(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    assert at_work.send([at_work.drawn(undoes=1, note="x")], 422)["code"] == "unreadable_move"


def test_a_task_says_which_of_one_s_own_stand_beside_it(project: dict[str, Any], ben: Browser) -> None:
    own = []
    for _ in range(3):
        at_work = Labeller.at_next(ben, project)
        own.append(at_work.task["id"])
        ben.post(f"{at_work.address}/skip")
    beside = [(shown["previous"], shown["next"]) for shown in (Labeller(ben, task).task for task in own)]
    assert beside == [(None, own[1]), (own[0], own[2]), (own[1], None)]


def test_a_task_of_somebody_else_is_nobody_s_business(project: dict[str, Any], ben: Browser, mia: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    assert mia.get(at_work.address, 404)["code"] == "unknown_task"
    body = {"after": 0, "moves": [at_work.drawn(note="hers")]}
    assert mia.post(f"{at_work.address}/moves", body, status=404)["code"] == "unknown_task"


def test_what_was_handed_in_or_skipped_may_be_taken_up_again(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    ben.post(f"{at_work.address}/skip")
    assert at_work.move(status=409, note="x")["code"] == "skipped"
    assert ben.post(f"{at_work.address}/reopen")["state"] == "open"
    at_work.label_kitt()
    ben.post(f"{at_work.address}/submit")
    assert ben.post(f"{at_work.address}/skip", status=409)["code"] == "handed_in"
    assert ben.post(f"{at_work.address}/reopen")["state"] == "open"
    assert Task.objects.get(pk=at_work.task["id"]).free == 0


def test_everybody_finds_the_tasks_again_that_they_were_given(project: dict[str, Any], ben: Browser) -> None:
    address = f"/api/annotation/projects/{project['id']}/own-tasks"
    done = Labeller.at_next(ben, project)
    done.label_kitt()
    ben.post(f"{done.address}/submit")
    skipped = Labeller.at_next(ben, project)
    skipped.move(flagged=True)
    ben.post(f"{skipped.address}/skip")
    lapsed = Labeller.at_next(ben, project)
    Assignment.objects.filter(task=lapsed.task["id"]).update(lease_until=timezone.now() - timedelta(hours=1))
    begun = Labeller.at_next(ben, project)
    states = ["open", "lapsed", "skipped", "submitted"]
    ids = [each.task["id"] for each in (begun, lapsed, skipped, done)]
    page = ben.get(address)
    assert [(row["id"], row["state"]) for row in page["tasks"]] == list(zip(ids, states, strict=True))
    assert page["total"] == len(ids)
    for id_, state in zip(ids, states, strict=True):
        assert [row["id"] for row in ben.get(f"{address}?state={state}")["tasks"]] == [id_]
    assert ben.get(f"{address}?offset=1&limit=1")["tasks"][0]["id"] == ids[1]
    reply = ben.get(f"{address}?state=skipped")["tasks"][0]
    assert (reply["question_id"], reply["position"], reply["flagged"]) == ("creator/1", 2, True)
    ben.get(f"{address}?state=lost", 422)


def test_all_that_a_draft_names_is_reported_by_name_and_can_be_read(project: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, project)
    wrong = {"subject": "en.knight_rider", "relation": "tv.tv_program.program_creator", "object": "en.glen_larson"}
    is_actor = {"kind": "constraint", "position": 1, "operator": "kind", "target": "tv.tv_actor"}
    reading = {"topic": "en.kitt", "steps": [CAST], "conditions": [IS_KITT, is_actor], "answer": 1}
    at_work.move(
        marked=["en.kingston", '"1982"^^xsd:gYear'],
        reports=[{"says": "wrong", "fact": wrong, "note": ""}],
        readings=[reading],
    )
    names = {term["id"]: term["label"] for term in at_work.led_to["named_terms"]}
    assert names == {
        "en.kingston": "Kingston",
        '"1982"^^xsd:gYear': "1982",
        "en.knight_rider": "Knight Rider",
        "en.glen_larson": "Glen A. Larson",
        "en.kitt": "KITT",
        "tv.tv_actor": "TV actor",
    }
    assert {each["label"] for each in at_work.led_to["named_relations"]} == {"programme creator", "regular cast"}
    assert at_work.move(status=422, marked=['"not closed'])["code"] == "unreadable_term"


def test_over_a_graph_that_was_loaded_anew_nothing_is_labelled_on(
    rita: Browser, of: Dataset, ben: Browser, tmp_path: Path
) -> None:
    library, facts = engine.graph_library(), tmp_path / "facts.tsv"
    for more in ("", 'en.kitt\ttype.object.name\t"Karr"@en\n'):
        facts.write_text(TOY_GRAPH.read_text() + more)
        library.load(GraphToLoad(TripleReader(facts), "labelled", "Labelled", "drawn by hand"))
        if not more:
            project = made(rita, of, "ben", graph="labelled")
            task = next_of(ben, project)["task"]
            Labeller(ben, task).label_kitt()
            ben.post(f"/api/annotation/tasks/{task}/submit")
    reply = ben.get(f"/api/annotation/tasks/{task}", 409)
    labels = rita.client.get(f"/api/annotation/projects/{project['id']}/export/file").getvalue()
    library.remove("labelled")
    assert reply["code"] == "graph_changed"
    assert json.loads(labels)["answers"] == ["en.william_daniels"], "what was labelled before can still be had"
    assert ben.get(f"/api/annotation/tasks/{task}", 409)["code"] == "graph_unavailable"


def test_who_is_deleted_leaves_their_labels_without_a_name(
    project: dict[str, Any], rita: Browser, ben: Browser
) -> None:
    at_work = Labeller.at_next(ben, project)
    at_work.label_kitt()
    ben.post(f"{at_work.address}/submit")
    User.objects.get(username="ben").delete()
    (row,) = Assignment.objects.all()
    assert (row.person, row.state, row.moves.count()) == (None, "submitted", 8)
    people = rita.get(f"/api/annotation/projects/{project['id']}/progress")["people"]
    assert ("", "Deleted accounts", 1) in [(one["name"], one["display_name"], one["done"]) for one in people]


def test_the_home_of_who_labels_leads_to_the_project_of_their_last_work(
    project: dict[str, Any], rita: Browser, of: Dataset, ben: Browser
) -> None:
    other = made(rita, of, "ben", title="Another")
    at_work = Labeller.at_next(ben, project)
    home = ben.get("/api/annotation/home")
    assert home["next_project"] == project["id"]
    assert [one["title"] for one in home["projects"]] == ["Another", "Television"]
    assert [(row["id"], row["open"]) for row in home["open"]] == [(at_work.task["id"], 1)]
    Labeller.at_next(ben, other)
    assert ben.get("/api/annotation/home")["next_project"] == other["id"]
