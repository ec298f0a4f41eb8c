"""What follows when the labels of a task change: one is handed in, taken up again or sent back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.platform.extension_points import ExtensionPoint

if TYPE_CHECKING:
    from webapp.labelling.projects.models import Task

labels_changed: ExtensionPoint[[Task], None] = ExtensionPoint()
"""Called within the transaction of the change, while the row of the project is locked."""
