"""Reading tries with a vLLM server: a prompt for every node, and its children by their token ids.

The server is asked for one token after prompt and prefix, with the raw log-probabilities of the ids of the node's
children (`logprob_token_ids`). It keeps the states of what it has read, so that prefixes cost only what is new in
them. `prompt_logprobs` would be one request an option, but never uses those states; `structured_outputs.choice`
normalises at every token among the allowed ones, so that its choice is another.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from reasoning.core.errors import ModelServerAwayError, ScorerUnavailableError
from reasoning.scorers.base import Cost
from reasoning.scorers.causal.reading import Pace
from reasoning.scorers.causal.texts import TextTokens, check_length
from reasoning.scorers.causal.trie import TRIE_ROOT
from reasoning.scorers.causal.vllm_replicas import Replica, Replicas

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reasoning.scorers.causal.trie import Floats, Ints, OptionTrie
    from reasoning.scorers.server import ModelServer

log = logging.getLogger(__name__)

PACE = Pace(ahead=1, least=8, most=64)
"""A server reads many prompts in one pass, but each costs it up to a block of tokens (16 on a GPU, 128 without)."""
IDS_A_CALL = 128
"""vLLM's limit on `logprob_token_ids`."""
CELLS_A_CALL = 256
"""How many log-probabilities one request may ask for, over all its prompts."""
REQUESTS_AT_ONCE = 16
QUESTIONS_KEPT = 256
_CUE_TOKENS = 12
"""As many tokens at a prompt's end may be the cue of its stage, which another stage replaces."""
_PROBE = "Question: who?\nStep: None"
_FORCED = 50.0
"""A bias of this much on a token's logit changes processed log-probabilities, and never raw ones."""
_LEAST_CHANGE = 1e-3
_NORMALISED = 1e-3


class VllmReader:
    """A `NextTokenModel` on vLLM servers of one model. Threads may share it, and so the server reads side by side."""

    def __init__(self, server: ModelServer, *, tokenizer: Path | str | None = None, pace: Pace = PACE) -> None:
        """Find a server that is there and can do what is needed.

        Without ``tokenizer`` it is loaded from where the server has its model.

        Raises:
            ScorerUnavailableError: no server answers, one cannot do what is needed, or the tokenizer is not there.

        """
        self.pace = pace
        self.side_by_side = True
        self.name = ""
        self.longest: int | None = None
        self._wanted = server.model
        self._tokenizer = tokenizer
        self._texts: TextTokens | None = None
        self._replicas = Replicas(server, self._check)
        self._threads = ThreadPoolExecutor(REQUESTS_AT_ONCE, thread_name_prefix="vllm")
        self._lock = threading.Lock()
        self._questions: deque[tuple[tuple[int, ...], int]] = deque(maxlen=QUESTIONS_KEPT)
        try:
            self._replicas.check()
        except BaseException:
            self.close()
            raise

    @property
    def end(self) -> int:
        """The token that ends an option."""
        return self._tokens().end

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text by itself."""
        return self._tokens().of(texts)

    def begin(self, prompt: Sequence[int], trie: OptionTrie) -> VllmReading:
        """Prepare to read options after a prompt; nothing is computed yet.

        Raises:
            UndecidedError: prompt and options are longer than the model can see.

        """
        ids = self._tokens().document(prompt)
        check_length(len(ids) + int(trie.depth[-1]), self.longest)
        return VllmReading(self, ids, trie, self._replica_of(ids))

    def fault(self) -> ScorerUnavailableError | None:
        """Why no server would answer now; None where one would."""
        return self._replicas.fault()

    def close(self) -> None:
        """Hang up; nothing can be read any more."""
        self._threads.shutdown()
        self._replicas.close()

    def complete(self, asked: Sequence[Asked], at: int) -> list[tuple[Answered, int]]:
        """What the server says of several requests, all in flight at once, each with the replica that answered.

        Raises:
            ScorerUnavailableError: no server answers.

        """
        one = self._threads.map if len(asked) > 1 else map
        return list(one(lambda request: self._complete(request, at), asked))

    def _complete(self, request: Asked, at: int) -> tuple[Answered, int]:
        answer, where = self._replicas.complete(request.body(), at)
        return Answered.of(answer, request), where

    def _replica_of(self, ids: tuple[int, ...]) -> int:
        """The replica that read the question's last prompt and so has its states; for a new question the next one."""
        with self._lock:
            last = next((question for question in self._questions if _continues(ids, question[0])), None)
            if last is not None:
                self._questions.remove(last)
            replica = self._replicas.next() if last is None else last[1]
            self._questions.appendleft((ids, replica))
            return replica

    def moved(self, ids: tuple[int, ...], replica: int) -> None:
        """From now on another replica has a question's states."""
        with self._lock:
            for place, (known, _) in enumerate(self._questions):
                if known == ids:
                    self._questions[place] = (ids, replica)
                    return

    def _tokens(self) -> TextTokens:
        if self._texts is None:
            raise ModelServerAwayError("No language-model server has answered yet; check DISCERN_LLM_URL.")
        return self._texts

    def _check(self, replica: Replica) -> None:
        """Make sure, before a replica is asked for the first time, that its answers will be right."""
        version = _version(replica)
        served = _served(replica, self._wanted)
        replica.model = str(served["id"])
        if self._texts is None:
            self._texts = _load_tokenizer(self._tokenizer or str(served.get("root") or served["id"]))
            self.name = replica.model
        ours = self._texts.of([_PROBE])[0]
        body = {"model": replica.model, "prompt": _PROBE, "add_special_tokens": False}
        if replica.ask("POST", "/tokenize", body).get("tokens") != ours:
            raise ScorerUnavailableError(
                f"The tokenizer here is not that of the model on {replica.url}; set DISCERN_SCORER_WEIGHTS to a folder "
                "that holds the model's own."
            )
        longest = served.get("max_model_len")
        if isinstance(longest, int):
            self.longest = longest if self.longest is None else min(self.longest, longest)
        _check_log_probs(replica, self._texts.document(ours), self._texts.end, version)


