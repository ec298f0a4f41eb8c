"""The agreement of large projects, which a worker computes and which is kept."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from webapp.labelling.projects.models import Project, Task
from webapp.platform.work.constraints import claimed_while_running, end_when_over, known_status
from webapp.platform.work.state_machine import WorkItem


class AgreementWork(WorkItem):
    """Comparing the labels of a project: how far that is, and what it came to last."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="agreement_work")
    turn = models.PositiveIntegerField(default=0)
    """How many times it was started again."""
    stamp = models.CharField(max_length=200)
    """Which labels there were as this turn began; see `webapp.labelling.agreement.stamp`."""
    wanted = models.PositiveIntegerField()
    """The number of questions with labels."""
    done = models.PositiveIntegerField(default=0)
    """The number of questions whose labels are compared."""
    position = models.PositiveIntegerField(default=0)
    """That of the last task that was compared; a worker goes on after it."""
    found = models.JSONField(null=True, blank=True)
    """The `webapp.labelling.agreement.comparing.Found` of the last turn that came to its end; None while none did."""
    found_stamp = models.CharField(max_length=200, blank=True)
    found_turn = models.PositiveIntegerField(default=0)
    found_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            known_status("agreement"),
            claimed_while_running("agreement"),
            end_when_over("agreement"),
        ]

    def __str__(self) -> str:
        return f"agreement of {self.project} ({self.status})"


class ComparedTask(models.Model):
    """A task whose labels were compared in a turn."""

    work = models.ForeignKey(AgreementWork, on_delete=models.CASCADE, related_name="tasks")
    turn = models.PositiveIntegerField()
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    """That of the task."""
    told = models.JSONField()
    """Its `reasoning.agreement.questions.QuestionAgreement`."""
    pairs = models.PositiveIntegerField()
    """The number of pairs of its labels; 0 for one label."""
    agreed = models.BooleanField()
    """Whether all of them say the same."""
    rank = models.FloatField()
    """What the list of the worst goes by, first by this, then by the next ones: see `QuestionAgreement.rank`."""
    rank_derivation = models.FloatField()
    rank_distance = models.FloatField()

    class Meta:
        ordering: ClassVar[list[str]] = ["rank", "rank_derivation", "rank_distance", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["work", "turn", "task"], name="task_is_compared_once_in_a_turn"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["work", "turn", "rank", "rank_derivation", "rank_distance", "position"], name="compared_worst"
            ),
        ]

    def __str__(self) -> str:
        return f"labels of {self.task}, compared"
