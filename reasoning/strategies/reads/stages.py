"""READS: search, prune and infer (Xu et al., arXiv 2412.12643, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.options import AnswerOption, ConstraintOption, Stage, StepOption
from reasoning.facts.answers import Prover
from reasoning.question.counting import asks_how_many, may_be_counted
from reasoning.question.kinds import of_kind
from reasoning.run.from_types import INSTANCES_AT
from reasoning.run.topic_choice import choose_topic
from reasoning.strategies.reads.reading import Reading
from reasoning.strategies.reads.two_values import ended_by_comparing

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from kgstore.terms import Relation
    from reasoning.core.options import OptionPool
    from reasoning.run.run import Run


class Narrow(Protocol):
    """What is left of a pool before the scorer chooses from it, as events."""

    def __call__(
        self, run: Run, reading: Reading, stage: Stage, number: int, pool: OptionPool
    ) -> Generator[events.StageEvent, None, OptionPool]:
        """The pool of decision ``number`` of a stage, or some of it."""


def whole(
    run: Run, reading: Reading, stage: Stage, number: int, pool: OptionPool
) -> Generator[events.StageEvent, None, OptionPool]:
    """All of a pool, as READS has it; see `Narrow`."""
    del run, reading, stage, number
    yield from ()
    return pool


class Reads:
    """The strategy of READS: one option is chosen at each decision."""

    name = "reads"
    needs_writer = False

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        yield from self.narrowed(run, whole)

    def narrowed(self, run: Run, narrow: Narrow) -> Iterator[events.StageEvent]:
        """The same, where something narrows the pools of search and prune before the scorer chooses."""
        reading = yield from left_by_pruning(run, narrow)
        if reading is None:
            return
        position = yield from infer(run, reading)
        if position is None:
            yield unanswered(run, reading, "no_answer_found", "no_relation")
            return
        if _is_not_asked_for(run, reading, position):
            yield unanswered(run, reading, "no_answer_found", "nothing_compared")
            return
        if run.form.compared is not None:
            yield ended_by_comparing(run, reading, position, run.form.compared)
            return
        counted = yield from count(run, reading, position)
        yield _answered(run, reading, position, counted=counted)


def left_by_pruning(run: Run, narrow: Narrow = whole) -> Generator[events.StageEvent, None, Reading | None]:
    """Search and prune; None where the run has ended before it came to anything."""
    linking = yield from choose_topic(run, may_be_type=True)
    if linking.topic is None:
        yield run.finished("not_in_graph", "no_topic")
        return None
    with run.timed(Stage.SEARCH):
        reading = Reading.about(run, linking)
    reading = yield from search(run, reading, narrow)
    if reading.structure.step == 0:
        yield unanswered(run, reading, "no_answer_found", "no_relation")
        return None
    reading = yield from prune(run, reading, narrow)
    if run.is_left_open(linking, reading.constraints):
        yield unanswered(run, reading, "no_answer_found", "nothing_compared")
        return None
    if reading.pruning.leaves_nothing:
        yield unanswered(run, reading, "conditions_leave_nothing", "conditions_leave_nothing")
        return None
    return reading


def search(run: Run, reading: Reading, narrow: Narrow = whole) -> Generator[events.StageEvent, None, Reading]:
    """Grow S_k and G_k by one relation at a time, until None is chosen (READS, section 4.1)."""
    while reading.may_search(run):
        number = reading.structure.step
        pool = yield from narrow(run, reading, Stage.SEARCH, number, reading.step_pool(run))
        with run.timed(Stage.SEARCH) as clock:
            made = run.decide(Stage.SEARCH, number, pool, reading.structure, reading.linking)
            option = made.option
            if isinstance(option, StepOption):
                reading, available = reading.followed(run, option)
                run.trace.structure, run.trace.graph = reading.structure, reading.graph
                event = run.step_taken(made, reading.structure, reading.graph, available, clock())
        if not isinstance(option, StepOption):
            yield events.SearchEnded(reason="chosen", decision=made.record, seconds=clock())
            return reading
        yield event
    yield events.SearchEnded(reason="step_limit" if reading.open_steps else "nothing_left", decision=None, seconds=0.0)
    return reading


def prune(run: Run, reading: Reading, narrow: Narrow = whole) -> Generator[events.StageEvent, None, Reading]:
    """Choose constraints until None, and keep what meets them all (READS, section 4.2)."""
    while True:
        with run.timed(Stage.PRUNE) as offered:
            pool = reading.condition_pool(run, run.decisions)
        if pool is None:
            break
        number = len(reading.constraints)
        pool = yield from narrow(run, reading, Stage.PRUNE, number, pool)
        with run.timed(Stage.PRUNE) as decided:
            made = run.decide(Stage.PRUNE, number, pool, reading.structure, reading.linking, reading.constraints)
        seconds = offered() + decided()
        if not isinstance(made.option, ConstraintOption):
            yield events.PruningEnded(reason="chosen", decision=made.record, seconds=seconds)
            return reading
        reading = reading.kept_where(made.option)
        run.trace.constraints = reading.constraints
        yield events.ConstraintChosen(
            number=len(reading.constraints),
            decision=made.record,
            constraint=run.narrator.constraint(made.option.constraint),
            seconds=seconds,
        )
        with run.timed(Stage.PRUNE) as clock:
            reading = reading.pruned(run)
        yield _pruned(run, reading, clock())
    yield events.PruningEnded(reason="nothing_left", decision=None, seconds=0.0)
    return reading


def infer(run: Run, reading: Reading) -> Generator[events.StageEvent, None, int | None]:
    """Choose the position of the answer (READS, section 4.3); None where no position can hold one."""
    with run.timed(Stage.INFER) as clock:
        pool = reading.position_pool()
        if not pool.options:
            return None
        made = run.decide(Stage.INFER, 0, pool, reading.structure, reading.linking, reading.constraints)
        if not isinstance(made.option, AnswerOption):
            raise TypeError("a pool of answer positions held something else")
        run.trace.position = made.option.position
        event = events.AnswerPositionChosen(decision=made.record, position=made.option.position, seconds=clock())
    yield event
    return event.position


def count(run: Run, reading: Reading, position: int) -> Generator[events.StageEvent, None, bool]:
    """Whether the answers are counted: as it was given, else by the question's words. No model is asked.

    Discern's own; see `reasoning.question.counting`.
    """
    with run.timed(Stage.INFER) as clock:
        countable = may_be_counted(reading.structure.nodes[position].kind)
        asked = countable and asks_how_many(run.question, reading.linking)
        said = run.decisions.counts()
        counted = asked if said is None else said
        run.trace.counted = counted
    if asked or counted:
        yield events.AnswersCounted(counted=counted, seconds=clock())
    return counted


def _pruned(run: Run, reading: Reading, seconds: float) -> events.Pruned:
    graph, pruning = reading.graph, reading.pruning
    shown = {fact.id for node in range(len(graph.members)) for fact in graph.facts_at(node)[: run.limits.facts_shown]}
    return events.Pruned(
        removed=[
            events.RemovedFact(fact=fact, reason=removal.reason, constraint=removal.constraint)
            for fact, removal in pruning.removed.items()
            if fact in shown
        ],
        removed_total=len(pruning.removed),
        kept_total=len(graph.facts) - len(pruning.removed),
        leaves_nothing=pruning.leaves_nothing,
        seconds=seconds,
    )


def _is_not_asked_for(run: Run, reading: Reading, position: int) -> bool:
    """Whether the topic is a type, and a position holds what the question does not ask for: its instances, or no kind.

    *Which dairy makes the oldest cheese* asks for dairies alone.
    """
    linking = reading.linking
    if linking.starts_from_type and not linking.asks_for_instances and position == INSTANCES_AT:
        return True
    kind = linking.kind_asked_for
    return kind is not None and not of_kind(frozenset(reading.answers(run, position)), Entity(kind), run.store)


def _answered(run: Run, reading: Reading, position: int, *, counted: bool) -> events.Finished:
    with run.timed(Stage.INFER):
        relation = reading.structure.nodes[position].relation
        run.trace.answers = terms = run.form.claimed_first(reading.answers(run, position), relation)
        prover = Prover(reading.structure, reading.graph, reading.pruning)
        proven = [prover.prove(term, position, reading.constraints) for term in terms[: run.limits.answers_shown]]
        answers = run.narrator.answers(proven)
    if not terms:
        # All that is left is the topic entity.
        return unanswered(run, reading, "conditions_leave_nothing", "conditions_leave_nothing")
    coverage: Literal["all", "at least"] | None = None if not counted else "at least" if reading.is_cut else "all"
    return run.finished("answered", "answered", answers, len(terms), counted=coverage, left=_left(reading))


def unanswered(run: Run, reading: Reading, verdict: events.Verdict, reason: events.Reason) -> events.Finished:
    """How a run ends that has no answer."""
    return run.finished(verdict, reason, left=_left(reading))


def _left(reading: Reading) -> list[Relation]:
    """The relations that could have been followed further."""
    return [option.step.relation for option in reading.open_steps]
