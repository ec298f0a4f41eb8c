"""Evaluations of other systems: their file of predictions, from the page to the questions that it answers."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reasoning.datasets.errors import DatasetError
from reasoning.evaluation.predictions.prediction_files import first_predictions, read_predictions
from reasoning.evaluation.predictions.predictions import Given
from webapp import engine
from webapp.accounts.permissions import Action, may_ensure
from webapp.evaluations.schemas import PredictedFieldOut, PredictedOut, PredictionsLookOut
from webapp.platform.http.errors import ProductError
from webapp.uploads.services import upload_consume, upload_hold, upload_whole

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Sequence

    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.predictions.predictions import GivenAnswer, Predictions
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.models import Evaluation
    from webapp.evaluations.schemas import PredictionsIn
    from webapp.uploads.models import Upload

_SHOWN = 5
"""Maximum of predictions that are shown before a file is judged, and of answers of each."""
_MAX_SHOWN_LENGTH = 200


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
    with _called(upload):
        return read_predictions(upload.path)


def predictions_look(*, upload_id: uuid.UUID, viewer: Viewer) -> PredictionsLookOut:
    """What a file that was sent predicts first, before it is judged.

    Raises:
        ProductError: the viewer may start no evaluation or sent no such file, it is not whole, or it is no file of
            predictions.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    upload = upload_whole(upload_id=upload_id, viewer=viewer)
    try:
        with _called(upload):
            first = first_predictions(upload.path)
    except DatasetError as error:
        raise ProductError(422, "wrong_predictions", str(error)) from error
    if first is None:
        return PredictionsLookOut(too_large=True, fields=[], first=[], looked_at=0, is_all=False)
    return PredictionsLookOut(
        too_large=False,
        fields=[PredictedFieldOut(name=name, predictions=count) for name, count in first.fields.items()],
        first=[_predicted_out(key, given) for key, given in first.entries[:_SHOWN]],
        looked_at=len(first.entries),
        is_all=first.is_all,
    )


def _predicted_out(key: str, given: Given) -> PredictedOut:
    return PredictedOut(
        question=_shortened(key),
        answers=[_shortened(_as_read(answer)) for answer in given.answers[:_SHOWN]],
        answers_total=len(given.answers),
    )


def _as_read(answer: GivenAnswer) -> str:
    if answer.id and answer.name:
        return f"{answer.name} ({answer.id})"
    return answer.id or answer.name or answer.text


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[:_MAX_SHOWN_LENGTH]}…"


@contextmanager
def _called(upload: Upload) -> Iterator[None]:
    """Let a fault name the file as its uploader does: on disk it has another name."""
    try:
        yield
    except DatasetError as error:
        raise DatasetError(str(error).replace(str(upload.path), f"“{upload.name}”")) from error


def predictions_preview(
    evaluation: Evaluation, predictions: Predictions, questions: Sequence[BenchmarkQuestion]
) -> dict[str, Any]:
    """What is shown of a file that was read.

    Raises:
        DatasetError: it predicts nothing of these questions.

    """
    return {
        **(evaluation.predictions or {}),
        "questions": predictions.questions,
        "matched": predictions.matched(questions),
        "repeated": predictions.repeated,
        "fields": list(predictions.fields),
    }


def predictions_done(evaluation: Evaluation) -> None:
    """Let go of a file that was read."""
    if evaluation.upload is not None:
        upload_consume(evaluation.upload)


def given_kept(given: Given | None) -> dict[str, Any] | None:
    """What was predicted, as it is kept with the question."""
    return None if given is None else given.to_json()


def given_read(kept: dict[str, Any] | list[list[str]] | None) -> Given | None:
    """The same, read."""
    return None if kept is None else Given.from_json(kept)
