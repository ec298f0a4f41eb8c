"""The questions by which models are judged before one becomes the default, and which therefore never train."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from kgstore.store import GraphStoreError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.registry import FORMATS
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.datasets.files import SAMPLE
from webapp.datasets.models import Dataset, Question
from webapp.datasets.selectors import dataset_loaded
from webapp.datasets.services import dataset_register
from webapp.datasets.worker import DatasetBusyError, dataset_load
from webapp.evaluations.models import EvaluatedQuestion
from webapp.models.pipelines.models import HeldOut
from webapp.platform.http.errors import ProductError, graph_error, room_ensure
from webapp.platform.work.lease import ClaimLostError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webapp.accounts.viewer import Viewer
    from webapp.models.pipelines.schemas import HeldOutIn

_ROWS_AT_ONCE = 2_000


def held_out_pinned() -> HeldOut | None:
    """What is pinned now; None where nothing ever was."""
    return HeldOut.objects.select_related("dataset", "pinner").first()


def held_out_pin(*, wanted: HeldOutIn, viewer: Viewer) -> HeldOut:
    """Pin the questions by which models are judged from now on; where exactly these are pinned, nothing changes.

    Raises:
        ProductError: the viewer may not, there is no such dataset or graph, or no question on that side of its split.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    room_ensure()
    dataset = _dataset(wanted, viewer)
    graph = wanted.graph or engine.default_graph()
    try:
        engine.graph(graph).info()
    except GraphStoreError as error:
        raise graph_error(error, status=422) from error
    count = dataset.validation if wanted.split == "validation" else dataset.questions_stored
    if not count:
        message = f"“{dataset.name}” has no question on that side of its split. Choose another one."
        raise ProductError(422, "no_question", message)
    pinned = held_out_pinned()
    same = {"dataset": dataset, "split": wanted.split, "limit": wanted.limit, "graph": graph}
    if pinned is not None and all(getattr(pinned, name) == value for name, value in same.items()):
        return pinned
    with transaction.atomic():
        row = HeldOut.objects.create(**same, questions=count, pinner=viewer.user)
        audited(viewer, Audited.HELD_OUT_PINNED, row, before="" if pinned is None else str(pinned))
    return row


def _dataset(wanted: HeldOutIn, viewer: Viewer) -> Dataset:
    found = dataset_loaded(name=wanted.dataset, version=wanted.version)
    if found is not None:
        if FORMATS[found.format].of_people:
            message = f"People asked the questions of “{found.name}”, and an evaluation would show them. Choose others."
            raise ProductError(422, "of_people", message, dataset=found.name)
        return found
    if wanted.dataset != SAMPLE or wanted.version is not None:
        message = f"There is no dataset “{wanted.dataset}” that is loaded. Load it first, on the page Datasets."
        raise ProductError(422, "unknown_dataset", message)
    try:
        sample, _ = dataset_register(SAMPLE_FOLDER, name=SAMPLE, format="discern", file=SAMPLE, starter=viewer.user)
        return dataset_load(sample, SAMPLE_FOLDER)
    except (DatasetBusyError, DatasetError, ClaimLostError) as error:
        message = "The bundled sample is being loaded just now. Try again in a moment."
        raise ProductError(409, "dataset_busy", message) from error


def held_out_questions() -> Iterator[tuple[str, str]]:
    """The identity and the hash of the text of every question that never trains.

    They are those that were ever pinned, and those that an evaluation asked as the validation side of a dataset.
    """
    pinned = Q()
    for dataset, split in HeldOut.objects.values_list("dataset", "split").distinct():
        pinned |= Q(dataset=dataset) if split == "all" else Q(dataset=dataset, split=split)
    if pinned:
        yield from Question.objects.filter(pinned).values_list("identity", "text_hash").iterator(_ROWS_AT_ONCE)
    asked = EvaluatedQuestion.objects.filter(evaluation__split="validation", dataset_question__isnull=False)
    yield from (
        asked.order_by()
        .values_list("dataset_question__identity", "dataset_question__text_hash")
        .distinct()
        .iterator(_ROWS_AT_ONCE)
    )
