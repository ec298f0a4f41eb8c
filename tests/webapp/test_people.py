"""What administrators do with others' accounts, and the log of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.webapp.conftest import KITT
from webapp.accounts.models import AppendOnlyError, Audited, AuditEntry, Role, User
from webapp.accounts.tokens import token_create
from webapp.models.trainings.models import Training
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

PASSWORD = "a long password"


@pytest.fixture
def cleo() -> Client:
    client = Client(REMOTE_ADDR="192.0.2.9")
    client.force_login(User.objects.create_user("cleo", password=PASSWORD, role=Role.ADMIN))
    return client


def send(client: Client, method: str, path: str, body: object = None, status: int = 200) -> Any:
    response = client.generic(method, path, json.dumps(body or {}), content_type="application/json")
    assert response.status_code == status, response.content
    return response.json() if response.content else None


def log(cleo: Client) -> Sequence[tuple[str, ...]]:
    return [
        (each["who"], each["what"], each["on"], each["before"], each["after"], each["address"])
        for each in send(cleo, "GET", "/api/audit")
    ]


def test_a_role_is_changed_and_the_change_written_down(cleo: Client, ada: User) -> None:
    changed = send(cleo, "PATCH", f"/api/people/{ada.pk}", {"role": "reviewer"})
    assert changed["role"] == "reviewer"
    assert log(cleo) == [("cleo", "role_changed", "ada", "asker", "reviewer", "192.0.2.9")]
    send(cleo, "PATCH", f"/api/people/{ada.pk}", {"role": "reviewer"})
    assert len(log(cleo)) == 1
    made = Client()
    made.force_login(ada)
    assert send(made, "GET", "/api/people", status=403)["code"] == "staff_only"
    send(cleo, "PATCH", f"/api/people/{ada.pk}", {"role": "admin"})
    assert made.get("/admin/").status_code == 200
    send(made, "GET", "/api/people")


def test_the_last_administrator_stays(cleo: Client) -> None:
    me = User.objects.get(username="cleo").pk
    User.objects.create_user("away", role=Role.ADMIN, is_active=False)
    for change in ({"role": "asker"}, {"is_active": False}):
        assert send(cleo, "PATCH", f"/api/people/{me}", change, 409)["code"] == "last_admin"
    other = User.objects.create_user("dora", role=Role.ADMIN)
    send(cleo, "PATCH", f"/api/people/{other.pk}", {"role": "asker"})
    assert log(cleo) == [("cleo", "role_changed", "dora", "admin", "asker", "192.0.2.9")]


def test_a_closed_account_opens_nothing_until_it_is_opened_again(cleo: Client, ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    token_create(user=ada, name="nightly", days=1)
    closed = send(cleo, "PATCH", f"/api/people/{ada.pk}", {"is_active": False})
    assert (closed["is_active"], closed["sessions"], closed["tokens"]) == (False, 0, 0)
    assert browser.get("/api/session").json()["user"] is None
    signing_in = {"username": "ada", "password": PASSWORD}
    send(Client(), "POST", "/api/session", signing_in, 401)
    send(cleo, "PATCH", f"/api/people/{ada.pk}", {"is_active": True})
    send(Client(), "POST", "/api/session", signing_in)
    assert [entry[1] for entry in log(cleo)] == ["person_reactivated", "person_deactivated"]


def test_people_are_found_by_name_and_address(cleo: Client, ada: User) -> None:
    User.objects.create_user("ben", email="ben@lab.example.org", first_name="Benedict")
    assert [each["username"] for each in send(cleo, "GET", "/api/people")["people"]] == ["ada", "ben", "cleo"]
    assert [each["username"] for each in send(cleo, "GET", "/api/people?q=benedict lab")["people"]] == ["ben"]
    page = send(cleo, "GET", "/api/people?limit=1&offset=1")
    assert ([each["username"] for each in page["people"]], page["total"]) == (["ben"], 3)
    assert send(cleo, "PATCH", "/api/people/99999", {"role": "asker"}, 404)["code"] == "unknown_person"


def test_what_takes_the_sites_time_is_written_down(cleo: Client) -> None:
    started = send(cleo, "POST", "/api/evaluations", {"dataset": "sample"}, 201)
    send(cleo, "POST", f"/api/evaluations/{started['id']}/cancel")
    send(cleo, "POST", f"/api/evaluations/{started['id']}/cancel")
    send(cleo, "POST", f"/api/evaluations/{started['id']}/resume")
    training = Training.objects.create(
        name="mine",
        recipe="sample",
        status=Status.FAILED,
        enqueued_at=timezone.now(),
        finished_at=timezone.now(),
    )
    send(cleo, "POST", f"/api/scorers/trainings/{training.pk}/resume")
    send(cleo, "POST", f"/api/scorers/trainings/{training.pk}/cancel")
    assert [(what, on) for _, what, on, *_ in log(cleo)] == [
        ("training_cancelled", "mine"),
        ("training_resumed", "mine"),
        ("evaluation_resumed", started["id"]),
        ("evaluation_cancelled", started["id"]),
        ("evaluation_started", started["id"]),
    ]


def test_whose_run_an_administrator_stops_is_written_down(cleo: Client, ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    theirs, own = (send(client, "POST", "/api/runs", {"question": KITT}, 201)["id"] for client in (browser, cleo))
    for run in (theirs, own, theirs):
        assert send(cleo, "POST", f"/api/runs/{run}/cancel")["status"] == "cancelled"
    assert [entry[1:3] for entry in log(cleo)] == [("run_cancelled", theirs)]


def test_what_is_done_in_djangos_administration_is_written_down_without_any_password(cleo: Client) -> None:
    made = {
        "username": "rosa",
        "password1": "hunter2 and more",
        "password2": "hunter2 and more",
        "usable_password": "true",
    }
    assert cleo.post("/admin/accounts/user/add/", {**made, "role": "reviewer", "email": ""}).status_code == 302
    rosa = User.objects.get(username="rosa")
    assert rosa.role == Role.REVIEWER
    browser = Client()
    browser.force_login(rosa)
    passwords = {"password1": "hunter3 and more", "password2": "hunter3 and more", "usable_password": "true"}
    assert cleo.post(f"/admin/accounts/user/{rosa.pk}/password/", passwords).status_code == 302
    assert browser.get("/api/session").json()["user"] is None
    # The role of an account that is there is changed on the page of people alone.
    fields = {"username": "rosa", "first_name": "Rosa", "last_name": "", "email": "", "role": "admin"}
    assert cleo.post(f"/admin/accounts/user/{rosa.pk}/change/", fields).status_code == 302
    rosa.refresh_from_db()
    assert (rosa.first_name, rosa.role) == ("Rosa", Role.REVIEWER)
    others = [User.objects.create_user(name).pk for name in ("one", "two")]
    deleted = {"action": "delete_selected", "_selected_action": others, "post": "yes"}
    assert cleo.post("/admin/accounts/user/", deleted).status_code == 302
    shown = log(cleo)
    assert {(entry[1], entry[2]) for entry in shown} >= {
        ("person_deleted", "one"),
        ("person_deleted", "two"),
        ("admin_site", "user: rosa"),
    }
    assert all(entry[0] == "cleo" for entry in shown)
    assert "hunter" not in json.dumps(shown)


def test_the_log_is_only_appended_to(cleo: Client) -> None:
    entry = AuditEntry.objects.create(who="cleo", what=Audited.INVITED, on="new@example.org")
    entry.who = "somebody else"
    for change in (
        entry.save,
        entry.delete,
        lambda: AuditEntry.objects.update(who="x"),
        lambda: AuditEntry.objects.all().delete(),
    ):
        with pytest.raises(AppendOnlyError):
            change()
    assert AuditEntry.objects.get().who == "cleo"
    assert cleo.get(f"/admin/accounts/auditentry/{entry.pk}/change/").status_code == 200
    assert cleo.post(f"/admin/accounts/auditentry/{entry.pk}/change/", {"who": "x"}).status_code == 403
    assert cleo.post(f"/admin/accounts/auditentry/{entry.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_log_is_read_page_by_page(cleo: Client) -> None:
    for number in range(5):
        AuditEntry.objects.create(who="cleo", what=Audited.INVITED, on=f"{number}@example.org")
    first = send(cleo, "GET", "/api/audit?limit=2")
    assert [each["on"] for each in first] == ["4@example.org", "3@example.org"]
    rest = send(cleo, "GET", f"/api/audit?limit=9&before={first[-1]['id']}")
    assert [each["on"] for each in rest] == ["2@example.org", "1@example.org", "0@example.org"]
