"""Tells the features that wait for work of other features that it has ended."""

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


def tell_ended(pk: UUID) -> None:
    """Tell that work has ended; it does not fail because of what others do then."""
    try:
        work_ended(pk)
    except Exception:
        log.exception("not everything began that follows the work %s", pk)
