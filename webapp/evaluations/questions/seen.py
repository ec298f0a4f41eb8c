"""Which questions of an evaluation its models have seen in training."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from reasoning.core.errors import ScorerUnavailableError
from webapp import engine

if TYPE_CHECKING:
    from reasoning.datasets.learned import LearnedQuestions

log = logging.getLogger(__name__)


def learned_by(scorer: str, strategy: str) -> LearnedQuestions | None:
    """The questions that a scorer and a strategy's own weights learned from; None where that is not known of both."""
    try:
        by_scorer, by_weights = engine.learned_questions(scorer), engine.questions_learned_by_weights(strategy)
        return None if by_scorer is None or by_weights is None else by_scorer.joined(by_weights)
    except ScorerUnavailableError as error:
        log.warning("the questions seen in training are unknown: %s", error.for_operators)
        return None
