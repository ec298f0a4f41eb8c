"""Features of states and options that need no model: counts, kinds, places, what is reached, cue words.

Every feature is a plain number of about unit size. The lists of names say which; their length is part of a model card.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log1p
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from kgstore.freebase.knowledge import load_knowledge
from kgstore.terms import Date, Entity, Number, TermKind
from reasoning.core.derivation import Operator
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, Stage, StepOption, TopicOption
from reasoning.core.structure import ROOT, AbstractStructure
from reasoning.facts.verbalize import (
    masked_question,
    option_text,
    path_words,
    plain_question,
    prompt_text,
    relation_parts,
    topic_text,
)
from reasoning.question.kinds import words_for_kind
from reasoning.question.ordinals import place_asked
from reasoning.question.tense import words_for_now
from reasoning.question.words import CUES, content_stems, content_words, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from kgstore.terms import Relation, Term
    from reasoning.core.derivation import Constraint
    from reasoning.core.options import DecisionState, Mention, Option, OptionPool
    from reasoning.core.structure import SemanticNode
    from reasoning.question.kinds import KindWords

_KINDS = tuple(TermKind)
_OPERATORS = tuple(Operator)
_NEAR = 4
"""Number of words before a mention that show how it is meant: *after 1980*."""
_EXTREMES = ("first", "last", "most", "least")
_FITTING: Mapping[Operator, frozenset[str]] = {
    Operator.LESS: frozenset(["before", "less"]),
    Operator.AT_MOST: frozenset(["to", "less"]),
    Operator.GREATER: frozenset(["after", "more"]),
    Operator.AT_LEAST: frozenset(["between", "after", "more"]),
    Operator.EQUAL: frozenset(["in"]),
    Operator.MIN: frozenset(["first", "least"]),
    Operator.MAX: frozenset(["last", "most"]),
    Operator.HOLDS: frozenset(["in"]),
    Operator.KIND: frozenset(),
}
"""The cues that speak for an operator: before its target, or for an extreme anywhere in the question."""
_AGAINST: Mapping[Operator, frozenset[str]] = {
    Operator.LESS: frozenset(["after", "more", "between"]),
    Operator.AT_MOST: frozenset(["after", "more", "between"]),
    Operator.GREATER: frozenset(["before", "less", "to"]),
    Operator.AT_LEAST: frozenset(["before", "less", "to"]),
    Operator.EQUAL: frozenset(["before", "after", "more", "less", "between", "to"]),
    Operator.MIN: frozenset(["last", "most"]),
    Operator.MAX: frozenset(["first", "least"]),
    Operator.HOLDS: frozenset(["before", "after", "between", "to"]),
    Operator.KIND: frozenset(),
}
"""The cues that speak against it."""
_NEAR_CUES = ("before", "after", "more", "less", "in", "between", "to")

CONTEXT_FEATURES = (
    *(f"stage is {stage}" for stage in Stage),
    *(f"newest node is {kind}" for kind in _KINDS),
    "newest node is the root",
    "steps taken",
    "constraints chosen",
    "entities named",
    "entities not reached",
    "dates named",
    "dates without a node",
    "numbers named",
    "numbers without a node",
    "targets without a constraint",
    "a mediator leads nowhere",
    "the topic is not named",
    "options",
    "words of the question that no step has used",
    *(f"cue: {cue}" for cue in CUES),
)
OPTION_FEATURES = (
    "is None",
    "is None while a mediator leads nowhere",
    "is None while nothing can be the answer",
    "is None while an entity is not reached",
    "is None while a date or number has no node",
    "is None while an extreme is asked for and nothing can be compared",
    "is None while an extreme is asked for and not chosen",
    "is None while a target is not constrained",
    "is None while a kind is asked for",
    "is None while something may have held then",
    "is a step",
    "is a constraint",
    "is a position",
    *(f"kind is {kind}" for kind in _KINDS),
    "backwards",
    "from the root",
    "from the newest node",
    "from a mediator",
    "depth",
    "entities",
    "facts",
    "facts an entity",
    "reaches a target",
    "reaches a new target",
    "goes back",
    "repeats a relation",
    "same type as its parent's relation",
    "words of its name in the question",
    "words of its type in the question",
    "words of its name that no step has used",
    "is a date that is named",
    "is a number that is named",
    "can be compared while an extreme is asked for",
    *(f"operator is {operator}" for operator in _OPERATORS),
    "a cue speaks for the operator",
    "a cue speaks against the operator",
    "target is an entity",
    "target is constrained already",
    "position is constrained already",
    "target is the smallest of several",
    "target is the largest of several",
    *(f"before its target: {cue}" for cue in _NEAR_CUES),
    "is a kind that is asked for",
    "is a kind that is told",
    "a kind is chosen already",
    "held at a date that is named",
    "holds now, as a word says",
    "holds now, unspoken",
    "is the newest node",
    "is the first position",
    "leads further",
    "leads to a constraint",
    "siblings constrained",
    "is a topic",
    "words of the name",
    "place in the question",
    "capital letter",
    "popularity",
    "has a better known namesake",
    "other names in the question",
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """A state and its pool as a model reads them: texts, and the features of the state and of every option."""

    stage: Stage
    prompt_texts: tuple[str, ...]
    """One text; while linking, one for each option."""
    question_text: str
    """The question alone, for the encoder as published."""
    path_text: str
    """The way to the newest node, for the encoder as published: what None is held against; empty at the root."""
    option_texts: tuple[str, ...]
    """One for each option; empty for options without words."""
    words: tuple[str, ...]
    """The words of the question that carry meaning, without those of the topic, in order."""
    distances: tuple[int, ...]
    """Of each word how many others stand between it and the topic."""
    hops: tuple[str, ...]
    """For each option the name of its own relation; empty for options without one."""
    kinds: tuple[str, ...]
    """For each option what a backward relation leads to, *film*; empty for others, whose type is that of where they
    begin."""
    path_parts: tuple[str, ...]
    """Likewise names and kinds of the steps that are taken."""
    context: NDArray[np.float32]
    """One number for each of `CONTEXT_FEATURES`."""
    features: NDArray[np.float32]
    """A row for each option (zeros for None), a column for each of `OPTION_FEATURES`."""


def inputs_of(state: DecisionState, pool: OptionPool, *, named: bool = True) -> Inputs:
    """Describe a state and its options. No option's description depends on its place in the pool.

    Without ``named``, the texts leave out all proper names except the topic's; see `masked_question`.
    """
    view = _View(state)
    features = np.zeros((len(pool), len(OPTION_FEATURES)), dtype=np.float32)
    for row, option in enumerate(pool.options):
        features[row] = view.option(option, pool)
    topics = tuple(topic_text(state, option, named=named) for option in pool.options if isinstance(option, TopicOption))
    return Inputs(
        stage=state.stage,
        prompt_texts=topics if state.stage is Stage.LINK else (prompt_text(state, named=named),),
        question_text=plain_question(state),
        context=np.array(view.context(len(pool)), dtype=np.float32),
        features=features,
        **_texts(state, pool, typed=True),
    )


def without_types(inputs: Inputs, state: DecisionState, pool: OptionPool) -> Inputs:
    """The same in a graph whose relations do not say which types they belong to: only texts differ."""
    return replace(inputs, **_texts(state, pool, typed=False))


class _Texts(TypedDict):
    """The fields of `Inputs` that are put into words."""

    path_text: str
    option_texts: tuple[str, ...]
    words: tuple[str, ...]
    distances: tuple[int, ...]
    hops: tuple[str, ...]
    kinds: tuple[str, ...]
    path_parts: tuple[str, ...]


def _texts(state: DecisionState, pool: OptionPool, *, typed: bool) -> _Texts:
    structure = state.structure
    parts = [_parts(_relation_of(option, structure)) for option in pool.options]
    taken = [_parts(node.relation) for node in structure.nodes if node.relation]
    words, distances = _words_around(state)
    return _Texts(
        path_text=path_words(structure, structure.nodes[-1].position, typed=typed) if structure.nodes else "",
        option_texts=tuple(option_text(option, state, typed=typed) for option in pool.options),
        words=words,
        distances=distances,
        hops=tuple(name for name, _ in parts),
        kinds=tuple(kind if typed else "" for _, kind in parts),
        path_parts=tuple(text for pair in taken for text in (pair if typed else pair[:1]) if text),
    )


def _words_around(state: DecisionState) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The words that carry meaning before and after the topic, and how far each is from it."""
    topic, text = state.topic, state.question
    if topic is None:
        words = content_words(text)
        return words, (0,) * len(words)
    before, after = content_words(text[: topic.start]), content_words(text[topic.end :])
    return before + after, (*reversed(range(len(before))), *range(len(after)))


