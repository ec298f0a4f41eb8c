"""Trainings: each makes a scorer with its own name."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.work.states import OVER, Status


class Training(models.Model):
    """A scorer in the making: a state machine like that of runs, one claim of which holds at a time.

    What it learned lies in its scorer's folder, up to the last whole epoch, so that whoever takes it up goes on there.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=60)
    """What the scorer will be called."""
    recipe = models.CharField(max_length=100)
    epochs = models.PositiveSmallIntegerField(null=True, blank=True)
    """At most so many; as the recipe says where it is left out."""
    seed = models.PositiveIntegerField(null=True, blank=True)

    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED, db_index=True)
    reason = models.CharField(max_length=1_000, blank=True)
    """Why it failed, and what to do."""
    stage = models.CharField(max_length=100, blank=True)
    epoch = models.PositiveSmallIntegerField(default=0)
    of_epochs = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Batches or questions of the stage."""
    loss = models.FloatField(null=True, blank=True)

    claim = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="trainings"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    enqueued_at = models.DateTimeField()
    """When it was last handed to the broker."""
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(status__in=Status.values), name="training_status_is_known"),
            models.CheckConstraint(
                condition=Q(status=Status.RUNNING, claim__isnull=False, lease_until__isnull=False)
                | (~Q(status=Status.RUNNING) & Q(claim__isnull=True, lease_until__isnull=True)),
                name="training_is_claimed_exactly_while_running",
            ),
            models.UniqueConstraint(
                fields=["name"], condition=~Q(status__in=OVER), name="one_training_of_a_name_at_a_time"
            ),
            # It takes minutes to hours, and questions must not wait until several trainings are done.
            models.UniqueConstraint(
                fields=["status"], condition=Q(status=Status.RUNNING), name="one_training_runs_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"

    @property
    def is_over(self) -> bool:
        """Whether no worker does anything more for it."""
        return self.status in OVER
