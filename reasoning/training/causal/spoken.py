"""Lessons of a model that writes, put to it as its writer will: in its chat template, or as plain text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jinja2 import TemplateError

from reasoning.training.causal.errors import FineTuningError
from reasoning.writers.base import Message
from reasoning.writers.plain import REPLY_BEGINS, conversation_text

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from reasoning.training.causal.texts import TextSample


def spoken(sample: TextSample, tokenizer: PreTrainedTokenizerBase) -> TextSample:
    """A lesson as the model is asked it; what is chosen rather than written stays as it is.

    Raises:
        FineTuningError: the model takes no such conversation.

    """
    if sample.stage != "answers":
        return sample
    try:
        prompt = conversation_text(tokenizer, [Message("user", text) for text in sample.transcript])
    except TemplateError as error:
        raise FineTuningError(
            f"The base takes no conversation of one question ({error}). Choose another, or leave out the lesson "
            "“answers”."
        ) from error
    # Whatever is read begins with the token that begins a document, so the template's own would be a second one.
    prompt = prompt.removeprefix(str(tokenizer.bos_token or ""))
    begins = "" if tokenizer.chat_template else REPLY_BEGINS
    return replace(
        sample, transcript=(prompt,), continuations=tuple(f"{begins}{text}" for text in sample.continuations)
    )
