"""Worker side of a graph load.

A load writes a new graph next to the current one and replaces it at the very end, so whatever stops it leaves that as
it was. One load is done at a time: sorting a graph takes the memory of many questions.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.db.models import Q

from kgstore.characters import characters_mended
from kgstore.loading.errors import GraphIsLoadingError, GraphLoadError
from kgstore.loading.formats.tables.mapping import mapping_of
from webapp.graphs.loading import FileToLoad, GraphFile
from webapp.graphs.transitions import graph_loads
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.turn import MustWaitError
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from kgstore.loading.reading import LoadProgress
    from webapp.graphs.models import GraphLoad
    from webapp.platform.work.turn import Turn

PROGRESS_SECONDS = 0.5
"""Progress is written down no more often."""
PASSED_OVER_KEPT = 1_000
"""Maximum of malformed lines of each file that are kept."""
WAITS = "Another process is loading a graph of this name. This begins by itself once that is done."


@worker_of(graph_loads)
def graph_load_execute(turn: Turn[GraphLoad]) -> None:
    """Load a graph; a load that was given back begins again."""
    load = turn.item
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
            mapping=mapping_of(load.mapping),
        )
    )
    for reader in file.readers:
        reader.most_examples = PASSED_OVER_KEPT
    graph_loads.held(load).update(format=file.format.name)
    recorder = _ProgressRecorder(turn, file)
    try:
        report = file.load(recorder.record)
    except GraphIsLoadingError as error:
        raise MustWaitError(WAITS) from error
    finally:
        recorder.record_skipped()
    mine = Q(claim=load.claim)
    graph_loads.close(load.pk, Status.SUCCEEDED, only=mine, triples=report.triples, version=report.version)


class _ProgressRecorder:
    """Records the progress of a load at intervals."""

    def __init__(self, turn: Turn[GraphLoad], file: GraphFile) -> None:
        self._turn = turn
        self._load = turn.item
        self._file = file
        self._reported_at = -PROGRESS_SECONDS
        self._stage = ""

    def record(self, progress: LoadProgress) -> None:
        """Record the progress that the loader reports.

        Raises:
            ClaimLostError: the load is no longer ours.
            HandedBackError: the worker is to stop.
            NoRoomError: the disk is nearly full.

        """
        self._turn.check()
        if time.monotonic() - self._reported_at < PROGRESS_SECONDS and progress.stage == self._stage:
            return
        self._reported_at, self._stage = time.monotonic(), progress.stage
        if not graph_loads.held(self._load).update(
            stage=progress.stage,
            lines=self._file.triples.read,
            done=progress.done,
            total=progress.total,
            fraction=self._file.fraction(progress),
            malformed=self._file.malformed,
        ):
            raise ClaimLostError

    def record_skipped(self) -> None:
        """Record the lines that were skipped so far, even if the load fails."""
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
