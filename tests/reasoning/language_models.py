"""Small causal language models, made on the spot: random weights, and a tokenizer trained on the sample's relations."""

from __future__ import annotations

import json
import struct
from functools import cache
from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from kgstore.loading.sample import sample_files

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

    from reasoning.scorers.causal.trie import Floats

BEGIN, END = "<s>", "</s>"


@cache
def relations() -> tuple[str, ...]:
    """The relations of the sample graph, in alphabetical order."""
    rows = (line.split("\t") for path in sample_files() for line in path.read_text(encoding="utf-8").splitlines())
    return tuple(sorted({row[1] for row in rows if len(row) > 2}))


@cache
def small_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE that learned the relations' names."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=8192, special_tokens=[BEGIN, END], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(relations(), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=BEGIN, eos_token=END)


def small_model(*, width: int = 32, layers: int = 2, vocabulary: int | None = None, seed: int = 0) -> LlamaForCausalLM:
    """A Llama with random weights; 256 wide, 6 layers and 8,192 tokens are 7 million of them."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary or len(small_tokenizer()),
        hidden_size=width,
        intermediate_size=width * 8 // 3,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=1,
    )
    return LlamaForCausalLM(config)


def decided_model(*, width: int = 32, seed: int = 0) -> LlamaForCausalLM:
    """A small model whose next tokens differ widely in probability, as a trained one's do."""
    model = small_model(width=width, seed=seed)
    with torch.no_grad():
        model.model.norm.weight.mul_(12)
    return model


def served_model(folder: Path) -> Path:
    """A folder with such a model; heads of 32 numbers are the least that vLLM's kernels for processors read."""
    return save_model(folder, decided_model(width=128))


def save_model(folder: Path, model: LlamaForCausalLM) -> Path:
    """A folder as people have them."""
    model.save_pretrained(folder)
    small_tokenizer().save_pretrained(folder)
    return folder


def sparse_model(folder: Path, *, gigabytes: int) -> Path:
    """A folder with a model of this size, whose weights are a hole in a file and take no room on the disk."""
    config = small_model().config
    config.intermediate_size = gigabytes * 10**9 // (3 * 4 * config.hidden_size * config.num_hidden_layers)
    with torch.device("meta"):
        weights = LlamaForCausalLM(config).state_dict()
    del weights["lm_head.weight"]  # tied to the embeddings
    header, end = {}, 0
    for name, tensor in weights.items():
        start, end = end, end + tensor.numel() * 4
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [start, end]}
    written = json.dumps(header).encode()
    config.save_pretrained(folder)
    small_tokenizer().save_pretrained(folder)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(written)) + written)
        file.truncate(file.tell() + end)
    return folder


def made_up_pool(rng: random.Random, size: int) -> list[str]:
    """The texts of different options, None the last of them."""
    found: set[str] = set()
    while len(found) < size - 1:
        caret = "^" if rng.random() < 0.3 else ""
        found.add(f" entity_{rng.randint(1, 3)} {caret}{rng.choice(relations())}")
    return [*sorted(found), " None"]


def made_up_prompt(rng: random.Random, tokens: int) -> list[int]:
    """Some tokens."""
    return [rng.randrange(2, len(small_tokenizer())) for _ in range(tokens)]


def brute_force(model: LlamaForCausalLM, prompt: Sequence[int], options: Sequence[Sequence[int]]) -> Floats:
    """(options,) Each option's log-probability by a full pass of its own, in one padded batch; the end token is 1."""
    start = len(prompt) + 1
    rows = [[0, *prompt, *option, 1] for option in options]
    width = max(map(len, rows))
    ids = torch.tensor([row + [1] * (width - len(row)) for row in rows])
    with torch.inference_mode():
        steps = torch.log_softmax(model(input_ids=ids).logits.double(), -1)
    chosen = steps[:, start - 1 : -1].gather(2, ids[:, start:, None])[..., 0]
    lengths = torch.tensor([len(row) - start for row in rows])
    inside = torch.arange(width - start)[None] < lengths[:, None]
    sums: Floats = (chosen * inside).sum(1).numpy()
    return sums
