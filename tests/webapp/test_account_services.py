"""Signing in, and changes to one's own account, as the services promise them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import RequestFactory

from webapp.accounts.models import SignedInSession, User
from webapp.accounts.services import (
    Ended,
    name_change,
    password_change,
    password_check,
    password_fit,
    password_set,
    session_close,
    session_open,
)
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from django.http import HttpRequest

PASSWORD = "a long password"
WRONG = "guess"
OTHER = "quite another password"
TRIES = 10
HERE, THERE = "192.0.2.17", "198.51.100.4"


def request(address: str = HERE) -> HttpRequest:
    made = RequestFactory().post("/", REMOTE_ADDR=address)
    made.session = SessionStore()
    made.user = AnonymousUser()
    return made


def check(username: str = "ada", password: str = PASSWORD, address: str = HERE) -> User:
    return password_check(request=request(address), username=username, password=password)


def refused(username: str = "ada", password: str = WRONG, address: str = HERE) -> ProductError:
    with pytest.raises(ProductError) as raised:
        check(username, password, address)
    return raised.value


def test_signing_in_begins_a_session_and_signing_out_ends_it(ada: User) -> None:
    here = request()
    assert session_open(request=here, username="ada", password=PASSWORD) == ada
    assert get_user(here) == ada
    assert SignedInSession.objects.get().session_key == here.session.session_key
    session_close(request=here)
    assert not get_user(here).is_authenticated
    assert not SignedInSession.objects.exists()


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(("username", "password"), [("ada", WRONG), ("nobody", PASSWORD), ("ada", "")])
def test_a_wrong_password_and_a_name_that_nobody_has_are_reported_alike(username: str, password: str) -> None:
    error = refused(username, password)
    assert (error.status, error.code) == (401, "wrong_password")
    assert error.message == "Wrong user name or password."


@pytest.mark.usefixtures("ada")
def test_wrong_passwords_are_counted_by_network_whatever_the_names() -> None:
    codes = [refused(f"name{number}").code for number in range(TRIES + 1)]
    assert codes == ["wrong_password"] * TRIES + ["too_many_requests"]
    error = refused(password=PASSWORD)
    assert error.status == 429
    wait = error.extra["wait_seconds"]
    assert 50 < wait <= 60
    assert error.message == f"That were too many wrong passwords. Try again in {wait} seconds."
    assert check(address=THERE)


@pytest.mark.usefixtures("ada")
def test_addresses_of_one_ipv6_network_are_counted_together() -> None:
    codes = [refused(f"name{n}", address=f"2001:db8::{n}").code for n in range(TRIES + 1)]
    assert codes[-1] == "too_many_requests"
    assert check(address="2001:db8:0:1::1")


@pytest.mark.usefixtures("ada")
def test_wrong_passwords_are_counted_by_name_wherever_they_come_from_and_however_it_is_written() -> None:
    names = ["ada", "ADA", "Ada", "\uff41da"]
    codes = [refused(names[n % 4], address=f"203.0.113.{n}").code for n in range(TRIES + 1)]
    assert codes == ["wrong_password"] * TRIES + ["too_many_requests"]
    error = refused(password=PASSWORD, address=THERE)
    assert error.message == "That were too many wrong passwords. Try again in 60 minutes."
    assert refused("ben", address=THERE).code == "wrong_password"


@pytest.mark.usefixtures("ada")
def test_strangers_who_guess_lock_nobody_out_of_their_own_place() -> None:
    check()
    for number in range(TRIES + 1):
        refused(address=f"203.0.113.{number}")
    assert check()
    assert refused(password=PASSWORD, address=THERE).code == "too_many_requests"
    # There they have as many tries as anybody.
    codes = [refused().code for _ in range(TRIES + 1)]
    assert codes == ["wrong_password"] * TRIES + ["too_many_requests"]


@pytest.mark.usefixtures("ada")
def test_where_one_signed_in_is_remembered_for_a_quarter_of_a_year() -> None:
    check()
    client = cache._cache.get_client()
    lasting = [client.ttl(key) for key in client.keys("*")]
    quarter = 90 * 24 * 3600
    assert [quarter - 60 < seconds <= quarter for seconds in lasting].count(True) == 1
    assert -1 not in lasting


@pytest.mark.usefixtures("ada")
def test_right_passwords_do_not_count() -> None:
    for _ in range(2 * TRIES):
        check()
    for _ in range(TRIES):
        assert refused().code == "wrong_password"


def test_an_account_that_is_closed_signs_nobody_in(ada: User) -> None:
    User.objects.update(is_active=False)
    assert refused(password=PASSWORD).code == "wrong_password"
    assert ada.check_password(PASSWORD)


@pytest.mark.parametrize(
    ("typed", "kept"), [("Ada", "Ada"), ("  Ada \t Lovelace\n", "Ada Lovelace"), ("x" * 200, "x" * 150)]
)
def test_a_name_is_kept_as_one_line_of_at_most_150_characters(ada: User, typed: str, kept: str) -> None:
    User.objects.filter(pk=ada.pk).update(last_name="Byron")
    ada.email = "not@saved.example"
    name_change(user=ada, name=typed)
    ada.refresh_from_db()
    assert (ada.first_name, ada.last_name, ada.email) == (kept, "", "")
    assert ada.display_name == kept


def test_an_empty_name_is_refused(ada: User) -> None:
    with pytest.raises(ProductError) as raised:
        name_change(user=ada, name=" \t ")
    assert (raised.value.status, raised.value.code, raised.value.message) == (
        422,
        "empty_name",
        "Type a name first.",
    )


def test_another_password_ends_every_other_session_and_keeps_this_one(ada: User) -> None:
    here, others = request(), [request() for _ in range(2)]
    for each in (here, *others):
        session_open(request=each, username="ada", password=PASSWORD)
    before = here.session.session_key
    assert password_change(request=here, user=ada, old=PASSWORD, new=OTHER, keep_tokens=False) == Ended(2, 0)
    assert here.session.session_key != before
    known = SignedInSession.objects.get()
    assert known.session_key == here.session.session_key
    assert [each.session_key for each in Session.objects.all()] == [known.session_key]
    again = request()
    again.session = SessionStore(known.session_key)
    assert get_user(again) == ada
    assert check(password=OTHER) == ada
    assert refused(password=PASSWORD).code == "wrong_password"


def test_the_old_password_is_asked_for_and_wrong_ones_are_counted(ada: User) -> None:
    for code in ["wrong_password"] * TRIES + ["too_many_requests"]:
        with pytest.raises(ProductError) as raised:
            password_change(request=request(), user=ada, old=WRONG, new=OTHER, keep_tokens=False)
        assert raised.value.code == code
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_who_signs_in_elsewhere_has_no_password_to_change(ada: User) -> None:
    ada.set_unusable_password()
    ada.save()
    with pytest.raises(ProductError) as raised:
        password_change(request=request(), user=ada, old=PASSWORD, new=OTHER, keep_tokens=False)
    assert (raised.value.status, raised.value.code) == (409, "no_password")
    assert raised.value.message == (
        "This account has no password; it signs in elsewhere. An administrator can mail a link that sets one."
    )


def test_a_password_is_set_and_nothing_else(ada: User) -> None:
    ada.first_name = "not saved"
    password_set(user=ada, password=OTHER)
    ada.refresh_from_db()
    assert ada.check_password(OTHER)
    assert ada.first_name == "Ada"


@pytest.mark.parametrize(
    ("password", "said"),
    [
        (
            "1234567",
            (
                "This password is too short. It must contain at least 8 characters. "
                "This password is too common. This password is entirely numeric."
            ),
        ),
        ("8371950264", "This password is entirely numeric."),
        ("ada.byron.1815", "The password is too similar to the username."),
    ],
)
def test_a_password_that_will_not_do_is_refused_with_all_reasons(password: str, said: str) -> None:
    person = User.objects.create_user("ada.byron", password=PASSWORD)
    with pytest.raises(ProductError) as raised:
        password_fit(password, person)
    assert (raised.value.status, raised.value.code, raised.value.message) == (422, "weak_password", said)
    with pytest.raises(ProductError, match=re.escape(said)):
        password_set(user=person, password=password)
    person.refresh_from_db()
    assert person.check_password(PASSWORD)
    password_fit(OTHER, person)
