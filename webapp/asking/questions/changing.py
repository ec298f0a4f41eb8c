"""A change of a run as it is typed in a terminal: ``search:2=character``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.freebase.labels import type_label
from kgstore.terms import Entity, TermError, parse_date, parse_number, parse_term
from reasoning import events
from reasoning.core.derivation import Constraint, Operator
from reasoning.core.errors import ContinuationRefusedError
from reasoning.core.options import Stage
from reasoning.narration.replay import choice_of_option
from reasoning.run.continuation import EndStage, Insert, Remove, Replace, TakeReading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.options import Choice
    from reasoning.engine.changes import AskedRun
    from reasoning.events import StageEvent
    from reasoning.run.continuation import Change

HOW = """\
STAGE is begin, search, prune or answer, and N is the number of the decision in it, from 1. OPTION is a relation, a name
or an id from the option pool; “none” for nothing more; “drop” to take the decision out; “stop” to end the stage before
it; or, of a prune decision, “+character = KITT”, “+contains is a country” or “+regular cast holds 1982” to add a
condition. For begin it may be any entity of the graph. reading:N takes another reading that the beam kept. May be given
several times: each changes the result of the one before.\
"""
_STAGES = {name: stage for stage in Stage for name in (stage.value, stage.label.lower())}
_WRITTEN = re.compile(r"\s*([a-z]+)\s*:\s*(\d+)\s*(?:=\s*(.*?)\s*)?", re.IGNORECASE | re.DOTALL)
_CONDITION = re.compile(r"(.+?)\s*(<=|>=|=|<|>|\bmin\b|\bmax\b|\bholds\b|\bis\s+an?\b)\s*(.*)", re.DOTALL)
_LISTED = 12


class ChangeTextError(ValueError):
    """A change that cannot be read, or that does not fit the run; the message says what to write."""


def change_typed(text: str, emitted: Sequence[StageEvent], asked: AskedRun, store: GraphStore) -> Change:
    """The change that a text means of a run.

    Raises:
        ChangeTextError: it means none, or one that this run does not offer.
        GraphStoreError: the graph cannot be read.

    """
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise ChangeTextError(f"“{text}” is not a change. Write STAGE:N=OPTION, such as search:2=character.")
    name, number, option = written[1].lower(), int(written[2]) - 1, written[3]
    if number < 0:
        raise ChangeTextError(f"“{text}”: decisions are counted from 1.")
    if name == "reading":
        change: Change = TakeReading(number)
    elif name not in _STAGES:
        raise ChangeTextError(f"There is no stage “{name}”. Write begin, search, prune or answer.")
    elif not option:
        raise ChangeTextError(f"“{text}” says no option. Write STAGE:N=OPTION, such as search:2=character.")
    else:
        change = _Typed(emitted, asked, store).change(_STAGES[name], number, option)
    try:
        fault = asked.fault(change)
    except ContinuationRefusedError as error:
        raise ChangeTextError(error.for_people) from error
    if fault:
        raise ChangeTextError(fault)
    return change


class _Typed:
    def __init__(self, emitted: Sequence[StageEvent], asked: AskedRun, store: GraphStore) -> None:
        self._asked = asked
        self._store = store
        self._steps = [event for event in emitted if isinstance(event, events.SearchStepTaken)]
        self._nodes = [event.node for event in self._steps]

    def change(self, stage: Stage, number: int, option: str) -> Change:
        if option.casefold() == "drop":
            return Remove(stage, number)
        if option.casefold() == "stop":
            return EndStage(stage, number)
        if stage is Stage.PRUNE and option.startswith("+"):
            return Insert(stage, number, self._condition(option[1:].strip()))
        if option.casefold() == "none":
            return Replace(stage, number, None)
        if stage is Stage.LINK:
            return Replace(stage, number, self._entity(option))
        return Replace(stage, number, self._offered(stage, number, option))

    def _offered(self, stage: Stage, number: int, typed: str) -> Choice:
        try:
            options = self._asked.options(stage, number)
        except ContinuationRefusedError as error:
            raise ChangeTextError(error.for_people) from error
        named = [(self._asked.option_names(one), one) for one in options]
        found = [one for names, one in named if typed.casefold() in (name.casefold() for name in names)]
        if len(found) == 1:
            return choice_of_option(found[0])
        if found:
            ids = ", ".join(self._asked.option_names(one)[-1] for one in found)
            raise ChangeTextError(f"Several options are called “{typed}”. Write the id of one: {ids}.")
        listed = ", ".join(names[0] for names, _ in named[:_LISTED])
        more = f" and {len(named) - _LISTED:,} more" if len(named) > _LISTED else ""
        raise ChangeTextError(f"“{typed}” was not among the options. Choose one of: {listed}{more}.")

    def _condition(self, typed: str) -> Constraint:
        written = _CONDITION.fullmatch(typed)
        if written is None:
            raise ChangeTextError(f"“{typed}” is no condition. Write one such as +character = KITT, or +date max.")
        named = {node.relation.label.casefold(): node for node in self._nodes if node.relation is not None}
        node = named.get(written[1].casefold())
        if node is None:
            raise ChangeTextError(f"There is no place “{written[1]}”. Choose one of: {', '.join(named)}.")
        if written[2].startswith("is"):
            return Constraint(node.position, Operator.KIND, self._kind(node.position, written[3]))
        operator = Operator(written[2])
        if not written[3]:
            return Constraint(node.position, operator)
        # What held is a mediator, and its target a date.
        kind = "number" if operator.is_extremal else "date" if operator is Operator.HOLDS else node.kind
        return Constraint(node.position, operator, self._target(kind, written[3]))

    def _target(self, kind: str, typed: str) -> Term:
        try:
            if typed.startswith('"'):
                return parse_term(typed)
            if kind == "number":
                return parse_number(typed)
            if kind == "date":
                return parse_date(typed)
        except TermError as error:
            raise ChangeTextError(str(error)) from error
        return self._entity(typed)

    def _kind(self, position: int, typed: str) -> Entity:
        """A type, by its id or its plain name, of something that the run found at a place."""
        facts = [fact for step in self._steps if step.node.position == position for fact in step.facts]
        held = [Entity(fact.target.id) for fact in facts if fact.target.kind == "entity"]
        types = sorted({name for card in self._store.cards(held).values() for name in card.types})
        found = [name for name in types if typed.casefold() in (name.casefold(), type_label(name).casefold())]
        if len(found) == 1:
            return Entity(found[0])
        if found:
            listed = ", ".join(found)
            raise ChangeTextError(f"Several kinds are called “{typed}”. Write the id of one: {listed}.")
        listed = ", ".join(f"{type_label(name)} ({name})" for name in types[:_LISTED])
        more = f" and {len(types) - _LISTED:,} more" if len(types) > _LISTED else ""
        known = f"Choose one of: {listed}{more}." if types else "The graph knows no kinds of what is there."
        raise ChangeTextError(f"Nothing there is a “{typed}”. {known}")

    def _entity(self, typed: str) -> Entity:
        if Entity(typed) in self._store.cards([Entity(typed)]):
            return Entity(typed)
        matches = [match.card for match in self._store.search(typed, _LISTED)]
        exact = [card for card in matches if (card.name or "").casefold() == typed.casefold()]
        if len(exact) == 1:
            return exact[0].entity
        if not matches:
            raise ChangeTextError(f"Nothing in this graph is called “{typed}”.")
        listed = ", ".join(f"{card.name or card.entity.mid} ({card.entity.mid})" for card in exact or matches)
        raise ChangeTextError(f"“{typed}” may be several things. Write the id of one: {listed}.")
