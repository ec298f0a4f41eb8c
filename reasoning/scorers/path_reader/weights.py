"""The weights of the path reader: two encoders, each a low-rank change to all-MiniLM-L6-v2."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from safetensors import SafetensorError
from safetensors.torch import load_file

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.cards import BUNDLED_PATH_READER
from reasoning.scorers.encoder.minilm import MiniLm

if TYPE_CHECKING:
    from torch import Tensor

    from reasoning.scorers.encoder.minilm import EncoderFiles

WEIGHTS_FILE = "low-rank.safetensors"
_LEFT, _RIGHT = ".u", ".v"
_MODEL = "m."


class PathEncoders(NamedTuple):
    """What `load_path_encoders` loads."""

    apart: MiniLm
    """The bi-encoder: reads question and path one by one."""
    together: MiniLm
    """The cross-encoder: reads question and path in one text."""
    weight: Tensor
    """(1, width): from the mean vector of that text to its score."""
    bias: Tensor
    """(1,)"""


def load_path_encoders(files: EncoderFiles) -> PathEncoders:
    """Load the bundled weights on top of the published ones.

    Raises:
        ScorerUnavailableError: the weights are missing or damaged.

    """
    path = BUNDLED_PATH_READER / WEIGHTS_FILE
    try:
        config = json.loads((files.folder / "config.json").read_text(encoding="utf-8"))
        published = load_file(files.folder / "model.safetensors")
        changes = load_file(path)
        apart, together = (MiniLm(config, _changed(published, changes, part)) for part in ("bi.", "ce."))
        return PathEncoders(apart, together, changes["ce.head.weight"].float(), changes["ce.head.bias"].float())
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ScorerUnavailableError(
            f"The weights of the path reader in {path} cannot be read ({error}). Install Discern again."
        ) from error


def _changed(published: dict[str, Tensor], changes: dict[str, Tensor], part: str) -> dict[str, Tensor]:
    """The published tensors with the changes of one encoder: added where they are of low rank, else instead."""
    weights = dict(published)
    prefix = part + _MODEL
    for key, value in changes.items():
        if not key.startswith(prefix) or key.endswith(_RIGHT):
            continue
        name = key.removeprefix(prefix)
        if name.endswith(_LEFT):
            name = name.removesuffix(_LEFT)
            right = changes[prefix + name + _RIGHT]
            weights[name] = published[name] + value.float() @ right.float()
        else:
            weights[name] = value.float()
    return weights
