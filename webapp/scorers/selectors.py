"""What is read of scorers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webapp import engine
from webapp.scorers.schemas import ScorerOut

if TYPE_CHECKING:
    from pathlib import Path

_ABOUT = {
    "encoder": ("Encoder", "A small sentence encoder that comes with the product and runs on a processor."),
    "lexical": ("Lexical", "Compares words; it learned nothing, and is what others are measured against."),
}


def scorer_list() -> list[ScorerOut]:
    """All scorers of this site, the default one first."""
    default = engine.default_scorer()
    names = sorted(engine.scorer_names(), key=lambda name: (name != default, name))
    return [_scorer(name, is_default=name == default) for name in names]


def _scorer(name: str, *, is_default: bool) -> ScorerOut:
    title, about = _ABOUT.get(name, (name, "Trained on this site."))
    weights = engine.scorer_weights(name)
    card = None if weights is None else _card(weights / "card.json")
    return ScorerOut(name=name, title=title, about=about, is_default=is_default, card=card)


def _card(path: Path) -> dict[str, Any] | None:
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return card
