"""A conversation as one text: by a model's own template, or plain for models that were never taught one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedTokenizerBase

    from reasoning.writers.base import Message

_SPEAKERS = {"system": "Instructions", "user": "Question", "assistant": "Answer"}
TURN = "\nQuestion:"
"""Where such a model goes on with the next turn instead of ending; what it writes is cut there."""


REPLY_BEGINS = " "
"""A plain reply begins so, behind the colon."""


def conversation_text(tokenizer: PreTrainedTokenizerBase, messages: Sequence[Message]) -> str:
    """The conversation as a model was taught it, or else as plain text.

    Raises:
        jinja2.TemplateError: the model takes no such conversation.

    """
    if tokenizer.chat_template is None:
        return plain_prompt(messages)
    turns = [{"role": message.role, "content": message.text} for message in messages]
    return str(tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False))


def plain_prompt(messages: Sequence[Message]) -> str:
    """The conversation turn by turn, up to where the model's next one begins."""
    turns = [f"{_SPEAKERS[message.role]}: {message.text}" for message in messages]
    return "\n".join((*turns, f"{_SPEAKERS['assistant']}:"))
