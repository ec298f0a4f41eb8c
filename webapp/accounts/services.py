"""Signing in and out, and changes to one's own account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.password_validation import validate_password
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from webapp.accounts.models import User
from webapp.accounts.sessions import session_renamed, sessions_end
from webapp.accounts.tokens import secret_digest
from webapp.platform.environment import Rate
from webapp.platform.http.addresses import client_address
from webapp.platform.http.errors import ProductError
from webapp.platform.http.rate_limit import allowance_return, allowance_take, network_of

if TYPE_CHECKING:
    from django.http import HttpRequest

_ADDRESS_RATE = Rate("10/minute")
_ACCOUNT_RATE = Rate("10/hour")
"""Only wrong passwords count in either."""
_KNOWN_SECONDS = 90 * 86_400
"""How long an address from which a user signed in is remembered."""
NAME_LENGTH = 150


def session_open(*, request: HttpRequest, username: str, password: str) -> User:
    """Sign a user in.

    Raises:
        ProductError: the user name or the password is wrong, or there were too many tries.

    """
    user = password_check(request=request, username=username, password=password)
    login(request, user)
    return user


def session_close(*, request: HttpRequest) -> None:
    """Sign out."""
    logout(request)


def password_check(*, request: HttpRequest, username: str, password: str) -> User:
    """Whose name and password these are; every way in that asks for a password comes through here.

    Wrong passwords are counted by address and by name. An unknown name is treated as any other. If a user
    signed in before from an address, what others try elsewhere does not count there: so no user is locked out of their
    own place by a stranger who guesses.

    Raises:
        ProductError: the user name or the password is wrong, or there were too many tries.

    """
    network = network_of(client_address(request))
    name = User.normalize_username(username).casefold()
    known_here = f"signed_in_from:{secret_digest(f'{name} {network}')}"
    message = "That were too many wrong passwords. Try again in {wait_words}."
    counted = [allowance_take(what="sign_in", who=network, rate=_ADDRESS_RATE, message=message)]
    who = f"{name} {network}" if cache.get(known_here) else name
    counted.append(allowance_take(what="sign_in_name", who=who, rate=_ACCOUNT_RATE, message=message))
    user = authenticate(request, username=username, password=password)
    if not isinstance(user, User):
        raise ProductError(401, "wrong_password", "Wrong user name or password.")
    for each in counted:
        allowance_return(each)
    cache.set(known_here, 1, timeout=_KNOWN_SECONDS)
    return user


def name_change(*, user: User, name: str) -> None:
    """Change the display name of a user.

    Raises:
        ProductError: the name is empty.

    """
    name = " ".join(name.split())
    if not name:
        raise ProductError(422, "empty_name", "Type a name first.")
    user.first_name, user.last_name = name[:NAME_LENGTH], ""
    user.save(update_fields=["first_name", "last_name"])


@dataclass(frozen=True, slots=True)
class Ended:
    """What a new password ended."""

    sessions: int
    tokens: int


def password_change(*, request: HttpRequest, user: User, old: str, new: str, keep_tokens: bool) -> Ended:
    """Change the password of a user, end their other sessions and, unless they are kept, revoke their tokens.

    Raises:
        ProductError: the old password is wrong, or the new one will not do.

    """
    if not user.has_usable_password():
        message = "This account has no password; it signs in elsewhere. An administrator can mail a link that sets one."
        raise ProductError(409, "no_password", message)
    password_check(request=request, username=user.username, password=old)
    good = 0 if keep_tokens else user.api_tokens.filter(revoked_at__isnull=True, expires_at__gt=timezone.now()).count()
    user.keeps_tokens = keep_tokens
    password_set(user=user, password=new)
    before = request.session.session_key
    update_session_auth_hash(request, user)
    request.session.save()
    session_renamed(before=before, after=request.session.session_key)
    return Ended(sessions=sessions_end(user=user, but=request.session.session_key), tokens=good)


def own_password_check(*, request: HttpRequest, user: User, password: str) -> None:
    """See that it is really the owner of an account who asks; an account without a password cannot be asked for it.

    Raises:
        ProductError: the password is wrong, or there were too many tries.

    """
    if user.has_usable_password():
        password_check(request=request, username=user.username, password=password)


def password_set(*, user: User, password: str) -> None:
    """Set the password of a user; sessions end, and tokens unless they are kept.

    Raises:
        ProductError: the password will not do; it says why.

    """
    password_fit(password, user)
    user.set_password(password)
    with transaction.atomic():
        user.save(update_fields=["password"])


def password_fit(password: str, user: User) -> None:
    """See that a password will do.

    Raises:
        ProductError: it will not; it says why.

    """
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise ProductError(422, "weak_password", " ".join(error.messages)) from error
