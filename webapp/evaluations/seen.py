"""Which questions of an evaluation its scorer has seen in training."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from reasoning.errors import ScorerUnavailableError
from webapp import engine

if TYPE_CHECKING:
    from reasoning.datasets.learned import LearnedQuestions

log = logging.getLogger(__name__)


def learned_by(scorer: str) -> LearnedQuestions | None:
    """The questions that a scorer learned from; None where that is not known, or cannot be read."""
    try:
        return engine.learned_questions(scorer)
    except ScorerUnavailableError as error:
        log.warning("what was seen in training is not told: %s", error.for_operators)
        return None
