"""The scorers by name. A new one is a file beside this one and a line here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasoning.errors import ReasoningError, ScorerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reasoning.scorers.base import Scorer


def _encoder(weights: Path | None) -> Scorer:
    from reasoning.scorers.encoder import EncoderScorer  # noqa: PLC0415 - it imports torch, which only its users need

    return EncoderScorer.open(weights)


def _lexical(weights: Path | None) -> Scorer:
    from reasoning.scorers.lexical import LexicalScorer  # noqa: PLC0415 - like its neighbours

    if weights is not None:
        raise ScorerUnavailableError("The scorer “lexical” has no weights; leave them out.")
    return LexicalScorer()


def _causal(weights: Path | None) -> Scorer:
    from reasoning.scorers.causal.scorer import CausalLMScorer  # noqa: PLC0415 - like its neighbours

    if weights is None:
        raise ScorerUnavailableError(
            "The scorer “causal” is a language model of yours: say in which folder it lies (DISCERN_SCORER_WEIGHTS)."
        )
    return CausalLMScorer.open(weights)


SCORERS: Mapping[str, Callable[[Path | None], Scorer]] = {"encoder": _encoder, "lexical": _lexical}
"""What opens each scorer, given a folder of weights or None for the ones that come with it."""
LANGUAGE_MODELS: Mapping[str, Callable[[Path | None], Scorer]] = {"causal": _causal}
"""Likewise for language models, none of which comes with the product."""
_OPENERS = {**SCORERS, **LANGUAGE_MODELS}
_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
CARD_FILE = "card.json"
BUNDLED_WEIGHTS = Path(__file__).parent / "weights" / "encoder"
"""The encoder's weights that come with the product; `manage.py train_scorer` rebuilds them."""
_LONGEST_NAME = 60


class ScorerNameError(ReasoningError):
    """A name cannot be given to a trained scorer; the message says why."""

    code = "scorer_name"


def trained_name(name: str) -> str:
    """The name, if a trained scorer may bear it.

    Raises:
        ScorerNameError: it is that of a scorer which comes with the product, or could not be a folder's.

    """
    if name in _OPENERS:
        raise ScorerNameError(f"“{name}” comes with Discern; choose another name.")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise ScorerNameError(
            f"“{name}” cannot be a scorer's name: use small letters, digits, and single hyphens or underscores between "
            f"them, at most {_LONGEST_NAME} characters."
        )
    return name


def trained_scorers(folder: Path) -> list[str]:
    """The names of the trained scorers in a folder, each a folder of weights with its card, in alphabetical order."""
    found = (path.parent.name for path in folder.glob(f"*/{CARD_FILE}"))
    return sorted(name for name in found if _NAME.fullmatch(name) and name not in _OPENERS)


def read_card(folder: Path) -> dict[str, Any]:
    """The model card in a folder of weights.

    Raises:
        ScorerUnavailableError: it is not there, or damaged.

    """
    try:
        card = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ScorerUnavailableError(
            f"The model card in {folder} cannot be read ({error}); run “manage.py train_scorer”."
        ) from error
    if not isinstance(card, dict):
        raise ScorerUnavailableError(f"The model card in {folder} is damaged; run “manage.py train_scorer”.")
    return card


def open_scorer(name: str, weights: Path | None = None, *, trained: Path | None = None) -> Scorer:
    """Load a scorer: one that comes with the product, a language model, or one of those in the folder ``trained``.

    What kind of scorer was trained stands in its card as ``kind``; without it, it is an encoder.

    Raises:
        ScorerUnavailableError: there is none of that name, or it cannot be loaded.

    """
    if name in _OPENERS:
        return _OPENERS[name](weights)
    others = [] if trained is None else trained_scorers(trained)
    if trained is None or name not in others:
        known = ", ".join([*sorted(_OPENERS), *others])
        raise ScorerUnavailableError(f"There is no scorer “{name}”; choose one of: {known}.")
    folder = weights or trained / name
    kind = read_card(folder).get("kind", "encoder")
    if kind not in _OPENERS:
        raise ScorerUnavailableError(f"The model card in {folder} names a kind of scorer that is not known: “{kind}”.")
    return _OPENERS[kind](folder)
