"""Stand-ins for DoG's three roles: rules for questions made by templates, where no model writes.

DoG (arXiv 2409.03155, section 3) lets a language model play the simplifier, the critic and the linguist. These rules
(ours) look at words and places alone. A chain of relations mostly starts at the topic (*films directed by
the writer of it*, *its mother's husband*), so the words of the relation that was just followed stand next to it. They
do for the templates of MetaQA and PathQuestion, not for free wording; each event says that a rule spoke.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoning.facts.verbalize import relation_parts
from reasoning.question.words import content_stems, stem
from reasoning.strategies.dog.shrinking import QUESTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from kgstore.terms import Relation
    from reasoning.question.literals import Span
    from reasoning.strategies.dog.shrinking import Shrinking, Words

_FAMILY = 4
"""Words belong to one family if their stems share this number of first letters: *writer* and *written*."""
_SHORTEST = 3
_SHARES = frozenset({"together", "share", "shares", "shared", "same", "common"})
"""They say a relation once for there and back: *films that share writers with it*."""
_ALSO = frozenset({"also", "too"})
_RELATIVE = frozenset({"that", "which", "whose", "who", "whom"})
_ARTICLES = frozenset({"the", "a", "an"})
_LINKS = frozenset({"in", "of", "by", "to", "is", "are", "was", "were"})
"""After these, *which* asks: *in which films*."""
_WHAT_IS_ASKED = frozenset({"when", "where", "why", "how", "who", "whom"})
"""Question words that say by themselves what is asked for."""
_PARTICIPLES = ("ed", "en")
_TWICE = ("grand", "co-")
"""Beginnings of words that say a relation twice: *grandchildren*, *co-starred*."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Which words go, by their place; the topic is replaced by a name."""

    gone: frozenset[int]
    kept_for_the_way_back: bool = False
    """The question says the relation once for there and back, so its words stay."""
    at: int | None = None
    """The word that was taken for the relation; None where none was."""
    shortened: tuple[Span, ...] = ()
    """The beginnings of words that go, *grand* and *co-*: those say a relation twice."""


def simplified(words: Words, relation: Relation) -> Proposal | None:
    """R1, the simplifier: take out what says the relation, up to the topic. None where the topic is not named."""
    topic = words.topic
    if topic is None:
        return None
    begin = _with_what_it_is(words, topic)
    end = topic
    at = _nearest(words, begin, relation)
    close = set(range(begin, topic))
    if at is None:
        return Proposal(frozenset(close))
    twice = next((start for start in _TWICE if words[at].startswith(start)), None)
    if twice is not None:
        place = words.spans[at][0]
        return Proposal(frozenset(close), kept_for_the_way_back=True, at=at, shortened=((place, place + len(twice)),))
    if _is_said_for_both_ways(words, relation):
        between = range(at + 1, begin) if at < topic else range(0)
        return Proposal(frozenset(close | set(between)), kept_for_the_way_back=True, at=at)
    if at < topic:
        begin = at
    else:
        end = at
        if _ends_a_name(words, at):
            end = at + 1
    return Proposal(frozenset({*close, *range(begin, topic), *range(topic + 1, end + 1)}), at=at)


def objections(words: Words, proposal: Proposal, relation: Relation) -> list[str]:
    """R2, the critic: what speaks against a proposal, by four rules; empty where nothing does."""
    reasons = []
    if _asks(words, ()) and not _asks(words, proposal.gone):
        reasons.append("It asks for nothing any more: its question word is gone.")
    if not _says_what(words, proposal.gone):
        reasons.append("No word is left that says what is asked for.")
    if not proposal.kept_for_the_way_back and _next_to_topic(words, proposal, relation):
        reasons.append("Words of the relation that was followed are left next to the topic.")
    return reasons


def corrected(words: Words, proposal: Proposal, relation: Relation) -> Proposal:
    """What R2 asks for: words of the relation next to the topic go, a question word and what is asked for stay."""
    gone = set(proposal.gone)
    if not proposal.kept_for_the_way_back:
        gone |= set(_next_to_topic(words, proposal, relation))
    if not _asks(words, gone):
        gone -= {place for place in gone if words[place] in QUESTION_WORDS}
    if not _says_what(words, gone):
        gone = set()
    return replace(proposal, gone=frozenset(gone))


