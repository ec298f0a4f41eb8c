"""Loading a dataset's questions into rows: one loop for the command and for workers.

The file is read from its beginning each time. What is stored already is passed over, so a load that was stopped or
killed resumes where it stopped. Rows and the counts that say how many there are change in one transaction.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from kgstore.characters import characters_mended
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.identity import SNAPSHOT_ALGORITHM, QuestionKey, SnapshotDigest
from reasoning.datasets.question import BenchmarkQuestion, RefusedQuestion
from reasoning.datasets.registry import read_dataset, recognised
from webapp.datasets.models import Dataset, MalformedEntry, Question
from webapp.platform.disk import room_check
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

ROWS_AT_ONCE = 2_000
SECONDS_AT_ONCE = 1.0
"""What was read is written at least so often."""
MALFORMED_KEPT = 10_000
"""Maximum of malformed entries that are kept. All of them are counted."""


def questions_load(dataset: Dataset, path: Path, *, stored: Callable[[], None]) -> None:
    """Read a dataset's file into rows, as the holder of its claim; ``stored`` is called after each batch.

    What ``stored`` raises ends the load; what was stored stays.

    Raises:
        ClaimLostError: the load was cancelled, or another worker holds it.
        DatasetError: the file cannot be read, is not of the format, or holds no question.
        NoRoomError: the disk is nearly full.

    """
    loader = _Loader(dataset, stored)
    try:
        loader.read(read_dataset(path, dataset.format))
    except DatasetError as error:
        loader.store()
        if loader.found or not (others := recognised(path)):
            raise
        looks = " or ".join(known.title for known in others)
        raise DatasetError(f"{error} The file looks like one of {looks}: load it in that format.") from error
    loader.finish()


class _Loader:
    """One pass through the file of a dataset."""

    def __init__(self, dataset: Dataset, stored: Callable[[], None]) -> None:
        self._dataset = dataset
        self._held = Dataset.objects.filter(pk=dataset.pk, claim=dataset.claim, status=Status.RUNNING)
        self._stored = stored
        self._known_questions = dataset.questions_stored
        self._known_malformed = dataset.malformed_found
        self._questions: list[Question] = []
        self._malformed: list[MalformedEntry] = []
        self._digest = SnapshotDigest()
        self._splits: Counter[str] = Counter()
        self._gold_missing: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._compared_by = ""
        self._at = time.monotonic()

    @property
    def found(self) -> int:
        """How many questions were read."""
        return self._splits.total()

    def read(self, entries: Iterable[BenchmarkQuestion | RefusedQuestion]) -> None:
        for entry in entries:
            if isinstance(entry, RefusedQuestion):
                self._refuse(entry)
            else:
                self._add(entry)
            if len(self._questions) >= ROWS_AT_ONCE or time.monotonic() - self._at > SECONDS_AT_ONCE:
                self.store()

    def finish(self) -> None:
        """Store the rest, and say that all questions are there."""
        if not self._splits:
            raise DatasetError(f"“{self._dataset.file}” contains no question. Choose another file.")
        self.store(
            status=Status.SUCCEEDED,
            reason="",
            malformed_reasons=dict(self._reasons),
            gold_missing=dict(self._gold_missing),
            train=self._splits["train"],
            validation=self._splits["validation"],
            compared_by=self._compared_by,
            identity=self._digest.hexdigest(),
            identity_algorithm=SNAPSHOT_ALGORITHM,
            claim=None,
            lease_until=None,
            finished_at=timezone.now(),
        )

    def store(self, **more: object) -> None:
        """Write what was read since the last time."""
        room_check()
        read = max(self._splits.total(), self._known_questions)
        found = max(self._reasons.total(), self._known_malformed)
        # Another attempt that is still alive would have stored more; then this one has lost its claim.
        before = Q(questions_stored=read - len(self._questions))
        with transaction.atomic():
            if not self._held.filter(before).update(questions_stored=read, malformed_found=found, **more):
                raise ClaimLostError
            Question.objects.bulk_create(self._questions, batch_size=ROWS_AT_ONCE)
            MalformedEntry.objects.bulk_create(self._malformed, batch_size=ROWS_AT_ONCE)
        news = bool(self._questions or self._malformed)
        self._questions.clear()
        self._malformed.clear()
        self._at = time.monotonic()
        if news:
            self._stored()

    def _add(self, question: BenchmarkQuestion) -> None:
        self._splits[question.split] += 1
        if problem := question.gold_problem:
            self._gold_missing[problem] += 1
        self._compared_by = self._compared_by or question.compared_by
        position = self._splits.total()
        row = Question.of(self._dataset, position, question, QuestionKey.of(self._dataset.name, question))
        self._digest.add(row.document)
        if position > self._known_questions:
            self._questions.append(row)

    def _refuse(self, entry: RefusedQuestion) -> None:
        self._reasons[characters_mended(entry.reason)[:200]] += 1
        position = self._reasons.total()
        if self._known_malformed < position <= MALFORMED_KEPT:
            self._malformed.append(
                MalformedEntry(
                    dataset=self._dataset,
                    position=position,
                    place=characters_mended(entry.place)[:300],
                    reason=characters_mended(entry.reason)[:200],
                    detail=characters_mended(entry.detail)[:1_000],
                )
            )
