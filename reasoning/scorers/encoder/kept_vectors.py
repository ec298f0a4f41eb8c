"""Vectors of texts on disk, so that a worker that restarts does not compute them again.

A file is of one version of a graph, one encoder and one way to compute. It is written whole or not at all; one that is
damaged or of something else is ignored and written again; where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import json
import logging
import os
import re
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

log = logging.getLogger(__name__)

FILES_KEPT = 4
"""Of other graphs, other versions and other encoders: the files that were written last."""
_SUFFIX = ".safetensors"
_VECTORS = "vectors"
_TEXTS = "texts"


def read_vectors(folder: Path, name: str, width: int) -> Mapping[str, Tensor]:
    """The vectors (width) that were kept under a name, by their texts; none where no good file is there."""
    path = _path(folder, name)
    if not path.exists():
        return {}
    try:
        with safe_open(path, framework="pt") as file:
            # A copy: what is mapped would change, or end the process, if the file is cut.
            about, vectors = file.metadata() or {}, file.get_tensor(_VECTORS).clone()
        texts = json.loads(about[_TEXTS])
        fault = "" if about["name"] == name else "it is of another graph or encoder"
        if vectors.shape != (len(texts), width) or vectors.dtype != torch.float32 or not vectors.isfinite().all():
            fault = "it does not hold a vector for each text"
    except (OSError, ValueError, KeyError, TypeError, RecursionError, SafetensorError) as error:
        fault = repr(error)
    if fault:
        log.warning("%s is passed over, and its texts are read again: %s", path, fault)
        return {}
    return dict(zip(map(str, texts), vectors, strict=True))


def keep_vectors(folder: Path, name: str, vectors: Mapping[str, Tensor]) -> None:
    """Keep vectors under a name, and remove the oldest files. A disk that takes nothing is logged, and no error."""
    path = _path(folder, name)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    metadata = {"name": name, _TEXTS: json.dumps(list(vectors))}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            partial.write_bytes(save({_VECTORS: torch.stack(list(vectors.values())).contiguous()}, metadata))
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        written = sorted(folder.glob(f"*{_SUFFIX}"), key=lambda each: each.stat().st_mtime_ns, reverse=True)
        for old in written[FILES_KEPT:]:
            old.unlink(missing_ok=True)
    except OSError as error:
        log.warning("the vectors of relations cannot be kept in %s: %s", folder, error)


def _path(folder: Path, name: str) -> Path:
    return folder / (re.sub(r"[^\w-]", "_", name) + _SUFFIX)
