"""Reads that cost a web process much CPU: it makes one of them at a time, and keeps what it found."""

from __future__ import annotations

from functools import lru_cache, wraps
from threading import RLock
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

heavy_read = RLock()
"""Held during such a read, or a part of it. However many are requested at a time, they take one thread's share of the
CPU, and other requests go on. A read may use another one, so the thread that holds it may take it again."""


def kept_read(*, most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the last ``most`` results of a read of what never changes, by its hashable arguments."""

    def decorated(read: Callable[P, R]) -> Callable[P, R]:
        kept = cast("Callable[P, R]", lru_cache(maxsize=most)(read))

        @wraps(read)
        def in_turn(*args: P.args, **kwargs: P.kwargs) -> R:
            with heavy_read:
                return kept(*args, **kwargs)

        return in_turn

    return decorated
