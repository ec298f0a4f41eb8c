"""What a model that writes is shown, cut to the room there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def lines_that_fit(lines: Iterable[str], room: int) -> list[str]:
    """The first lines that fit into ``room`` characters. The end of a line counts as one.

    No line is asked for after the first that does not fit.
    """
    fitting: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting
