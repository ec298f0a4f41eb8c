"""The reasons why a graph cannot be read: one class for each, the same for all stores.

The message of each is for people who ask: what happened, what to do, and nothing of where the graph lies. ``detail`` is
for operators, and for logs.
"""

from __future__ import annotations

from typing import ClassVar

from kgstore.store import GraphStoreError


class StoreFaultError(GraphStoreError):
    """A cause that is known."""

    people: ClassVar[str]
    """What to say to people."""
    passes: ClassVar[bool]
    """Whether it may be otherwise in a moment, so that trying again is useful."""

    def __init__(self, detail: str, people: str | None = None) -> None:
        super().__init__(people or self.people, retryable=self.passes, detail=detail)


class GraphBusyError(StoreFaultError):
    """Another process has locked the graph, or the store is overloaded."""

    people = "The graph is busy. Try again in a minute."
    passes = True


class GraphAwayError(StoreFaultError):
    """The store does not answer, or its disk gives errors."""

    people = "The graph cannot be reached right now. Try again in a minute."
    passes = True


class GraphTooLargeError(StoreFaultError):
    """The request exceeds a limit of the store."""

    people = "That is more than the graph can be asked at once. Ask something shorter."
    passes = False


class GraphDiskFullError(StoreFaultError):
    """There is no room left."""

    people = "The graph cannot be used, because a disk is full. Tell the administrator, then try again."
    passes = True


class GraphForbiddenError(StoreFaultError):
    """The site may not read or write where the graph lies."""

    people = "The graph cannot be opened: the site may not read it. Tell the administrator."
    passes = False


class GraphMissingError(StoreFaultError):
    """The graph was there and is gone."""

    people = "The graph is gone. Choose another one, or tell the administrator."
    passes = False


class GraphDamagedError(StoreFaultError):
    """What lies there is no graph, or no whole one."""

    people = "The graph is damaged. Tell the administrator: it has to be loaded again."
    passes = False


class GraphVersionError(StoreFaultError):
    """Another version of Discern loaded the graph."""

    people = "Another version of Discern loaded this graph. Tell the administrator: it has to be loaded again."
    passes = False


class GraphClosedError(StoreFaultError):
    """The graph was closed while it was read."""

    people = "The graph was closed. Try again."
    passes = True


class GraphRefusedError(StoreFaultError):
    """The store could not do a query, for an unexpected reason."""

    people = "The graph could not answer this. Tell the administrator; its log says why."
    passes = False
