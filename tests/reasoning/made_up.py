"""Strategies made up for tests: as small as they can be, each registered as any other would be."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgstore.terms import Text
from reasoning import events
from reasoning.core.options import Stage, StepOption
from reasoning.core.strategy_options import NumberOption
from reasoning.core.structure import ROOT
from reasoning.facts.pools import facts_of, search_pool, step_options
from reasoning.run.topic_choice import choose_topic
from reasoning.scorers.base import Cost
from reasoning.strategies.registry import STRATEGIES, StrategyEntry
from reasoning.writers.base import Message, Written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.terms import Term
    from reasoning.run.run import Run


class OneStep:
    """A strategy of one step: the topic, a relation, and all that it leads to is the answer."""

    name = "one-step"
    needs_writer = False

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        with run.timed(Stage.SEARCH) as clock:
            pool = search_pool(step_options(run.store, run.trace.graph, ROOT, linking.targets))
            made = run.decide(Stage.SEARCH, 0, pool, run.trace.structure, linking)
        if not isinstance(made.option, StepOption):
            yield events.SearchEnded(reason="chosen", decision=made.record, seconds=clock())
            yield run.finished("no_answer_found", "no_relation")
            return
        step = made.option.step
        found = facts_of(step, run.trace.graph, run.store, run.limits.facts_per_step)
        run.trace.structure = run.trace.structure.grow(ROOT, step.relation, made.option.kind)
        run.trace.graph = run.trace.graph.grow(step.relation, found.triples)
        run.trace.answers = tuple(sorted(run.trace.graph.members[1], key=str))
        gained = run.trace.graph.facts_at(1)
        yield events.SearchStepTaken(
            step=1,
            decision=made.record,
            node=run.narrator.node(run.trace.structure.nodes[1]),
            facts=run.narrator.facts(gained[: run.limits.facts_shown]),
            facts_gained=len(gained),
            facts_available=found.total,
            members=len(run.trace.graph.members[1]),
            structure_size=2,
            graph_size=len(gained),
            seconds=clock(),
        )
        shown = [
            events.AnswerRecord(term=run.narrator.term(term), path=[], conditions=[]) for term in run.trace.answers
        ]
        yield run.finished("answered", "answered", shown, len(shown))


KEPT = NumberOption(
    "kept",
    2,
    most=4,
    one="relation",
    label="Relations kept",
    lead="keeping",
    help="how many relations are kept",
    told="{count} kept",
)
"""The option of `Sketch`. Only a site that registers it before its API is built can offer it."""


class Sketch:
    """A strategy with a writer: it keeps two relations, or `KEPT`, lets a model write, and weighs what both lead to.

    What the model names and no fact leads to is told as the model's own.
    """

    name = "sketch"
    needs_writer = True

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        pool = search_pool(step_options(run.store, run.trace.graph, ROOT, linking.targets))
        kept = run.select(Stage.SEARCH, 0, pool, run.trace.structure, linking, keep=run.switches[KEPT])
        yield kept.record
        text, wrote = run.write(Stage.INFER, "what the answer may be called", [Message("user", run.question)], limit=20)
        yield wrote
        found: dict[Term, float] = {}
        for option, weight in kept.options:
            if isinstance(option, StepOption):
                for triple in facts_of(option.step, run.trace.graph, run.store, 10).triples:
                    end = triple.subject if option.step.relation.is_reverse else triple.object
                    found[end] = max(found.get(end, 0.0), weight)
        if text and not any(run.narrator.term(term).label in text for term in found):
            run.trace.answers = (Text(text),)
            shown = [events.AnswerRecord(term=run.narrator.term(Text(text)), path=[], conditions=[], evidence=[])]
            yield run.finished("from_the_model", "from_the_model", shown, 1)
            return
        run.trace.answers = tuple(sorted(found, key=lambda term: (-found[term], str(term))))
        shown = [
            events.AnswerRecord(
                term=run.narrator.term(term),
                path=[],
                conditions=[],
                weight=found[term],
                evidence=[events.EvidencePathRecord(facts=[], weight=found[term], measure="probability")],
            )
            for term in run.trace.answers
        ]
        yield run.finished("answered", "answered", shown, len(shown))


MADE_UP = {
    OneStep.name: StrategyEntry("One step", "Follows one relation.", OneStep),
    Sketch.name: StrategyEntry("Sketch", "Keeps two relations and asks a model too.", Sketch, own_answers=True),
}
"""By name, as the registry holds strategies."""


@contextmanager
def made_up_registered() -> Iterator[None]:
    """Let the strategies of this file be found within the block."""
    STRATEGIES.update(MADE_UP)
    try:
        yield
    finally:
        for name in MADE_UP:
            del STRATEGIES[name]


@dataclass
class RecordedWriter:
    """Writes what stands in a record, in its order, as often as it is asked."""

    texts: tuple[str, ...]
    name: str = "recorded"
    asked: list[Sequence[Message]] = field(default_factory=list)

    def write(self, messages: Sequence[Message], **_how: object) -> Written:
        """See `Writer.write`."""
        self.asked.append(messages)
        return Written(self.texts[len(self.asked) - 1], Cost(1, 12, 3))
