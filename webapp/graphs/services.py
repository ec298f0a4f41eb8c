"""What people change of graphs: they load one from a file that was sent, stop that, remove one."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone

from kgstore.library import UnknownGraphError, graph_name
from kgstore.loading.errors import GraphIsLoadingError, GraphLoadError
from kgstore.loading.sample import SAMPLE_GRAPH
from kgstore.store import GraphStoreError
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.graphs.models import MAX_GRAPH_NAME_LENGTH, GraphLoad
from webapp.graphs.transitions import graph_loads
from webapp.platform.http.errors import ProductError, graph_error, room_ensure
from webapp.platform.work.states import OVER, Status
from webapp.uploads.services import upload_hold

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.graphs.schemas import GraphLoadIn

log = logging.getLogger(__name__)


def graph_load_create(*, wanted: GraphLoadIn, viewer: Viewer) -> GraphLoad:
    """Queue a load; the files are held until it ends.

    Raises:
        ProductError: the viewer may not, the name will not do, there is such a graph and it was not said that it is to
            be replaced, it is being loaded already, or a file is not here.

    """
    may_ensure(viewer, Action.MANAGE_GRAPHS)
    room_ensure()
    name = _name(wanted.name)
    before = _version(name)
    if before and not wanted.replace:
        message = f"There is a graph “{name}” already. Choose another name, or replace that graph."
        raise ProductError(409, "graph_exists", message)
    try:
        with transaction.atomic():
            file = upload_hold(upload_id=wanted.file, viewer=viewer)
            names = upload_hold(upload_id=wanted.names_file, viewer=viewer) if wanted.names_file else None
            load = GraphLoad.objects.create(
                name=name,
                title=" ".join(wanted.title.split()) or name,
                format=wanted.format or "",
                names_from_ids=wanted.names_from_ids,
                mapping=[one.model_dump(mode="json") for one in wanted.mapping],
                file=file,
                names_file=names,
                file_name=file.name,
                names_file_name=names.name if names else "",
                sha256=file.sha256,
                replaces=before,
                starter=viewer.user,
                enqueued_at=timezone.now(),
            )
            audited(
                viewer, Audited.GRAPH_LOAD_STARTED, name, before=before, after=f"{file.name}, SHA-256 {file.sha256}"
            )
            transaction.on_commit(partial(graph_loads.deliver, load))
    except IntegrityError as error:
        message = f"A graph “{name}” is being loaded already. Stop that first, or wait until it is done."
        raise ProductError(409, "graph_is_loading", message) from error
    return load


def graph_load_cancel(*, load: GraphLoad, viewer: Viewer) -> GraphLoad:
    """Stop a load; the graph that was there stays. An ended one stays as it is.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_GRAPHS)
    with transaction.atomic():
        if graph_loads.close(load.pk, Status.CANCELLED):
            audited(viewer, Audited.GRAPH_LOAD_CANCELLED, load.name, before=load.status)
    load.refresh_from_db()
    return load


def graph_remove(*, name: str, viewer: Viewer) -> None:
    """Remove a graph. What was asked of it can still be read.

    Raises:
        ProductError: the viewer may not, there is none, the site needs it, or it is being loaded.

    """
    may_ensure(viewer, Action.MANAGE_GRAPHS)
    if reason := why_kept(name):
        raise ProductError(409, "graph_kept", reason)
    before = _version(name)
    if GraphLoad.objects.filter(name=name).exclude(status__in=OVER).exists():
        message = f"The graph “{name}” is being loaded. Stop that first, or wait until it is done."
        raise ProductError(409, "graph_is_loading", message)
    try:
        engine.graph_library().remove(name)
    except UnknownGraphError as error:
        raise ProductError(404, "unknown_graph", f"There is no graph “{name}”. Choose one of the list.") from error
    except GraphStoreError as error:
        raise graph_error(error, status=409) from error
    except GraphIsLoadingError as error:
        raise ProductError(409, "graph_is_loading", f"The graph “{name}” is being loaded by a command.") from error
    except GraphLoadError as error:
        log.exception("the graph %s was not removed", name)
        message = f"The graph “{name}” could not be removed. The site's log says why; try again later."
        raise ProductError(503, "graph_unavailable", message) from error
    audited(viewer, Audited.GRAPH_REMOVED, name, before=before)


def why_kept(name: str) -> str:
    """Why a graph cannot be removed from the page; empty where it can."""
    if name == SAMPLE_GRAPH:
        return "The sample graph cannot be deleted: it is loaded again at every start."
    if name == engine.default_graph():
        return f"“{name}” is the default graph. Set DISCERN_GRAPH to another one first."
    return ""


def _name(name: str) -> str:
    try:
        graph_name(name)
    except ValueError as error:
        message = "A graph's name has small letters, digits, and single hyphens or underscores between them: my-graph."
        raise ProductError(422, "graph_name", message) from error
    if name == SAMPLE_GRAPH:
        message = f"The graph “{name}” comes with Discern and is not replaced. Choose another name."
        raise ProductError(422, "graph_name", message)
    if len(name) > MAX_GRAPH_NAME_LENGTH:
        raise ProductError(422, "graph_name", f"A graph's name has at most {MAX_GRAPH_NAME_LENGTH} characters.")
    return name


def _version(name: str) -> str:
    """The version of a graph; empty where there is none, a word where it cannot be read."""
    try:
        return engine.graph(name).info().version
    except UnknownGraphError:
        return ""
    except GraphStoreError as error:
        if error.retryable:
            raise graph_error(error, status=503) from error
        return "unreadable"
