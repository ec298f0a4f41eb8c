"""Reading tries with a model of transformers: many prefixes in one pass, the prompt only once.

The nodes of a trie are packed behind the prompt into one sequence. A 4-D attention mask lets each see the prompt, its
own ancestors and nothing else, and its position is its depth: so every prefix is computed as if it stood alone. Keys
and values stay for what is read later: of the tree while it is read, of prompt and chosen option for the next prompt.
"""

from __future__ import annotations

import json
import warnings
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from transformers import DynamicCache, DynamicLayer

from reasoning.core.errors import ModelMemoryError, ScorerUnavailableError
from reasoning.scorers.base import Cost
from reasoning.scorers.cards import ADAPTER_FILE
from reasoning.scorers.causal.loading import adapter_ensure_safe, load_model, load_tokenizer
from reasoning.scorers.causal.reading import Pace
from reasoning.scorers.causal.texts import TextTokens, check_length
from reasoning.scorers.causal.trie import TRIE_ROOT, OptionTrie
from reasoning.scorers.threads import compute_with, large_model_threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from reasoning.scorers.causal.trie import Bools, Floats, Ints

CPU_PACE = Pace(ahead=48, least=64, most=160, least_of_many=128)
GPU_PACE = Pace(ahead=192, least=192, most=1024)
"""On a GPU a pass is bound by reading the weights: hundreds of tokens more cost next to nothing."""
TOKENS_KEPT = 4_096
"""How many prompt tokens' keys and values are kept for later prompts (Llama-2-7B in bfloat16: 0.5 MB a token)."""
_AGREEMENT = {torch.float32: 1e-3, torch.bfloat16: 0.5, torch.float16: 0.1}
"""How far packed prefixes may be from plain ones when a model is opened; a wrong mask or position is far beyond it."""

_OUT_OF_MEMORY = ("can't allocate memory", "annot allocate memory", "out of memory", "_ALLOC_FAILED")
"""What errors say that have no class of their own: of torch on processors, of the system, of CUDA, of its libraries."""


@dataclass(frozen=True, slots=True)
class _States:
    """Keys and values: each (layers, heads, tokens, width)."""

    keys: Tensor
    values: Tensor

    def __len__(self) -> int:
        return self.keys.shape[2]

    def part(self, start: int, end: int) -> _States:
        return _States(self.keys[:, :, start:end], self.values[:, :, start:end])

    def rows(self, rows: Ints) -> _States:
        index = torch.from_numpy(rows).to(self.keys.device)
        return _States(self.keys.index_select(2, index), self.values.index_select(2, index))

    @classmethod
    def joined(cls, parts: Sequence[_States]) -> _States | None:
        """One after another; None where there is nothing."""
        found = [part for part in parts if len(part)]
        if len(found) <= 1:
            return found[0] if found else None
        return cls(torch.cat([part.keys for part in found], 2), torch.cat([part.values for part in found], 2))


