"""The size of a judge. It needs no torch, so that recipes can be read without it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class JudgeShape:
    """The size of a judge."""

    width: int = 48
    """Of a text's projection."""
    hidden: int = 32
    text: int = 384
    """The length of a text vector."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        return cls(**document)

    def to_json(self) -> dict[str, Any]:
        """For the card."""
        return asdict(self)
