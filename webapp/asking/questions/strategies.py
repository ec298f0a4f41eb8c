"""The ways to answer questions, as pages and commands offer them."""

from __future__ import annotations

from reasoning.strategies.registry import STRATEGIES
from webapp import engine
from webapp.asking.questions.schemas import StrategyOut


def strategies_offered() -> list[StrategyOut]:
    """All strategies, the usual one first."""
    return [
        StrategyOut(
            name=name,
            title=entry.title,
            about=entry.about,
            keeps_readings=entry.keeps_readings,
            determines=entry.determines,
            plans=entry.plans,
            debates=entry.debates,
            beams=entry.beams,
            predicts=entry.predicts,
            own_answers=entry.own_answers,
            fault=engine.strategy_fault(name) or None,
        )
        for name, entry in STRATEGIES.items()
    ]
