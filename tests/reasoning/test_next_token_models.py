"""Every backend gives the log-probabilities of the model's own full passes, in whatever portions it is asked."""

from __future__ import annotations

import copy
import random
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM, MistralConfig, MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM

from reasoning.core.errors import ScorerUnavailableError, UndecidedError
from reasoning.scorers.causal.reading import Pace
from reasoning.scorers.causal.search import Search
from reasoning.scorers.causal.transformers_reader import TransformersReader
from reasoning.scorers.causal.trie import OptionTrie
from reasoning.scorers.causal.vllm_reader import VllmReader
from reasoning.scorers.server import ModelServer
from tests.reasoning.language_models import (
    brute_force,
    decided_model,
    made_up_pool,
    made_up_prompt,
    save_model,
    small_model,
    small_tokenizer,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from transformers import PreTrainedModel

    from reasoning.scorers.causal.reading import NextTokenModel

pytestmark = pytest.mark.slow

PACES = {
    "one by one": Pace(ahead=1, least=1, most=1),
    "in portions": Pace(ahead=8, least=5, most=40),
    "all at once": Pace(ahead=100_000, least=1, most=100_000),
}
ABSOLUTE, RELATIVE = 1e-4, 1e-5
POOLS = 200


def _rng(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def model() -> PreTrainedModel:
    return decided_model()


@dataclass(frozen=True)
class Backend:
    model: PreTrainedModel
    """What it should agree with."""
    open: Callable[[Pace | None], NextTokenModel]


@pytest.fixture(scope="module", params=["transformers", "vllm"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    if request.param == "transformers":
        model = decided_model()
        yield Backend(model, lambda pace: TransformersReader(model, small_tokenizer(), pace=pace))
        return
    served = request.getfixturevalue("vllm")
    with ExitStack() as opened:
        server = ModelServer((served.url,))
        yield Backend(
            LlamaForCausalLM.from_pretrained(served.folder, dtype=torch.float32),
            lambda pace: opened.enter_context(
                closing(VllmReader(server) if pace is None else VllmReader(server, pace=pace))
            ),
        )


@pytest.mark.parametrize("pace", PACES)
def test_prefixes_read_together_are_what_they_are_alone(backend: Backend, pace: str) -> None:
    reader, model = backend.open(PACES[pace]), backend.model
    for seed in range(2):
        rng = _rng(seed)
        prompt = made_up_prompt(rng, 20)
        options = reader.tokens(made_up_pool(rng, 12))
        trie = OptionTrie(options, reader.end)
        reading = reader.begin(prompt, trie)
        search = Search(trie, reading, reader.pace)
        search.until_unseen(0)
        assert search.seen().log_probs == pytest.approx(brute_force(model, prompt, options), abs=ABSOLUTE, rel=RELATIVE)
        assert 0 < reading.cost.calls <= trie.inner
        assert search.seen().nodes == trie.inner


def test_no_prefix_is_read_twice(model: PreTrainedModel) -> None:
    reader = TransformersReader(model, small_tokenizer(), pace=PACES["in portions"])
    rng = _rng(1)
    trie = OptionTrie(reader.tokens(made_up_pool(rng, 12)), reader.end)
    reading = reader.begin(made_up_prompt(rng, 20), trie)
    Search(trie, reading, reader.pace).until_unseen(0)
    assert reading.cost.tokens_in == 21 + trie.inner - 1


def test_the_choice_is_that_of_brute_force(backend: Backend) -> None:
    reader, model = backend.open(None), backend.model
    for seed in range(POOLS):
        rng = _rng(seed)
        prompt = made_up_prompt(rng, 6)
        options = reader.tokens(made_up_pool(rng, rng.randint(2, 12)))
        trie = OptionTrie(options, reader.end)
        search = Search(trie, reader.begin(prompt, trie), reader.pace)
        best = int(search.best()[0])
        everything = brute_force(model, prompt, options)
        chosen = everything[trie.leaf == best][0]
        assert chosen == pytest.approx(everything.max(), abs=ABSOLUTE, rel=RELATIVE)


def test_a_prompt_that_goes_on_is_not_read_again(model: PreTrainedModel) -> None:
    reader = TransformersReader(model, small_tokenizer())
    rng = _rng(3)
    prompt, forwarded = made_up_prompt(rng, 60), 0
    options = reader.tokens(made_up_pool(rng, 30))
    for _ in range(6):
        trie = OptionTrie(options, reader.end)
        reading = reader.begin(prompt, trie)
        search = Search(trie, reading, reader.pace)
        leaf = int(search.best()[0])
        search.until_unseen(0)
        assert search.seen().log_probs == pytest.approx(brute_force(model, prompt, options), abs=ABSOLUTE, rel=RELATIVE)
        reading.keep(leaf)
        forwarded += reading.prompt_tokens
        prompt = [*prompt, *options[int(np.flatnonzero(trie.leaf == leaf)[0])], *made_up_prompt(rng, 3)]
    assert forwarded / len(prompt) <= 1.1


def test_another_prompt_shares_what_it_begins_with(model: PreTrainedModel) -> None:
    reader = TransformersReader(model, small_tokenizer())
    rng = _rng(4)
    common = made_up_prompt(rng, 40)
    options = reader.tokens(made_up_pool(rng, 8))
    trie = OptionTrie(options, reader.end)
    read = []
    for _ in range(2):
        prompt = [*common, *made_up_prompt(rng, 5)]
        reading = reader.begin(prompt, trie)
        search = Search(trie, reading, reader.pace)
        search.until_unseen(0)
        assert search.seen().log_probs == pytest.approx(brute_force(model, prompt, options), abs=ABSOLUTE, rel=RELATIVE)
        reading.keep(int(trie.leaf[0]))
        read.append(reading.prompt_tokens)
    assert read[0] == 46
    assert read[1] <= 5


@pytest.mark.parametrize("kind", ["mistral", "qwen2"])
def test_other_families_are_read_as_exactly(kind: str) -> None:
    torch.manual_seed(1)
    sizes = {
        "vocab_size": len(small_tokenizer()),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    model: PreTrainedModel = (
        MistralForCausalLM(MistralConfig(**sizes, sliding_window=None))
        if kind == "mistral"
        else Qwen2ForCausalLM(Qwen2Config(**sizes))
    )
    reader = TransformersReader(model, small_tokenizer())
    rng = _rng(5)
    prompt = made_up_prompt(rng, 15)
    options = reader.tokens(made_up_pool(rng, 10))
    trie = OptionTrie(options, reader.end)
    search = Search(trie, reader.begin(prompt, trie), reader.pace)
    search.until_unseen(0)
    assert search.seen().log_probs == pytest.approx(brute_force(model, prompt, options), abs=ABSOLUTE, rel=RELATIVE)


@pytest.mark.parametrize(
    ("device", "dtype"), [("cpu", torch.bfloat16), ("cuda", torch.float32), ("cuda", torch.bfloat16)]
)
def test_other_devices_and_precisions_agree(tmp_path: Path, device: str, dtype: torch.dtype) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    folder = save_model(tmp_path, decided_model())
    exact = TransformersReader.open(folder, device="cpu")
    other = TransformersReader.open(folder, device=device, dtype=dtype)
    rng = _rng(6)
    prompt = made_up_prompt(rng, 15)
    options = exact.tokens(made_up_pool(rng, 10))
    trie = OptionTrie(options, exact.end)
    found = []
    for reader in (exact, other):
        search = Search(trie, reader.begin(prompt, trie), reader.pace)
        search.until_unseen(0)
        found.append(search.seen().log_probs)
    within = {"abs": 1e-3} if dtype is torch.float32 else {"rel": 0.02, "abs": 0.5}
    assert found[1] == pytest.approx(found[0], **within)


def test_a_model_that_does_not_heed_the_mask_is_refused() -> None:
    from transformers import BloomConfig, BloomForCausalLM  # noqa: PLC0415 - known to place tokens without positions

    config = BloomConfig(vocab_size=len(small_tokenizer()), hidden_size=32, n_layer=2, n_head=4)
    with pytest.raises(ScorerUnavailableError, match="choose a model of the Llama"):
        TransformersReader(BloomForCausalLM(config), small_tokenizer())


def test_a_prompt_beyond_the_context_is_refused(backend: Backend) -> None:
    reader = backend.open(None)
    trie = OptionTrie(reader.tokens([" None"]), reader.end)
    with pytest.raises(UndecidedError, match="longer than the 4096"):
        reader.begin(made_up_prompt(_rng(1), 4096), trie)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScorerUnavailableError, match="cannot be loaded"):
        TransformersReader.open(tmp_path)


def test_a_tokenizer_without_an_end_is_refused() -> None:
    tokenizer = copy.deepcopy(small_tokenizer())
    tokenizer.eos_token = None
    with pytest.raises(ScorerUnavailableError, match="no end token"):
        TransformersReader(small_model(), tokenizer)
