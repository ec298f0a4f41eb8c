"""What reviewers say of a benchmark's labels, as corrections of its dataset that evaluations are looked at under.

A reviewer says that a label is wrong; what is right instead, the label of the case says: the accepted one, or else the
one that was handed in last. Without such a label the question is left out of what is judged under the corrections.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from kgstore.terms import Entity
from reasoning.core.compared import as_compared
from reasoning.datasets.overlay import Correction, CorrectionKind, Overlay, now, signed
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.evaluations.overlays.selectors import corrected_dataset, none_because, overlay_out, overlay_with
from webapp.evaluations.overlays.services import overlay_keep_signed
from webapp.evaluations.overlays.site_key import site_key
from webapp.labelling.adjudication.models import ACCEPTING, AcceptedLabel
from webapp.labelling.projects.draft import Draft, decided_of, terms_of
from webapp.labelling.projects.models import Assignment, State
from webapp.platform.http.errors import ProductError
from webapp.review.corrections_schemas import CorrectedCaseOut, ReviewCorrectionsOut
from webapp.review.models import Case, Entry, Says
from webapp.review.selectors import evaluation_title
from webapp.review.sources import source_named
from webapp.review.verdicts import GOLD_CAUSES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.models import EvaluatedQuestion, Evaluation
    from webapp.evaluations.overlays.models import KeptOverlay

LISTED = 20
"""Maximum of incomplete cases that are named."""
_KINDS = {cause: kind for kind, cause in GOLD_CAUSES.items()}
_GIVING = ("derivation", "facts", "answers")
"""The kinds of labels that give answers."""


@dataclass(frozen=True, slots=True)
class CaseLabel:
    """The label that says what is right."""

    draft: Draft
    answers: tuple[str, ...]
    """The terms that it gives on its graph."""
    who: str
    """The user name of who made or accepted it; empty where it was automatic, or the account is gone."""


@dataclass(slots=True)
class CasesCorrected:
    """What the verdicts of an evaluation's cases come to."""

    verdicts: int = 0
    """The number of cases with the verdict that the benchmark is wrong."""
    corrections: list[Correction] = field(default_factory=list)
    """In the order of the questions."""
    unlabelled: list[Case] = field(default_factory=list)
    """Those of which no label says what is right: they are corrected without new answers."""
    contradicted: list[Case] = field(default_factory=list)
    """Those whose label says what the benchmark says: they are not corrected."""


def corrections_out(*, of: str, signer: str, viewer: Viewer) -> ReviewCorrectionsOut:
    """What the verdicts of a source's cases come to, and whether that is kept already.

    Raises:
        ProductError: the viewer may not, or there is no such source, or no benchmark says anything of it.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    evaluation = _evaluation(of, viewer)
    found = cases_corrected(evaluation)
    why = none_because(evaluation)
    kept = None if why or not found.corrections else overlay_with(_overlay(evaluation, found, signer))
    return ReviewCorrectionsOut(
        verdicts=found.verdicts,
        entries=len(found.corrections),
        labelled=sum(each.new is not None for each in found.corrections),
        unlabelled=[_case_out(case) for case in found.unlabelled[:LISTED]],
        unlabelled_total=len(found.unlabelled),
        contradicted=[_case_out(case) for case in found.contradicted[:LISTED]],
        contradicted_total=len(found.contradicted),
        none_because=why,
        may_keep=may(viewer, Action.MANAGE_EVALUATIONS),
        kept=None if kept is None else overlay_out(kept),
    )


def corrections_file(*, of: str, signer: str, viewer: Viewer) -> str:
    """The corrections of a source's cases as a signed file.

    Raises:
        ProductError: as in `corrections_out`, or no case says that the benchmark is wrong, or it is not kept which
            version of the dataset was asked.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    return _written(_evaluation(of, viewer), signer)


def corrections_keep(*, of: str, signer: str, viewer: Viewer) -> KeptOverlay:
    """Keep the corrections of a source's cases for evaluations; where the same are kept already, those.

    Raises:
        ProductError: as in `corrections_file`.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    evaluation = _evaluation(of, viewer)
    return overlay_keep_signed(
        file=_written(evaluation, signer),
        name=f"Cases of {evaluation_title(evaluation)}",
        dataset=corrected_dataset(evaluation),
        viewer=viewer,
    )


def cases_corrected(evaluation: Evaluation) -> CasesCorrected:
    """What the verdicts of an evaluation's cases come to."""
    said = Case.objects.filter(question__evaluation=evaluation, says=Says.GOLD).order_by("question__position")
    cases = list(said.select_related("question", "reviewer"))
    labels = _labels({case.task_id for case in cases if case.task_id is not None})
    times = _times(cases)
    found = CasesCorrected(verdicts=len(cases))
    for case in cases:
        label = None if case.task_id is None else labels.get(case.task_id)
        correction = _correction(case, label, times.get(case.pk, ""))
        if correction.new is None:
            found.unlabelled.append(case)
        elif _same_answers(correction):
            found.contradicted.append(case)
            continue
        found.corrections.append(correction)
    return found


