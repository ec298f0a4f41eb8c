"""Datasets: snapshots of benchmark files, each with its questions and with what in the file is no question."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from reasoning.datasets.question import BenchmarkQuestion
from webapp.platform.work.constraints import claimed_while_running, end_when_over, known_status
from webapp.platform.work.state_machine import WorkItem
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from reasoning.datasets.identity import QuestionKey


class Dataset(WorkItem):
    """One version of a dataset: what one file held when it was loaded. Once loaded, its questions never change.

    Another file under the same name is the next version. Loading is background work, a state machine like that of
    trainings: a worker, or the command ``load_dataset``, holds it by a claim under a lease.
    """

    name = models.CharField(max_length=200)
    version = models.PositiveIntegerField()
    """From 1, within the name."""
    format = models.CharField(max_length=32)
    file = models.CharField(max_length=300)
    """The name of the file at its uploader, or its path within the site's folder of datasets."""
    second_file = models.CharField(max_length=300, blank=True)
    """The name of the file that was read with it, where the format has one: MetaQA's types."""
    file_sha256 = models.CharField(max_length=64)
    """See `webapp.datasets.files.dataset_fingerprint`."""
    file_bytes = models.PositiveBigIntegerField()
    """Of both files."""
    reader_version = models.PositiveSmallIntegerField(default=0)
    """That of the format when the file was read (`reasoning.datasets.source.Format`); 0 where it was not kept."""

    reading = models.PositiveSmallIntegerField(default=1)
    """From 1: the same file can be read again under the same name, as another version."""

    questions_stored = models.PositiveIntegerField(default=0)
    """The number of questions that are stored; the load resumes after them."""
    malformed_found = models.PositiveIntegerField(default=0)
    """The number of entries of the file that are no questions; `MalformedEntry` keeps the first of them."""
    malformed_reasons = models.JSONField(default=dict, blank=True)
    """How many there are of each reason; empty until the whole file was read."""
    train = models.PositiveIntegerField(default=0)
    validation = models.PositiveIntegerField(default=0)
    """How many questions are on either side of the fixed split; 0 until all are loaded."""
    gold_missing = models.JSONField(default=dict, blank=True)
    """Questions without a gold derivation, counted per `BenchmarkQuestion.gold_problem`; empty until all are loaded."""
    compared_by = models.CharField(max_length=8, blank=True)
    """``id`` or ``name``: what tells entities apart; empty until all are loaded."""
    identity = models.CharField(max_length=64, blank=True)
    """The hash of the canonical listing of its questions, in hexadecimal; empty until all are loaded."""
    identity_algorithm = models.CharField(max_length=40, blank=True)
    """What made it: `reasoning.datasets.identity.SNAPSHOT_ALGORITHM`."""

    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="datasets"
    )
    archived_at = models.DateTimeField(null=True, blank=True)
    """Since when it is not offered any more."""

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["name", "version"], name="dataset_has_its_own_version"),
            models.UniqueConstraint(
                fields=["name", "format", "file_sha256", "reader_version", "reading"],
                name="dataset_of_a_file_is_loaded_once",
            ),
            known_status("dataset"),
            claimed_while_running("dataset"),
            end_when_over("dataset"),
            models.CheckConstraint(
                condition=(Q(status=Status.SUCCEEDED) & ~Q(identity="") & ~Q(identity_algorithm=""))
                | (~Q(status=Status.SUCCEEDED) & Q(identity="", identity_algorithm="")),
                name="dataset_has_an_identity_exactly_when_loaded",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version} ({self.status})"

    @property
    def is_loaded(self) -> bool:
        """Whether all its questions are rows, so that it may be evaluated."""
        return self.status == Status.SUCCEEDED


class Question(models.Model):
    """A question of a dataset. Evaluations point at it; it is never changed, but goes where who asked it deletes it."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveIntegerField()
    """From 1, in the order of the file."""
    question_id = models.CharField(max_length=200)
    """Its id in the dataset."""
    text = models.CharField(max_length=2_000)
    identity = models.CharField(max_length=64)
    """`reasoning.datasets.identity.identity_hash`: the same in every version of the dataset."""
    text_hash = models.CharField(max_length=64)
    """`reasoning.datasets.identity.text_hash`, of the normalised text."""
    split = models.CharField(max_length=16)
    """``train`` or ``validation``."""
    document = models.JSONField()
    """The `BenchmarkQuestion` as JSON: topics, gold answers, gold paths and labels."""

    class Meta:
        ordering: ClassVar[list[str]] = ["dataset", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["dataset", "position"], name="question_has_its_own_position"),
            models.UniqueConstraint(fields=["dataset", "question_id"], name="question_has_its_own_id"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} {self.text}"

    @classmethod
    def of(cls, dataset: Dataset, position: int, question: BenchmarkQuestion, key: QuestionKey) -> Question:
        """The row of a question, not saved yet."""
        return cls(
            dataset=dataset,
            position=position,
            question_id=question.id,
            text=question.text,
            identity=key.identity,
            text_hash=key.text,
            split=question.split,
            document=question.to_json(),
        )

    def to_benchmark(self) -> BenchmarkQuestion:
        """What was read from the file."""
        return BenchmarkQuestion.from_json(self.document)


class MalformedEntry(models.Model):
    """An entry of a dataset's file that is no question, and why."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="malformed")
    position = models.PositiveIntegerField()
    """From 1, among what is malformed."""
    place = models.CharField(max_length=300)
    """Where it stands: ``line 12``, ``question 3 (WebQTrn-2)``."""
    reason = models.CharField(max_length=200)
    """In words that can be counted."""
    detail = models.CharField(max_length=1_000)
    """What is wrong, for people."""

    class Meta:
        ordering: ClassVar[list[str]] = ["dataset", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["dataset", "position"], name="malformed_entry_has_its_own_position"),
        ]

    def __str__(self) -> str:
        return f"{self.place}: {self.detail}"