class VllmReading:
    """A `Reading` on a vLLM server."""

    def __init__(self, reader: VllmReader, prompt: tuple[int, ...], trie: OptionTrie, replica: int) -> None:
        self.prompt = prompt
        self.cost = Cost()
        self.replica = replica
        """Which server has the states of this prompt."""
        self._reader = reader
        self._trie = trie

    def read(self, nodes: Ints) -> Floats:
        """The log-probabilities of the children of ``nodes``; see `Reading.read`."""
        children = self._trie.children_of(nodes)
        found = np.full(len(self._trie), np.nan)
        # The prompt goes first: prompts that are read in one pass do not yet know each other's states.
        first = int(nodes[0] == TRIE_ROOT)
        for some in (nodes[:first], nodes[first:]):
            asked = list(self._requests(some.tolist()))
            for answered, replica in self._reader.complete(asked, self.replica):
                found[answered.nodes] = answered.log_probs
                self.cost += answered.cost
                if replica != self.replica:
                    self.replica = replica
                    self._reader.moved(self.prompt, replica)
        result: Floats = np.minimum(found[children], 0.0)
        return result

    def keep(self, leaf: int) -> None:
        """Nothing to do: the server itself keeps what it has read as long as it has room."""

    def _requests(self, nodes: Sequence[int]) -> Iterator[Asked]:
        """Nodes go together as long as what is asked of each, which is what is asked of any, stays small."""
        trie = self._trie
        request = Asked()
        for node in nodes:
            first = int(trie.first_child[node])
            prompt = [*self.prompt, *(int(trie.token[above]) for above in trie.path(node))]
            for start in range(first, first + int(trie.children[node]), IDS_A_CALL):
                some = range(start, min(start + IDS_A_CALL, first + int(trie.children[node])))
                part = Part(prompt, {int(trie.token[child]): child for child in some})
                if request.is_full_with(part):
                    yield request
                    request = Asked()
                request.add(part)
        if request.parts:
            yield request


@dataclass(frozen=True, slots=True)
class Part:
    """One prompt, and what may follow it: nodes by their tokens."""

    prompt: list[int]
    children: dict[int, int]


class Asked:
    """A request: prompts, and the token ids whose log-probabilities are wanted after each."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._ids: set[int] = set()

    def add(self, part: Part) -> None:
        """Ask for this too."""
        self.parts.append(part)
        self._ids.update(part.children)

    def is_full_with(self, part: Part) -> bool:
        """Whether it would ask for too much."""
        ids = len(self._ids | part.children.keys())
        return bool(self.parts) and (ids > IDS_A_CALL or ids * (len(self.parts) + 1) > CELLS_A_CALL)

    def body(self) -> dict[str, Any]:
        """The request in vLLM's words."""
        return _body([part.prompt for part in self.parts], sorted(self._ids))


@dataclass(frozen=True, slots=True)
class Answered:
    """What a server says of a request."""

    nodes: list[int]
    log_probs: list[float]
    cost: Cost

    @classmethod
    def of(cls, answer: Any, request: Asked) -> Self:
        """Read it.

        Raises:
            ScorerUnavailableError: something that was asked for is missing.

        """
        nodes: list[int] = []
        log_probs: list[float] = []
        for part, found in zip(request.parts, _found(answer, len(request.parts)), strict=True):
            for token, node in part.children.items():
                if token not in found:
                    raise ScorerUnavailableError(
                        "The language-model server left out log-probabilities it was asked for."
                    )
                nodes.append(node)
                log_probs.append(found[token])
        return cls(nodes, log_probs, _cost(answer, len(request.parts)))


