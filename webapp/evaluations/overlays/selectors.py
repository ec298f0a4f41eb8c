"""What is read of overlays: which there are for an evaluation, its figures under one, and its corrected questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kgstore.store import GraphStoreError
from reasoning.datasets.overlay import CorrectionKind, overlay_in
from reasoning.evaluation.judging.outcome import Outcome
from webapp import engine
from webapp.datasets.gold import gold_ensure
from webapp.datasets.models import Dataset
from webapp.evaluations.overlays.models import KeptOverlay, OverlaidEvaluation, OverlaidQuestion
from webapp.evaluations.overlays.schemas import (
    AppliedOut,
    NotAppliedOut,
    OverlaidOut,
    OverlaidQuestionOut,
    OverlaidReportOut,
    OverlaidWorkOut,
    OverlayOut,
)
from webapp.evaluations.overlays.site_key import site_public_key
from webapp.evaluations.schemas import FiguresOut
from webapp.evaluations.selectors import NAMES_OF_ONE
from webapp.health.readiness import no_worker_reason
from webapp.platform.http.errors import ProductError
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Collection, Iterable

    from django.db.models import QuerySet

    from kgstore.terms import Term
    from reasoning.datasets.overlay import Correction, Overlay
    from reasoning.datasets.question import GoldParse
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.models import Evaluation


def corrected_dataset(evaluation: Evaluation) -> Dataset:
    """The version of the dataset whose questions an evaluation asks.

    Raises:
        ProductError: it is not known.

    """
    if why := none_because(evaluation):
        raise ProductError(409, "no_dataset_version", why)
    return cast("Dataset", evaluation.snapshot)


def none_because(evaluation: Evaluation) -> str:
    """Why an evaluation can have no overlays; empty where it can."""
    if evaluation.snapshot is not None and evaluation.snapshot.identity:
        return ""
    if evaluation.total is None and not evaluation.is_over:
        return "The dataset is still being read. Wait until it was, then send corrections of it."
    return "It is not kept which version of the dataset this evaluation asked, so there are no corrections of it."


def overlays_of(evaluation: Evaluation) -> QuerySet[KeptOverlay]:
    """The overlays of the questions that an evaluation asks, newest first, without their files."""
    dataset = evaluation.snapshot
    if dataset is None or not dataset.identity:
        return KeptOverlay.objects.none()
    same = KeptOverlay.objects.filter(identity=dataset.identity, algorithm=dataset.identity_algorithm)
    return same.defer("file").select_related("keeper")


def overlay_get(*, overlay_id: uuid.UUID) -> KeptOverlay:
    """An overlay.

    Raises:
        ProductError: there is none.

    """
    overlay = KeptOverlay.objects.filter(pk=overlay_id).first()
    if overlay is None:
        raise _unknown()
    return overlay


def overlay_of_evaluation(*, evaluation: Evaluation, overlay_id: uuid.UUID) -> KeptOverlay:
    """An overlay of the questions that an evaluation asks.

    Raises:
        ProductError: there is none of this id.

    """
    overlay = overlays_of(evaluation).filter(pk=overlay_id).first()
    if overlay is None:
        raise _unknown()
    return overlay


def overlay_gold_ensure(*, overlay: KeptOverlay, viewer: Viewer) -> None:
    """Check that a viewer may see the gold of the questions that an overlay corrects.

    Raises:
        ProductError: they may not; it says why.

    """
    dataset = Dataset.objects.filter(identity=overlay.identity, identity_algorithm=overlay.algorithm).first()
    gold_ensure(viewer=viewer, name="" if dataset is None else dataset.name, dataset=dataset)


def overlay_with(overlay: Overlay) -> KeptOverlay | None:
    """What this site signed and keeps of the same corrections; None where it keeps none."""
    own = KeptOverlay.objects.filter(identity=overlay.identity, algorithm=overlay.algorithm, key=site_public_key())
    for each in own.filter(signer=overlay.signer, corrections=len(overlay.corrections)):
        if overlay_in(each.file).overlay.corrections == overlay.corrections:
            return each
    return None


def overlay_out(overlay: KeptOverlay) -> OverlayOut:
    """An overlay, and whose it is."""
    return OverlayOut(
        id=overlay.pk,
        name=overlay.name,
        signer=overlay.signer,
        key=overlay.key,
        by_this_site=overlay.key == site_public_key(),
        made_at=overlay.made_at,
        corrections=overlay.corrections,
        keeper=None if overlay.keeper is None else overlay.keeper.display_name,
        kept_at=overlay.kept_at,
    )


def overlaid_out(*, evaluation: Evaluation, overlay: KeptOverlay) -> OverlaidOut:
    """The figures of an evaluation under an overlay, as far as they are judged."""
    item = _item(evaluation, overlay)
    return OverlaidOut(
        overlay=overlay_out(overlay),
        work=None if item is None else _work(item),
        report=None if item is None or item.report is None else _report(item.report),
    )


def overlaid_questions(
    *, evaluation: Evaluation, overlay: KeptOverlay, positions: Collection[int]
) -> list[OverlaidQuestionOut]:
    """Those of the questions at some positions that an overlay corrects, as far as they are judged under it."""
    item = _item(evaluation, overlay)
    if item is None:
        return []
    rows = OverlaidQuestion.objects.filter(overlaid=item, question__position__in=positions)
    found = list(rows.select_related("question").order_by("question__position"))
    if not found:
        return []
    corrections = overlay_in(KeptOverlay.objects.only("file").get(pk=overlay.pk).file).overlay.by_question()
    pairs = [(row, corrections[row.question.question_id]) for row in found]
    names = _names(evaluation, {term for _, each in pairs for term in _answers((*each.old, *(each.new or ())))})
    return [_question(row, correction, names) for row, correction in pairs]


def _item(evaluation: Evaluation, overlay: KeptOverlay) -> OverlaidEvaluation | None:
    """What is known of an evaluation as it ended last."""
    same = OverlaidEvaluation.objects.filter(evaluation=evaluation, overlay=overlay)
    return same.filter(evaluation_ended=evaluation.finished_at).first() if evaluation.finished_at else None


def _work(item: OverlaidEvaluation) -> OverlaidWorkOut:
    over = item.status in OVER
    return OverlaidWorkOut(
        status=Status(item.status),
        reason=item.reason if over else "",
        waits=None if over else no_worker_reason(Queue.CPU_BACKGROUND) or item.reason or None,
        done=item.done,
    )


def _report(report: dict[str, object]) -> OverlaidReportOut:
    applied = cast("dict[str, int]", report["applied"])
    not_applied = cast("dict[str, int]", report["not_applied"])
    return OverlaidReportOut(
        figures=FiguresOut.model_validate(report["figures"]),
        applied=[AppliedOut(kind=CorrectionKind(kind), count=count) for kind, count in applied.items()],
        not_applied=[NotAppliedOut(reason=reason, count=count) for reason, count in not_applied.items()],
        not_judged=cast("int", report["not_judged"]),
    )


def _question(row: OverlaidQuestion, correction: Correction, names: dict[Term, str]) -> OverlaidQuestionOut:
    outcome = None if row.outcome is None else Outcome.from_json(row.outcome)
    old, new = _answers(correction.old), _answers(correction.new or ())

    def first(terms: Iterable[Term]) -> list[str]:
        return sorted(names[term] for term in terms)[:NAMES_OF_ONE]

    return OverlaidQuestionOut(
        position=row.question.position,
        kind=correction.kind,
        reason=correction.reason,
        who=list(correction.who),
        agreement=correction.agreement,
        at=correction.at,
        rewording=correction.rewording,
        old=first(old),
        old_total=len(old),
        new=first(new),
        new_total=None if correction.new is None else len(new),
        not_applied=row.not_applied,
        right=None if outcome is None else outcome.is_right,
        f1=None if outcome is None else outcome.f1,
        case=None if outcome is None else outcome.case,
        dog_class=None if outcome is None or outcome.dog is None else outcome.dog.name,
        dog_why="" if outcome is None or outcome.dog is None else outcome.dog.why,
    )


def _answers(parses: Iterable[GoldParse]) -> set[Term]:
    return {term for parse in parses for term in parse.answers}


def _names(evaluation: Evaluation, terms: set[Term]) -> dict[Term, str]:
    """What terms are called in the graph; what they are written as where it cannot be asked."""
    if evaluation.graph:
        try:
            return dict(engine.graph(evaluation.graph).labels(terms))
        except GraphStoreError:
            pass
    return {term: str(term) for term in terms}


def _unknown() -> ProductError:
    return ProductError(404, "unknown_overlay", "There are no such corrections of this dataset. Choose others.")
