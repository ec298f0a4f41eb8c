"""Sending files to the site, part by part."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.viewer import viewer
from webapp.platform.http.errors import ErrorOut, ProductError
from webapp.platform.http.file_parts import PART_BYTES, PART_TYPE, is_part
from webapp.uploads.schemas import LARGEST_FILE, UploadIn, UploadOut
from webapp.uploads.selectors import upload_get, upload_out
from webapp.uploads.services import upload_append, upload_create, upload_remove

router = Router(tags=["uploads"])
_PART = {
    "requestBody": {
        "required": True,
        "content": {PART_TYPE: {"schema": {"type": "string", "format": "binary", "minLength": 1}}},
    }
}


@router.post("", response={201: UploadOut, 403: ErrorOut, 413: ErrorOut, 422: ErrorOut}, operation_id="upload_create")
def create(request: HttpRequest, payload: UploadIn) -> Reply[UploadOut]:
    """Begin to send a file; its parts follow."""
    return Reply(201, upload_out(upload_create(name=payload.name, size=payload.bytes, viewer=viewer(request))))


@router.get("/{uuid:upload_id}", response={200: UploadOut, 403: ErrorOut, 404: ErrorOut}, operation_id="upload_get")
def get(request: HttpRequest, upload_id: UUID) -> UploadOut:
    """How much of a file is here."""
    return upload_out(upload_get(upload_id=upload_id, viewer=viewer(request)))


@router.put(
    "/{uuid:upload_id}",
    response={200: UploadOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 413: ErrorOut, 422: ErrorOut},
    operation_id="upload_append",
    openapi_extra=_PART,
)
def append(request: HttpRequest, upload_id: UUID, offset: Annotated[int, Query(ge=0, le=LARGEST_FILE)]) -> UploadOut:
    """Send the part of a file that begins at a byte, which is where the last part ended."""
    upload = upload_get(upload_id=upload_id, viewer=viewer(request))
    if not is_part(request):
        raise ProductError(415, "not_a_part", f"Send a part of a file as bytes, with Content-Type: {PART_TYPE}.")
    return upload_out(upload_append(upload=upload, offset=offset, part=request.read(PART_BYTES + 1)))


@router.delete(
    "/{uuid:upload_id}",
    response={204: None, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="upload_remove",
)
def remove(request: HttpRequest, upload_id: UUID) -> Reply[None]:
    """Give a file up."""
    upload_remove(upload=upload_get(upload_id=upload_id, viewer=viewer(request)))
    return Reply(204, None)
