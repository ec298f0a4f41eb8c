"""What people change of questions and runs: they ask, and stop a run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from reasoning.events import Cancelled
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may
from webapp.environment import Rate
from webapp.http.errors import ProductError
from webapp.http.rate_limit import allowance_take
from webapp.runs.models import Question, ReasoningRun
from webapp.runs.readers import question_is_own
from webapp.runs.transitions import run_close, run_deliver
from webapp.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgstore.store import GraphInfo
    from webapp.accounts.viewer import Viewer


def run_queue(
    *,
    text: str,
    viewer: Viewer,
    info: GraphInfo,
    topic: str,
    scorer: str,
    strategy: str,
    switches: Mapping[str, object] | None = None,
    decided: Sequence[object] = (),
) -> ReasoningRun:
    """Queue a run for a question whose parts are known to be right.

    ``decided`` are the events of a judged question as JSON, whose decisions it shows again.
    """
    with transaction.atomic():
        question = Question.objects.create(
            text=text, asker=viewer.user, visitor=None if viewer.user else viewer.visitor
        )
        run = ReasoningRun.objects.create(
            question=question,
            graph=info.name,
            graph_title=info.title,
            graph_version=info.version,
            topic=topic,
            scorer=scorer,
            strategy=strategy,
            switches=dict(switches or {}),
            decided=list(decided),
            enqueued_at=timezone.now(),
        )
        transaction.on_commit(partial(run_deliver, run.pk, scorer))
    return run


def ask_allowance_take(*, viewer: Viewer) -> None:
    """Count one more of what somebody asks.

    Raises:
        ProductError: it was one too many.

    """
    environment = settings.ENVIRONMENT
    known = viewer.user is not None
    allowance_take(
        what="ask",
        who=f"user:{viewer.user.pk}" if viewer.user is not None else f"address:{viewer.address}",
        rate=Rate(environment.user_rate if known else environment.visitor_rate),
        message="You asked {count} questions within a {period}, which is as many as one may. "
        "Ask again in {wait} seconds." + ("" if known else " Who signs in may ask more."),
    )


def run_cancel(*, run: ReasoningRun, viewer: Viewer) -> ReasoningRun:
    """Stop a run at once, whether it waits or is being worked on; its worker notices that it lost the claim.

    A run that is over stays as it is.

    Raises:
        ProductError: somebody else asked, and the viewer is no administrator.

    """
    if not run_may_cancel(run=run, viewer=viewer):
        raise ProductError(403, "not_your_run", "Only who asked, or an administrator, may stop this run.")
    with transaction.atomic():
        if run_close(run.pk, Status.CANCELLED, Cancelled()) and not run_is_own(run=run, viewer=viewer):
            audited(viewer, Audited.RUN_CANCELLED, run.pk, before=run.status)
    run.refresh_from_db()
    return run


def run_may_cancel(*, run: ReasoningRun, viewer: Viewer) -> bool:
    """Whether the viewer may stop it: who asked may, and administrators."""
    return may(viewer, Action.CANCEL_ANY_RUN) or run_is_own(run=run, viewer=viewer)


def run_is_own(*, run: ReasoningRun, viewer: Viewer) -> bool:
    """Whether the viewer asked it."""
    return question_is_own(question=run.question, viewer=viewer)
