"""What a worker does for a graph load.

A load writes beside the graph that is there and takes its place at the very end, so whatever stops it leaves that as it
was. One load is done at a time: sorting a graph takes the memory of many questions.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError
from django.db.models import Q

from kgstore.characters import characters_mended
from kgstore.loading.errors import GraphIsLoadingError, GraphLoadError
from webapp.graphs.loading import FileToLoad, GraphFile
from webapp.graphs.transitions import graph_loads
from webapp.graphs.words import words_of_page
from webapp.platform.disk import is_no_room, room_check
from webapp.platform.work.lease import ClaimLostError, lease_renewed
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable

    from kgstore.loading.reading import LoadProgress, LoadReport
    from webapp.graphs.models import GraphLoad

log = logging.getLogger(__name__)

TOLD_SECONDS = 0.5
"""Progress is written down no more often."""
PASSED_OVER_KEPT = 1_000
"""So many malformed lines of each file are kept to be looked at."""
DISK_FULL = "The disk of this site is full. The graph that was there is as it was. Free space, then try again."
WAITS = "Another process is loading a graph of this name. This begins by itself once that is done."


class _StoppingError(Exception):
    """The worker was told to stop."""


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
        graph_loads.fail_unwritten(load, error, DISK_FULL)
    except Exception as error:
        if is_no_room(error):
            graph_loads.fail_unwritten(load, error, DISK_FULL)
        else:
            log.exception("load %s broke", load_id)
            reason = "The load broke, and the graph that was there is as it was. See the worker's log, then try again."
            graph_loads.fail(load, reason)
    graph_loads.deliver_next(load)


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
                {"file": name, "number": line.number, "text": characters_mended(line.text), "reason": line.reason}
                for name, reader in zip(names, self._file.readers, strict=False)
                for line in reader.examples
            ],
        )


def _failed(load: GraphLoad, error: Exception) -> None:
    """End a load whose file will not do, or that could not be written."""
    if is_no_room(error):
        graph_loads.fail_unwritten(load, error, DISK_FULL)
        return
    log.warning("load %s failed: %s", load.pk, error)
    graph_loads.fail(load, words_of_page(str(error), load))
