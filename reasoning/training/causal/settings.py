"""How a language model is fine-tuned: plain numbers, read without loading a model's libraries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Lesson: TypeAlias = Literal["decisions", "plans", "answers"]
"""What a model is taught: the decisions of derivations; RoG's plans, chosen among whole relation paths; RoG's answers,
named among what lies along plans."""
LESSONS: tuple[Lesson, ...] = get_args(Lesson)

NEW = "new"
"""In place of a base model: a small one with random weights and a tokenizer of its own."""


@dataclass(frozen=True, slots=True)
class FineTuning:
    """How to train. Together with base and samples they determine the result on one machine."""

    epochs: int = 3
    learning_rate: float = 2e-4
    rank: int = 16
    """Of the low-rank change (LoRA) to every linear layer; a new model learns all its weights instead."""
    row_tokens: int = 2048
    """Number of tokens that are read at a time, from one or several samples."""
    rows_a_step: int = 8
    """Number of rows in a step, over all devices."""
    warmup: float = 0.05
    """The share of the steps in which the learning rate rises."""
    checks: int = 8
    """How often it is tested and saved while it trains."""
    dev_share: float = 0.08
    """The share of the training questions on which the best state and the bias of None are chosen."""
    judged: int = 400
    """Maximum of their decisions that are judged at every check."""
    validated: int = 1_000
    """Maximum of validation decisions that are judged at the end."""
    seed: int = 7


@dataclass(frozen=True, slots=True)
class NewModel:
    """The size of a model that starts from nothing."""

    width: int = 192
    layers: int = 4
    heads: int = 3
    vocabulary: int = 3_072


NEW_TUNING = FineTuning(epochs=4, learning_rate=2e-3, row_tokens=384, rows_a_step=2)
"""What suits `NewModel` and a few thousand questions."""