class TransformersReader:
    """A `NextTokenModel` on transformers. Not safe to share between threads: one reading at a time."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, pace: Pace | None = None) -> None:
        """Take a model, as it lies on its device and in its precision, and its tokenizer.

        Raises:
            ScorerUnavailableError: the tokenizer has no end token, or the model's attention cannot be shaped freely.

        """
        self._texts = TextTokens(tokenizer)
        self.end = self._texts.end
        self.pace = pace or (CPU_PACE if model.device.type == "cpu" else GPU_PACE)
        self.side_by_side = False
        self.model = model
        model.train(mode=False)
        self._longest = longest_seen(model)
        self._kept: OrderedDict[tuple[int, ...], _States] = OrderedDict()
        self._check()

    @classmethod
    def open(cls, source: Path | str, *, device: str | None = None, dtype: torch.dtype | None = None) -> Self:
        """Load a model, or a LoRA adapter and the model beneath it, from a folder or the Hugging Face hub.

        Without ``device`` it goes to the GPU if there is one; without ``dtype`` it is float32 on the CPU and else
        bfloat16.

        Raises:
            ScorerUnavailableError: it cannot be loaded; the message says why.

        """
        try:
            return cls(*open_model(source, device=device, dtype=dtype))
        except (ValueError, RuntimeError) as error:
            raise ScorerUnavailableError(f"The language model {source} cannot be loaded ({error}).") from error

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text by itself."""
        return self._texts.of(texts)

    def begin(self, prompt: Sequence[int], trie: OptionTrie) -> TransformersReading:
        """Prepare to read options after a prompt; nothing is computed yet.

        Raises:
            UndecidedError: prompt and options are longer than the model can see.

        """
        ids = self._texts.document(prompt)
        check_length(len(ids) + int(trie.depth[-1]), self._longest)
        return TransformersReading(self, ids, trie, self._known_part(ids))

    def forget(self) -> None:
        """Let go of all prompts."""
        self._kept.clear()

    def forward(self, ids: Ints, positions: Ints, mask: Bools, wanted: Ints, past: _States | None) -> _Forward:
        """One pass: ``ids`` (n,) at ``positions`` (n,) behind ``past``, seeing what ``mask`` (n, past + n) lets them.

        What may follow is computed at the places ``wanted`` among ``ids``.
        """
        compute_with(large_model_threads())
        device = self.model.device
        cache = DynamicCache()
        if past is not None:
            for layer in range(past.keys.shape[0]):
                cache.update(past.keys[layer][None], past.values[layer][None], layer)
        with torch.inference_mode():
            output = self.model(
                input_ids=torch.from_numpy(ids)[None].to(device),
                attention_mask=torch.from_numpy(mask)[None, None].to(device),
                position_ids=torch.from_numpy(positions)[None].to(device),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=torch.from_numpy(wanted).to(device),
            )
        new = [_newest(layer, len(ids)) for layer in cache.layers]
        states = _States(torch.stack([keys for keys, _ in new]), torch.stack([values for _, values in new]))
        return _Forward(output.logits[0], states)

    def keep(self, ids: tuple[int, ...], states: _States) -> None:
        """Keep what was computed for ``ids``, in place of whatever it continues."""
        for older in [older for older in self._kept if ids[: len(older)] == older]:
            del self._kept[older]
        self._kept[ids] = states
        while sum(map(len, self._kept)) > TOKENS_KEPT and len(self._kept) > 1:
            self._kept.popitem(last=False)

    def _known_part(self, ids: tuple[int, ...]) -> _States | None:
        """The states of as much of the beginning of ``ids`` as is known; the last is always read again."""
        longest, found = 0, None
        for kept in self._kept:
            common = min(_common(kept, ids), len(ids) - 1)
            if common > longest:
                longest, found = common, kept
        if found is None:
            return None
        self._kept.move_to_end(found)
        return self._kept[found].part(0, longest)

    def _check(self) -> None:
        """Whether prefixes read together are what they are alone: not every architecture heeds mask and positions."""
        vocabulary = self.model.config.get_text_config().vocab_size
        some = [token for token in (5, 11, 17, 23) if token < vocabulary and token != self.end]
        options = [some, some[1:], [some[0], *some[2:]]]
        trie = OptionTrie(options, self.end)
        too_large = f"The language model leaves no memory on {self.model.device} to read with; choose a smaller one."
        try:
            reading = self.begin(some, trie)
            nodes = np.flatnonzero(trie.children)
            together = np.concatenate([reading.read(nodes[:2]), reading.read(nodes[2:])])
            leaf = int(trie.leaf[0])
            path = trie.path(leaf)
            with memory_errors_explained(too_large), torch.inference_mode():
                plain = torch.tensor([[*reading.prompt, *options[0]]], device=self.model.device)
                logits = torch.log_softmax(self.model(input_ids=plain).logits[0].float(), -1)
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:
            raise ScorerUnavailableError(
                f"This kind of model ({self.model.config.model_type}) cannot read several options at once ({error}); "
                "choose a model of the Llama, Mistral or Qwen families."
            ) from error
        last = len(reading.prompt) - 1
        children = trie.children_of(nodes).tolist()
        for place, node in enumerate(path):
            alone = float(logits[last + place, trie.token[node]])
            if abs(alone - together[children.index(node)]) > _AGREEMENT.get(self.model.dtype, 0.5):
                raise ScorerUnavailableError(
                    f"This kind of model ({self.model.config.model_type}) does not heed attention masks, so that its "
                    "probabilities would be wrong; choose a model of the Llama, Mistral or Qwen families."
                )


