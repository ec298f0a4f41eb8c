"""A conversation as plain text, for models that were never taught one and have no template of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.writers.base import Message

_SPEAKERS = {"system": "Instructions", "user": "Question", "assistant": "Answer"}
TURN = "\nQuestion:"
"""Where such a model goes on with the next turn instead of ending; what it writes is cut there."""


def plain_prompt(messages: Sequence[Message]) -> str:
    """The conversation turn by turn, up to where the model's next one begins."""
    turns = [f"{_SPEAKERS[message.role]}: {message.text}" for message in messages]
    return "\n".join((*turns, f"{_SPEAKERS['assistant']}:"))
