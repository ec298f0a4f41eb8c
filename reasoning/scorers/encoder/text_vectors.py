"""The vectors of texts, and a cache of the last ones."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

import torch

from reasoning.scorers.base import Cost
from reasoning.scorers.encoder.minilm import mean_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import Tensor

    from reasoning.scorers.encoder.minilm import MiniLm, Words


class TextVectors:
    """An encoder and the vectors of the texts that it read last."""

    def __init__(self, encoder: MiniLm, words: Words, kept: int) -> None:
        self._encoder = encoder
        self._words = words
        self._kept = kept
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, Tensor] = OrderedDict()

    @property
    def width(self) -> int:
        """The length of a vector."""
        return self._encoder.width

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Those of the texts that would have to be read."""
        with self._lock:
            return [text for text in texts if text not in self._vectors]

    def put(self, vectors: Mapping[str, Tensor]) -> None:
        """Take vectors that were read before."""
        with self._lock:
            self._vectors |= vectors
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)

    def of(self, texts: Sequence[str]) -> tuple[Tensor, Cost]:
        """The vector of each text (n, width), and what reading the new ones took."""
        with self._lock:
            found = {text: self._vectors[text] for text in texts if text in self._vectors}
            for text in found:
                self._vectors.move_to_end(text)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        cost = Cost()
        if missing:
            read, cost = self._read(missing)
            found |= read
            self.put(read)
        if not texts:
            return torch.zeros(0, self._encoder.width), cost
        return torch.stack([found[text] for text in texts]), cost

    def _read(self, texts: Sequence[str]) -> tuple[dict[str, Tensor], Cost]:
        # Texts of one length go together, without padding: so a text's vector depends on nothing but the text.
        by_length: dict[int, list[tuple[str, list[int]]]] = {}
        for text, ids in zip(texts, self._words.ids(texts), strict=True):
            by_length.setdefault(len(ids), []).append((text, ids))
        read: dict[str, Tensor] = {}
        with torch.inference_mode():
            for group in by_length.values():
                batch = torch.tensor([ids for _, ids in group])
                hidden = self._encoder.run(self._encoder.embed(batch), None, slice(None))
                read |= dict(zip((text for text, _ in group), mean_vectors(hidden, None), strict=True))
        tokens = sum(length * len(group) for length, group in by_length.items())
        return read, Cost(calls=len(by_length), tokens_in=tokens)
