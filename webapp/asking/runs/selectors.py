"""Reads of questions and runs."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q
from pydantic import TypeAdapter

from kgstore.store import GraphStoreError
from reasoning.compiling.cypher import cypher_script, to_cypher
from reasoning.compiling.sparql import to_sparql
from reasoning.core.switches import EngineSwitches
from reasoning.datasets.identity import text_hash
from reasoning.engine.engine import answer
from reasoning.events import FactRecord, Finished, Pruned, ReadingsKept, SearchStepTaken, StageEvent
from reasoning.narration.replay import choices_again, derivation_made, recorded_date
from reasoning.run.run import RunLimits
from webapp import engine
from webapp.asking.runs.models import Question, ReasoningRun, RunEvent, SideBySide
from webapp.asking.runs.readers import question_is_own, run_read_ensure
from webapp.asking.runs.schemas import AnswerPageOut, FactPageOut, RunEventOut, RunFactOut, RunQueriesOut
from webapp.platform.http.errors import ProductError
from webapp.platform.work.states import OVER

if TYPE_CHECKING:
    import uuid
    from collections.abc import Collection, Iterator, Sequence

    from django.db.models import QuerySet

    from reasoning.core.trace import Trace
    from webapp.accounts.viewer import Viewer

_STAGE_EVENT: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)


def run_for_viewer(*, run_id: uuid.UUID, viewer: Viewer) -> ReasoningRun:
    """The run, for anyone with its link, as far as the settings allow.

    Raises:
        ProductError: there is none, or the viewer may not read it.

    """
    run = ReasoningRun.objects.select_related("question").filter(pk=run_id).first()
    if run is None:
        raise ProductError(404, "unknown_run", "There is no such run. Check the link, or ask the question again.")
    run_read_ensure(run=run, viewer=viewer)
    return run


def side_by_side_for_viewer(*, id_: uuid.UUID, viewer: Viewer) -> SideBySide:
    """What was asked side by side, for anyone with its link, as far as the settings allow.

    Raises:
        ProductError: there is none, or the viewer may not read it.

    """
    together = SideBySide.objects.select_related("question").filter(pk=id_).first()
    runs = [] if together is None else side_by_side_runs(together)
    if together is None or not runs:
        message = "Nothing was asked side by side at this address. Check the link, or ask the question again."
        raise ProductError(404, "unknown_side_by_side", message)
    run_read_ensure(run=runs[0], viewer=viewer)
    return together


def side_by_side_runs(together: SideBySide) -> list[ReasoningRun]:
    """The runs that were asked side by side, in the order in which they were asked."""
    return list(together.runs.select_related("question").order_by("created_at"))


def questions_own(*, viewer: Viewer) -> QuerySet[Question]:
    """The questions of who is looking: of their account, and of their browser's session before they signed in."""
    own = Q()
    if viewer.user is not None:
        own |= Q(asker=viewer.user)
    if viewer.visitor is not None:
        own |= Q(visitor=viewer.visitor)
    return Question.objects.filter(own) if own else Question.objects.none()


def questions_typed() -> QuerySet[Question]:
    """What people with an account asked by themselves.

    A variant of a run may hold another user's words, and a question that an evaluation shows is a benchmark's.
    """
    typed = ReasoningRun.objects.filter(question=OuterRef("pk"), parent__isnull=True, decided=[])
    return Question.objects.filter(Exists(typed), asker__isnull=False)


def asked_often(hashes: Collection[str]) -> Counter[str]:
    """How often people asked questions with these normalised texts, of those that they agreed to have labelled."""
    texts = questions_typed().filter(may_be_labelled=True).values_list("text", flat=True)
    return Counter(hash_ for hash_ in map(text_hash, texts.iterator()) if hash_ in hashes)


def runs_own(*, viewer: Viewer) -> QuerySet[ReasoningRun]:
    """The runs of the viewer, in no order; variants of their own run are listed with that run."""
    own = questions_own(viewer=viewer)
    return ReasoningRun.objects.filter(question__in=own).exclude(original__question__in=own).order_by()


def runs_of(*, viewer: Viewer, limit: int) -> Sequence[ReasoningRun]:
    """The last runs of who is looking, newest first; of those asked side by side, the first stands for all."""
    before = ReasoningRun.objects.filter(side_by_side=OuterRef("side_by_side"), created_at__lt=OuterRef("created_at"))
    found = runs_own(viewer=viewer).exclude(Exists(before))
    return list(found.select_related("question").order_by("-created_at")[:limit])


def run_is_own(*, run: ReasoningRun, viewer: Viewer) -> bool:
    """Whether the viewer asked it."""
    return question_is_own(question=run.question, viewer=viewer)


