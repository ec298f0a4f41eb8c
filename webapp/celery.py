"""The Celery application, and what a worker does beside its tasks: say that it lives, and take up lost runs.

A worker answers several questions at a time in threads, or with ``--pool solo`` one after another, never in forked
processes: so a model is loaded once, and what it holds of a GPU never crosses a fork.
"""

from __future__ import annotations

import logging
import os
import time
from threading import Thread
from typing import TYPE_CHECKING, Any

from celery import Celery
from celery.concurrency import get_implementation
from celery.concurrency.solo import TaskPool as Solo
from celery.concurrency.thread import TaskPool as Threads
from celery.signals import worker_init, worker_ready

from webapp.work.queues import Queue

if TYPE_CHECKING:
    from celery.worker.consumer import Consumer

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

log = logging.getLogger(__name__)

app = Celery("discern")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

_LOOK_SECONDS = 10.0
"""How often a scorer that is not there is tried again, and one on a server is looked after."""
_LOADING_SHARE = 0.2
"""Of its time, what a worker spends at most on trying again to load what does not fit into memory."""


class _Watch:
    """What a worker does beside its tasks, in threads of its own: also while a solo pool is at work."""

    def __init__(self, worker: str, queues: frozenset[Queue]) -> None:
        from webapp import engine  # noqa: PLC0415 - the worker has set Django up by now
        from webapp.work import heartbeat  # noqa: PLC0415 - the worker has set Django up by now

        self.worker = worker
        self.queues = queues
        default = engine.queue_of(engine.default_scorer())
        self.decides = not queues.isdisjoint({default, default.background})
        """Whether it is ever asked for the default scorer."""
        self.scorer = heartbeat.LOADING if self.decides else heartbeat.READY

    def start(self) -> None:
        for task in (self.keep, self.warm_up) if self.decides else (self.keep,):
            Thread(target=task, name=task.__name__, daemon=True).start()

    def say(self) -> None:
        """Say that this worker lives."""
        from webapp.work import heartbeat  # noqa: PLC0415

        heartbeat.heartbeat_send(worker=self.worker, queues=self.queues, scorer=self.scorer)

    def keep(self) -> None:
        """Say again and again that this worker lives, and take up the work of those that do not."""
        from django.db import connection  # noqa: PLC0415

        from webapp.clock import ClockWatch  # noqa: PLC0415
        from webapp.evaluations.services import evaluations_recover  # noqa: PLC0415
        from webapp.jobs import LEASE  # noqa: PLC0415
        from webapp.questions.services import runs_recover  # noqa: PLC0415
        from webapp.scorers.services import trainings_recover  # noqa: PLC0415
        from webapp.work import heartbeat  # noqa: PLC0415

        clock, leases_count_from = ClockWatch(), 0.0
        while True:
            try:
                self.say()
                if clock.has_jumped():
                    log.warning("the clock jumped, or the machine slept: leases are renewed before any is taken over")
                    leases_count_from = time.monotonic() + LEASE.total_seconds()
                if time.monotonic() >= leases_count_from:
                    runs_recover()
                    evaluations_recover()
                    trainings_recover()
            except Exception:
                log.exception("the watch missed a turn")
            finally:
                connection.close()
            time.sleep(heartbeat.SECONDS)

    def warm_up(self) -> None:
        """Load the default scorer before the first question needs it, and see that its server stays there."""
        from reasoning.errors import ModelMemoryError, ReasoningError  # noqa: PLC0415
        from webapp import engine  # noqa: PLC0415
        from webapp.work import heartbeat  # noqa: PLC0415

        while True:
            began, pause = time.monotonic(), _LOOK_SECONDS
            try:
                fault = engine.scorer_fault(engine.default_scorer())
                self.scorer = fault or heartbeat.READY
                self.say()
            except Exception as error:
                log.exception("the scorer could not be loaded")
                self.scorer = str(error) if isinstance(error, ReasoningError) else "It broke; see the worker's log."
                if isinstance(error, ModelMemoryError):
                    pause = max(pause, (time.monotonic() - began) / _LOADING_SHARE)
            time.sleep(pause)


@worker_init.connect
def _refuse_forks(sender: Any, **_: Any) -> None:
    """End a worker whose pool would load models once a process, or carry them across a fork."""
    if not issubclass(get_implementation(sender.pool_cls), Threads | Solo):
        raise SystemExit(
            "Models are loaded once a worker and never cross a fork. Start it with --pool threads or solo."
        )


@worker_ready.connect
def _attend(sender: Consumer, **_: Any) -> None:
    served = frozenset(queue for queue in Queue if queue in app.amqp.queues.consume_from)
    _Watch(sender.hostname, served).start()
