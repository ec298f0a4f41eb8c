"""The kinds of scorer. A new one is a file in this folder and one entry of `KINDS`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

from reasoning.core.errors import ReasoningError, ScorerUnavailableError
from reasoning.scorers.cards import BUNDLED_PATH_READER, BUNDLED_WEIGHTS, CARD_FILE, read_card

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.scorers.base import Scorer
    from reasoning.scorers.server import ModelServer


class Weights(Enum):
    """Where a kind of scorer has its weights from."""

    NONE = "it learned nothing, or its server has them"
    BUNDLED = "some come with the product; a folder of others may be given"
    OPTIONAL = "a folder may say more of what its server has"
    REQUIRED = "a folder must be given"


class Place(Enum):
    """Where a kind of scorer computes."""

    PROCESSOR = "in the process that opens it, on the processor"
    GPU = "in the process that opens it, on a GPU where there is one"
    SERVER = "on a model server of its own"


@dataclass(frozen=True, slots=True)
class ScorerKind:
    """A kind of scorer: its description for users, what opens it, and what it needs."""

    name: str
    title: str
    about: str
    """One sentence for people who choose."""
    opens: str
    """What makes one, as ``module:name``; its libraries are not imported before. It is handed the server where it
    computes on one, then the folder of weights (or None) where it may have one, and raises `ScorerUnavailableError`."""
    weights: Weights
    place: Place
    bundled: Path = Path()
    """The folder of the weights that come with the product, with their card; of no meaning where none do."""

    @property
    def learns_nothing(self) -> bool:
        """Whether it has no weights anywhere, so that no question was seen in training."""
        return self.weights is Weights.NONE and self.place is not Place.SERVER


KINDS: Mapping[str, ScorerKind] = {
    kind.name: kind
    for kind in (
        ScorerKind(
            "encoder",
            "Encoder",
            "A small sentence encoder that comes with Discern and runs on a processor.",
            "reasoning.scorers.encoder.scorer:EncoderScorer.open",
            Weights.BUNDLED,
            Place.PROCESSOR,
            BUNDLED_WEIGHTS,
        ),
        ScorerKind(
            "path-reader",
            "Path reader",
            "Compares complete relation paths with the question, and decides everything else as the encoder does.",
            "reasoning.scorers.path_reader.scorer:PathReaderScorer.open",
            Weights.BUNDLED,
            Place.PROCESSOR,
            BUNDLED_PATH_READER,
        ),
        ScorerKind(
            "lexical",
            "Lexical",
            "Compares words. It learned nothing: it is what others are measured against.",
            "reasoning.scorers.lexical:LexicalScorer",
            Weights.NONE,
            Place.PROCESSOR,
        ),
        ScorerKind(
            "causal",
            "Language model",
            "A language model in this site's own folder; its probabilities are exact.",
            "reasoning.scorers.causal.scorer:CausalLMScorer.open",
            Weights.REQUIRED,
            Place.GPU,
        ),
        ScorerKind(
            "chat",
            "Chat model",
            "Approximate: it picks one option and does not say how probable each is.",
            "reasoning.scorers.chat.scorer:ChatScorer",
            Weights.NONE,
            Place.SERVER,
        ),
        ScorerKind(
            "vllm",
            "vLLM",
            "A language model on a vLLM server; its probabilities are exact.",
            "reasoning.scorers.causal.vllm_scorer:VllmScorer.connect",
            Weights.OPTIONAL,
            Place.SERVER,
        ),
    )
}

_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_MAX_NAME_LENGTH = 60


class ScorerNameError(ReasoningError):
    """A name cannot be given to a trained scorer; the message says why."""

    code = "scorer_name"


def trained_name(name: str) -> str:
    """The name, if a trained scorer may bear it.

    Raises:
        ScorerNameError: it is that of a kind of scorer, or could not be a folder's.

    """
    if name in KINDS:
        raise ScorerNameError(f"“{name}” comes with Discern; choose another name.")
    if not _NAME.fullmatch(name) or len(name) > _MAX_NAME_LENGTH:
        raise ScorerNameError(
            f"“{name}” cannot be a scorer's name: use small letters, digits, and single hyphens or underscores between "
            f"them, at most {_MAX_NAME_LENGTH} characters."
        )
    return name


def trained_scorers(folder: Path) -> list[str]:
    """The names of the trained scorers in a folder, each a folder of weights with its card, in alphabetical order."""
    found = (path.parent.name for path in folder.glob(f"*/{CARD_FILE}"))
    return sorted(name for name in found if _NAME.fullmatch(name) and name not in KINDS)


def kind_of(name: str, weights: Path | None = None, *, trained: Path) -> ScorerKind:
    """The kind of a scorer: the one of its name, or the one that the card of a trained scorer names.

    ``weights`` and ``trained`` as for `open_scorer`. A card without a kind is an encoder's.

    Raises:
        ScorerUnavailableError: there is no such card, or it names no kind that is known.

    """
    if name in KINDS:
        return KINDS[name]
    folder = weights or trained / name
    kind = read_card(folder).get("kind", "encoder")
    if kind not in KINDS:
        raise ScorerUnavailableError(f"The model card in {folder} names a kind of scorer that is not known: “{kind}”.")
    return KINDS[kind]


def card_folder(name: str, weights: Path | None = None, *, trained: Path) -> Path | None:
    """The folder of a scorer's model card; None for a kind that has none. Arguments as for `open_scorer`."""
    kind = KINDS.get(name)
    if kind is None:
        return weights or trained / name
    return (weights or kind.bundled) if kind.weights is Weights.BUNDLED else None


def open_scorer(
    name: str, weights: Path | None = None, *, trained: Path | None = None, server: ModelServer | None = None
) -> Scorer:
    """Load a scorer: one of a kind by its name, or one of those in the folder ``trained``.

    ``weights`` is the folder of its weights, where it is not its own in ``trained``. Language models on servers of
    their own are found at ``server``.

    Raises:
        ScorerUnavailableError: there is none of that name, or it cannot be loaded.

    """
    if name in KINDS:
        return _opened(KINDS[name], weights, server)
    others = [] if trained is None else trained_scorers(trained)
    if trained is None or name not in others:
        known = ", ".join([*sorted(KINDS), *others])
        raise ScorerUnavailableError(f"There is no scorer “{name}”; choose one of: {known}.")
    return _opened(kind_of(name, weights, trained=trained), weights or trained / name, server)


def _opened(kind: ScorerKind, weights: Path | None, server: ModelServer | None) -> Scorer:
    arguments: list[object] = []
    if kind.place is Place.SERVER:
        if server is None:
            raise ScorerUnavailableError(
                f"The scorer “{kind.name}” asks a server of yours: set DISCERN_LLM_URL to its address."
            )
        arguments.append(server)
    if kind.weights is not Weights.NONE:
        arguments.append(weights)
    elif weights is not None:
        raise ScorerUnavailableError(f"The scorer “{kind.name}” takes no folder of weights. Leave it out.")
    if kind.weights is Weights.REQUIRED and weights is None:
        raise ScorerUnavailableError(
            f"The scorer “{kind.name}” is a model of yours: say in which folder it lies (DISCERN_SCORER_WEIGHTS)."
        )
    try:
        opens = resolve_name(kind.opens)
    except ImportError as error:
        raise ScorerUnavailableError(
            f"The scorer “{kind.name}” needs a package that is missing ({error}); install the extra “models”."
        ) from error
    return cast("Scorer", opens(*arguments))
