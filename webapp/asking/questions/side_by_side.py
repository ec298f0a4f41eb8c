"""Asking a question in several ways at once, and the results side by side."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, TypeVar

from reasoning.core.switches import EngineSwitches
from reasoning.engine.divergence import parting
from reasoning.events import Finished
from reasoning.narration.wording import RunWords
from webapp import engine
from webapp.asking.questions.services import graph_asked, question_text
from webapp.asking.questions.side_by_side_schemas import PartedOut, PartingOut, SideBySideOut
from webapp.asking.runs.api import run_out
from webapp.asking.runs.selectors import run_stage_events, side_by_side_runs
from webapp.asking.runs.services import Way, ask_allowance_take, runs_queue_side_by_side
from webapp.platform.http.errors import ProductError, room_ensure

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping, Sequence

    from reasoning.events import StageEvent
    from webapp.accounts.viewer import Viewer
    from webapp.asking.questions.schemas import WayIn
    from webapp.asking.questions.side_by_side_schemas import SideBySideIn
    from webapp.asking.runs.models import SideBySide

Key = TypeVar("Key", bound=Hashable)
"""What tells runs from one another."""


def question_ask_side_by_side(*, wanted: SideBySideIn, viewer: Viewer) -> SideBySide:
    """Take a question and queue a run for each way to answer it; each counts as a question of its own.

    Raises:
        ProductError: the question is empty or too long, names no known graph, topic, scorer or strategy, two ways are
            the same, or it comes too soon.

    """
    text = question_text(wanted.question)
    ways = [_way(each) for each in wanted.ways]
    if any(way in ways[:index] for index, way in enumerate(ways)):
        message = "Two of the configurations are equal. Choose another method or another model for one of them."
        raise ProductError(422, "same_ways", message)
    info = graph_asked(wanted.graph, wanted.topic)
    room_ensure()
    ask_allowance_take(viewer=viewer, times=len(ways))
    return runs_queue_side_by_side(text=text, viewer=viewer, info=info, topic=wanted.topic or "", ways=ways)


def _way(wanted: WayIn) -> Way:
    strategy = engine.strategy_chosen(wanted.strategy, EngineSwitches.from_json(wanted.switches))
    return Way(engine.scorer_chosen(wanted.scorer), strategy, wanted.switches)


def side_by_side_out(together: SideBySide, viewer: Viewer) -> SideBySideOut:
    """The runs of a question side by side, as far as they are."""
    runs = side_by_side_runs(together)
    outs = [run_out(run, viewer) for run in runs]
    logs = {run.pk: run_stage_events(run=run) for run in runs if run.is_over}
    ended = {pk: emitted for pk, emitted in logs.items() if emitted and isinstance(emitted[-1], Finished)}
    first = runs[0]
    return SideBySideOut(
        id=together.pk,
        question=together.question.text,
        graph=first.graph,
        graph_title=first.graph_title,
        topic=first.topic or None,
        created_at=together.created_at,
        runs=outs,
        may_cancel=any(run.may_cancel for run in outs),
        compared=len(ended),
        same_answers=same_answers(ended),
        parting=parting_out(ended),
    )


def same_answers(ended: Mapping[Key, Sequence[StageEvent]]) -> list[list[Key]]:
    """Those runs of a question that give the same answers, the most first; answers are compared by id."""
    groups: dict[tuple[object, ...], list[Key]] = {}
    for run, emitted in ended.items():
        end = emitted[-1]
        if isinstance(end, Finished):
            answers = frozenset(each.term.id for each in end.answers)
            holds = None if end.claim is None else end.claim.holds
            groups.setdefault((answers, end.answers_total, end.count, holds), []).append(run)
    return sorted(groups.values(), key=len, reverse=True)


def parting_out(ended: Mapping[uuid.UUID, Sequence[StageEvent]]) -> PartingOut | None:
    """Where runs of a question part, in words."""
    parted = parting(list(ended.values()))
    if parted is None:
        return None
    return PartingOut(
        shared=parted.shared,
        runs=[
            PartedOut(
                run=run,
                seq=None if each.event is None else each.event + 1,
                words="" if each.event is None else decision_words(emitted, each.event),
                alike=each.alike,
            )
            for (run, emitted), each in zip(ended.items(), parted.runs, strict=True)
        ],
    )


def decision_words(emitted: Sequence[StageEvent], index: int) -> str:
    """The decision that an event of a run tells, as a sentence."""
    words = RunWords()
    for event in emitted[: index + 1]:
        words.learn(event)
    return words.decision(emitted[index])
