"""Questions that no training of this site may read. Features above say which; nothing here knows one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reasoning.datasets.identity import QuestionKey

_told: list[Callable[[], Iterable[tuple[str, str]]]] = []


def held_out_register(keys: Callable[[], Iterable[tuple[str, str]]]) -> None:
    """Say what tells of questions that are held out: the identity and the hash of the text of each."""
    _told.append(keys)


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
    found = [pair for keys in _told for pair in keys()]
    return HeldOutKeys(frozenset(one for one, _ in found), frozenset(text for _, text in found))
