"""The labels that reviewers accepted, and how the labels of each task stand to each other."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.labelling.projects.models import MAX_COMMENT_LENGTH, Project, Task


class How(models.TextChoices):
    """How an accepted label came about."""

    EQUAL = "equal", "all labels say the same"
    TAKEN = "taken", "one label was taken"
    MERGED = "merged", "it was put together"
    WITHDRAWN = "withdrawn", "it was withdrawn"
    LAPSED = "lapsed", "it does not hold on a newer version of the graph"


ACCEPTING = (How.EQUAL, How.TAKEN, How.MERGED)
"""What makes a label the accepted one, as long as no entry follows."""


class AcceptedLabel(models.Model):
    """That a label was accepted for a task, was withdrawn or holds no more; only ever appended, the last one counts."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="accepted_labels")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="accepted_labels")
    """That of the task."""
    number = models.PositiveIntegerField()
    """From 1."""
    how = models.CharField(max_length=16, choices=How.choices)
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="labels_accepted"
    )
    """None where all labels say the same, where the graph decided, and where the account is gone."""
    at = models.DateTimeField(auto_now_add=True)
    draft = models.JSONField(default=dict, blank=True)
    """The label, as a `webapp.labelling.projects.draft.Draft`; empty where it was withdrawn."""
    answers = models.JSONField(default=list, blank=True)
    """The terms that it gives on the project's graph."""
    rests_on = models.JSONField(default=list, blank=True)
    """The labels that were handed in then: of each its id and the number of its last move, sorted."""
    taken_from = models.PositiveBigIntegerField(null=True, blank=True)
    """The id of the label that was taken as it is."""
    comment = models.TextField(max_length=MAX_COMMENT_LENGTH, blank=True)
    """In the reviewer's words; of one that holds no more, why."""

    class Meta:
        ordering: ClassVar[list[str]] = ["task", "-number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["task", "number"], name="accepted_label_has_its_own_number"),
            models.CheckConstraint(condition=Q(how__in=How.values), name="accepted_label_came_about_as_known"),
        ]

    def __str__(self) -> str:
        return f"{self.task}, {self.number}: {self.how}"


class Stand(models.TextChoices):
    """Where a task stands with its labels."""

    WAITING = "waiting", "labels are missing"
    OPEN = "open", "to be decided"
    ACCEPTED = "accepted", "accepted"


class Adjudication(models.Model):
    """How the labels of a task stand to each other."""

    task = models.OneToOneField(Task, primary_key=True, on_delete=models.CASCADE, related_name="adjudication")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="adjudications")
    """That of the task."""
    labels = models.PositiveSmallIntegerField()
    """The number of submitted labels."""
    agreed = models.BooleanField(null=True)
    """Whether all say the same; None for fewer than two."""
    agreement = models.FloatField(null=True)
    """How far they agree, from 0 to 1, mostly the F1 of their answers; None for fewer than two. See
    `webapp.labelling.adjudication.settle`."""
    stand = models.CharField(max_length=16, choices=Stand.choices)
    accepted = models.ForeignKey(AcceptedLabel, null=True, on_delete=models.CASCADE, related_name="+")
    """The last accepted label; None where there is none, or it was withdrawn. Where labels became others since, or it
    holds no more, the task is open again."""

    class Meta:
        ordering: ClassVar[list[str]] = ["task"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(stand__in=Stand.values), name="adjudication_stand_is_known"),
            models.CheckConstraint(
                condition=~Q(stand=Stand.ACCEPTED) | Q(accepted__isnull=False), name="adjudication_has_what_is_accepted"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project", "stand", "agreement"], name="adjudication_worst_first"),
        ]

    def __str__(self) -> str:
        return f"{self.task}: {self.stand}"
