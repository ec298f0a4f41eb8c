"""The queues of work: by the machine that it needs, and by whether a user waits for it.

A worker takes from its queues in turn. Background work runs in `webapp.platform.work.background`, so that it
never delays work that a user waits for.
"""

from __future__ import annotations

from enum import StrEnum


class Queue(StrEnum):
    """A queue at the broker."""

    CPU = "cpu"
    CPU_BACKGROUND = "cpu.background"
    GPU = "gpu"
    GPU_BACKGROUND = "gpu.background"

    @property
    def background(self) -> Queue:
        """The queue for background work of the same kind of machine."""
        return Queue.GPU_BACKGROUND if self.is_for_gpus else Queue.CPU_BACKGROUND

    @property
    def is_background(self) -> bool:
        """Whether its work is background work."""
        return self is self.background

    @property
    def is_for_gpus(self) -> bool:
        """Whether its work wants a GPU."""
        return self in (Queue.GPU, Queue.GPU_BACKGROUND)


HOW_TO_SERVE = {
    Queue.CPU: "celery -A webapp.celery worker --queues cpu,cpu.background",
    Queue.GPU: "celery -A webapp.celery worker --queues gpu,gpu.background --pool solo",
}
"""How a worker is started for a kind of machine."""


def how_to_serve(queue: Queue) -> str:
    """The command that starts a worker for a queue."""
    return HOW_TO_SERVE[Queue.GPU if queue.is_for_gpus else Queue.CPU]
