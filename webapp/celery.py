"""The Celery application.

A worker answers several questions at a time in threads, or with ``--pool solo`` one after another, never in forked
processes: so a model is loaded once, and what it holds of a GPU never crosses a fork.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from celery import Celery
from celery.concurrency import get_implementation
from celery.concurrency.solo import TaskPool as Solo
from celery.concurrency.thread import TaskPool as Threads
from celery.signals import worker_init, worker_ready
from kombu.transport import redis
from redis.exceptions import ConnectionError as RedisConnectionError

from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from celery.worker.consumer import Consumer

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
# Celery would run the system checks, which load the whole API, and ignore what they report.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("discern")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks()


class PatientChannel(redis.Channel):
    """A channel that raises an error of the connection when it is used after its connection was lost.

    kombu's own raises an AttributeError then, for example when a task ends that began before Redis was restarted.
    Celery does not expect that, and the worker ends. What was not acknowledged is recovered by the worker's watch.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002 - kombu's signature
        if self.connection is None or self.connection.client is None:
            raise RedisConnectionError("The connection of this channel was lost.")
        parameters: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[misc]  # not in the stubs
        return parameters


# kombu has no setting for this.
redis.Transport.Channel = PatientChannel


@worker_init.connect
def _refuse_forks(sender: Any, **_: Any) -> None:
    """End a worker whose pool would load models once a process, or carry them across a fork."""
    if not issubclass(get_implementation(sender.pool_cls), Threads | Solo):
        raise SystemExit(
            "Models are loaded once a worker and never cross a fork. Start it with --pool threads or solo."
        )


@worker_ready.connect
def _attend(sender: Consumer, **_: Any) -> None:
    from webapp.health.worker_watch import WorkerWatch  # noqa: PLC0415 - likewise
    from webapp.platform.work.background import background_start  # noqa: PLC0415 - the worker has set Django up by now

    solo = isinstance(sender.pool, Solo)
    background_start(1 if solo else sender.pool.limit, solo=solo)
    served = frozenset(queue for queue in Queue if queue in app.amqp.queues.consume_from)
    WorkerWatch(sender.hostname, served).start()
