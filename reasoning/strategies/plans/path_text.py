"""What a model is shown of the paths that plans found, and what it is asked.

RoG's prompt (arXiv 2310.01061): the task, the paths, the question. EPERM (arXiv 2502.16171) writes the weight of each
path next to it. Ours are the words, that an arrow points in the graph's own direction, and that where there is not room
for all, the first ones are shown; RoG's published code shuffles them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.writers.shown import lines_that_fit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reasoning.events import FactRecord
    from reasoning.run.run import Run

SHOWN_CHARACTERS = 8_000
"""So much is shown of the paths."""
MAX_PATHS = SHOWN_CHARACTERS // 10
"""Of a plan, more than these can never be shown."""
_NAME_SHOWN = 200
_ASKED = (
    "Answer the question from the {what} below. Write nothing but the names of all the answers, one a line, "
    "each exactly as it stands there. If the answer does not stand there, write the one that you know; if you know "
    "none, write None.\n\n{heading} ({shown:,} of {total:,}):\n{paths}\n\nQuestion: {question}\nAnswers:"
)


def asked_of(run: Run, paths: Iterable[str], total: int, *, heading: str = "Reasoning paths") -> str:
    """The text for the model: the first paths, as far as the context allows, out of ``total``."""
    lines = lines_that_fit(paths, SHOWN_CHARACTERS)
    return _ASKED.format(
        what=heading.lower(),
        heading=heading,
        shown=len(lines),
        total=total,
        paths="\n".join(lines),
        question=run.question,
    )


def path_line(path: Sequence[FactRecord]) -> str:
    """A path: *Knight Rider -> regular cast -> m.1 -> actor -> William Daniels*."""
    text = name_cut(path[0].source.label) if path else ""
    for fact in path:
        arrow = "<-" if fact.relation.reverse else "->"
        text += f" {arrow} {fact.relation.label} {arrow} {name_cut(fact.target.label)}"
    return text


def name_cut(name: str) -> str:
    """A name, or the beginning of a very long one."""
    return name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]}…"
