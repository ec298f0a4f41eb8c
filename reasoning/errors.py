"""Everything that can go wrong while reasoning, and whether trying again helps."""

from __future__ import annotations


class ReasoningError(Exception):
    """A run cannot go on. The message is for people: what happened and what to do."""

    code = "reasoning_failed"
    retryable = False


class InvalidDecisionError(ReasoningError):
    """A given decision names an option that is not in its pool."""

    code = "invalid_decision"


class UnknownTopicError(ReasoningError):
    """The topic entity that was asked for is not in the graph."""

    code = "unknown_topic"


class ScorerUnavailableError(ReasoningError):
    """The model cannot be loaded or reached."""

    code = "scorer_unavailable"
    retryable = True


class ModelMemoryError(ScorerUnavailableError):
    """The model, or what it is to read, does not fit into memory."""

    code = "out_of_memory"


class GraphUnavailableError(ReasoningError):
    """The graph cannot be read."""

    code = "graph_unavailable"
    retryable = True
