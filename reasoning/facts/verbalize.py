"""How prompts and options are put into words for encoders.

A question's own names are masked (*what do people in it speak*), so that what is learned of one entity holds for every
other; relations become their Freebase names in plain words, read along the path from the topic entity.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from kgstore.freebase.labels import name_parts, split_words
from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import Date, Entity, Number, TermKind
from reasoning.core.derivation import Operator
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, StepOption, TopicOption
from reasoning.core.structure import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Relation, Term
    from reasoning.core.derivation import Constraint
    from reasoning.core.options import DecisionState, Mention, Option
    from reasoning.core.structure import AbstractStructure
    from reasoning.question.literals import Span

_TOPIC_MASK = "it"

_OPERATOR_WORDS = {
    Operator.EQUAL: "is",
    Operator.LESS: "is before",
    Operator.AT_MOST: "is not after",
    Operator.GREATER: "is after",
    Operator.AT_LEAST: "is not before",
    Operator.HOLDS: "held in",
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


def prompt_text(state: DecisionState, *, named: bool = True) -> str:
    """Q and S_k in words: the masked question, then what has been found and demanded so far."""
    parts = [masked_question(state, named=named)]
    if found := _tree_words(state.structure, ROOT):
        parts.append(f"found: {found}")
    if state.constraints:
        parts.append("where: " + "; ".join(constraint_words(state.structure, c) for c in state.constraints))
    return " | ".join(parts)


def topic_text(state: DecisionState, option: TopicOption, *, named: bool = True) -> str:
    """The question as it reads if it is about one of the entities that it names."""
    return masked_question(state, option.mention, named=named)


def masked_question(state: DecisionState, topic: Mention | None = None, *, named: bool = True) -> str:
    """The question in lower case, with *it* for the topic, and the type after each other name.

    ``topic`` is what to take for the topic where the prompt has none yet. Without ``named``, other proper names become
    *that*, so that a model may be taught not to hang on them.
    """
    own = topic or state.topic
    masks: dict[tuple[int, int], str] = {}
    for mention in state.targets:
        # Namesakes come best known first; a year is a date and a number, and the date is the likelier reading.
        span = mention.start, mention.end
        if span not in masks or isinstance(mention.term, Date):
            masks[span] = _mask(state, mention, named=named)
    if own is not None:
        masks[own.start, own.end] = _typed(_TOPIC_MASK, own.term, state)
    return _with_masks(state.question, masks)


def question_without_targets(state: DecisionState) -> str:
    """The question in lower case with *it* for the topic, and without the other names, numbers and dates in it."""
    masks = {(target.start, target.end): "" for target in state.targets}
    if state.topic is not None:
        masks[state.topic.start, state.topic.end] = _TOPIC_MASK
    return _with_masks(state.question, masks)


def _with_masks(text: str, masks: Mapping[Span, str]) -> str:
    """A text in lower case with other words for some parts of it; of parts that overlap, the last one counts."""
    last = len(text)
    for (start, end), mask in sorted(masks.items(), reverse=True):
        if end <= last:
            text = f"{text[:start]} {mask} {text[end:]}"
            last = start
    return " ".join(text.lower().replace("?", " ").split())


def plain_question(state: DecisionState) -> str:
    """The question with the topic masked, and nothing said of types."""
    return masked_question(replace(state, types={}))


def option_text(option: Option, state: DecisionState, *, typed: bool = True) -> str:
    """An option in words: the same for the same path and demand, whatever the question, so that it can be cached.

    Empty for None and for topics, which have no words of their own. Without ``typed``, relations read as in a graph
    that does not say which types they belong to.
    """
    match option:
        case StepOption(step=step):
            return ", ".join(
                [
                    *_short_hops(state.structure, step.position, typed=typed),
                    relation_words(step.relation, typed=typed),
                ]
            )
        case ConstraintOption(constraint=constraint):
            return constraint_words(state.structure, constraint, typed=typed)
        case AnswerOption(position=position):
            return path_words(state.structure, position, typed=typed)
        case TopicOption() | NoneOption():
            return ""


def path_words(structure: AbstractStructure, position: int, *, typed: bool = True) -> str:
    """The relations from the topic entity to a position, the last of them in full."""
    node = structure.nodes[position]
    if node.relation is None or node.parent is None:
        return ""
    return ", ".join([*_short_hops(structure, node.parent, typed=typed), relation_words(node.relation, typed=typed)])


def constraint_words(structure: AbstractStructure, constraint: Constraint, *, typed: bool = True) -> str:
    """What a constraint demands, without the name of its target."""
    path = path_words(structure, constraint.position, typed=typed)
    target = constraint.target
    if target is None or constraint.operator.is_extremal:
        # Which place it is says nothing of how it fits: a pool holds only the one that is asked for.
        kind = structure.nodes[constraint.position].kind
        return f"{path} {_EXTREME_WORDS.get((constraint.operator, kind), constraint.operator.value)}"
    if constraint.operator is Operator.KIND:
        return f"{path} is a {_words(name_parts(str(target))[1])}"
    words = _NUMBER_OPERATOR_WORDS if isinstance(target, Number) else _OPERATOR_WORDS
    return f"{path} {words[constraint.operator]} {_literal_words(target)}"


def relation_words(relation: Relation, *, typed: bool = True) -> str:
    """A relation with the type it belongs to: *country languages spoken*; backwards, *film whose directed by is it*."""
    kind, name = relation_parts(relation)
    if not typed:
        kind = ""
    return (f"{kind} whose {name} is it" if relation.is_reverse else f"{kind} {name}").strip()


def relation_parts(relation: Relation) -> tuple[str, str]:
    """The words of the type that a predicate belongs to, and of the predicate itself, as its graph calls it."""
    kind, name = _predicate_parts(relation.predicate)
    return kind, " ".join(relation.label.lower().split()) or name


@lru_cache(maxsize=50_000)
def _predicate_parts(predicate: str) -> tuple[str, str]:
    owner, name = name_parts(predicate)
    return _words(owner.rpartition(".")[2]), _words(name)


def type_words(name: str) -> str:
    """A type in words: *tv program* for ``tv.tv_program``."""
    return _words(name_parts(name)[1])


def _words(identifier: str) -> str:
    return " ".join(split_words(re.sub(r"_s$", "s", identifier))).lower()


def _short_words(relation: Relation, *, typed: bool = True) -> str:
    kind, name = relation_parts(relation)
    return kind if typed and kind and relation.is_reverse else name


def _short_hops(structure: AbstractStructure, position: int, *, typed: bool = True) -> list[str]:
    relations = (node.relation for node in structure.path(position))
    # That something is of the topic's type is no way to it: it reads as a topic would.
    return [_short_words(each, typed=typed) for each in relations if each is not None and each != INSTANCES]


def _tree_words(structure: AbstractStructure, position: int) -> str:
    """What grew from a position: *teams (team, from)*."""
    parts: list[str] = []
    for node in structure.children(position):
        if node.relation == INSTANCES:
            parts.append(_tree_words(structure, node.position))
        elif node.relation is not None:
            below = _tree_words(structure, node.position)
            parts.append(_short_words(node.relation) + (f" ({below})" if below else ""))
    return ", ".join(filter(None, parts))


def _mask(state: DecisionState, mention: Mention, *, named: bool) -> str:
    if isinstance(mention.term, Entity):
        words = state.question[mention.start : mention.end]
        return _typed(words if named or not words[:1].isupper() else "that", mention.term, state)
    return _literal_words(mention.term)


def _literal_words(term: Term) -> str:
    match term:
        case Date():
            return "that year"
        case Number():
            return "that number"
        case _:
            return "that one"


def _typed(words: str, term: Term, state: DecisionState) -> str:
    types = state.types.get(term, ()) if isinstance(term, Entity) else ()
    return f"{words} ({type_words(types[0])})" if types else words
