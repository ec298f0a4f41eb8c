"""Trainings: each makes a scorer with its own name."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from webapp.work.one_at_a_time import one_at_a_time
from webapp.work.state_machine import WorkItem


class Training(WorkItem):
    """A scorer in the making: a state machine like that of runs, one claim of which holds at a time.

    What it learned lies in its scorer's folder, up to the last whole epoch, so that whoever takes it up goes on there.
    """

    name = models.CharField(max_length=60)
    """What the scorer will be called."""
    recipe = models.CharField(max_length=100)
    epochs = models.PositiveSmallIntegerField(null=True, blank=True)
    """At most so many; as the recipe says where it is left out."""
    seed = models.PositiveIntegerField(null=True, blank=True)

    stage = models.CharField(max_length=100, blank=True)
    epoch = models.PositiveSmallIntegerField(default=0)
    of_epochs = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Batches or questions of the stage."""
    loss = models.FloatField(null=True, blank=True)

    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="trainings"
    )

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = one_at_a_time("training")

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"
