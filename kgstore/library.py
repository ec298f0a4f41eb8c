"""The one interface to several graphs side by side, and what every library has in common."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kgstore.store import GraphStoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.loading.reading import GraphToLoad, LoadProgress, LoadReport
    from kgstore.store import GraphInfo

_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")


class UnknownGraphError(GraphStoreError):
    """No graph of that name is loaded; the message lists those that are."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"There is no graph named {name!r}. Loaded: {', '.join(known) or 'none yet'}.")


@dataclass(frozen=True, slots=True)
class UnreadableGraph:
    """A graph that is there and cannot be read."""

    name: str
    """The name it was loaded under."""
    error: GraphStoreError
    """Why."""


class GraphLibrary(Protocol):
    """Opens graphs by name. Safe to share between threads."""

    def names(self) -> list[str]:
        """The graphs that are loaded, in alphabetical order.

        Raises:
            GraphStoreError: the library cannot be read.

        """

    def open(self, name: str) -> ExplorableStore:
        """A graph as it is now. It is reopened only after it was replaced.

        Raises:
            UnknownGraphError: no graph of that name is loaded.
            GraphStoreError: the graph cannot be read.

        """

    def infos(self) -> list[GraphInfo | UnreadableGraph]:
        """What the graphs are, in the order of their names; of one that cannot be read, why.

        Raises:
            GraphStoreError: the library cannot be read.

        """

    def load(self, source: GraphToLoad, progress: Callable[[LoadProgress], None] = lambda _: None) -> LoadReport:
        """Load a graph, replacing the one of its name at the very end; whatever fails before leaves that as it was.

        Raises:
            ValueError: its name would not do in an address.
            GraphIsLoadingError: another process is loading a graph of this name, and has been since before this began.
            GraphLoadError: the triples cannot be read, or the graph cannot be written.

        """

    def remove(self, name: str) -> None:
        """Remove a graph, and what stopped loads of its name left.

        Raises:
            UnknownGraphError: no graph of that name is loaded.
            GraphIsLoadingError: it is being loaded.
            GraphLoadError: it cannot be removed.

        """

    def close(self) -> None:
        """Let go of files and connections."""


def is_graph_name(name: str) -> bool:
    """Whether a name would do in an address and as a file's name."""
    return _NAME.fullmatch(name) is not None


def graph_name(name: str) -> str:
    """The name, if it is made of small letters, digits, and single hyphens or underscores between them.

    Raises:
        ValueError: it is not.

    """
    if not is_graph_name(name):
        raise ValueError(
            f"{name!r} is not a valid graph name. Use lower-case letters, digits and hyphens, such as my-graph."
        )
    return name
