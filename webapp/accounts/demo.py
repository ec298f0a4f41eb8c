"""Accounts to try the site with: one for each role, and a second annotator, with whom to disagree."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from webapp.accounts.models import Role, User
from webapp.platform.environment import kept_secret, replace_secret

if TYPE_CHECKING:
    from pathlib import Path

_DEMO = (
    ("ada", "Ada", Role.ASKER),
    ("ben", "Ben", Role.ANNOTATOR),
    ("dan", "Dan", Role.ANNOTATOR),
    ("rosa", "Rosa", Role.REVIEWER),
    ("cleo", "Cleo", Role.ADMIN),
)


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """An account to try the site with."""

    username: str
    password: str
    role: str


def demo_accounts_ensure() -> list[DemoAccount]:
    """Make the demo accounts where they are missing; their passwords are drawn once and kept in the home folder.

    A home folder of an earlier version gets the accounts that it lacks, and keeps the others. An account that a person
    changed keeps its password in the database: the file only tells what was drawn. A name that the file does not hold
    but a person has is theirs, and not a demo account.
    """
    path = settings.ENVIRONMENT.home / "demo_accounts.json"
    if not path.exists():
        kept_secret(path, lambda: _written(_drawn([])))
    accounts = _read(path)
    missing = _drawn(accounts)
    if missing:
        accounts += missing
        replace_secret(path, _written(accounts))
    first_names = {name: first_name for name, first_name, _ in _DEMO}
    with transaction.atomic():
        for account in accounts:
            if not User.objects.filter(username=account.username).exists():
                User.objects.create_user(
                    username=account.username,
                    password=account.password,
                    first_name=first_names.get(account.username, ""),
                    role=account.role,
                )
    order = list(Role)
    return sorted(accounts, key=lambda account: order.index(Role(account.role)))


def _drawn(known: list[DemoAccount]) -> list[DemoAccount]:
    """The accounts that neither the file nor the database has."""
    taken = {account.username for account in known}
    return [
        DemoAccount(name, secrets.token_urlsafe(9), role)
        for name, _, role in _DEMO
        if name not in taken and not User.objects.filter(username=name).exists()
    ]


def _read(path: Path) -> list[DemoAccount]:
    return [DemoAccount(**account) for account in json.loads(path.read_text(encoding="utf-8"))]


def _written(accounts: list[DemoAccount]) -> str:
    return json.dumps([asdict(account) for account in accounts])
