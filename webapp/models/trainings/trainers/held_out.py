"""Questions that no training of this site may read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webapp.platform.extension_points import ExtensionPoint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reasoning.datasets.identity import QuestionKey

questions_held_out: ExtensionPoint[[], Iterable[tuple[str, str]]] = ExtensionPoint()
"""The identity and the hash of the text of each question that is held out."""


@dataclass(frozen=True, slots=True)
class HeldOutKeys:
    """What questions that are held out are recognised by: their own, or the words of another dataset's question."""

    identities: frozenset[str]
    texts: frozenset[str]

    def has(self, key: QuestionKey) -> bool:
        """Whether a question is held out."""
        return key.identity in self.identities or key.text in self.texts


def held_out_keys() -> HeldOutKeys:
    """All questions that are held out now."""
    found = [pair for keys in questions_held_out() for pair in keys]
    return HeldOutKeys(frozenset(one for one, _ in found), frozenset(text for _, text in found))
