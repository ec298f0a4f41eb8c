"""READS, several readings: the most probable readings are kept side by side, instead of one decision at a time.

A reading is a partial derivation. Each round, every kept reading that is not over makes its next decision in the ways
that are most probable; of all that come of it, the ``width`` most probable are kept. The probability of a reading is
the product over its decisions, so topics, steps, conditions and positions are weighed together. Ends when all are over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.derivation import Count
from reasoning.core.options import COUNT_PLACE, AnswerOption, ConstraintOption, Stage, StepOption, TopicOption
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.facts.pools import topic_pool
from reasoning.narration.narration import cost_record
from reasoning.narration.replay import choice_made
from reasoning.question.linking import link
from reasoning.run.decisions import GivenDecisions, with_choice
from reasoning.scorers.base import Cost
from reasoning.strategies.reads.options import WIDTH
from reasoning.strategies.reads.reading import Reading
from reasoning.strategies.reads.stages import Reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reasoning.core.options import Choice, Option, OptionPool
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run

_ANSWERS_SHOWN = 5
"""Of a reading that is not the best one."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A decision that a reading has to make."""

    stage: Stage
    number: int
    pool: OptionPool


@dataclass(frozen=True, slots=True)
class _Kept:
    """A reading with the decisions that led to it. Immutable."""

    linking: Linking
    decisions: GivenDecisions
    """What is not asked."""
    reading: Reading | None = None
    """None while the topic is not chosen."""
    searches: bool = True
    prunes: bool = True
    """Whether these stages have not ended."""
    position: int | None = None
    probability: float = 1.0
    made: tuple[tuple[Stage, int, Choice, events.DecisionRecord], ...] = ()
    open: _Open | None = None
    """None if it is complete."""

    def to_decide(self, run: Run) -> _Kept:
        """The same with the decision that comes next."""
        decided = self._next(run)
        if decided is None:
            return replace(self, open=None)
        stage, number, pool = decided
        return replace(self, open=_Open(stage, number, self.decisions.offered(stage, pool)))

    def _next(self, run: Run) -> tuple[Stage, int, OptionPool] | None:
        if self.reading is None:
            pool = topic_pool(self.linking)
            return (Stage.LINK, 0, pool) if pool.options else None
        if self.searches and self.reading.may_search(run):
            return Stage.SEARCH, self.reading.structure.step, self.reading.step_pool(run)
        if self.position is not None or self.verdict != "answered":
            return None
        conditions = self.reading.condition_pool(run, self.decisions) if self.prunes else None
        if conditions is not None:
            return Stage.PRUNE, len(self.reading.constraints), conditions
        positions = self.reading.position_pool()
        return (Stage.INFER, 0, positions) if positions.options else None

    def with_option(self, run: Run, option: Option) -> _Kept:
        """The reading after a decision, and not yet what comes next."""
        match option:
            case TopicOption(mention=mention) if isinstance(mention.term, Entity):
                linking = self.linking.about(self.linking.cards[mention.term])
                return replace(self, linking=linking, reading=Reading.about(run, linking))
            case StepOption() if self.reading is not None:
                return replace(self, reading=self.reading.followed(run, option)[0])
            case ConstraintOption() if self.reading is not None:
                return replace(self, reading=self.reading.kept_where(option).pruned(run))
            case AnswerOption(position=position):
                return replace(self, position=position)
            case _ if self.open is not None and self.open.stage is Stage.SEARCH:
                return replace(self, searches=False)
            case _:
                return replace(self, prunes=False)

    @property
    def verdict(self) -> events.Verdict:
        """What it has come to, as far as it is known."""
        if self.reading is None:
            return "not_in_graph"
        if self.reading.structure.step == 0:
            return "no_answer_found"
        return "conditions_leave_nothing" if self.reading.pruning.leaves_nothing else "answered"

    def same_as(self, other: _Kept) -> bool:
        """Whether both say the same: their steps and conditions may have been taken in another order."""
        return self._said() == other._said()

    def _said(self) -> object:
        if self.reading is None:
            return None
        return self._said_at(self.reading, ROOT), self.searches, self.prunes, self.reading.graph.members[ROOT]

    def _said_at(self, reading: Reading, position: int) -> tuple[object, ...]:
        below = sorted(repr(self._said_at(reading, node.position)) for node in reading.structure.children(position))
        here = sorted(f"{c.operator} {c.target}" for c in reading.constraints if c.position == position)
        return str(reading.structure.nodes[position].relation), *here, self.position == position, *below


@dataclass(frozen=True, slots=True)
class _Way:
    """A way on for one of the readings."""

    parent: int
    probability: float
    pool: OptionPool | None = None
    """None if the reading is complete, and stays."""
    chosen: int = 0
    record: Callable[[], events.DecisionRecord] | None = None
    decisions: GivenDecisions | None = None


class Beam:
    """READS that keeps the ``EngineSwitches.width`` most probable readings. Of width 1 it is READS."""

    name = "beam"
    needs_writer = False

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        if run.switches[WIDTH] == 1:
            yield from Reads().answer(run)
            return
        rounds = [event for event in run.kept if isinstance(event, events.ReadingsKept)]
        # What rounds tell is more than what the best reading's own decisions tell.
        decisions = run.decisions.alone() if rounds else run.decisions
        with run.timed(Stage.LINK):
            kept = [_begun(run, decisions)]
        number = 0
        while any(one.open is not None for one in kept):
            number += 1
            if number <= len(rounds):
                kept_so, kept = rounds[number - 1], _kept_again(run, kept, rounds[number - 1])
            else:
                kept_so, kept = _round(run, kept, number)
            yield kept_so
        best, *others = kept
        counts = run.decisions.counts()
        counting: dict[tuple[Stage, int], Choice] = {} if counts is None else {COUNT_PLACE: Count() if counts else None}
        run.decisions = GivenDecisions(
            {**counting, **{(stage, number): choice for stage, number, choice, _ in best.made}},
            {(stage, number): record for stage, number, _, record in best.made},
        )
        for event in Reads().answer(run):
            if isinstance(event, events.Finished):
                yield event.model_copy(update={"readings": [_reading(run, one) for one in others]})
            else:
                yield event


