"""What a worker does besides its tasks: heartbeat, recovery of lost work, and keeping the default scorer loaded."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from threading import Thread
from typing import TYPE_CHECKING

from django.db import connection
from redis.exceptions import RedisError

from kgstore.store import GraphStoreError
from reasoning.core.errors import ModelMemoryError, ReasoningError
from webapp import engine
from webapp.platform.work import heartbeat
from webapp.platform.work.clock import ClockWatch
from webapp.platform.work.delivery import GRACE
from webapp.platform.work.lease import LEASE
from webapp.platform.work.worker import work_recover

if TYPE_CHECKING:
    from webapp.platform.work.queues import Queue

log = logging.getLogger(__name__)

_LOOK_SECONDS = 10.0
"""How often a scorer that is not there is tried again, and one on a server is looked after."""
_LOADING_SHARE = 0.2
"""Of its time, what a worker spends at most on trying again to load what does not fit into memory."""


class WorkerWatch:
    """The threads of a worker besides those of its pool: they also run while a solo pool is busy."""

    def __init__(self, worker: str, queues: frozenset[Queue]) -> None:
        self.worker = worker
        self.queues = queues
        self.graph_read = ("", "")
        """The default scorer, and the version of the default graph that it read ahead."""
        self.scorer = heartbeat.LOADING if self.decides else heartbeat.READY

    @property
    def decides(self) -> bool:
        """Whether it is ever asked for the default scorer, which may be another one at any time."""
        default = engine.queue_of(engine.default_scorer())
        return not self.queues.isdisjoint({default, default.background})

    def start(self) -> None:
        """Begin; the threads end with the process."""
        for task in (self.keep, self.warm_up):
            Thread(target=task, name=task.__name__, daemon=True).start()

    def say(self) -> None:
        """Say that this worker lives."""
        heartbeat.heartbeat_send(worker=self.worker, queues=self.queues, scorer=self.scorer)

    def keep(self) -> None:
        """Say again and again that this worker lives, and take up the work of those that do not."""
        clock, leases_count_from = ClockWatch(), 0.0
        # What waits as this worker starts may have been lost with whatever made that necessary.
        grace = timedelta(0)
        while True:
            try:
                self.say()
                if clock.has_jumped():
                    log.warning("the clock jumped, or the machine slept: leases are renewed before any is taken over")
                    leases_count_from = time.monotonic() + LEASE.total_seconds()
                if time.monotonic() >= leases_count_from:
                    work_recover(grace=grace)
                    grace = GRACE
            except Exception:
                log.exception("the watch missed a turn")
            finally:
                connection.close()
            time.sleep(heartbeat.SECONDS)

    def warm_up(self) -> None:
        """Load the default scorer before the first question needs it, and see that its server stays there."""
        while True:
            pause = self.warm_up_once()
            connection.close()
            time.sleep(pause)

    def warm_up_once(self) -> float:
        """Load the default scorer or look after it, and say how it is; return the seconds until the next time."""
        began, pause = time.monotonic(), _LOOK_SECONDS
        try:
            fault = engine.scorer_fault(engine.default_scorer()) if self.decides else None
            if fault is None and self.decides:
                self.read_ahead()
            state = heartbeat.READY if fault is None else fault.for_people
            if fault is not None and state != self.scorer:
                log.warning("the scorer would not decide: %s", fault.for_operators)
            self.scorer = state
            self.say()
        except RedisError as error:
            # The scorer itself is not affected; `keep` says how it is once Redis is back.
            log.warning("Redis does not answer, so the status of the scorer is not published: %s", error)
        except Exception as error:
            log.exception("the scorer could not be loaded")
            self.scorer = error.for_people if isinstance(error, ReasoningError) else "It broke; see the worker's log."
            if isinstance(error, ModelMemoryError):
                pause = max(pause, (time.monotonic() - began) / _LOADING_SHARE)
        return pause

    def read_ahead(self) -> None:
        """Let the default scorer read the default graph, at the start and whenever either is another one."""
        scorer = engine.default_scorer()
        try:
            if (scorer, engine.graph(engine.default_graph()).info().version) != self.graph_read:
                began = time.monotonic()
                self.graph_read = scorer, engine.read_ahead(engine.default_graph(), scorer)
                log.info("read the graph %s ahead in %.1f s", engine.default_graph(), time.monotonic() - began)
        except GraphStoreError as error:
            # The scorer still decides; users of the graph get the error.
            log.warning("the graph %s cannot be read ahead: %s", engine.default_graph(), error)
