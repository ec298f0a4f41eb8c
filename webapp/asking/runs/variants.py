"""Reads of what may be decided otherwise in a run, and of the runs in which something was."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from kgstore.store import GraphStoreError
from kgstore.terms import parse_term
from reasoning.core.errors import ContinuationRefusedError, ReasoningError
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.changes import AskedRun
from reasoning.events import Finished, Pruned, SearchStepTaken
from reasoning.narration.narration import Narrator
from reasoning.run.run import TERSE, RunLimits
from webapp import engine
from webapp.asking.runs.changes import change_of
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.schemas import DifferenceOut, OptionsOut, PreviewOut, VariantOut
from webapp.asking.runs.selectors import run_events, run_graph_changed, run_is_own, run_replayed, run_stage_events
from webapp.platform.http.errors import ProductError, graph_error
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning.core.options import Stage
    from reasoning.events import TermRecord, Verdict
    from webapp.accounts.viewer import Viewer
    from webapp.asking.runs.changes import ChangeIn

_FACTS_PREVIEWED = 24
_LISTED = 100
"""Maximum of answers of each kind that a difference lists; it counts all."""
_TREE = 200
"""Maximum of variants that are shown, the newest first."""


@contextmanager
def graph_unchanged(run: ReasoningRun) -> Iterator[None]:
    """A block that reads the graph of a run as it was asked.

    Raises:
        ProductError: the graph was loaded again, is gone or cannot be read, or the run has no such decision.

    """
    try:
        if engine.graph(run.graph).info().version != run.graph_version:
            message = (
                f"The graph “{run.graph_title}” was reloaded after this was asked, so its decisions cannot be kept. "
                "Ask the question again."
            )
            raise ProductError(409, "graph_changed", message)
        yield
    except GraphStoreError as error:
        raise graph_error(error, status=409) from error
    except ContinuationRefusedError as error:
        raise ProductError(422, "unsuitable_change", error.for_people) from error
    except ReasoningError as error:
        raise ProductError(409, error.code, error.for_people) from error


def asked_run(run: ReasoningRun) -> AskedRun:
    """A run as its log tells it, to be looked at for what may be decided otherwise.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    return AskedRun(
        run_stage_events(run=run),
        engine.graph(run.graph),
        strategy=run.strategy,
        switches=EngineSwitches.from_json(run.switches),
        limits=RunLimits(facts_shown=_FACTS_PREVIEWED),
    )


def run_options(*, run: ReasoningRun, stage: Stage, number: int) -> OptionsOut:
    """Every option of a decision.

    Raises:
        ProductError: the run has no such decision, or its graph is not what it was.

    """
    with graph_unchanged(run):
        return OptionsOut(options=asked_run(run).options(stage, number))


def run_preview(*, run: ReasoningRun, wanted: ChangeIn) -> PreviewOut:
    """What a change would add and take out by itself; no model is asked, and nothing is kept.

    Raises:
        ProductError: the change does not fit the run, or its graph is not what it was.

    """
    change = change_of(wanted)
    with graph_unchanged(run):
        asked = asked_run(run)
        if fault := asked.fault(change):
            raise ProductError(422, "unsuitable_change", fault)
        emitted = list(asked.preview(change))
    step = next((event for event in emitted if isinstance(event, SearchStepTaken)), None)
    pruned = next((event for event in emitted if isinstance(event, Pruned)), None)
    return PreviewOut(
        facts=[] if step is None else step.facts,
        facts_total=0 if step is None else step.facts_gained,
        removed=[] if pruned is None else [removed.fact for removed in pruned.removed],
        removed_total=0 if pruned is None else pruned.removed_total,
        kept_total=None if pruned is None else pruned.kept_total,
    )


