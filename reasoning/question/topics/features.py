"""What is known of a topic candidate: how it is named, how well it is known, and whether it has what is asked for."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from kgstore.freebase.labels import relation_label
from kgstore.names import fold_name
from reasoning.question.literals import within
from reasoning.question.naming import is_function_word, is_ordinary
from reasoning.question.topics.name_matches import TITLES, Likeness
from reasoning.question.words import content_stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kgstore.freebase.labels import RelationLabel
    from kgstore.store import RelationCount
    from kgstore.terms import Entity
    from reasoning.question.literals import Span
    from reasoning.question.name_spans import Words
    from reasoning.question.topics.candidates import TopicCandidate

_BEFORE_NAMES = frozenset({"of", "in", "for", "by", "from", "on", "at", "to"})
BEFORE_SUBJECTS = frozenset({"is", "was", "did", "does", "do", "are", "were", "has", "have"})
_AFTER_PEOPLES = frozenset({"people", "peoples", "person", "language"})
_POSSESSIVES = ("'s", "\u2019s", "' ")
_STEM = 5
_IN_PART = frozenset({Likeness.PART, Likeness.PLURAL, Likeness.REWRITTEN_PART, Likeness.SCATTERED, Likeness.TITLED})


def topic_features(
    candidates: Sequence[TopicCandidate], words: Words, relations: Mapping[Entity, Sequence[RelationCount]]
) -> tuple[Sequence[str], NDArray[np.float64]]:
    """The names of the features, and (candidates, features)."""
    seen = _Seen(candidates, words, relations)
    rows = [seen.features(candidate) for candidate in candidates]
    names = [*rows[0]] if rows else []
    return names, np.array([[row[name] for name in names] for row in rows])


class _Seen:
    """All candidates of a question at once, as a feature may compare one with the others."""

    def __init__(
        self,
        candidates: Sequence[TopicCandidate],
        words: Words,
        relations: Mapping[Entity, Sequence[RelationCount]],
    ) -> None:
        self._words = words
        self._relations = relations
        self._best_known = max((candidate.match.card.popularity for candidate in candidates), default=0)
        self._best_in_span: defaultdict[Span, int] = defaultdict(int)
        self._spans: defaultdict[Span, set[Likeness]] = defaultdict(set)
        for candidate in candidates:
            popularity = candidate.match.card.popularity
            self._best_in_span[candidate.span] = max(self._best_in_span[candidate.span], popularity)
            self._spans[candidate.span].add(candidate.likeness)
        self._is_cased = any(start and words.question[start].isupper() for start, _ in words.places)

    def features(self, candidate: TopicCandidate) -> dict[str, float]:
        places = self._words.of(candidate.span)
        spoken = [self._words.folded[place] for place in places]
        content = [word for word in spoken if not is_function_word(word)]
        card, likeness = candidate.match.card, candidate.likeness
        shown, matched = fold_name(card.name or "").split(), fold_name(candidate.match.matched).split()
        known = log1p(card.popularity)
        ordinary = sum(map(is_ordinary, content)) / max(1, len(content))
        before, after = self._around(places)
        is_part = likeness in _IN_PART
        is_one_part = likeness in {Likeness.PART, Likeness.PLURAL} and len(spoken) == 1
        return {
            **{f"likeness: {each}": float(likeness is each) for each in Likeness if each is not Likeness.TYPE},
            "is the shown name": float(shown in (spoken, ["the", *spoken])),
            "another name": float(likeness is Likeness.EXACT and spoken != shown),
            "words": min(len(content), 4),
            "one word": len(content) == 1,
            "letters": min(sum(map(len, content)), 25) / 10,
            "share of the name": len({*spoken} & {*shown}) / max(1, len(shown)),
            "words left out": min(3, max(0, len(shown) - len(spoken))),
            "known": known,
            "known, to the best": known - log1p(self._best_known),
            "known, to the best here": known - log1p(self._best_in_span[candidate.span]),
            "best known here": card.popularity == self._best_in_span[candidate.span],
            "known, in part": known * is_part,
            "known, one word": known * (len(content) == 1),
            "known, ordinary": known * (ordinary == 1),
            "ordinary": ordinary,
            "all ordinary": ordinary == 1,
            "no content": not content,
            **self._of_others(candidate.span),
            "begins with the": spoken[0] == "the",
            "after the": before == "the",
            "after a preposition": before in _BEFORE_NAMES,
            "after an auxiliary": before in BEFORE_SUBJECTS,
            "first": places[0] == 0,
            "last": places[-1] == len(self._words.folded) - 1,
            "possessive": self._words.question[candidate.span[1] :].startswith(_POSSESSIVES),
            "after a title": before in TITLES["any name"],
            "after a title, in part": is_part and before in TITLES["any name"],
            "surname": is_one_part and matched[-1:] == spoken,
            "given name": is_one_part and matched[:1] == spoken,
            "before people": after in _AFTER_PEOPLES,
            "capital": self._is_cased and self._words.question[candidate.span[0]].isupper(),
            "no capital": self._is_cased and not self._words.question[candidate.span[0]].isupper(),
            **self._of_relations(candidate),
        }

    def _around(self, places: range) -> tuple[str, str]:
        folded = self._words.folded
        before = folded[places[0] - 1] if places[0] else ""
        return before, folded[places[-1] + 1] if places[-1] + 1 < len(folded) else ""

    def _of_others(self, span: Span) -> dict[str, float]:
        around = [likenesses for other, likenesses in self._spans.items() if other != span and within(span, other)]
        holds = any(other != span and within(other, span) for other in self._spans)
        return {
            "within a name": any(Likeness.EXACT in likenesses for likenesses in around),
            "within another": bool(around),
            "holds another": holds,
        }

    def _of_relations(self, candidate: TopicCandidate) -> dict[str, float]:
        start, end = candidate.span
        question = self._words.question
        counts = self._relations.get(candidate.match.card.entity, ())
        asked = {stem[:_STEM] for stem in content_stems(f"{question[:start]} {question[end:]}")}
        relations = [count.relation for count in counts]
        said = frozenset[str]().union(*(_stems(relation_label(each), each.predicate) for each in relations))
        return {
            "relations": log1p(len(counts)),
            "words in relations": len(asked & said) / len(asked) if asked else 0.0,
        }


@lru_cache(maxsize=50_000)
def _stems(label: RelationLabel, predicate: str) -> frozenset[str]:
    return frozenset(stem[:_STEM] for stem in content_stems(f"{label.label} {label.context} {predicate}"))
