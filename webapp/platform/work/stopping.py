"""Whether this worker was asked to stop."""

from __future__ import annotations

from threading import Event

from celery.signals import worker_shutting_down

_stopping = Event()


@worker_shutting_down.connect
def _stop(**_: object) -> None:
    """Let work go back to the queue, so that a worker need not wait for it before it stops."""
    _stopping.set()


def is_stopping() -> bool:
    """Whether it was."""
    return _stopping.is_set()
