"""Extension points: how a package calls packages above it, which it may not import.

A package declares a point and calls it; the packages above add functions to it. All of them are added in
`webapp.extensions`, the one list of what calls upwards. Where the order of the layers allows a direct call, write that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


class ExtensionPoint(Generic[P, R]):
    """A call to packages above."""

    def __init__(self) -> None:
        self._functions: list[Callable[P, R]] = []

    def add(self, function: Callable[P, R]) -> None:
        """Call a function whenever the point is called."""
        self._functions.append(function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """The results of all functions, in the order in which they were added."""
        return [function(*args, **kwargs) for function in self._functions]
