"""Links that come by mail: one resets a password, the other creates an account."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core import mail
from django.test import Client
from django.utils import timezone
from pydantic import SecretStr

from tests.mail_sink import Sink
from tests.webapp.conftest import wait_until
from webapp.accounts.models import Invitation, Role, User
from webapp.celery import app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Worker

PASSWORD = "a long password"
NEW = "quite another password"
SITE = "https://discern.example.org"


def configured(settings: SettingsWrapper, url: str = "smtp://localhost") -> None:
    mailing = {"mail_url": SecretStr(url), "mail_from": "discern@example.org", "site_url": SITE}
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=mailing)


@pytest.fixture
def mails(settings: SettingsWrapper) -> Iterator[list[Any]]:
    """The mails that were sent, by tasks that run at once."""
    configured(settings)
    app.conf.task_always_eager = True
    yield mail.outbox
    app.conf.task_always_eager = False


@pytest.fixture
def ada(ada: User) -> User:
    ada.email = "ada@example.org"
    ada.save()
    return ada


def send(method: str, path: str, body: object = None, status: int = 200, client: Client | None = None) -> Any:
    response = (client or Client()).generic(method, path, json.dumps(body or {}), content_type="application/json")
    assert response.status_code == status, response.content
    return response.json() if response.content else None


def key_of(text: object, page: str) -> str:
    found = re.search(rf"^{SITE}/{page}#(\S+)$", str(text), re.MULTILINE)
    assert found, text
    return found[1]


def signs_in(password: str, client: Client | None = None) -> bool:
    body = json.dumps({"username": "ada", "password": password})
    return (client or Client()).post("/api/session", body, content_type="application/json").status_code == 200


def test_a_forgotten_password_is_set_anew_once(ada: User, mails: list[Any]) -> None:
    elsewhere = Client()
    assert signs_in(PASSWORD, elsewhere)
    send("POST", "/api/links/reset/mail", {"email": "ADA@example.org"}, status=202)
    (sent,) = mails
    assert (sent.to, sent.from_email) == (["ada@example.org"], "discern@example.org")
    key = key_of(sent.body, "reset")
    weak = send("POST", "/api/links/reset", {"key": key, "password": "short"}, status=422)
    assert weak["code"] == "weak_password"
    send("POST", "/api/links/reset", {"key": key, "password": NEW}, status=204)
    assert signs_in(NEW)
    assert not signs_in(PASSWORD)
    assert elsewhere.get("/api/session").json()["user"] is None
    again = send("POST", "/api/links/reset", {"key": key, "password": "one more password"}, status=410)
    assert again["code"] == "link_over"


def test_a_link_is_over_after_an_hour_and_for_nobody_else(
    ada: User, mails: list[Any], settings: SettingsWrapper
) -> None:
    send("POST", "/api/links/reset/mail", {"email": "ada@example.org"}, status=202)
    key = key_of(mails[0].body, "reset")
    ben = User.objects.create_user("ben", password=PASSWORD)
    _, _, token = key.partition(".")
    others = ("", "x", ".", "Mg.x", f"{ben.pk}.{token}", f"{key}x", "é.é", f"{'A' * 60}.{token}")
    for wrong in others:
        send("POST", "/api/links/reset", {"key": wrong, "password": NEW}, status=410)
    settings.PASSWORD_RESET_TIMEOUT = -1
    send("POST", "/api/links/reset", {"key": key, "password": NEW}, status=410)
    assert signs_in(PASSWORD)


def test_nobody_learns_who_has_an_account(ada: User, mails: list[Any]) -> None:
    closed = User.objects.create_user("closed", email="closed@example.org", is_active=False)
    for email in ("ada@example.org", "nobody@example.org", closed.email):
        assert send("POST", "/api/links/reset/mail", {"email": email}, status=202) is None
    assert [sent.to for sent in mails] == [["ada@example.org"]]


def test_mails_are_not_asked_for_without_end(ada: User, mails: list[Any]) -> None:
    def ask(email: str, address: str) -> int:
        client = Client(REMOTE_ADDR=address)
        return client.post("/api/links/reset/mail", {"email": email}, content_type="application/json").status_code

    assert [ask("ada@example.org", f"192.0.2.{number}") for number in range(5)] == [202, 202, 202, 429, 429]
    assert len(mails) == 3
    assert [ask("nobody@example.org", f"192.0.2.{number}") for number in range(5)] == [202, 202, 202, 429, 429]
    assert [ask(f"{number}@example.org", "198.51.100.1") for number in range(12)].count(429) == 2


def test_keys_are_not_guessed_without_end(ada: User) -> None:
    body = {"key": f"{ada.pk}.guess", "password": NEW}
    for _ in range(20):
        send("POST", "/api/links/reset", body, status=410)
    assert send("POST", "/api/links/reset", body, status=429)["code"] == "too_many_requests"


def test_a_site_without_mail_says_so(ada: User, cleo: Client) -> None:
    assert Client().get("/api/session").json()["ways_in"]["mail"] is False
    refused = send("POST", "/api/links/reset/mail", {"email": "ada@example.org"}, status=409)
    assert refused["code"] == "no_mail"
    invited = {"email": "new@example.org", "role": "asker"}
    assert send("POST", "/api/invitations", invited, 409, cleo)["code"] == "no_mail"


@pytest.fixture
def cleo() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("cleo", first_name="Cleo", password=PASSWORD, role=Role.ADMIN))
    return client


def invite(cleo: Client, mails: list[Any], role: str = "reviewer") -> str:
    send("POST", "/api/invitations", {"email": "new@example.org", "role": role}, 201, cleo)
    assert mails[-1].to == ["new@example.org"]
    assert "Cleo invites you" in mails[-1].body
    return key_of(mails[-1].body, "invitation")


def test_who_is_invited_makes_an_account_once(cleo: Client, mails: list[Any]) -> None:
    key = invite(cleo, mails)
    (listed,) = send("GET", "/api/invitations", client=cleo)
    assert (listed["email"], listed["role"], listed["inviter"]) == ("new@example.org", "reviewer", "Cleo")
    assert listed["mailed_at"] is not None
    assert send("POST", "/api/links/invitation", {"key": key}) == {"email": "new@example.org", "role": "reviewer"}

    account = {"key": key, "username": "nia", "name": "Nia", "password": NEW}
    for wrong, code in (({"username": "cleo"}, 409), ({"username": "a b"}, 422), ({"password": "nia"}, 422)):
        send("POST", "/api/links/invitation/accept", {**account, **wrong}, code)
    browser = Client()
    made = send("POST", "/api/links/invitation/accept", account, 201, browser)
    assert made["user"] == {"name": "Nia", "username": "nia", "role": "reviewer"}
    assert browser.get("/api/session").json()["user"]["username"] == "nia"
    assert User.objects.get(username="nia").email == "new@example.org"
    assert send("GET", "/api/invitations", client=cleo) == []
    again = {**account, "username": "mia"}
    assert send("POST", "/api/links/invitation/accept", again, 410)["code"] == "link_over"


def test_an_invitation_is_taken_back_or_expires(cleo: Client, mails: list[Any]) -> None:
    key = invite(cleo, mails)
    listed = send("GET", "/api/invitations", client=cleo)
    twice = {"email": "NEW@example.org", "role": "asker"}
    assert send("POST", "/api/invitations", twice, 409, cleo)["code"] == "invited_already"
    send("DELETE", f"/api/invitations/{listed[0]['id']}", None, 204, cleo)
    send("DELETE", f"/api/invitations/{listed[0]['id']}", None, 404, cleo)
    send("POST", "/api/links/invitation", {"key": key}, 410)
    late = invite(cleo, mails)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    send("POST", "/api/links/invitation", {"key": late}, 410)
    account = {"key": late, "username": "nia", "password": NEW}
    send("POST", "/api/links/invitation/accept", account, 410)
    assert not User.objects.filter(username="nia").exists()


def test_who_has_an_account_is_not_invited(cleo: Client, ada: User, mails: list[Any]) -> None:
    known = {"email": "Ada@Example.org", "role": "admin"}
    assert send("POST", "/api/invitations", known, 409, cleo)["code"] == "known_email"
    nonsense = {"email": "no address", "role": "asker"}
    assert send("POST", "/api/invitations", nonsense, 422, cleo)["code"] == "email"
    assert mails == []


def test_the_link_of_an_invitation_is_kept_nowhere(cleo: Client, mails: list[Any]) -> None:
    key = invite(cleo, mails)
    assert key not in str(list(Invitation.objects.values()))


@pytest.fixture
def sink() -> Iterator[Sink]:
    with Sink.started() as server:
        yield server


def test_a_worker_hands_mails_to_a_real_server_and_tries_again(
    ada: User, cleo: Client, sink: Sink, worker: Callable[..., Worker], settings: SettingsWrapper
) -> None:
    configured(settings, sink.url)
    sink.refuses = 1
    worker(DISCERN_MAIL_URL=sink.url, DISCERN_MAIL_FROM="discern@example.org", DISCERN_SITE_URL=SITE)
    send("POST", "/api/invitations", {"email": "new@example.org", "role": "asker"}, 201, cleo)
    wait_until(lambda: "did not take the mail" in send("GET", "/api/invitations", client=cleo)[0]["fault"], 60)
    send("POST", "/api/links/reset/mail", {"email": "ada@example.org"}, status=202)
    wait_until(lambda: len(sink.kept) == 2, 90)
    reset = next(kept for kept in sink.kept if "/reset#" in kept)
    assert "From: discern@example.org" in reset
    assert "To: ada@example.org" in reset
    _, _, token = key_of(reset, "reset").partition(".")
    assert default_token_generator.check_token(ada, token)
    wait_until(lambda: send("GET", "/api/invitations", client=cleo)[0]["mailed_at"] is not None)
    assert send("GET", "/api/invitations", client=cleo)[0]["fault"] == ""
