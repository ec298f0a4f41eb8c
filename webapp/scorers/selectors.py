"""What is read of scorers."""

from __future__ import annotations

from reasoning.errors import ScorerUnavailableError
from webapp import engine
from webapp.scorers.schemas import ScorerOut

_ABOUT = {
    "encoder": ("Encoder", "A small sentence encoder that comes with Discern and runs on a processor."),
    "lexical": ("Lexical", "Compares words. It learned nothing: it is what others are measured against."),
}


def scorer_list() -> list[ScorerOut]:
    """All scorers of this site, the default one first."""
    default = engine.default_scorer()
    names = sorted(engine.scorer_names(), key=lambda name: name != default)
    return [_scorer(name, is_default=name == default) for name in names]


def _scorer(name: str, *, is_default: bool) -> ScorerOut:
    title, about = _ABOUT.get(name, (name, "Trained on this site."))
    try:
        card, fault = engine.scorer_card(name), ""
    except ScorerUnavailableError as error:
        card, fault = None, str(error)
    return ScorerOut(name=name, title=title, about=fault or about, is_default=is_default, card=card)
