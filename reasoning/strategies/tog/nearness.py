"""How near the names of entities are to a question, by the sentence encoder as it was published; nothing is trained."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.scorers.encoder.frozen_texts import FrozenTexts

JUDGE = "the sentence encoder"


@cache
def _texts() -> FrozenTexts:
    # torch takes seconds to import, and only those who judge entities need it.
    from reasoning.scorers.encoder.frozen_texts import FrozenTexts  # noqa: PLC0415

    return FrozenTexts()


def nearness(question: str, texts: Sequence[str]) -> list[float]:
    """Of each text, half of one more than its cosine with the question: 0 to 1.

    Raises:
        ScorerUnavailableError: the sentence encoder is not there.

    """
    if not texts:
        return []
    vectors = _texts().of([question, *texts])
    cosines: list[float] = (vectors[1:] @ vectors[0]).tolist()
    return [(1 + cosine) / 2 for cosine in cosines]