@dataclass(frozen=True, slots=True)
class _Forward:
    logits: Tensor
    """(wanted, vocabulary)"""
    states: _States
    """Of the tokens that were passed."""


class TransformersReading:
    """A `Reading` on transformers."""

    def __init__(self, reader: TransformersReader, prompt: tuple[int, ...], trie: OptionTrie, known: _States | None):
        self.prompt = prompt
        self.prompt_tokens = 0
        """How many tokens of the prompt were computed; the others were known from earlier prompts."""
        self.cost = Cost()
        self._reader = reader
        self._trie = trie
        self._prompt_states = [] if known is None else [known]
        self._tree_states: list[_States] = []
        self._row = np.full(len(trie), -1, dtype=np.int64)
        """(nodes,) Where a node stands in the states of the tree; -1 where it was not read."""
        self._rows = 0

    def read(self, nodes: Ints) -> Floats:
        """The log-probabilities of the children of ``nodes``; see `Reading.read`.

        Raises:
            ModelMemoryError: there is not enough memory for this batch; all prompts are released.

        """
        with self._reading_with_explained_errors():
            return self._read(nodes)

    def _read(self, nodes: Ints) -> Floats:
        trie, reader = self._trie, self._reader
        known = sum(map(len, self._prompt_states))
        with_root = nodes.size > 0 and nodes[0] == TRIE_ROOT
        prompt = np.array(self.prompt[known:] if with_root else (), dtype=np.int64)
        tree = nodes[1:] if with_root else nodes
        older = self._older_ancestors(tree)
        above = [tree_states.rows(self._row[older]) for tree_states in self._tree()] if older.size else []
        past = _States.joined([*self._prompt_states, *above])
        mask = np.zeros((prompt.size + tree.size, known + older.size + prompt.size + tree.size), dtype=np.bool_)
        mask[:, :known] = True
        own = known + older.size
        mask[: prompt.size, own : own + prompt.size] = np.tri(prompt.size, dtype=np.bool_)
        mask[prompt.size :, own : own + prompt.size] = True
        column = np.full(len(trie), -1, dtype=np.int64)
        column[older] = known + np.arange(older.size)
        column[tree] = own + prompt.size + np.arange(tree.size)
        _mark_ancestors(mask[prompt.size :], tree, column, trie)
        forward = reader.forward(
            np.concatenate([prompt, trie.token[tree]]),
            np.concatenate([known + np.arange(prompt.size), len(self.prompt) - 1 + trie.depth[tree]]),
            mask,
            np.arange(prompt.size - with_root, prompt.size + tree.size),
            past,
        )
        if prompt.size:
            self._prompt_states.append(forward.states.part(0, int(prompt.size)))
            self.prompt_tokens = int(prompt.size)
        self._tree_states.append(forward.states.part(int(prompt.size), len(forward.states)))
        self._row[tree] = self._rows + np.arange(tree.size)
        self._rows += int(tree.size)
        self.cost += Cost(calls=1, tokens_in=int(prompt.size + tree.size))
        return _child_log_probs(forward.logits, nodes, trie)

    @contextmanager
    def _reading_with_explained_errors(self) -> Iterator[None]:
        read = f"a prompt of {len(self.prompt):,} tokens and options of {len(self._trie):,}"
        try:
            with memory_errors_explained(
                f"The memory of {self._reader.model.device} ran out while the language model read {read}. Ask again "
                "while less is asked, choose a smaller model, or give the worker more memory."
            ):
                yield
        except ModelMemoryError:
            self._tree_states.clear()
            self._reader.forget()
            raise

    def keep(self, leaf: int) -> None:
        """End the reading; the prompt, and as much of this leaf's option as was read, may begin the next prompt."""
        path = np.array([node for node in self._trie.path(leaf) if self._row[node] >= 0], dtype=np.int64)
        with self._reading_with_explained_errors():
            option = [states.rows(self._row[path]) for states in self._tree()] if path.size else []
            states = _States.joined([*self._prompt_states, *option])
        if states is not None:
            self._reader.keep((*self.prompt, *self._trie.token[path].tolist()), states)
        self._tree_states.clear()

    def _tree(self) -> list[_States]:
        """The states of all nodes that were read, as one; empty where there are none."""
        joined = _States.joined(self._tree_states)
        self._tree_states = [] if joined is None else [joined]
        return self._tree_states

    def _older_ancestors(self, tree: Ints) -> Ints:
        """The ancestors of nodes that were read before, without the root."""
        found = np.zeros(len(self._trie), dtype=np.bool_)
        above = np.unique(self._trie.parent[tree])
        while above.size:
            found[above] = True
            above = np.unique(self._trie.parent[above])
            above = above[~found[above]]
        found &= self._row >= 0
        return np.flatnonzero(found)


