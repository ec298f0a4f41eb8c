"""Kinds as constraints: *which country* keeps of a node what is a country.

This is Discern's own; READS compares numbers, dates and entities only. A kind is a Freebase type, written as the entity
of its id (``location.country``). It suits positions that hold entities, the answer's among them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from kgstore.freebase.knowledge import load_knowledge
from kgstore.freebase.labels import name_parts, split_words, type_label
from kgstore.names import fold_name
from kgstore.terms import Entity, Term, TermKind
from reasoning.core.derivation import Constraint, Operator
from reasoning.core.structure import ROOT
from reasoning.question.literals import overlaps
from reasoning.question.naming import is_function_word
from reasoning.question.word_lists import word_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from reasoning.core.structure import AbstractStructure
    from reasoning.question.literals import Span

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_POSSESSIVE = re.compile("['\u2019]s\\b", re.IGNORECASE)
_MAX_LENGTH = 3
"""Kinds of more words than this are not looked for."""
_SHORTEST_PLURAL = 4
_SHORTEST_BEGINNING = 3
"""Fewer letters begin too many names."""
_IRREGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child"}
_ASKED_FOR = re.compile(
    r"(?:\b(?:what|which|whose|name|list|give\s+me|tell\s+me)\b(?:\s+(?:is|are|was|were))?|^)"
    r"(?:\s*\b(?:the|a|an|all|some|other)\b)*(?:\s+[^\W_][\w.'\u2019-]*){0,2}\s*$",
    re.IGNORECASE,
)
"""What stands before the noun that says what is asked for: *which*, *what is the*, *name all Polish*."""
_HOW_MANY = re.compile(
    r"\b(?:how\s+many|show(?:\s+me)?)(?:\s+(?:the|all))*(?:\s+[^\W_][\w.'\u2019-]*)?\s*$", re.IGNORECASE
)
_IMPERATIVES = frozenset({"list", "name", "show"})
"""As the first word, what to do and no kind."""
_WHO = re.compile(r"\s*(?:who)\b", re.IGNORECASE)
_WHO_IS = re.compile(
    r"\s*who(?:['\u2019]s|\s+(?:is|are|was|were))(?:\s+(?:the|all))*(?:\s+[^\W_][\w.'\u2019-]*){0,2}\s*", re.IGNORECASE
)
"""What stands before the noun that says who is asked for: *who is the oldest*."""


@dataclass(frozen=True, slots=True)
class KindWords:
    """A part of a question, ``question[start:end]``, that may name a kind."""

    start: int
    end: int
    is_asked_for: bool
    """Whether it is what the question asks for, *which country*, and not mentioned besides that."""


@dataclass(frozen=True, slots=True)
class NamedKind:
    """A type of a graph that a part of a question names."""

    kind: str
    span: Span
    is_asked_for: bool


def of_kind(terms: frozenset[Term], kind: Term, store: GraphStore) -> frozenset[Term]:
    """The terms that are of a type: all the types that the graph knows of a term count.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    entities = [term for term in terms if isinstance(term, Entity)]
    cards = store.cards(entities) if entities else {}
    return frozenset(entity for entity, card in cards.items() if str(kind) in card.types)


def kinds_offered(
    question: str,
    names: Iterable[Span],
    structure: AbstractStructure,
    members: Sequence[frozenset[Term]],
    cards: Callable[[Iterable[Term]], Mapping[Entity, EntityCard]],
) -> Iterator[Constraint]:
    """The kinds that a question's words ask for and that tell something: some terms of a node are of it, some are not.

    Kinds that keep the same terms of a node have the same effect: one of them is offered, the likeliest by the table.

    Args:
        question: as it was asked.
        names: the parts that name things: words within them ask for no kind.
        structure: S_k.
        members: what earlier constraints left at every position.
        cards: gives the cards of terms.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    said = _said(question, tuple(names))
    for node in structure.nodes:
        held = members[node.position]
        if node.position == ROOT or node.kind is not TermKind.ENTITY or len(held) == 1 or not said:
            continue
        of_type: defaultdict[str, set[Entity]] = defaultdict(set)
        for entity, card in cards(held).items():
            for name in card.types:
                of_type[name].add(entity)
        ranked = sorted(
            (rank, name)
            for name, entities in of_type.items()
            if len(entities) < len(held)
            for words, rank in _ways_to_say(name).items()
            if words in said
        )
        offered: dict[frozenset[Entity], str] = {}
        for _, name in ranked:
            offered.setdefault(frozenset(of_type[name]), name)
        yield from (Constraint(node.position, Operator.KIND, Entity(name)) for name in offered.values())


def those_asked_for(question: str, names: Iterable[Span], cards: Mapping[Entity, EntityCard]) -> frozenset[Entity]:
    """The entities that are of a kind that a question asks for, *which country*, by all the types on their cards.

    ``names`` are the parts that name things.
    """
    kinds = kinds_asked_for(question, names, (name for card in cards.values() for name in card.types))
    return frozenset(entity for entity, card in cards.items() if not kinds.keys().isdisjoint(card.types))


def kinds_asked_for(question: str, names: Iterable[Span], kinds: Iterable[str]) -> Mapping[str, KindWords]:
    """Of some kinds those that a question asks for, each with the words that do."""
    asked = {words: part for words, part in _said(question, tuple(names)).items() if part.is_asked_for}
    return {
        kind: asked[words] for kind in dict.fromkeys(kinds) for words in _ways_to_say(kind) if asked and words in asked
    }


def words_for_kind(question: str, names: Iterable[Span], kind: Term) -> KindWords | None:
    """The words of a question that ask for a kind; None where none do.

    What is asked for comes before what is mentioned, longer words before shorter. ``names`` are the parts that name
    things.
    """
    said = _said(question, tuple(names))
    found = [said[words] for words in _ways_to_say(str(kind)) if words in said]
    return min(found, key=lambda words: (not words.is_asked_for, words.start - words.end), default=None)


def kinds_named(question: str, store: GraphStore) -> list[NamedKind]:
    """The types of a graph that a question names, in its order; of one part of it, the likeliest first.

    *Who* asks for persons, where nothing else is asked for.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    known = _kinds_by_words(store)
    named = [
        NamedKind(kind, (part.start, part.end), part.is_asked_for or _is_asked_otherwise(question[: part.start]))
        for words, part in _said(question, ()).items()
        if part.start or words[0] not in _IMPERATIVES
        for kind in known.get(words, ())
    ]
    if not any(kind.is_asked_for for kind in named) and (who := _WHO.match(question)):
        named += [NamedKind(kind, who.span(), is_asked_for=True) for kind in known.get(("person",), ())]
    return sorted(named, key=lambda kind: kind.span)


