"""What the path reader reads: the question, a relation path in words, and the tokens of both together."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from reasoning.facts.verbalize import masked_question, question_without_targets, relation_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.terms import Relation
    from reasoning.core.options import DecisionState
    from reasoning.scorers.encoder.minilm import Words

_MAX_QUESTION_TOKENS = 40
_MAX_RELATION_TOKENS = 14
_MAX_PATH_TOKENS = 46
_POSSESSIVE = re.compile(r"\s*['\u2019]s$", re.IGNORECASE)
"""What a mention may end in that the question needs: without it, *Anna's mother* would read *it mother*."""


def question_texts(state: DecisionState) -> tuple[str, str]:
    """The question as it is read, and the part of it that a path should explain.

    *it* stands for the topic, as in training: *what is the nation of it 's mother*.
    """
    topic = state.topic
    if topic is not None and (owning := _POSSESSIVE.search(state.question[topic.start : topic.end])) is not None:
        topic = replace(topic, end=topic.start + owning.start())
    return masked_question(replace(state, types={}, targets=(), topic=topic)), question_without_targets(state)


def path_text(path: Sequence[Relation]) -> str:
    """A relation path in words, as the bi-encoder reads it."""
    return ", ".join(relation_words(relation) for relation in path)


class PairTokens:
    """The tokens that the cross-encoder reads: those of a question, followed by those of a path."""

    def __init__(self, words: Words) -> None:
        self._words = words
        _, self._comma, self._end = words.ids([","])[0]

    def question(self, text: str) -> list[int]:
        """The tokens of a question, from the one that begins a text to the one that ends it."""
        asked = self._words.ids([text])[0]
        return [*asked[:-1][: _MAX_QUESTION_TOKENS - 1], asked[-1]]

    def path(self, path: Sequence[Relation]) -> list[int]:
        """The tokens of a path and the one that ends a text."""
        tokens: list[int] = []
        for ids in self._words.ids([relation_words(relation) for relation in path]):
            tokens += [*([self._comma] if tokens else []), *ids[1:-1][:_MAX_RELATION_TOKENS]]
        return [*tokens[: _MAX_PATH_TOKENS - 1], self._end]
