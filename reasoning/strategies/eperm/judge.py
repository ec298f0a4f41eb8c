"""Who judges the entities that plans lead to: a small head over a frozen sentence encoder, opened once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from reasoning.scorers.cards import CARD_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.strategies.eperm.surroundings import Met

BUNDLED = Path(__file__).parent / "bundled"
"""The judge that comes with the product."""
_OPENED = 4


class Judge(Protocol):
    """How well entities go with a question. Safe to share between threads."""

    @property
    def name(self) -> str:
        """How users see who judged."""

    @property
    def threshold(self) -> float:
        """The share of the best candidate's weight from which a candidate is an answer, tuned on held-out questions."""

    def scores(self, met: Met) -> Sequence[float]:
        """Of each of what a relation led to, how well it goes with the question, 0 to 1."""


@lru_cache(maxsize=_OPENED)
def _opened(folder: Path, _written: int) -> Judge:
    # torch takes seconds to import, and only those who judge need it.
    from reasoning.strategies.eperm.weights import EntityJudge  # noqa: PLC0415

    return EntityJudge.open(folder)


def opened_judge(folder: Path) -> Judge:
    """The judge of a folder.

    Raises:
        ScorerUnavailableError: weights or sentence encoder are missing, damaged or of another version.

    """
    card = folder / CARD_FILE
    return _opened(folder, card.stat().st_mtime_ns if card.exists() else 0)