def kinds_beginning(text: str, store: GraphStore) -> Mapping[str, str]:
    """The types of a graph that a text begins to name, and what names them; those with most instances first.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    typed = fold_name(text)
    known = _kinds_by_words(store).items() if len(typed) >= _SHORTEST_BEGINNING else ()
    found: dict[str, str] = {}
    for words, kinds in known:
        if (name := " ".join(words)).startswith(typed):
            found |= {kind: min(name, found.get(kind, name), key=len) for kind in kinds}
    instances = store.types()
    return {kind: found[kind] for kind in sorted(found, key=lambda kind: (-instances[Entity(kind)], kind))}


def is_counted(before: str) -> bool:
    """*How many films*, given what stands before the kind."""
    return _HOW_MANY.search(before) is not None


def _is_asked_otherwise(before: str) -> bool:
    """*How many films*, *who is the oldest actor*, given what stands before the kind."""
    return is_counted(before) or _WHO_IS.fullmatch(before) is not None


_KINDS_BY_WORDS: WeakKeyDictionary[GraphStore, Mapping[tuple[str, ...], Sequence[str]]] = WeakKeyDictionary()
"""For each store that is open; its types never change."""


def _kinds_by_words(store: GraphStore) -> Mapping[tuple[str, ...], Sequence[str]]:
    """The types of a graph by the words that name them: of several, the likeliest first, then the one called so."""
    known = _KINDS_BY_WORDS.get(store)
    if known is None:
        types = store.types()
        by_words: defaultdict[tuple[str, ...], list[tuple[int, bool, int, str]]] = defaultdict(list)
        for entity, card in store.cards(types).items():
            ways = dict(_ways_to_say(entity.mid))
            for name in filter(None, (card.name, *card.aliases)):
                *first, last = fold_name(name).split() or [""]
                ways.update(((*first, way), 0) for way in _singulars(last))
            own = tuple(split_words(name_parts(entity.mid)[1]))
            for words, rank in ways.items():
                by_words[words].append((rank, words != own, -types[entity], entity.mid))
        known = _KINDS_BY_WORDS[store] = {
            words: [kind for *_, kind in sorted(ranked)] for words, ranked in by_words.items()
        }
    return known


@lru_cache(maxsize=1_000)
def _said(question: str, names: tuple[Span, ...]) -> Mapping[tuple[str, ...], KindWords]:
    """The parts of a question that may name a kind, by their folded words; of what is said twice, the first."""
    places = [match.span() for match in _WORD.finditer(_POSSESSIVE.sub("  ", question))]
    found: dict[tuple[str, ...], KindWords] = {}
    for first in range(len(places)):
        for last in range(first, min(first + _MAX_LENGTH, len(places))):
            span = places[first][0], places[last][1]
            if overlaps(span, names):
                continue
            words = tuple(fold_name(question[start:end]) for start, end in places[first : last + 1])
            if is_function_word(words[0]) and words not in _common():
                continue
            part = KindWords(*span, bool(_ASKED_FOR.search(question[: span[0]])))
            for way in _singulars(words[-1]):
                found.setdefault((*words[:-1], way), part)
    return found


def _singulars(word: str) -> Iterator[str]:
    """The word, and what it may be the plural of."""
    yield word
    if word in _IRREGULAR:
        yield _IRREGULAR[word]
    if len(word) >= _SHORTEST_PLURAL:
        if word.endswith("ies"):
            yield word.removesuffix("ies") + "y"
        yield from (word.removesuffix(ending) for ending in ("s", "es") if word.endswith(ending))


@cache
def _ways_to_say(kind: str) -> Mapping[tuple[str, ...], int]:
    """The words that ask for a type, the likeliest lowest: its own name and its label, then those of the table."""
    ways = dict(_table().get(kind, {}))
    if not load_knowledge().telling_little.match(kind):
        own = " ".join(split_words(name_parts(kind)[1]))
        for name in (own, *type_label(kind).split(" or ")):
            words = tuple(fold_name(name).split())
            if not all(map(is_function_word, words)):
                ways[words] = 0
    return ways


@cache
def _common() -> frozenset[tuple[str, ...]]:
    """The words of the table, in the singular and in the plural of function words: *people*."""
    words = {words for ways in _table().values() for words in ways}
    return frozenset(words) | {(plural,) for plural, single in _IRREGULAR.items() if (single,) in words}


@cache
def _table() -> Mapping[str, Mapping[tuple[str, ...], int]]:
    """By type, the words that ask for it, and at which place each has it."""
    table: defaultdict[str, dict[tuple[str, ...], int]] = defaultdict(dict)
    for line in word_list("kinds.tsv"):
        words, kinds = line.split("\t")
        for place, kind in enumerate(kinds.split("|"), start=1):
            table[kind][tuple(words.split())] = place
    return table
