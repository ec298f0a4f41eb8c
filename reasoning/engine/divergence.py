"""Where several runs of one question part: the first decision of each that not all of them made.

Strategies decide in orders of their own and number places as they come to them. So a place is identified by its path:
relations that lead to it from the topic entity. Steps that lead neither to the answer nor to a condition are left out,
since they change nothing of what is answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Constraint, Count, SearchStep
from reasoning.events import EntityLinked, NoCandidateChosen, SearchStepTaken
from reasoning.narration.replay import places_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgstore.terms import Term
    from reasoning.events import StageEvent

Way: TypeAlias = tuple[Relation, ...]
"""The relations from the topic entity to a place; empty for the topic's own."""


@dataclass(frozen=True, slots=True)
class TopicDecided:
    """What the question is about; None where nothing that it names is in the graph."""

    topic: Entity | None


@dataclass(frozen=True, slots=True)
class StepDecided:
    """A relation was followed, to the place at the end of ``way``."""

    way: Way


@dataclass(frozen=True, slots=True)
class ConditionDecided:
    """Only what meets a condition was kept at the place at the end of ``way``."""

    way: Way
    operator: str
    target: Term | None


@dataclass(frozen=True, slots=True)
class AnswerDecided:
    """The answer stands at the end of ``way``, and is their number where they were ``counted``."""

    way: Way | None
    """None where no place was taken for the answer's."""
    counted: bool = False


Decided: TypeAlias = TopicDecided | StepDecided | ConditionDecided | AnswerDecided


@dataclass(frozen=True, slots=True)
class Parted:
    """Where a run leaves what all runs decided alike."""

    event: int | None
    """The index of the event that tells its first decision which not all made; None where all that it decided, all
    others decided too."""
    alike: int
    """Which of the runs decided the same there: those with the same number."""


@dataclass(frozen=True, slots=True)
class Parting:
    """Several runs of one question."""

    shared: int
    """The number of decisions that all runs made."""
    runs: tuple[Parted, ...]
    """One a run."""


def parting(runs: Sequence[Sequence[StageEvent]]) -> Parting | None:
    """Where runs of one question diverge, each given by its events; None where they decide alike or there is one."""
    decided = [_decided(run) for run in runs]
    if not decided:
        return None
    shared = set(decided[0]).intersection(*decided[1:])
    firsts = [next((each for each in one if each not in shared), None) for one in decided]
    if all(first is None for first in firsts):
        return None
    kinds = list(dict.fromkeys(firsts))
    parted = (
        Parted(None if first is None else one[first], kinds.index(first))
        for first, one in zip(firsts, decided, strict=True)
    )
    return Parting(len(shared), tuple(parted))


def _decided(emitted: Sequence[StageEvent]) -> Mapping[Decided, int]:
    """The decisions on which a run's answer rests, in its order, each with the index of the event that tells it."""
    ways: dict[int, Way] = {0: ()}
    found: dict[Decided, int] = {}
    answer: tuple[AnswerDecided, int] | None = None
    for index, (event, place) in enumerate(zip(emitted, places_of(emitted), strict=True)):
        if isinstance(event, EntityLinked):
            found[TopicDecided(None if event.topic is None else Entity(event.topic.id))] = index
        elif isinstance(event, NoCandidateChosen):
            answer = AnswerDecided(None), index
        elif place is not None and place.made is not None:
            match place.made.choice:
                case SearchStep(position=position, relation=relation) if isinstance(event, SearchStepTaken):
                    ways[event.node.position] = way = (*ways[position], relation)
                    found.setdefault(StepDecided(way), index)
                case Constraint(position=position, operator=operator, target=target):
                    found.setdefault(ConditionDecided(ways[position], str(operator), target), index)
                case int() as position:
                    answer = AnswerDecided(ways[position]), index
                case Count() if answer is not None:
                    answer = AnswerDecided(answer[0].way, counted=True), answer[1]
                case _:
                    pass
    if answer is None:
        return found
    found[answer[0]] = answer[1]
    ends = [each.way or () for each in found if isinstance(each, AnswerDecided | ConditionDecided)]
    return {each: index for each, index in found.items() if not isinstance(each, StepDecided) or _on(each.way, ends)}


def _on(way: Way, ends: Sequence[Way]) -> bool:
    """Whether a way is the beginning of one of those ``ends``."""
    return any(end[: len(way)] == way for end in ends)
