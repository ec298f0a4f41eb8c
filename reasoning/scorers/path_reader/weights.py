"""The weights of the path reader: two encoders, each a low-rank change to all-MiniLM-L6-v2."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.cards import BUNDLED_PATH_READER
from reasoning.scorers.encoder.minilm import AdaptedLinear, MiniLm, mean_vectors, padded, published_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from reasoning.scorers.encoder.minilm import EncoderFiles

WEIGHTS_FILE = "low-rank.safetensors"
_APART, _TOGETHER = "bi.m.", "ce.m."
_HEAD_WEIGHT, _HEAD_BIAS = "ce.head.weight", "ce.head.bias"
_LEFT, _RIGHT = ".weight.u", ".weight.v"
FIGURE_WEIGHTS, NO_PATH = "figures.weight", "figures.no_path"
_USUAL_NO_PATH = 4.0
"""In weights of earlier versions, which lack it."""
FIGURES = ("apart", "together", "explained", "fit", "targets")
"""The figures of a path: its likeness to the question by the bi-encoder, the cross-encoder's score, how far it explains
the words, how well its end fits what is asked for, and the share of the named targets that a step from there leads
to."""


@dataclass(frozen=True, slots=True)
class FigureWeights:
    """What weighs the figures of a path. It is fitted on held-out questions."""

    weights: Tensor
    """(`FIGURES`,): what each counts."""
    no_path: float
    """The log-odds of the case that no path is meant."""


@dataclass(frozen=True, slots=True)
class PathEncoders:
    """The two encoders and what weighs their figures."""

    apart: MiniLm
    """The bi-encoder: reads question and path one by one."""
    together: MiniLm
    """The cross-encoder: reads question and path in one text."""
    head: nn.Linear
    """From the mean vector of that text to its score."""
    figures: FigureWeights
    changes: Mapping[str, Tensor]
    """What the file holds, by key."""

    def scores(self, asked: Sequence[int], paths: Sequence[Sequence[int]]) -> Tensor:
        """(n,), by the cross-encoder, of the tokens of a question and of each path; see `PairTokens`."""
        ids, lengths = padded([[*asked, *path] for path in paths])
        hidden = self.together.run(self.together.embed(ids, second_from=len(asked)), lengths, slice(None))
        scores: Tensor = self.head(mean_vectors(hidden, lengths, unit=False))[:, 0]
        return scores

    def merge(self) -> None:
        """Make the changes part of the weights, for reading alone."""
        for encoder in (self.apart, self.together):
            for module in encoder.modules():
                if isinstance(module, AdaptedLinear):
                    module.merge()


def read_path_encoders(files: EncoderFiles, folder: Path = BUNDLED_PATH_READER) -> PathEncoders:
    """Read the weights of a folder, each encoder with its low-rank change apart from the published weights.

    Raises:
        ScorerUnavailableError: the weights are missing or damaged.

    """
    path = folder / WEIGHTS_FILE
    try:
        config = json.loads((files.folder / "config.json").read_text(encoding="utf-8"))
        published = load_file(files.folder / "model.safetensors")
        changes = load_file(path)
        apart, together = (_changed(MiniLm(config, published), changes, part) for part in (_APART, _TOGETHER))
        head = nn.Linear(together.width, 1)
        head.load_state_dict({"weight": changes[_HEAD_WEIGHT], "bias": changes[_HEAD_BIAS]})
        weights = changes[FIGURE_WEIGHTS].float()
        # Weights of earlier versions lack the last figures.
        weights = functional.pad(weights, (0, len(FIGURES) - len(weights)))
        no_path = changes.get(NO_PATH, torch.tensor([_USUAL_NO_PATH]))
        return PathEncoders(apart, together, head, FigureWeights(weights, float(no_path)), changes)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ScorerUnavailableError(
            f"The weights of the path reader in {path} cannot be read ({error}). Install Discern again."
        ) from error


def changed_weights(encoders: PathEncoders) -> dict[str, Tensor]:
    """What the file of these encoders holds, in half precision. Their changes must not be merged yet."""
    found = dict(encoders.changes)
    for encoder, part in ((encoders.apart, _APART), (encoders.together, _TOGETHER)):
        for ours, theirs in published_names(len(encoder.layers)).items():
            module = encoder.get_submodule(ours)
            if isinstance(module, AdaptedLinear) and module.up is not None and module.down is not None:
                found |= {f"{part}{theirs}{_LEFT}": module.up.data, f"{part}{theirs}{_RIGHT}": module.down.data}
    found |= {_HEAD_WEIGHT: encoders.head.weight, _HEAD_BIAS: encoders.head.bias}
    halves = {name: value.detach().half().contiguous() for name, value in found.items()}
    return halves | figure_tensors(encoders.figures)


def figure_tensors(figures: FigureWeights) -> dict[str, Tensor]:
    """What the file of weights holds of them."""
    return {FIGURE_WEIGHTS: figures.weights.float(), NO_PATH: torch.tensor([figures.no_path])}


def _changed(encoder: MiniLm, changes: Mapping[str, Tensor], part: str) -> MiniLm:
    for ours, theirs in published_names(len(encoder.layers)).items():
        module = encoder.get_submodule(ours)
        if isinstance(module, AdaptedLinear):
            module.up = nn.Parameter(changes[f"{part}{theirs}{_LEFT}"].float(), requires_grad=False)
            module.down = nn.Parameter(changes[f"{part}{theirs}{_RIGHT}"].float(), requires_grad=False)
        for kind in ("weight", "bias"):
            if (value := changes.get(f"{part}{theirs}.{kind}")) is not None:
                module.get_parameter(kind).data = value.float()
    return encoder
