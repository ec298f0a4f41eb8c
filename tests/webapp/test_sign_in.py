from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from django.core.cache import cache
from django.test import Client

from webapp.accounts.models import Role, User

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpResponse
    from pytest_django.fixtures import SettingsWrapper

RIGHT = "a long password"
TRIES = 10
"""Number of wrong passwords that are too many, by one address or for one name."""


class Door:
    """One of the two ways in: the site's own form, or that of the administration."""

    def __init__(self, path: str) -> None:
        self.path = path

    def knock(self, username: str, password: str, address: str = "192.0.2.1") -> str:
        """What becomes of a try: ``in``, ``wrong``, or the sentence of a refusal."""
        client = Client(REMOTE_ADDR=address)
        body = {"username": username, "password": password}
        if self.path == "/admin/login/":
            response = client.post(self.path, body)
        else:
            response = client.post(self.path, body, content_type="application/json")
        if "_auth_user_id" in client.session:
            return "in"
        shown = self._told(response)
        return "wrong" if "Wrong user name or password" in shown else shown

    def _told(self, response: HttpResponse) -> str:
        if self.path != "/admin/login/":
            return str(response.json()["message"])  # type: ignore[attr-defined]
        found = re.search(r'errornote">(.*?)</p>', response.content.decode(), re.DOTALL)
        return found[1].strip() if found else ""


@pytest.fixture(params=["/api/session", "/admin/login/"])
def door(request: pytest.FixtureRequest) -> Door:
    return Door(request.param)


@pytest.fixture(autouse=True)
def cleo() -> User:
    return User.objects.create_user("cleo", password=RIGHT, role=Role.ADMIN, is_staff=True, is_superuser=True)


def waits(messages_to: str) -> bool:
    return re.search(r"Try again in \d+ (seconds|minutes)", messages_to) is not None


def test_one_address_may_not_guess_without_end(door: Door) -> None:
    lines = [door.knock(f"name{number}", "guess") for number in range(TRIES + 1)]
    assert lines[:TRIES] == ["wrong"] * TRIES
    assert waits(lines[TRIES])
    assert waits(door.knock("cleo", RIGHT))
    assert door.knock("cleo", RIGHT, "192.0.2.2") == "in"


def test_one_account_may_not_be_guessed_from_many_addresses(door: Door) -> None:
    lines = [door.knock("cleo", "guess", f"198.51.100.{number}") for number in range(TRIES + 1)]
    assert lines[:TRIES] == ["wrong"] * TRIES
    assert waits(lines[TRIES])


def test_a_name_that_nobody_has_is_refused_in_the_same_words(door: Door) -> None:
    def messages_to(username: str) -> list[str]:
        cache.clear()
        answers = [door.knock(username, "guess", f"198.51.100.{number}") for number in range(TRIES + 2)]
        return [re.sub(r"\d+", "N", answer) for answer in answers]

    assert messages_to("cleo") == messages_to("nobody-has-this-name")


def test_guessing_locks_nobody_out_of_where_they_signed_in_before(door: Door) -> None:
    assert door.knock("cleo", RIGHT, "192.0.2.7") == "in"
    for number in range(TRIES + 5):
        door.knock("cleo", "guess", f"198.51.100.{number}")
    assert waits(door.knock("cleo", RIGHT, "203.0.113.5"))
    assert door.knock("cleo", RIGHT, "192.0.2.7") == "in"


def test_who_knows_the_password_is_not_counted(door: Door) -> None:
    assert [door.knock("cleo", RIGHT) for _ in range(TRIES + 2)] == ["in"] * (TRIES + 2)


def test_both_ways_in_count_together() -> None:
    site, administration = Door("/api/session"), Door("/admin/login/")
    for number in range(TRIES):
        (site, administration)[number % 2].knock("cleo", "guess", f"198.51.100.{number}")
    assert waits(site.knock("cleo", "guess", "203.0.113.5"))
    assert waits(administration.knock("cleo", "guess", "203.0.113.6"))


def test_neighbours_of_one_ipv6_network_are_one_address(door: Door) -> None:
    for number in range(TRIES):
        door.knock(f"name{number}", "guess", f"2001:db8:0:1::{number:x}")
    assert waits(door.knock("cleo", "guess", "2001:db8:0:1:ffff::1"))
    assert door.knock("cleo", "guess", "2001:db8:0:2::1") == "wrong"


def test_behind_a_proxy_the_address_that_it_saw_is_counted(door: Door, settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"proxies": 1})

    def knock(forwarded: str) -> Any:
        client = Client(REMOTE_ADDR="127.0.0.1", headers={"X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"})
        body = {"username": f"name{forwarded[-1]}", "password": "guess"}
        kind = {} if door.path == "/admin/login/" else {"content_type": "application/json"}
        return client.post(door.path, body, **kind)

    for number in range(TRIES):
        knock(f"203.0.113.{number}, 192.0.2.1")
    assert b"Try again in" in knock("203.0.113.99, 192.0.2.1").content
    assert b"Try again in" not in knock("203.0.113.99, 192.0.2.2").content


def test_only_administrators_come_into_the_administration() -> None:
    User.objects.create_user("rosa", password=RIGHT, role=Role.REVIEWER)
    client = Client()
    reply = client.post("/admin/login/", {"username": "rosa", "password": RIGHT})
    assert "_auth_user_id" not in client.session
    assert "Wrong user name or password.</p>" in reply.content.decode().replace("\n", "").replace(" </p>", "</p>")


def test_the_api_says_how_long_to_wait_and_asks_for_the_token(browser: Callable[[], Any]) -> None:
    visitor = browser()
    for _ in range(TRIES):
        visitor.post("/api/session", {"username": "cleo", "password": "guess"}, status=401)
    refused = visitor.post("/api/session", {"username": "cleo", "password": RIGHT}, status=429)
    assert refused["code"] == "too_many_requests"
    assert 0 < refused["extra"]["wait_seconds"] <= 3600
    assert Client(enforce_csrf_checks=True).post("/admin/login/", {}).status_code == 403


def test_a_page_whose_session_has_ended_is_shown_so_and_nothing_is_done_for_another() -> None:
    client = Client()
    assert client.login(username="cleo", password=RIGHT)
    shown = {"X-Discern-Account": "cleo"}
    assert client.get("/api/runs?mine=true", headers=shown).status_code == 200
    other = {"X-Discern-Account": "somebody"}
    for refused in (client.get("/api/runs?mine=true", headers=other), Client().get("/api/scorers", headers=shown)):
        assert (refused.status_code, refused.json()["code"]) == (401, "session_ended")
