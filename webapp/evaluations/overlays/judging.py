"""The work of judging evaluations under overlays: its task and its moves."""

from __future__ import annotations

from webapp.evaluations.overlays.models import OverlaidEvaluation
from webapp.platform.work.state_machine import StateMachine

TASK = "overlays.judge"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""

judging = StateMachine(
    OverlaidEvaluation.objects,
    TASK,
    "The worker stopped {times} times while it judged answers under these corrections. See its log, then try again.",
)
