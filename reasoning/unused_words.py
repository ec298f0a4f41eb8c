"""The words of a question that no decision of a derivation used: where an answer may be to less than was asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label, type_label
from kgstore.names import fold_name
from reasoning.literals import overlaps
from reasoning.naming import is_ordinary
from reasoning.scorers.words import content_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.derivation import Constraint
    from reasoning.linking import Linking
    from reasoning.literals import Span
    from reasoning.structure import AbstractStructure

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_FAMILY = 4
"""Two stems are of one family where they share so many letters from the first on: *narrates* and *narrator*."""


def unused_words(
    question: str, linking: Linking, structure: AbstractStructure, constraints: Sequence[Constraint]
) -> list[Span]:
    """The spans (Unicode code points) of what the question says and nothing of a derivation accounts for.

    These are the names, numbers and dates that are neither its topic nor a condition's target, and the words that are
    neither ordinary nor of the family of a word in a relation that was followed, or in a type of the topic. An ordinary
    word (*plays*, *won*) may stand for any relation, so nothing is claimed of it.
    """
    targets = {constraint.target for constraint in constraints}
    used = [(mention.start, mention.end) for mention in linking.targets if mention.term in targets]
    if linking.mention is not None:
        used.append((linking.mention.start, linking.mention.end))
    named = {(m.start, m.end) for m in linking.mentions} - linking.ordinary
    stems = _stems(linking, structure)
    words = [match.span() for match in _WORD.finditer(question)]
    loose = [(start, end) for start, end in words if not _is_known(question[start:end], stems)]
    found: list[Span] = []
    for span in sorted(named, key=lambda span: span[0] - span[1]) + loose:
        if not overlaps(span, (*used, *found)):
            found.append(span)
    return sorted(found)


def _is_known(word: str, stems: frozenset[str]) -> bool:
    if all(is_ordinary(part) for part in fold_name(word).split()):
        return True
    own = content_stems(word)
    return not own or any(stem[:_FAMILY] == other[:_FAMILY] for stem in own for other in stems)


def _stems(linking: Linking, structure: AbstractStructure) -> frozenset[str]:
    """The stems of all words in the relations that were followed and in the types of the topic."""
    texts: list[str] = []
    for node in structure.nodes:
        if node.relation is not None:
            label = relation_label(node.relation)
            texts += [label.label, label.context, node.relation.predicate]
    if linking.topic is not None:
        texts += [type_label(name) for name in linking.topic.types]
    return frozenset[str]().union(*map(content_stems, texts))
