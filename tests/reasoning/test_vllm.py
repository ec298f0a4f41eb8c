"""What vLLM servers add to exactness: batches, replicas, prefix caches, and abilities that may be missing."""

from __future__ import annotations

import http.client
import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from reasoning.core.errors import ModelServerAwayError, ScorerUnavailableError
from reasoning.scorers.causal.search import Search
from reasoning.scorers.causal.trie import TRIE_ROOT, OptionTrie
from reasoning.scorers.causal.vllm_reader import VllmReader
from reasoning.scorers.causal.vllm_scorer import VllmScorer
from reasoning.scorers.server import ModelServer
from tests.reasoning.chat_server import chat_server, first_longest
from tests.reasoning.language_models import made_up_pool, made_up_prompt
from tests.reasoning.test_scorer_contract import CASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import ServedModel

    Change = Callable[[str, Any], Any]

BLOCK = 128
"""Number of tokens that vLLM caches, or reads again, together on a processor."""
NOBODY = "http://127.0.0.1:9"


def _unchanged(path: str, body: Any) -> Any:
    return body


class Door:
    """A way to the server that counts who comes through, can be shut, and can hide what the server can do."""

    def __init__(self, url: str, listening: ThreadingHTTPServer) -> None:
        self.to = urlsplit(url).netloc
        self.url = f"http://127.0.0.1:{listening.server_port}"
        self.completions = 0
        self.is_shut = False


