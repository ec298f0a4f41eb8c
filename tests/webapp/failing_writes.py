"""Faults at writes to the database.

It refuses one write, counted: the first, then the second, until there is none left to refuse; or another process is a
moment faster.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import OperationalError, connection

from webapp.platform.work.states import OVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class FailingWrite:
    """Whether the write was reached that was to be refused."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.happened = False

    def __call__(self, execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            self.left -= 1
            if self.left == 0:
                self.happened = True
                raise OperationalError("the server closed the connection")
        return execute(sql, params, many, context)


@contextmanager
def failing_write(number: int) -> Iterator[FailingWrite]:
    """Within the block, the write of this number that this thread makes is refused, counted from 1."""
    fault = FailingWrite(number)
    assert threading.current_thread() is threading.main_thread()
    with connection.execute_wrapper(fault):
        yield fault


@contextmanager
def before_the_end_is_written(act: Callable[[], object]) -> Iterator[None]:
    """Within the block, do something right before this thread records the end of a piece of work."""

    def look(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if sql.startswith("UPDATE") and params[0] in OVER:
            act()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        yield
