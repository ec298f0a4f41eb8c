"""Models that write: what each of them guarantees, and what each adds. Servers are real connections."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from reasoning.core.errors import (
    ModelServerAwayError,
    ScorerUnavailableError,
    UndecidedError,
    WritingCancelledError,
    WritingTimeoutError,
)
from reasoning.scorers.base import Cost
from reasoning.scorers.server import ModelServer
from reasoning.writers.base import Message, Written
from reasoning.writers.causal import CausalWriter
from reasoning.writers.chat import ChatWriter
from reasoning.writers.registry import KINDS, open_writer
from reasoning.writers.vllm import VllmWriter
from tests.reasoning.chat_server import NO_TEMPLATE, chat_server
from tests.reasoning.language_models import save_model, small_model, small_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning.writers.base import Writer
    from tests.conftest import ServedModel
    from tests.reasoning.chat_server import ChatServer

ASKED = (Message("user", "Who was the voice of KITT?"),)
REPLY = "It was William Daniels, an actor of many parts."


@contextmanager
def on_server(name: str) -> Iterator[Writer]:
    with chat_server(lambda _: REPLY) as server:
        writer = open_writer(name, server=ModelServer((server.url,)))
        yield writer
        writer.close()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small real model with random weights, as people have them in a folder."""
    return save_model(tmp_path_factory.mktemp("writer") / "small", small_model())


@pytest.fixture(params=[*KINDS, "vllm itself"])
def writer(request: pytest.FixtureRequest, folder: Path) -> Iterator[Writer]:
    """Every kind of writer: over a recorded reply, a small real model, and where there is one a real vLLM."""
    if request.param == "causal":
        yield open_writer("causal", folder=folder)
    elif request.param == "vllm itself":
        served: ServedModel = request.getfixturevalue("vllm")
        real = VllmWriter(ModelServer((served.url,)))
        yield real
        real.close()
    else:
        with on_server(request.param) as opened:
            yield opened


def test_it_has_a_name_and_writes_the_same_twice(writer: Writer) -> None:
    assert writer.name
    first = writer.write(ASKED, limit=8)
    assert first.text
    assert writer.write(ASKED, limit=8) == Written(first.text, first.cost, ended=first.ended)


def test_it_says_what_a_text_cost(writer: Writer) -> None:
    cost = writer.write(ASKED, limit=6).cost
    assert cost.calls == 1
    assert cost.tokens_in > 0
    assert 0 < cost.tokens_out <= 6


def test_it_writes_no_more_than_it_may_and_says_that_it_was_cut(writer: Writer) -> None:
    short, long = writer.write(ASKED, limit=2), writer.write(ASKED, limit=4)
    assert not short.ended
    assert long.text.startswith(short.text)
    assert len(long.text) > len(short.text)


