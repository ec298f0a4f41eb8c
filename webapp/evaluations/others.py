"""Evaluations of other systems: their file of predictions, from the page to the questions that it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.datasets.errors import DatasetError
from reasoning.evaluation.predictions.predictions import GivenAnswer, read_predictions
from webapp import engine
from webapp.platform.http.errors import ProductError
from webapp.uploads.services import upload_consume, upload_hold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.predictions.predictions import Given, Predictions
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.models import Evaluation
    from webapp.evaluations.schemas import PredictionsIn
    from webapp.uploads.models import Upload


def predictions_take(wanted: PredictionsIn, viewer: Viewer) -> tuple[str, Upload]:
    """The name of the other system, and its file, which is held until a worker has read it.

    Raises:
        ProductError: the name is one of this site's models, or the file is not there.

    """
    system = " ".join(wanted.system.split())
    if not system:
        raise ProductError(422, "unnamed_system", "Say what the system is called whose predictions these are.")
    if system.casefold() in {name.casefold() for name in engine.scorer_names()}:
        message = f"A model of this site is called “{system}”. Give the other system another name."
        raise ProductError(422, "known_scorer", message)
    return system, upload_hold(upload_id=wanted.upload, viewer=viewer)


def predictions_read(evaluation: Evaluation) -> Predictions | None:
    """What an other system's file predicts; None where Discern answers.

    Raises:
        DatasetError: it is gone or no file of predictions; the message says what is wrong in which line.

    """
    if evaluation.predictions is None:
        return None
    upload, name = evaluation.upload, evaluation.predictions["name"]
    if upload is None:
        raise DatasetError(f"The file “{name}” is not here any more. Start a new evaluation with it.")
    try:
        return read_predictions(upload.path)
    except DatasetError as error:
        # On disk it is called otherwise.
        raise DatasetError(str(error).replace(str(upload.path), f"“{name}”")) from error


def predictions_told(
    evaluation: Evaluation, predictions: Predictions, questions: Sequence[BenchmarkQuestion]
) -> dict[str, Any]:
    """What is told of a file that was read.

    Raises:
        DatasetError: it predicts nothing of these questions.

    """
    return {
        **(evaluation.predictions or {}),
        "questions": len(predictions.by_question),
        "matched": predictions.matched(questions),
        "repeated": predictions.repeated,
        "fields": list(predictions.fields),
    }


def predictions_done(evaluation: Evaluation) -> None:
    """Let go of a file that was read."""
    if evaluation.upload is not None:
        upload_consume(evaluation.upload)


def given_kept(given: Given | None) -> list[list[str]] | None:
    """What was predicted, as it is kept with the question."""
    return None if given is None else [answer.to_json() for answer in given]


def given_read(kept: list[list[str]] | None) -> Given | None:
    """The same, read."""
    return None if kept is None else tuple(GivenAnswer.from_json(each) for each in kept)