@contextmanager
def door(url: str, *, ask: Change = _unchanged, answer: Change = _unchanged) -> Iterator[Door]:
    """A door to the server at ``url``; ``ask`` and ``answer`` change what passes."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._pass(None)

        def do_POST(self) -> None:
            self._pass(ask(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

        def log_message(self, *_: object) -> None:
            pass

        def _pass(self, body: Any) -> None:
            if there.is_shut:
                self.close_connection = True
                return
            there.completions += self.path == "/v1/completions"
            connection = http.client.HTTPConnection(there.to)
            headers = {"Content-Type": "application/json"}
            connection.request(self.command, self.path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            content = json.dumps(answer(self.path, json.loads(response.read()))).encode()
            connection.close()
            self.send_response(response.status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        there = Door(url, listening)
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield there
        finally:
            listening.shutdown()
            thread.join()


def _best(reader: VllmReader, prompt: list[int], options: list[list[int]]) -> tuple[int, int]:
    """The best leaf, and how many tokens were read for it."""
    trie = OptionTrie(options, reader.end)
    reading = reader.begin(prompt, trie)
    leaf = int(Search(trie, reading, reader.pace).best()[0])
    reading.keep(leaf)
    return leaf, reading.cost.tokens_in


def test_of_a_prompt_only_what_is_new_is_read(vllm: ServedModel) -> None:
    with closing(VllmReader(ModelServer((vllm.url,)))) as reader:
        prompt = made_up_prompt(random.Random(), 10 * BLOCK)  # new to the server, however often this runs
        trie = OptionTrie(reader.tokens([" None", " entity_1"]), reader.end)
        first = reader.begin(prompt, trie)
        first.read(np.array([TRIE_ROOT]))
        second = reader.begin([*prompt, 9, 9, 9], trie)
        second.read(np.array([TRIE_ROOT]))
    assert first.cost.tokens_in == 10 * BLOCK + 1
    assert second.cost.tokens_in <= BLOCK + 4


def test_questions_are_decided_side_by_side(vllm: ServedModel) -> None:
    scorer = VllmScorer.connect(ModelServer((vllm.url,)))
    alone = [scorer.score(*case).probabilities for case in CASES.values()]
    scorer.close()
    scorer = VllmScorer.connect(ModelServer((vllm.url,)))
    with ThreadPoolExecutor(len(CASES)) as threads:
        together = list(threads.map(lambda case: scorer.score(*case).probabilities, CASES.values()))
    scorer.close()
    assert together == [pytest.approx(found, abs=1e-4) for found in alone]


def test_a_question_stays_with_one_replica_and_the_next_goes_to_another(vllm: ServedModel) -> None:
    rng = random.Random(3)
    with (
        door(vllm.url) as one,
        door(vllm.url) as other,
        closing(VllmReader(ModelServer((one.url, other.url)))) as reader,
    ):
        options = reader.tokens(made_up_pool(rng, 10))
        asked = []
        for _ in range(4):
            prompt = made_up_prompt(rng, 40)
            before = one.completions, other.completions
            for _ in range(3):
                _best(reader, prompt, options)
                prompt = [*prompt, *options[0], *made_up_prompt(rng, 4)]
            asked.append((one.completions > before[0], other.completions > before[1]))
    assert asked == [(True, False), (False, True)] * 2


def test_a_replica_that_goes_away_is_replaced_and_all_away_is_reported(vllm: ServedModel) -> None:
    rng = random.Random(4)
    with (
        door(vllm.url) as one,
        door(vllm.url) as other,
        closing(VllmReader(ModelServer((one.url, other.url)))) as reader,
    ):
        options = reader.tokens(made_up_pool(rng, 10))
        prompts = [made_up_prompt(rng, 40) for _ in range(4)]
        expected = [_best(reader, prompt, options)[0] for prompt in prompts]
        one.is_shut = True
        assert [_best(reader, prompt, options)[0] for prompt in prompts] == expected
        assert reader.fault() is None
        other.is_shut = True
        with pytest.raises(ModelServerAwayError, match=rf"{one.url} does not answer.*check DISCERN_LLM_URL"):
            _best(reader, prompts[0], options)
        assert other.url in str(reader.fault())
        one.is_shut = False
        assert reader.fault() is None
        assert _best(reader, prompts[0], options)[0] == expected[0]


def test_one_replica_that_is_there_is_enough_to_start(vllm: ServedModel) -> None:
    with closing(VllmReader(ModelServer((NOBODY, vllm.url)))) as reader:
        assert reader.fault() is None
        assert reader.tokens([" None"])[0]


def _without_ids(path: str, body: Any) -> Any:
    return {key: value for key, value in body.items() if key != "logprob_token_ids"}


def _processed(path: str, body: Any) -> Any:
    """What a server tells that adds biases before it takes log-probabilities."""
    for choice in body.get("choices", []) if isinstance(body, dict) else []:
        tops = choice["logprobs"]["top_logprobs"][0]
        tops.update({token: value + 3 for token, value in tops.items()})
    return body


def _older(path: str, body: Any) -> Any:
    return {"version": "0.9.1"} if path == "/version" else body


def _other_tokens(path: str, body: Any) -> Any:
    return {**body, "tokens": [2, 3]} if path == "/tokenize" else body


@pytest.mark.parametrize(
    ("ask", "answer", "told"),
    [
        (_without_ids, _older, "vLLM 0.9.1 .* does not heed “logprob_token_ids”.*newer"),
        (_unchanged, _processed, "no raw log-probabilities; start it with --logprobs-mode raw_logprobs"),
        (_unchanged, _other_tokens, "tokenizer here is not that of the model.*DISCERN_SCORER_WEIGHTS"),
    ],
)
def test_what_a_server_cannot_do_is_reported_at_the_start(
    vllm: ServedModel, ask: Change, answer: Change, told: str
) -> None:
    with door(vllm.url, ask=ask, answer=answer) as there, pytest.raises(ScorerUnavailableError, match=told):
        VllmReader(ModelServer((there.url,)))


def test_an_unknown_model_is_answered_with_the_known_ones(vllm: ServedModel) -> None:
    with pytest.raises(ScorerUnavailableError, match=r"no model “other”; set DISCERN_LLM_MODEL to one of: \S"):
        VllmReader(ModelServer((vllm.url,), "other"))


def test_a_tokenizer_that_is_not_there_says_what_to_set(vllm: ServedModel, tmp_path: Path) -> None:
    with pytest.raises(ScorerUnavailableError, match="set DISCERN_SCORER_WEIGHTS to a folder that holds it"):
        VllmReader(ModelServer((vllm.url,)), tokenizer=tmp_path)


def test_a_server_that_is_no_vllm_is_reported() -> None:
    with chat_server(first_longest) as server, pytest.raises(ScorerUnavailableError, match="choose the scorer “chat”"):
        VllmReader(ModelServer((server.url,)))


def test_nobody_there_is_reported() -> None:
    with pytest.raises(ModelServerAwayError, match=r"No language-model server answers: .*Start it, or check"):
        VllmReader(ModelServer((NOBODY,)))
