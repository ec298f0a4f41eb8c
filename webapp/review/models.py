"""What reviewers say of cases, as a log, and the filters that they share."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.asking.runs.models import ReasoningRun
from webapp.evaluations.models import EvaluatedQuestion
from webapp.labelling.projects.models import Task

MAX_COMMENT_LENGTH = 2_000
MAX_VIEW_LENGTH = 100


class Says(models.TextChoices):
    """What a reviewer says of a case."""

    AGREE = "agree", "the proposed cause is right"
    OTHER = "other", "another cause"
    GOLD = "gold", "what the benchmark says is wrong"
    NO_ERROR = "no_error", "not an error"
    UNSURE = "unsure", "unsure"


class Case(models.Model):
    """A case that reviewers did something with: what its entries come to, and who has it open.

    It is a question of an evaluation, or a run whose answer a user called wrong.
    """

    question = models.OneToOneField(
        EvaluatedQuestion, null=True, blank=True, on_delete=models.CASCADE, related_name="review"
    )
    run = models.OneToOneField(ReasoningRun, null=True, blank=True, on_delete=models.CASCADE, related_name="review")
    says = models.CharField(max_length=16, choices=Says.choices, blank=True)
    """Empty while there is no verdict, or it was undone."""
    cause = models.CharField(max_length=32, blank=True)
    """What was to blame, by a reviewer: one of `webapp.review.verdicts.CAUSES`; empty where nothing was said of it."""
    comment = models.TextField(max_length=MAX_COMMENT_LENGTH, blank=True)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="cases_assigned"
    )
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="cases_reviewed"
    )
    """Who said what it says."""
    last = models.PositiveIntegerField(default=0)
    """The number of the last entry."""
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.SET_NULL, related_name="cases")
    """Where it was sent to be labelled."""
    held_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="cases_held"
    )
    held_until = models.DateTimeField(null=True, blank=True)
    """How long others see that a reviewer has it open."""

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(question__isnull=False, run__isnull=True) | Q(question__isnull=True, run__isnull=False),
                name="case_is_of_one_thing",
            ),
            models.CheckConstraint(condition=Q(says__in=["", *Says.values]), name="case_says_what_is_known"),
        ]

    def __str__(self) -> str:
        return f"case {self.pk}: {self.says or 'open'}"


class Entry(models.Model):
    """Something that a reviewer did with a case; only ever appended. What undoes another is an entry, too."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    """From 1."""
    together = models.UUIDField()
    """The same for all entries that were made at once."""
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="review_entries"
    )
    at = models.DateTimeField(auto_now_add=True)
    was = models.JSONField()
    """The fields of the case that it changes, as they were: says with cause and reviewer, comment, assignee."""
    now = models.JSONField()
    undoes = models.PositiveIntegerField(null=True, blank=True)
    """The number of the entry that it takes back."""

    class Meta:
        ordering: ClassVar[list[str]] = ["case", "number"]
        verbose_name_plural = "entries"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["case", "number"], name="review_entry_has_its_own_number"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["together"], name="review_entries_together")]

    def __str__(self) -> str:
        return f"{self.case}, entry {self.number}"


class View(models.Model):
    """A filter of cases with a name, for everybody who reviews."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=MAX_VIEW_LENGTH, unique=True)
    query = models.CharField(max_length=2_000)
    """The query string of the page of cases, without its question mark."""
    maker = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="review_views"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return self.name
