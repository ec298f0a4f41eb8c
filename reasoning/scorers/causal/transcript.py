"""A question's decisions as a text that only grows, so that a model need never read any of it twice.

READS' prompt holds S_k, the question and the pool. Here the pool is not in the prompt: the trie holds it. What is left
is written in the order in which it becomes known: the instructions, which are the same for every question; the
question; a line for each decision. A prompt ends where the next decision is to be written, and the chosen option goes
on from there.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.options import AnswerOption, ConstraintOption, Stage, StepOption, TopicOption

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kgstore.terms import Term
    from reasoning.derivation import Constraint
    from reasoning.options import DecisionState, Option
    from reasoning.structure import AbstractStructure

NONE = " None"
_BEFORE, _AFTER = "\nQuestion: ", "\n"
"""What stands before and after the question."""
_CUES = {Stage.LINK: "Topic:", Stage.SEARCH: "Step:", Stage.PRUNE: "Condition:", Stage.INFER: "Answer:"}


def prompt_parts(state: DecisionState) -> list[str]:
    """The prompt in parts; the parts of a question's next prompt begin with these, and with the chosen option.

    Each part is to be tokenised by itself, so that the same holds for tokens.
    """
    return list(_parts(state))


def question_in(parts: Sequence[str]) -> str:
    """The question of a prompt in parts."""
    return parts[1].removeprefix(_BEFORE).removesuffix(_AFTER)


def _parts(state: DecisionState) -> Iterator[str]:
    yield _instructions()
    yield f"{_BEFORE}{state.question}{_AFTER}"
    yield _CUES[Stage.LINK]
    if state.stage is Stage.LINK:
        return
    nodes = state.structure.nodes
    if state.topic is None:
        yield f" {nodes[0].name}"
    else:
        named = state.question[state.topic.start : state.topic.end]
        term = state.topic.term
        yield _topic(named, state.types.get(term, ()) if isinstance(term, Entity) else ())
    for node in nodes[1:]:
        if node.parent is not None and node.relation is not None:
            yield "\n"
            yield _CUES[Stage.SEARCH]
            yield f" {nodes[node.parent].name} {node.relation}"
            yield f" = {node.name}"
    if state.stage is not Stage.SEARCH:
        for constraint in state.constraints:
            yield "\n"
            yield _CUES[Stage.PRUNE]
            yield _constraint(state.structure, constraint, state.labels)
    yield "\n"
    yield _CUES[state.stage]


def option_text(option: Option, state: DecisionState) -> str:
    """How an option goes on from the prompt. ``^`` marks a relation that is followed from object to subject."""
    match option:
        case StepOption(step=step):
            return f" {state.structure.nodes[step.position].name} {step.relation}"
        case ConstraintOption(constraint=constraint):
            return _constraint(state.structure, constraint, state.labels)
        case AnswerOption(position=position):
            return f" {state.structure.nodes[position].name}"
        case TopicOption(mention=mention, types=types):
            return _topic(state.question[mention.start : mention.end], types)
        case _:
            return NONE


def _topic(named: str, types: tuple[str, ...]) -> str:
    return f" {named} ({types[0]})" if types else f" {named}"


def _constraint(structure: AbstractStructure, constraint: Constraint, labels: Mapping[Term, str]) -> str:
    name, target = structure.nodes[constraint.position].name, constraint.target
    if target is None:
        return f" {name} {constraint.operator}"
    return f" {name} {constraint.operator} {labels.get(target, str(target))}"


@cache
def _instructions() -> str:
    return files(__package__ or "").joinpath("instructions.txt").read_text(encoding="utf-8").rstrip()
