"""The questions of an evaluation in the order in which to label them, read off its stored decisions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter

from reasoning.events import StageEvent
from reasoning.labels.worth_labelling import Candidate, disagreement, doubt, in_order, kind_of, steps_made
from reasoning.narration.replay import decisions_made
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.asking.runs.selectors import asked_often
from webapp.evaluations.comparisons.schemas import NextQuestionOut, NextToLabelOut
from webapp.evaluations.models import JudgedDecisions
from webapp.evaluations.selectors import evaluation_out
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping, Sequence

    from reasoning.narration.replay import Made
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.models import Evaluation

_EVENT: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
_EVALUATIONS_KEPT = 4
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Decided:
    """How a question was decided."""

    made: Sequence[Made]
    doubt: float | None
    kind: str


def next_to_label(
    evaluation: Evaluation,
    *,
    by: Literal["doubt", "disagreement", "asked"],
    against: Evaluation | None,
    limit: int,
    viewer: Viewer,
) -> NextToLabelOut:
    """The judged questions of an evaluation, those first whose labels promise most.

    Raises:
        ProductError: the viewer manages no projects, the dataset is none that is kept, or no other evaluation of it is
            named where models are to disagree.

    """
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    if evaluation.snapshot is None:
        message = "Only questions of a loaded dataset are labelled. Load the dataset, and evaluate again."
        raise ProductError(409, "no_dataset_question", message)
    if by == "disagreement" and (against is None or against.dataset != evaluation.dataset):
        message = "Choose another evaluation of the same dataset: where the two decided otherwise is asked first."
        raise ProductError(422, "no_other_evaluation", message)
    judged = evaluation.questions.filter(judged_at__isnull=False, dataset_question__isnull=False).order_by("position")
    columns = ("question_id", "text", "dataset_question__text_hash", "dataset_question__split")
    rows = {id_: (text, hash_, split) for id_, text, hash_, split in judged.values_list(*columns)}
    decided = _decided(evaluation.pk, evaluation.done)
    other = {} if against is None else _decided(against.pk, against.done)
    often = asked_often({hash_ for _, hash_, _ in rows.values()}) if by == "asked" else {}
    candidates = []
    for id_, (_, hash_, _) in rows.items():
        one = decided.get(id_)
        worth: float | None
        if by == "asked":
            worth = float(often.get(hash_, 0))
        elif by == "doubt":
            worth = None if one is None else one.doubt
        else:
            two = other.get(id_)
            worth = None if one is None or two is None else disagreement(one.made, two.made)
        if worth is not None:
            candidates.append(Candidate(id_, worth, "" if one is None else one.kind))
    ordered = in_order(candidates)
    return NextToLabelOut(
        evaluation=evaluation_out(evaluation, may_manage=may(viewer, Action.MANAGE_EVALUATIONS)),
        questions=[
            NextQuestionOut(
                question_id=each.key,
                text=rows[each.key][0],
                worth=each.worth,
                held_out=rows[each.key][2] == "validation",
            )
            for each in ordered[:limit]
        ],
        of=len(candidates),
        unknown=len(rows) - len(candidates),
    )


@lru_cache(maxsize=_EVALUATIONS_KEPT)
def _decided(evaluation_id: uuid.UUID, _done: int) -> Mapping[str, _Decided]:
    """By the id of the question; what is kept is read again once more questions are done."""
    rows = JudgedDecisions.objects.filter(question__evaluation=evaluation_id).order_by("question__position")
    found = {}
    for id_, shown in rows.values_list("question__question_id", "events").iterator(_ROWS_AT_ONCE):
        made = decisions_made(map(_EVENT.validate_python, shown))
        found[id_] = _Decided(made, doubt(made), kind_of(steps_made(made)))
    return found
