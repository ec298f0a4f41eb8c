"""What was to blame where an answer is not right: proposed from the decisions of a run and the gold derivations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from kgstore.terms import Entity, Relation, parse_term
from reasoning.core.compared import as_compared
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.options import Stage
from reasoning.evaluation.judging.gold_from_graph import parses_read
from reasoning.evaluation.judging.gold_reachable import Followed, Gold
from reasoning.run.run import DECISIONS_ALONE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore
    from reasoning.core.derivation import PartialDerivation
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome

Wanted: TypeAlias = Entity | SearchStep | Constraint | int | None
"""What would have been right to choose: topic entity, step, constraint or answer position; None for *no more*."""

TOO_LONG = "timeout"
"""The reason of outcomes whose run took too long."""


class Cause(StrEnum):
    """Why an answer is not right, in words that can be counted."""

    LINKING = "linking"
    """Another topic entity was taken."""
    WRONG_RELATION = "wrong relation"
    STOPPED_EARLY = "stopped too early"
    """The search ended though a step was left to take."""
    WENT_ON = "went on too far"
    """A step was taken though none was left to take."""
    CUT = "cut by a limit"
    """The run could not take all steps that it may have taken, or took too long."""
    WRONG_CONSTRAINT = "wrong constraint"
    MISSING_CONSTRAINT = "missing constraint"
    WRONG_PLACE = "wrong place"
    """Another semantic node was taken for the one that holds the answer."""
    ORDER = "order of answers"
    """Each decision was right, and the right answer is there; another one comes first."""
    GAP = "gap in the graph"
    """The graph lacks answers, or a part of the way to them or of what their conditions ask for."""
    GOLD = "gold answers differ"
    """Each decision was right; by the benchmark's own way this graph gives answers that the benchmark does not say."""


@dataclass(frozen=True, slots=True)
class Blame:
    """What was to blame for an answer that is not right."""

    cause: Cause
    stage: Stage | None = None
    """That of the first decision after which no gold derivation can be reached; None where each was right."""
    number: int | None = None
    """Which decision of its stage that is, from 0."""
    wanted: tuple[Wanted, ...] = ()
    """What would have kept a gold derivation in reach."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives.

        Raises:
            KeyError, TypeError, ValueError: a part is missing or unknown.

        """
        stage, wanted = document["stage"], tuple(map(_wanted, document["wanted"]))
        return cls(Cause(document["cause"]), None if stage is None else Stage(stage), document["number"], wanted)

    def to_json(self) -> dict[str, Any]:
        """A JSON document; what was wanted is written as a request writes down what is to be decided otherwise."""
        stage = None if self.stage is None else self.stage.value
        return {
            "cause": self.cause.value,
            "stage": stage,
            "number": self.number,
            "wanted": [_written(option) for option in self.wanted],
        }


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


def _written(option: Wanted) -> dict[str, Any]:
    match option:
        case Entity():
            return {"kind": "topic", "entity": option.mid}
        case SearchStep(position=position, relation=relation):
            return {"kind": "step", "position": position, "relation": str(relation)}
        case Constraint(position=position, operator=operator, target=target):
            written = None if target is None else str(target)
            return {"kind": "constraint", "position": position, "operator": operator.value, "target": written}
        case int():
            return {"kind": "answer", "position": option}
        case None:
            return {"kind": "none"}


def _wanted(document: Mapping[str, Any]) -> Wanted:
    match document["kind"]:
        case "topic":
            return Entity(document["entity"])
        case "step":
            return SearchStep(document["position"], Relation.parse(document["relation"]))
        case "constraint":
            target = document["target"]
            read = None if target is None else parse_term(target)
            return Constraint(document["position"], Operator(document["operator"]), read)
        case "answer":
            return int(document["position"])
        case "none":
            return None
        case other:
            raise ValueError(f"no option is of the kind {other!r}")