def run_variants(*, run: ReasoningRun, viewer: Viewer) -> list[VariantOut]:
    """The tree of a run's variants, the oldest first: the way to this run, what its asker tried, and the viewer's own.

    What other people tried, who only had the link, is theirs.
    """
    first = run.original or run
    newest = ReasoningRun.objects.select_related("question").filter(original=first).order_by("-created_at")[:_TREE]
    by_id = {one.pk: one for one in (first, run, *newest)}
    shown = {pk for pk, one in by_id.items() if _same_asker(one, first) or run_is_own(run=one, viewer=viewer)}
    shown |= {first.pk, run.pk}
    at = run
    while at.parent_id in by_id:
        at = by_id[at.parent_id]
        shown.add(at.pk)
    return [_variant(one) for one in sorted((by_id[pk] for pk in shown), key=lambda one: one.created_at)]


def run_difference(*, run: ReasoningRun) -> DifferenceOut:
    """The answers of a variant compared with those of the original run.

    Where more answers were found than the logs list, the decisions are replayed over the graph; where that is not what
    it was, only the listed answers are compared, and ``complete`` says so.

    Raises:
        ProductError: the run varies no other, or one of the two is not over.

    """
    original = run.original
    if original is None:
        raise ProductError(409, "no_variant", "This run varies no other one, so there is nothing to compare it with.")
    if not run.is_over or not original.is_over:
        raise ProductError(409, "not_over", "Both runs have to be over to be compared.")
    was, now = _finished(original), _finished(run)
    (before, all_before), (after, all_after) = _answer_ids(original, was), _answer_ids(run, now)
    labels = {one.term.id: one.term for end in (was, now) if end is not None for one in end.answers}
    of_before, of_after = set(before), set(after)
    parted = (
        [each for each in after if each in of_before],
        [each for each in after if each not in of_before],
        [each for each in before if each not in of_after],
    )
    unnamed = {each for part in parted for each in part[:_LISTED]} - labels.keys()
    if unnamed:
        labels |= _labels(run, unnamed)
    kept, gained, lost = ([labels[each] for each in part[:_LISTED]] for part in parted)
    return DifferenceOut(
        was=None if was is None else was.verdict,
        now=None if now is None else now.verdict,
        kept=kept,
        kept_total=len(parted[0]),
        gained=gained,
        gained_total=len(parted[1]),
        lost=lost,
        lost_total=len(parted[2]),
        complete=all_before and all_after,
    )


def _answer_ids(run: ReasoningRun, end: Finished | None) -> tuple[list[str], bool]:
    """The ids of a run's answers, the best first, and whether these are all."""
    if end is None:
        return [], True
    listed = [one.term.id for one in end.answers]
    if end.answers_total <= len(listed):
        return listed, True
    if run_graph_changed(run=run):
        return listed, False
    trace = Trace()
    for _ in run_replayed(run=run, known=run_stage_events(run=run), limits=TERSE, trace=trace):
        pass
    return [str(term) for term in trace.answers], True


def _labels(run: ReasoningRun, ids: set[str]) -> dict[str, TermRecord]:
    narrator = Narrator(engine.graph(run.graph))
    terms = [parse_term(each) for each in ids]
    narrator.learn(terms)
    return {str(term): narrator.term(term) for term in terms}


def _finished(run: ReasoningRun) -> Finished | None:
    """How a run ended, where it ended by itself."""
    (last,) = run_events(run_id=run.pk, after=run.last_seq - 1)
    return last.event if isinstance(last.event, Finished) else None


def _variant(run: ReasoningRun) -> VariantOut:
    return VariantOut(
        id=run.pk,
        parent=run.parent_id,
        what_if=run.what_if,
        status=Status(run.status),
        verdict=cast("Verdict", run.verdict) if run.verdict else None,
        answers=run.answers,
        created_at=run.created_at,
    )


def _same_asker(run: ReasoningRun, other: ReasoningRun) -> bool:
    """Whether the same user asked both; unknown if no asker is stored any more."""
    one, two = ((each.question.asker_id, each.question.visitor) for each in (run, other))
    return any(one) and one == two
