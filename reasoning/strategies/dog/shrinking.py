"""A question that gets shorter: its words, what it is about now, and what else it names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kgstore.names import fold_name
from reasoning.question.literals import overlaps
from reasoning.question.naming import is_ordinary
from reasoning.question.words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from reasoning.core.options import Mention
    from reasoning.question.literals import Span

_TOKEN = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}]s\\b|[^\\W_]+(?:[.'\N{RIGHT SINGLE QUOTATION MARK}&-][^\\W_]+)*")
_POSSESSIVE = frozenset({"'s", "\N{RIGHT SINGLE QUOTATION MARK}s"})
_INNER_POSSESSIVE = re.compile("\\s*['\N{RIGHT SINGLE QUOTATION MARK}]s$")
QUESTION_WORDS = frozenset({"what", "when", "where", "which", "who", "whom", "whose", "why", "how"})


@dataclass(frozen=True, slots=True)
class Shrinking:
    """A question q^k on its way to be answered."""

    text: str
    topic: Span | None
    """Where it names what it is about now; None where it does not."""
    others: tuple[Mention, ...] = ()
    """What else it names."""

    @classmethod
    def of(cls, text: str, topic: Mention | None, others: tuple[Mention, ...]) -> Shrinking:
        """A question as it was linked; the *'s* after a name is none of it."""
        if topic is None:
            return cls(text, None, others)
        inner = _INNER_POSSESSIVE.search(text[topic.start : topic.end])
        end = topic.end if inner is None else topic.start + inner.start()
        return cls(text, (topic.start, end), others)

    def words(self) -> Words:
        """Its words; what it is about is one of them."""
        return Words(self)

    def without(self, gone: Collection[Span], name: str) -> Shrinking:
        """The question without some parts, and with a name in place of what it is about.

        Raises:
            ValueError: it does not name what it is about.

        """
        if self.topic is None:
            raise ValueError("there is no place for the name")
        text, others = "", []
        topic = self.topic
        at = 0
        moved: list[tuple[int, int]] = []
        """Where parts of the old text begin, and in the new one."""
        for start, end in sorted((*gone, self.topic)):
            moved.append((at, len(text)))
            text += self.text[at:start]
            if (start, end) == self.topic:
                topic = (len(text), len(text) + len(name))
                text += name
            at = end
            if (start, end) != self.topic and (text.endswith(" ") or not text):
                # What is taken out leaves no gap.
                at += len(self.text[end:]) - len(self.text[end:].lstrip(" "))
        moved.append((at, len(text)))
        text = f"{text}{self.text[at:]}".rstrip()
        for mention in self.others:
            if not overlaps((mention.start, mention.end), (*gone, self.topic)):
                begin, now = [pair for pair in moved if pair[0] <= mention.start][-1]
                shift = now - begin
                others.append(replace(mention, start=mention.start + shift, end=mention.end + shift))
        return Shrinking(text, topic, tuple(others))


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a question in their order."""

    question: Shrinking
    spans: tuple[Span, ...] = field(init=False)
    topic: int | None = field(init=False)
    """Which of them is what it is about."""

    def __post_init__(self) -> None:
        topic = self.question.topic
        spans = [span for span in self._tokens() if topic is None or not overlaps(span, [topic])]
        if topic is not None:
            spans = sorted((*spans, topic))
        object.__setattr__(self, "spans", tuple(spans))
        object.__setattr__(self, "topic", None if topic is None else spans.index(topic))

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, place: int) -> str:
        return self.question.text[slice(*self.spans[place])].casefold() if 0 <= place < len(self.spans) else ""

    def is_possessive(self, place: int) -> bool:
        """Whether it is the *'s* of what stands before it."""
        return self[place] in _POSSESSIVE

    def carries_meaning(self, place: int) -> bool:
        """Whether it says something of its own: no stop word, no possessive, and not what the question is about."""
        word = self[place]
        return bool(word) and place != self.topic and word not in STOP_WORDS and word not in _POSSESSIVE

    def names_another(self, place: int) -> bool:
        """Whether it belongs to another entity than the topic of the question.

        Ordinary words hardly name anything: *the director* is also a film.
        """
        text = self.question.text
        return any(
            overlaps(self.spans[place], [(one.start, one.end)])
            for one in self.question.others
            if not all(map(is_ordinary, fold_name(text[one.start : one.end]).split()))
        )

    def _tokens(self) -> Iterator[Span]:
        for match in _TOKEN.finditer(self.question.text):
            inner = _INNER_POSSESSIVE.search(match[0])
            if inner is not None and inner.start() > 0:
                cut = match.start() + inner.start()
                yield match.start(), cut
                yield cut, match.end()
            else:
                yield match.span()
