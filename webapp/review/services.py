"""What reviewers do with cases: they open them, record causes, assign them, and undo that."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from reasoning.datasets.overlay import CorrectionKind
from webapp.accounts.models import User
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.accounts.viewer import Viewer
from webapp.platform.http.errors import ProductError, room_ensure
from webapp.review.models import Case, Entry, Says, View
from webapp.review.sources import case_find, case_of, cases_locked
from webapp.review.verdicts import GOLD_CAUSES, OTHER_CAUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webapp.review.schemas import VerdictIn, ViewIn
    from webapp.review.sources import Source

HELD = timedelta(minutes=5)
"""How long others see that a reviewer has a case open, unless that is renewed."""
MAX_AT_ONCE = 1_000
_KNOWN = {Says.OTHER: OTHER_CAUSES, Says.GOLD: tuple(kind.value for kind in GOLD_CAUSES)}
"""The causes that go with a verdict."""
_PEOPLE = ("assignee_id", "reviewer_id")
_FIELDS = ("says", "cause", "comment", *_PEOPLE)
_TOGETHER = 200
"""Number of cases that are written by one query: each takes a branch of its own for every field."""


def case_hold(*, source: Source, key: str, viewer: Viewer) -> Case:
    """Record that a reviewer has a case open; if another one has, it stays theirs until their heartbeat ends.

    Raises:
        ProductError: the viewer may not, or there is no such case.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    case = case_of(case_find(source, key))
    now = timezone.now()
    free = Q(held_by=None) | Q(held_by=viewer.user) | Q(held_until=None) | Q(held_until__lt=now)
    Case.objects.filter(free, pk=case.pk).update(held_by=viewer.user, held_until=now + HELD)
    case.refresh_from_db()
    return case


def case_release(*, source: Source, key: str, viewer: Viewer) -> None:
    """Say that one is no longer at a case.

    Raises:
        ProductError: the viewer may not, or there is no such case.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    case = case_of(case_find(source, key))
    Case.objects.filter(pk=case.pk, held_by=viewer.user).update(held_by=None, held_until=None)


def verdicts_record(*, source: Source, keys: Sequence[str], wanted: VerdictIn, viewer: Viewer) -> uuid.UUID:
    """Record the cause of some cases, write a comment, or assign them; what is left out stays.

    Returns what all of it is undone by.

    Raises:
        ProductError: the viewer may not, there is no such case, or the words do not belong together.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    room_ensure()
    if len(set(keys)) > MAX_AT_ONCE:
        message = f"Too many cases at once. Choose at most {MAX_AT_ONCE:,}."
        raise ProductError(422, "too_many_cases", message)
    changes = _changes(wanted)
    together = uuid.uuid4()
    with transaction.atomic():
        _append([_Change(case, changes) for case in cases_locked(source, set(keys))], viewer, together)
    return together


def entries_undo(*, together: uuid.UUID, viewer: Viewer) -> int:
    """Take back what the viewer did at once; return with how many cases.

    Later changes of a case are kept.

    Raises:
        ProductError: the viewer may not, did no such thing, or something else was done with all of these cases since.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    room_ensure()
    with transaction.atomic():
        entries = {entry.case_id: entry for entry in Entry.objects.filter(together=together, who=viewer.user)}
        if not entries:
            raise ProductError(404, "unknown_entries", "There is nothing of yours to be undone here.")
        people = _people_there(entries.values())
        cases = Case.objects.select_for_update().filter(pk__in=entries).order_by("pk")
        changes = [
            _Change(case, _of_people(entry.was, people), entry.number)
            for case in cases
            if (entry := entries[case.pk]).number == case.last
        ]
        if not changes:
            message = "Something else was done with this since. Look at the case before you change it."
            raise ProductError(409, "changed_meanwhile", message)
        _append(changes, viewer, uuid.uuid4())
    return len(changes)


def view_keep(*, wanted: ViewIn, viewer: Viewer) -> View:
    """Keep a filter for everybody who reviews; one of the same name is replaced where it is one's own.

    Raises:
        ProductError: the viewer may not, or another user has one of that name.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    room_ensure()
    name = " ".join(wanted.name.split())
    if not name:
        raise ProductError(422, "empty_name", "Give the view a name.")
    with transaction.atomic():
        known = View.objects.select_for_update().filter(name=name).first()
        if known is not None and not _may_change(known, viewer):
            message = f"“{name}” is used by another reviewer already. Choose another name."
            raise ProductError(409, "known_name", message)
        view, _ = View.objects.update_or_create(
            name=name, defaults={"query": wanted.query, "maker": viewer.user if known is None else known.maker}
        )
    return view


