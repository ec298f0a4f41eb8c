"""The entities that a question may be about, side by side: a longer name hides none that it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoning.question.topics.name_matches import Likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgstore.store import EntityMatch
    from kgstore.terms import Entity
    from reasoning.question.literals import Span
    from reasoning.question.topics.name_matches import NameMatches

_MOST = {Likeness.EXACT: 6, Likeness.REWRITTEN: 3, Likeness.CUSTOM: 4}
_MOST_IN_PART = 5


@dataclass(frozen=True, slots=True)
class TopicCandidate:
    """An entity that one part of the question may name."""

    span: Span
    match: EntityMatch
    likeness: Likeness


def topic_candidates(matches: NameMatches, linked: Mapping[Span, Sequence[EntityMatch]]) -> Sequence[TopicCandidate]:
    """Every entity with a name like a part of the question, once for each part.

    ``linked`` are those that linking found by other means: misspelt names, and places with their region.
    """
    candidates: dict[tuple[Span, Entity], TopicCandidate] = {}

    def add(span: Span, likeness: Likeness, found: Iterable[EntityMatch]) -> None:
        for match in found:
            candidates.setdefault((span, match.card.entity), TopicCandidate(span, match, likeness))

    for likeness, by_span in (
        (Likeness.EXACT, matches.exact),
        (Likeness.CUSTOM, matches.custom),
        (Likeness.REWRITTEN, matches.rewritten),
    ):
        for span, found in by_span.items():
            add(span, likeness, found[: _MOST[likeness]])
    for (span, likeness), found in matches.partly.items():
        add(span, likeness, found[:_MOST_IN_PART])
    for span, found in linked.items():
        add(span, Likeness.OTHER, found)
    return [*candidates.values()]
