"""Choosing an evaluation's questions among those of its dataset, once, before the first is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.db import transaction

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.identity import QuestionKey
from reasoning.datasets.question import RefusedQuestion
from reasoning.evaluation.judging.selection import REFUSED_KEPT, check_topics, questions_hash, select
from reasoning.evaluation.judging.settings import EvaluationSettings
from webapp import engine
from webapp.datasets.files import dataset_path, kept_file
from webapp.datasets.services import dataset_register
from webapp.datasets.worker import dataset_load
from webapp.evaluations.files.manifest import manifest_of
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.others import given_kept, predictions_done, predictions_preview, predictions_read
from webapp.evaluations.questions.seen import learned_by
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.selection import Part
    from reasoning.evaluation.predictions.predictions import Predictions
    from webapp.datasets.models import Dataset

SEED = 0
"""What fixes the draw where not all questions are asked."""
_ROWS_AT_ONCE = 500


def questions_select(evaluation: Evaluation) -> None:
    """Choose the questions among those of the dataset. Two workers may do so at once; one writes."""
    dataset = evaluation.snapshot or _snapshot(evaluation)
    settings = EvaluationSettings.from_json(evaluation.switches)
    rows = {row.question_id: row for row in dataset.questions.order_by("position").iterator(_ROWS_AT_ONCE)}
    selection = select(
        (row.to_benchmark() for row in rows.values()),
        settings,
        store=engine.graph(evaluation.graph) if evaluation.graph else None,
        part=cast("Part", evaluation.split),
        limit=evaluation.limit,
        seed=SEED,
    )
    questions = selection.questions
    left_out = {**selection.left_out, **dataset.malformed_reasons}
    if not questions:
        why = "; ".join(f"{reason}: {count:,}" for reason, count in left_out.items())
        line = f" Left out were: {why}." if why else " Choose another split."
        raise DatasetError(f"“{evaluation.dataset}” holds no such question that could be judged.{line}")
    if evaluation.graph and settings.topics == "gold":
        check_topics(questions, engine.graph(evaluation.graph))
    predictions = _predictions(evaluation)
    if predictions is not None:
        predictions = predictions.distinguished(selection.wordings, {question.id for question in questions})
    given = None if predictions is None else predictions_preview(evaluation, predictions, questions)
    keys = [QuestionKey(rows[question.id].identity, rows[question.id].text_hash) for question in questions]
    learned = None if predictions is not None else learned_by(evaluation.scorer, settings.strategy)
    refused = dataset.malformed.order_by("position")[:REFUSED_KEPT]
    with transaction.atomic():
        unread = Evaluation.objects.filter(pk=evaluation.pk, total__isnull=True, status=Status.QUEUED)
        if not unread.update(
            total=len(questions),
            snapshot=dataset,
            left_out=left_out,
            refused=[RefusedQuestion(row.place, row.reason, row.detail).to_json() for row in refused],
            fingerprint=dataset.file_sha256,
            compared_by=questions[0].compared_by,
            seen_in_training=None if learned is None else learned.overlap(keys).to_json(),
            predictions=given,
            manifest=_manifest(evaluation, dataset, questions, given),
        ):
            return
        EvaluatedQuestion.objects.bulk_create(
            (
                EvaluatedQuestion(
                    evaluation=evaluation,
                    position=position,
                    dataset_question=rows[question.id],
                    seen=None if learned is None else learned.has(key),
                    question_id=question.id,
                    text=question.text,
                    labels=dict(question.labels),
                    gold=question.to_json(),
                    given=None if predictions is None else given_kept(predictions.of(question)),
                )
                for position, (question, key) in enumerate(zip(questions, keys, strict=True), start=1)
            ),
            batch_size=_ROWS_AT_ONCE,
        )
    predictions_done(evaluation)


def _predictions(evaluation: Evaluation) -> Predictions | None:
    """What another system predicted; None where Discern answers, or another worker chose the questions just now.

    Raises:
        DatasetError: its file is gone or wrong.

    """
    try:
        return predictions_read(evaluation)
    except DatasetError:
        # The file goes once it was read.
        if Evaluation.objects.filter(pk=evaluation.pk, total__isnull=False).exists():
            return None
        raise


def _manifest(
    evaluation: Evaluation,
    dataset: Dataset,
    questions: Sequence[BenchmarkQuestion],
    predictions: Mapping[str, Any] | None,
) -> dict[str, Any]:
    return manifest_of(
        scorer=evaluation.scorer,
        settings=evaluation.switches,
        dataset={
            "name": evaluation.dataset,
            "format": evaluation.format,
            "version": dataset.version,
            "file_sha256": dataset.file_sha256,
            "split": evaluation.split,
            "limit": evaluation.limit,
            "seed": SEED,
            "questions": len(questions),
            "questions_sha256": questions_hash(questions),
        },
        graph={"name": evaluation.graph or None, "title": evaluation.graph_title, "version": evaluation.graph_version},
        predictions=predictions,
    )


def own_graphs(evaluation: Evaluation) -> Path:
    """The file whose rows hold the questions' own graphs.

    Raises:
        DatasetError: it is gone.

    """
    if evaluation.snapshot is None:
        return dataset_path(evaluation.dataset)
    kept = kept_file(evaluation.snapshot)
    if kept is None:
        raise DatasetError(f"The file of “{evaluation.dataset}” is gone, and with it the graphs of its questions.")
    return kept


def _snapshot(evaluation: Evaluation) -> Dataset:
    """The version of the dataset that the site's file holds now, loaded where it is not.

    Raises:
        DatasetBusyError: another worker loads it.
        DatasetError: it cannot be loaded.

    """
    path = dataset_path(evaluation.dataset)
    name = evaluation.dataset
    dataset, _ = dataset_register(path, name=name, format=evaluation.format, file=name, starter=evaluation.starter)
    try:
        return dataset_load(dataset, path)
    except ClaimLostError as error:
        raise DatasetError(f"The load of “{name}” was stopped. Load it, then resume this evaluation.") from error
