"""Trainings: each makes a scorer with its own name, or the weights of a strategy."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.datasets.models import Dataset
from webapp.platform.work.one_at_a_time import one_at_a_time
from webapp.platform.work.queues import Queue
from webapp.platform.work.state_machine import WorkItem


class Topics(models.TextChoices):
    """What is taught of topic entities; see `reasoning.training.recipe.recipe.Source.topics`."""

    NAMED = "named", "they are found in the question"
    GIVEN = "given", "they are given"


class TrainingKind(models.TextChoices):
    """What a training makes. The names of scorers are those of `reasoning.scorers.registry.KINDS`."""

    ENCODER = "encoder", "an encoder"
    CAUSAL = "causal", "a language model"
    STRATEGY = "strategy", "the weights of a strategy"


SCORER_KINDS = [(kind.value, kind.label) for kind in (TrainingKind.ENCODER, TrainingKind.CAUSAL)]
"""Of a training that makes a scorer."""


class Training(WorkItem):
    """A model in the making: a state machine like that of runs, one claim of which holds at a time.

    What it learned lies in its model's folder, up to the last whole epoch, so that a resumed training continues there.
    """

    name = models.CharField(max_length=60)
    """What the scorer will be called; the name of the strategy, of weights of one."""
    kind = models.CharField(max_length=16, choices=TrainingKind.choices, default=TrainingKind.ENCODER)
    base = models.CharField(max_length=200, blank=True)
    """The language model that is fine-tuned, by a name of `webapp.models.trainings.trainers.bases`; empty for all
    others."""
    queue = models.CharField(
        max_length=16,
        choices=[(queue.value, queue.value) for queue in Queue if queue.is_background],
        default=Queue.CPU_BACKGROUND.value,
    )
    """Where it waits for a worker."""
    recipe = models.CharField(max_length=100, blank=True)
    """The name of a recipe; empty where the training has `lessons` instead."""
    recipe_text = models.TextField(blank=True)
    """The file of the recipe, where it was sent to this site: another of the same name changes nothing here."""
    start = models.CharField(max_length=100, blank=True)
    """The model whose weights it goes on from; as the recipe says, or from none, where it is left out."""
    how = models.JSONField(default=dict, blank=True)
    """Of `reasoning.training.recipe.settings.TrainingSettings`, the settings besides epochs and seed that differ from
    the default."""
    epochs = models.PositiveSmallIntegerField(null=True, blank=True)
    """Maximum of epochs; the recipe's where it is left out."""
    seed = models.PositiveIntegerField(null=True, blank=True)

    stage = models.CharField(max_length=100, blank=True)
    epoch = models.PositiveSmallIntegerField(default=0)
    of_epochs = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Batches or questions of the stage."""
    loss = models.FloatField(null=True, blank=True)
    log = models.JSONField(default=list, blank=True)
    """What was done so far: ``{"at", "stage", "epoch", "done", "loss"}`` as each stage, or epoch, came to its end."""

    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="trainings"
    )

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *one_at_a_time("training", in_each=("queue",)),
            models.CheckConstraint(
                condition=~Q(kind=TrainingKind.CAUSAL) & Q(base="") | Q(kind=TrainingKind.CAUSAL) & ~Q(base=""),
                name="training_has_a_base_if_of_a_language_model",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"


class TrainingLesson(models.Model):
    """Questions that a training reads: those of a snapshot with the graph that they are taught over, or the sample."""

    training = models.ForeignKey(Training, on_delete=models.CASCADE, related_name="lessons")
    dataset = models.ForeignKey(Dataset, null=True, blank=True, on_delete=models.PROTECT, related_name="lessons")
    """None for the bundled sample."""
    graph = models.CharField(max_length=100, blank=True)
    """The graph of this site; empty for the bundled sample."""
    share = models.FloatField(default=1.0)
    """The share of samples that training draws from here, relative to the shares of the other lessons."""
    topics = models.CharField(max_length=8, choices=Topics.choices, default=Topics.NAMED)
    overlay = models.UUIDField(null=True, blank=True)
    """The corrections that are laid over the questions, where some are."""
    least_precision = models.FloatField(null=True, blank=True)
    """Where given, weak labels are taught: derivations found from answers alone, at least so precise."""

    class Meta:
        ordering: ClassVar[list[str]] = ["training", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(share__gt=0), name="lesson_has_a_share"),
        ]

    def __str__(self) -> str:
        return "the bundled sample" if self.dataset is None else f"{self.dataset.name}, version {self.dataset.version}"


class SiteRecipe(models.Model):
    """A recipe that was sent to this site; one of the same name takes its place.

    Trainings keep the text that they began with.
    """

    name = models.CharField(max_length=60, unique=True)
    text = models.TextField()
    sender = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="recipes"
    )
    sent_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return self.name
