"""Loads language models that others made, as data: none of their code is run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import AutoModelForCausalLM, AutoTokenizer

from reasoning.core.errors import ScorerUnavailableError

if TYPE_CHECKING:
    import torch

_ADAPTER_WEIGHTS = "adapter_model.safetensors"


def load_model(source: str, dtype: torch.dtype) -> Any:
    """A model from a folder or the Hugging Face hub; weights in other formats than safetensors could run code.

    Raises:
        OSError: there is none, or it has no weights in safetensors.
        ValueError: it is of a kind that only code of its own could read.

    """
    return AutoModelForCausalLM.from_pretrained(
        source, dtype=dtype, attn_implementation="sdpa", use_safetensors=True, trust_remote_code=False
    )


def load_tokenizer(source: Path | str) -> Any:
    """The tokenizer of a model.

    Raises:
        OSError: there is none.
        ValueError: it is of a kind that only code of its own could read.

    """
    return AutoTokenizer.from_pretrained(source, trust_remote_code=False)


def adapter_ensure_safe(source: str) -> None:
    """See that an adapter's weights are in safetensors; peft would read pickled ones as well.

    Raises:
        ScorerUnavailableError: they are not.

    """
    if not (Path(source) / _ADAPTER_WEIGHTS).is_file():
        raise ScorerUnavailableError(
            f"{source} has no {_ADAPTER_WEIGHTS}. Weights in other formats could run code and are not read; save the "
            "adapter as safetensors."
        )
