"""Label exports: formats, what would go in, and the file."""

from typing import Annotated, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Query, Router
from ninja import Status as Reply

from reasoning.exports.registry import EXPORT_FORMATS
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.accounts.viewer import viewer
from webapp.evaluations.overlays.schemas import OverlayOut
from webapp.evaluations.overlays.selectors import overlay_out
from webapp.evaluations.overlays.site_key import site_signer
from webapp.labelling.exports import schemas
from webapp.labelling.exports.overlays import export_overlay, keep_overlay
from webapp.labelling.exports.selectors import (
    export_choices,
    export_format,
    export_parts,
    export_preview,
    export_selection,
)
from webapp.labelling.exports.snapshot import accepted_snapshot
from webapp.labelling.projects.selectors import project_get
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import MAX_NAME_LENGTH
from webapp.platform.http.openapi import file_answer
from webapp.platform.http.streaming import streamed_file

router = Router(tags=["annotation"])

# Each its own: ninja keeps a default in what it is given.
FormatName = Annotated[str, Query(max_length=MAX_NAME_LENGTH)]
SelectionName = Annotated[str, Query(max_length=MAX_NAME_LENGTH)]
People = Annotated[Literal["names", "pseudonyms"], Query()]


@router.get(
    "/exports",
    response={200: schemas.ExportChoicesOut, 403: ErrorOut},
    operation_id="label_export_choices",
)
def choices(request: HttpRequest) -> schemas.ExportChoicesOut:
    """The formats that labels are exported in, with what each cannot say, and which labels one may choose."""
    who = viewer(request)
    may_ensure(who, Action.LABEL)
    return export_choices(may_keep_overlay=may(who, Action.MANAGE_EVALUATIONS))


@router.get(
    "/projects/{uuid:project_id}/export",
    response={200: schemas.ExportPreviewOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="label_export_preview",
)
def preview(
    request: HttpRequest,
    project_id: UUID,
    format: FormatName = "discern",  # noqa: A002 - what it is called everywhere
    labels: SelectionName = "all",
) -> schemas.ExportPreviewOut:
    """How many labels would go into a file, and how many not, and why."""
    who = viewer(request)
    return export_preview(
        project_get(project_id=project_id, viewer=who),
        format_=export_format(format),
        selection=export_selection(labels),
        viewer=who,
    )


@router.get(
    "/projects/{uuid:project_id}/export/file",
    response={403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="label_export_file",
    openapi_extra=file_answer(*sorted({each.media_type for each in EXPORT_FORMATS.values()})),
)
def file(
    request: HttpRequest,
    project_id: UUID,
    format: FormatName = "discern",  # noqa: A002 - what it is called everywhere
    labels: SelectionName = "all",
    people: People = "names",
    *,
    moves: bool = False,
) -> HttpResponseBase:
    """The labels of a project as a file; it is made while it is sent."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    format_ = export_format(format)
    parts = export_parts(
        project,
        format_=format_,
        selection=export_selection(labels),
        viewer=who,
        pseudonyms=people == "pseudonyms",
        moves=moves,
    )
    return streamed_file(parts, name=f"labels-{project_id}.{format_.ending}", media_type=format_.media_type)


@router.post(
    "/projects/{uuid:project_id}/accepted/dataset",
    response={201: schemas.AcceptedDatasetOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="label_export_dataset",
)
def dataset(request: HttpRequest, response: HttpResponse, project_id: UUID) -> Reply[schemas.AcceptedDatasetOut]:
    """Make a dataset of the accepted labels; where a version holds exactly these, that one."""
    who = viewer(request)
    made = accepted_snapshot(project_get(project_id=project_id, viewer=who), viewer=who)
    response["Location"] = f"/datasets/{made.pk}"
    return Reply(201, schemas.AcceptedDatasetOut(dataset=made.pk, questions=made.questions_stored))


@router.get(
    "/projects/{uuid:project_id}/export/overlay",
    response={403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="label_export_overlay",
    openapi_extra=file_answer("application/json"),
)
def overlay(
    request: HttpRequest, project_id: UUID, labels: SelectionName = "all", people: People = "names"
) -> HttpResponse:
    """The corrections of the dataset's labels that those of a project come to, signed by the site."""
    who = viewer(request)
    content = export_overlay(
        project_get(project_id=project_id, viewer=who),
        selection=export_selection(labels),
        viewer=who,
        pseudonyms=people == "pseudonyms",
        signer=site_signer(request),
    )
    headers = {"Content-Disposition": f'attachment; filename="overlay-{project_id}.json"'}
    return HttpResponse(content, content_type="application/json; charset=utf-8", headers=headers)


@router.post(
    "/projects/{uuid:project_id}/export/overlay",
    response={201: OverlayOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="label_export_overlay_keep",
)
def overlay_kept(
    request: HttpRequest, project_id: UUID, labels: SelectionName = "all", people: People = "names"
) -> Reply[OverlayOut]:
    """Keep these corrections for the evaluations of the dataset; where the same are kept already, those."""
    who = viewer(request)
    kept = keep_overlay(
        project_get(project_id=project_id, viewer=who),
        selection=export_selection(labels),
        viewer=who,
        pseudonyms=people == "pseudonyms",
        signer=site_signer(request),
    )
    return Reply(201, overlay_out(kept))
