"""The sizes of a choice model: plain numbers, for recipes and model cards."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The sizes of the trained part."""

    first_adapted_layer: int = 3
    """MiniLM's layers from this one on get a low-rank change in the prompt tower."""
    rank: int = 16
    hidden: int = 96
    """Width of the head."""
    glance: int = 32
    """How many numbers of the prompt's vector the head sees beside the features."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        return cls(**document)

    def to_json(self) -> dict[str, int]:
        """As a document for the model card."""
        return asdict(self)
