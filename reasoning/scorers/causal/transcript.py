"""A question's decisions as a text that only grows, so that a model never reads a part of it twice.

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
from reasoning.core.options import Stage, TopicOption
from reasoning.facts.option_parts import constraint_parts, option_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.terms import Relation
    from reasoning.core.options import DecisionState, Option

NONE = " None"
_BEFORE, _AFTER = "\nQuestion: ", "\n"
"""What stands before and after the question."""
_CUES = {Stage.LINK: "Topic:", Stage.SEARCH: "Step:", Stage.PRUNE: "Condition:", Stage.INFER: "Answer:"}
PLAN_CUE = "Plan, relations from the topic to what the question asks for, ^ before one that is followed backwards:"
"""A plan is written as a whole, so no instruction tells of it: those are the same for all models that were taught."""


def prompt_parts(state: DecisionState) -> list[str]:
    """The prompt in parts; the parts of a question's next prompt begin with these, and with the chosen option.

    Each part is to be tokenised by itself, so that the same holds for tokens.
    """
    return list(_parts(state))


def plan_parts(state: DecisionState) -> list[str]:
    """The prompt of a whole plan, in parts; ``state`` is that of the first search decision."""
    return [*prompt_parts(state)[:-1], PLAN_CUE]


def plan_text(path: Sequence[Relation]) -> str:
    """How a plan goes on from its prompt: `` film.film.starring -> ^people.person.children``."""
    return f" {' -> '.join(map(str, path))}"


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
        yield _topic(named, *(state.types.get(term, ()) if isinstance(term, Entity) else ()))
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
            yield _words(constraint_parts(state.structure, constraint, state.labels))
    yield "\n"
    yield _CUES[state.stage]


def option_text(option: Option, state: DecisionState) -> str:
    """How an option goes on from the prompt. ``^`` marks a relation that is followed from object to subject."""
    parts = option_parts(option, state)
    if isinstance(option, TopicOption):
        return _topic(*parts)
    return _words(parts) if parts else NONE


def _topic(named: str, *types: str) -> str:
    return f" {named} ({types[0]})" if types else f" {named}"


def _words(parts: tuple[str, ...]) -> str:
    return f" {' '.join(parts)}"


@cache
def _instructions() -> str:
    return files(__package__ or "").joinpath("instructions.txt").read_text(encoding="utf-8").rstrip()
