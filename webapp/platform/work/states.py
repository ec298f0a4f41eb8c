"""The states of a piece of background work."""

from __future__ import annotations

from django.db import models


class Status(models.TextChoices):
    """The states of runs, evaluations, trainings and loads.

    queued → running → succeeded or failed; queued or running → cancelled; running → queued again where a worker died,
    or where something that the work needs is away. All but runs may be queued again where they
    failed or were cancelled.
    """

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


OVER = (Status.SUCCEEDED, Status.FAILED, Status.CANCELLED)
"""No worker does anything for work that stands here."""
