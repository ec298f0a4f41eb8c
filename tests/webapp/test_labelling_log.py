"""The log of a project: who did what in plain words, filtered, page by page and as a table, for those who review."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from tests.webapp.labelled import ACTOR, CAST, CHARACTER, IS_KITT, Labeller, dataset, made, signed_in
from webapp.accounts.models import User
from webapp.labelling.log import entries
from webapp.labelling.log.words import called_on, move_words
from webapp.labelling.projects.models import Move, Project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser


@pytest.fixture
def dan(browser: Callable[[], Browser]) -> Browser:
    return signed_in(browser, "dan")


@pytest.fixture
def project(rita: Browser, ben: Browser, dan: Browser, tmp_path: Path) -> dict[str, Any]:
    """Ben and Dan answer the first question alike; Dan goes on with the second one, and takes a move back."""
    found = made(rita, dataset(tmp_path), "ben", "dan", overlap=2)
    for who in (ben, dan):
        first = Labeller.at_next(who, found)
        first.move(kind="answers", topic="en.knight_rider", marked=["en.kitt"])
        who.post(f"{first.address}/submit")
    second = Labeller.at_next(dan, found)
    second.move(topic="en.knight_rider")
    second.send([second.drawn(undoes=1, topic=None)])
    second.send([second.drawn(undoes=2, topic="en.knight_rider")])
    second.send([second.drawn(undoes=3, topic=None)])
    return found


def log(who: Browser, project: dict[str, Any], status: int = 200, **asked: object) -> dict[str, Any]:
    reply: dict[str, Any] = who.get(f"/api/annotation/projects/{project['id']}/log?{urlencode(asked)}", status)
    return reply


def said(entry: dict[str, Any]) -> list[tuple[str | None, int, str]]:
    return [(each["who"], each["position"], each["said"]) for each in entry["entries"]]


def table(who: Browser, project: dict[str, Any], **asked: object) -> list[dict[str, str]]:
    response = who.client.get(f"/api/annotation/projects/{project['id']}/log/file?{urlencode(asked)}")
    assert response.status_code == 200, response.content
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


ANSWERED = "kind: derivation → answers alone; topic: Knight Rider; answers: + KITT"


def test_who_did_what_is_shown_the_newest_first(rita: Browser, project: dict[str, Any]) -> None:
    shown = log(rita, project)
    assert said(shown) == [
        ("Dan", 2, "took back: topic: Knight Rider"),
        ("Dan", 2, "brought back: topic: Knight Rider"),
        ("Dan", 2, "took back: topic: Knight Rider"),
        ("Dan", 2, "topic: Knight Rider"),
        (None, 1, "accepted: all labels say the same"),
        ("Dan", 1, "handed in"),
        ("Dan", 1, ANSWERED),
        ("Ben", 1, "handed in"),
        ("Ben", 1, ANSWERED),
    ]
    assert (shown["total"], shown["all"], shown["has_more"], shown["graph_fault"]) == (9, 9, False, "")
    assert {person["display_name"] for person in shown["people"]} == {"Ben", "Dan"}
    assert {entry["label_of"] for entry in shown["entries"]} == {None}
    part = log(rita, project, offset=4, limit=3)
    assert part["entries"] == shown["entries"][4:7]
    assert (part["total"], part["all"]) == (9, 9)


def test_what_reviewers_do_stands_beside_it(rita: Browser, project: dict[str, Any]) -> None:
    accepted = next(each for each in log(rita, project)["entries"] if each["kind"] == "accepted")
    tasks = rita.get(f"/api/annotation/projects/{project['id']}/adjudication?stand=accepted")["tasks"]
    task = tasks[0]["task"]
    body = {"accepted": 1, "comment": "=NOT(sure)"}
    rita.post(f"/api/annotation/tasks/{task}/adjudication/withdraw", body)
    labels = f"/api/annotation/projects/{project['id']}/tasks/{task}/labels"
    label = next(each for each in rita.get(labels)["labels"] if each["who"] == "Ben")
    rita.post(f"{labels}/{label['id']}/send-back", {"comment": "Who is it?"})
    draft = Labeller(rita, task)
    draft.move(note="mine")
    shown = log(rita, project, limit=3)
    assert said(shown) == [
        ("Rita", 1, "in the draft of what is accepted: note: “mine”"),
        ("Rita", 1, "sent the label back: “Who is it?”"),
        ("Rita", 1, "withdrew the accepted label: “=NOT(sure)”"),
    ]
    assert shown["entries"][1]["label_of"] == "Ben"
    assert accepted in log(rita, project)["entries"], "what was accepted once stays in the log"
    assert log(rita, project)["all"] == 9 - 1 + 3, "a label that was sent back is handed in no more"


def test_a_log_is_filtered(rita: Browser, project: dict[str, Any]) -> None:
    dan = User.objects.get(username="dan").pk
    assert {each[0] for each in said(log(rita, project, person=dan))} == {"Dan"}
    assert (log(rita, project, person=dan)["total"], log(rita, project, person=dan)["all"]) == (6, 9)
    assert log(rita, project, search="2")["total"] == 4
    assert log(rita, project, search="#2")["total"] == 4
    assert log(rita, project, search="created KNIGHT")["total"] == 4, "words of the question"
    assert log(rita, project, search="kitt")["total"] == 5, "its id"
    assert log(rita, project, search="9" * 40)["total"] == log(rita, project, search="nowhere")["total"] == 0
    assert [each["kind"] for each in log(rita, project, what="handed_in")["entries"]] == ["handed_in"] * 2
    assert log(rita, project, what="moves")["total"] == 6
    assert log(rita, project, what="marked")["total"] == 2
    assert log(rita, project, what="marked", person=dan, search="1")["total"] == 1
    assert log(rita, project, what="steps")["total"] == 0
    Move.objects.filter(fields="topic", number=1).update(at=datetime(2026, 3, 1, 12, tzinfo=UTC))
    assert said(log(rita, project, until="2026-04-01T00:00:00Z")) == [("Dan", 2, "topic: Knight Rider")]
    assert log(rita, project, since="2026-03-01T13:00:00+01:00", until="2026-03-01T13:00:01+01:00")["total"] == 1
    assert log(rita, project, since=(timezone.now() + timedelta(days=1)).isoformat())["total"] == 0
    wrong = ({"since": "2026-03-01T12:00:00"}, {"until": "0001-01-01T00:00:00+14:00"}, {"until": 0.5}, {"what": "all"})
    for asked in wrong:
        log(rita, project, 422, **asked)


def test_of_many_tasks_and_many_entries_it_is_the_same(
    rita: Browser, project: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = log(rita, project, search="who", what="topic")
    monkeypatch.setattr(entries, "_FEW", 1)
    assert log(rita, project, search="who", what="topic") == few
    assert log(rita, project, search="who")["total"] == 9
    monkeypatch.setattr("webapp.labelling.log.selectors.MAX_COUNTED", 3)
    monkeypatch.setattr(entries, "MAX_COUNTED", 3)
    shown = log(rita, project, search="who")
    assert (shown["total"], shown["has_more"], shown["all"]) == (3, True, 9)


def test_the_table_has_just_what_is_filtered(rita: Browser, project: dict[str, Any]) -> None:
    for asked in ({}, {"search": "2"}, {"what": "handed_in"}, {"person": User.objects.get(username="ben").pk}):
        rows, shown = table(rita, project, **asked), log(rita, project, **asked)["entries"]
        assert [(row["said"], int(row["task"]), row["at"][:23]) for row in rows] == [
            (each["said"], each["position"], each["at"][:23]) for each in shown
        ]
    assert {row["who"] for row in table(rita, project)} == {"ben", "dan", ""}
    rows = table(rita, project, people="pseudonyms")
    assert {row["who"][:10] for row in rows} == {"annotator ", ""}
    assert not any(name in str(rows).lower() for name in ("'ben'", "'dan'"))
    Move.objects.filter(number=1).update(was={"note": ""}, now={"rewording": "x"}, fields="rewording")
    assert table(rita, project, what="rewording")[0]["said"] == "rewording: “x”"


def test_a_question_that_a_spreadsheet_would_compute_is_neutralised(rita: Browser, project: dict[str, Any]) -> None:
    task = Move.objects.filter(fields="topic").first()
    assert task is not None
    question = task.assignment.task.question
    question.text = '=HYPERLINK("http://example.org")'
    question.save()
    assert table(rita, project, search="2")[0]["question"] == '\'=HYPERLINK("http://example.org")'


def test_entries_stay_where_people_are_erased(rita: Browser, project: dict[str, Any]) -> None:
    before = said(log(rita, project))
    User.objects.get(username="dan").delete()
    assert said(log(rita, project)) == [("" if who == "Dan" else who, *rest) for who, *rest in before]
    assert {row["who"] for row in table(rita, project)} == {"ben", ""}
    assert [person["display_name"] for person in log(rita, project)["people"]] == ["Ben"]


def test_without_its_graph_things_are_called_by_their_ids(rita: Browser, project: dict[str, Any]) -> None:
    Project.objects.update(graph_version="another")
    shown = log(rita, project, what="marked")
    assert shown["entries"][0]["said"] == "kind: derivation → answers alone; topic: en.knight_rider; answers: + en.kitt"
    assert "loaded again" in shown["graph_fault"]


def test_who_only_labels_is_refused(ben: Browser, project: dict[str, Any], browser: Callable[[], Browser]) -> None:
    assert log(ben, project, 403)["code"] == "project_reviewers_only"
    assert ben.get(f"/api/annotation/projects/{project['id']}/log/file", 403)["code"] == "project_reviewers_only"
    stranger = signed_in(browser, "zoe")
    assert log(stranger, project, 404)["code"] == "unknown_project"


FACT = {"subject": "en.kitt", "relation": "tv.tv_character.appeared_in", "object": '"1982"^^xsd:gYear'}


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ({"steps": [CAST]}, {"steps": [CAST, ACTOR]}, f"next relation: {ACTOR['relation']}"),
        (
            {"steps": [CAST, ACTOR]},
            {"steps": [CAST, CHARACTER]},
            f"relation: + {CHARACTER['relation']}, - {ACTOR['relation']}",
        ),
        ({"steps_ended": False}, {"steps_ended": True}, "nothing more leads on"),
        ({"conditions": []}, {"conditions": [IS_KITT]}, "next condition: place 3 = en.kitt"),
        (
            {"conditions": [IS_KITT]},
            {"conditions": []},
            "condition: - place 3 = en.kitt",
        ),
        ({"conditions_ended": True}, {"conditions_ended": False}, "a further condition"),
        ({"counted": False}, {"counted": True}, "answers counted"),
        ({"counted": True}, {"counted": False}, "answers not counted"),
        ({"answer": None}, {"answer": 0}, "answer node: 0"),
        ({"answer": 0}, {"answer": 2}, "answer node: 0 → 2"),
        ({"marked": ["a", "b"]}, {"marked": ["b", "a"]}, "answers: in another order"),
        ({"marked": []}, {"marked": [f"m.{n}" for n in range(12)]}, None),
        ({"facts": []}, {"facts": [FACT]}, "facts: + en.kitt ─ tv.tv_character.appeared_in → 1982"),
        (
            {"reports": []},
            {"reports": [{"says": "wrong", "fact": FACT, "note": "no"}]},
            "reported: + wrong: en.kitt ─ tv.tv_character.appeared_in → 1982 (“no”)",
        ),
        ({"missing": None}, {"missing": {"what": "fact", "note": ""}}, "missing here: fact"),
        ({"readings": []}, {"readings": [{}]}, "readings: 0 → 1"),
        ({"benchmark": None}, {"benchmark": "wrong"}, "benchmark: “wrong”"),
        ({"note": "a"}, {"note": ""}, "note: “a” → none"),
        ({"note": ""}, {"note": "x" * 400}, f"note: “{'x' * 300}…”"),
        ({"flagged": False}, {"flagged": True}, "flagged for others"),
    ],
)
def test_each_field_has_its_words(was: dict[str, Any], now: dict[str, Any], words: str | None) -> None:
    found = move_words(was, now, called_on(None, ()))
    assert found == words if words is not None else found.endswith("+ m.9, + 2 others"), found
