"""What changes accounts."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.db import transaction

from webapp.accounts.models import Role, User
from webapp.environment import Rate, kept_secret
from webapp.errors import ProductError
from webapp.rate_limit import allowance_take

if TYPE_CHECKING:
    from django.http import HttpRequest

_DEMO = (("ada", "Ada", Role.ASKER), ("ben", "Ben", Role.ANNOTATOR), ("cleo", "Cleo", Role.ADMIN))


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """An account to try the site with."""

    username: str
    password: str
    role: str


_SIGN_IN_RATE = Rate("10/minute")


def session_open(*, request: HttpRequest, address: str, username: str, password: str) -> User:
    """Sign somebody in.

    Raises:
        ProductError: the name and the password do not go together, or there were too many tries.

    """
    allowance_take(
        what="sign_in",
        who=address,
        rate=_SIGN_IN_RATE,
        message="That were {count} tries within a {period}. Try again in {wait} seconds.",
    )
    user = authenticate(request, username=username, password=password)
    if not isinstance(user, User):
        raise ProductError(401, "wrong_password", "This name and this password do not go together.")
    login(request, user)
    return user


def session_close(*, request: HttpRequest) -> None:
    """Sign out."""
    logout(request)


def demo_accounts_ensure() -> list[DemoAccount]:
    """Make the demo accounts where they are missing; their passwords are drawn once and kept in the home folder.

    An account that somebody changed keeps its password in the database: the file only tells what was drawn.
    """
    path = settings.ENVIRONMENT.home / "demo_accounts.json"
    drawn = kept_secret(
        path,
        lambda: json.dumps([asdict(DemoAccount(name, secrets.token_urlsafe(9), role)) for name, _, role in _DEMO]),
    )
    accounts = [DemoAccount(**account) for account in json.loads(drawn)]
    with transaction.atomic():
        for account, (_, first_name, role) in zip(accounts, _DEMO, strict=True):
            if not User.objects.filter(username=account.username).exists():
                User.objects.create_user(
                    username=account.username,
                    password=account.password,
                    first_name=first_name,
                    role=role,
                    is_staff=role is Role.ADMIN,
                    is_superuser=role is Role.ADMIN,
                )
    return accounts
