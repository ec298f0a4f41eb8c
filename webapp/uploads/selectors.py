"""What is read of uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.accounts.permissions import Action, may_ensure
from webapp.platform.http.errors import ProductError
from webapp.platform.http.file_parts import PART_BYTES
from webapp.uploads.models import Upload
from webapp.uploads.schemas import UploadOut

if TYPE_CHECKING:
    import uuid

    from webapp.accounts.viewer import Viewer


def upload_get(*, upload_id: uuid.UUID, viewer: Viewer) -> Upload:
    """An upload of the viewer's own.

    Raises:
        ProductError: the viewer may send no files, or sent none of this id.

    """
    may_ensure(viewer, Action.UPLOAD_FILES)
    upload = Upload.objects.filter(pk=upload_id, owner=viewer.user).first() if viewer.user else None
    if upload is None:
        raise ProductError(404, "unknown_upload", "This file is not here any more. Choose it again.")
    return upload


def upload_out(upload: Upload) -> UploadOut:
    """An upload, and how much of it is here."""
    return UploadOut(
        id=upload.pk,
        name=upload.name,
        bytes=upload.bytes,
        received=upload.received,
        part_bytes=PART_BYTES,
        sha256=upload.sha256,
    )
