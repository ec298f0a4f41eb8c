"""What may be decided otherwise in a run: every option of a pool, why a change cannot be made, a change in words.

No model is asked: what led to a decision is kept, and the graph offers its options again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kgstore.terms import Date, Entity, Number, Text
from reasoning import events
from reasoning.core.derivation import Constraint, Count, Operator, SearchStep, may_be_place
from reasoning.core.options import Stage
from reasoning.core.structure import ROOT
from reasoning.core.switches import EngineSwitches
from reasoning.engine.engine import go_on
from reasoning.narration.narration import Narrator
from reasoning.narration.replay import choice_made, choice_of_option, places_of, reading_made
from reasoning.narration.wording import DECISIONS, RunWords
from reasoning.run.continuation import Continuation, EndStage, Insert, Remove, Replace, TakeReading, change_place
from reasoning.run.run import RunLimits
from reasoning.strategies.registry import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.options import Choice
    from reasoning.events import StageEvent
    from reasoning.run.continuation import Change, Changed

_EVERY_OPTION = 1_000_000
_WORDS = {
    "replace": "{choice} instead of {was}",
    "insert": "with {choice}",
    "remove": "without {was}",
    "end": "stopped before {was}",
    "reading": "other reading {number}",
}
"""What was decided otherwise, by the kind of change."""
_ONE_ONLY = "Of this decision a run has exactly one. Choose another option instead."
_HELD = {"entity": "things of the graph", "number": "numbers", "date": "dates", "text": "texts"}
_NO_TARGET = "The smallest and the largest have no target, and other comparisons need one."
_NO_PLACE = "The smallest and the largest have no target but their place: a whole number from 2 on."
_LITERALS = {"number": Number, "date": Date, "text": Text}


class AskedRun:
    """A finished run, rebuilt from its events, with the graph that was asked."""

    def __init__(
        self,
        emitted: Sequence[StageEvent],
        store: GraphStore,
        *,
        strategy: str = DEFAULT,
        switches: EngineSwitches | None = None,
        limits: RunLimits | None = None,
    ) -> None:
        self._store = store
        self._strategy = strategy
        # The decisions of a beam's best reading are those of READS.
        self._switches = (switches or EngineSwitches()).but(width=1)
        self._limits = limits or RunLimits()
        self._whole = tuple(emitted)
        self._recorded = tuple(event for event in emitted if not isinstance(event, events.ReadingsKept))

    def options(self, stage: Stage, number: int) -> list[events.OptionRecord]:
        """Every option that there was for a decision; those that its event tells have their probability.

        Raises:
            ContinuationRefusedError: the graph has changed, or there is no such decision.
            GraphStoreError: the graph cannot be read.

        """
        cut = change_place(self._recorded, Replace(stage, number, None))
        *_, offered = self._go_on(
            Continuation(self._recorded[:cut], otherwise="stop"), replace(self._limits, options_shown=_EVERY_OPTION)
        )
        if not isinstance(offered, events.Undecided) or (offered.stage, offered.number) != (stage, number):
            return []  # nothing was left to choose, so the run went on
        record = self._decision(stage, number)
        read = {} if record is None else {choice_of_option(one): one.probability for one in record.options}
        return [one.model_copy(update={"probability": read.get(choice_of_option(one))}) for one in offered.options]

    def fault(self, change: Change) -> str:
        """Why a change cannot be made, and what to do; empty where it can.

        Raises:
            ContinuationRefusedError: the graph has changed, or there is no such decision.
            GraphStoreError: the graph cannot be read.

        """
        if isinstance(change, TakeReading):
            found = reading_made(self._whole, change.index)
            return "" if found else f"This run has no other reading {change.index + 1}. Choose one that it reported."
        change_place(self._recorded, change)
        if not isinstance(change, Replace) and change.stage in (Stage.LINK, Stage.INFER):
            return _ONE_ONLY
        if isinstance(change, Remove | EndStage):
            return "" if _before(self._recorded, change) is not None else "This stage ended there already."
        return self._choice_fault(change)

    def _choice_fault(self, change: Replace | Insert) -> str:
        stage, number, choice = change.stage, change.number, change.choice
        record = self._decision(stage, number)
        if isinstance(change, Replace) and record is not None and choice_made(record) == choice:
            return "The run has chosen this. Choose something else."
        if isinstance(choice, Constraint):
            return self._condition_fault(choice, change)
        if stage is Stage.LINK and isinstance(choice, Entity):
            known = choice in self._store.cards([choice])
            return "" if known else f"The graph does not hold {choice}. Choose another topic."
        return self._option_fault(stage, number, choice)

    def preview(self, change: Change) -> Iterator[StageEvent]:
        """What a change leads to by itself: the events from the changed decision on, up to the next open one.

        Raises:
            ContinuationRefusedError, GraphStoreError: see `options`.

        """
        if isinstance(change, TakeReading):
            before, kept = self._whole, 1
        else:
            before, kept = self._recorded, max(change_place(self._recorded, change), 1)
        events_again = self._go_on(Continuation(before, change, otherwise="stop"), self._limits)
        for place, event in enumerate(events_again):
            if place >= kept:
                yield event

    def words(self, change: Change) -> str:
        """A change in a few words: *character instead of actor*."""
        if isinstance(change, TakeReading):
            return _WORDS["reading"].format(number=change.index + 1)
        words, narrator = self._learned(), Narrator(self._store)
        before = _before(self._recorded, change)
        was = _choice_words(before, words, narrator)
        if isinstance(change, Remove | EndStage):
            return _WORDS[change.kind].format(was=was)
        now = _choice_words(change.choice, words, narrator)
        if change.choice is None:
            return _WORDS["end"].format(was=was)
        which = "insert" if isinstance(change, Insert) or before is None else "replace"
        return _WORDS[which].format(choice=now, was=was)

    def option_names(self, option: events.OptionRecord) -> tuple[str, ...]:
        """What people may call an option: its words, and last its id where it has one."""
        match option:
            case events.NoneOptionRecord():
                return ("none",)
            case events.StepOptionRecord(relation=relation):
                return relation.label, relation.id
            case events.TopicOptionRecord(term=term):
                return term.label, term.id
            case events.ConstraintOptionRecord(constraint=constraint):
                return (self._learned().condition(constraint),)
            case events.AnswerOptionRecord(position=position):
                return self._learned().node(position), str(position)

    def _go_on(self, continuation: Continuation, limits: RunLimits) -> Iterator[StageEvent]:
        return go_on(
            next(event.question for event in self._recorded if isinstance(event, events.Started)),
            self._store,
            None,
            continuation,
            strategy=self._strategy,
            switches=self._switches,
            limits=limits,
        )

    def _decision(self, stage: Stage, number: int) -> events.DecisionRecord | None:
        """How a decision is recorded, if it is."""
        for place in places_of(self._recorded):
            if place is not None and place.made is not None and (place.stage, place.number) == (stage, number):
                return place.made.record
        return None

    def _option_fault(self, stage: Stage, number: int, choice: Choice) -> str:
        if any(choice_of_option(option) == choice for option in self.options(stage, number)):
            return ""
        name = _choice_words(choice, self._learned(), Narrator(self._store)) or "none"
        return f"“{name}” was not among the options of this decision. Choose one of those."

    def _learned(self) -> RunWords:
        words = RunWords()
        for event in self._recorded:
            words.learn(event)
        return words

    def _condition_fault(self, condition: Constraint, change: Replace | Insert) -> str:
        nodes = [event.node for event in self._recorded if isinstance(event, events.SearchStepTaken)]
        node = next((one for one in nodes if one.position == condition.position), None)
        if condition.position == ROOT or node is None:
            return f"This run has no place {condition.position} that can have a condition."
        held = condition.operator is Operator.HOLDS
        if fault := self._time_mismatch(node, condition.target) if held else self._mismatch(node, condition):
            return fault
        places = [place for place in places_of(self._recorded) if place is not None and place.made is not None]
        others = [
            place.made.choice
            for place in places
            if place.made is not None
            and isinstance(place.made.choice, Constraint)
            and not (isinstance(change, Replace) and (place.stage, place.number) == (change.stage, change.number))
        ]
        if condition in others:
            return "This condition exists already."
        if not self._switches.constraints or len(others) >= self._limits.constraints:
            return f"A run sets {self._limits.constraints} conditions at most. Drop one first."
        conditions = [one for one in (*others, condition) if isinstance(one, Constraint)]
        bound = {one.position for one in conditions if not one.operator.leaves_answer}
        if all(one.kind == "mediator" or one.position in bound for one in nodes):
            return "With this condition, no place would be left that could hold the answer."
        return ""

    def _time_mismatch(self, node: events.SemanticNodeRecord, target: Term | None) -> str:
        """Why it cannot be said of what a place holds that it held at a target."""
        if node.kind != "mediator":
            name = self._learned().node(node.position)
            return f"“{name}” holds no links, of which alone can be said that they held. Choose another comparison."
        return "" if isinstance(target, Date) else "What held did so at a date. Write one, such as 2011 or 2011-02-06."

    def _mismatch(self, node: events.SemanticNodeRecord, condition: Constraint) -> str:
        """Why an operator or a target does not suit what a place holds."""
        target, name = condition.target, self._learned().node(node.position)
        if node.kind == "mediator":
            return f"“{name}” only links others, so its only condition can be that it held. Choose what it leads to."
        if target is None and not condition.operator.is_extremal:
            return _NO_TARGET
        if condition.operator is Operator.KIND:
            return _kind_mismatch(node, name, target)
        if node.kind not in ("number", "date") and condition.operator is not Operator.EQUAL:
            return f"“{name}” holds no numbers or dates, which “{condition.operator}” needs."
        return "" if target is None else self._target_mismatch(node, condition, target)

    def _target_mismatch(self, node: events.SemanticNodeRecord, condition: Constraint, target: Term) -> str:
        wanted, name = _LITERALS.get(node.kind, Entity), self._learned().node(node.position)
        if condition.operator.is_extremal:
            return "" if may_be_place(target) else _NO_PLACE
        if not isinstance(target, wanted):
            return f"“{name}” holds {_HELD[node.kind]}, and {target} is none."
        if isinstance(target, Entity) and target not in self._store.cards([target]):
            return f"The graph does not hold {target}. Choose another target."
        return ""


def _kind_mismatch(node: events.SemanticNodeRecord, name: str, target: Term | None) -> str:
    """Why what a place holds cannot be of a kind."""
    if node.kind != "entity":
        return f"“{name}” holds {_HELD[node.kind]}, which are of no kind."
    return "" if isinstance(target, Entity) else f"{target} is no type. Choose one such as location.country."


def _before(emitted: Sequence[StageEvent], change: Changed) -> Choice:
    """What was chosen where the change is made; None for nothing."""
    places = [place for place in places_of(emitted) if place is not None and place.made is not None]
    where = change.stage, change.number
    found = [place.made.choice for place in places if place.made is not None and (place.stage, place.number) == where]
    return found[0] if found else None


def _choice_words(choice: Choice, words: RunWords, narrator: Narrator) -> str:
    match choice:
        case SearchStep(relation=relation):
            return narrator.relation(relation).label
        case Constraint():
            return words.condition(narrator.constraint(choice))
        case int(position):
            return words.node(position)
        case Count():
            return DECISIONS["count"]
        case None:
            return ""
        case _:
            return _term_words(choice, words, narrator)


def _term_words(term: Term, words: RunWords, narrator: Narrator) -> str:
    narrator.learn([term])
    return words.term(narrator.term(term))
