"""A small model that starts from nothing: a tokenizer that learns from the samples' texts, and random weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasoning.training.causal.settings import NewModel
    from reasoning.training.causal.texts import TextSample

BEGIN, END = "<s>", "</s>"
CONTEXT = 2_048
_WORDS = r"[ ._^(]*\p{L}+(?:_\d+|:)?| ?\p{N}+|\s| ?[^\s\p{L}\p{N}]+"
"""A word takes in what leads to it (`` entity_1``, ``.film``, ``_by``) or ends it (``Step:``): a relation then has as
many tokens as words."""


def new_tokenizer(samples: Sequence[TextSample], vocabulary: int) -> PreTrainedTokenizerFast:
    """BPE over prompts and right options, so that what recurs there is one token. Upper and lower case are the same.

    A question may be typed in any case, and a small model would have to learn that both are one word. The instructions,
    which are the same in all samples, are a token of their own: nothing can be learned from them here.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    instructions = sorted({sample.transcript[0] for sample in samples if len(sample.transcript) > 1})
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(instructions),
        special_tokens=[BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(
        (
            text
            for sample in samples
            for text in (*(sample.transcript[1:] or sample.transcript), sample.continuations[sample.right[0]])
        ),
        trainer,
    )
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in instructions])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token=BEGIN, eos_token=END
    )


def new_model(tokenizer: PreTrainedTokenizerFast, size: NewModel, seed: int) -> LlamaForCausalLM:
    """A Llama with random weights."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        intermediate_size=size.width * 8 // 3,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.heads,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return LlamaForCausalLM(config)
