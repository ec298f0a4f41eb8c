"""What people change of explorations: they keep, save, share and delete them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn, cast

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.explorer.graph import explored_graph
from webapp.explorer.models import MAX_CONTENT_LENGTH, Exploration
from webapp.explorer.saved import exploration_get, exploration_is_own
from webapp.platform.http.errors import ProductError, room_ensure

if TYPE_CHECKING:
    import uuid

    from webapp.accounts.models import User
    from webapp.accounts.viewer import Viewer
    from webapp.explorer.schemas import ExplorationChangeIn, ExplorationIn

MAX_EXPLORATIONS = 200
"""Maximum of saved explorations of one person."""
_FORM = 1
"""Which form of content the page writes."""


def exploration_create(*, wanted: ExplorationIn, viewer: Viewer) -> Exploration:
    """Save a drawing of a user.

    Raises:
        ProductError: the viewer is not signed in, there is no such graph, the content is empty or too large, or they
            have too many.

    """
    may_ensure(viewer, Action.KEEP_EXPLORATIONS)
    owner = cast("User", viewer.user)
    room_ensure()
    _content_ensure(wanted.content)
    name = _name(wanted.name)
    if Exploration.objects.filter(owner=owner).count() >= MAX_EXPLORATIONS:
        message = f"You keep {MAX_EXPLORATIONS} explorations already. Delete one first."
        raise ProductError(409, "too_many_explorations", message)
    with explored_graph(wanted.graph) as store:
        version = store.info().version
    return Exploration.objects.create(
        name=name,
        graph=wanted.graph,
        graph_version=version,
        owner=owner,
        readers=wanted.readers,
        content=wanted.content,
        updated_at=timezone.now(),
    )


def exploration_save(*, exploration_id: uuid.UUID, wanted: ExplorationChangeIn, viewer: Viewer) -> Exploration:
    """Save one's own exploration again, name it otherwise, or share it otherwise.

    Raises:
        ProductError: there is none of this id, it belongs to another user, it was saved since the revision that this is
        a
            change of, or the content is none or too large.

    """
    exploration = _own(exploration_id, viewer)
    room_ensure()
    changed: dict[str, str] = {}
    if wanted.content is not None:
        _content_ensure(wanted.content)
        with explored_graph(exploration.graph) as store:
            changed = {"content": wanted.content, "graph_version": store.info().version}
    if wanted.name is not None:
        changed["name"] = _name(wanted.name)
    if wanted.readers is not None:
        changed["readers"] = wanted.readers
    at_revision = Exploration.objects.filter(pk=exploration.pk, revision=wanted.revision)
    if not at_revision.update(**changed, revision=F("revision") + 1, updated_at=timezone.now()):
        exploration = exploration_get(exploration_id=exploration_id)
        message = (
            "This exploration was saved elsewhere since you opened it. Open it again, or save yours under another name."
        )
        raise ProductError(409, "exploration_changed", message, revision=exploration.revision)
    return exploration_get(exploration_id=exploration_id)


def exploration_delete(*, exploration_id: uuid.UUID, viewer: Viewer) -> None:
    """Delete an exploration: one's own, or as an administrator anybody's.

    Raises:
        ProductError: there is none of this id, or the viewer may not.

    """
    may_ensure(viewer, Action.KEEP_EXPLORATIONS)
    exploration = exploration_get(exploration_id=exploration_id)
    is_own = exploration_is_own(exploration=exploration, viewer=viewer)
    if not is_own:
        may_ensure(viewer, Action.REMOVE_EXPLORATIONS)
    with transaction.atomic():
        removed, _ = Exploration.objects.filter(pk=exploration.pk).delete()
        if removed and not is_own:
            audited(viewer, Audited.EXPLORATION_REMOVED, exploration.name, before=f"of {exploration.owner.username}")


def _own(exploration_id: uuid.UUID, viewer: Viewer) -> Exploration:
    may_ensure(viewer, Action.KEEP_EXPLORATIONS)
    exploration = exploration_get(exploration_id=exploration_id)
    if not exploration_is_own(exploration=exploration, viewer=viewer):
        message = "Only the author of this exploration can change it. Save a copy of your own."
        raise ProductError(403, "not_your_exploration", message)
    return exploration


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name:
        raise ProductError(422, "exploration_name", "Give the exploration a name.")
    return name


def _content_ensure(content: str) -> None:
    size = len(content.encode())
    if size > MAX_CONTENT_LENGTH:
        message = (
            f"This exploration has {size // 1024} kB, and may have {MAX_CONTENT_LENGTH // 1024}. "
            "Take something off the canvas, or shorten the notes."
        )
        raise ProductError(413, "exploration_too_large", message, limit=MAX_CONTENT_LENGTH)
    try:
        entry = json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ProductError(422, "exploration_content", "The content of an exploration is a text of JSON.") from error
    # JSON's true is no number, but Python's is 1.
    form = entry.get("form") if isinstance(entry, dict) else None
    if form != _FORM or isinstance(form, bool):
        message = "This exploration is of a form that the site does not know. Reload the page and save it again."
        raise ProductError(422, "exploration_content", message)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which is no number in JSON")
