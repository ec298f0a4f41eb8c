"""What lies in a model's folder is data: nothing in it is ever run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.causal.transformers_reader import TransformersReader
from tests.reasoning.language_models import save_model, small_model

if TYPE_CHECKING:
    from collections.abc import Callable


class Trap:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.mark,)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What is there once something was run."""
    return tmp_path / "was-run"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_model(tmp_path / "model", small_model())


def test_pickled_weights_are_refused_whether_or_not_they_are_a_trap(folder: Path, mark: Path) -> None:
    (weights,) = folder.glob("*.safetensors")
    weights.unlink()
    torch.save(small_model().state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(ScorerUnavailableError, match="safetensors"):
        TransformersReader.open(folder)
    torch.save({"model.norm.weight": Trap(mark)}, folder / "pytorch_model.bin")
    with pytest.raises(ScorerUnavailableError, match="safetensors"):
        TransformersReader.open(folder)
    assert not mark.exists()


def test_code_beside_a_model_is_never_run(folder: Path, mark: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Asked at a terminal, transformers would let the user confirm.
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    (folder / "trap.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nclass Model: ...\n")
    config: dict[str, Any] = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "a-type-that-nobody-knows",
        "auto_map": {"AutoConfig": "trap.Model", "AutoModelForCausalLM": "trap.Model", "AutoTokenizer": "trap.Model"},
    }
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ScorerUnavailableError):
        TransformersReader.open(folder)
    assert not mark.exists()


def test_a_pickled_adapter_is_refused(folder: Path, tmp_path: Path, mark: Path) -> None:
    peft = pytest.importorskip("peft")
    from reasoning.scorers.causal.transformers_reader import peft_of_today  # noqa: PLC0415 - together with peft

    adapter = tmp_path / "adapter"
    with peft_of_today():
        peft.get_peft_model(small_model(), peft.LoraConfig(target_modules="all-linear")).save_pretrained(adapter)
    config = json.loads((adapter / "adapter_config.json").read_text())
    (adapter / "adapter_config.json").write_text(json.dumps(config | {"base_model_name_or_path": str(folder)}))
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (adapter / file).write_bytes((folder / file).read_bytes())
    (adapter / "adapter_model.safetensors").unlink()
    torch.save({"weight": Trap(mark)}, adapter / "adapter_model.bin")
    with pytest.raises(ScorerUnavailableError, match="safetensors"):
        TransformersReader.open(adapter)
    assert not mark.exists()
