"""What changes graphs: loading one from a file that was sent, stopping that, removing one.

A load writes beside the graph that is there and takes its place at the very end, so whatever stops it leaves that as it
was. One load is done at a time: sorting a graph takes the memory of many questions.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from kgstore.library import UnknownGraphError, graph_name
from kgstore.loading.errors import GraphIsLoadingError, GraphLoadError
from kgstore.loading.sample import SAMPLE_GRAPH
from kgstore.store import GraphStoreError
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.disk import is_no_room, room_check, write_refused
from webapp.graphs.loading import FileToLoad, GraphFile
from webapp.graphs.models import LONGEST_GRAPH_NAME, GraphLoad
from webapp.graphs.words import words_of_page
from webapp.http.errors import ProductError, graph_error, room_ensure
from webapp.uploads.services import upload_consume, upload_hold, upload_release
from webapp.work.lease import ClaimLostError, lease_renewed
from webapp.work.one_at_a_time import Line
from webapp.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable

    from kgstore.loading.reading import LoadProgress, LoadReport
    from webapp.accounts.viewer import Viewer
    from webapp.graphs.schemas import GraphLoadIn

log = logging.getLogger(__name__)

TASK = "graphs.graph_load_execute"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""
TOLD_SECONDS = 0.5
"""Progress is written down no more often."""
PASSED_OVER_KEPT = 1_000
"""So many malformed lines of each file are kept to be looked at."""
WAITS = "Another process is loading a graph of this name. This begins by itself once that is done."


class _StoppingError(Exception):
    """The worker was told to stop."""


def graph_load_create(*, wanted: GraphLoadIn, viewer: Viewer) -> GraphLoad:
    """Queue a load; the files are held until it is over.

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
            transaction.on_commit(partial(graph_loads.deliver, load.pk))
    except IntegrityError as error:
        message = f"A graph “{name}” is being loaded already. Stop that first, or wait until it is done."
        raise ProductError(409, "graph_is_loading", message) from error
    return load


