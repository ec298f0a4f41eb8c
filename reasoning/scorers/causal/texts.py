"""Tokens of texts, read once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from reasoning.core.errors import ScorerUnavailableError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedTokenizerBase

TEXTS_KEPT = 50_000


class TextTokens:
    """A tokenizer that remembers what it read, and knows what begins and ends a document. Threads may share it."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        """Take a tokenizer.

        Raises:
            ScorerUnavailableError: it has no end token.

        """
        start, end = tokenizer.bos_token_id, tokenizer.eos_token_id
        if not isinstance(end, int):
            raise ScorerUnavailableError("The language model's tokenizer has no end token; choose another model.")
        self.end = end
        """The token that ends an option."""
        self._start = (start,) if isinstance(start, int) else ()
        self._tokenizer = tokenizer
        self._lock = threading.Lock()
        self._known: OrderedDict[str, list[int]] = OrderedDict()

    def of(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text by itself, without any that begin or end a document."""
        known = self._known
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in known]
            if new:
                known.update(zip(new, tokens_of(self._tokenizer, new), strict=True))
            found = [known[text] for text in texts]
            while len(known) > TEXTS_KEPT:
                known.popitem(last=False)
        return found

    def document(self, prompt: Sequence[int]) -> tuple[int, ...]:
        """The prompt as the beginning of a document.

        Raises:
            ValueError: there would be no token at all.

        """
        ids = (*self._start, *prompt)
        if not ids:
            raise ValueError("a prompt has at least one token")
        return ids


def tokens_of(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> list[list[int]]:
    """The tokens of each text by itself, without any that begin or end a document; training reads the same."""
    found: list[list[int]] = tokenizer(list(texts), add_special_tokens=False)["input_ids"] if texts else []
    return found


def check_length(tokens: int, longest: int | None) -> None:
    """Refuse a decision that is longer than the model can see.

    Raises:
        UndecidedError: it is.

    """
    if longest is not None and tokens > longest:
        raise UndecidedError(
            f"A decision of {tokens} tokens is longer than the {longest} that the language model can see; "
            "choose a model with a longer context."
        )
