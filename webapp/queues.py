"""The queues of work: which kind of machine it wants, and whether somebody waits for it.

A worker takes from the queues that it serves by turns, so that what nobody waits for never stands before what somebody
does.
"""

from __future__ import annotations

from enum import StrEnum


class Queue(StrEnum):
    """A queue at the broker."""

    CPU = "cpu"
    CPU_BACKGROUND = "cpu.background"
    GPU = "gpu"
    GPU_BACKGROUND = "gpu.background"


HOW_TO_SERVE = {
    Queue.CPU: "celery -A webapp.celery worker --queues cpu,cpu.background",
    Queue.GPU: "celery -A webapp.celery worker --queues gpu,gpu.background --pool solo",
}
"""How a worker is started for a kind of machine."""


def how_to_serve(queue: Queue) -> str:
    """The command that starts a worker for a queue."""
    return HOW_TO_SERVE[Queue.GPU if queue in (Queue.GPU, Queue.GPU_BACKGROUND) else Queue.CPU]