def test_it_ends_before_a_stop_word(writer: Writer) -> None:
    whole = writer.write(ASKED, limit=8).text
    word = whole[len(whole) // 2 :][:2]
    stopped = writer.write(ASKED, limit=8, stop=("not to be found", word))
    assert stopped.text == whole[: whole.index(word)]
    assert stopped.ended


def test_it_stops_when_reported_to(writer: Writer) -> None:
    with pytest.raises(WritingCancelledError, match=writer.name):
        writer.write(ASKED, limit=500, cancelled=lambda: True)


def test_it_takes_no_longer_than_it_may(writer: Writer) -> None:
    with pytest.raises(WritingTimeoutError, match=r"more than 0 seconds.*Ask again"):
        writer.write(ASKED, limit=4_000, seconds=0.0)


def test_threads_may_share_it(writer: Writer) -> None:
    alone = writer.write(ASKED, limit=5)
    found: list[Written] = []
    threads = [threading.Thread(target=lambda: found.append(writer.write(ASKED, limit=5))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 4


@pytest.mark.parametrize("name", ["chat", "vllm"])
def test_one_on_a_server_says_what_it_is_asked_for(name: str) -> None:
    asked = (Message("system", "Be brief."), *ASKED)
    with chat_server(lambda _: "It was William Daniels.") as server:
        writer = open_writer(name, server=ModelServer((server.url,)))
        assert writer.name == "picker"
        written = writer.write(asked, limit=20, temperature=0.4, stop=("\n",))
        assert written == Written("It was William Daniels.", Cost(1, 40, 4))
        assert writer.fault() is None  # type: ignore[attr-defined]
        writer.close()  # type: ignore[attr-defined]
    (body,) = server.asked
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who was the voice of KITT?"},
    ]
    assert (body["max_completion_tokens"], body["temperature"], body["stop"]) == (20, 0.4, ["\n"])


@contextmanager
def slow_server(pause: float = 0.05) -> Iterator[tuple[ChatServer, ChatWriter]]:
    with chat_server(lambda _: "word " * 200) as server:
        server.pause = pause
        writer = ChatWriter(ModelServer((server.url,)))
        yield server, writer
        writer.close()


def test_it_stops_in_the_midst_of_a_text() -> None:
    with slow_server(0.02) as (_, writer):
        seen = iter([False, False, True])
        started = time.monotonic()
        with pytest.raises(WritingCancelledError):
            writer.write(ASKED, limit=500, cancelled=lambda: next(seen))
        assert time.monotonic() - started < 3


def test_it_stops_though_the_server_says_nothing_and_hangs_up() -> None:
    def never(_: object) -> str:
        time.sleep(10)
        return ""

    with chat_server(never) as server:
        writer = ChatWriter(ModelServer((server.url,)))
        started = time.monotonic()
        with pytest.raises(WritingCancelledError):
            writer.write(ASKED, limit=500, cancelled=lambda: bool(server.asked))
        assert time.monotonic() - started < 3
        writer.close()


def test_a_server_that_is_not_listened_to_any_more_learns_it() -> None:
    with slow_server() as (server, writer):
        with pytest.raises(WritingCancelledError):
            writer.write(ASKED, limit=500, cancelled=lambda: bool(server.asked))
        assert server.left.wait(timeout=5)


def test_a_text_that_takes_too_long_is_broken_off() -> None:
    with slow_server() as (_, writer), pytest.raises(WritingTimeoutError, match="more than 0 seconds"):
        writer.write(ASKED, limit=500, seconds=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chat", "vllm"])
def test_where_nobody_answers_it_says_so(name: str) -> None:
    with chat_server(lambda _: "") as server:
        writer = open_writer(name, server=ModelServer((server.url,)))
    with pytest.raises(ModelServerAwayError, match="Start it, or check DISCERN_LLM_URL"):
        writer.write(ASKED, limit=5, seconds=30)
    assert isinstance(writer.fault(), ScorerUnavailableError)  # type: ignore[attr-defined]
    writer.close()  # type: ignore[attr-defined]


def test_a_server_that_is_busy_is_asked_again() -> None:
    with chat_server(lambda _: REPLY) as server:
        server.failures = [429, 503]
        writer = ChatWriter(ModelServer((server.url,)))
        assert writer.write(ASKED, limit=20).text == REPLY
        assert len(server.asked) == 3
        writer.close()


@pytest.mark.parametrize(
    ("status", "refusal", "error", "told"),
    [
        (401, "Incorrect API key provided", ScorerUnavailableError, "set DISCERN_LLM_KEY"),
        (404, "The model `picker` does not exist", ScorerUnavailableError, "check DISCERN_LLM_URL and"),
        (400, NO_TEMPLATE, ScorerUnavailableError, "DISCERN_WRITER=vllm takes it"),
        (400, "This model's maximum context length is 4096 tokens", UndecidedError, "choose another model"),
    ],
)
def test_what_a_server_refuses_is_reported_with_what_to_do(
    status: int, refusal: str, error: type[Exception], told: str
) -> None:
    with chat_server(lambda _: REPLY) as server:
        server.failures, server.refusal = [status], refusal
        writer = ChatWriter(ModelServer((server.url,)))
        with pytest.raises(error, match=told):
            writer.write(ASKED, limit=20)
        writer.close()


def test_a_model_that_was_never_taught_to_chat_is_sent_a_plain_text() -> None:
    with chat_server(lambda _: " William Daniels\nQuestion: And who else?") as server:
        server.template = False
        writer = VllmWriter(ModelServer((server.url,)))
        assert writer.write((Message("system", "Be brief."), *ASKED), limit=20).text == " William Daniels"
        writer.close()
    plain = server.asked[-1]
    assert plain["prompt"] == "Instructions: Be brief.\nQuestion: Who was the voice of KITT?\nAnswer:"
    assert (plain["max_tokens"], plain["stop"]) == (20, ["\nQuestion:"])


@pytest.mark.slow
def test_servers_of_one_model_take_turns_and_one_that_is_away_is_passed_over() -> None:
    with chat_server(lambda _: REPLY) as one, chat_server(lambda _: REPLY) as other:
        writer = VllmWriter(ModelServer((one.url, other.url)))
        for _ in range(4):
            writer.write(ASKED, limit=20)
        assert (len(one.asked), len(other.asked)) == (2, 2)
        writer.close()
        nobody = VllmWriter(ModelServer(("http://127.0.0.1:9", other.url), "picker"))
        assert nobody.write(ASKED, limit=20).text == REPLY
        nobody.close()


class Looks:
    """Says to stop at the nth look, and counts them."""

    def __init__(self, last: int) -> None:
        self.count = 0
        self._last = last

    def __call__(self) -> bool:
        self.count += 1
        return self.count >= self._last


def test_one_in_this_process_looks_between_two_tokens_whether_it_is_to_stop(folder: Path) -> None:
    looks = Looks(5)
    with pytest.raises(WritingCancelledError):
        open_writer("causal", folder=folder).write(ASKED, limit=500, cancelled=looks)
    assert looks.count == 5


def test_who_waits_for_its_turn_can_be_cancelled_too(folder: Path) -> None:
    writer = CausalWriter.open(folder)
    with writer._turn, pytest.raises(WritingCancelledError):
        writer.write(ASKED, limit=5, cancelled=lambda: True)
    assert writer.write(ASKED, limit=5).text


def test_one_in_this_process_writes_what_its_model_finds_likeliest(folder: Path) -> None:
    """The same as transformers' own greedy search."""
    import torch  # noqa: PLC0415 - as slow to load as the test is quick

    writer = CausalWriter.open(folder)
    prompt = torch.tensor([writer._prompt(ASKED)])
    with torch.inference_mode():
        whole = writer._model.generate(prompt, max_new_tokens=12, do_sample=False, attention_mask=prompt * 0 + 1)
    expected = small_tokenizer().decode(whole[0, prompt.shape[1] :], skip_special_tokens=True)
    assert writer.write(ASKED, limit=12).text == expected


def test_one_in_this_process_speaks_as_its_template_says(folder: Path) -> None:
    writer = CausalWriter.open(folder)
    plain = writer.write(ASKED, limit=4)
    writer._tokenizer.chat_template = "{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %} =>"
    assert writer.write(ASKED, limit=4).cost.tokens_in != plain.cost.tokens_in
    writer._tokenizer.chat_template = "{{ raise_exception('System role not supported') }}"
    with pytest.raises(UndecidedError, match="System role not supported"):
        writer.write(ASKED, limit=4)


def test_what_is_longer_than_a_model_can_see_is_refused(folder: Path) -> None:
    with pytest.raises(UndecidedError, match=r"longer than the 4,096 .* choose a model with a longer context"):
        open_writer("causal", folder=folder).write([Message("user", "who? " * 4_000)], limit=5)


@pytest.mark.parametrize(
    ("name", "how", "told"),
    [
        ("pen", {}, "no writer “pen”; choose one of: chat, vllm, causal"),
        ("chat", {}, "set DISCERN_LLM_URL"),
        ("vllm", {}, "set DISCERN_LLM_URL"),
        ("causal", {}, "DISCERN_WRITER_WEIGHTS"),
    ],
)
def test_a_writer_that_cannot_be_opened_says_what_is_missing(name: str, how: dict[str, Any], told: str) -> None:
    with pytest.raises(ScorerUnavailableError, match=told):
        open_writer(name, **how)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScorerUnavailableError, match="cannot be loaded"):
        open_writer("causal", folder=tmp_path)
