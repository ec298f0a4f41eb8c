"""What can go wrong while a graph is loaded."""

from __future__ import annotations


class GraphLoadError(Exception):
    """A graph could not be loaded; nothing was changed. The message says why and what to do."""


class GraphIsLoadingError(GraphLoadError):
    """Another process is loading a graph of this name; it can be loaded once that is done."""


class NoTriplesError(GraphLoadError):
    """A source was read to its end and gave no triples."""
