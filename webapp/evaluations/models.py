"""An evaluation of a scorer over a benchmark, and the outcome of each question."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.asking.runs.models import ReasoningRun
from webapp.datasets.models import Dataset, Question
from webapp.platform.work.constraints import end_when_over, known_status
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status
from webapp.uploads.models import Upload

RELATION_LENGTH, DOMAIN_LENGTH = 300, 100
MAX_GROUP_LENGTH = 60
"""Maximum of characters of the name of a group."""


class Evaluation(models.Model):
    """One scorer, asked the questions of one dataset over one graph.

    A state machine, each move of which is one conditional UPDATE in `services`: queued → running → succeeded or failed;
    queued or running → cancelled; failed or cancelled → queued again. One whose graph or model is away is queued again
    too, with the reason; once a question was judged, it waits no longer.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    note = models.CharField(max_length=200, blank=True)
    """Its title, by the user who started it."""
    group = models.CharField(max_length=MAX_GROUP_LENGTH, blank=True, db_index=True)
    """A word that it shares with others, by which they are found."""
    starred = models.BooleanField(default=False)
    """Whether a user of the site marked it."""
    dataset = models.CharField(max_length=300)
    """The name of the dataset."""
    snapshot = models.ForeignKey(Dataset, null=True, blank=True, on_delete=models.PROTECT, related_name="evaluations")
    """The version of the dataset; None until its file was read, and of evaluations made before there were versions."""
    format = models.CharField(max_length=32)
    fingerprint = models.CharField(max_length=64, blank=True)
    """SHA-256 of the file, in hexadecimal; empty until it was read."""
    compared_by = models.CharField(max_length=8, blank=True)
    """``id`` or ``name``: what tells entities apart in the dataset; empty until it was read."""
    split = models.CharField(max_length=16)
    limit = models.PositiveIntegerField(null=True, blank=True)
    graph = models.CharField(max_length=100, blank=True)
    """Empty where each question is asked of a graph of its own."""
    graph_title = models.CharField(max_length=200)
    graph_version = models.CharField(max_length=100, blank=True)
    scorer = models.CharField(max_length=100)
    """The other system, where one was judged."""
    predictions = models.JSONField(null=True, blank=True)
    """Of another system: its file's ``name`` and ``sha256``; once it was read, how many ``questions`` it names, how
    many of those asked it ``matched``, and how often one took the place of an earlier one (``repeated``). None where
    Discern answers."""
    upload = models.ForeignKey(Upload, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """That file, until it was read."""
    manifest = models.JSONField(null=True, blank=True)
    """What it was made with: `webapp.evaluations.files.manifest`; None until it began, and of earlier ones."""
    switches = models.JSONField()
    """`reasoning.evaluation.EvaluationSettings` as JSON: how topics are found, and the ablations."""

    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED, db_index=True)
    reason = models.CharField(max_length=1_000, blank=True)
    """Why it failed, or what it waits for, and what to do."""
    total = models.PositiveIntegerField(null=True, blank=True)
    """How many questions there are; None until the dataset was read."""
    left_out = models.JSONField(default=dict, blank=True)
    """How many questions of the split are not asked, by reason."""
    refused = models.JSONField(default=list, blank=True)
    """The first of the entries of the file that are no questions: `reasoning.datasets.question.RefusedQuestion`."""
    seen_in_training = models.JSONField(null=True, blank=True)
    """How many of its questions the scorer learned from: `reasoning.datasets.learned.Overlap`; None where it is not
    known what the scorer learned from, or the dataset was not read yet."""
    done = models.PositiveIntegerField(default=0)
    figures = models.JSONField(null=True, blank=True)
    """What `reasoning.evaluation` makes of the first ``figures_of`` outcomes."""
    figures_of = models.PositiveIntegerField(default=0)

    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="evaluations"
    )
    queue = models.CharField(
        max_length=16, choices=[(queue.value, queue.value) for queue in Queue], default=Queue.CPU_BACKGROUND.value
    )
    """Where it waits for a worker: computed when it is queued by a user."""
    created_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField()
    """When it was last handed to the broker, or a worker was last heard of that works on it."""
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            known_status("evaluation"),
            models.CheckConstraint(
                condition=Q(total__isnull=True, done=0) | Q(total__gte=models.F("done")),
                name="evaluation_does_no_more_than_all",
            ),
            end_when_over("evaluation"),
        ]

    def __str__(self) -> str:
        return f"{self.dataset} on {self.graph} by {self.scorer} ({self.status})"

    @property
    def judged_key(self) -> tuple[uuid.UUID, int]:
        """What identifies its outcomes: each is written once, so they differ only if more questions are judged."""
        return self.pk, self.done

    @property
    def is_over(self) -> bool:
        """Whether no worker does anything more for it."""
        return self.status in OVER