def graph_load_cancel(*, load: GraphLoad, viewer: Viewer) -> GraphLoad:
    """Stop a load; the graph that was there stays. One that is over stays as it is.

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
        return "The sample comes with Discern: it would be loaded again at the next start."
    if name == engine.default_graph():
        return f"“{name}” is asked where no graph is chosen. Set DISCERN_GRAPH to another one first."
    return ""


def graph_load_execute(*, load_id: uuid.UUID, stopping: Callable[[], bool] = lambda: False) -> None:
    """Load a graph; safe to call twice: only who wins the claim works.

    Where ``stopping`` becomes true, it goes back to the queue and is begun again.
    """
    load = graph_loads.claim(load_id)
    if load is None:
        return
    try:
        with lease_renewed(load.pk, partial(graph_loads.renew, load)) as lost:
            _load(load, stopping, lost)
    except ClaimLostError:
        log.info("load %s was cancelled or taken over", load_id)
    except _StoppingError:
        graph_loads.release(load)
        return
    except GraphIsLoadingError:
        # The watch hands it over again.
        graph_loads.release(load, WAITS, at_once=False)
        return
    except (GraphLoadError, ValueError) as error:
        _failed(load, error)
    except (OperationalError, InterfaceError) as error:
        _unwritten(load, error)
    except Exception as error:
        if is_no_room(error):
            _unwritten(load, error)
        else:
            log.exception("load %s broke", load_id)
            reason = "The load broke, and the graph that was there is as it was. See the worker's log, then try again."
            graph_loads.close(load_id, Status.FAILED, reason, only=Q(claim=load.claim))
    graph_loads.deliver_next()


def _load(load: GraphLoad, stopping: Callable[[], bool], lost: Callable[[], bool]) -> None:
    if load.file is None:
        raise GraphLoadError("The file that was sent is not here any more. Send it again.")
    file = GraphFile(
        FileToLoad(
            load.file.path,
            load.name,
            load.title,
            file_name=load.file_name,
            format=load.format,
            names=load.names_file.path if load.names_file else None,
            names_from_ids=load.names_from_ids,
        )
    )
    for reader in file.readers:
        reader.most_examples = PASSED_OVER_KEPT
    graph_loads.held(load).update(format=file.format.name)
    teller = _Teller(load, file, stopping, lost)
    try:
        report = file.load(teller.tell)
    finally:
        teller.tell_passed_over()
    _done(load, report)


def _done(load: GraphLoad, report: LoadReport) -> None:
    mine = Q(claim=load.claim)
    graph_loads.close(load.pk, Status.SUCCEEDED, only=mine, triples=report.triples, version=report.version)


class _Teller:
    """Writes down where a load stands, now and then."""

    def __init__(
        self, load: GraphLoad, file: GraphFile, stopping: Callable[[], bool], lost: Callable[[], bool]
    ) -> None:
        self._load = load
        self._file = file
        self._stopping = stopping
        self._lost = lost
        self._told = -TOLD_SECONDS
        self._stage = ""

    def tell(self, progress: LoadProgress) -> None:
        """Take up what the loader tells.

        Raises:
            ClaimLostError: the load is no longer ours.
            NoRoomError: the disk is nearly full.
            _StoppingError: the worker is to stop.

        """
        room_check()
        if self._lost():
            raise ClaimLostError
        if self._stopping():
            raise _StoppingError
        if time.monotonic() - self._told < TOLD_SECONDS and progress.stage == self._stage:
            return
        self._told, self._stage = time.monotonic(), progress.stage
        if not graph_loads.held(self._load).update(
            stage=progress.stage,
            lines=self._file.triples.read,
            done=progress.done,
            total=progress.total,
            fraction=self._file.fraction(progress),
            malformed=self._file.malformed,
        ):
            raise ClaimLostError

    def tell_passed_over(self) -> None:
        """Write down which lines were passed over so far, whatever comes of the load."""
        names = (self._load.file_name, self._load.names_file_name)
        graph_loads.held(self._load).update(
            lines=self._file.triples.read,
            malformed=self._file.malformed,
            passed_over=[
                {"file": name, **dataclasses.asdict(line)}
                for name, reader in zip(names, self._file.readers, strict=False)
                for line in reader.examples
            ],
        )


def _failed(load: GraphLoad, error: Exception) -> None:
    """End a load whose file will not do, or that could not be written."""
    if is_no_room(error):
        _unwritten(load, error)
        return
    log.warning("load %s failed: %s", load.pk, error)
    graph_loads.close(load.pk, Status.FAILED, words_of_page(str(error), load), only=Q(claim=load.claim))


def _unwritten(load: GraphLoad, error: Exception) -> None:
    """What becomes of a load where something could not be written; the graph that was there is as it was.

    It ends where the disk is full. What the database did not take otherwise is tried again, once the lease is over.
    """
    try:
        if is_no_room(error):
            write_refused(error)
            reason = "The disk of this site is full. The graph that was there is as it was. Free space, then try again."
            graph_loads.close(load.pk, Status.FAILED, reason, only=Q(claim=load.claim))
        else:
            log.error("load %s met a fault of the database: %s", load.pk, error)
    except (OperationalError, InterfaceError) as again:
        log.warning("load %s is begun again once its lease is over: %s", load.pk, again)


def _let_go(load: GraphLoad, status: Status) -> None:
    """The files of a load that is over: used up, or kept for another try."""
    for file in filter(None, (load.file, load.names_file)):
        if status == Status.SUCCEEDED:
            transaction.on_commit(partial(upload_consume, file))
        else:
            upload_release(file)


def _name(name: str) -> str:
    try:
        graph_name(name)
    except ValueError as error:
        message = "A graph's name has small letters, digits, and single hyphens or underscores between them: my-graph."
        raise ProductError(422, "graph_name", message) from error
    if name == SAMPLE_GRAPH:
        message = f"The graph “{name}” comes with Discern and is not replaced. Choose another name."
        raise ProductError(422, "graph_name", message)
    if len(name) > LONGEST_GRAPH_NAME:
        raise ProductError(422, "graph_name", f"A graph's name has at most {LONGEST_GRAPH_NAME} characters.")
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


graph_loads = Line(
    GraphLoad.objects,
    TASK,
    "The worker stopped {times} times while it loaded this: the graph may be too large for its memory. The graph that "
    "was there is as it was. See the worker's log, or load it by command on a larger machine.",
    _let_go,
)
graph_loads_recover = graph_loads.recover
