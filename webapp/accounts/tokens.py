"""Tokens that let scripts act for people."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from webapp.accounts.models import ApiToken
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webapp.accounts.models import User

PREFIX = "discern_"
"""So that people, and programs that look for leaked secrets, know what they see."""
MOST = 20
"""Maximum of valid tokens of one person."""
_USED_AGAIN = timedelta(minutes=1)
"""When a token was last used is written down no more often."""


def secret_digest(secret: str) -> str:
    """What is kept of a secret with 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def token_create(*, user: User, name: str, days: int) -> tuple[ApiToken, str]:
    """Make a token; the text returned with it is shown once.

    Raises:
        ProductError: the name is empty, or there are too many.

    """
    name = " ".join(name.split())
    if not name:
        raise ProductError(422, "token_name", "Give the token a name that says what uses it.")
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        if len(tokens_of(user)) >= MOST:
            raise ProductError(409, "too_many_tokens", f"You have {MOST} tokens. Revoke one that you do not need.")
        token = ApiToken.objects.create(
            user=user, name=name, digest=secret_digest(secret), expires_at=timezone.now() + timedelta(days=days)
        )
    return token, secret


def tokens_of(user: User) -> Sequence[ApiToken]:
    """The tokens of a person that were not revoked; those that expired are among them for a month."""
    month_ago = timezone.now() - timedelta(days=30)
    return list(user.api_tokens.filter(revoked_at__isnull=True, expires_at__gt=month_ago))


def token_revoke(*, user: User, token_id: int) -> None:
    """Revoke one of a person's tokens.

    Raises:
        ProductError: they have no such token.

    """
    if not user.api_tokens.filter(pk=token_id, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        raise ProductError(404, "unknown_token", "There is no such token; it may be revoked already.")


def tokens_revoke(*, user: User) -> int:
    """Revoke all of a person's tokens; return how many."""
    return user.api_tokens.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())


def token_owner(secret: str) -> User:
    """Whom a token speaks for.

    Raises:
        ProductError: it has no user: it is unknown, expired, revoked, or its owner's account is closed.

    """
    now = timezone.now()
    token = (
        ApiToken.objects.select_related("user")
        .filter(digest=secret_digest(secret), revoked_at__isnull=True, expires_at__gt=now, user__is_active=True)
        .first()
    )
    if token is None:
        message = "This token is not known, was revoked, or has expired. Make a new one on the page of your account."
        raise ProductError(401, "wrong_token", message)
    if token.used_at is None or token.used_at < now - _USED_AGAIN:
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)
    return token.user


def token_is_good(secret: str) -> bool:
    """Whether a token speaks for anybody."""
    try:
        token_owner(secret)
    except ProductError:
        return False
    return True
