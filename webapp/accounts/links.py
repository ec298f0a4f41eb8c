"""Links in mails: one sets a new password, one makes an account."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.contrib.auth import login
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.http import urlsafe_base64_decode
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from webapp.accounts.audit import audited, audited_by
from webapp.accounts.mails import mail_is_configured
from webapp.accounts.models import Audited, Invitation, Role, User
from webapp.accounts.permissions import Action, may_ensure
from webapp.accounts.services import NAME_LENGTH, password_fit, password_set
from webapp.accounts.sessions import sessions_end
from webapp.accounts.tokens import secret_digest
from webapp.platform.environment import Rate
from webapp.platform.http.addresses import client_address
from webapp.platform.http.errors import ProductError
from webapp.platform.http.rate_limit import allowance_return, allowance_take, network_of
from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from django.http import HttpRequest

    from webapp.accounts.viewer import Viewer
    from webapp.platform.http.rate_limit import Allowance

INVITATION_DAYS = 7
_BACKEND = "django.contrib.auth.backends.ModelBackend"
_USERNAME_LENGTH = 150
_BROKER_AWAY = (OperationalError, RedisError, OSError)
_NOT_NOW = "The site cannot send mails right now. Try again in a minute."


def reset_ask(*, request: HttpRequest, email: str) -> None:
    """Have a link mailed that resets a password. The reply is the same whether or not there is such an account.

    Raises:
        ProductError: the site sends no mails, this is no address, or it was asked too often.

    """
    _mail_ensure()
    email = _email(email)
    message = "That were many requests. Try again in {wait_words}."
    allowance_take(what="reset", who=network_of(client_address(request)), rate=Rate("10/hour"), message=message)
    allowance_take(what="reset_address", who=email.casefold(), rate=Rate("3/hour"), message=message)
    from webapp.accounts.tasks import reset_mails_send_task  # noqa: PLC0415 - Celery, needed here alone

    # The same for every address, so that the time it takes does not reveal whether there is such an account.
    try:
        reset_mails_send_task.apply_async((email,), queue=Queue.CPU.value)
    except _BROKER_AWAY as error:
        raise ProductError(503, "busy", _NOT_NOW) from error


def reset_do(*, request: HttpRequest, key: str, password: str) -> None:
    """Reset a password by a mailed link, and end every session of the account.

    Raises:
        ProductError: the link is not, or no longer, good for anything, or the password will not do.

    """
    counted = _try_take(request)
    uid, _, token = key.partition(".")
    try:
        user = User.objects.filter(pk=int(urlsafe_base64_decode(uid)), is_active=True).first()
    except (ValueError, OverflowError):
        user = None
    if user is None or not default_token_generator.check_token(user, token):
        raise ProductError(410, "link_over", "This link was used already, or is too old. Ask for another one.")
    allowance_return(counted)
    with transaction.atomic():
        password_set(user=user, password=password)
        sessions_end(user=user)


def invitation_create(*, viewer: Viewer, email: str, role: Role) -> Invitation:
    """Invite a person; a worker sends the mail.

    Raises:
        ProductError: the viewer may not, the site sends no mails, the address is invalid, or an account has it.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    _mail_ensure()
    email = _email(email)
    if User.objects.filter(email__iexact=email).exists():
        raise ProductError(409, "known_email", f"There is already an account for {email}.")
    now = timezone.now()
    with transaction.atomic():
        if _open().filter(email__iexact=email).exists():
            message = f"{email} is invited already. Take that invitation back first to send another one."
            raise ProductError(409, "invited_already", message)
        invitation = Invitation.objects.create(
            email=email, role=role, inviter=viewer.user, expires_at=now + timedelta(days=INVITATION_DAYS)
        )
        audited(viewer, Audited.INVITED, email, after=role)
    from webapp.accounts.tasks import invitation_mail_send_task  # noqa: PLC0415 - Celery, needed here alone

    try:
        invitation_mail_send_task.apply_async((invitation.pk,), queue=Queue.CPU.value)
    except _BROKER_AWAY as error:
        Invitation.objects.filter(pk=invitation.pk).update(revoked_at=timezone.now())
        raise ProductError(503, "busy", _NOT_NOW) from error
    return invitation