def _newest(layer: object, count: int) -> tuple[Tensor, Tensor]:
    """The last keys and values of a layer's cache, each (heads, count, width)."""
    if not isinstance(layer, DynamicLayer) or layer.keys is None or layer.values is None:
        raise TypeError("its layers do not keep keys and values of all tokens")
    return layer.keys[0, :, -count:], layer.values[0, :, -count:]


def _mark_ancestors(mask: Bools, tree: Ints, column: Ints, trie: OptionTrie) -> None:
    """Let every node of ``tree``, a row each, see itself and its ancestors in their columns."""
    rows, at = np.arange(tree.size), tree
    while at.size:
        mask[rows, column[at]] = True
        at = trie.parent[at]
        inside = at != TRIE_ROOT
        rows, at = rows[inside], at[inside]


def _child_log_probs(logits: Tensor, nodes: Ints, trie: OptionTrie) -> Floats:
    """From (nodes, vocabulary) to the log-probability of every child."""
    counts = trie.children[nodes]
    rows = torch.from_numpy(np.repeat(np.arange(nodes.size), counts)).to(logits.device)
    tokens = torch.from_numpy(trie.token[trie.children_of(nodes)]).to(logits.device)
    scores = logits.float()
    found = scores[rows, tokens] - torch.logsumexp(scores, -1)[rows]
    result: Floats = np.minimum(found.double().cpu().numpy(), 0.0)
    return result


def _common(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How many tokens two sequences begin with alike."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


@contextmanager
def memory_errors_explained(message: str) -> Iterator[None]:
    """Say so where memory runs out, which torch and the operating system each have words of their own for."""
    try:
        yield
    except (RuntimeError, OSError, MemoryError) as error:
        if isinstance(error, torch.OutOfMemoryError | MemoryError) or any(
            words in str(error) for words in _OUT_OF_MEMORY
        ):
            raise ModelMemoryError(message) from error
        raise


def open_model(
    source: Path | str, *, device: str | None = None, dtype: torch.dtype | None = None
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A model on its device, and its tokenizer; arguments and errors as for `TransformersReader.open`."""
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = dtype or (torch.float32 if device == "cpu" else torch.bfloat16)
    too_large = f"The language model {source} does not fit into the memory of {device}; choose a smaller one."
    try:
        with memory_errors_explained(too_large):
            tokenizer = load_tokenizer(source)
            return _load(str(source), dtype).to(device), tokenizer
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ScorerUnavailableError(f"The language model {source} cannot be loaded ({error}).") from error


def longest_seen(model: PreTrainedModel) -> int | None:
    """How many tokens a model can see; None where its configuration says nothing of that."""
    config = model.config.get_text_config()
    limits = (getattr(config, "max_position_embeddings", None), getattr(config, "sliding_window", None))
    return min((limit for limit in limits if limit), default=None)


def _load(source: str, dtype: torch.dtype) -> Any:
    """A model, or an adapter merged into its model: as exact, and as fast as without."""
    adapter = _adapter(source)
    if adapter is None:
        return load_model(source, dtype)
    try:
        from peft import PeftModel  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - only adapters need it
    except ImportError as error:
        raise ScorerUnavailableError(
            f"{source} is a LoRA adapter, which peft reads; install the extra “finetune”."
        ) from error
    adapter_ensure_safe(source)
    base = _load(str(adapter["base_model_name_or_path"]), dtype)
    with peft_of_today():
        return PeftModel.from_pretrained(base, source).merge_and_unload()


@contextmanager
def peft_of_today() -> Iterator[None]:
    """Where peft looks into a model: it asks by names that transformers has since replaced, and warns of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`(is_)?gradient_checkpointing", FutureWarning)
        yield


def _adapter(source: str) -> dict[str, Any] | None:
    file = Path(source) / ADAPTER_FILE
    if not file.exists():
        return None
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return read
