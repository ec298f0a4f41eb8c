"""Who may see gold: the answers, derivations and accepted labels of a dataset. All routes ask here.

Guests do not see it, nor does an annotator who labels questions of the dataset without seeing its answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.accounts.permissions import refusal
from webapp.platform.extension_points import ExtensionPoint

if TYPE_CHECKING:
    from webapp.accounts.models import User
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.models import Dataset

labelled_blind_titles: ExtensionPoint[[User, str, Dataset | None], str] = ExtensionPoint()
"""The title of a project in which a user labels questions of a dataset without seeing its answers; empty if none."""
_GUEST = "The answers of this dataset are hidden from guests. Sign in to see them."
_LABELS = (
    "You label questions of this dataset in “{}”, so its answers are hidden from you until that project is finished."
)


def gold_hidden(*, viewer: Viewer, name: str, dataset: Dataset | None) -> str:
    """Why a viewer may not see the gold of a dataset, as a sentence; empty if they may.

    Args:
        viewer: Who is looking.
        name: The name of the dataset.
        dataset: Its version; None where it is not kept.

    """
    if viewer.user is None:
        return _GUEST
    user = viewer.user
    title = next(filter(None, labelled_blind_titles(user, name, dataset)), "")
    return _LABELS.format(title) if title else ""


def gold_ensure(*, viewer: Viewer, name: str, dataset: Dataset | None) -> None:
    """Check that a viewer may see the gold of a dataset.

    Raises:
        ProductError: they may not; it says why.

    """
    if why := gold_hidden(viewer=viewer, name=name, dataset=dataset):
        raise refusal(viewer, "gold_hidden", why)
