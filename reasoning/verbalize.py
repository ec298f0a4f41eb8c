"""How prompts and options are put into words for encoders.

A question's own names are masked (*what do people in it speak*), so that what is learned of one entity holds for every
other; relations become their Freebase names in plain words, read along the path from the topic entity.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from kgstore.terms import Date, Entity, Number, TermKind
from reasoning.derivation import Operator
from reasoning.options import AnswerOption, ConstraintOption, NoneOption, StepOption

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgstore.terms import Relation, Term
    from reasoning.derivation import Constraint
    from reasoning.options import Option, Prompt
    from reasoning.structure import AbstractStructure

_TOPIC_MASK = "it"
_ENTITY_MASK = "that one"
_DATE_MASK = "that year"
_NUMBER_MASK = "that number"

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

_OPERATOR_WORDS = {
    Operator.EQUAL: "is",
    Operator.LESS: "is before",
    Operator.AT_MOST: "is not after",
    Operator.GREATER: "is after",
    Operator.AT_LEAST: "is not before",
}
_NUMBER_OPERATOR_WORDS = {
    Operator.EQUAL: "is",
    Operator.LESS: "is less than",
    Operator.AT_MOST: "is at most",
    Operator.GREATER: "is more than",
    Operator.AT_LEAST: "is at least",
}
_EXTREME_WORDS = {
    (Operator.MIN, TermKind.DATE): "is the first, the earliest",
    (Operator.MAX, TermKind.DATE): "is the last, the latest",
    (Operator.MIN, TermKind.NUMBER): "is the smallest, the least",
    (Operator.MAX, TermKind.NUMBER): "is the largest, the most",
}


def prompt_text(prompt: Prompt) -> str:
    """Q and S_k in words: the masked question, then what has been found and demanded so far."""
    parts = [masked_question(prompt)]
    found = [path_words(prompt.structure, node.position) for node in prompt.structure.nodes[1:]]
    if found:
        parts.append("found: " + "; ".join(found))
    if prompt.constraints:
        parts.append("where: " + "; ".join(constraint_words(prompt.structure, c) for c in prompt.constraints))
    return " | ".join(parts)


def masked_question(prompt: Prompt) -> str:
    """The question with the topic and every target replaced by what kind of thing it is."""
    masks: dict[tuple[int, int], str] = {}
    for mention in prompt.targets:
        # A year is a date and a number; the date is the likelier reading.
        span = mention.start, mention.end
        if span not in masks or isinstance(mention.term, Date):
            masks[span] = _mask(mention.term)
    if prompt.topic is not None:
        masks[prompt.topic.start, prompt.topic.end] = _TOPIC_MASK
    text = prompt.question
    last = len(text)
    for (start, end), mask in sorted(masks.items(), reverse=True):
        if end <= last:
            text = f"{text[:start]} {mask} {text[end:]}"
            last = start
    return " ".join(text.lower().replace("?", " ").split())


def option_text(option: Option, prompt: Prompt) -> str:
    """An option in words. The same words for the same path and demand, whatever the question: they can be cached."""
    match option:
        case StepOption(step=step):
            return join_hops([*_hops(prompt.structure, step.position), relation_words(step.relation)])
        case ConstraintOption(constraint=constraint):
            return constraint_words(prompt.structure, constraint)
        case AnswerOption(position=position):
            return path_words(prompt.structure, position)
        case NoneOption():
            return "nothing more"


def path_words(structure: AbstractStructure, position: int) -> str:
    """The relations from the topic entity to a position."""
    return join_hops(_hops(structure, position))


def constraint_words(structure: AbstractStructure, constraint: Constraint) -> str:
    """What a constraint demands, without the name of its target."""
    path = path_words(structure, constraint.position)
    if constraint.target is None:
        kind = structure.nodes[constraint.position].kind
        return f"{path} {_EXTREME_WORDS.get((constraint.operator, kind), constraint.operator.value)}"
    words = _NUMBER_OPERATOR_WORDS if isinstance(constraint.target, Number) else _OPERATOR_WORDS
    return f"{path} {words[constraint.operator]} {_mask(constraint.target)}"


def join_hops(hops: Iterable[str]) -> str:
    """One text for a path of relations."""
    return ", ".join(hops)


@lru_cache(maxsize=50_000)
def relation_words(relation: Relation) -> str:
    """A relation with the type it belongs to: *country languages spoken*; backwards, *film whose directed by is it*."""
    kind, name = relation_parts(relation)
    return f"{kind} whose {name} is it" if relation.is_reverse else f"{kind} {name}".strip()


def relation_parts(relation: Relation) -> tuple[str, str]:
    """The words of the type that a predicate belongs to, and of the predicate itself."""
    parts = relation.predicate.split(".")
    return (_words(parts[-2]) if len(parts) > 1 else ""), _words(parts[-1])


def _words(identifier: str) -> str:
    return " ".join(_CAMEL.sub(" ", re.sub(r"_s$", "s", identifier)).replace("_", " ").lower().split())


def _hops(structure: AbstractStructure, position: int) -> list[str]:
    return [relation_words(node.relation) for node in structure.path(position) if node.relation is not None]


def _mask(term: Term) -> str:
    match term:
        case Entity():
            return _ENTITY_MASK
        case Date():
            return _DATE_MASK
        case _:
            return _NUMBER_MASK
