"""Pipelines from labels to a judged model, the questions that judge, and which model is the default."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.datasets.models import Dataset
from webapp.evaluations.models import Evaluation
from webapp.models.trainings.models import SCORER_KINDS, Training, TrainingKind
from webapp.platform.work.constraints import claimed_while_running, end_when_over, known_status
from webapp.platform.work.state_machine import WorkItem
from webapp.platform.work.states import OVER

MAX_NOTE_LENGTH = 1_000


class HeldOut(models.Model):
    """Questions that no training of this site reads, and by which models are judged before one becomes the default.

    They are of a snapshot, which never changes: what is labelled later is not among them. The last row is the one that
    is pinned now; what was pinned before is still never trained on.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="held_out")
    split = models.CharField(max_length=16)
    """``validation``, or ``all`` for a dataset that is for tests alone."""
    limit = models.PositiveIntegerField(null=True, blank=True)
    """Maximum of its questions that are asked, the same each time; default: all. None of the others trains either."""
    graph = models.CharField(max_length=100)
    questions = models.PositiveIntegerField()
    """How many questions of the snapshot are on that side of its split."""
    pinner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="held_out"
    )
    pinned_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pinned_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(split__in=("validation", "all")), name="held_out_is_not_for_training"),
        ]

    def __str__(self) -> str:
        return f"{self.dataset.name}, version {self.dataset.version}, {self.split}, on {self.graph}"


class PipelineStep(models.TextChoices):
    """The steps of a pipeline, in their order."""

    SNAPSHOT = "snapshot", "Snapshot"
    TRAIN = "train", "Train"
    EVALUATE = "evaluate", "Evaluate"
    COMPARE = "compare", "Compare"
    REVIEW = "review", "Review"


class Pipeline(WorkItem):
    """From what is to be learned to what became of it: which labels, which model, judged by which questions.

    A worker takes it from step to step. While a step's own work is queued or running the pipeline waits for it, queued,
    and no worker holds it. It succeeds once the comparison is there; the review is people's.
    """

    name = models.CharField(max_length=60)
    """What the model will be called."""
    link = models.CharField(max_length=16, choices=PipelineStep.choices, default=PipelineStep.SNAPSHOT)
    """The current step."""
    awaits = models.BooleanField(default=False)
    """Whether it waits for the work of its step."""
    sources = models.JSONField()
    """What is to be learned: of each ``{"kind", "key", "title", "graph", "share", "overlay", "least_precision"}``."""
    lessons = models.JSONField(default=list, blank=True)
    """The same once snapshots are made, of each ``{"title", "dataset", "graph", "share", "topics", "overlay",
    "least_precision"}``."""
    start = models.CharField(max_length=100, blank=True)
    kind = models.CharField(max_length=16, choices=SCORER_KINDS, default=TrainingKind.ENCODER)
    base = models.CharField(max_length=200, blank=True)
    """The language model that is fine-tuned; empty for an encoder."""
    how = models.JSONField(default=dict, blank=True)
    """`webapp.models.trainings.schemas.TrainingSettingsIn`, without what is left out."""
    held_out = models.ForeignKey(HeldOut, on_delete=models.PROTECT, related_name="chains")
    training = models.ForeignKey(Training, null=True, blank=True, on_delete=models.PROTECT, related_name="chains")
    evaluation = models.ForeignKey(Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    against = models.CharField(max_length=100, blank=True)
    """The model that was the default when this one was judged."""
    baseline = models.ForeignKey(Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    """The evaluation of that model by the same questions."""
    comparison = models.JSONField(null=True, blank=True)
    """`webapp.models.pipelines.schemas.PipelineComparisonOut`, as it was found."""
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="chains_reviewed"
    )
    note = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    """What who reviewed it says of it."""
    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="chains"
    )

    class Meta:
        # The table and its constraints have the name of earlier versions.
        db_table = "learning_chain"
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            known_status("chain"),
            claimed_while_running("chain"),
            end_when_over("chain"),
            models.CheckConstraint(condition=Q(link__in=PipelineStep.values), name="chain_link_is_known"),
            models.UniqueConstraint(
                fields=["name"], condition=~Q(status__in=OVER), name="one_chain_of_a_name_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.link} ({self.status})"

    @property
    def works(self) -> list[Training | Evaluation]:
        """The work for which its step waits, as it is now."""
        of_link: dict[str, list[Training | Evaluation | None]] = {
            PipelineStep.TRAIN: [self.training],
            PipelineStep.EVALUATE: [self.evaluation, self.baseline],
        }
        return [work for work in of_link.get(self.link, []) if work is not None]


class DefaultChoice(models.Model):
    """Which model decides by default. Rows are only added; the last one counts."""

    scorer = models.CharField(max_length=100, blank=True)
    """Empty for the one that the settings name."""
    before = models.CharField(max_length=100, blank=True)
    """What was chosen before, likewise: one click puts it back."""
    evaluation = models.ForeignKey(Evaluation, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """By what it was judged; None where an earlier default was put back."""
    chooser = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="defaults_chosen"
    )
    chosen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]

    def __str__(self) -> str:
        return self.scorer or "the model of the settings"
