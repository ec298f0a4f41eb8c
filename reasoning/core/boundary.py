"""The place where an error over one question is caught and logged, so that the other questions go on."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from reasoning.core.errors import ReasoningError

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger(__name__)

UNFORESEEN = "unforeseen"
"""The start of the reason of an unexpected error."""


class UnforeseenError(Exception):
    """Something broke over one question in a way that the code does not know; the log tells where.

    The message is a reason that can be counted: ``unforeseen TypeError``.
    """


@contextmanager
def one_question(name: str, *foreseen: type[Exception]) -> Iterator[None]:
    """Turn every unexpected exception into one error.

    What is ``foreseen`` passes, and so do the errors of graphs, loads and models: they are about more than a question.

    Raises:
        UnforeseenError: the block broke.

    """
    try:
        yield
    except (ReasoningError, GraphStoreError, GraphLoadError, UnforeseenError):
        raise
    except foreseen:
        raise
    except Exception as error:
        log.exception("question %s broke", name)
        raise UnforeseenError(f"{UNFORESEEN} {type(error).__name__}") from error