def view_remove(*, view_id: uuid.UUID, viewer: Viewer) -> None:
    """Remove a kept filter.

    Raises:
        ProductError: the viewer may not, or there is none.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    view = View.objects.filter(pk=view_id).first()
    if view is None:
        raise ProductError(404, "unknown_view", "There is no such view; it may have been removed.")
    if not _may_change(view, viewer):
        raise ProductError(403, "not_yours", "Who keeps a view removes it, or an administrator.")
    view.delete()


def _may_change(view: View, viewer: Viewer) -> bool:
    return view.maker_id == (viewer.user and viewer.user.pk) or may(viewer, Action.MANAGE_PEOPLE)


def _changes(wanted: VerdictIn) -> dict[str, Any]:
    """The fields of a case that a request changes.

    Raises:
        ProductError: a verdict lacks its cause or has one that is none of its kind, or there is no such person.

    """
    changes: dict[str, Any] = {}
    if wanted.says is not None:
        changes |= {"says": wanted.says, "cause": _cause(wanted)}
    if wanted.comment is not None:
        changes["comment"] = wanted.comment.strip()
    if wanted.assignee is not None:
        changes["assignee_id"] = None if wanted.assignee == "" else _reviewer(wanted.assignee).pk
    if not changes:
        raise ProductError(422, "nothing_said", "Choose a cause, write a comment, or name a reviewer.")
    return changes


def _cause(wanted: VerdictIn) -> str:
    known = _KNOWN.get(Says(wanted.says)) if wanted.says else None
    if known is None:
        return ""
    if wanted.cause not in known:
        message = f"Say which cause it is: one of {', '.join(known)}."
        raise ProductError(422, "unknown_cause", message)
    return GOLD_CAUSES[CorrectionKind(wanted.cause)] if known is _KNOWN[Says.GOLD] else wanted.cause


def _reviewer(username: str) -> User:
    person = User.objects.filter(username=username, is_active=True).first()
    if person is None or not may(Viewer(person, None, ""), Action.REVIEW_CASES):
        message = f"“{username}” is no reviewer. Name a reviewer."
        raise ProductError(422, "no_reviewer", message)
    return person


def _people_there(entries: Iterable[Entry]) -> set[int]:
    """Who is named by what was, and whose account was not removed since."""
    named = {entry.was[name] for entry in entries for name in _PEOPLE if entry.was.get(name) is not None}
    return set(User.objects.filter(pk__in=named).values_list("pk", flat=True))


def _of_people(fields: dict[str, Any], people: set[int]) -> dict[str, Any]:
    """The same without people who are not among these."""
    return {name: None if name in _PEOPLE and value not in people else value for name, value in fields.items()}


class _Change(NamedTuple):
    """What a case is to become."""

    case: Case
    now: dict[str, Any]
    undoes: int | None = None
    """The number of the entry that it takes back."""


def _append(changes: Sequence[_Change], viewer: Viewer, together: uuid.UUID) -> None:
    """Write entries down and fold them in; what changes nothing is left out."""
    entries = []
    for case, wanted, undoes in changes:
        now = wanted
        was = {name: getattr(case, name) for name in _FIELDS if name in now}
        if undoes is None and was == now:
            continue
        if undoes is None and "says" in now:
            was["reviewer_id"], now = case.reviewer_id, {**now, "reviewer_id": viewer.user and viewer.user.pk}
        case.last += 1
        entries.append(
            Entry(case=case, number=case.last, together=together, who=viewer.user, was=was, now=now, undoes=undoes)
        )
        for name, value in now.items():
            setattr(case, name, value)
    Entry.objects.bulk_create(entries)
    Case.objects.bulk_update([entry.case for entry in entries], ["last", *_FIELDS], batch_size=_TOGETHER)
