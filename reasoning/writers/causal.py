"""A language model in a folder that writes, computed in this process, on a GPU where there is one."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import torch
from jinja2 import TemplateError

from reasoning.core.errors import UndecidedError
from reasoning.scorers.base import Cost
from reasoning.scorers.cards import CARD_FILE, read_card
from reasoning.scorers.causal.texts import tokens_of
from reasoning.scorers.causal.transformers_reader import longest_seen, memory_errors_explained, open_model
from reasoning.scorers.threads import compute_with, large_model_threads
from reasoning.writers.base import WRITING_SECONDS, Watch, Written, never
from reasoning.writers.plain import TURN, conversation_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from reasoning.writers.base import Message

_LOOK_SECONDS = 0.1
"""Between two looks at whether it is to stop, while another text is being written."""


class CausalWriter:
    """A causal language model of transformers. Safe to share between threads: they take turns."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, name: str) -> None:
        """Take a model, as it lies on its device and in its precision, and its tokenizer."""
        self._model = model
        self._tokenizer = tokenizer
        self._name = name
        self._ends = _end_tokens(model, tokenizer)
        self._longest = longest_seen(model)
        self._turn = threading.Lock()
        model.train(mode=False)

    @classmethod
    def open(cls, source: Path) -> Self:
        """Load a folder: a model of transformers or a LoRA adapter, which may have a card.

        Raises:
            ScorerUnavailableError: it cannot be loaded; the message says why.

        """
        card = read_card(source) if (source / CARD_FILE).exists() else {}
        model, tokenizer = open_model(source)
        return cls(model, tokenizer, name=str(card.get("name", source.name)))

    @property
    def name(self) -> str:
        """How users see which model wrote."""
        return self._name

    def write(
        self,
        messages: Sequence[Message],
        *,
        limit: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        seconds: float = WRITING_SECONDS,
        cancelled: Callable[[], bool] = never,
    ) -> Written:
        """See `Writer.write`. Between two tokens it looks at whether it is to stop.

        Raises:
            ModelMemoryError: the messages do not fit into memory.

        """
        watch = Watch.begun(self._name, seconds, cancelled)
        prompt, stops = self._prompt(messages), (*stop, *self._own_stops())
        if self._longest is not None and len(prompt) >= self._longest:
            raise UndecidedError(
                f"A prompt of {len(prompt):,} tokens is longer than the {self._longest:,} that the model {self._name} "
                "can see; choose a model with a longer context."
            )
        room = limit if self._longest is None else min(limit, self._longest - len(prompt))
        full = (
            f"The memory of {self._model.device} ran out while the language model read a prompt of {len(prompt):,} "
            "tokens. Ask something shorter, choose a smaller model, or give the worker more memory."
        )
        with self._alone(watch), memory_errors_explained(full):
            return self._written(prompt, room, temperature, stops, watch)

    @contextmanager
    def _alone(self, watch: Watch) -> Iterator[None]:
        while not self._turn.acquire(timeout=_LOOK_SECONDS):
            watch.check()
        try:
            yield
        finally:
            self._turn.release()

    def _written(self, prompt: list[int], limit: int, temperature: float, stop: Sequence[str], watch: Watch) -> Written:
        compute_with(large_model_threads())
        found: list[int] = []
        text, ended, past = "", False, None
        next_ids = torch.tensor([prompt], device=self._model.device)
        with torch.inference_mode():
            while not ended and len(found) < limit:
                watch.check()
                output = self._model(input_ids=next_ids, past_key_values=past, use_cache=True, logits_to_keep=1)
                past = output.past_key_values
                token = _picked(output.logits[0, -1], temperature)
                found.append(token)
                next_ids = torch.tensor([[token]], device=self._model.device)
                if token in self._ends:
                    ended = True
                else:
                    text, ended = _up_to(stop, str(self._tokenizer.decode(found, skip_special_tokens=True)))
        return Written(text, Cost(1, len(prompt), len(found)), ended=ended)

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        """The tokens of a conversation, as the model was taught it or else as plain text.

        Raises:
            UndecidedError: the model takes no such conversation.

        """
        try:
            text = conversation_text(self._tokenizer, messages)
        except TemplateError as error:
            raise UndecidedError(f"The model {self._name} takes no such conversation ({error}).") from error
        start = self._tokenizer.bos_token_id
        # A template says itself how a document begins.
        begin = [start] if self._tokenizer.chat_template is None and isinstance(start, int) else []
        return begin + tokens_of(self._tokenizer, [text])[0]

    def _own_stops(self) -> tuple[str, ...]:
        return (TURN,) if self._tokenizer.chat_template is None else ()


def _end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The tokens that end a text."""
    configured = getattr(model.generation_config, "eos_token_id", None)
    ends = configured if isinstance(configured, list) else [configured]
    return frozenset(token for token in (*ends, tokenizer.eos_token_id) if isinstance(token, int))


def _picked(logits: torch.Tensor, temperature: float) -> int:
    """The next token, from (vocabulary,): the likeliest, or one at random by its probability."""
    if temperature == 0.0:
        return int(logits.argmax())
    return int(torch.multinomial(torch.softmax(logits.float() / temperature, -1), 1))


def _up_to(stop: Sequence[str], text: str) -> tuple[str, bool]:
    """The text before the first stop word, and whether there is one."""
    places = [place for word in stop if (place := text.find(word)) >= 0]
    return (text[: min(places)], True) if places else (text, False)
