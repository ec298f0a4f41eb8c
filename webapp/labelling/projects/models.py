"""Projects, their people and guidelines, tasks, who works on which, and every move of a label."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from reasoning.strategies.registry import DEFAULT, READINGS
from webapp.datasets.models import Dataset, Question
from webapp.platform.work.constraints import claimed_while_running, end_when_over, known_status
from webapp.platform.work.queues import Queue
from webapp.platform.work.state_machine import WorkItem

MAX_TITLE_LENGTH = 200
MAX_GUIDELINE_LENGTH = 50_000
MAX_COMMENT_LENGTH = 2_000
MAX_TASKS = 100_000
MAX_CHOSEN = 5_000
"""Maximum of questions of a new project that are named one by one."""
MAX_PEOPLE = 500


class Order(models.TextChoices):
    """In which order tasks are handed out."""

    GIVEN = "given", "as in the dataset"
    RANDOM = "random", "at random"
    CHOSEN = "chosen", "as they were chosen"
    ASKED = "asked", "what people ask most often first"
    DOUBT = "doubt", "where the model is least sure first"


class Suggests(models.TextChoices):
    """What is suggested to those who label."""

    NOTHING = "nothing", "nothing"
    DATASET = "dataset", "what the dataset says"
    MODEL = "model", "what a model decides"


class Project(models.Model):
    """Questions to be labelled over one version of one graph, and by how many people each."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=MAX_TITLE_LENGTH)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="projects")
    graph = models.CharField(max_length=100)
    graph_title = models.CharField(max_length=200)
    graph_version = models.CharField(max_length=100)
    """What is labelled holds for this version alone."""
    overlap = models.PositiveSmallIntegerField(default=1)
    """Number of people who label each task."""
    order = models.CharField(max_length=16, choices=Order.choices, default=Order.GIVEN)
    suggests = models.CharField(max_length=16, choices=Suggests.choices, default=Suggests.NOTHING)
    """Whether the dataset's gold derivations are suggested, see `webapp.labelling.projects.labels.prelabels`, or what
    the model of its `Suggesting` decides."""
    blind_percent = models.PositiveSmallIntegerField(default=0)
    """Percentage of tasks without suggestions."""
    qualification_size = models.PositiveSmallIntegerField(default=0)
    """Number of questions of a qualification; 0 for none. See `webapp.labelling.projects.labels.qualification`."""
    qualification_percent = models.PositiveSmallIntegerField(default=80)
    """The mean, in a hundred, that a qualification round has to reach."""
    known_percent = models.PositiveSmallIntegerField(default=0)
    """Percentage of tasks with known answers; see `webapp.labelling.projects.labels.known_answers`."""
    tasks_total = models.PositiveIntegerField(default=0)
    """Without those of qualification rounds."""
    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="projects_made"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(order__in=Order.values), name="project_order_is_known"),
            models.CheckConstraint(condition=Q(suggests__in=Suggests.values), name="project_suggests_what_is_known"),
            models.CheckConstraint(condition=Q(overlap__gte=1), name="project_overlap_is_one_at_least"),
            models.CheckConstraint(condition=Q(blind_percent__lte=100), name="project_blind_percent_is_a_share"),
            models.CheckConstraint(
                condition=Q(qualification_percent__lte=100, known_percent__lte=100), name="project_quality_is_in_shares"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class MemberRole(models.TextChoices):
    """What a member of a project is there for; see `webapp.labelling.projects.roles`."""

    ANNOTATOR = "annotator", "annotator"
    REVIEWER = "reviewer", "reviewer"
    MANAGER = "manager", "manager"


class Standing(models.TextChoices):
    """The state of an annotator's qualification round."""

    OPEN = "open", "not done yet"
    PASSED = "passed", "passed"
    FAILED = "failed", "not passed"
    LET_IN = "let_in", "let in"


class Member(models.Model):
    """A member of a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="members")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=MemberRole.choices, default=MemberRole.ANNOTATOR)
    labels = models.BooleanField(default=True)
    """Whether they get tasks; reviewers and managers may, annotators do."""
    joined_at = models.DateTimeField(auto_now_add=True)
    left_at = models.DateTimeField(null=True, blank=True)
    """Since when they are none any more."""
    standing = models.CharField(max_length=16, choices=Standing.choices, default=Standing.OPEN)
    """With the qualification round, where the project has one."""
    round = models.PositiveSmallIntegerField(default=1)
    """The qualification round that is theirs: they were let try again one time less."""
    guideline_seen = models.PositiveIntegerField(default=0)
    """The version of the guideline that they had before them at their last task; 0 for none."""

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["project", "person"], name="member_is_in_a_project_once"),
            models.CheckConstraint(condition=Q(role__in=MemberRole.values), name="member_role_is_known"),
            models.CheckConstraint(condition=Q(standing__in=Standing.values), name="member_standing_is_known"),
            models.CheckConstraint(
                condition=~Q(role=MemberRole.ANNOTATOR) | Q(labels=True), name="member_who_is_an_annotator_labels"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} in {self.project}"


class Guideline(models.Model):
    """A version of what a project asks of those who label; never changed."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    """From 1."""
    text = models.TextField(max_length=MAX_GUIDELINE_LENGTH, blank=True)
    changed = models.CharField(max_length=300, blank=True)
    """What has changed since the version before."""
    because = models.ForeignKey("Task", null=True, blank=True, on_delete=models.SET_NULL, related_name="guidelines")
    """The task whose labels led to this version."""
    writer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="guidelines"
    )
    written_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["project", "-version"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["project", "version"], name="guideline_has_its_own_version"),
        ]

    def __str__(self) -> str:
        return f"{self.project}, version {self.version}"


class Task(models.Model):
    """A question of a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="tasks")
    position = models.PositiveIntegerField()
    """From 1, in the order in which tasks are handed out; those of qualification rounds come after all others."""
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="tasks")
    free = models.PositiveSmallIntegerField()
    """Number of further people who may take it: the overlap, less the current assignments; 0 in a qualification."""
    round = models.PositiveSmallIntegerField(default=0)
    """The qualification round that it belongs to, which everybody labels; 0 for none."""
    known = models.JSONField(null=True, blank=True)
    """The `webapp.labelling.projects.labels.known_answers.Known` that labels are measured against; None for most
    tasks."""
    blind = models.BooleanField(default=False)
    """Whether who labels it sees no suggestion."""
    suggestion = models.JSONField(null=True, blank=True)
    """The `webapp.labelling.projects.labels.prelabels.Prelabel`; None while it was not needed, and no model decided
    it."""
    doubt = models.FloatField(null=True, blank=True)
    """Uncertainty of the model that suggests, from 0 to 1; None where it was not asked, or gave no probability."""
    rank = models.PositiveIntegerField(null=True, blank=True)
    """Its place where the project's order is by doubt, from 1; see
    `webapp.labelling.projects.labels.uncertainty_order`. None comes last."""

    class Meta:
        ordering: ClassVar[list[str]] = ["project", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["project", "position"], name="task_has_its_own_position"),
            models.UniqueConstraint(fields=["project", "question"], name="task_is_one_of_a_question"),
            models.CheckConstraint(
                condition=Q(round=0) | Q(free=0, known__isnull=False), name="task_of_a_round_has_known_answers"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project", "position"], name="task_is_free", condition=Q(free__gt=0)),
            models.Index(fields=["project", "round"], name="task_of_a_round", condition=Q(round__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.project}, task {self.position}"


class Suggesting(WorkItem):
    """What a model decides for the tasks of a project that are not blind, in their order, ahead of those who label."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="suggesting")
    scorer = models.CharField(max_length=100)
    strategy = models.CharField(max_length=40, default=DEFAULT)
    width = models.PositiveSmallIntegerField(default=READINGS.usual)
    """How many readings a strategy keeps that keeps several."""
    queue = models.CharField(
        max_length=16, choices=[(queue.value, queue.value) for queue in Queue], default=Queue.CPU_BACKGROUND.value
    )
    """Where it waits for a worker: computed when it is queued by a user."""
    wanted = models.PositiveIntegerField()
    """The number of tasks that are to get a suggestion."""
    position = models.PositiveIntegerField(default=0)
    """That of the last task that the model was asked; the worker goes on after it."""
    found = models.PositiveIntegerField(default=0)
    """The number of tasks with an answer, whose path is suggested."""
    unanswered = models.PositiveIntegerField(default=0)
    """The number of tasks without an answer, or whose run failed."""
    late = models.PositiveIntegerField(default=0)
    """The number of tasks that a person opened before their turn; they stay without a suggestion."""

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            known_status("suggesting"),
            claimed_while_running("suggesting"),
            end_when_over("suggesting"),
        ]

    def __str__(self) -> str:
        return f"suggestions for {self.project} ({self.status})"


class State(models.TextChoices):
    """The state of an annotator's work on a task."""

    OPEN = "open", "open"
    SKIPPED = "skipped", "skipped"
    SUBMITTED = "submitted", "handed in"
    ADJUDICATING = "adjudicating", "adjudicating"
    """A reviewer's draft of what is accepted: not one of the labels of the task. See
    `webapp.labelling.adjudication`."""


class Assignment(models.Model):
    """An annotator's work on a task: the result of their actions, and whether the task is reserved for them.

    An assignment holds its task while its lease runs, and for good once it is handed in, also where it is sent back. A
    lease that lapsed, and a skipped task, give the task back; the draft stays.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="assignments")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="assignments")
    """That of the task."""
    round = models.PositiveSmallIntegerField(default=0)
    """That of the task."""
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="assignments"
    )
    """None where they were deleted: others' work may rest on theirs."""
    state = models.CharField(max_length=16, choices=State.choices, default=State.OPEN)
    holds = models.BooleanField(default=True)
    """Whether it is counted in `Task.free`."""
    lease_until = models.DateTimeField(null=True, blank=True)
    """None unless it is open and holds its task, and was not sent back."""
    sent_back = models.BooleanField(default=False)
    """Whether it was sent back, see `SentBack`, and not handed in again."""
    draft = models.JSONField(default=dict, blank=True)
    """What the moves fold to: a `webapp.labelling.projects.draft.Draft`."""
    last = models.PositiveIntegerField(default=0)
    """The number of the last move; moves count from 1 without gaps."""
    flagged = models.BooleanField(default=False)
    """That of the draft."""
    seconds = models.PositiveIntegerField(default=0)
    """Of active time."""
    timed_at = models.DateTimeField(null=True, blank=True)
    """When active time was last reported."""
    guideline = models.PositiveIntegerField(default=0)
    """The version of the guideline at its last move."""
    started_at = models.DateTimeField(auto_now_add=True)
    moved_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    answers = models.JSONField(null=True, blank=True)
    """The terms that the label gave on its graph when it was handed in; None while it is not."""
    score = models.FloatField(null=True, blank=True)
    """From 0 to 1, how right the answers of what was handed in are; None where they are not known."""

    class Meta:
        ordering: ClassVar[list[str]] = ["task", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["task", "person"], name="assignment_is_one_of_a_person"),
            models.CheckConstraint(condition=Q(state__in=State.values), name="assignment_state_is_known"),
            models.CheckConstraint(
                condition=Q(state=State.OPEN)
                | Q(state__in=(State.SKIPPED, State.ADJUDICATING), holds=False)
                | Q(state=State.SUBMITTED, holds=True),
                name="assignment_holds_what_is_handed_in",
            ),
            models.CheckConstraint(
                condition=Q(state=State.OPEN, holds=True, sent_back=False, lease_until__isnull=False)
                | Q(lease_until__isnull=True),
                name="assignment_has_a_lease_only_while_it_is_open",
            ),
            models.CheckConstraint(
                condition=Q(sent_back=False) | ~Q(state=State.SUBMITTED),
                name="assignment_sent_back_is_not_handed_in",
            ),
            models.CheckConstraint(
                condition=Q(state=State.SUBMITTED, answers__isnull=False)
                | (~Q(state=State.SUBMITTED) & Q(answers__isnull=True)),
                name="assignment_gives_answers_once_handed_in",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(state=State.SUBMITTED), name="assignment_has_a_score_once_handed_in"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project", "lease_until"], name="assignment_lapses"),
            models.Index(fields=["project", "person", "state"], name="assignment_of_a_person"),
            models.Index(fields=["person"], name="assignment_is_sent_back", condition=Q(sent_back=True)),
            models.Index(
                fields=["project", "-submitted_at", "-id"],
                name="assignment_handed_in",
                condition=Q(state=State.SUBMITTED),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task} by {self.person}: {self.state}"


class SentBack(models.Model):
    """A label that a reviewer gave back to who made it, with what is to be changed, and what they replied."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="sendings_back")
    sender = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="labels_sent_back"
    )
    comment = models.TextField(max_length=MAX_COMMENT_LENGTH)
    last = models.PositiveIntegerField()
    """The number of the last move of the label that was sent back."""
    against = models.JSONField(null=True, blank=True)
    """The draft of what the reviewer would accept, where they show it to the label's maker."""
    sent_at = models.DateTimeField(auto_now_add=True)
    reply = models.TextField(max_length=MAX_COMMENT_LENGTH, blank=True)
    """Written until the label is handed in again."""
    answered_at = models.DateTimeField(null=True, blank=True)
    """When it was handed in again."""

    class Meta:
        ordering: ClassVar[list[str]] = ["assignment", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["assignment"], name="label_is_sent_back_once_at_a_time", condition=Q(answered_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment}, sent back"


class Move(models.Model):
    """One action of an annotator; only ever appended."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="moves")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="moves", db_index=False)
    """That of the assignment."""
    number = models.PositiveIntegerField()
    move_id = models.UUIDField()
    """Drawn by the browser."""
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="moves"
    )
    at = models.DateTimeField(auto_now_add=True)
    """When it arrived."""
    was = models.JSONField()
    now = models.JSONField()
    fields = models.CharField(max_length=300)
    """The names of the fields that it changes, sorted, with spaces between."""
    undoes = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["assignment", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["assignment", "number"], name="move_has_its_own_number"),
            models.UniqueConstraint(fields=["assignment", "move_id"], name="move_counts_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # With all that a log is filtered by, so that counting does not read the moves themselves.
            models.Index(fields=["project", "-at", "-id", "who", "fields", "assignment"], name="move_of_a_project"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment}, move {self.number}"

    @classmethod
    def of(cls, assignment: Assignment, *, now: dict[str, Any], **more: Any) -> Self:
        """A move of a draft, not saved yet, with what it is found by: its project, and the fields that it changes."""
        found_by = {"project_id": assignment.project_id, "fields": " ".join(sorted(now))}
        return cls(assignment=assignment, now=now, **found_by, **more)
