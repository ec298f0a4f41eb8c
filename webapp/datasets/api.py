"""Loading datasets, looking at their questions and at what in their files is no question."""

import csv
import io
from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.permissions import Action, may
from webapp.accounts.viewer import viewer
from webapp.datasets.schemas import DatasetIn, DatasetOut, DatasetPageOut, MalformedPageOut, QuestionPageOut
from webapp.datasets.selectors import (
    dataset_get,
    dataset_out,
    dataset_page,
    malformed_page,
    malformed_table,
    question_page,
    questions_read_ensure,
)
from webapp.datasets.services import (
    dataset_archive,
    dataset_cancel,
    dataset_create,
    dataset_remove,
    dataset_reread,
    dataset_resume,
)
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import Number
from webapp.platform.http.openapi import file_answer

router = Router(tags=["datasets"])

Words = Annotated[str, Query(max_length=1_000)]
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("", response={200: DatasetPageOut, 422: ErrorOut}, operation_id="dataset_list")
def list_(
    request: HttpRequest, search: Words = "", *, archived: bool = False, offset: Number = 0, limit: Limit = 50
) -> DatasetPageOut:
    """Datasets, newest first, and what can be loaded."""
    may_manage = may(viewer(request), Action.MANAGE_DATASETS)
    return dataset_page(search=search, archived=archived, offset=offset, limit=limit, may_manage=may_manage)


@router.post("", response={201: DatasetOut, 403: ErrorOut, 422: ErrorOut, 503: ErrorOut}, operation_id="dataset_create")
def create(request: HttpRequest, response: HttpResponse, payload: DatasetIn) -> Reply[DatasetOut]:
    """Load a file of the site's folder of datasets; where the same was loaded before, that is the one."""
    dataset = dataset_create(wanted=payload, viewer=viewer(request))
    response["Location"] = f"/datasets/{dataset.pk}"
    return Reply(201, dataset_out(dataset))


@router.get("/{uuid:dataset_id}", response={200: DatasetOut, 404: ErrorOut}, operation_id="dataset_get")
def get(request: HttpRequest, dataset_id: UUID) -> DatasetOut:
    """A dataset, and how far its load is."""
    return dataset_out(dataset_get(dataset_id=dataset_id))


@router.post(
    "/{uuid:dataset_id}/cancel",
    response={200: DatasetOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="dataset_cancel",
)
def cancel(request: HttpRequest, dataset_id: UUID) -> DatasetOut:
    """Stop a load; what was stored stays."""
    return dataset_out(dataset_cancel(dataset=dataset_get(dataset_id=dataset_id), viewer=viewer(request)))


@router.post(
    "/{uuid:dataset_id}/resume",
    response={200: DatasetOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="dataset_resume",
)
def resume(request: HttpRequest, dataset_id: UUID) -> DatasetOut:
    """Go on with a load that was stopped or failed."""
    return dataset_out(dataset_resume(dataset=dataset_get(dataset_id=dataset_id), viewer=viewer(request)))


@router.post(
    "/{uuid:dataset_id}/reread",
    response={201: DatasetOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="dataset_reread",
)
def reread(request: HttpRequest, response: HttpResponse, dataset_id: UUID) -> Reply[DatasetOut]:
    """Read the file of a loaded dataset again, as the next version."""
    dataset = dataset_reread(dataset=dataset_get(dataset_id=dataset_id), viewer=viewer(request))
    response["Location"] = f"/datasets/{dataset.pk}"
    return Reply(201, dataset_out(dataset))


@router.post(
    "/{uuid:dataset_id}/archive",
    response={200: DatasetOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="dataset_archive",
)
def archive(request: HttpRequest, dataset_id: UUID) -> DatasetOut:
    """Offer a dataset no more; what points at it stays as it is."""
    dataset = dataset_get(dataset_id=dataset_id)
    return dataset_out(dataset_archive(dataset=dataset, viewer=viewer(request), archived=True))


@router.post(
    "/{uuid:dataset_id}/restore",
    response={200: DatasetOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="dataset_restore",
)
def restore(request: HttpRequest, dataset_id: UUID) -> DatasetOut:
    """Offer an archived dataset again."""
    dataset = dataset_get(dataset_id=dataset_id)
    return dataset_out(dataset_archive(dataset=dataset, viewer=viewer(request), archived=False))


@router.delete(
    "/{uuid:dataset_id}",
    response={204: None, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="dataset_remove",
)
def remove(request: HttpRequest, dataset_id: UUID) -> Reply[None]:
    """Remove a dataset at which nothing points."""
    dataset_remove(dataset=dataset_get(dataset_id=dataset_id), viewer=viewer(request))
    return Reply(204, None)


@router.get(
    "/{uuid:dataset_id}/questions",
    response={200: QuestionPageOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="dataset_question_list",
)
def questions(
    request: HttpRequest, dataset_id: UUID, search: Words = "", after: Number = 0, limit: Limit = 50
) -> QuestionPageOut:
    """The questions after a position that have the words in their text or id; what people asked, for few alone."""
    dataset, who = dataset_get(dataset_id=dataset_id), viewer(request)
    questions_read_ensure(dataset=dataset, viewer=who)
    return question_page(dataset=dataset, viewer=who, search=search, after=after, limit=limit)


@router.get(
    "/{uuid:dataset_id}/malformed",
    response={200: MalformedPageOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="dataset_malformed_list",
)
def malformed(request: HttpRequest, dataset_id: UUID, after: Number = 0, limit: Limit = 50) -> MalformedPageOut:
    """The entries of the file that are no questions, after a position."""
    return malformed_page(dataset=dataset_get(dataset_id=dataset_id), after=after, limit=limit)


@router.get(
    "/{uuid:dataset_id}/malformed.csv",
    response={404: ErrorOut},
    operation_id="dataset_malformed_csv",
    openapi_extra=file_answer("text/csv"),
)
def malformed_csv(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The entries of the file that are no questions, as a table."""
    text = io.StringIO()
    csv.writer(text).writerows(malformed_table(dataset_get(dataset_id=dataset_id)))
    return HttpResponse(
        text.getvalue(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="dataset-{dataset_id}-malformed.csv"'},
    )