def run_events(*, run_id: uuid.UUID, after: int, limit: int | None = None) -> list[RunEventOut]:
    """The events of a run with a number above ``after``, in order."""
    rows = RunEvent.objects.filter(run_id=run_id, seq__gt=after).order_by("seq")[:limit]
    return [RunEventOut(seq=row.seq, event=_STAGE_EVENT.validate_python(row.event)) for row in rows]


def run_is_over(*, run_id: uuid.UUID) -> bool:
    """Whether a run has its last event; one that is gone has none to come."""
    return not ReasoningRun.objects.filter(pk=run_id).exclude(status__in=OVER).exists()


def stage_events(documents: Sequence[object]) -> list[StageEvent]:
    """Events from their JSON."""
    return [_STAGE_EVENT.validate_python(document) for document in documents]


def run_stage_events(*, run: ReasoningRun) -> list[StageEvent]:
    """All events of a run so far."""
    return [row.event for row in run_events(run_id=run.pk, after=0)]


def run_graph_changed(*, run: ReasoningRun) -> bool:
    """Whether the graph is not the one that the run began with, or is gone."""
    try:
        return engine.graph(run.graph).info().version != run.graph_version
    except GraphStoreError:
        return True


def run_facts(*, run: ReasoningRun, position: int, offset: int, limit: int) -> FactPageOut:
    """All facts that the step to a position found, found again by replaying the recorded decisions over the graph.

    Raises:
        ProductError: the run has no such position (yet), or its graph is not what it was.

    """
    known = run_stage_events(run=run)
    if not any(isinstance(event, SearchStepTaken) and event.node.position == position for event in known):
        raise ProductError(404, "unknown_position", f"This run has no position {position}.", position=position)
    _graph_unchanged_ensure(run, "facts")
    facts: list[FactRecord] = []
    removed: set[int] = set()
    replayed = run_replayed(run=run, known=known, limits=RunLimits(facts_shown=engine.LIMITS.facts_per_step))
    for event in islice(replayed, sum(not isinstance(event, ReadingsKept) for event in known)):
        if isinstance(event, SearchStepTaken) and event.node.position == position:
            facts = event.facts
        elif isinstance(event, Pruned):
            removed = {removal.fact for removal in event.removed}
    page = facts[offset : offset + limit]
    found = [RunFactOut(**fact.model_dump(), removed=fact.id in removed) for fact in page]
    return FactPageOut(facts=found, total=len(facts))


def run_answers(*, run: ReasoningRun, offset: int, limit: int) -> AnswerPageOut:
    """All answers of a run with their proofs: those that its log lists, then the others, found again over the graph.

    Raises:
        ProductError: its log does not list all that are asked for, and its graph is not what it was.

    """
    known = run_stage_events(run=run)
    end = known[-1] if known else None
    if not isinstance(end, Finished):
        return AnswerPageOut(answers=[], total=0)
    answers = end.answers
    if offset + limit > len(answers) and end.answers_total > len(answers):
        _graph_unchanged_ensure(run, "answers")
        everything = RunLimits(facts_shown=0, answers_shown=end.answers_total)
        *_, again = run_replayed(run=run, known=known, limits=everything)
        listed = {one.term.id for one in answers}
        found = again.answers if isinstance(again, Finished) else []
        answers = [*answers, *(one for one in found if one.term.id not in listed)]
    return AnswerPageOut(answers=answers[offset : offset + limit], total=end.answers_total)


def _graph_unchanged_ensure(run: ReasoningRun, wanted: str) -> None:
    if run_graph_changed(run=run):
        message = f"The graph “{run.graph_title}” was reloaded after this was asked. Ask again to see all {wanted}."
        raise ProductError(409, "graph_changed", message)


def run_replayed(
    *, run: ReasoningRun, known: Sequence[StageEvent], limits: RunLimits, trace: Trace | None = None
) -> Iterator[StageEvent]:
    """The events of a run with its decisions made again over its graph, which must be as it was; no model is asked."""
    topic, given = choices_again(known)
    # The decisions of a beam's best reading are those of READS.
    switches = EngineSwitches.from_json(run.switches).but(width=1)
    return answer(
        run.question.text,
        engine.graph(run.graph),
        None,
        strategy=run.strategy,
        topic=topic,
        given=given,
        limits=limits,
        switches=switches,
        today=recorded_date(known),
        trace=trace,
    )


def run_queries(*, run: ReasoningRun) -> RunQueriesOut:
    """A run's decisions as queries.

    Raises:
        ProductError: it has come to no answer position.

    """
    derivation = derivation_made(run_stage_events(run=run))
    if derivation is None:
        message = "This run has no answer position, so there is no query for it."
        raise ProductError(409, "no_query", message)
    return RunQueriesOut(sparql=to_sparql(derivation), cypher=cypher_script(*to_cypher(derivation, run.graph)))
