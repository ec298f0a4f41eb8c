"""What a question is about: the topic entity; and the entities, numbers and dates that may become targets."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kgstore.names import fold_name
from kgstore.terms import Date, Entity, Number, Term, TermError, parse_date
from reasoning.errors import UnknownTopicError
from reasoning.options import Mention

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kgstore.store import EntityCard, EntityMatch, GraphStore

LONGEST_NAME = 10
"""Names of more words than this are not looked for."""
NAMESAKES = 3
"""Of several entities with one name, this many of the best known become candidates and targets."""

_WORD = re.compile(r"[^\W_]+(?:[.'\u2019&-][^\W_]+)*\.?", re.UNICODE)
_FUNCTION_WORDS = frozenset(Path(__file__).with_name("function_words.txt").read_text(encoding="utf-8").split())
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(_MONTHS)
_DATES = (
    re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})(?:-(?P<day>\d{2}))?\b"),
    re.compile(rf"\b(?P<name>{_MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<name>{_MONTH}),?\s+(?P<year>\d{{4}})\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?P<name>{_MONTH}),?\s+(?:of\s+)?(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(r"\b(?P<year>1\d{3}|20\d{2})(?:s?)\b"),
)  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s*(?P<scale>thousand|million|billion)\b)?",
    re.IGNORECASE,
)
_SCALES = {"": 1, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Linking:
    """What was found in a question."""

    mentions: tuple[Mention, ...]
    """Everything that it names, by place; the entities among them may be its topic."""
    cards: Mapping[Entity, EntityCard]
    """The card of every entity among the mentions, and of the topic."""
    topic: EntityCard | None = None
    """None while it is not chosen, and where nothing that the question names is in the graph."""
    mention: Mention | None = None
    """Where the question names the topic; None where it does not."""
    chosen_by_asker: bool = False

    @property
    def targets(self) -> tuple[Mention, ...]:
        """The entities, numbers and dates beside the topic."""
        own = self.mention
        if own is None:
            return self.mentions
        return tuple(m for m in self.mentions if (m.start, m.end) != (own.start, own.end))

    def about(self, topic: EntityCard, *, chosen_by_asker: bool = False) -> Linking:
        """The same linking with its topic chosen."""
        mention = next((m for m in self.mentions if m.term == topic.entity), None)
        return replace(self, topic=topic, mention=mention, chosen_by_asker=chosen_by_asker)


def link(question: str, store: GraphStore, topic: Entity | None = None) -> Linking:
    """Find everything that a question names: entities, numbers and dates.

    The longest names and aliases of the graph that the question holds are its mentions; of overlapping ones the longest
    counts. ``topic`` is the entity that the asker chose, if any; otherwise the topic is still to be chosen.

    Raises:
        UnknownTopicError: the chosen topic is not in the graph.

    """
    found = _mentions(question, store)
    cards = {match.card.entity: match.card for matches in found.values() for match in matches[:NAMESAKES]}
    entities = [
        Mention(start, end, match.card.entity)
        for (start, end), matches in found.items()
        for match in matches[:NAMESAKES]
    ]
    mentions = sorted((*entities, *_literals(question, found)), key=lambda mention: mention.start)
    linking = Linking(tuple(mentions), cards)
    if topic is None:
        return linking
    card = store.cards([topic]).get(topic)
    if card is None:
        raise UnknownTopicError(f"The graph “{store.info().title}” holds no entity {topic}; choose another topic.")
    return replace(linking, cards={**cards, topic: card}).about(card, chosen_by_asker=True)


def _mentions(question: str, store: GraphStore) -> Mapping[tuple[int, int], Sequence[EntityMatch]]:
    """The parts of the question that are names in the graph, none overlapping another."""
    words = [(match.start(), match.end()) for match in _WORD.finditer(question)]
    spans = {
        (words[first][0], words[last][1]): question[words[first][0] : words[last][1]]
        for first in range(len(words))
        for last in range(first, min(first + LONGEST_NAME, len(words)))
    }
    spans = {span: text for span, text in spans.items() if _may_be_name(text, span[0])}
    forms = {span: _forms(text) for span, text in spans.items()}
    known = store.named({form for texts in forms.values() for form in texts})
    found: dict[tuple[int, int], Sequence[EntityMatch]] = {}
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        matches = next((known[form] for form in forms[start, end] if form in known), None)
        if matches and not any(start < other_end and other_start < end for other_start, other_end in found):
            found[start, end] = matches
    return found


def _may_be_name(text: str, start: int) -> bool:
    """Whether it is more than function words and digits; a capital within the sentence makes a name of any word."""
    if start > 0 and text[:1].isupper():
        return True
    words = fold_name(text).split()
    return any(word not in _FUNCTION_WORDS and not word.isdigit() for word in words)


def _forms(text: str) -> Sequence[str]:
    """The text and, of a single word, what it may be a plural or an adjective of: *Jamaican* of *Jamaica*."""
    folded = fold_name(text)
    forms = [text]
    shortest_stem = 4
    if " " not in folded:
        forms.extend(
            folded.removesuffix(ending)
            for ending in ("s", "n", "ans", "ns", "ese", "ish")
            if folded.endswith(ending) and len(folded) - len(ending) >= shortest_stem
        )
    return forms


def _literals(question: str, taken: Collection[tuple[int, int]]) -> Iterator[Mention]:
    """The dates and numbers of the question. A year alone may be either, so it is both."""
    dates: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(question):
            if _overlaps(match.span(), dates) or _overlaps(match.span(), taken):
                continue
            date = _date(match)
            if date is not None:
                dates.append(match.span())
                yield Mention(*match.span(), date)
    for match in _NUMBER.finditer(question):
        within_date = _overlaps(match.span(), dates) and match.span() not in dates
        if not within_date and not _overlaps(match.span(), taken):
            scale = _SCALES[(match["scale"] or "").lower()]
            yield Mention(*match.span(), _number(match["digits"], scale))


def _number(digits: str, scale: int) -> Term:
    return Number(float(digits.replace(",", "")) * scale)


def _date(match: re.Match[str]) -> Date | None:
    parts = match.groupdict()
    month = parts.get("month")
    if parts.get("name"):
        month = f"{_MONTHS.index(parts['name'].lower()) + 1:02}"
    day = parts.get("day")
    text = "-".join(filter(None, (parts["year"], month, f"{int(day):02}" if day else None)))
    try:
        return parse_date(text)
    except TermError:
        return None


def _overlaps(span: tuple[int, int], others: Collection[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
