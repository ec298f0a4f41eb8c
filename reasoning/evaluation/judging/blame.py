"""What was to blame where an answer is not right: proposed from the decisions of a run and the gold derivations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.blame import Blame, Cause
from reasoning.core.compared import as_compared
from reasoning.core.options import Stage
from reasoning.evaluation.judging.gold_from_graph import parses_read
from reasoning.evaluation.judging.gold_reachable import Followed, Gold
from reasoning.run.run import DECISIONS_ALONE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kgstore.store import GraphStore
    from reasoning.core.blame import Wanted
    from reasoning.core.derivation import PartialDerivation
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome

TOO_LONG = "timeout"
"""The reason of outcomes whose run took too long."""


def blame(outcome: Outcome, question: BenchmarkQuestion, store: GraphStore) -> Blame | None:
    """What was to blame; None where the answers are right, or no gold derivation says what would have been.

    Nor is it known of another system, which records no decisions. A run may take decisions in any order, and any gold
    derivation that leads to gold answers on this graph. The first decision that went wrong is the first one after which
    none of them can be reached any more.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if outcome.exact or not outcome.answerable or outcome.system:
        return None
    if outcome.graph_gap:
        return Blame(Cause.GAP)
    if all(parse.derivation is None for parse in question.parses):
        return None
    golds = list(_golds(question, store))
    if not golds:
        return Blame(Cause.GAP)
    cause = _of_topic(outcome, golds) or _of_decisions(outcome, golds)
    return cause if isinstance(cause, Blame) else Blame(_of_answers(outcome, cause))


def _golds(question: BenchmarkQuestion, store: GraphStore) -> Iterator[Gold]:
    """The gold derivations in the graph's relations, of those that lead to a gold answer there."""
    for parse, gold, given in parses_read(question, store):
        if as_compared(given) & as_compared(parse.answers) and parse.derivation is not None:
            yield Gold(gold, is_whole=len(gold.constraints) == len(parse.derivation.constraints))


def _of_topic(outcome: Outcome, golds: Sequence[Gold]) -> Blame | None:
    topics = list(dict.fromkeys(gold.derivation.topic for gold in golds))
    if outcome.topic in {topic.mid for topic in topics}:
        return None
    return Blame(Cause.LINKING, Stage.LINK, 0, tuple(topics))


def _of_decisions(outcome: Outcome, golds: Sequence[Gold]) -> Blame | list[Followed]:
    """The first wrong decision after the topic; where each was right, what the run followed to its end."""
    alive = [Followed(gold) for gold in golds if gold.derivation.topic.mid == outcome.topic]
    made = outcome.derivation
    steps = () if made is None else made.steps
    for number, step in enumerate(steps):
        then = [after for each in alive for after in each.after_step(step)]
        if not then:
            wanted = _next_steps(alive)
            cause = Cause.WENT_ON if None in wanted else Cause.WRONG_RELATION
            return Blame(cause, Stage.SEARCH, number, wanted)
        alive = then
    if None not in (wanted := _next_steps(alive)):
        was_cut = len(steps) >= DECISIONS_ALONE.steps or outcome.reason == TOO_LONG
        cause = Cause.CUT if was_cut else Cause.STOPPED_EARLY
        return Blame(cause, Stage.SEARCH, len(steps), wanted)
    return _after_search([each for each in alive if not each.next_steps()], made)


def _after_search(alive: list[Followed], made: PartialDerivation | None) -> Blame | list[Followed]:
    constraints = () if made is None else made.constraints
    for number, constraint in enumerate(constraints):
        then = [after for each in alive for after in each.after_constraint(constraint)]
        if not then:
            return Blame(Cause.WRONG_CONSTRAINT, Stage.PRUNE, number, _next_constraints(alive))
        alive = then
    if None not in (wanted := _next_constraints(alive)):
        return Blame(Cause.MISSING_CONSTRAINT, Stage.PRUNE, len(constraints), wanted)
    alive = [each for each in alive if not each.next_constraints()]
    position = None if made is None else made.answer_position
    counted = made is not None and made.counted
    reached = [each for each in alive if each.answer_position() == position and each.gold.derivation.counted == counted]
    places = tuple(dict.fromkeys(each.answer_position() for each in alive))
    return reached or Blame(Cause.WRONG_PLACE, Stage.INFER, 0, places)


def _of_answers(outcome: Outcome, reached: Iterable[Followed]) -> Cause:
    """What is to blame where each decision was right."""
    if outcome.precision == 1 or not any(each.gold.is_whole for each in reached):
        return Cause.GAP
    return Cause.ORDER if outcome.hit and not outcome.hit_first else Cause.GOLD


def _next_steps(alive: Iterable[Followed]) -> tuple[Wanted, ...]:
    return _each_once(each.next_steps() for each in alive)


def _next_constraints(alive: Iterable[Followed]) -> tuple[Wanted, ...]:
    return _each_once(each.next_constraints() for each in alive)


def _each_once(left: Iterable[Sequence[Wanted]]) -> tuple[Wanted, ...]:
    """What is left to choose in each, without repetition; *no more* where nothing is."""
    return tuple(dict.fromkeys(option for each in left for option in each or (None,)))
