"""Packing: many samples in one row of tokens, none of which sees another.

The samples of a question begin alike, and all begin with the same instructions. So a row is a tree: what samples share
is in it once, every token sees its ancestors alone, and its position is its depth. Each sample is thus read exactly as
if it stood by itself, which is also how the scorer reads options.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch

from reasoning.scorers.causal.texts import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

    from reasoning.training.causal.texts import TextSample


@dataclass(frozen=True, slots=True)
class TokenSample:
    """A prompt, and the option that is learned; its end token included."""

    prompt: tuple[int, ...]
    option: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.option)


@dataclass(slots=True)
class Row:
    """A tree of tokens; parents come before their children."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """For each token the one before it; -1 at the beginning."""
    places: list[int] = field(default_factory=list)
    """For each token that is learned, the one that it follows."""
    targets: list[int] = field(default_factory=list)
    """The tokens that are learned."""
    samples: int = 0
    _at: dict[tuple[int, int], int] = field(default_factory=dict)

    def new_tokens(self, sample: TokenSample) -> int:
        """How many tokens longer the row would be with a sample."""
        path = _path(sample)
        at = -1
        for known, token in enumerate(path):
            if (at, token) not in self._at:
                return len(path) - known
            at = self._at[at, token]
        return 0

    def add(self, sample: TokenSample) -> None:
        """Take a sample in."""
        at = -1
        path: list[int] = []
        for token in _path(sample):
            known = self._at.setdefault((at, token), len(self.tokens))
            if known == len(self.tokens):
                self.tokens.append(token)
                self.parents.append(at)
            at = known
            path.append(at)
        self.places += path[len(sample.prompt) - 1 :]
        self.targets += sample.option
        self.samples += 1

    def inputs(self) -> dict[str, Tensor]:
        """What a model takes, as a batch of one row, and with it ``targets`` with the logits' row of each."""
        count = len(self.tokens)
        mask = np.zeros((count, count), dtype=np.bool_)
        depth = np.zeros(count, dtype=np.int64)
        for index, parent in enumerate(self.parents):
            if parent >= 0:
                mask[index, :index] = mask[parent, :index]
                depth[index] = depth[parent] + 1
            mask[index, index] = True
        wanted, logits_of = np.unique(np.array(self.places), return_inverse=True)
        return {
            "input_ids": torch.tensor([self.tokens]),
            "attention_mask": torch.from_numpy(mask)[None, None],
            "position_ids": torch.from_numpy(depth)[None],
            "logits_to_keep": torch.from_numpy(wanted),
            "logits_of": torch.from_numpy(logits_of),
            "targets": torch.tensor(self.targets),
        }


def _path(sample: TokenSample) -> tuple[int, ...]:
    """The tokens that are read: the last of the option is only learned."""
    return sample.prompt + sample.option[:-1]


def tokenised(samples: Sequence[TextSample], tokenizer: PreTrainedTokenizerBase) -> list[TokenSample]:
    """Samples in tokens, as the scorer makes them: part by part."""
    texts = {text for sample in samples for text in (*sample.transcript, sample.continuations[sample.right[0]])}
    known = _Known(dict.fromkeys(sorted(texts)), tokenizer)
    begin, end = tokenizer.bos_token_id, tokenizer.eos_token_id
    first = [begin] if isinstance(begin, int) else []
    return [
        TokenSample((*first, *known(sample.transcript)), (*known([sample.continuations[sample.right[0]]]), end))
        for sample in samples
    ]


class _Known:
    def __init__(self, texts: Mapping[str, None], tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokens = dict(zip(texts, tokens_of(tokenizer, list(texts)), strict=True))

    def __call__(self, texts: Iterable[str]) -> list[int]:
        return [token for text in texts for token in self._tokens[text]]


def packed(units: Iterable[Sequence[TokenSample]], row_tokens: int, seed: int) -> list[Row]:
    """Rows of at most ``row_tokens`` tokens, and longer only where one sample is; units in an order drawn by chance."""
    shuffled = list(units)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - no secret
    rows: list[Row] = []
    for sample in (sample for unit in shuffled for sample in unit):
        if not rows or len(rows[-1].tokens) + rows[-1].new_tokens(sample) > row_tokens:
            rows.append(Row())
        rows[-1].add(sample)
    return rows
