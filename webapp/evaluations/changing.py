"""How people find evaluations again, and let them go: a note, a group, a star; deleting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.evaluations.exports import exports_remove
from webapp.evaluations.models import Evaluation
from webapp.evaluations.schemas import RemovalOut, RemovedCountOut
from webapp.platform.dependents import Thing, dependents_count
from webapp.platform.http.errors import ProductError
from webapp.platform.work.states import OVER
from webapp.uploads.services import upload_consume

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.schemas import EvaluationChangeIn


def evaluation_change(*, evaluation: Evaluation, wanted: EvaluationChangeIn, viewer: Viewer) -> Evaluation:
    """Give an evaluation another note or group, or a star; what is left out stays.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    changes: dict[str, str | bool] = {
        name: " ".join(text.split())
        for name, text in (("note", wanted.note), ("group", wanted.group))
        if text is not None
    }
    with transaction.atomic():
        now = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
        changed = {name: value for name, value in changes.items() if getattr(now, name) != value}
        if changed:
            before = ", ".join(f"{name}: {getattr(now, name)}" for name in changed)
            after = ", ".join(f"{name}: {value}" for name, value in changed.items())
            audited(viewer, Audited.EVALUATION_CHANGED, evaluation.pk, before=before, after=after)
        if wanted.starred is not None:
            changes["starred"] = wanted.starred
        if changes:
            Evaluation.objects.filter(pk=evaluation.pk).update(**changes)
    evaluation.refresh_from_db()
    return evaluation


def evaluation_removal(*, evaluation: Evaluation, viewer: Viewer) -> RemovalOut:
    """What deleting an evaluation takes with it, and why it cannot be deleted.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    found = dependents_count(Thing.EVALUATION, evaluation.pk, keeps=False)
    goes = [RemovedCountOut(what=what, count=count) for what, count in found]
    return RemovalOut(judged=evaluation.done, goes=goes, refused=_why_kept(evaluation))


def evaluation_remove(*, evaluation: Evaluation, viewer: Viewer) -> None:
    """Delete an evaluation with its outcomes. Runs that were opened from it stay with those who opened them.

    Raises:
        ProductError: the viewer may not, it is still running, or work of others depends on it.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    with transaction.atomic():
        held = Evaluation.objects.select_for_update().filter(pk=evaluation.pk).first()
        if held is None:
            return
        if refused := _why_kept(held):
            raise ProductError(409, "evaluation_kept", refused)
        upload = held.upload
        before = f"{held.note or held.dataset}, {held.scorer}, {held.done:,} judged"
        held.delete()
        audited(viewer, Audited.EVALUATION_REMOVED, evaluation.pk, before=before)
    exports_remove(evaluation.pk)
    if upload is not None:
        upload_consume(upload)


def _why_kept(evaluation: Evaluation) -> str:
    """Why an evaluation cannot be deleted; empty where it can."""
    if evaluation.status not in OVER:
        return "This evaluation is at work. Stop it first, or wait until it is done."
    found = dependents_count(Thing.EVALUATION, evaluation.pk, keeps=True)
    kept = " and ".join(f"{count:,} {what}" for what, count in found)
    return f"{kept} rest on this evaluation, so it is kept." if kept else ""
