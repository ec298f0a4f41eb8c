"""Reads of explorations that people keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.db.models import Q

from webapp.accounts.permissions import Action, may_ensure
from webapp.explorer.models import Exploration, Readers
from webapp.explorer.schemas import ExplorationContentOut, ExplorationOut, ExplorationPageOut
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    import uuid

    from webapp.accounts.viewer import Viewer
    from webapp.explorer.schemas import ReadersOut


def exploration_get(*, exploration_id: uuid.UUID) -> Exploration:
    """An exploration, regardless of who may read it.

    Raises:
        ProductError: there is none of this id.

    """
    exploration = Exploration.objects.select_related("owner").filter(pk=exploration_id).first()
    if exploration is None:
        raise ProductError(404, "unknown_exploration", "There is no such exploration; it may have been deleted.")
    return exploration


def exploration_read(*, exploration_id: uuid.UUID, viewer: Viewer) -> Exploration:
    """An exploration that the viewer may read.

    Raises:
        ProductError: there is none of this id, or the viewer may not.

    """
    exploration = exploration_get(exploration_id=exploration_id)
    is_shared = exploration.readers == Readers.LINK or (exploration.readers == Readers.PEOPLE and viewer.user)
    if is_shared or exploration_is_own(exploration=exploration, viewer=viewer):
        return exploration
    if viewer.user is None:
        raise ProductError(401, "sign_in_first", "Sign in to open this exploration.")
    raise ProductError(403, "not_your_exploration", "The author of this exploration does not share it.")


def exploration_is_own(*, exploration: Exploration, viewer: Viewer) -> bool:
    """Whether the viewer keeps it."""
    return viewer.user is not None and exploration.owner_id == viewer.user.pk


def exploration_page(*, viewer: Viewer, offset: int, limit: int) -> ExplorationPageOut:
    """Some of the viewer's own explorations and of those that are shared with all people, the last saved first.

    Raises:
        ProductError: the viewer is not signed in.

    """
    may_ensure(viewer, Action.KEEP_EXPLORATIONS)
    found = Exploration.objects.filter(Q(owner=viewer.user) | Q(readers=Readers.PEOPLE))
    page = found.select_related("owner").defer("content").order_by("-updated_at", "pk")[offset : offset + limit]
    return ExplorationPageOut(explorations=[exploration_out(each, viewer) for each in page], total=found.count())


def exploration_out(exploration: Exploration, viewer: Viewer) -> ExplorationOut:
    """What an exploration is, without what was drawn."""
    return ExplorationOut(
        id=exploration.pk,
        name=exploration.name,
        graph=exploration.graph,
        graph_version=exploration.graph_version,
        owner=exploration.owner.display_name,
        mine=exploration_is_own(exploration=exploration, viewer=viewer),
        readers=cast("ReadersOut", exploration.readers),
        revision=exploration.revision,
        created_at=exploration.created_at,
        updated_at=exploration.updated_at,
    )


def exploration_content_out(exploration: Exploration, viewer: Viewer) -> ExplorationContentOut:
    """What an exploration is, with what was drawn."""
    return ExplorationContentOut(**exploration_out(exploration, viewer).model_dump(), content=exploration.content)