def _evaluation(of: str, viewer: Viewer) -> Evaluation:
    source = source_named(of, viewer)
    if source == "asked":
        message = "These questions were asked on this site; no benchmark says anything of them that could be wrong."
        raise ProductError(409, "no_benchmark", message)
    return source


def _written(evaluation: Evaluation, signer: str) -> str:
    corrected_dataset(evaluation)
    found = cases_corrected(evaluation)
    if not found.corrections:
        message = (
            "No case says that the benchmark is wrong, so there is nothing to correct. Choose “The benchmark is "
            "wrong” for a case first."
            if not found.verdicts
            else "The labels of these cases say what the benchmark says, so there is nothing to correct. Look at the "
            "labels, or at the verdicts."
        )
        raise ProductError(409, "nothing_corrected", message, contradicted=len(found.contradicted))
    return signed(_overlay(evaluation, found, signer), site_key())


def _overlay(evaluation: Evaluation, found: CasesCorrected, signer: str) -> Overlay:
    dataset = corrected_dataset(evaluation)
    parts = (dataset.name, dataset.identity, dataset.identity_algorithm)
    return Overlay(*parts, signer, now(), tuple(found.corrections))


def _labels(tasks: Collection[int]) -> Mapping[int, CaseLabel]:
    """By task, its accepted label, or else the one that was handed in last."""
    labels: dict[int, CaseLabel] = {}
    handed_in = Assignment.objects.filter(task__in=tasks, state=State.SUBMITTED).order_by("submitted_at", "pk")
    for made in handed_in.select_related("person"):
        who = "" if made.person is None else made.person.username
        labels[made.task_id] = CaseLabel(Draft.model_validate(made.draft), tuple(made.answers or ()), who)
    last: dict[int, AcceptedLabel] = {}
    for accepted in AcceptedLabel.objects.filter(task__in=tasks).select_related("reviewer").order_by("number"):
        last[accepted.task_id] = accepted
    for task, accepted in last.items():
        if accepted.how in ACCEPTING:
            who = "" if accepted.reviewer is None else accepted.reviewer.username
            labels[task] = CaseLabel(Draft.model_validate(accepted.draft), tuple(accepted.answers), who)
    return labels


def _times(cases: Iterable[Case]) -> Mapping[int, str]:
    """By case, when its verdict was said."""
    entries = Entry.objects.filter(case__in=cases, now__has_key="says").order_by("number")
    return {case: at.isoformat(timespec="seconds") for case, at in entries.values_list("case", "at")}


def _correction(case: Case, label: CaseLabel | None, at: str) -> Correction:
    question = BenchmarkQuestion.from_json(_asked(case).gold)
    kind, new = _KINDS[case.cause], None
    reasons, people = [case.comment.strip()], {case.reviewer.username} if case.reviewer is not None else set()
    if label is not None:
        new = _answers(question, label.draft, label.answers, kind)
        if label.draft.kind == "unanswerable":
            kind = CorrectionKind.UNANSWERABLE
        reasons.append(label.draft.note.strip())
        people.add(label.who)
    return Correction(
        question_id=question.id,
        kind=kind,
        old=question.parses,
        new=new,
        reason="; ".join(dict.fromkeys(reason for reason in reasons if reason)),
        who=tuple(sorted(people - {""})),
        at=at,
    )


def _answers(
    question: BenchmarkQuestion, draft: Draft, answers: Iterable[str], kind: CorrectionKind
) -> tuple[GoldParse, ...] | None:
    """What counts instead by a label; None where it says nothing of answers, such as one of several readings."""
    topic = question.topic if draft.topic is None else Entity(draft.topic)
    if draft.kind == "unanswerable":
        lacks = "unanswerable" if draft.missing is None else f"{draft.missing.what} missing"
        return (GoldParse(question.topic, frozenset(), None, lacks),)
    given = draft.marked if draft.kind == "benchmark" else answers if draft.kind in _GIVING else ()
    terms = frozenset(terms_of(given))
    if not terms:
        return None
    derivation = decided_of(draft).derivation if draft.kind == "derivation" else None
    return (GoldParse(topic, terms, derivation, "" if derivation is not None else f"corrected: {kind.value}"),)


def _same_answers(correction: Correction) -> bool:
    """Whether what counts instead is what the benchmark says."""
    old = {frozenset(as_compared(parse.answers)) for parse in correction.old}
    return {frozenset(as_compared(parse.answers)) for parse in correction.new or ()} <= old


def _asked(case: Case) -> EvaluatedQuestion:
    """Its question; there is one, since the case was found by it."""
    return cast("EvaluatedQuestion", case.question)


def _case_out(case: Case) -> CorrectedCaseOut:
    question = _asked(case)
    return CorrectedCaseOut(key=str(question.position), text=question.text, sent=case.task_id is not None)
