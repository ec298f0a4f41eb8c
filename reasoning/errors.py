"""Everything that can go wrong while reasoning, and whether trying again helps."""

from __future__ import annotations


class ReasoningError(Exception):
    """A run cannot go on. The message is for people: what happened and what to do."""

    code = "reasoning_failed"
    retryable = False


class InvalidDecisionError(ReasoningError):
    """A given decision names an option that is not in its pool."""

    code = "invalid_decision"


class QuestionTextError(ReasoningError):
    """The question is too long to be read, or holds what no text may hold."""

    code = "question_unreadable"


class UnknownTopicError(ReasoningError):
    """The topic entity that was asked for is not in the graph."""

    code = "unknown_topic"


class ScorerUnavailableError(ReasoningError):
    """The model cannot be loaded or reached: it would decide nothing else either."""

    code = "scorer_unavailable"


class ModelServerAwayError(ScorerUnavailableError):
    """The model's server does not answer; it may in a moment."""

    retryable = True


class ModelMemoryError(ScorerUnavailableError):
    """The model, or what it is to read, does not fit into memory."""

    code = "out_of_memory"


class UndecidedError(ReasoningError):
    """The model is there, but makes nothing of this one decision."""

    code = "undecided"


class GraphUnavailableError(ReasoningError):
    """The graph cannot be read."""

    code = "graph_unavailable"
    retryable = True
