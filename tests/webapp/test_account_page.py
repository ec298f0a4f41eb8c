"""What people see and change of their own account: password, sessions, tokens."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.tokens import default_token_generator
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from django.utils.http import urlsafe_base64_encode

from tests.webapp.conftest import KITT
from webapp.accounts.models import ApiToken, Role, SignedInSession, User
from webapp.accounts.sessions import address_shortened, browser_words
from webapp.accounts.tokens import token_create
from webapp.accounts.viewer import Viewer
from webapp.asgi import application
from webapp.asking.questions.services import question_ask
from webapp.asking.runs.models import Question
from webapp.asking.runs.worker import run_execute

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import SettingsWrapper

PASSWORD = "a long password"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)


class Place:
    """A browser in which a user is signed in."""

    def __init__(self, agent: str = FIREFOX, address: str = "192.0.2.17", password: str = PASSWORD) -> None:
        self.client = Client(REMOTE_ADDR=address, HTTP_USER_AGENT=agent)
        self.do("POST", "/api/session", {"username": "ada", "password": password})

    def do(self, method: str, path: str, body: object = None, status: int = 200) -> Any:
        response = self.client.generic(method, path, json.dumps(body or {}), content_type="application/json")
        assert response.status_code == status, response.content
        return response.json() if response.content else None

    @property
    def is_in(self) -> bool:
        return self.do("GET", "/api/session")["user"] is not None


def test_one_sees_where_one_is_signed_in(ada: User) -> None:
    first, second = Place(), Place(CHROME, "2001:db8:12:34::9")
    listed = second.do("GET", "/api/account/sessions")
    assert [(each["browser"], each["address"], each["is_this_one"]) for each in listed] == [
        ("Chrome on Windows", "2001:db8:12:…", True),
        ("Firefox on Linux", "192.0.2.…", False),
    ]
    assert "192.0.2.17" not in str(list(SignedInSession.objects.values()))
    assert first.is_in


def test_one_ends_a_session_elsewhere(ada: User) -> None:
    first, second = Place(), Place(CHROME)
    other = next(each for each in first.do("GET", "/api/account/sessions") if not each["is_this_one"])
    first.do("DELETE", f"/api/account/sessions/{other['id']}", status=204)
    assert not second.is_in
    assert first.is_in
    first.do("DELETE", f"/api/account/sessions/{other['id']}", status=404)


def test_one_ends_all_others_at_once(ada: User) -> None:
    here, *others = Place(), Place(), Place()
    assert here.do("DELETE", "/api/account/sessions") == {"ended": 2}
    assert here.is_in
    assert not any(other.is_in for other in others)
    assert len(here.do("GET", "/api/account/sessions")) == 1


def test_nobody_ends_the_session_of_somebody_else(ada: User) -> None:
    User.objects.create_user("ben", password=PASSWORD)
    place = Place()
    stranger = Client()
    stranger.login(username="ben", password=PASSWORD)
    theirs = ada.signed_in_sessions.get()
    assert stranger.delete(f"/api/account/sessions/{theirs.pk}").status_code == 404
    assert place.is_in


def test_signing_out_and_expiry_leave_no_session_in_the_list(ada: User) -> None:
    gone, expired, here = Place(), Place(), Place()
    gone.do("DELETE", "/api/session")
    key = expired.client.session.session_key
    Session.objects.filter(session_key=key).update(expire_date=timezone.now() - timedelta(days=1))
    assert [each["is_this_one"] for each in here.do("GET", "/api/account/sessions")] == [True]
    Place()
    assert ada.signed_in_sessions.count() == 2


def test_when_a_session_was_last_seen_is_kept_to_the_minute(ada: User) -> None:
    place = Place()
    hour_ago = timezone.now() - timedelta(hours=1)
    SignedInSession.objects.update(started_at=hour_ago, seen_at=hour_ago)
    place.do("GET", "/api/session")
    known = SignedInSession.objects.get()
    assert known.started_at == hour_ago
    assert known.seen_at > hour_ago


def test_another_password_ends_every_other_session(ada: User) -> None:
    here, other = Place(), Place()
    wrong = {"old": "guess", "new": "quite another password"}
    assert here.do("POST", "/api/account/password", wrong, status=401)["code"] == "wrong_password"
    for weak in ("ada", "8371950264"):
        body = {"old": PASSWORD, "new": weak}
        assert here.do("POST", "/api/account/password", body, status=422)["code"] == "weak_password"
    assert other.is_in
    assert here.do("POST", "/api/account/password", {**wrong, "old": PASSWORD}) == {"sessions": 1, "tokens": 0}
    assert here.is_in
    assert not other.is_in
    assert len(here.do("GET", "/api/account/sessions")) == 1
    assert Place(password="quite another password").is_in


def change_on_the_page(ada: User) -> None:
    body = {"old": PASSWORD, "new": "quite another password"}
    assert Place().do("POST", "/api/account/password", body) == {"sessions": 0, "tokens": 1}


def change_by_a_mailed_link(ada: User) -> None:
    place = Place()
    ada.refresh_from_db()
    key = f"{urlsafe_base64_encode(str(ada.pk).encode())}.{default_token_generator.make_token(ada)}"
    place.do("POST", "/api/links/reset", {"key": key, "password": "quite another password"}, status=204)


def change_in_the_administration(ada: User) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root", password=PASSWORD))
    passwords = {"password1": "quite another password", "password2": "quite another password"}
    assert client.post(f"/admin/accounts/user/{ada.pk}/password/", passwords).status_code == 302


def change_as_a_command_does(ada: User) -> None:
    ada.set_password("quite another password")
    ada.save()


@pytest.mark.parametrize(
    "change",
    [change_on_the_page, change_by_a_mailed_link, change_in_the_administration, change_as_a_command_does],
)
def test_another_password_ends_every_token(ada: User, change: Callable[[User], None]) -> None:
    _, secret = token_create(user=ada, name="stolen", days=1)
    change(ada)
    assert Place(password="quite another password").is_in
    assert Script(secret).ask(status=401)["code"] == "wrong_token"


def test_tokens_may_be_kept_when_the_password_changes(ada: User) -> None:
    _, secret = token_create(user=ada, name="nightly", days=1)
    body = {"old": PASSWORD, "new": "quite another password", "keep_tokens": True}
    assert Place().do("POST", "/api/account/password", body) == {"sessions": 0, "tokens": 0}
    Script(secret).ask()


def test_the_old_password_is_not_guessed_in_an_open_session_without_end(ada: User) -> None:
    here = Place()
    body = {"old": "guess", "new": "quite another password"}
    for _ in range(10):
        here.do("POST", "/api/account/password", body, status=401)
    here.do("POST", "/api/account/password", {**body, "old": PASSWORD}, status=429)


def test_one_is_called_what_one_likes(ada: User) -> None:
    here = Place()
    assert here.do("PATCH", "/api/account", {"name": "  Ada   Lovelace "})["name"] == "Ada Lovelace"
    assert here.do("GET", "/api/session")["user"]["name"] == "Ada Lovelace"
    assert here.do("PATCH", "/api/account", {"name": " "}, status=422)["code"] == "empty_name"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (CHROME, "Chrome on Windows"),
        (CHROME + " Edg/140.0", "Edge on Windows"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1",
            "Safari on an iPhone",
        ),
        ("python-requests/2.34", "python-requests"),
        ("", "an unknown browser"),
        ("<script>alert(1)</script>", "an unknown browser"),
    ],
)
def test_a_browser_is_reported_in_plain_words(agent: str, words: str) -> None:
    assert browser_words(agent) == words


@pytest.mark.parametrize(
    ("address", "shortened"),
    [("192.0.2.17", "192.0.2.…"), ("2001:db8:12:34::9", "2001:db8:12:…"), ("::1", ":…"), ("unix", "")],
)
def test_an_address_is_shortened(address: str, shortened: str) -> None:
    assert address_shortened(address) == shortened


# --- Tokens


class Script:
    """A program that holds a token."""

    def __init__(self, secret: str) -> None:
        self.client = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {secret}"})

    def ask(self, status: int = 201) -> Any:
        response = self.client.post("/api/runs", {"question": KITT}, content_type="application/json")
        assert response.status_code == status, response.content
        return response.json()


def test_a_script_asks_by_a_token_that_is_shown_once(ada: User) -> None:
    place = Place()
    made = place.do("POST", "/api/account/tokens", {"name": "nightly", "password": PASSWORD}, status=201)
    assert made["token"].startswith("discern_")
    (listed,) = place.do("GET", "/api/account/tokens")
    assert listed == {key: value for key, value in made.items() if key != "token"}
    assert made["token"] not in str(list(ApiToken.objects.values()))
    assert listed["used_at"] is None
    run = Script(made["token"]).ask()
    assert Question.objects.get().asker == ada
    assert Script(made["token"]).client.get("/api/runs").json()[0]["id"] == run["id"]
    assert place.do("GET", "/api/account/tokens")[0]["used_at"] is not None


def test_a_token_is_made_by_who_knows_the_password_and_guesses_are_counted(ada: User) -> None:
    place = Place()
    for body in ({"name": "stolen"}, {"name": "stolen", "password": "guess"}):
        assert place.do("POST", "/api/account/tokens", body, status=401)["code"] == "wrong_password"
    for _ in range(8):
        place.do("POST", "/api/account/tokens", {"name": "stolen", "password": "guess"}, status=401)
    place.do("POST", "/api/account/tokens", {"name": "stolen", "password": PASSWORD}, status=429)
    assert not ApiToken.objects.exists()


def test_an_account_that_signs_in_elsewhere_makes_a_token_without_a_password(ada: User) -> None:
    ada.set_unusable_password()
    ada.save()
    client = Client()
    client.force_login(ada)
    made = client.post("/api/account/tokens", {"name": "nightly"}, content_type="application/json")
    assert made.status_code == 201


@pytest.mark.parametrize("end", ["revoked", "expired", "closed", "unknown", "empty"])
def test_a_token_that_is_over_opens_nothing_and_is_no_visitor_either(ada: User, end: str) -> None:
    place = Place()
    token, secret = token_create(user=ada, name="nightly", days=1)
    match end:
        case "revoked":
            place.do("DELETE", f"/api/account/tokens/{token.pk}", status=204)
            assert place.do("GET", "/api/account/tokens") == []
        case "expired":
            ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        case "closed":
            User.objects.update(is_active=False)
        case "unknown":
            secret += "x"
        case _:
            secret = "discern_"
    assert Script(secret).ask(status=401)["code"] == "wrong_token"
    assert Script(secret).client.get("/api/graphs").status_code == 401


def test_a_token_is_never_mixed_with_a_cookie(ada: User) -> None:
    ben = User.objects.create_user("ben", password=PASSWORD)
    client = Client(
        enforce_csrf_checks=True, headers={"Authorization": f"Bearer {token_create(user=ben, name='b', days=1)[1]}"}
    )
    client.force_login(ada)
    assert client.get("/api/session").json()["user"]["username"] == "ben"
    asked = client.post("/api/runs", {"question": KITT}, content_type="application/json")
    assert asked.status_code == 201
    assert Question.objects.get().asker == ben


def test_another_kind_of_authorization_leaves_a_visitor_a_visitor() -> None:
    response = Client(headers={"Authorization": "Basic YWRhOnB3"}).get("/api/session")
    assert response.json()["user"] is None


def test_a_script_is_throttled_as_its_owner(ada: User, settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"user_rate": "2/hour"})
    script, other = (Script(token_create(user=ada, name=name, days=1)[1]) for name in ("one", "two"))
    script.ask()
    Place().do("POST", "/api/runs", {"question": KITT}, status=201)
    assert other.ask(status=429)["code"] == "too_many_requests"


def test_one_has_no_more_tokens_than_one_can_oversee(ada: User) -> None:
    place = Place()
    for number in range(20):
        token_create(user=ada, name=f"script {number}", days=1)
    body = {"name": "x", "password": PASSWORD}
    assert place.do("POST", "/api/account/tokens", body, status=409)["code"] == "too_many_tokens"
    assert place.do("POST", "/api/account/tokens", {"name": "x", "days": 400}, status=422)["code"] == "invalid_request"


def _socket(path: str, *headers: tuple[bytes, bytes]) -> WebsocketCommunicator:
    return WebsocketCommunicator(application, path, headers=[(b"host", b"localhost"), *headers])


async def _first(communicator: WebsocketCommunicator) -> Any:
    assert (await communicator.connect())[0]
    output = await communicator.receive_output(timeout=10)
    await communicator.disconnect()
    return output


async def test_a_script_follows_a_run_by_a_token(ada: User) -> None:
    def made() -> tuple[str, str, str]:
        run = question_ask(text=KITT, viewer=Viewer(ada, None, "127.0.0.1"))
        run_execute(run.pk)
        secret = token_create(user=ada, name="follows", days=1)[1]
        return f"/ws/runs/{run.pk}/", secret, f"{secret}x"

    path, secret, wrong = await sync_to_async(made)()
    assert (await _first(_socket(path, (b"authorization", f"Bearer {secret}".encode()))))["type"] == "websocket.send"
    assert (await _first(_socket(path, (b"authorization", f"Bearer {wrong}".encode()))))["code"] == 4401
    assert (await _first(_socket(path)))["code"] == 4403
    # A page of another site cannot use a token that it may have got hold of.
    foreign = (b"origin", b"https://evil.example")
    assert (await _first(_socket(path, foreign, (b"authorization", f"Bearer {secret}".encode()))))["code"] == 4403


def test_an_administrator_sees_no_token_of_others_but_revokes_them(ada: User) -> None:
    secret = token_create(user=ada, name="nightly", days=1)[1]
    place = Place()
    admin = Client()
    admin.force_login(User.objects.create_user("cleo", password=PASSWORD, role=Role.ADMIN))
    (person,) = admin.get("/api/people?q=ada").json()["people"]
    assert (person["sessions"], person["tokens"]) == (1, 1)
    assert admin.delete(f"/api/people/{person['id']}/tokens").json() == {"ended": 1}
    assert admin.delete(f"/api/people/{person['id']}/sessions").json() == {"ended": 1}
    Script(secret).ask(status=401)
    assert not place.is_in
