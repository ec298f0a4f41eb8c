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

_LOOK_SECONDS = 10
"""How often a scorer that is not there is tried again, and one on a server is looked after."""


class _Watch:
    """What a worker does beside its tasks."""

    def __init__(self) -> None:
        self.scorer = "loading"

    def start(self) -> None:
        for task in (self.keep, self.warm_up):
            Thread(target=task, name=task.__name__, daemon=True).start()

    def keep(self) -> None:
        """Say again and again that this worker lives, and take up the work of those that do not."""
        from django.db import connection  # noqa: PLC0415 - the worker has set Django up by now

        from webapp import heartbeat  # noqa: PLC0415
        from webapp.evaluations.services import evaluations_recover  # noqa: PLC0415
        from webapp.questions.services import runs_recover  # noqa: PLC0415
        from webapp.scorers.services import trainings_recover  # noqa: PLC0415

        while True:
            try:
                heartbeat.heartbeat_send(scorer=self.scorer)
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
        from reasoning.errors import ReasoningError  # noqa: PLC0415
        from webapp import engine, heartbeat  # noqa: PLC0415 - the worker has set Django up by now

        while True:
            try:
                fault = engine.scorer_fault(engine.default_scorer())
                self.scorer = fault or heartbeat.READY
                heartbeat.heartbeat_send(scorer=self.scorer)
            except Exception as error:
                log.exception("the scorer could not be loaded")
                self.scorer = str(error) if isinstance(error, ReasoningError) else "It broke; see the worker's log."
            time.sleep(_LOOK_SECONDS)


@worker_ready.connect
def _attend(**_: Any) -> None:
    _Watch().start()
