"""Overlays that are kept, and evaluations that were judged under them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models

from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.platform.work.constraints import claimed_while_running, end_when_over, known_status
from webapp.platform.work.state_machine import WorkItem

MAX_SIGNER_LENGTH = 300
MAX_TIME_LENGTH = 64


class KeptOverlay(models.Model):
    """A signed file of corrections, for every version of a dataset that holds the questions it corrects."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    identity = models.CharField(max_length=64)
    """Which questions it corrects: `webapp.datasets.models.Dataset.identity`."""
    algorithm = models.CharField(max_length=40)
    """What made that hash."""
    file = models.TextField()
    """The file as it was sent."""
    sha256 = models.CharField(max_length=64)
    """Of what is signed, in hexadecimal: however a file is laid out, it is the same overlay."""
    key = models.CharField(max_length=64)
    """The public key that it was signed with, in hexadecimal."""
    signer = models.CharField(max_length=MAX_SIGNER_LENGTH)
    made_at = models.CharField(max_length=MAX_TIME_LENGTH)
    """When it was signed, as the file says it."""
    corrections = models.PositiveIntegerField()
    """The number of questions that it corrects."""
    name = models.CharField(max_length=300)
    """The name of the file at its uploader."""
    keeper = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="overlays"
    )
    kept_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-kept_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["sha256", "key"], name="overlay_is_kept_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["identity", "algorithm"], name="overlay_of")]

    def __str__(self) -> str:
        return f"{self.name}, signed by {self.signer}"


class OverlaidEvaluation(WorkItem):
    """The outcomes of an evaluation under an overlay, judged by a worker and kept."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="overlaid")
    overlay = models.ForeignKey(KeptOverlay, on_delete=models.CASCADE, related_name="overlaid")
    evaluation_ended = models.DateTimeField()
    """When the evaluation had ended whose outcomes these are; one that was resumed ends again."""
    done = models.PositiveIntegerField(default=0)
    """The number of corrected questions that were judged again."""
    report = models.JSONField(null=True, blank=True)
    """What `reasoning.evaluation.reporting.overlaid.Overlaid.report` tells; None until it is done."""

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["evaluation", "overlay"], name="evaluation_is_overlaid_once"),
            known_status("overlaid"),
            claimed_while_running("overlaid"),
            end_when_over("overlaid"),
        ]

    def __str__(self) -> str:
        return f"{self.evaluation} under {self.overlay} ({self.status})"


class OverlaidQuestion(models.Model):
    """A question of an evaluation that an overlay corrects, and what the correction came to."""

    overlaid = models.ForeignKey(OverlaidEvaluation, on_delete=models.CASCADE, related_name="questions")
    question = models.ForeignKey(EvaluatedQuestion, on_delete=models.CASCADE, related_name="+")
    not_applied = models.CharField(max_length=200, blank=True)
    """`reasoning.evaluation.reporting.overlaid.NotApplied`; empty where it was applied."""
    outcome = models.JSONField(null=True, blank=True)
    """The `reasoning.evaluation.Outcome` under it; None where it was not applied, or the question is not judged."""

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["overlaid", "question"], name="question_is_overlaid_once"),
        ]

    def __str__(self) -> str:
        return f"{self.question}, corrected"
