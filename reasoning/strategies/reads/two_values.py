"""The end of a run that compares two named things: the other one's value is found along the same relations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.options import Stage, StepOption
from reasoning.core.structure import ROOT
from reasoning.facts.answers import Answer, Prover
from reasoning.run.two_compared import value_of
from reasoning.strategies.reads.reading import Reading

if TYPE_CHECKING:
    from kgstore.store import EntityCard
    from kgstore.terms import Entity, Term
    from reasoning.core.structure import Fact
    from reasoning.run.run import Run
    from reasoning.run.two_compared import TwoCompared


def ended_by_comparing(run: Run, reading: Reading, position: int, compared: TwoCompared) -> events.Finished:
    """The answer that one of the two is, with the values of both; none where one of them has no such value.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    with run.timed(Stage.INFER):
        topic = reading.linking.topic
        other = None if topic is None else _card(run, compared.other(topic.entity))
        if topic is None or other is None:
            return run.finished("no_answer_found", "two_not_compared")
        readings = {topic.entity: reading, other.entity: _along(run, reading, other)}
        found = {entity: value_of(one.answers(run, position)) for entity, one in readings.items()}
        values = {entity: value for entity, value in found.items() if value is not None}
        if len(values) < len(readings):
            return run.finished("no_answer_found", "two_not_compared")
        best = compared.best(values, reading.structure)
        run.trace.answers = tuple(best)
        numbered = len(reading.graph.facts)
        answers = run.narrator.answers(
            [_proven(each, values[each], position, readings[each], numbered * (each != topic.entity)) for each in best]
        )
    path = [node.relation for node in reading.structure.path(position) if node.relation is not None]
    unit = relation_label(path[-1]).unit
    first = {mention.term for mention in compared.first}
    order = sorted(values, key=lambda entity: entity not in first)
    record = events.ComparedRecord(
        relation=run.narrator.relation(path[0]),
        values=[
            events.ComparedValueRecord(term=run.narrator.term(each), value=run.narrator.term(values[each]), unit=unit)
            for each in order
        ],
        holds=best == order[:1] if compared.is_claim else None,
    )
    return run.finished("answered", "answered", answers, len(best), compared=record)


def _card(run: Run, entity: Entity | None) -> EntityCard | None:
    return None if entity is None else run.store.cards([entity]).get(entity)


def _along(run: Run, reading: Reading, other: EntityCard) -> Reading:
    """What the relations of a reading lead to from another topic."""
    second = Reading.about(run, replace(reading.linking, topic=other))
    for node in reading.structure.nodes[ROOT + 1 :]:
        if node.parent is not None and node.relation is not None:
            second, _ = second.followed(run, StepOption(SearchStep(node.parent, node.relation), 0, 0, node.kind))
    return second


def _proven(entity: Entity, value: Term, position: int, reading: Reading, numbered: int) -> Answer:
    """The thing itself as the answer, with the facts that lead from it to its value; ``numbered`` are other facts."""
    proof = Prover(reading.structure, reading.graph, reading.pruning).prove(value, position, ())
    path: tuple[Fact, ...] = tuple(replace(fact, id=fact.id + numbered) for fact in proof.path)
    return Answer(entity, path, ())
