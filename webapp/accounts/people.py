"""What administrators see and change in other people's accounts. The audit log records every change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from webapp.accounts.audit import audited
from webapp.accounts.models import Audited, AuditEntry, Role, User
from webapp.accounts.permissions import Action, may_ensure
from webapp.accounts.sessions import sessions_end
from webapp.accounts.tokens import tokens_revoke
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from webapp.accounts.viewer import Viewer


def people_page(*, viewer: Viewer, text: str, offset: int, limit: int) -> tuple[Sequence[User], int]:
    """Some of the people whose name or address holds a text, and how many there are.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    found = User.objects.all()
    for word in text.split():
        found = found.filter(
            Q(username__icontains=word)
            | Q(first_name__icontains=word)
            | Q(last_name__icontains=word)
            | Q(email__icontains=word)
        )
    page = _counted(found).order_by("username")[offset : offset + limit]
    return list(page), found.count()


def person_get(*, viewer: Viewer, person_id: int) -> User:
    """A user, with the number of their sessions and tokens.

    Raises:
        ProductError: the viewer may not, or there is no such user.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    person = _counted(User.objects.filter(pk=person_id)).first()
    if person is None:
        raise ProductError(404, "unknown_person", "There is no such account; it may be deleted.")
    return person


def role_change(*, viewer: Viewer, person: User, role: Role) -> None:
    """Change the role of a user.

    Raises:
        ProductError: the viewer may not, or the last administrator would be gone.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    with transaction.atomic():
        before = User.objects.select_for_update().get(pk=person.pk).role
        if before == role:
            return
        if before == Role.ADMIN:
            _other_admin_ensure(person)
        person.role = role
        person.save(update_fields=["role"])
        audited(viewer, Audited.ROLE_CHANGED, person.username, before=before, after=role)


def person_close(*, viewer: Viewer, person: User) -> None:
    """Close the account of a user: its sessions end, its tokens are revoked, and no one can sign in to it.

    Raises:
        ProductError: the viewer may not, or the last administrator would be gone.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    with transaction.atomic():
        if person.role == Role.ADMIN:
            _other_admin_ensure(person)
        if User.objects.filter(pk=person.pk, is_active=True).update(is_active=False):
            sessions_end(user=person)
            tokens_revoke(user=person)
            audited(viewer, Audited.PERSON_DEACTIVATED, person.username)


def person_reopen(*, viewer: Viewer, person: User) -> None:
    """Open a closed account again.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    with transaction.atomic():
        if User.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
            audited(viewer, Audited.PERSON_REACTIVATED, person.username)


def person_sign_out(*, viewer: Viewer, person: User) -> int:
    """End every session of a user; return how many.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    with transaction.atomic():
        ended = sessions_end(user=person)
        audited(viewer, Audited.SESSIONS_ENDED, person.username, before=f"{ended} sessions")
    return ended


def person_tokens_revoke(*, viewer: Viewer, person: User) -> int:
    """Revoke every token of a user; return how many.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_PEOPLE)
    with transaction.atomic():
        revoked = tokens_revoke(user=person)
        audited(viewer, Audited.TOKENS_REVOKED, person.username, before=f"{revoked} tokens")
    return revoked


def audit_page(*, viewer: Viewer, before: int | None, limit: int) -> Sequence[AuditEntry]:
    """The audit log, newest first, from the entry before a number on.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.READ_AUDIT_LOG)
    entries = AuditEntry.objects.all()
    if before is not None:
        entries = entries.filter(pk__lt=before)
    return list(entries.order_by("-pk")[:limit])


def _other_admin_ensure(person: User) -> None:
    """See that an administrator is left who can sign in; locks them, so that two cannot demote each other at once.

    Raises:
        ProductError: there would be none.

    """
    others = User.objects.select_for_update().filter(role=Role.ADMIN, is_active=True).exclude(pk=person.pk)
    if not list(others):
        message = "This is the only administrator. Make another user one first."
        raise ProductError(409, "last_admin", message)


def _counted(people: QuerySet[User]) -> QuerySet[User]:
    good = Q(api_tokens__revoked_at__isnull=True, api_tokens__expires_at__gt=timezone.now())
    return people.annotate(
        sessions=Count("signed_in_sessions", distinct=True), tokens=Count("api_tokens", filter=good, distinct=True)
    )
