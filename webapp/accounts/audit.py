"""Writes the audit log of what administrators do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.accounts.models import Audited, AuditEntry

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer

_MAX_LENGTH = 300


def audited(viewer: Viewer, what: Audited, on: object, *, before: str = "", after: str = "") -> None:
    """Record what a viewer did; call it in the same transaction."""
    who = "a visitor" if viewer.user is None else viewer.user.username
    audited_by(who, what, on, before=before, after=after, address=viewer.address)


def audited_by(who: str, what: Audited, on: object, *, before: str = "", after: str = "", address: str = "") -> None:
    """Record what a person did who is not a viewer."""
    AuditEntry.objects.create(
        who=who,
        what=what,
        on=str(on)[:_MAX_LENGTH],
        before=before[:_MAX_LENGTH],
        after=after[:_MAX_LENGTH],
        address=address,
    )
