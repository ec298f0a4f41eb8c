"""The mails of the site: password resets and invitations. A worker writes and sends them.

What opens a link stands after its ``#``, which browsers send to no server, so that it comes into no log.
"""

from __future__ import annotations

import secrets
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from webapp.accounts.models import Invitation, User
from webapp.accounts.tokens import secret_digest


class MailError(Exception):
    """A mail could not be handed in; the message says why."""


def mail_is_configured() -> bool:
    """Whether the site can send mails."""
    return settings.ENVIRONMENT.mail_url is not None


def reset_mails_send(email: str) -> None:
    """Send a password reset link to each open account with an address; there may be none.

    Raises:
        MailError: a mail could not be handed in.

    """
    for user in User.objects.filter(email__iexact=email, is_active=True).exclude(email=""):
        key = f"{urlsafe_base64_encode(force_bytes(user.pk))}.{default_token_generator.make_token(user)}"
        text = (
            f"A password reset for “{user.username}” at Discern was requested, most likely by you.\n\n"
            f"{settings.ENVIRONMENT.site_url}/reset#{key}\n\n"
            "The link works once, within an hour. If it was not you, do nothing: the password stays as it is.\n"
        )
        _send("Reset your password for Discern", text, user.email)


def invitation_mail_send(invitation_id: int) -> None:
    """Draw the link of an invitation and send it, unless that was done or it is no longer open.

    Raises:
        MailError: it could not be handed in; the invitation says why.

    """
    waiting = Invitation.objects.filter(
        pk=invitation_id, mailed_at__isnull=True, revoked_at__isnull=True, accepted_at__isnull=True
    )
    invitation = waiting.select_related("inviter").first()
    if invitation is None or invitation.expires_at < timezone.now():
        return
    secret = secrets.token_urlsafe(32)
    waiting.update(digest=secret_digest(secret))
    inviter = "An administrator" if invitation.inviter is None else invitation.inviter.display_name
    text = (
        f"{inviter} invites you to Discern, where questions are answered from a knowledge graph.\n\n"
        f"{settings.ENVIRONMENT.site_url}/invitation#{secret}\n\n"
        f"The link works once, until {invitation.expires_at:%d %B %Y}.\n"
    )
    try:
        _send("You are invited to Discern", text, invitation.email)
    except MailError as error:
        waiting.update(fault=str(error)[:300])
        raise
    waiting.update(mailed_at=timezone.now(), fault="")


def _send(subject: str, text: str, to: str) -> None:
    try:
        send_mail(subject, text, settings.ENVIRONMENT.mail_from, [to])
    except (SMTPException, OSError) as error:
        raise MailError(f"The mail server did not take the mail ({type(error).__name__}).") from error
