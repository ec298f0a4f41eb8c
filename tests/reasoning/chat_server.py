"""A small real server that speaks the part of OpenAI's protocol that picking needs."""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Messages = list[dict[str, str]]

OPTION = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


@dataclass
class ChatServer:
    """What became of it."""

    url: str
    answer: Callable[[Messages], str]
    """What its model says."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    """Statuses with which the next requests fail."""
    refusal: str = "not now"
    """What is said then."""
    pause: float = 0.0
    """Seconds between two words of what is streamed."""
    template: bool = True
    """Whether its model was taught to chat; otherwise it refuses as vLLM 0.32.0 does, and only goes on with texts."""
    left: threading.Event = field(default_factory=threading.Event)
    """The client closed the connection during streaming."""

    def fault(self, body: dict[str, Any]) -> tuple[int, str] | None:
        """With which status and words the next request fails, if it does."""
        if self.failures:
            return self.failures.pop(0), self.refusal
        return None if self.template or "messages" not in body else (400, NO_TEMPLATE)


NO_TEMPLATE = (
    "As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template if the "
    "tokenizer does not define one."
)


def cut_as_asked(text: str, body: dict[str, Any]) -> tuple[str, str]:
    """A text up to the first stop word or the limit, a word a token, and which of them ends it."""
    places = [place for word in body.get("stop") or () if (place := text.find(word)) >= 0]
    kept = text[: min(places)] if places else text
    words = kept.split(" ")
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or len(words)
    return (" ".join(words[:limit]), "length") if len(words) > limit else (kept, "stop")


def recorded_choices(words: list[str], reason: str, *, is_chat: bool) -> Iterator[dict[str, Any]]:
    """The words of a text, each as a server streams it; the last says why the text ends."""
    for place, word in enumerate(words):
        said = word if place == 0 else f" {word}"
        shown = {"delta": {"content": said}} if is_chat else {"text": said}
        yield {"index": 0, "finish_reason": reason if place == len(words) - 1 else None, **shown}


def first_longest(messages: Messages) -> str:
    """The number of the longest option, of equals the first."""
    options = OPTION.findall(messages[1]["content"])
    return max(options, key=lambda option: len(option[1]))[0]


@contextmanager
def chat_server(
    answer: Callable[[Messages], str], *, models: tuple[str, ...] = ("picker",), port: int = 0
) -> Iterator[ChatServer]:
    """A server on a port of its own, or on this one, with a model that answers so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in models]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append(body)
            server.keys.append(self.headers["Authorization"])
            if fault := server.fault(body):
                self._send(fault[0], {"error": {"message": fault[1]}})
                return
            if body.get("stream"):
                messages = body.get("messages") or [{"role": "text", "content": body["prompt"]}]
                self._stream(cut_as_asked(server.answer(messages), body), body)
                return
            message = {"role": "assistant", "content": server.answer(body["messages"])}
            self._send(
                200,
                {
                    "id": "chat-1",
                    "object": "chat.completion",
                    "created": 0,
                    "model": body["model"],
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42},
                },
            )

        def _stream(self, text: tuple[str, str], body: dict[str, Any]) -> None:
            """A text word by word, then why it ends and what it cost."""
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            try:
                self._words(*text, body)
            except (BrokenPipeError, ConnectionResetError):
                server.left.set()

        def _words(self, text: str, reason: str, body: dict[str, Any]) -> None:
            words = text.split(" ")
            kind = "chat.completion.chunk" if "messages" in body else "text_completion"
            chunk = {"id": "chat-1", "object": kind, "created": 0, "model": body["model"]}
            for choice in recorded_choices(words, reason, is_chat="messages" in body):
                self._chunk({**chunk, "choices": [choice]})
                time.sleep(server.pause)
            usage = {"prompt_tokens": 40, "completion_tokens": len(words), "total_tokens": 40 + len(words)}
            self._chunk({**chunk, "choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")

        def _chunk(self, body: object) -> None:
            self.wfile.write(f"data: {json.dumps(body)}\n\n".encode())
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            pass

        def _send(self, status: int, body: object) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as listening:
        listening.daemon_threads = True
        server = ChatServer(f"http://127.0.0.1:{listening.server_port}", answer)
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
            thread.join()
