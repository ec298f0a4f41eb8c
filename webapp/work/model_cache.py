"""Scorers in memory: loaded once a process however many threads ask, lent while they are used, then closed."""

from __future__ import annotations

import gc
import logging
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

from reasoning.errors import ModelMemoryError
from reasoning.scorers.server import ModelServer, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reasoning.scorers.base import Scorer

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScorerKey:
    """Which scorer is meant; one that was trained anew is another."""

    name: str
    weights: Path | None = None
    written: int = 0
    """When its card was written, in nanoseconds."""
    server: ModelServer | None = None


@dataclass(eq=False, slots=True)
class _Loan:
    """A scorer in memory, or on its way there."""

    key: ScorerKey
    loading: Lock = field(default_factory=Lock)
    model: Scorer | None = None
    borrowers: int = 0
    is_stale: bool = False
    """Whether it was trained anew since, so that nobody will ask for it again."""


class ScorerLender:
    """Lends scorers to threads, and keeps some that nobody uses.

    Each is loaded under a lock of its own, so that one whose server hangs keeps nobody from another.
    """

    def __init__(self, load: Callable[[ScorerKey], Scorer], *, kept: int) -> None:
        """Load by ``load``; keep ``kept``, or as many more as are in use."""
        self._load = load
        self._kept = kept
        self._lock = Lock()
        self._loans: OrderedDict[ScorerKey, _Loan] = OrderedDict()

    @contextmanager
    def lent(self, key: ScorerKey) -> Iterator[Scorer]:
        """A scorer, loaded if it is not there; it stays open within the block.

        Raises:
            ScorerUnavailableError: it cannot be loaded; the next who asks tries again.

        """
        loan = self._borrowed(key)
        try:
            yield self._loaded(loan)
        finally:
            self._given_back(loan)

    def _borrowed(self, key: ScorerKey) -> _Loan:
        with self._lock:
            loan = self._loans.setdefault(key, _Loan(key))
            self._loans.move_to_end(key)
            loan.borrowers += 1
            for other in self._loans.values():
                other.is_stale |= other.key.name == key.name and other is not loan
            dropped = self._drop(lambda other: other.is_stale)
        _close(dropped)
        return loan

    def _loaded(self, loan: _Loan) -> Scorer:
        with loan.loading:
            if loan.model is None:
                began = perf_counter()
                loan.model = self._loaded_somehow(loan.key)
                log.info("loaded the scorer %s in %.1f s", loan.key.name, perf_counter() - began)
            return loan.model

    def _loaded_somehow(self, key: ScorerKey) -> Scorer:
        try:
            return self._load(key)
        except ModelMemoryError:
            if not self._make_room():
                raise
        # Outside of the block, whose error holds what was loaded by half.
        return self._load(key)

    def _given_back(self, loan: _Loan) -> None:
        with self._lock:
            loan.borrowers -= 1
            dropped = self._drop(lambda other: other.is_stale or other.model is None)
            dropped += self._drop(lambda _: True, most=max(len(self._loans) - self._kept, 0))
        _close(dropped)

    def _make_room(self) -> bool:
        """Let go of all that nobody uses; return whether there was any."""
        with self._lock:
            dropped = self._drop(lambda other: other.model is not None)
        found = bool(dropped)
        _close(dropped)
        dropped.clear()
        gc.collect()
        return found

    def _drop(self, which: Callable[[_Loan], bool], *, most: int | None = None) -> list[_Loan]:
        """Take out those that nobody uses, the oldest first; the caller closes them, without the lock."""
        idle = [loan for loan in self._loans.values() if loan.borrowers == 0 and which(loan)][:most]
        for loan in idle:
            del self._loans[loan.key]
        return idle


def _close(loans: list[_Loan]) -> None:
    for loan in loans:
        model = loan.model
        if model is not None and isinstance(model, Served):
            model.close()