def _parts(relation: Relation | None) -> tuple[str, str]:
    """The name of a relation, and what it leads to where that is the type in its name: where it is read backwards."""
    if relation is None:
        return "", ""
    kind, name = relation_parts(relation)
    return name, kind if relation.is_reverse else ""


def _relation_of(option: Option, structure: AbstractStructure) -> Relation | None:
    """The relation that an option is about: a step's own, or that of its node."""
    match option:
        case StepOption(step=step):
            return step.relation
        case ConstraintOption(constraint=constraint):
            return structure.nodes[constraint.position].relation
        case AnswerOption(position=position):
            return structure.nodes[position].relation
        case TopicOption() | NoneOption():
            return None


class _View:
    """What several features of one state share."""

    def __init__(self, state: DecisionState) -> None:
        self._state = state
        structure = state.structure
        self._newest = structure.nodes[-1] if structure.nodes else AbstractStructure.rooted("").nodes[ROOT]
        question = masked_question(state)
        self._words = frozenset(words_of(question))
        self._stems = content_stems(question)
        used = (content_stems(" ".join(relation_parts(node.relation))) for node in structure.nodes if node.relation)
        self._unused = self._stems.difference(*used)
        self._targets = {mention.term for mention in state.targets}
        self._reached = frozenset(state.reached)
        entities = {target for target in self._targets if isinstance(target, Entity)}
        self._spans = {
            kind: len({(m.start, m.end) for m in state.targets if isinstance(m.term, kind)}) for kind in (Date, Number)
        }
        self._nodes = {
            kind: sum(node.kind is kind for node in structure.nodes) for kind in (TermKind.DATE, TermKind.NUMBER)
        }
        self._open_dates = float(max(0, min(self._spans[Date], 1) - self._nodes[TermKind.DATE]))
        self._open_numbers = float(max(0, min(self._spans[Number], 1) - self._nodes[TermKind.NUMBER]))
        self._entities = len(entities)
        self._open_entities = entities - self._reached
        self._constrained = {constraint.position for constraint in state.constraints}
        self._demanded = {constraint.target for constraint in state.constraints}
        self._parents = {node.parent for node in structure.nodes}
        newest = self._newest
        self._open_mediator = newest.kind is TermKind.MEDIATOR and newest.position not in self._parents
        self._cues = [cue for cue, words in CUES.items() if self._words & words]
        self._names = state.name_spans
        if place_asked(state.question, self._names) and not _any_in(self._cues, frozenset(_EXTREMES)):
            self._cues.append("first")  # her second husband is counted from the first on
        self._extreme = _any_in(self._cues, frozenset(_EXTREMES))
        self._has_kind = any(constraint.operator is Operator.KIND for constraint in state.constraints)
        self._says_now = bool(words_for_now(state.question, self._names))
        self._near = {mention.term: self._near_cues(mention) for mention in state.targets}
        self._above_constraints = {
            node.position for position in self._constrained for node in structure.path(position)[:-1]
        }

    def context(self, options: int) -> list[float]:
        state, newest = self._state, self._newest
        dates, numbers = self._spans[Date], self._spans[Number]
        return [
            *(float(state.stage is stage) for stage in Stage),
            *(float(newest.kind is kind) for kind in _KINDS),
            float(newest.position == ROOT),
            max(state.structure.step, 0) / 4,
            len(state.constraints) / 2,
            min(self._entities, 4) / 2,
            min(len(self._open_entities), 4) / 2,
            float(min(dates, 2)),
            self._open_dates,
            float(min(numbers, 2)),
            self._open_numbers,
            min(4, len(self._targets - self._demanded)) / 2,
            float(self._open_mediator),
            float(state.topic is None),
            log1p(options) / 5,
            len(self._unused) / max(len(self._stems), 1),
            *(float(cue in self._cues) for cue in CUES),
        ]

    def option(self, option: Option, pool: OptionPool) -> list[float]:
        row = dict.fromkeys(OPTION_FEATURES, 0.0)
        match option:
            case StepOption():
                self._step(option, row)
            case ConstraintOption():
                self._constraint(option, row)
            case AnswerOption():
                self._answer(option, row)
            case TopicOption():
                self._topic(option, pool, row)
            case NoneOption():
                self._none(pool, row)
        return list(row.values())

    def _none(self, pool: OptionPool, row: dict[str, float]) -> None:
        structure = self._state.structure
        row["is None"] = 1.0
        row["is None while a mediator leads nowhere"] = float(self._open_mediator)
        row["is None while nothing can be the answer"] = float(
            structure.step > 0 and all(node.kind is TermKind.MEDIATOR for node in structure.nodes[1:])
        )
        row["is None while an entity is not reached"] = float(bool(self._open_entities))
        row["is None while a date or number has no node"] = max(self._open_dates, self._open_numbers)
        row["is None while an extreme is asked for and nothing can be compared"] = float(
            self._extreme and not (self._nodes[TermKind.DATE] or self._nodes[TermKind.NUMBER])
        )
        row["is None while an extreme is asked for and not chosen"] = float(
            self._extreme and not any(constraint.operator.is_extremal for constraint in self._state.constraints)
        )
        row["is None while a target is not constrained"] = float(
            self._state.stage is Stage.PRUNE and bool(self._targets - self._demanded)
        )

        conditions = [option.constraint for option in pool.options if isinstance(option, ConstraintOption)]
        row["is None while a kind is asked for"] = float(
            not self._has_kind
            and any(said.is_asked_for for each in conditions if (said := self._kind_said(each)) is not None)
        )
        row["is None while something may have held then"] = float(
            any(each.operator is Operator.HOLDS for each in conditions)
        )

    def _step(self, option: StepOption, row: dict[str, float]) -> None:
        structure = self._state.structure
        source, relation = structure.nodes[option.step.position], option.step.relation
        row["is a step"] = 1.0
        row[f"kind is {option.kind}"] = 1.0
        row["backwards"] = float(relation.is_reverse)
        self._place(source, row)
        row["from the newest node"] = float(source.position == self._newest.position)
        row["from a mediator"] = float(source.kind is TermKind.MEDIATOR)
        row["entities"] = log1p(option.entities) / 5
        row["facts"] = log1p(option.facts) / 5
        row["facts an entity"] = log1p(option.facts / max(option.entities, 1)) / 5
        row["reaches a target"] = float(bool(option.reaches))
        row["reaches a new target"] = float(bool(set(option.reaches) - self._reached))
        row["goes back"] = float(source.relation is not None and _leads_back(source.relation, relation))
        row["repeats a relation"] = float(any(node.relation == relation for node in structure.nodes))
        row["same type as its parent's relation"] = float(
            source.relation is not None and _domain(source.relation) == _domain(relation)
        )
        row["can be compared while an extreme is asked for"] = self._comparable(option.kind)
        row["is a date that is named"] = float(
            option.kind is TermKind.DATE and self._spans[Date] > self._nodes[TermKind.DATE]
        )
        row["is a number that is named"] = float(
            option.kind is TermKind.NUMBER and self._spans[Number] > self._nodes[TermKind.NUMBER]
        )
        self._overlap(relation, row)

    def _constraint(self, option: ConstraintOption, row: dict[str, float]) -> None:
        constraint = option.constraint
        node = self._state.structure.nodes[constraint.position]
        row["is a constraint"] = 1.0
        row[f"kind is {node.kind}"] = 1.0
        self._place(node, row)
        row[f"operator is {constraint.operator}"] = 1.0
        compared = None if constraint.operator.is_extremal else constraint.target
        cues = self._cues if compared is None else self._near.get(compared, ())
        row["a cue speaks for the operator"] = float(_any_in(cues, _FITTING[constraint.operator]))
        row["a cue speaks against the operator"] = float(_any_in(cues, _AGAINST[constraint.operator]))
        self._own(constraint, row)
        row["target is an entity"] = float(isinstance(constraint.target, Entity))
        row["target is constrained already"] = float(
            constraint.target is not None and constraint.target in self._demanded
        )
        row["position is constrained already"] = float(node.position in self._constrained)
        alike = [t for t in self._targets if type(t) is type(constraint.target) and not isinstance(t, Entity)]
        if len(alike) > 1:
            row["target is the smallest of several"] = float(constraint.target == min(alike, key=_magnitude))
            row["target is the largest of several"] = float(constraint.target == max(alike, key=_magnitude))
        for cue in self._near.get(constraint.target, ()) if constraint.target is not None else ():
            row[f"before its target: {cue}"] = 1.0
        if node.relation is not None:
            self._overlap(node.relation, row)

    def _own(self, constraint: Constraint, row: dict[str, float]) -> None:
        """Of the operators that READS has not."""
        if constraint.operator is Operator.KIND:
            said = self._kind_said(constraint)
            row["is a kind that is asked for"] = float(said is not None and said.is_asked_for)
            row["is a kind that is told"] = float(said is not None and not said.is_asked_for)
            row["a kind is chosen already"] = float(self._has_kind)
        if constraint.operator is Operator.HOLDS:
            is_named = constraint.target in self._targets
            row["held at a date that is named"] = float(is_named)
            row["holds now, as a word says"] = float(not is_named and self._says_now)
            row["holds now, unspoken"] = float(not is_named and not self._says_now)

    def _kind_said(self, constraint: Constraint) -> KindWords | None:
        if constraint.operator is not Operator.KIND or constraint.target is None:
            return None
        return words_for_kind(self._state.question, self._names, constraint.target)

    def _answer(self, option: AnswerOption, row: dict[str, float]) -> None:
        structure = self._state.structure
        node = structure.nodes[option.position]
        row["is a position"] = 1.0
        row[f"kind is {node.kind}"] = 1.0
        row["can be compared while an extreme is asked for"] = self._comparable(node.kind)
        self._place(node, row)
        first = next((n for n in structure.nodes[1:] if n.kind is not TermKind.MEDIATOR), None)
        row["is the first position"] = float(first is not None and first.position == node.position)
        row["leads further"] = float(node.position in self._parents)
        row["leads to a constraint"] = float(node.position in self._above_constraints)
        row["siblings constrained"] = float(
            any(child.position in self._constrained for child in _siblings(structure, node))
        )
        if node.relation is not None:
            self._overlap(node.relation, row)

    def _topic(self, option: TopicOption, pool: OptionPool, row: dict[str, float]) -> None:
        question, mention = self._state.question, option.mention
        others = [other for other in pool.options if isinstance(other, TopicOption) and other != option]
        row["is a topic"] = 1.0
        row["words of the name"] = len(words_of(question[mention.start : mention.end])) / 4
        row["place in the question"] = mention.start / max(len(question), 1)
        row["capital letter"] = float(question[mention.start : mention.start + 1].isupper())
        row["popularity"] = log1p(option.popularity) / 5
        row["has a better known namesake"] = float(
            any(other.mention.start == mention.start and other.popularity > option.popularity for other in others)
        )
        row["other names in the question"] = len({other.mention.start for other in others} - {mention.start}) / 2

    def _place(self, node: SemanticNode, row: dict[str, float]) -> None:
        row["from the root"] = float(ROOT in (node.position, node.parent))
        row["is the newest node"] = float(node.position == self._newest.position)
        row["depth"] = len(self._state.structure.path(node.position)) / 4

    def _comparable(self, kind: TermKind) -> float:
        return float(self._extreme and kind in (TermKind.DATE, TermKind.NUMBER))

    def _overlap(self, relation: Relation, row: dict[str, float]) -> None:
        kind, name = (content_stems(words) for words in relation_parts(relation))
        row["words of its name in the question"] = len(name & self._stems) / max(len(name), 1)
        row["words of its type in the question"] = len(kind & self._stems) / max(len(kind), 1)
        row["words of its name that no step has used"] = len(name & self._unused) / max(len(name), 1)

    def _near_cues(self, mention: Mention) -> Sequence[str]:
        near = words_of(self._state.question[: mention.start])[-_NEAR:]
        return [cue for cue in _NEAR_CUES if _any_in(near, CUES[cue])]


def _any_in(words: Iterable[str], cues: frozenset[str]) -> bool:
    return any(word in cues for word in words)


def _siblings(structure: AbstractStructure, node: SemanticNode) -> Sequence[SemanticNode]:
    return () if node.parent is None else structure.children(node.parent)


def _magnitude(term: Term) -> tuple[float, ...]:
    match term:
        case Number(value=value):
            return (value,)
        case Date():
            return term.interval[0]
        case _:
            return ()


def _leads_back(there: Relation, back: Relation) -> bool:
    """Whether the second relation is the first read backwards, under its own name or that of its reverse."""
    if back == there.inverse:
        return True
    return there.is_reverse == back.is_reverse and load_knowledge().reverse_of(there.predicate) == back.predicate


def _domain(relation: Relation) -> str:
    return relation.predicate.rsplit(".", 1)[0]
