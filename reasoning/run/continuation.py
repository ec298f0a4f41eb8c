"""A run that goes on from another: events kept, at most one change, then the rest is asked or the run stops.

One mechanism for a run whose worker died, a derivation that is shown again, a what-if, and a label that recomputes.
Nothing that is kept asks a model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.errors import ContinuationRefusedError
from reasoning.core.options import Stage
from reasoning.core.structure import ROOT
from reasoning.narration.replay import places_of, reading_made, recorded_date, stages_ended
from reasoning.run.decisions import GivenDecisions, Later, as_they_were
from reasoning.scorers.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Date
    from reasoning.core.options import Choice
    from reasoning.events import StageEvent
    from reasoning.narration.replay import Made


@dataclass(frozen=True, slots=True)
class Replace:
    """Another choice in the place of a decision."""

    stage: Stage
    number: int
    choice: Choice
    kind: Literal["replace"] = "replace"


@dataclass(frozen=True, slots=True)
class Insert:
    """One decision more, before the one that has this number."""

    stage: Stage
    number: int
    choice: Choice
    kind: Literal["insert"] = "insert"


@dataclass(frozen=True, slots=True)
class Remove:
    """A decision is taken out, with all that grew from it, and is not chosen again."""

    stage: Stage
    number: int
    kind: Literal["remove"] = "remove"


@dataclass(frozen=True, slots=True)
class EndStage:
    """The stage ends where this decision was; its later ones are taken out."""

    stage: Stage
    number: int
    kind: Literal["end"] = "end"


@dataclass(frozen=True, slots=True)
class TakeReading:
    """Another reading of those that the run kept side by side: all its decisions, and no others."""

    index: int
    """Among `events.Finished.readings`."""


Changed: TypeAlias = Replace | Insert | Remove | EndStage
"""A change of one decision."""
Change: TypeAlias = Changed | TakeReading


@dataclass(frozen=True, slots=True)
class Continuation:
    """What a run keeps of another one, and what it decides otherwise."""

    events: tuple[StageEvent, ...]
    """Of the other run, all or the first ones."""
    change: Change | None = None
    later: Literal["keep", "ask"] = "ask"
    """What becomes of the decisions after the change: kept where they still fit, or made again."""
    otherwise: Literal["ask", "stop"] = "ask"
    """Whether the model is asked for what is not kept, or the run stops there."""
    retold: tuple[StageEvent, ...] = ()
    """More of its events, whose decisions are kept too, but which are made again: those of an evaluation list no facts.
    Only where nothing is changed."""
    emitted: tuple[StageEvent, ...] = ()
    """What the continued run emitted before it was interrupted. Only where something is changed; else it is
    simply the run whose events are kept."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A continuation, worked out."""

    emitted: tuple[StageEvent, ...]
    """The events that are repeated unchanged."""
    known: tuple[StageEvent, ...]
    """The events that are repeated unchanged, and those that are made again."""
    decisions: GivenDecisions
    topic: Entity | None = None
    """The entity that the asker chose."""
    continued: events.ContinuedRecord | None = None
    """What the new run says of it; None where nothing is changed, so that the run is still the same one."""
    calibration: Calibration | None = None
    """Of the model that made the kept decisions, where the run is still the same one."""
    today: Date | None = None
    """The day that *now* meant there."""
    has_begun: bool = False
    """Whether there is an earlier run, so that its day counts, or that it had none."""

    @property
    def decides_topic(self) -> bool:
        """Whether the topic entity is among the decisions, and not what the asker chose."""
        return (Stage.LINK, 0) in self.decisions.given or (Stage.LINK, 0) in self.decisions.again


def kept(continuation: Continuation, store: GraphStore) -> Kept:
    """What a run takes over.

    Raises:
        ContinuationRefusedError: the graph is not the one that was asked, or there is no such decision to change.

    """
    events_kept = continuation.events
    has_begun = any(isinstance(event, events.Started) for event in events_kept)
    return replace(_kept(continuation, store), today=recorded_date(events_kept), has_begun=has_begun)


def _kept(continuation: Continuation, store: GraphStore) -> Kept:
    """What a run takes over, but for its day; raises as `kept` does."""
    emitted = [event for event in continuation.events if event.kind not in events.TERMINAL_KINDS]
    started = next((event for event in emitted if isinstance(event, events.Started)), None)
    if started is not None and started.graph_version != store.info().version:
        raise ContinuationRefusedError(
            f"The graph “{started.graph_title}” was reloaded after this was asked, so its decisions cannot be kept. "
            "Ask the question again."
        )
    known = (*emitted, *continuation.retold[max(len(emitted) - 1, 0) :])
    places = list(places_of(known))
    made = [place.made for place in places if place is not None and place.made is not None]
    change = continuation.change
    if change is None:
        topic, decided = _asked_topic(known, made)
        choices, how = as_they_were(decided)
        again = {**stages_ended(places), **choices}
        decisions = GivenDecisions(records=how, again=again, otherwise=continuation.otherwise)
        learned = None if started is None else started.calibration
        calibration = None if learned is None else Calibration(learned.slope, learned.intercept)
        return Kept(tuple(emitted), known, decisions, topic, None, calibration)
    if started is None:
        raise ContinuationRefusedError("This run had not begun, so there is no decision to change. Ask the question.")
    if isinstance(change, TakeReading):
        changed = _reading_taken(known, change, started.scorer)
    else:
        changed = _changed(continuation, change, known, made, started.scorer)
    return _gone_on(changed, continuation.emitted) if continuation.emitted else changed


