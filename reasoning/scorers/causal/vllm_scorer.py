"""The scorer whose language model lives on vLLM servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.cards import CARD_FILE, read_card
from reasoning.scorers.causal.scorer import CausalLMScorer, taught_paths

if TYPE_CHECKING:
    from pathlib import Path

    from reasoning.scorers.causal.vllm_reader import VllmReader
    from reasoning.scorers.server import ModelServer


class VllmScorer(CausalLMScorer):
    """P(option given S_k, Q) from a causal language model on vLLM servers: as exact, and questions share batches."""

    def __init__(self, reader: VllmReader, *, name: str, none_bias: float = 0.0, reads_paths: bool = True) -> None:
        super().__init__(reader, name=name, none_bias=none_bias, reads_paths=reads_paths)
        self._reader = reader

    @classmethod
    def connect(cls, server: ModelServer, folder: Path | None = None) -> Self:
        """Find the server. A ``folder`` may hold the model's tokenizer, and a card with ``name`` and ``none_bias``.

        Raises:
            ScorerUnavailableError: no server answers or it cannot do what is needed; the message says what to do.

        """
        try:
            from reasoning.scorers.causal.vllm_reader import VllmReader  # noqa: PLC0415 - it may be missing
        except ImportError as error:
            raise ScorerUnavailableError(
                f"Language models on servers need httpx2 ({error}); install the extra “models”."
            ) from error
        card = read_card(folder) if folder is not None and (folder / CARD_FILE).exists() else {}
        has_tokenizer = folder is not None and (folder / "tokenizer_config.json").exists()
        reader = VllmReader(server, tokenizer=folder if has_tokenizer else None)
        return cls(
            reader,
            name=str(card.get("name", reader.name)),
            none_bias=float(card.get("none_bias", 0.0)),
            reads_paths=taught_paths(card),
        )

    def fault(self) -> ScorerUnavailableError | None:
        """Why no server would decide now; None where one would."""
        return self._reader.fault()

    def close(self) -> None:
        """Hang up."""
        self._reader.close()
