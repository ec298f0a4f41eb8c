"""Reads that cost much CPU: another process makes one of them at a time, and the web process keeps what it found."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, wraps
from importlib import import_module
from multiprocessing import get_context, parent_process
from threading import RLock, Thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from multiprocessing.process import BaseProcess

P = ParamSpec("P")
R = TypeVar("R")

heavy_read = RLock()
"""Held during such a read, or a part of a file. However many are requested at a time, they take one thread's share of
the CPU, and other requests go on. A read may use another one, so the thread that holds it may take it again."""


class ReaderProcess:
    """Makes the heavy reads of a web process, whose own CPU stays free for other requests.

    It starts with the first read, and ends with the web process. Commands and tests have none: they read by themselves.
    """

    def __init__(self) -> None:
        self._is_open = False
        self._pool: ProcessPoolExecutor | None = None

    def open(self) -> None:
        """Let another process make all reads from now on."""
        self._is_open = True

    def result(self, read: Callable[..., R], arguments: tuple[Any, ...], named: dict[str, Any]) -> R:
        """Make a read that is decorated by `kept_read`.

        Raises:
            BrokenProcessPool: the process was ended twice during this call, by a lack of memory for example.

        """
        if not self._is_open:
            return read(*arguments, **named)
        try:
            return cast("R", self._submit(read, arguments, named).result())
        except BrokenProcessPool:
            self._pool = None
            return cast("R", self._submit(read, arguments, named).result())

    def _submit(self, read: Callable[..., R], arguments: tuple[Any, ...], named: dict[str, Any]) -> Future[Any]:
        # A pool brings a process of its own that watches semaphores, so there is none before it is needed.
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
        return self._pool.submit(_made, read.__module__, read.__qualname__, arguments, named)


reader_process = ReaderProcess()


def kept_read(*, most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the last ``most`` results of a read of what never changes, by its hashable arguments.

    The read is a function of a module. Its arguments and results are sent between processes by pickle.
    """

    def decorated(read: Callable[P, R]) -> Callable[P, R]:
        @lru_cache(maxsize=most)
        def kept(*args: P.args, **kwargs: P.kwargs) -> R:
            return reader_process.result(read, args, kwargs)

        @wraps(read)
        def in_turn(*args: P.args, **kwargs: P.kwargs) -> R:
            with heavy_read:
                return cast("Callable[P, R]", kept)(*args, **kwargs)

        return in_turn

    return decorated


def _begin() -> None:
    """Prepare the process that reads: Django, and an end together with the web process, even if that is killed."""
    import django  # noqa: PLC0415 - the web process has it already

    django.setup()
    web_process = cast("BaseProcess", parent_process())

    def end() -> None:
        web_process.join()
        os._exit(0)

    Thread(target=end, daemon=True).start()


def _made(module: str, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    from django.db import close_old_connections  # noqa: PLC0415 - after set-up

    read = getattr(import_module(module), name).__wrapped__
    close_old_connections()
    try:
        return read(*arguments, **named)
    finally:
        close_old_connections()
