"""The size of a strategy's own weights. It needs no torch, so that recipes can be read without it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of what is trained; each strategy adds the numbers that make it up."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote.

        Raises:
            TypeError: a number is unknown.

        """
        return cls(**document)

    def to_json(self) -> dict[str, Any]:
        """For the card."""
        return asdict(self)
