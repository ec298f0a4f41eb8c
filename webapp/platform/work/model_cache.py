"""A cache of models in memory: each is loaded once a process, shared by all threads, and closed after use."""

from __future__ import annotations

import gc
import logging
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

from reasoning.core.errors import ModelMemoryError
from reasoning.scorers.server import ModelServer, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ModelT = TypeVar("ModelT")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelKey:
    """Which model is meant; a model that was trained again is another one."""

    name: str
    weights: Path | None = None
    written: int = 0
    """When its card was written, in nanoseconds."""
    server: ModelServer | None = None


@dataclass(eq=False, slots=True)
class _Entry(Generic[ModelT]):
    """A model in memory, or on its way there."""

    key: ModelKey
    loading: Lock = field(default_factory=Lock)
    model: ModelT | None = None
    users: int = 0
    is_stale: bool = False
    """Whether it was trained again since, so that it will not be used again."""


class ModelCache(Generic[ModelT]):
    """Models that threads use, and some that are not in use at the moment.

    Each is loaded under a lock of its own, so that one whose server hangs does not block others.
    """

    def __init__(self, load: Callable[[ModelKey], ModelT], *, kept: int) -> None:
        """Load by ``load``; keep ``kept``, or as many more as are in use."""
        self._load = load
        self._kept = kept
        self._lock = Lock()
        self._entries: OrderedDict[ModelKey, _Entry[ModelT]] = OrderedDict()

    @contextmanager
    def use(self, key: ModelKey) -> Iterator[ModelT]:
        """A model, loaded if it is not there; it stays open within the block.

        Raises:
            ScorerUnavailableError: it cannot be loaded; the next who asks tries again.

        """
        entry = self._acquire(key)
        try:
            yield self._load_once(entry)
        finally:
            self._release(entry)

    def _acquire(self, key: ModelKey) -> _Entry[ModelT]:
        with self._lock:
            entry = self._entries.setdefault(key, _Entry(key))
            self._entries.move_to_end(key)
            entry.users += 1
            for other in self._entries.values():
                other.is_stale |= other.key.name == key.name and other is not entry
            dropped = self._drop(lambda other: other.is_stale)
        _close(dropped)
        return entry

    def _load_once(self, entry: _Entry[ModelT]) -> ModelT:
        with entry.loading:
            if entry.model is None:
                began = perf_counter()
                entry.model = self._load_with_room(entry.key)
                log.info("loaded the model %s in %.1f s", entry.key.name, perf_counter() - began)
            return entry.model

    def _load_with_room(self, key: ModelKey) -> ModelT:
        try:
            return self._load(key)
        except ModelMemoryError:
            if not self._make_room():
                raise
        # Outside of the block, whose error holds what was loaded by half.
        return self._load(key)

    def _release(self, entry: _Entry[ModelT]) -> None:
        with self._lock:
            entry.users -= 1
            dropped = self._drop(lambda other: other.is_stale or other.model is None)
            dropped += self._drop(lambda _: True, most=max(len(self._entries) - self._kept, 0))
        _close(dropped)

    def _make_room(self) -> bool:
        """Close all that are not in use; return whether there was any."""
        with self._lock:
            dropped = self._drop(lambda other: other.model is not None)
        found = bool(dropped)
        _close(dropped)
        dropped.clear()
        gc.collect()
        return found

    def _drop(self, which: Callable[[_Entry[ModelT]], bool], *, most: int | None = None) -> list[_Entry[ModelT]]:
        """Take out those that are not in use, the oldest first; the caller closes them, without the lock."""
        idle = [entry for entry in self._entries.values() if entry.users == 0 and which(entry)][:most]
        for entry in idle:
            del self._entries[entry.key]
        return idle


def _close(entries: list[_Entry[ModelT]]) -> None:
    for entry in entries:
        model = entry.model
        if model is not None and isinstance(model, Served):
            model.close()