def invitations(*, viewer: Viewer) -> Sequence[Invitation]:
    """The open invitations, and those that expired within a month.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    month_ago = timezone.now() - timedelta(days=30)
    listed = Invitation.objects.select_related("inviter").filter(expires_at__gt=month_ago)
    return list(listed.filter(accepted_at__isnull=True, revoked_at__isnull=True))


def invitation_revoke(*, viewer: Viewer, invitation_id: int) -> None:
    """Take an invitation back.

    Raises:
        ProductError: the viewer may not, or there is no such open invitation.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    with transaction.atomic():
        invitation = Invitation.objects.filter(pk=invitation_id).first()
        taken_back = Invitation.objects.filter(pk=invitation_id, accepted_at__isnull=True, revoked_at__isnull=True)
        if invitation is None or not taken_back.update(revoked_at=timezone.now()):
            message = "There is no such invitation; it may be accepted or taken back already."
            raise ProductError(404, "unknown_invitation", message)
        audited(viewer, Audited.INVITATION_REVOKED, invitation.email, before=invitation.role)


def invitation_look(*, request: HttpRequest, key: str) -> Invitation:
    """The invitation that a link opens.

    Raises:
        ProductError: the link is not, or no longer, good for anything.

    """
    counted = _try_take(request)
    invitation = _open().filter(digest=secret_digest(key)).first()
    if invitation is None:
        message = "This invitation was used, taken back, or is too old. Ask for another invitation."
        raise ProductError(410, "link_over", message)
    allowance_return(counted)
    return invitation


def invitation_accept(*, request: HttpRequest, key: str, username: str, name: str, password: str) -> User:
    """Make the account that an invitation is for, and sign in.

    Raises:
        ProductError: the link has expired, or the name or the password is not accepted.

    """
    invitation = invitation_look(request=request, key=key)
    user = User(
        username=User.normalize_username(username.strip()),
        first_name=" ".join(name.split())[:NAME_LENGTH],
        email=invitation.email,
        role=invitation.role,
    )
    try:
        UnicodeUsernameValidator()(user.username)
    except ValidationError as error:
        message = "A user name has letters, digits and @ . + - _ only."
        raise ProductError(422, "username", message) from error
    if len(user.username) > _USERNAME_LENGTH:
        raise ProductError(422, "username", f"A user name has at most {_USERNAME_LENGTH} characters.")
    password_fit(password, user)
    user.set_password(password)
    try:
        with transaction.atomic():
            if not _open().filter(pk=invitation.pk).update(accepted_at=timezone.now()):
                raise ProductError(410, "link_over", "This invitation was used already.")
            user.save()
            audited_by(
                user.username,
                Audited.INVITATION_ACCEPTED,
                invitation.email,
                after=invitation.role,
                address=client_address(request),
            )
    except IntegrityError as error:
        raise ProductError(409, "username_taken", "This user name is taken. Choose another one.") from error
    login(request, user, backend=_BACKEND)
    return user


def _open() -> QuerySet[Invitation]:
    return Invitation.objects.filter(accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=timezone.now())


def _try_take(request: HttpRequest) -> Allowance:
    return allowance_take(
        what="link",
        who=network_of(client_address(request)),
        rate=Rate("20/hour"),
        message="That were too many links that do not work. Try again in {wait_words}.",
    )


def _mail_ensure() -> None:
    if not mail_is_configured():
        message = "This site sends no mails. Ask the administrator."
        raise ProductError(409, "no_mail", message)


def _email(text: str) -> str:
    email = text.strip()
    try:
        validate_email(email)
    except ValidationError as error:
        raise ProductError(422, "email", "This is no e-mail address.") from error
    return email