def _continues(ids: tuple[int, ...], earlier: tuple[int, ...]) -> bool:
    """Whether a prompt goes on from an earlier one, whose cue another may have replaced."""
    shared = max(len(earlier) - _CUE_TOKENS, 1)
    return ids[:shared] == earlier[:shared]


def _body(prompts: list[list[int]], ids: list[int]) -> dict[str, Any]:
    return {
        "prompt": prompts,
        "max_tokens": 1,
        "temperature": 0,
        "ignore_eos": True,
        "logprobs": 1,
        "logprob_token_ids": ids,
        "return_tokens_as_token_ids": True,
    }


def _found(answer: Any, prompts: int) -> list[dict[int, float]]:
    """The log-probabilities by token after each prompt."""
    found: list[dict[int, float]] = [{} for _ in range(prompts)]
    try:
        for choice in answer["choices"]:
            tops = choice["logprobs"]["top_logprobs"][0]
            found[choice["index"]] = {int(key.removeprefix("token_id:")): float(value) for key, value in tops.items()}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ScorerUnavailableError(f"The language-model server's answer cannot be read ({error!r}).") from error
    return found


def _cost(answer: Any, prompts: int) -> Cost:
    """What the server says it took; tokens whose states it had do not count where it tells of them.

    It tells of one prompt only; what it knew of that, the beginning, is what it knew of the others.
    """
    usage = answer.get("usage") or {}
    known = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    tokens = int(usage.get("prompt_tokens", 0)) - prompts * int(known)
    return Cost(1, max(tokens, prompts), int(usage.get("completion_tokens", 0)))


def _version(replica: Replica) -> str:
    try:
        return str(replica.ask("GET", "/version")["version"])
    except (ScorerUnavailableError, KeyError, TypeError) as error:
        raise ScorerUnavailableError(
            f"{replica.url} does not say which version of vLLM it is, so it is no vLLM server ({error}). For other "
            "servers choose the scorer “chat”."
        ) from error


def _served(replica: Replica, wanted: str | None) -> dict[str, Any]:
    """What the server says of the model."""
    models: list[dict[str, Any]] = replica.ask("GET", "/v1/models")["data"]
    names = [str(model["id"]) for model in models]
    if wanted is None and len(models) == 1:
        return models[0]
    found = next((model for model in models if model["id"] == wanted), None)
    if found is None:
        which = "several models" if wanted is None else f"no model “{wanted}”"
        raise ScorerUnavailableError(
            f"{replica.url} serves {which}; set DISCERN_LLM_MODEL to one of: {', '.join(names)}."
        )
    return found


def _load_tokenizer(source: Path | str) -> TextTokens:
    try:
        from reasoning.scorers.causal.loading import load_tokenizer  # noqa: PLC0415 - seconds of work, for nothing where no server answers
    except ImportError as error:
        raise ScorerUnavailableError(
            f"Language models on servers need transformers for their tokenizers ({error}); install the extra “models”."
        ) from error
    try:
        return TextTokens(load_tokenizer(source))
    except (OSError, ValueError, KeyError) as error:
        raise ScorerUnavailableError(
            f"The tokenizer of the server's model cannot be loaded from {source} ({error}); set DISCERN_SCORER_WEIGHTS "
            "to a folder that holds it."
        ) from error


def _check_log_probs(replica: Replica, prompt: tuple[int, ...], end: int, version: str) -> None:
    """Whether it gives the raw log-probabilities of the tokens it is asked for."""
    ids = sorted({*prompt[:8], end})
    body = {**_body([list(prompt)], ids), "model": replica.model}
    try:
        plain = _found(replica.ask("POST", "/v1/completions", body), 1)[0]
        biased = {**body, "logit_bias": {str(end): _FORCED}}
        forced = _found(replica.ask("POST", "/v1/completions", biased), 1)[0]
    except ScorerUnavailableError as error:
        raise ScorerUnavailableError(
            f"vLLM {version} on {replica.url} cannot give the log-probabilities of chosen tokens ({error})"
        ) from error
    if not plain.keys() >= set(ids):
        raise ScorerUnavailableError(
            f"vLLM {version} on {replica.url} does not heed “logprob_token_ids”, without which a choice cannot be "
            "exact. Install a newer one (0.32.0 will do)."
        )
    changed = any(abs(plain[token] - forced[token]) > _LEAST_CHANGE for token in ids)
    if changed or max(plain.values()) > _NORMALISED or sum(map(np.exp, plain.values())) > 1 + _NORMALISED:
        raise ScorerUnavailableError(
            f"vLLM {version} on {replica.url} gives no raw log-probabilities; start it with --logprobs-mode "
            "raw_logprobs."
        )
