"""Names that are numbers: *who directed 300*, *where was 1408 filmed*. The number stays a number as well."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reasoning.core.options import Mention
from reasoning.question.naming import is_function_word
from reasoning.question.topics.features import BEFORE_SUBJECTS
from reasoning.question.topics.name_matches import NAMESAKES, Likeness
from reasoning.question.topics.ranking import RankedTopic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from reasoning.question.literals import Span
    from reasoning.question.name_spans import Words

_YEAR = re.compile(r"1\d{3}|20\d\d")
_BEFORE_NUMBERS = frozenset(
    {"than", "over", "under", "above", "below", "least", "most", "only", "about", "around", "to", "number"}
)
_BEFORE_YEARS = frozenset(
    {"in", "of", "since", "before", "after", "during", "until", "till", "by", "from", "and", "year"}
)
_COUNTED = frozenset({"people", "men", "women", "children", "hundred", "thousand", "million", "billion", "percent"})
"""What a number before it counts, though it ends in no *s*."""
_APART = 1.0
"""How far its log-odds are from those of the best name: before names of ordinary words, behind others."""


def with_numbers(words: Words, topics: Sequence[RankedTopic], store: GraphStore) -> tuple[RankedTopic, ...]:
    """The topics of a question with the entities that are called like a number in it.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    spans = {span: words.text(span) for span in words.spans(1, 1) if _may_be_name(span, words, topics)}
    known = store.named({*spans.values()}) if spans else {}
    best = max((topic.log_odds for topic in topics), default=0.0)
    is_named = any(not words.is_ordinary((topic.mention.start, topic.mention.end)) for topic in topics)
    first = best - _APART if is_named else best + _APART
    found = {topic.card.entity: topic for topic in topics}
    for span, text in spans.items():
        for place, match in enumerate(known.get(text, ())[:NAMESAKES]):
            entity = match.card.entity
            number = RankedTopic(Mention(*span, entity), match.card, Likeness.EXACT, first - _APART * place)
            found.setdefault(entity, number)
    return tuple(sorted(found.values(), key=lambda topic: -topic.log_odds))


def _may_be_name(span: Span, words: Words, topics: Sequence[RankedTopic]) -> bool:
    """Whether a word is a number that counts nothing, is compared with nothing, and is no year in passing."""
    [place] = words.of(span)
    word = words.folded[place]
    if not word.isdigit():
        return False
    before = words.folded[place - 1] if place else ""
    after = words.folded[place + 1] if place + 1 < len(words.folded) else ""
    ends = {topic.mention.end for topic in topics if not words.is_ordinary((topic.mention.start, topic.mention.end))}
    if before in _BEFORE_NUMBERS or any(words.question[end : span[0]].isspace() for end in ends if end < span[0]):
        return False
    if _YEAR.fullmatch(word) and before not in BEFORE_SUBJECTS:
        return before not in _BEFORE_YEARS and (not after or is_function_word(after))
    return after not in _COUNTED and (not after.endswith("s") or is_function_word(after))
