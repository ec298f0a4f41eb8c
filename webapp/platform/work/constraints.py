"""What the database holds background work to, whatever kind it is; ``kind`` names it in the constraints."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from webapp.platform.work.states import OVER, Status


def known_status(kind: str) -> models.CheckConstraint:
    """The status is one of those that there are."""
    return models.CheckConstraint(condition=Q(status__in=Status.values), name=f"{kind}_status_is_known")


def claimed_while_running(kind: str) -> models.CheckConstraint:
    """A claim and its lease are there exactly while a worker is at it."""
    return models.CheckConstraint(
        condition=Q(status=Status.RUNNING, claim__isnull=False, lease_until__isnull=False)
        | (~Q(status=Status.RUNNING) & Q(claim__isnull=True, lease_until__isnull=True)),
        name=f"{kind}_is_claimed_exactly_while_running",
    )


def end_when_over(kind: str) -> models.CheckConstraint:
    """The time of its end is set exactly when it has ended."""
    return models.CheckConstraint(
        condition=Q(status__in=OVER, finished_at__isnull=False) | (~Q(status__in=OVER) & Q(finished_at__isnull=True)),
        name=f"{kind}_has_an_end_exactly_when_over",
    )
