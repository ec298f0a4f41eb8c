"""Everything that can go wrong while reasoning, and whether trying again helps."""

from __future__ import annotations

from typing import ClassVar


class ReasoningError(Exception):
    """A run cannot go on. The message says what happened and what to do, for operators."""

    code = "reasoning_failed"
    retryable = False
    people: ClassVar[str] = ""
    """What to tell people who ask, where the message names folders or servers that only operators should know."""

    @property
    def for_people(self) -> str:
        """What to tell people who ask."""
        return self.people or str(self)

    @property
    def for_operators(self) -> str:
        """What operators see."""
        return str(self)


class InvalidDecisionError(ReasoningError):
    """A given decision names an option that is not in its pool."""

    code = "invalid_decision"


class ContinuationRefusedError(ReasoningError):
    """A run cannot go on from another one: its graph has changed, or it has no such decision."""

    code = "continuation_refused"


class QuestionTextError(ReasoningError):
    """The question is too long to be read, or holds what no text may hold."""

    code = "question_unreadable"


class UnknownTopicError(ReasoningError):
    """The topic entity that was asked for is not in the graph."""

    code = "unknown_topic"


class UnknownStrategyError(ReasoningError):
    """There is no strategy of the name that was asked for."""

    code = "unknown_strategy"


class WriterMissingError(ReasoningError):
    """The strategy needs a model that writes, and there is none."""

    code = "writer_missing"


class ScorerUnavailableError(ReasoningError):
    """The model cannot be loaded or reached: it would decide nothing else either."""

    code = "scorer_unavailable"
    people = "This model cannot be used. Choose another one, or tell the administrator; its log says why."


class ModelServerAwayError(ScorerUnavailableError):
    """The model's server does not answer; it may in a moment."""

    retryable = True
    people = "The model's server does not answer. Try again in a minute, or choose another model."


class ModelMemoryError(ScorerUnavailableError):
    """The model, or what it is to read, does not fit into memory."""

    code = "out_of_memory"
    people = "The model, or what it is to read, does not fit into memory. Choose another one, or ask something shorter."


class UndecidedError(ReasoningError):
    """The model is there, but makes nothing of this one decision."""

    code = "undecided"
    people = "The model makes nothing of this decision. Choose another one, or ask in other words."


class WritingTimeoutError(ReasoningError):
    """A model wrote for too long."""

    code = "writing_timeout"
    retryable = True


class WritingCancelledError(ReasoningError):
    """A model was asked to stop writing."""

    code = "writing_cancelled"
