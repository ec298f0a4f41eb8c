"""Errors of a fine-tuning."""

from __future__ import annotations

from reasoning.core.errors import ReasoningError


class FineTuningError(ReasoningError):
    """A language model cannot be fine-tuned; the message says what to do."""

    code = "fine_tuning"
