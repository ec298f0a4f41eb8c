"""What people say of answers, and take back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from webapp.asking.feedback.models import Feedback, Says
from webapp.asking.feedback.selectors import feedback_by
from webapp.asking.runs.models import ReasoningRun
from webapp.platform.environment import Rate
from webapp.platform.http.errors import ProductError
from webapp.platform.http.rate_limit import allowance_take
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer


def feedback_give(*, run: ReasoningRun, viewer: Viewer, says: Says, expected: str) -> None:
    """Say of a run's answer whether it is right, or say something else than before; each person has one say.

    ``expected`` is what it should be.

    Raises:
        ProductError: the run has not come to an end by itself, or it was said too often.

    """
    if run.status != Status.SUCCEEDED:
        message = "There is no answer yet of which to say whether it is right."
        raise ProductError(409, "no_answer_yet", message)
    _say(run, viewer, says, " ".join(expected.split()))


def feedback_withdraw(*, run: ReasoningRun, viewer: Viewer) -> None:
    """Take back what one said, if one said anything."""
    _say(run, viewer, Says.WITHDRAWN, "")


def _say(run: ReasoningRun, viewer: Viewer, says: Says, expected: str) -> None:
    environment = settings.ENVIRONMENT
    allowance_take(
        what="feedback",
        who=viewer.address if viewer.user is None else f"user:{viewer.user.pk}",
        rate=Rate(environment.visitor_rate if viewer.user is None else environment.user_rate),
        message="More than {count} times within {period} is too often. Try again in {wait_words}.",
    )
    with transaction.atomic():
        # Who says two things at once says them one after the other.
        ReasoningRun.objects.select_for_update().get(pk=run.pk)
        said = feedback_by(viewer=viewer).filter(run=run)
        before = said.first()
        if (says, expected) == ((Says.WITHDRAWN, "") if before is None else (before.says, before.expected)):
            return
        said.update(current=False)
        Feedback.objects.create(
            run=run,
            person=viewer.user,
            visitor=None if viewer.user else viewer.visitor,
            says=says,
            expected=expected,
        )
