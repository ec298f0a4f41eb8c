"""Questions that people asked, their runs, and the event log of each run."""

from __future__ import annotations

import uuid
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from reasoning.question.linking import MAX_QUESTION_LENGTH
from webapp.platform.dependents import Thing, with_dependents
from webapp.platform.work.constraints import claimed_while_running, end_when_over, known_status
from webapp.platform.work.queues import Queue
from webapp.platform.work.state_machine import ClaimedWork
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from django.db.models import Field, QuerySet
    from django.db.models.deletion import Collector

MAX_WHAT_IF_LENGTH = 300


def questions_parted(questions: QuerySet[Question]) -> tuple[set[int], set[int]]:
    """Which of some questions stay where they are deleted, and which go: for others' variants of their runs, too.

    A question stays where something rests on a run of it, or on one that goes on from it.
    """
    own = dict(ReasoningRun.objects.filter(question__in=questions).values_list("pk", "question"))
    parents: dict[uuid.UUID, uuid.UUID] = {}
    asked = dict(own)
    level = set(own)
    while level:
        below = ReasoningRun.objects.filter(parent__in=level).exclude(pk__in=asked)
        found = list(below.values_list("pk", "parent", "question"))
        parents |= {run: parent for run, parent, _ in found if parent is not None}
        asked |= {run: question for run, _, question in found}
        level = {run for run, _, _ in found}
    for run, parent in ReasoningRun.objects.filter(pk__in=own, parent__in=asked).values_list("pk", "parent"):
        if parent is not None:
            parents[run] = parent
    stays: set[uuid.UUID] = set()
    above: uuid.UUID | None
    for rested in with_dependents(Thing.RUN, asked):
        above = rested
        while above is not None:
            stays.add(above)
            above = parents.get(above)
    kept = {asked[run] for run in stays}
    going = {run for run in own if own[run] not in kept}
    for run in parents:
        above = run
        while above is not None and above not in going:
            above = parents.get(above)
        if above is not None:
            going.add(run)
    return {question for run, question in own.items() if question in kept}, {asked[run] for run in going}


def leave_what_others_rest_on(
    collector: Collector, field: Field[Any, Any], rows: QuerySet[Question], using: str
) -> None:
    """Delete the questions of a user with them; those that something depends on stay, without their asker."""
    stay, go = questions_parted(rows)
    models.SET_NULL(collector, field, rows.filter(pk__in=stay), using)
    models.CASCADE(collector, field, Question.objects.filter(pk__in=go), using)


class Question(models.Model):
    """A question. Its asker is a user, or a visitor known only by a session, or none after they deleted it."""

    text = models.CharField(max_length=MAX_QUESTION_LENGTH)
    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=leave_what_others_rest_on, related_name="questions"
    )
    visitor = models.UUIDField(null=True, blank=True)
    """Drawn for the visitor's session; not the session's own key, which would open it."""
    asked_at = models.DateTimeField(auto_now_add=True)
    starred = models.BooleanField(default=False)
    """Whether who asked wants to find it again."""
    may_be_labelled = models.BooleanField(default=False)
    """Whether who asked lets annotators be given it: its words and its graph, never who asked."""

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=~Q(text=""), name="question_is_not_empty"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["visitor", "-asked_at"])]

    def __str__(self) -> str:
        return self.text


class SideBySide(models.Model):
    """A question that was asked in several ways at once, to set them side by side: each way is a run of its own.

    Who may read, stop or delete it follows from its question, as for a run.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    """Unguessable: anyone with the link may look."""
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="side_by_side")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.question} side by side"


class ReasoningRun(ClaimedWork):
    """One attempt of the engine at a question. Its id cannot be guessed: anyone with the link may look."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="runs")
    side_by_side = models.ForeignKey(SideBySide, null=True, blank=True, on_delete=models.CASCADE, related_name="runs")
    """What it was asked with in other ways; None where it was asked alone."""
    graph = models.CharField(max_length=100)
    graph_title = models.CharField(max_length=200)
    graph_version = models.CharField(max_length=100)
    topic = models.CharField(max_length=200, blank=True)
    """The mid of the topic entity where the asker chose it."""
    scorer = models.CharField(max_length=100)
    strategy = models.CharField(max_length=40, default="reads")
    """The name of a strategy of `reasoning.strategies.registry`."""
    switches = models.JSONField(default=dict, blank=True)
    """`reasoning.core.switches.EngineSwitches` by name; what is left out is as usual."""
    decided = models.JSONField(default=list, blank=True)
    """The events of a judged question, without facts, whose decisions the run shows again; no model is asked then."""
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="variants")
    """The run that this one goes on from, with one change. It goes with that one, whose question it holds."""
    original = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="tree")
    """The run at the root of the tree of variants; None for that run itself."""
    change = models.JSONField(default=dict, blank=True)
    """What was decided otherwise: a `webapp.asking.runs.changes.ChangeIn`; empty where nothing was."""
    what_if = models.CharField(max_length=MAX_WHAT_IF_LENGTH, blank=True)
    """The change in a few words, as it was when it was made."""

    queue = models.CharField(
        max_length=16, choices=[(queue.value, queue.value) for queue in Queue], default=Queue.CPU.value
    )
    """Where it waits for a worker: computed when it is queued by a user."""
    last_seq = models.PositiveIntegerField(default=0)
    """The number of the last event; events count from 1 without gaps."""
    answers = models.JSONField(default=list, blank=True)
    """The labels of the first few answers."""
    verdict = models.CharField(max_length=32, blank=True)

    started_at = models.DateTimeField(null=True, blank=True)
    until = inf
    """On the monotonic clock: when the worker that holds the run ends it. Not stored."""

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            known_status("run"),
            claimed_while_running("run"),
            end_when_over("run"),
            models.CheckConstraint(
                condition=Q(parent__isnull=True, original__isnull=True, change={})
                | Q(parent__isnull=False, original__isnull=False) & ~Q(change={}),
                name="run_changes_its_parent",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["lease_until"], name="run_not_over", condition=Q(status__in=(Status.QUEUED, Status.RUNNING))
            )
        ]

    def __str__(self) -> str:
        return f"{self.question} ({self.status})"


class RunEvent(models.Model):
    """One event of a run; written before it is sent to anybody, and never changed."""

    run = models.ForeignKey(ReasoningRun, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=32)
    event = models.JSONField()
    """A `StageEvent` as JSON."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["run", "seq"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["run", "seq"], name="event_has_its_own_seq"),
            models.CheckConstraint(condition=Q(seq__gte=1), name="event_counts_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"