def _begun(run: Run, decisions: GivenDecisions) -> _Kept:
    linking = link(run.question, run.store, run.topic)
    reading = None if linking.topic is None else Reading.about(run, linking)
    return _Kept(linking, decisions, reading).to_decide(run)


def _round(run: Run, kept: Sequence[_Kept], number: int) -> tuple[events.ReadingsKept, list[_Kept]]:
    """Let every reading decide, and keep the most probable ones."""
    before = dict(run.costs)
    started = perf_counter()
    ways = [way for parent, one in enumerate(kept) for way in _ways(run, parent, one)]
    chosen: list[_Kept] = []
    records: list[events.KeptReadingRecord] = []
    for way in sorted(ways, key=lambda way: -way.probability):
        if len(chosen) == run.switches[WIDTH]:
            break
        parent = kept[way.parent]
        record = None if way.record is None else way.record()
        one = parent if record is None else _on(run, parent, way, record)
        if not any(one.same_as(other) for other in chosen):
            chosen.append(one)
            records.append(_record(way.parent, parent, one, record))
    return (
        events.ReadingsKept(
            round=number,
            kept=records,
            considered=len(ways),
            costs={str(stage): cost_record(_less(cost, before[stage])) for stage, cost in run.costs.items()},
            seconds=perf_counter() - started,
        ),
        chosen,
    )


def _ways(run: Run, parent: int, one: _Kept) -> Iterator[_Way]:
    """How a reading may go on: by its given decision, or by the most probable options."""
    if one.open is None:
        yield _Way(parent, one.probability)
        return
    stage, number, pool = one.open.stage, one.open.number, one.open.pool
    taken = one.decisions.take(stage, number, pool)
    if taken is not None:
        sure = run.record_of(taken).probability
        probability = one.probability * (1.0 if sure is None else sure)
        yield _Way(parent, probability, taken.pool, taken.chosen, partial(run.record_of, taken), taken.after)
        return
    structure = AbstractStructure(()) if one.reading is None else one.reading.structure
    graph = InstanceGraph(()) if one.reading is None else one.reading.graph
    constraints = () if one.reading is None else one.reading.constraints
    with run.timed(stage):
        given = run.ask(stage, number, pool, structure, one.linking, constraints, graph=graph, best=run.switches[WIDTH])
    best = sorted(given.probabilities, key=lambda index: (-given.probabilities[index], index))
    for index in best[: run.switches[WIDTH]]:
        if given.probabilities[index] > 0:
            record = partial(run.narrator.decision, pool, index, given)
            yield _Way(parent, one.probability * given.probabilities[index], pool, index, record, one.decisions)


def _on(run: Run, parent: _Kept, way: _Way, record: events.DecisionRecord) -> _Kept:
    """A reading after the decision of a way, with the one that comes next."""
    if parent.open is None or way.pool is None:
        raise ValueError("a complete reading decides nothing")
    option = way.pool.options[way.chosen]
    stage, number = parent.open.stage, parent.open.number
    with run.timed(stage):
        one = parent.with_option(run, option)
        return replace(
            one,
            probability=way.probability,
            decisions=way.decisions or one.decisions,
            made=(*parent.made, (stage, number, option.choice, record)),
        ).to_decide(run)


def _kept_again(run: Run, kept: Sequence[_Kept], event: events.ReadingsKept) -> list[_Kept]:
    """The readings that a round kept, from its record."""
    readings = []
    for record in event.kept:
        parent = kept[record.parent]
        if record.decision is None or parent.open is None:
            readings.append(parent)
            continue
        decision = record.decision
        pool, chosen = with_choice(parent.open.pool, choice_made(decision))
        taken = parent.decisions.take(parent.open.stage, parent.open.number, parent.open.pool)
        after = taken.after if taken is not None and taken.chosen == chosen else None
        way = _Way(record.parent, record.probability, pool, chosen, decisions=after)
        readings.append(_on(run, parent, way, decision))
    return readings


def _record(index: int, parent: _Kept, one: _Kept, record: events.DecisionRecord | None) -> events.KeptReadingRecord:
    decided = None if record is None else parent.open
    return events.KeptReadingRecord(
        parent=index,
        stage=None if decided is None else str(decided.stage),
        number=None if decided is None else decided.number,
        decision=record,
        probability=one.probability,
        over=one.open is None,
    )


def _reading(run: Run, one: _Kept) -> events.ReadingRecord:
    """The record of a reading that was not the best."""
    reading, position = one.reading, one.position
    answers = () if reading is None or position is None else reading.answers(run, position)
    verdict = one.verdict
    if verdict == "answered" and not answers:
        verdict = "no_answer_found" if position is None else "conditions_leave_nothing"
    run.narrator.learn(answers[:_ANSWERS_SHOWN])
    return events.ReadingRecord(
        probability=one.probability,
        verdict=verdict,
        nodes=[] if reading is None else [run.narrator.node(node) for node in reading.structure.nodes],
        constraints=[] if reading is None else [run.narrator.constraint(c) for c in reading.constraints],
        position=position,
        answers=[run.narrator.term(term) for term in answers[:_ANSWERS_SHOWN]],
        answers_total=len(answers),
    )


def _less(cost: Cost, before: Cost) -> Cost:
    return Cost(cost.calls - before.calls, cost.tokens_in - before.tokens_in, cost.tokens_out - before.tokens_out)
