"""Reads of questions and runs."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from django.db.models import Q
from pydantic import TypeAdapter

from kgstore.store import GraphStoreError
from reasoning.compiling.cypher import cypher_script, to_cypher
from reasoning.compiling.sparql import to_sparql
from reasoning.engine import answer
from reasoning.events import FactRecord, Pruned, ReadingsKept, SearchStepTaken, StageEvent
from reasoning.replay import choices_again, derivation_made
from reasoning.run import RunLimits
from reasoning.switches import EngineSwitches
from webapp import engine
from webapp.http.errors import ProductError
from webapp.runs.models import ReasoningRun, RunEvent
from webapp.runs.schemas import FactPageOut, RunEventOut, RunFactOut, RunQueriesOut
from webapp.work.states import OVER

if TYPE_CHECKING:
    import uuid
    from collections.abc import Sequence

    from webapp.accounts.viewer import Viewer

_STAGE_EVENT: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)


def run_for_viewer(*, run_id: uuid.UUID, viewer: Viewer) -> ReasoningRun:  # noqa: ARG001 - whoever has the link may look
    """The run, for whoever has its link.

    Raises:
        ProductError: there is none.

    """
    run = ReasoningRun.objects.select_related("question").filter(pk=run_id).first()
    if run is None:
        raise ProductError(404, "unknown_run", "There is no such run. Check the link, or ask the question again.")
    return run


def run_is_own(*, run: ReasoningRun, viewer: Viewer) -> bool:
    """Whether the viewer asked it."""
    question = run.question
    if viewer.user is not None and question.asker_id == viewer.user.pk:
        return True
    return viewer.visitor is not None and question.visitor == viewer.visitor


def runs_of(*, viewer: Viewer, limit: int) -> Sequence[ReasoningRun]:
    """The last runs of who is looking, newest first; variants of one's own run are found beside that one."""
    own, varied = Q(), Q()
    if viewer.user is not None:
        own |= Q(question__asker=viewer.user)
        varied |= Q(original__question__asker=viewer.user)
    if viewer.visitor is not None:
        own |= Q(question__visitor=viewer.visitor)
        varied |= Q(original__question__visitor=viewer.visitor)
    if not own:
        return []
    runs = ReasoningRun.objects.select_related("question").filter(own).exclude(varied)
    return list(runs.order_by("-created_at")[:limit])


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


def runs_on_graph(graph: str) -> int:
    """How many questions were asked of a graph, of whichever version."""
    return ReasoningRun.objects.filter(graph=graph).count()


def run_facts(*, run: ReasoningRun, position: int, offset: int, limit: int) -> FactPageOut:
    """All facts that the step to a position found, found again by replaying the recorded decisions over the graph.

    Raises:
        ProductError: the run has no such position (yet), or its graph is not what it was.

    """
    known = run_stage_events(run=run)
    if not any(isinstance(event, SearchStepTaken) and event.node.position == position for event in known):
        raise ProductError(404, "unknown_position", f"This run has no position {position}.", position=position)
    if run_graph_changed(run=run):
        message = f"The graph “{run.graph_title}” was loaded anew since this was asked. Ask again to see all facts."
        raise ProductError(409, "graph_changed", message)
    topic, given = choices_again(known)
    everything = RunLimits(facts_shown=engine.LIMITS.facts_per_step)
    # The decisions of a beam's best reading are those of READS.
    switches = EngineSwitches(**{**run.switches, "width": 1})
    facts: list[FactRecord] = []
    removed: set[int] = set()
    replayed = answer(
        run.question.text,
        engine.graph(run.graph),
        None,
        strategy=run.strategy,
        topic=topic,
        given=given,
        limits=everything,
        switches=switches,
    )
    for event in islice(replayed, sum(not isinstance(event, ReadingsKept) for event in known)):
        if isinstance(event, SearchStepTaken) and event.node.position == position:
            facts = event.facts
        elif isinstance(event, Pruned):
            removed = {removal.fact for removal in event.removed}
    page = facts[offset : offset + limit]
    found = [RunFactOut(**fact.model_dump(), removed=fact.id in removed) for fact in page]
    return FactPageOut(facts=found, total=len(facts))


def run_queries(*, run: ReasoningRun) -> RunQueriesOut:
    """A run's decisions as queries.

    Raises:
        ProductError: it has come to no answer position.

    """
    derivation = derivation_made(run_stage_events(run=run))
    if derivation is None:
        message = "This run has not found where the answer stands, so there is no query for it."
        raise ProductError(409, "no_query", message)
    return RunQueriesOut(sparql=to_sparql(derivation), cypher=cypher_script(*to_cypher(derivation, run.graph)))
