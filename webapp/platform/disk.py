"""Room on disk: work is refused or ended while there is still room to write down that it was, and why.

The one setting is the reserve (``DISCERN_DISK_RESERVE_MB``). A disk that fills up at once, a quota and a limit on file
size are met where something is written: what was being done is ended or waits, and `disk_fault` tells it for a while.
"""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

from kgstore.disk import is_disk_full

log = logging.getLogger(__name__)

DISK_FULL = "disk_full"
"""The code of a run and of a request that ended because nothing more can be written."""
RUN_ENDED = "The disk of this site is full, so this could not be written down to its end. Ask again once there is room."
REFUSED = "The disk of this site is full, so it takes nothing new. What is there can still be read. Try again later."
_REFUSED_KEY = "disk:refused"
_PROGRESS_SECONDS = 10
_MEGABYTE = 1_000_000
_SQLITE = "sqlite:///"


class NoRoomError(Exception):
    """Less is free on disk than the reserve, so work that has begun stops; the message says how much."""


def disk_fault() -> str | None:
    """Why the site takes no work, for operators: too little room, or something could not be written just now."""
    fault = reserve_fault()
    if fault is None:
        with contextlib.suppress(RedisError, OSError):
            fault = cache.get(_REFUSED_KEY)
    return fault


def reserve_fault() -> str | None:
    """Where less is free than the reserve; None where all is well. One system call for each folder."""
    reserve = settings.ENVIRONMENT.disk_reserve_mb * _MEGABYTE
    for what, folder in _folders().items():
        try:
            room = os.statvfs(folder)
        except OSError as error:
            return f"Where {what}, the disk cannot be looked at ({error.strerror})."
        free = room.f_bavail * room.f_frsize
        if free < reserve:
            return (
                f"Where {what}, {free / _MEGABYTE:,.0f} MB are free, and the site takes no work below "
                f"{reserve / _MEGABYTE:,.0f} MB (DISCERN_DISK_RESERVE_MB). Free space; it resumes by itself."
            )
        if room.f_flag & os.ST_RDONLY:
            return f"Where {what}, nothing can be written: it is mounted read-only."
    return None


def room_for(size: int, folder: Path) -> str | None:
    """Why ``size`` more bytes do not fit next to the reserve where a folder lies, for people; None where they do."""
    room = os.statvfs(folder)
    free = room.f_bavail * room.f_frsize - settings.ENVIRONMENT.disk_reserve_mb * _MEGABYTE
    if size <= free:
        return None
    return f"{size / _MEGABYTE:,.0f} MB are needed, and the site has room for {max(free, 0) / _MEGABYTE:,.0f} MB."


def room_check() -> None:
    """See, in the midst of work, that there is still room to go on.

    Raises:
        NoRoomError: there is not.

    """
    if fault := reserve_fault():
        raise NoRoomError(fault)


def is_no_room(error: BaseException) -> bool:
    """Whether an error means that nothing more can be written because the disk is full, or nearly."""
    return isinstance(error, NoRoomError) or is_disk_full(error)


def write_refused(error: BaseException) -> None:
    """Take note, for every process of the site, that something could not be written because the disk is full."""
    log.error("the disk is full: %s", error)
    reason = "The disk is full, so something could not be written. Free space; it resumes by itself."
    with contextlib.suppress(RedisError, OSError):
        cache.set(_REFUSED_KEY, reason, timeout=_PROGRESS_SECONDS)


def _folders() -> dict[str, Path]:
    """What the site writes, and the folder in which each lies; what other servers keep is not ours to watch."""
    folders = {"the home folder is": Path(settings.ENVIRONMENT.home)}
    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        folders["the database lies"] = Path(str(database["NAME"])).parent
    address = settings.ENVIRONMENT.graphs
    graphs = Path(address.removeprefix(_SQLITE)).expanduser()
    if address.startswith(_SQLITE) and graphs.is_dir():
        folders["the graphs lie"] = graphs
    return folders
