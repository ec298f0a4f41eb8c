"""Taking files in: begun with a name and a size, then part by part in order, then whole; or given up.

A part that was lost, or whose answer was, is sent again: the sender asks how much has arrived and continues from there.
A file that no work holds is removed a day after its last part.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import re
import shutil
import time
from contextlib import contextmanager
from datetime import timedelta
from typing import IO, TYPE_CHECKING

from django.conf import settings
from django.utils import timezone

from webapp.accounts.permissions import Action, may_ensure
from webapp.platform.disk import DISK_FULL, is_no_room, room_for, write_refused
from webapp.platform.http.errors import ProductError, room_ensure
from webapp.platform.http.file_parts import part_size_ensure
from webapp.uploads.models import Upload, uploads_folder

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator

    from webapp.accounts.viewer import Viewer

log = logging.getLogger(__name__)

KEPT = timedelta(days=1)
"""How long a file stays that no work holds, counted from its last part or from when it was last held."""
_MEGABYTE = 1_000_000
_UNUSUAL = re.compile(r"[^\w.-]+", re.ASCII)
_MAX_STORED_LENGTH = 80
_FULL = "The disk of this site is full, so this file could not be taken to its end. Send it again once there is room."


def upload_create(*, name: str, size: int, viewer: Viewer) -> Upload:
    """Begin to take a file of ``size`` bytes; what others left behind long ago is removed.

    Raises:
        ProductError: the viewer may not, or the file is empty, too large, or larger than the room on disk.

    """
    may_ensure(viewer, Action.UPLOAD_FILES)
    room_ensure()
    uploads_expire()
    most = settings.ENVIRONMENT.upload_mb * _MEGABYTE
    if size == 0:
        raise ProductError(422, "empty_file", "This file is empty. Choose another one.")
    if size > most:
        message = (
            f"This file is too large to be sent: it may have {most / _MEGABYTE:,.0f} MB. "
            "Compress it with gzip, or ask the administrator to load it by command."
        )
        raise ProductError(413, "too_large", message, limit=most)
    if fault := room_for(size, uploads_folder().parent):
        log.error("an upload is refused: %s", fault)
        raise ProductError(503, DISK_FULL, f"{fault} Free space on the server, or send a smaller file.")
    upload = Upload(name=name, stored_name=_stored_name(name), bytes=size, owner=viewer.user)
    try:
        upload.path.parent.mkdir(parents=True)
        upload.path.touch()
    except OSError as error:
        shutil.rmtree(upload.path.parent, ignore_errors=True)
        raise _write_failure(error) from error
    upload.save()
    return upload


def upload_append(*, upload: Upload, offset: int, part: bytes) -> Upload:
    """Take the part of a file that begins at ``offset``, which is where the last one ended.

    Raises:
        ProductError: the part is empty or too large, it begins elsewhere, another one is being written, the file is
            whole, or the disk is full; what was there before stays.

    """
    part_size_ensure(len(part))
    with _alone(upload) as file:
        received = os.fstat(file.fileno()).st_size
        if offset != received:
            raise ProductError(409, "wrong_offset", f"Go on from byte {received:,} of this file.", received=received)
        if received + len(part) > upload.bytes:
            message = f"This is more than the {upload.bytes:,} bytes that were announced. Send the file again."
            raise ProductError(422, "wrong_part", message, received=received)
        room_ensure()
        try:
            file.write(part)
            file.flush()
        except OSError as error:
            file.truncate(received)
            raise _write_failure(error) from error
    if upload.received == upload.bytes:
        _finish(upload)
    return upload


def upload_remove(*, upload: Upload) -> None:
    """Forget a file, whole or not.

    Raises:
        ProductError: work holds it.

    """
    if Upload.objects.filter(pk=upload.pk, is_held=False).delete()[0] == 0:
        if Upload.objects.filter(pk=upload.pk).exists():
            raise ProductError(409, "held_upload", "This file is being read. Stop what reads it first.")
        return
    shutil.rmtree(upload.path.parent, ignore_errors=True)


def upload_whole(*, upload_id: uuid.UUID, viewer: Viewer) -> Upload:
    """A file of the viewer's own that is here to its end.

    Raises:
        ProductError: the viewer sent no such file, or it is not whole.

    """
    upload = Upload.objects.filter(pk=upload_id, owner=viewer.user).first() if viewer.user else None
    if upload is None or not upload.path.exists():
        raise ProductError(422, "unknown_upload", "This file is not here any more. Choose it again.")
    if upload.received < upload.bytes:
        message = (
            f"Only {upload.received:,} of {upload.bytes:,} bytes of “{upload.name}” are here. Send the rest first."
        )
        raise ProductError(422, "upload_not_whole", message)
    return upload


def upload_hold(*, upload_id: uuid.UUID, viewer: Viewer) -> Upload:
    """Take a whole file for work that is to read it: it stays until `upload_release` or `upload_consume`.

    Raises:
        ProductError: the viewer sent no such file, it is not whole, or other work holds it.

    """
    upload = upload_whole(upload_id=upload_id, viewer=viewer)
    if not upload.sha256:
        _finish(upload)
    if not Upload.objects.filter(pk=upload.pk, is_held=False).update(is_held=True):
        raise ProductError(409, "held_upload", f"“{upload.name}” is being read already. Send it again for this.")
    upload.is_held = True
    return upload


def upload_release(upload: Upload) -> None:
    """Let a file go that was not used up: it stays for a day, for another try."""
    if upload.path.exists():
        os.utime(upload.path)
    Upload.objects.filter(pk=upload.pk).update(is_held=False)


def upload_consume(upload: Upload) -> None:
    """Remove a file that was read to its end."""
    Upload.objects.filter(pk=upload.pk).delete()
    shutil.rmtree(upload.path.parent, ignore_errors=True)


def uploads_expire() -> int:
    """Remove the files that nothing uses and whose upload has stopped; return how many."""
    old = Upload.objects.filter(is_held=False, created_at__lt=timezone.now() - KEPT)
    expired = [upload for upload in old if _age(upload) > KEPT.total_seconds()]
    for upload in expired:
        upload_remove(upload=upload)
    return len(expired)


def _age(upload: Upload) -> float:
    """Seconds since its last part."""
    try:
        return time.time() - upload.path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


@contextmanager
def _alone(upload: Upload) -> Iterator[IO[bytes]]:
    """The file, locked for writing."""
    try:
        file = upload.path.open("ab")
    except FileNotFoundError as error:
        raise ProductError(404, "unknown_upload", "This file is not here any more. Choose it again.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = "Another part of this file is being written. Try again in a moment."
            raise ProductError(409, "wrong_offset", message, received=upload.received) from error
        yield file


def _finish(upload: Upload) -> None:
    with upload.path.open("rb") as content:
        upload.sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    upload.save(update_fields=["sha256"])


def _stored_name(name: str) -> str:
    """A name for the disk that keeps the endings of the one given: ``Ünï côde.tsv.gz`` is ``n_c_de.tsv.gz``."""
    plain = _UNUSUAL.sub("_", name).lstrip("._-")[-_MAX_STORED_LENGTH:].lstrip("._-")
    return plain or "file"


def _write_failure(error: OSError) -> ProductError:
    if not is_no_room(error):
        raise error
    write_refused(error)
    return ProductError(503, DISK_FULL, _FULL)
