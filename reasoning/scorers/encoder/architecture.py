"""The sizes of a choice model, and what is added to what it says: plain numbers, for recipes and model cards."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from reasoning.core.plain import PlainRecord

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ModelShape(PlainRecord):
    """The sizes of the trained part."""

    first_adapted_layer: int = 3
    """MiniLM's layers from this one on get a low-rank change in the prompt tower."""
    rank: int = 16
    hidden: int = 96
    """Width of the head."""
    glance: int = 32
    """Number of values of the prompt's vector that the head sees besides the features."""


@dataclass(frozen=True, slots=True)
class Biases(PlainRecord):
    """What is added to the log-odds of some options, whatever was learned; see docs/explanation/scorer.md."""

    first_none_bias: float = 0.0
    """To those of None before the first step."""
    later_none_bias: float = 0.0
    """To those of None after it, while there is another step to choose."""

    @classmethod
    def of_card(cls, card: Mapping[str, Any]) -> Self:
        """Those of a model card; none where it says none."""
        return cls(**{each.name: float(card.get(each.name, 0.0)) for each in fields(cls)})
