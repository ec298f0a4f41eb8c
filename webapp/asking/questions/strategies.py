"""The ways to answer questions, as pages and commands offer them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.strategies.registry import STRATEGIES
from webapp import engine
from webapp.asking.questions.schemas import StrategyOut
from webapp.platform.http.option_fields import option_out

if TYPE_CHECKING:
    from reasoning.strategies.registry import StrategyEntry


def strategies_offered() -> list[StrategyOut]:
    """All strategies, the usual one first."""
    return [_offered(name, entry) for name, entry in STRATEGIES.items()]


def _offered(name: str, entry: StrategyEntry) -> StrategyOut:
    options = {option.name for option in entry.options}
    return StrategyOut(
        name=name,
        title=entry.title,
        about=entry.about,
        options=[option_out(option) for option in entry.options],
        answered_by=None if entry.answered_by is None else entry.answered_by.name,
        own_answers=entry.own_answers,
        fault=engine.strategy_fault(name) or None,
        keeps_readings=entry.keeps_readings,
        determines="determination" in options,
        plans="planner" in options,
        debates="debate" in options,
        beams="depth" in options,
        predicts="predictor" in options,
    )
