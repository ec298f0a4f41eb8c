"""Plans that a model writes, read strictly into relations of the graph.

RoG (arXiv 2310.01061) fine-tunes a language model to write relation paths. Any model that writes may be asked here, so
it is shown the relations within two steps of the topic entity (ours). What it writes is followed only as far as the
graph holds it: a path is grounded as a whole, or struck through.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label
from reasoning import events
from reasoning.core.options import Stage, StepOption
from reasoning.core.structure import ROOT
from reasoning.strategies.plans.proposed import DIGITS, recorded_plans, taken
from reasoning.strategies.plans.search import begun
from reasoning.writers.base import Message
from reasoning.writers.said import bare, reply_lines

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kgstore.terms import Relation
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.strategies.plans.plan import Plans

PURPOSE = "relation paths to follow"
PATHS_TOKENS = 512
SHOWN_CHARACTERS = 6_000
"""So much is shown of the relations."""
_STEPS_LOOKED_AT = 100
"""Maximum of relations of the topic entity whose ends are read."""
_ASKED = (
    "Write {count} relation paths that may lead from {topic} to the answer of the question, the likeliest first, one a "
    "line. Join the relations of a path with ->, and write ^ before one that is followed backwards, as they stand "
    "below. Write nothing else.\n\nRelations ({shown:,} of {total:,}):\n{relations}\n\nQuestion: {question}\nPaths:"
)
_JOINT = re.compile(r"\s*(?:->|→)\s*")


def write(run: Run, linking: Linking, *, count: int) -> Generator[events.StageEvent, None, Plans]:
    """Let a model write plans: the event of its text, and the one that tells how it was read.

    Raises:
        WriterMissingError, ScorerUnavailableError, UndecidedError, WritingTimeoutError, WritingCancelledError: see
            `Run.write`.

    """
    with run.timed(Stage.SEARCH):
        asked = [Message("user", _asked(run, linking, count))]
    text, wrote = run.write(Stage.SEARCH, PURPOSE, asked, limit=PATHS_TOKENS)
    yield wrote
    event = recorded_plans(run, ())
    if event is None:
        with run.timed(Stage.SEARCH) as clock:
            lines = list(dict.fromkeys(reply_lines(text, labelled=False)))
            read = [_read(run, linking, line) for line in lines[:count]]
            event = _plans_event(run, read, len(lines), clock())
    yield event
    return taken(run, event)


def _asked(run: Run, linking: Linking, count: int) -> str:
    """What the model is sent."""
    first = begun(run, ROOT)
    steps = [option for option in first.pool(run, linking).options if isinstance(option, StepOption)]
    known = dict.fromkeys(option.step.relation for option in steps)
    for option in steps[:_STEPS_LOOKED_AT]:
        further = first.followed(run, option, 1.0).pool(run, linking).options
        known.update(dict.fromkeys(one.step.relation for one in further if isinstance(one, StepOption)))
    lines: list[str] = []
    left = SHOWN_CHARACTERS
    for relation in known:
        left -= len(str(relation)) + 1
        if left < 0:
            break
        lines.append(str(relation))
    return _ASKED.format(
        count=count,
        topic=run.trace.structure.nodes[ROOT].name,
        shown=len(lines),
        total=len(known),
        relations="\n".join(lines),
        question=run.question,
    )


def _read(run: Run, linking: Linking, line: str) -> tuple[str, tuple[Relation, ...], bool]:
    """A path, the relations that it names from the topic entity on, and whether the graph holds all of it."""
    at = begun(run, ROOT)
    for part in _JOINT.split(line):
        option = _meant(part, [one for one in at.pool(run, linking).options if isinstance(one, StepOption)])
        if option is None:
            return line, at.way, False
        at = at.followed(run, option, 1.0)
    return line, at.way, True


def _meant(part: str, options: Sequence[StepOption]) -> StepOption | None:
    """The step that a part of a path names as a whole, by id or by its words; forwards first where it says no way."""
    text = part.strip(" `\"'")
    backwards = text.startswith("^")
    name = text.removeprefix("^").strip()
    named = [one for one in options if name in _names(one.step.relation) or bare(name) in _names(one.step.relation)]
    exact = [one for one in named if one.step.relation.is_reverse == backwards]
    return next(iter(exact or ([] if backwards else named)), None)


def _names(relation: Relation) -> tuple[str, str]:
    return relation.predicate, bare(relation_label(relation).label)


def _plans_event(
    run: Run, read: Sequence[tuple[str, tuple[Relation, ...], bool]], total: int, seconds: float
) -> events.PlansProposed:
    return events.PlansProposed(
        by="writer",
        begins=[],
        plans=[
            events.PlanRecord(
                relations=[run.narrator.relation(relation) for relation in way],
                # A text tells no probability, so all weigh the same.
                weight=round(1 / len(read), DIGITS),
                grounded=grounded,
                written=line,
            )
            for line, way, grounded in read
        ],
        total=total,
        covered=None,
        cost=None,
        seconds=seconds,
    )
