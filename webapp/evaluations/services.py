"""What people change of evaluations: they start, stop and resume them."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from kgstore.store import GraphStoreError
from reasoning.core.switches import EngineSwitches
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import RefusedQuestion
from reasoning.datasets.registry import FORMATS, read_dataset
from reasoning.evaluation.judging.settings import EvaluationSettings
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.datasets.files import DatasetFile, dataset_file, dataset_files, datasets_folder
from webapp.datasets.selectors import dataset_loaded
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.others import predictions_take
from webapp.evaluations.selectors import evaluation_graph_changed
from webapp.evaluations.working.transitions import evaluation_close, evaluation_deliver, evaluation_refresh_metrics
from webapp.platform.http.errors import ProductError, graph_error, room_ensure
from webapp.platform.http.option_fields import options_of
from webapp.platform.redaction import without_folders
from webapp.platform.work.states import Status
from webapp.uploads.services import upload_release

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.models import Dataset
    from webapp.evaluations.schemas import EvaluationIn

OWN_GRAPHS = "a graph of its own for each question"
"""The title of the graph of such evaluations."""
ENTRIES_LOOKED_AT = 20
"""One of this number of first entries must be a question; else the file is taken to be of another format."""


def evaluation_create(*, wanted: EvaluationIn, viewer: Viewer) -> Evaluation:
    """Queue an evaluation.

    Raises:
        ProductError: the viewer may not, or what is wanted names no known dataset, format, graph, scorer or strategy,
            or the file is not of the format.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    room_ensure()
    name, format_, snapshot = _dataset_chosen(wanted)
    engine.strategy_chosen(wanted.settings.strategy, EngineSwitches.from_json(options_of(wanted.settings)))
    own = FORMATS[format_].own_graphs and not wanted.graph
    try:
        info = None if own else engine.graph(wanted.graph or engine.default_graph()).info()
    except GraphStoreError as error:
        raise graph_error(error, status=422) from error
    if wanted.predictions is None:
        scorer, upload = engine.scorer_chosen(wanted.scorer), None
    else:
        scorer, upload = predictions_take(wanted.predictions, viewer)
    settings = wanted.settings.to_settings()
    try:
        with transaction.atomic():
            evaluation = Evaluation.objects.create(
                note=" ".join(wanted.note.split()),
                group=" ".join(wanted.group.split()),
                dataset=name,
                snapshot=snapshot,
                format=format_,
                split=wanted.split,
                limit=wanted.limit,
                graph="" if info is None else info.name,
                graph_title=OWN_GRAPHS if info is None else info.title,
                graph_version="" if info is None else info.version,
                scorer=scorer,
                predictions=None if upload is None else {"name": upload.name, "sha256": upload.sha256},
                upload=upload,
                switches=settings.to_json(),
                queue=_queue(scorer, settings),
                starter=viewer.user,
                seen_at=timezone.now(),
            )
            audited(viewer, Audited.EVALUATION_STARTED, evaluation.pk, after=f"{name}, {scorer}")
            transaction.on_commit(partial(evaluation_deliver, evaluation))
    except BaseException:
        if upload is not None:
            upload_release(upload)
        raise
    return evaluation


def evaluation_cancel(*, evaluation: Evaluation, viewer: Viewer) -> Evaluation:
    """Stop an evaluation; what was judged stays. An ended one stays as it is.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    with transaction.atomic():
        if evaluation_close(evaluation.pk, Status.CANCELLED):
            audited(viewer, Audited.EVALUATION_CANCELLED, evaluation.pk, before=evaluation.status)
    evaluation.refresh_from_db()
    evaluation_refresh_metrics(evaluation, only_if_due=False)
    return evaluation


def evaluation_resume(*, evaluation: Evaluation, viewer: Viewer) -> Evaluation:
    """Go on with an evaluation that was cancelled or failed; questions that were judged are not asked again.

    Raises:
        ProductError: the viewer may not, or the graph is not what it was.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    changed = evaluation_graph_changed(evaluation)
    if changed:
        raise ProductError(409, "graph_changed", changed)
    with transaction.atomic():
        EvaluatedQuestion.objects.filter(evaluation=evaluation, judged_at__isnull=True).update(attempts=0)
        evaluation.queue = _queue(evaluation.scorer, EvaluationSettings.from_json(evaluation.switches))
        if Evaluation.objects.filter(pk=evaluation.pk, status__in=(Status.CANCELLED, Status.FAILED)).update(
            status=Status.QUEUED, reason="", finished_at=None, seen_at=timezone.now(), queue=evaluation.queue
        ):
            audited(viewer, Audited.EVALUATION_RESUMED, evaluation.pk, before=evaluation.status)
            transaction.on_commit(partial(evaluation_deliver, evaluation))
    evaluation.refresh_from_db()
    return evaluation


def _queue(scorer: str, settings: EvaluationSettings) -> str:
    return engine.queue_of(scorer, settings.strategy, settings).background.value


def _dataset_chosen(wanted: EvaluationIn) -> tuple[str, str, Dataset | None]:
    """The dataset's name and format, and its version; None of a file in the site's folder, which a worker loads.

    Raises:
        ProductError: there is no such dataset, or it is not of the format.

    """
    offered = wanted.version is None and any(file.name == wanted.dataset for file in dataset_files())
    loaded = None if offered else dataset_loaded(name=wanted.dataset, version=wanted.version)
    if loaded is not None:
        if FORMATS[loaded.format].of_people:
            message = f"People asked the questions of “{loaded.name}”, and a report would show them. Choose others."
            raise ProductError(422, "of_people", message, dataset=loaded.name)
        if wanted.format not in (None, loaded.format):
            message = f"“{loaded.name}” was loaded as {FORMATS[loaded.format].title}. Choose that format."
            raise ProductError(422, "wrong_format", message, dataset=loaded.name, format=loaded.format)
        return loaded.name, loaded.format, loaded
    if wanted.version is not None:
        message = f"There is no version {wanted.version} of the dataset “{wanted.dataset}”. Choose one of the list."
        raise ProductError(422, "unknown_dataset", message, dataset=wanted.dataset)
    file = dataset_file(wanted.dataset)
    format_ = wanted.format or file.likely_format
    _format_check(file, format_)
    return file.name, format_, None


def _format_check(file: DatasetFile, format_: str) -> None:
    """See that a question of the format stands near the file's beginning; the rest is read by a worker."""
    if format_ not in FORMATS:
        raise ProductError(
            422, "unknown_format", f"There is no format “{format_}”. Choose one of: {', '.join(FORMATS)}."
        )
    try:
        first = list(islice(read_dataset(file.path, format_), ENTRIES_LOOKED_AT))
    except DatasetError as error:
        raise _wrong_format(file, format_, str(error).replace(str(file.path), "It says")) from error
    refused = [entry for entry in first if isinstance(entry, RefusedQuestion)]
    if refused and len(refused) == len(first):
        raise _wrong_format(file, format_, f"It says, {refused[0].place}: {refused[0].detail}.")
    if not first:
        raise ProductError(422, "empty_dataset", f"“{file.name}” contains no question. Choose another file.")


def _wrong_format(file: DatasetFile, format_: str, says: str) -> ProductError:
    why = without_folders(says, datasets_folder())
    message = f"“{file.name}” is not a file of {FORMATS[format_].title}. {why}"
    return ProductError(422, "wrong_format", message, dataset=file.name, format=format_)
