"""The Celery application, and what a worker does beside its tasks: say that it lives, and take up lost runs.

A worker answers several questions at a time in threads, never in forked processes, so that a model is loaded once.
"""

from __future__ import annotations

import logging
import os
import time
from threading import Thread
from typing import Any

from celery import Celery
from celery.signals import worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

log = logging.getLogger(__name__)

app = Celery("discern")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

HEARTBEAT_KEY = "worker:heartbeat"
"""Where the cache holds the time (seconds since 1970) at which a worker was last heard of."""
HEARTBEAT_SECONDS = 2
WORKER_GONE_SECONDS = 10
"""A worker that was not heard of for so long is taken for gone."""


@worker_ready.connect
def _attend(**_: Any) -> None:
    Thread(target=_keep_watch, name="watch", daemon=True).start()
    Thread(target=_warm_up, name="warm-up", daemon=True).start()


def _keep_watch() -> None:
    from django.core.cache import cache  # noqa: PLC0415 - the worker has set Django up by now
    from django.db import connection  # noqa: PLC0415

    from webapp.questions.services import runs_recover  # noqa: PLC0415

    while True:
        try:
            cache.set(HEARTBEAT_KEY, time.time(), timeout=WORKER_GONE_SECONDS)
            runs_recover()
        except Exception:
            log.exception("the watch missed a turn")
        finally:
            connection.close()
        time.sleep(HEARTBEAT_SECONDS)


def _warm_up() -> None:
    """Load the default scorer before the first question needs it."""
    from webapp import engine  # noqa: PLC0415 - the worker has set Django up by now

    try:
        engine.scorer(engine.default_scorer())
    except Exception:
        log.exception("the scorer could not be loaded; questions will say so")
