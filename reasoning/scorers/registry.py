"""The scorers by name. A new one is a file beside this one and a line here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reasoning.errors import ReasoningError, ScorerUnavailableError
from reasoning.scorers.cards import CARD_FILE, read_card

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reasoning.scorers.base import Scorer
    from reasoning.scorers.server import ModelServer


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


def _vllm(weights: Path | None, server: ModelServer | None) -> Scorer:
    from reasoning.scorers.causal.vllm_scorer import VllmScorer  # noqa: PLC0415 - like its neighbours

    return VllmScorer.connect(_named(server, "vllm"), weights)


def _chat(weights: Path | None, server: ModelServer | None) -> Scorer:
    try:
        from reasoning.scorers.chat import ChatScorer  # noqa: PLC0415 - like its neighbours
    except ImportError as error:
        raise ScorerUnavailableError(f"Chat models need openai ({error}); install the extra “models”.") from error
    if weights is not None:
        raise ScorerUnavailableError("The scorer “chat” has no weights; leave them out.")
    return ChatScorer(_named(server, "chat"))


def _named(server: ModelServer | None, scorer: str) -> ModelServer:
    if server is None:
        raise ScorerUnavailableError(
            f"The scorer “{scorer}” asks a server of yours: set DISCERN_LLM_URL to its address."
        )
    return server


SCORERS: Mapping[str, Callable[[Path | None], Scorer]] = {"encoder": _encoder, "lexical": _lexical}
"""What opens each scorer, given a folder of weights or None for the ones that come with it."""
LANGUAGE_MODELS: Mapping[str, Callable[[Path | None], Scorer]] = {"causal": _causal}
"""Likewise for language models, none of which comes with the product."""
SERVED_MODELS: Mapping[str, Callable[[Path | None, ModelServer | None], Scorer]] = {"chat": _chat, "vllm": _vllm}
"""Likewise for language models on servers of their own."""
_OPENERS = {**SCORERS, **LANGUAGE_MODELS}
_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_LONGEST_NAME = 60


class ScorerNameError(ReasoningError):
    """A name cannot be given to a trained scorer; the message says why."""

    code = "scorer_name"


def trained_name(name: str) -> str:
    """The name, if a trained scorer may bear it.

    Raises:
        ScorerNameError: it is that of a scorer which comes with the product, or could not be a folder's.

    """
    if _is_ours(name):
        raise ScorerNameError(f"“{name}” comes with Discern; choose another name.")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise ScorerNameError(
            f"“{name}” cannot be a scorer's name: use small letters, digits, and single hyphens or underscores between "
            f"them, at most {_LONGEST_NAME} characters."
        )
    return name


def _is_ours(name: str) -> bool:
    return name in _OPENERS or name in SERVED_MODELS


def trained_scorers(folder: Path) -> list[str]:
    """The names of the trained scorers in a folder, each a folder of weights with its card, in alphabetical order."""
    found = (path.parent.name for path in folder.glob(f"*/{CARD_FILE}"))
    return sorted(name for name in found if _NAME.fullmatch(name) and not _is_ours(name))


def reads_here(name: str, weights: Path | None = None, *, trained: Path) -> bool:
    """Whether a scorer is a language model that is read in the process which opens it, and so would use its GPU.

    ``weights`` and ``trained`` as for `open_scorer`. A scorer that cannot be opened is none.
    """
    if _is_ours(name):
        return name in LANGUAGE_MODELS
    try:
        return read_card(weights or trained / name).get("kind") in LANGUAGE_MODELS
    except ScorerUnavailableError:
        return False


def open_scorer(
    name: str, weights: Path | None = None, *, trained: Path | None = None, server: ModelServer | None = None
) -> Scorer:
    """Load a scorer: one that comes with the product, a language model, or one of those in the folder ``trained``.

    Language models on servers of their own are found at ``server``.

    What kind of scorer was trained stands in its card as ``kind``; without it, it is an encoder.

    Raises:
        ScorerUnavailableError: there is none of that name, or it cannot be loaded.

    """
    if name in _OPENERS:
        return _OPENERS[name](weights)
    if name in SERVED_MODELS:
        return SERVED_MODELS[name](weights, server)
    others = [] if trained is None else trained_scorers(trained)
    if trained is None or name not in others:
        known = ", ".join([*sorted([*_OPENERS, *SERVED_MODELS]), *others])
        raise ScorerUnavailableError(f"There is no scorer “{name}”; choose one of: {known}.")
    folder = weights or trained / name
    kind = read_card(folder).get("kind", "encoder")
    if kind not in _OPENERS:
        raise ScorerUnavailableError(f"The model card in {folder} names a kind of scorer that is not known: “{kind}”.")
    return _OPENERS[kind](folder)
