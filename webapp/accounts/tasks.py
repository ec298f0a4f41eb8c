"""Celery tasks of accounts: sending mails, with retries while the mail server is away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from celery import shared_task

from webapp.accounts.mails import MailError, invitation_mail_send, reset_mails_send

if TYPE_CHECKING:
    from celery import Task

_TRIES = 8
_FIRST_WAIT_SECONDS = 5
"""Before the second try; each further wait is twice as long, so that all of them take some twenty minutes."""


@shared_task(name="accounts.reset_mails_send", bind=True, max_retries=_TRIES)
def reset_mails_send_task(task: Task[[str], None], email: str) -> None:
    """Mail a link to every account with an address, if there is one: who asked cannot tell."""
    try:
        reset_mails_send(email)
    except MailError as error:
        raise task.retry(exc=error, countdown=_FIRST_WAIT_SECONDS * 2**task.request.retries) from error


@shared_task(name="accounts.invitation_mail_send", bind=True, max_retries=_TRIES)
def invitation_mail_send_task(task: Task[[int], None], invitation_id: int) -> None:
    """Mail an invitation."""
    try:
        invitation_mail_send(invitation_id)
    except MailError as error:
        raise task.retry(exc=error, countdown=_FIRST_WAIT_SECONDS * 2**task.request.retries) from error
