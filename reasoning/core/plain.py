"""What records of plain values share."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PlainRecord:
    """A record whose fields are plain values, so that its JSON document has its fields by name."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote.

        Raises:
            TypeError: a field is missing or unknown.

        """
        return cls(**document)

    def to_json(self) -> dict[str, Any]:
        """All fields by name."""
        return asdict(self)
