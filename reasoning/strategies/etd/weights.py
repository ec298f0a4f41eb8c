"""An explorer on disk, and opened: its parameters, and the sentence encoder that reads for it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as packed

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.cards import read_card, write_weights
from reasoning.scorers.encoder.frozen_texts import FrozenTexts
from reasoning.scorers.encoder.minilm import ENCODER_SHA256
from reasoning.strategies.etd.edges import KeptEdges
from reasoning.strategies.etd.explorer import Exploration, RelationTexts, chosen_depths, explore
from reasoning.strategies.etd.model import ExplorerModel
from reasoning.strategies.etd.shape import ExplorerShape

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore
    from kgstore.terms import Entity
    from reasoning.strategies.etd.edges import Edges

WEIGHTS_FILE = "explorer.safetensors"


class Explorer:
    """An explorer that is opened. Safe to share between threads."""

    def __init__(self, model: ExplorerModel, texts: FrozenTexts, name: str) -> None:
        self.model = model.eval().requires_grad_(requires_grad=False)
        self.name = name
        """How users see which weights explored."""
        self._texts = texts
        self._edges = KeptEdges()
        self._lock = threading.Lock()
        self._relations: WeakKeyDictionary[Edges, RelationTexts] = WeakKeyDictionary()

    @classmethod
    def open(cls, folder: Path) -> Explorer:
        """Load the weights of a folder.

        Raises:
            ScorerUnavailableError: weights or sentence encoder are missing, damaged or of another version.

        """
        card, model = read_explorer(folder)
        return cls(model, FrozenTexts(), f"{card['name']} ({card['weights_sha256'][:8]})")

    def explore(
        self, store: GraphStore, topic: Entity, question: str, *, may_recur: bool, keep: int | None = None
    ) -> tuple[Exploration, Edges]:
        """Explore one question; the numbers of what comes of it are those of the edges.

        ``keep`` is another K than the one that the weights were trained with.

        Raises:
            GraphStoreError: the graph cannot be read.

        """
        edges = self._edges.of(store)
        with self._lock:
            relations = self._relations.setdefault(edges, RelationTexts(self._texts.of_relations))
        model = self.model
        if keep is not None:
            model = with_keep(model, keep)
        questions = self._texts.of([question])
        [depth] = chosen_depths(model, questions)
        return explore(model, store, edges, relations, [edges.number(topic)], questions, [may_recur], depth), edges


def with_keep(model: ExplorerModel, keep: int) -> ExplorerModel:
    """The same parameters with another K."""
    other = ExplorerModel(replace(model.shape, keep=keep))
    other.load_state_dict(model.state_dict())
    return other.requires_grad_(requires_grad=False)


def read_explorer(folder: Path) -> tuple[dict[str, Any], ExplorerModel]:
    """The card and the parameters in a folder.

    Raises:
        ScorerUnavailableError: they are missing, damaged or of another version.

    """
    card = read_card(folder)
    try:
        _check_encoder(card["encoder_sha256"])
        model = ExplorerModel(ExplorerShape.from_json(card["shape"]))
        model.load_state_dict({name: value.float() for name, value in load_file(folder / WEIGHTS_FILE).items()})
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise ScorerUnavailableError(
            f"The explorer's weights in {folder} cannot be used ({error}); run “manage.py train_strategy etd”."
        ) from error
    return card, model


def _check_encoder(sha256: str) -> None:
    if sha256 != ENCODER_SHA256:
        raise ValueError("they were trained with another sentence encoder")


def save_explorer(folder: Path, model: ExplorerModel, card: dict[str, Any]) -> None:
    """Write weights and card; see `write_weights`."""
    state = {name: value.contiguous() for name, value in model.state_dict().items()}
    write_weights(folder / WEIGHTS_FILE, packed(state), card)
