"""The scorers by name. A new one is a file beside this one and a line here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reasoning.errors import ScorerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reasoning.scorers.base import Scorer


WEIGHTS = Path(__file__).parent / "weights"
"""A folder of weights for each scorer that comes with some, under its name."""


def _encoder(weights: Path | None) -> Scorer:
    from reasoning.scorers.encoder import EncoderScorer  # noqa: PLC0415 - it imports torch, which only its users need

    return EncoderScorer.open(weights)


def _lexical(weights: Path | None) -> Scorer:
    from reasoning.scorers.lexical import LexicalScorer  # noqa: PLC0415 - like its neighbours

    if weights is not None:
        raise ScorerUnavailableError("The scorer “lexical” has no weights; leave them out.")
    return LexicalScorer()


SCORERS: Mapping[str, Callable[[Path | None], Scorer]] = {"encoder": _encoder, "lexical": _lexical}
"""What opens each scorer, given a folder of weights or None for the ones that come with it."""


def open_scorer(name: str, weights: Path | None = None) -> Scorer:
    """Load a scorer.

    Raises:
        ScorerUnavailableError: there is none of that name, or it cannot be loaded.

    """
    try:
        opener = SCORERS[name]
    except KeyError:
        known = ", ".join(sorted(SCORERS))
        raise ScorerUnavailableError(f"There is no scorer “{name}”; choose one of: {known}.") from None
    return opener(weights)
