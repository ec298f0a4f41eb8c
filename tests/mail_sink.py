"""A mail server on the loopback that keeps what it is handed."""

from __future__ import annotations

import socketserver
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sink(socketserver.ThreadingTCPServer):
    """The server."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.kept: list[str] = []
        self.refuses = 0
        """Number of further mails that are refused."""

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Sink]:
        """One that runs."""
        with cls() as server:
            Thread(target=server.serve_forever, daemon=True).start()
            yield server
            server.shutdown()

    @property
    def url(self) -> str:
        """Its address as the settings take it."""
        return f"smtp://127.0.0.1:{self.server_address[1]}"


class _Handler(socketserver.StreamRequestHandler):
    server: Sink

    def handle(self) -> None:
        self._say("220 sink")
        while line := self.rfile.readline().decode().strip():
            match line.split()[0].upper():
                case "MAIL" if self.server.refuses:
                    self.server.refuses -= 1
                    self._say("451 later")
                case "DATA":
                    self._say("354 go on")
                    self.server.kept.append(self._body())
                    self._say("250 kept")
                case "QUIT":
                    self._say("221 bye")
                    return
                case _:
                    self._say("250 ok")

    def _body(self) -> str:
        lines: list[str] = []
        while (line := self.rfile.readline().decode()) != ".\r\n":
            lines.append(line.replace("\r\n", "\n"))
        return "".join(lines)

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())
