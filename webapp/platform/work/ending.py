"""Notifies features that work of another feature has ended."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from webapp.platform.extension_points import ExtensionPoint

if TYPE_CHECKING:
    from uuid import UUID

log = logging.getLogger(__name__)

work_ended: ExtensionPoint[[UUID], None] = ExtensionPoint()
"""Called after the commit with the id of work that has ended. It is not called if the process dies just
then, so those who wait must also poll, in `Moves.recover`."""


def publish_ended(pk: UUID) -> None:
    """Publish that work has ended; an error of a subscriber is logged."""
    try:
        work_ended(pk)
    except Exception:
        log.exception("a subscriber failed after the work %s ended", pk)
