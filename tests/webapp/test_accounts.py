"""Roles, demo accounts, and what becomes of the accounts of an earlier version."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from webapp.accounts.demo import demo_accounts_ensure
from webapp.accounts.models import Role, User

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO = settings.ENVIRONMENT.home / "demo_accounts.json"


@pytest.fixture
def no_demo_file() -> Iterator[None]:
    DEMO.unlink(missing_ok=True)
    yield
    DEMO.unlink(missing_ok=True)


def test_the_role_decides_and_djangos_flags_follow() -> None:
    person = User.objects.create_user("mona", password="a long password", is_staff=True)
    assert (person.role, person.is_staff, person.is_superuser) == (Role.ASKER, False, False)
    person.role = Role.ADMIN
    person.save(update_fields=["role"])
    person.refresh_from_db()
    assert (person.is_staff, person.is_superuser) == (True, True)
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.update(role=Role.REVIEWER)


def test_who_is_made_at_the_terminal_is_an_administrator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long password")
    call_command("createsuperuser", "--noinput", "--username", "root", "--email", "root@example.org", verbosity=0)
    assert User.objects.get().role == Role.ADMIN


def test_a_weak_password_is_refused_at_the_terminal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "8371950264")
    with pytest.raises(CommandError, match="entirely numeric"):
        call_command("createsuperuser", "--noinput", "--username", "root", "--email", "root@example.org", verbosity=0)
    assert not User.objects.exists()


@pytest.mark.usefixtures("no_demo_file")
def test_there_is_a_demo_account_for_every_role_and_a_second_annotator() -> None:
    accounts = demo_accounts_ensure()
    assert [account.role for account in accounts] == ["asker", "annotator", "annotator", "reviewer", "admin"]
    for account in accounts:
        assert Client().login(username=account.username, password=account.password)
        assert User.objects.get(username=account.username).role == account.role
    assert demo_accounts_ensure() == accounts
    assert DEMO.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("no_demo_file")
def test_a_home_folder_of_before_keeps_its_demo_accounts_and_gets_the_new_ones() -> None:
    before = [
        {"username": "ada", "password": "drawn-for-ada", "role": "asker"},
        {"username": "ben", "password": "drawn-for-ben", "role": "annotator"},
        {"username": "cleo", "password": "drawn-for-cleo", "role": "admin"},
    ]
    DEMO.write_text(json.dumps(before))
    accounts = demo_accounts_ensure()
    assert [account.username for account in accounts] == ["ada", "ben", "dan", "rosa", "cleo"]
    kept = json.loads(DEMO.read_text())
    assert all(account in kept for account in before)
    assert len(kept) == 5
    assert Client().login(username="cleo", password="drawn-for-cleo")
    assert DEMO.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("no_demo_file")
def test_somebody_who_has_the_name_of_a_demo_account_keeps_it() -> None:
    User.objects.create_user("rosa", password="a password of her own", role=Role.ASKER)
    assert "rosa" not in {account.username for account in demo_accounts_ensure()}
    assert Client().login(username="rosa", password="a password of her own")


def test_accounts_and_sessions_of_an_earlier_version_stay() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate([("accounts", "0001_initial")])
    try:
        users = executor.loader.project_state(("accounts", "0001_initial")).apps.get_model("accounts", "User").objects
        for name, fields in {
            "made-at-the-terminal": {"is_staff": True, "is_superuser": True},
            "called-admin": {"role": "admin"},
            "plain": {"role": "annotator"},
        }.items():
            users.create(username=name, password="!", **fields)
        store = _session_of(users.get(username="plain").pk)
    finally:
        executor = MigrationExecutor(connection)
        # The squashed migration is replaced by its parts again, of which some are left to be applied.
        executor.migrate(executor.loader.graph.leaf_nodes())
    roles = dict(User.objects.values_list("username", "role"))
    assert roles == {"made-at-the-terminal": "admin", "called-admin": "admin", "plain": "annotator"}
    assert set(User.objects.filter(role="admin").values_list("is_staff", "is_superuser")) == {(True, True)}
    assert User.objects.get(username="plain").signed_in_sessions.get().session_key == store
    assert Session.objects.filter(session_key=store).exists()


def _session_of(user: int) -> str:
    from django.contrib.sessions.backends.db import SessionStore  # noqa: PLC0415 - only here

    store = SessionStore()
    store["_auth_user_id"] = str(user)
    store.create()
    store.save()
    assert store.session_key is not None
    return store.session_key
