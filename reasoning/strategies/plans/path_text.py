"""What a model is shown of the paths that plans found, and what it is asked.

RoG's prompt: the task, the paths, the question. Ours are the words, that an arrow points in the graph's own direction,
and that where there is not room for all, each plan has a path in turn; the published code shuffles them.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reasoning.events import FactRecord
    from reasoning.run import Run

SHOWN_CHARACTERS = 8_000
"""So much is shown of the paths."""
MOST_PATHS = SHOWN_CHARACTERS // 10
"""Of a plan, more than these can never be shown."""
_NAME_SHOWN = 200
_ASKED = (
    "Answer the question from the reasoning paths below. Write nothing but the names of all the answers, one a line, "
    "each exactly as it stands there. If the answer does not stand there, write the one that you know; if you know "
    "none, write None.\n\nReasoning paths ({shown:,} of {total:,}):\n{paths}\n\nQuestion: {question}\nAnswers:"
)


def asked_of(run: Run, paths: Sequence[Sequence[Sequence[FactRecord]]], total: int) -> str:
    """What the model is sent: as many of the paths of each plan as there is room for, of so many in all."""
    lines: list[str] = []
    left = SHOWN_CHARACTERS
    for line in _in_turn(paths):
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return _ASKED.format(shown=len(lines), total=total, paths="\n".join(lines), question=run.question)


def _in_turn(paths: Sequence[Sequence[Sequence[FactRecord]]]) -> Iterator[str]:
    for round_ in zip_longest(*paths):
        for path in round_:
            if path is not None:
                yield _line(path)


def _line(path: Sequence[FactRecord]) -> str:
    """A path: *Knight Rider -> regular cast -> m.1 -> actor -> William Daniels*."""
    told = _cut(path[0].source.label) if path else ""
    for fact in path:
        arrow = "<-" if fact.relation.reverse else "->"
        told += f" {arrow} {fact.relation.label} {arrow} {_cut(fact.target.label)}"
    return told


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]}…"
