"""A web server as a process of its own, over the tests' database and Redis; requests to it are bytes."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes
    cookies: tuple[str, ...] = ()
    """Those that it sets, as the next request sends them."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class WebServer:
    """The site's web server on a free port."""

    def __init__(self, **environment: str) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        listener.set_inheritable(True)
        self.port: int = listener.getsockname()[1]
        self.log = Path(settings.ENVIRONMENT.home) / "web.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    *("-m", "webapp.launch.web_server"),
                    *("--fd", str(listener.fileno()), "webapp.asgi:application"),
                ],
                cwd=REPOSITORY,
                env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.site_settings", **environment},
                pass_fds=[listener.fileno()],
                stdout=output,
                stderr=output,
            )
        # A client that connects before it is ready waits in the socket's backlog.
        listener.close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def nameless_files(self) -> int:
        """How many bytes it holds in files without a name."""
        descriptors = Path(f"/proc/{self.process.pid}/fd")
        held = [descriptor.stat() for descriptor in descriptors.iterdir() if descriptor.exists()]
        return sum(file.st_size for file in held if stat.S_ISREG(file.st_mode) and file.st_nlink == 0)

    def most_memory(self) -> int:
        """How many bytes of memory it has had at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))

    def send(
        self, method: str, target: str, body: bytes = b"", *, host: str = "127.0.0.1", **headers: str | None
    ) -> Answer:
        """Send a request as it is written here, and read the answer. A header that is None is left out."""
        named = {
            "host": host,
            "connection": "close",
            "content-length": str(len(body)),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value is not None)
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body)
            response = HTTPResponse(connection, method=method)
            with closing(response):
                response.begin()
                headers = response.getheaders()
                cookies = tuple(value.partition(";")[0] for name, value in headers if name.lower() == "set-cookie")
                return Answer(response.status, {name.lower(): v for name, v in headers}, response.read(), cookies)

    def log_text(self) -> str:
        """Its log."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
