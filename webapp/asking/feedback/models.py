"""What people say of the answers of runs."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.asking.runs.models import ReasoningRun

MAX_EXPECTED_LENGTH = 500
"""Maximum of characters of an expected answer."""


class Says(models.TextChoices):
    """What a user says of an answer."""

    RIGHT = "right", "right"
    WRONG = "wrong", "wrong"
    WITHDRAWN = "withdrawn", "nothing any more"


class Feedback(models.Model):
    """What a user said of a run. Nothing is overwritten: a changed opinion adds a row, which is then current.

    It goes with the run, and with the account of who said it.
    """

    run = models.ForeignKey(ReasoningRun, on_delete=models.CASCADE, related_name="feedback")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="feedback"
    )
    visitor = models.UUIDField(null=True, blank=True)
    """Drawn for the session of a visitor."""
    says = models.CharField(max_length=16, choices=Says.choices)
    expected = models.CharField(max_length=MAX_EXPECTED_LENGTH, blank=True)
    """What the answer should be, in their words."""
    said_at = models.DateTimeField(auto_now_add=True)
    current = models.BooleanField(default=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        verbose_name_plural = "feedback"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(says__in=Says.values), name="feedback_is_known"),
            models.CheckConstraint(
                condition=Q(person__isnull=False) | Q(visitor__isnull=False), name="feedback_is_somebody_s"
            ),
            models.UniqueConstraint(
                fields=["run", "person"], condition=Q(current=True), name="feedback_is_one_of_a_person"
            ),
            models.UniqueConstraint(
                fields=["run", "visitor"], condition=Q(current=True), name="feedback_is_one_of_a_visitor"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.says}"
