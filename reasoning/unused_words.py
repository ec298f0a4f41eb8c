"""The words of a question that no decision of a derivation used: where an answer may be to less than was asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label, type_label
from kgstore.terms import Entity
from reasoning.scorers.words import CUES, STOP_WORDS, content_stems, stem, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.derivation import Constraint
    from reasoning.linking import Linking
    from reasoning.literals import Span
    from reasoning.structure import AbstractStructure

_WORD = re.compile(r"[^\W_]+")
_ASKING = frozenset(
    {"list", "many", "much", "name", "show", "tell", "thing", "things", "kind", "kinds", "type", "types"}
)
_ALIKE = 4
"""Two stems are of one family where they share so many letters from the first on: *narrates* and *narrator*."""


def unused_words(
    question: str, linking: Linking, structure: AbstractStructure, constraints: Sequence[Constraint]
) -> list[Span]:
    """The spans (Unicode code points) of words that carry meaning and that nothing of a derivation accounts for.

    A word is used where it stands in the name of the topic or of a condition's target, where its stem is that of a word
    of a chosen relation or of the topic's types, or where it is a cue for an order or a comparison that was chosen.
    """
    targets = {constraint.target for constraint in constraints}
    covered = [(m.start, m.end) for m in linking.targets if m.term in targets]
    if linking.mention is not None:
        covered.append((linking.mention.start, linking.mention.end))
    known = _stems(linking, structure)
    cues = frozenset[str]().union(*CUES.values()) if constraints else CUES["who"] | CUES["where"] | CUES["when"]
    return [
        match.span()
        for match in _WORD.finditer(question)
        if not any(start < match.end() and match.start() < end for start, end in covered)
        and any(
            word not in STOP_WORDS and word not in _ASKING and word not in cues and not _is_known(stem(word), known)
            for word in words_of(match.group())
        )
        and len(match.group()) > 1
    ]


def _stems(linking: Linking, structure: AbstractStructure) -> frozenset[str]:
    texts: list[str] = []
    for node in structure.nodes:
        if node.relation is not None:
            label = relation_label(node.relation)
            texts += [label.label, label.context, re.sub(r"[._|]", " ", node.relation.predicate)]
    if linking.topic is not None:
        card = linking.cards.get(Entity(linking.topic.entity.mid))
        texts += [type_label(name) for name in (() if card is None else card.types)]
    return frozenset[str]().union(*map(content_stems, texts))


def _is_known(word: str, known: frozenset[str]) -> bool:
    return word in known or any(
        word[:_ALIKE] == other[:_ALIKE] for other in known if min(len(word), len(other)) >= _ALIKE
    )
