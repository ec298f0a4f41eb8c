"""The language models that may be fine-tuned on this site: a small one from nothing, and those that the settings name.

Nothing here imports a model's libraries. What people choose is a name of this list, never a place.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from reasoning.scorers.cards import ADAPTER_FILE
from reasoning.training.causal.settings import NEW
from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEEDED = ("torch", "transformers", "accelerate")
_NEEDED_FOR_OTHERS = (*_NEEDED, "peft")
_MODEL_FILE = "config.json"


def bases() -> Mapping[str, str]:
    """Where each lies, by its name: a folder, or what it is called on the hub. Folders go by their last part."""
    return {NEW: NEW, **settings.ENVIRONMENT.bases}


def base_folders() -> list[Path]:
    """The folders of those that lie on this machine."""
    return [Path(source) for source in bases().values() if _is_folder(source)]


def base_fault(name: str) -> str:
    """Why one of them cannot be fine-tuned here, and what to do; empty where nothing is known to keep it."""
    source = bases()[name]
    missing = [package for package in (_NEEDED if name == NEW else _NEEDED_FOR_OTHERS) if find_spec(package) is None]
    if missing:
        return (
            f"Fine-tuning {_called(name)} needs {' and '.join(missing)}, which this site lacks. The administrator "
            "installs the extras “models” and “finetune”."
        )
    if not _is_folder(source):
        return ""
    if (Path(source) / ADAPTER_FILE).exists():
        return f"“{name}” is a LoRA adapter. The administrator names the model beneath it in DISCERN_BASE_MODELS."
    if not (Path(source) / _MODEL_FILE).is_file():
        return (
            f"The folder of “{name}” holds no model: it has no {_MODEL_FILE}. The administrator names another one "
            "in DISCERN_BASE_MODELS."
        )
    return ""


def base_queue(name: str) -> Queue:
    """Where a training of one waits: a small new model is trained wherever an encoder is, the others want a GPU."""
    return Queue.CPU_BACKGROUND if name == NEW else Queue.GPU_BACKGROUND


def _is_folder(source: str) -> bool:
    return source.startswith("/")


def _called(name: str) -> str:
    return "a language model" if name == NEW else f"“{name}”"
