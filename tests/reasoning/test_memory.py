"""What happens where memory runs out: a process of its own, whose address space is limited."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.reasoning.language_models import sparse_model

pytestmark = pytest.mark.slow

_SCRIPT = """
import resource, sys
from pathlib import Path
import torch
from kgstore.terms import Relation, TermKind
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import ModelMemoryError
from reasoning.core.options import NoneOption, OptionPool, DecisionState, Stage, StepOption
from reasoning.scorers.causal.scorer import CausalLMScorer
from reasoning.scorers.causal.transformers_reader import TransformersReader
from reasoning.core.structure import AbstractStructure
from tests.reasoning.language_models import relations, small_model, small_tokenizer

def limit(megabytes):
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = resource.RLIM_INFINITY if megabytes is None else now + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))

torch.set_num_threads(1)
# What may follow is computed for each of a million tokens: 4 MB for every prefix that is read.
reader = TransformersReader(small_model(vocabulary=1_000_000), small_tokenizer())
scorer = CausalLMScorer(reader, name="small")
steps = [StepOption(SearchStep(0, Relation.parse(name)), 1, 1, TermKind.ENTITY) for name in relations()[:60]]
pool = OptionPool((*steps, NoneOption()))
prompt = DecisionState(Stage.SEARCH, "who?", AbstractStructure.rooted("Queen"), None)

limit(100)
try:
    scorer.score(prompt, pool, best=1)
except ModelMemoryError as error:
    print(error.code, error)
limit(None)
print("again:", scorer.score(prompt, pool, best=1).cost.calls > 0)

limit(16_000)
try:
    TransformersReader.open(sys.argv[1])
except ModelMemoryError as error:
    print(error.code, error)
"""


def test_memory_that_runs_out_is_reported_and_the_next_decision_goes_on(tmp_path: Path) -> None:
    large = sparse_model(tmp_path, gigabytes=64)
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, large],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reading, again, loading = done.stdout.splitlines()
    assert reading.startswith("out_of_memory The memory of cpu ran out while the language model read a prompt of ")
    assert "choose a smaller model" in reading
    assert again == "again: True"
    assert loading == (
        f"out_of_memory The language model {large} does not fit into the memory of cpu; choose a smaller one."
    )
