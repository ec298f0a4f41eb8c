"""READS whose options a language model filters before the scorer chooses.

READS' second version (Xu et al., arXiv 2412.12643) asks by an ablation what generated filters do to a choice among
options. We know what it compares, not its prompts. Our decisions: the model is shown the options of a pool, numbered,
and writes the numbers of those to keep; None always stays; a reply that names no option keeps them all, and so does one
for an option that the model was not shown. Where a person has decided, nothing is filtered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import ConstraintOption, NoneOption, OptionPool, Stage, StepOption
from reasoning.facts.option_parts import constraint_parts
from reasoning.strategies.reads.stages import Reads
from reasoning.writers.base import Message
from reasoning.writers.said import NamedOptions, all_found, read_reply

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from reasoning.core.options import Option
    from reasoning.run.run import Run
    from reasoning.strategies.reads.reading import Reading
    from reasoning.writers.said import Said

SHOWN_CHARACTERS = 6_000
"""So much is shown of the options of a pool."""
NUMBERS_TOKENS = 256
_FEWEST = 3
"""Fewer options besides None need no filter."""
_WHAT = {Stage.SEARCH: "relations", Stage.PRUNE: "conditions"}
_FOR = {Stage.SEARCH: "may lead on towards the answer", Stage.PRUNE: "the question demands"}
_ASKED = (
    "Question: {question}\nFound so far, beginning at {topic}: {steps}\n\nWhich of these {what} {use}? Write their "
    "numbers, one a line, and nothing else.\n\n{shown}\n\nNumbers:"
)


class WrittenFilters:
    """READS with pools that a language model has filtered."""

    name = "written-filters"
    needs_writer = True

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        yield from Reads().narrowed(run, _filtered)


def _filtered(
    run: Run, reading: Reading, stage: Stage, number: int, pool: OptionPool
) -> Generator[events.StageEvent, None, OptionPool]:
    """What a model keeps of a pool; see `reasoning.strategies.reads.stages.Narrow`."""
    pool = run.decisions.offered(stage, pool)
    options = [option for option in pool.options if not isinstance(option, NoneOption)]
    if len(options) < _FEWEST:
        return pool
    purpose = f"which {_WHAT[stage]} to keep for decision {number + 1}"
    decided = run.decisions.take(stage, number, pool) is not None
    if run.text_kept(stage, purpose) is None and (decided or run.decisions.otherwise == "stop"):
        return pool
    names = _shown(run, reading, options)
    asked = [Message("user", _asked(run, reading, stage, names, len(options)))]
    text, wrote = run.write(stage, purpose, asked, limit=NUMBERS_TOKENS)
    labels = [str(place) for place in range(1, len(names) + 1)]
    parts = read_reply(text, NamedOptions(names, labels), ended=not wrote.cut_short, labelled=True)
    yield wrote.model_copy(update={"said": [_record(run, reading, part, options) for part in parts]})
    kept = set(all_found(parts))
    if decided or not kept:
        return pool
    # What was not shown was not judged, so it stays.
    stay = {option for place, option in enumerate(options) if place in kept or place >= len(names)}
    return OptionPool(tuple(one for one in pool.options if isinstance(one, NoneOption) or one in stay))


def _shown(run: Run, reading: Reading, options: Sequence[Option]) -> list[str]:
    """The options in words, as many as there is room for."""
    names: list[str] = []
    left = SHOWN_CHARACTERS
    for option in options:
        name = _words(run, reading, option)
        left -= len(name) + 6
        if left < 0:
            break
        names.append(name)
    return names


def _words(run: Run, reading: Reading, option: Option) -> str:
    structure = reading.structure
    match option:
        case StepOption(step=step):
            return f"{structure.nodes[step.position].name} {step.relation}"
        case ConstraintOption(constraint=constraint):
            return " ".join(constraint_parts(structure, constraint, run.narrator.names(reading.linking)))
        case _:
            raise TypeError("a pool of search or prune held something else")


def _option_text(run: Run, reading: Reading, option: Option) -> str:
    """An option for people."""
    if isinstance(option, StepOption):
        return run.narrator.relation(option.step.relation).label
    return _words(run, reading, option)


def _asked(run: Run, reading: Reading, stage: Stage, names: Sequence[str], total: int) -> str:
    nodes = reading.structure.nodes
    steps = [
        f"{nodes[node.parent].name} {node.relation} = {node.name}" for node in nodes[1:] if node.parent is not None
    ]
    numbered = [f"{place}. {name}" for place, name in enumerate(names, 1)]
    head = f"{len(names):,} of {total:,} {_WHAT[stage]}:"
    return _ASKED.format(
        question=run.question,
        topic=nodes[0].name,
        steps="; ".join(steps) or "nothing",
        what=_WHAT[stage],
        use=_FOR[stage],
        shown="\n".join((head, *numbered)),
    )


def _record(run: Run, reading: Reading, part: Said[int], options: Sequence[Option]) -> events.SaidRecord:
    return events.SaidRecord(
        text=part.text,
        names=[_option_text(run, reading, options[place]) for place in part.found],
        total=len(part.found),
        place="options" if part.found else None,
    )
