"""What follows where the labels of a task become others: one is handed in, taken up again or sent back.

Features that rest on labels register here when Django starts; nothing here knows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from webapp.labelling.projects.models import Task

_FOLLOWERS: list[Callable[[Task], None]] = []


def follow_labels(follower: Callable[[Task], None]) -> None:
    """Have something done with a task whenever its labels became others, within the same transaction."""
    _FOLLOWERS.append(follower)


def labels_changed(task: Task) -> None:
    """Tell that the labels of a task became others; the row of its project is locked."""
    for follower in _FOLLOWERS:
        follower(task)
