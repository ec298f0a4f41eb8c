"""What the API says of scorers."""

from typing import Any

from ninja import Schema


class ScorerOut(Schema):
    """A scorer that may decide."""

    name: str
    title: str
    about: str
    """What it is, in a sentence."""
    is_default: bool
    card: dict[str, Any] | None
    """The model card: data, settings and figures; None for a scorer that learned nothing."""
