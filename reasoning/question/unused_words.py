"""The words of a question that no decision of a derivation used: where an answer may be to less than was asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label, type_label
from kgstore.names import fold_name
from kgstore.terms import Entity, TermKind
from reasoning.core.derivation import Operator
from reasoning.question.kinds import words_for_kind
from reasoning.question.literals import overlaps
from reasoning.question.naming import is_function_word, is_ordinary
from reasoning.question.tense import spoken_now
from reasoning.question.units import with_unit
from reasoning.question.word_lists import word_pairs, word_sets
from reasoning.question.words import content_stems, is_said

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from kgstore.store import EntityCard
    from kgstore.terms import Relation
    from reasoning.core.derivation import Constraint
    from reasoning.core.structure import AbstractStructure
    from reasoning.question.linking import Linking
    from reasoning.question.literals import Span

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_ASKED_FOR = re.compile(r"\b(?:what|which)\s+([^\W\d_]+)", re.IGNORECASE)
_COMPARED_BY = frozenset({Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST})
_EXTREME = re.compile(r"(?:\b|_)(?:max(?:imum)?|min(?:imum)?|[a-z]+est)(?:\b|_)", re.IGNORECASE)
"""A relation may lead to what is extreme by itself: *highest point*."""


@dataclass(frozen=True, slots=True)
class UnusedWords:
    """Words of a question, ``question[start:end]`` in Unicode code points, that no decision used."""

    start: int
    end: int
    narrows: bool
    """Whether they say less than the answer covers: a name, a number, a date, what narrows, or what is asked for."""


def unused_words(
    question: str,
    linking: Linking,
    structure: AbstractStructure,
    constraints: Sequence[Constraint],
    *,
    counted: bool = False,
    left: Iterable[Relation] = (),
    found: Collection[EntityCard] = (),
) -> list[UnusedWords]:
    """What the question says and nothing of a derivation accounts for, by place.

    These are the names, numbers and dates that are neither its topic nor a condition's target, and the words that are
    neither ordinary nor of the family of a word in a relation that was followed, or in a type of the topic. An ordinary
    word (*plays*, *won*) may stand for any relation, so nothing is claimed of it, but for two: a word that narrows what
    is asked for (*current*, *oldest*, *second*), where no condition does so; and what is asked for (*which languages*),
    where a relation that could have been followed is called so. The words that ask for a chosen kind are used.

    Args:
        question: as it was asked.
        linking: what it names.
        structure: S_k.
        constraints: all that were chosen.
        counted: whether the answers are counted.
        left: the relations that could have been followed further.
        found: the answers, or some of them.

    """
    targets = {constraint.target for constraint in constraints}
    used = [with_unit(question, mention) for mention in linking.targets if mention.term in targets]
    held = [constraint.target for constraint in constraints if constraint.operator is Operator.HOLDS]
    if set(held) - {mention.term for mention in linking.targets}:
        used += spoken_now(question, linking)
    kinds = (each.target for each in constraints if each.operator is Operator.KIND and each.target is not None)
    used += [(said.start, said.end) for kind in kinds if (said := words_for_kind(question, linking.names, kind))]
    claims_value = any(not isinstance(mention.term, Entity) for mention in linking.claimed)
    if claims_value or any(each.target is not None and each.operator in _COMPARED_BY for each in constraints):
        used += [match.span() for match in _comparing_words().finditer(question)]
    used += [(mention.start, mention.end) for mention in linking.claimed]
    if linking.mention is not None:
        used.append((linking.mention.start, linking.mention.end))
    stems = _stems(linking, structure) | _all_stems(type_label(name) for card in found for name in card.types)
    named = {(m.start, m.end) for m in linking.mentions} - linking.ordinary
    used += [span for span in named if _is_said_of_all(question[slice(*span)], found)]
    kinds_alike = {span for span in named if _is_kind_of_thing(span, question, stems)}
    narrowing, accounted = _narrowing(question, structure, constraints, counted=counted)
    used += accounted
    ordinal = [] if linking.ordinal is None else [linking.ordinal[0]]
    if _ranks(constraints):
        used += ordinal
    words = [match.span() for match in _WORD.finditer(question)]
    loose = [(start, end) for start, end in words if not _is_known(question[start:end], stems)]
    narrowing = [span for span in narrowing if not is_said(question[slice(*span)], stems)]
    open_stems = _all_stems(word for relation in left for word in _relation_words(relation))
    asked = [
        (start, end)
        for start, end in _asked_for(question)
        if is_said(question[start:end], open_stems) and not is_said(question[start:end], stems)
    ]
    unused: dict[Span, bool] = {}
    for narrows, spans in (
        (True, sorted(named - kinds_alike, key=lambda span: span[0] - span[1])),
        (True, [*narrowing, *ordinal, *asked]),
        (True, [span for span in loose if _may_be_name(question, span)]),
        (False, [*kinds_alike, *loose]),
    ):
        for span in spans:
            if not overlaps(span, (*used, *unused)):
                unused[span] = narrows
    return [UnusedWords(*span, narrows) for span, narrows in sorted(unused.items())]


def _is_said_of_all(words: str, found: Collection[EntityCard]) -> bool:
    """Whether all answers are called so, among other words: *Super Bowl XXXI* is a Super Bowl."""
    folded = f" {fold_name(words)} "
    return bool(found) and all(card.name is not None and folded in f" {fold_name(card.name)} " for card in found)


def _is_kind_of_thing(span: Span, question: str, stems: frozenset[str]) -> bool:
    """Whether words that also name an entity most likely say what kind something is: *which astronomer found Uranus*.

    They are written without a capital where other words have one, or a relation or a type is called so.
    """
    words = question[slice(*span)]
    has_capitals = any(character.isupper() for character in question[1:])
    content = content_stems(words)
    said = bool(content) and all(is_said(stem, stems) for stem in content)
    return words[:1].isalpha() and ((has_capitals and words == words.lower()) or said)


def _may_be_name(question: str, span: Span) -> bool:
    """Whether a word within the sentence has a capital, and others have none: the graph knows no such name."""
    return span[0] > 0 and question[span[0]].isupper() and any(word[:1].islower() for word in question.split()[1:])


def _narrowing(
    question: str, structure: AbstractStructure, constraints: Sequence[Constraint], *, counted: bool
) -> tuple[list[Span], list[Span]]:
    """The words that narrow what is asked for: those that no constraint accounts for, and those that one does."""
    kinds = {structure.nodes[constraint.position].kind for constraint in constraints}
    labels = " ".join(word for node in structure.nodes if node.relation for word in _relation_words(node.relation))
    accounts = {
        "time": TermKind.DATE in kinds or any(c.operator is Operator.HOLDS for c in constraints),
        "extreme": _ranks(constraints) or _EXTREME.search(labels) is not None,
        "count": counted or any(node.kind is TermKind.NUMBER for node in structure.nodes),
        "name": any(c.operator is Operator.EQUAL and isinstance(c.target, Entity) for c in constraints),
        "idiom": True,
    }
    pattern, ways = _narrowing_words()
    spans: dict[bool, list[Span]] = {False: [], True: []}
    for match in pattern.finditer(question):
        is_accounted = any(accounts.get(way, False) for way in ways[match[0].casefold()])
        spans[is_accounted].append(match.span())
    return spans[False], spans[True]


def _ranks(constraints: Sequence[Constraint]) -> bool:
    return any(constraint.operator.is_extremal for constraint in constraints)


def _asked_for(question: str) -> Iterator[Span]:
    """The words after *what* and *which* that name what is asked for."""
    for match in _ASKED_FOR.finditer(question):
        if not is_function_word(fold_name(match[1])):
            yield match.span(1)


def _is_known(word: str, stems: frozenset[str]) -> bool:
    ordinary = all(is_ordinary(part) for part in fold_name(word).split())
    return ordinary or not content_stems(word) or is_said(word, stems)


def _stems(linking: Linking, structure: AbstractStructure) -> frozenset[str]:
    """The stems of all words in the relations that were followed and in the types of the topic."""
    relations = (node.relation for node in structure.nodes if node.relation is not None)
    texts = [word for relation in relations for word in _relation_words(relation)]
    if linking.topic is not None:
        texts += [type_label(name) for name in linking.topic.types]
    return _all_stems(texts)


def _relation_words(relation: Relation) -> tuple[str, ...]:
    label = relation_label(relation)
    return label.label, label.context, relation.predicate


def _all_stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(content_stems, texts))


@cache
def _comparing_words() -> re.Pattern[str]:
    """A pattern that finds the words that say how a number or a date compares: *longer than*."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, word_pairs('comparing_words.tsv')))})\b", re.IGNORECASE)


@cache
def _narrowing_words() -> tuple[re.Pattern[str], Mapping[str, frozenset[str]]]:
    """A pattern that finds them, the longest first, and by each what may account for it."""
    ways = word_sets("narrowing_words.tsv")
    longest = "|".join(sorted(map(re.escape, ways), key=len, reverse=True))
    return re.compile(rf"\b(?:{longest})\b", re.IGNORECASE), ways