def tidied(words: Words, proposal: Proposal) -> Proposal:
    """R3, the linguist: take out what is left of the relation, and what holds no sentence together any more."""
    topic = words.topic
    if topic is None:
        return proposal
    gone = set(proposal.gone)
    at = proposal.at
    if at is not None and not proposal.kept_for_the_way_back and words[at].endswith(_PARTICIPLES):
        # *The films directed by it* are what it leads to.
        noun = at - 1 if at < topic else at + 1
        if words.carries_meaning(noun) and not words.names_another(noun) and _says_what(words, {*gone, noun}):
            gone.add(noun)
            if words[noun - 1] in _ARTICLES:
                gone.add(noun - 1)
    if proposal.kept_for_the_way_back:
        gone |= {place for place in range(len(words)) if words[place] in _SHARES}
    before = _left_before(topic, gone)
    while before is not None and (words[before] in _ALSO or words[before] in _RELATIVE):
        relative = words[before] in _RELATIVE
        if relative and (before == 0 or not _asks(words, {*gone, before}) or words[before - 1] in _LINKS):
            break
        gone.add(before)
        before = _left_before(topic, gone)
        if relative and before is not None and words.carries_meaning(before) and _says_what(words, {*gone, before}):
            gone.add(before)
            if words[before - 1] in _ARTICLES:
                gone.add(before - 1)
            before = _left_before(topic, gone)
    if before is not None and words[before] in _ARTICLES:
        gone.add(before)
    return replace(proposal, gone=frozenset(gone))


def spans_gone(words: Words, proposal: Proposal) -> list[Span]:
    """The parts of the question that go, neighbours as one."""
    spans: list[Span] = [*proposal.shortened]
    last = None
    for place in sorted(proposal.gone):
        span = words.spans[place]
        if last is not None and place == last + 1:
            spans[-1] = (spans[-1][0], span[1])
        else:
            spans.append(span)
        last = place
    return spans


def result(question: Shrinking, proposal: Proposal, name: str) -> Shrinking:
    """The question that a proposal comes to."""
    return question.without(spans_gone(question.words(), proposal), name)


def _with_what_it_is(words: Words, topic: int) -> int:
    """Where the name of the topic begins, with an article and with what it is: *the film Carousel*."""
    begin = topic
    if words.carries_meaning(begin - 1) and words[begin - 2] in _ARTICLES and not words.names_another(begin - 1):
        begin -= 2
    elif words[begin - 1] in _ARTICLES:
        begin -= 1
    return begin


def _nearest(words: Words, begin: int, relation: Relation) -> int | None:
    """The word that says the relation: the one after *'s*, one of its family right behind, else the nearest before."""
    topic = words.topic or 0
    if words.is_possessive(topic + 1):
        return next(_telling(words, range(topic + 2, len(words))), None)
    left = next(_telling(words, range(begin - 1, -1, -1)), None)
    right = topic + 1 if next(_telling(words, range(topic + 1, topic + 2)), None) is not None else None
    if right is not None and (left is None or says(words[right], relation)):
        return right
    return left


def _telling(words: Words, places: Iterable[int]) -> Iterator[int]:
    """The words that carry meaning, up to another name of the question than its topic."""
    for place in places:
        if 0 <= place < len(words) and words.names_another(place):
            return
        if words.carries_meaning(place):
            yield place


def _is_said_for_both_ways(words: Words, relation: Relation) -> bool:
    """Whether the words name it once, with a word that says that it leads there and back."""
    said = [place for place in range(len(words)) if place != words.topic and says(words[place], relation)]
    return said[1:] == [] and any(words[place] in _SHARES for place in range(len(words)))


def says(word: str, relation: Relation) -> bool:
    """Whether a word, in small letters, is of the family of a word of a relation's name."""
    stems = {part[:_FAMILY] for part in content_stems(relation_parts(relation)[1])}
    own = stem(word.removeprefix("co-"))
    return any(len(part) >= _SHORTEST and (own.startswith(part) or part in own) for part in stems)


def _ends_a_name(words: Words, at: int) -> bool:
    """Whether the next word belongs to this one: *other half*, before *'s* or where the question ends."""
    return words.carries_meaning(at + 1) and (words.is_possessive(at + 2) or at + 2 == len(words))


def _next_to_topic(words: Words, proposal: Proposal, relation: Relation) -> list[int]:
    """The words of the relation that are left next to the topic."""
    topic = words.topic or 0
    left = _left_before(topic, proposal.gone)
    right = next((place for place in range(topic + 1, len(words)) if place not in proposal.gone), None)
    near = [place for place in (left, right) if place is not None and words.carries_meaning(place)]
    return [place for place in near if says(words[place], relation) and not words.names_another(place)]


def _left_before(topic: int, gone: Iterable[int]) -> int | None:
    out = set(gone)
    return next((place for place in range(topic - 1, -1, -1) if place not in out), None)


def _asks(words: Words, gone: Collection[int]) -> bool:
    """Whether a question word is left."""
    return any(words[place] in QUESTION_WORDS for place in range(len(words)) if place not in gone)


def _says_what(words: Words, gone: Collection[int]) -> bool:
    """Whether a word is left that says what is asked for."""
    return any(
        words.carries_meaning(place) or words[place] in _WHAT_IS_ASKED
        for place in range(len(words))
        if place not in gone and place != words.topic
    )