class EvaluatedQuestion(models.Model):
    """A question of an evaluation. Its outcome is written once, by the worker that holds its claim."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveIntegerField()
    """From 1, in the order of the dataset."""
    dataset_question = models.ForeignKey(Question, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    """The dataset's own row; None in evaluations made before there were such rows."""
    seen = models.BooleanField(null=True)
    """Whether the scorer learned from it; None where that is not known."""
    question_id = models.CharField(max_length=200)
    text = models.CharField(max_length=2_000)
    labels = models.JSONField(default=dict)
    """What the benchmark says of it."""
    gold = models.JSONField()
    """The `BenchmarkQuestion` as JSON, so that no worker reads the dataset again."""

    given = models.JSONField(null=True, blank=True)
    """What another system predicted, as `reasoning.evaluation.predictions.predictions.Given`; None where it said
    nothing."""

    claim = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    judged_at = models.DateTimeField(null=True, blank=True)
    outcome = models.JSONField(null=True, blank=True)
    """`reasoning.evaluation.Outcome` as JSON; the columns below repeat what is filtered and sorted by."""
    verdict = models.CharField(max_length=32, blank=True)
    case = models.CharField(max_length=2, blank=True)
    right = models.BooleanField(null=True)
    """Whether the first answer is right, or no answer was given where the benchmark has none."""
    f1 = models.FloatField(null=True)
    seconds = models.FloatField(null=True)
    leaves = models.PositiveSmallIntegerField(null=True)
    hops = models.PositiveSmallIntegerField(null=True)
    graph_gap = models.BooleanField(null=True)
    answerable = models.BooleanField(null=True)
    cause = models.CharField(max_length=32, blank=True)
    """What was to blame: a `reasoning.evaluation.judging.blame.Cause`; empty where nothing was, or it is not known."""
    dog_class = models.CharField(max_length=16, blank=True)
    """The error class of DoG: a `reasoning.run.diagnosis.DogClass`; empty where there is none."""
    blamed_stage = models.CharField(max_length=8, blank=True)
    """The stage of the first decision that went wrong."""
    relation = models.CharField(max_length=RELATION_LENGTH, blank=True)
    """The predicate by which the gold derivation reaches its answers."""
    domain = models.CharField(max_length=DOMAIN_LENGTH, blank=True)
    """The part of it before the first point."""
    confidence = models.FloatField(null=True)
    run = models.ForeignKey(ReasoningRun, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The run that shows how it was answered, once a user requested one."""

    class Meta:
        ordering: ClassVar[list[str]] = ["evaluation", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["evaluation", "position"], name="evaluated_question_has_its_own_position"),
            models.UniqueConstraint(fields=["evaluation", "question_id"], name="evaluated_question_is_asked_once"),
            models.CheckConstraint(
                condition=Q(judged_at__isnull=True, right__isnull=True)
                | Q(judged_at__isnull=False, right__isnull=False),
                name="evaluated_question_is_judged_as_a_whole",
            ),
            models.CheckConstraint(
                condition=Q(judged_at__isnull=True) | Q(claim__isnull=True), name="judged_question_is_held_by_nobody"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["evaluation", "case"], name="evaluated_question_by_case"),
            # Holds all that the list of evaluations sums up, so that no row with its outcome is read for it.
            models.Index(fields=["evaluation", "right", "f1"], name="evaluated_question_sums"),
            # Holds all that cases are found by, for the same reason.
            models.Index(
                fields=[
                    *("evaluation", "right", "position", "case", "cause", "blamed_stage", "relation", "domain"),
                    *("leaves", "hops", "confidence", "f1", "graph_gap", "question_id", "dog_class"),
                ],
                name="evaluated_question_case",
            ),
            models.Index(
                fields=["evaluation", "position"], name="evaluated_question_open", condition=Q(judged_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.text}"


class JudgedDecisions(models.Model):
    """How a question was answered when it was judged; in a table of its own, as lists of questions do not read it."""

    question = models.OneToOneField(
        EvaluatedQuestion, primary_key=True, on_delete=models.CASCADE, related_name="decisions"
    )
    events = models.JSONField()
    """The events of its run up to the end, without facts, as JSON."""

    def __str__(self) -> str:
        return f"decisions of {self.question_id}"
