"""Roles in a project: who labels, who sees all labels, who changes it; whatever the account is on the site."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.webapp.labelled import Labeller, changed, dataset, made, removed, signed_in
from webapp.accounts.models import AuditEntry, Role, User

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser

PEOPLE = ("ann", "rex", "max", "zoe")
"""All of them annotators on the site: Ann labels, Rex reviews, Max manages, Zoe left."""


@pytest.fixture
def people(browser: Callable[[], Browser]) -> dict[str, Browser]:
    return {name: signed_in(browser, name) for name in PEOPLE}


@pytest.fixture
def project(rita: Browser, people: dict[str, Browser], tmp_path: Path) -> dict[str, Any]:
    found = made(rita, dataset(tmp_path), "ann", "zoe")
    rita.post(members(found), {"name": "rex", "role": "reviewer", "labels": False}, status=201)
    rita.post(members(found), {"name": "max", "role": "manager", "labels": False}, status=201)
    removed(rita, members(found, "zoe"))
    return found


def members(project: dict[str, Any], name: str = "") -> str:
    address = f"/api/annotation/projects/{project['id']}/members"
    return f"{address}/{User.objects.get(username=name).pk}" if name else address


MAY: dict[tuple[str, str], set[str]] = {
    ("GET", ""): {"ann", "rex", "max", "zoe", "rita"},
    ("GET", "/guidelines"): {"ann", "rex", "max", "zoe", "rita"},
    ("POST", "/next"): {"ann"},
    ("GET", "/progress"): {"rex", "max", "rita"},
    ("GET", "/tasks"): {"rex", "max", "rita"},
    ("GET", "/export"): {"rex", "max", "rita"},
    ("GET", "/export/file"): {"rex", "max", "rita"},
    ("GET", "/export/overlay"): {"rex", "max", "rita"},
    ("GET", "/tasks/1/labels"): {"rex", "max", "rita"},
    ("POST", "/tasks/1/labels/1/send-back"): {"rex", "max", "rita"},
    ("PATCH", ""): {"max", "rita"},
    ("POST", "/guidelines"): {"max", "rita"},
    ("POST", "/members"): {"max", "rita"},
    ("PATCH", "/members/ann"): {"max", "rita"},
    ("DELETE", "/members/ann"): {"max", "rita"},
}
BODIES: dict[tuple[str, str], Any] = {
    ("PATCH", ""): {"title": "Another"},
    ("POST", "/guidelines"): {"text": "Label.", "changed": "All."},
    ("POST", "/tasks/1/labels/1/send-back"): {"comment": "?"},
    ("POST", "/members"): {"name": "nobody-at-all"},
    ("PATCH", "/members/ann"): {"role": "annotator"},
}


@pytest.mark.parametrize("who", [*PEOPLE, "rita"])
def test_each_role_may_what_the_table_says(
    project: dict[str, Any], people: dict[str, Browser], rita: Browser, who: str
) -> None:
    browser = {**people, "rita": rita}[who]
    wrong = []
    for (method, path), allowed in MAY.items():
        address = (
            members(project, "ann") if path.endswith("/ann") else f"/api/annotation/projects/{project['id']}{path}"
        )
        response = browser.client.generic(
            method,
            address,
            json.dumps(BODIES.get((method, path), {})),
            content_type="application/json",
            headers={"X-CSRFToken": browser.token},
        )
        if (response.status_code != 403) != (who in allowed):
            wrong.append(f"{method} {path}: {response.status_code}")
    assert wrong == []


def test_a_project_says_what_one_is_there_and_may(
    project: dict[str, Any], people: dict[str, Browser], rita: Browser
) -> None:
    fields = ("role", "may_label", "may_review", "may_manage")
    reply = {
        name: tuple(who.get(f"/api/annotation/projects/{project['id']}")[field] for field in fields)
        for name, who in {**people, "rita": rita}.items()
    }
    assert reply == {
        "ann": ("annotator", True, False, False),
        "rex": ("reviewer", False, True, False),
        "max": ("manager", False, True, True),
        "zoe": (None, False, False, False),
        "rita": ("manager", False, True, True),
    }
    assert not people["max"].get("/api/annotation/projects")["may_manage"], "other projects are made by others"
    assert [one["title"] for one in people["max"].get("/api/annotation/home")["projects"]] == ["Television"]


def test_who_makes_a_project_manages_it_also_where_their_account_may_not_any_more(
    project: dict[str, Any], rita: Browser
) -> None:
    User.objects.filter(username="rita").update(role=Role.ANNOTATOR)
    address = f"/api/annotation/projects/{project['id']}"
    assert changed(rita, address, {"title": "Mine"})["title"] == "Mine"
    rita.post(
        "/api/annotation/projects",
        {"title": "T", "questions": {"dataset": str(User.objects.count())}, "graph": "toy"},
        status=422,
    )


def test_managers_of_the_site_see_a_project_that_they_are_no_members_of(
    project: dict[str, Any], browser: Callable[[], Browser]
) -> None:
    cleo = signed_in(browser, "cleo", Role.ADMIN)
    seen = cleo.get(f"/api/annotation/projects/{project['id']}")
    assert (seen["role"], seen["may_manage"], seen["may_label"]) == (None, True, False)


def test_who_reviews_or_manages_labels_only_where_they_were_let(
    project: dict[str, Any], people: dict[str, Browser], rita: Browser
) -> None:
    rex, address = people["rex"], f"/api/annotation/projects/{project['id']}"
    assert rex.post(f"{address}/next", status=403)["code"] == "no_member"
    assert changed(rita, members(project, "rex"), {"labels": True})["labels"]
    at_work = Labeller.at_next(rex, project)
    assert rex.get(address)["mine"]["open"] == 1
    changed(rita, members(project, "rex"), {"labels": False})
    assert Labeller(rex, at_work.task["id"]).work["state"] == "open", "what was given stays theirs"
    shown = changed(rita, members(project, "rex"), {"role": "annotator"})
    assert (shown["role"], shown["labels"]) == ("annotator", True), "annotators label"


def test_who_makes_a_project_may_label_in_it(rita: Browser, tmp_path: Path) -> None:
    own = made(rita, dataset(tmp_path), "rita")
    assert (own["role"], own["may_label"]) == ("manager", True)
    Labeller.at_next(rita, own)


@pytest.mark.parametrize(
    ("wanted", "status", "code"),
    [
        ({"name": "ann"}, 409, "member_already"),
        ({"name": "nobody"}, 422, "unknown_person"),
        ({"name": "ada", "role": "reviewer"}, 422, "no_annotator"),
        ({"name": "zoe", "role": "owner"}, 422, "invalid_request"),
    ],
)
def test_a_member_that_cannot_be_added_is_refused_with_the_reason(
    project: dict[str, Any], rita: Browser, ada: User, wanted: dict[str, Any], status: int, code: str
) -> None:
    assert rita.post(members(project), wanted, status=status)["code"] == code


def test_nobody_is_changed_who_is_no_member(project: dict[str, Any], rita: Browser) -> None:
    assert changed(rita, members(project, "zoe"), {"role": "manager"}, 404)["code"] == "unknown_member"
    removed(rita, members(project, "zoe"), 404)


def test_changes_of_members_are_audited_with_what_was_and_is(project: dict[str, Any], rita: Browser) -> None:
    changed(rita, members(project, "ann"), {"role": "manager"})
    rita.post(members(project), {"name": "zoe"}, status=201)
    shown = list(AuditEntry.objects.order_by("pk").values_list("who", "what", "on", "before", "after"))
    assert shown == [
        ("rita", "project_made", "Television", "", ""),
        ("rita", "project_changed", "Television: rex", "", "reviewer"),
        ("rita", "project_changed", "Television: max", "", "manager"),
        ("rita", "project_changed", "Television: zoe", "annotator", "left"),
        ("rita", "project_changed", "Television: ann", "annotator", "manager, labels"),
        ("rita", "project_changed", "Television: zoe", "", "annotator"),
    ]


def test_who_reviews_sees_every_label_of_a_task(project: dict[str, Any], people: dict[str, Browser]) -> None:
    at_work = Labeller.at_next(people["ann"], project)
    at_work.label_kitt()
    at_work.move(note="the voice, not the driver", flagged=True)
    address = f"/api/annotation/projects/{project['id']}/tasks/{at_work.task['id']}/labels"
    assert people["rex"].get(address) == {"labels": [], "total": 0}, "a draft is visible only to its annotator"
    people["ann"].post(f"{at_work.address}/submit")
    reply = people["rex"].get(address)
    (label,) = reply["labels"]
    assert [each["label"] for each in label["answers"]] == ["William Daniels"]
    fields = ("who", "kind", "answers_total", "note", "flagged", "score")
    assert tuple(label[field] for field in fields) == (
        "Ann",
        "derivation",
        1,
        "the voice, not the driver",
        True,
        None,
    )
    assert "Knight Rider" in label["words"]
    assert "KITT" in label["words"]
    people["rex"].get(address.replace(str(at_work.task["id"]), "999999999"), 404)