def _gone_on(first: Kept, emitted: tuple[StageEvent, ...]) -> Kept:
    """What a changed run takes over from one that stopped early: what it decided since stands as recorded."""
    since = [event for event in emitted if event.kind not in events.TERMINAL_KINDS]
    # It began with what it kept, whether it had reported all of that or not.
    own = (*since[:1], *first.emitted, *since[1 + len(first.emitted) :])
    choices, how = as_they_were(place.made for place in places_of(own) if place is not None and place.made is not None)
    if first.topic is not None:
        choices = {place: choice for place, choice in choices.items() if place[0] is not Stage.LINK}
    decisions = replace(first.decisions, records={**first.decisions.records, **how}, again=choices)
    return Kept(own, own, decisions, first.topic, None)


def _reading_taken(known: Sequence[StageEvent], change: TakeReading, scorer: str) -> Kept:
    """The decisions of another reading.

    Raises:
        ContinuationRefusedError: the run has no such reading.

    """
    made = reading_made(known, change.index)
    if not made:
        raise ContinuationRefusedError(
            f"This run has no other reading {change.index + 1}. Choose one that it reported, or ask with a beam width."
        )
    topic, _ = _asked_topic(known, ())
    choices, how = as_they_were(made)
    change_record = events.ChangeRecord(kind="reading", stage="", number=change.index)
    continued = events.ContinuedRecord(kept=len(made), change=change_record, later="keep", scorer=scorer)
    return Kept((), (), GivenDecisions(choices, how, otherwise="stop"), topic, continued)


def _changed(
    continuation: Continuation, change: Changed, emitted: Sequence[StageEvent], made: Sequence[Made], scorer: str
) -> Kept:
    """What is kept where one decision is changed.

    Raises:
        ContinuationRefusedError: there is no such decision.

    """
    cut = change_place(emitted, change)
    # The rounds of a beam weighed what is no longer so.
    before_it = tuple(event for event in emitted[1:cut] if not isinstance(event, events.ReadingsKept))
    before = [one for one in made if _order(one.stage, one.number) < _order(change.stage, change.number)]
    after = [one for one in made if one not in before]
    topic, decided = _asked_topic(emitted[:cut], before)
    choices, how = as_they_were(decided)
    choices = {**stages_ended(places_of(emitted[:cut])), **choices}
    changed: dict[tuple[Stage, int], Choice] = {}
    barred: frozenset[tuple[Stage, Choice]] = frozenset()
    moved = {ROOT: ROOT} | {one.number + 1: one.number + 1 for one in before if _is_step(one)}
    gone: set[int] = set()
    removed = next((one for one in after if (one.stage, one.number) == (change.stage, change.number)), None)
    match change:
        case Replace(Stage.LINK, choice=Entity() as chosen):
            # Another topic is chosen as an asker does it, whether the question names it or not.
            topic = chosen
            after = [one for one in after if one is not removed]
        case Replace(stage, number, choice):
            changed[stage, number] = choice
            after = [one for one in after if one is not removed]
            if removed is not None and _is_step(removed):
                moved[number + 1] = number + 1
        case Insert(stage, number, choice):
            changed[stage, number] = choice
        case Remove(stage, number) if removed is not None:
            barred = frozenset({(stage, removed.choice)})
            after = [one for one in after if one is not removed]
            if _is_step(removed):
                gone.add(number + 1)
        case EndStage(stage, number):
            changed[stage, number] = None
            gone |= {one.number + 1 for one in after if _is_step(one)}
            after = [one for one in after if one.stage is not stage]
    later = Later(tuple(after), moved, frozenset(gone)) if continuation.later == "keep" else None
    return Kept(
        before_it,
        before_it,
        GivenDecisions({**choices, **changed}, how, later, barred=barred, otherwise=continuation.otherwise),
        topic,
        events.ContinuedRecord(
            kept=len(before),
            change=events.ChangeRecord(kind=change.kind, stage=str(change.stage), number=change.number),
            later=continuation.later,
            scorer=scorer,
        ),
    )


def _asked_topic(emitted: Sequence[events.StageEvent], made: Sequence[Made]) -> tuple[Entity | None, Sequence[Made]]:
    """The topic entity where the asker chose it, and the other decisions."""
    linked = next((event for event in emitted if isinstance(event, events.EntityLinked)), None)
    if linked is None or linked.topic is None or not linked.chosen_by_asker:
        return None, made
    return Entity(linked.topic.id), [one for one in made if one.stage is not Stage.LINK]


def change_place(emitted: Sequence[StageEvent], change: Changed) -> int:
    """The number of events before the one that tells the decision that is changed, or at whose place a stage ended.

    Raises:
        ContinuationRefusedError: there is none.

    """
    where = change.stage, change.number
    for index, place in enumerate(places_of(emitted)):
        if place is None or (place.stage, place.number) != where:
            continue
        if isinstance(change, Remove) and (place.made is None or place.made.choice is None):
            break
        return index
    raise ContinuationRefusedError(
        f"This run has no decision {change.number + 1} in its stage “{change.stage.label}”, so it cannot be changed. "
        "Choose one that it made."
    )


def _order(stage: Stage, number: int) -> tuple[int, int]:
    return list(Stage).index(stage), number


def _is_step(made: Made) -> bool:
    return made.stage is Stage.SEARCH and made.choice is not None
