"""READS whose answer a language model writes: from the facts of pruned G_k, or from S_k and what its nodes hold.

Both search and prune as READS does (Xu et al., arXiv 2412.12643, sections 4.1 and 4.2). READS' second version sets
*augmented*, where the model answers from pruned G_k, next to READS and the model alone, and takes the choice of the
answer's position apart by an ablation that *generates the answer*. We know of them by what they are compared for, not
their prompts. Ours are: what is shown and in which order, that names are listed one a line, how they are read
(`reasoning.writers.said`), that only what pruning left counts as supported, and the cuts.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from kgstore.terms import Relation, TermKind
from reasoning.core.options import AnswerOption, Stage
from reasoning.core.structure import ROOT
from reasoning.facts.answers import Prover
from reasoning.run.model_answers import answered_by_itself, terms_held, written_among
from reasoning.strategies.reads.stages import left_by_pruning
from reasoning.writers.shown import lines_that_fit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kgstore.terms import Term
    from reasoning import events
    from reasoning.core.structure import Fact
    from reasoning.run.run import Run
    from reasoning.strategies.reads.reading import Reading

SHOWN_CHARACTERS = 8_000
"""So much is shown of facts, or of what nodes hold: some 2,000 to 3,000 tokens."""
NAMES_SHOWN = 60
"""Maximum of names of a node that are shown."""
_ASKED = (
    "Answer the question from the {what} below. Write nothing but the names of the answers, one a line, each exactly "
    "as it stands there. If the answer does not stand there, write the one that you know; if you know none, write None."
    "\n\n{shown}\n\nQuestion: {question}\nAnswers:"
)


class Augmented:
    """The model is shown the facts that pruning left, and may answer with anything that stands in them."""

    name = "augmented"
    needs_writer = True
    purpose = "the answer, from the facts that were found"

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        yield from _answer(run, self)

    def asked(self, run: Run, reading: Reading) -> str:
        """What the model is sent."""
        lines, total = _facts(run, reading)
        shown = f"Facts ({len(lines):,} of {total:,}), each as subject | relation | object:\n" + "\n".join(lines)
        return _ASKED.format(what="facts", shown=shown, question=run.question)

    def places(self, run: Run, reading: Reading) -> Collection[int]:
        """The positions of S_k that may hold an answer."""
        del run
        return range(ROOT + 1, len(reading.structure.nodes))


class WrittenAnswer:
    """The model is shown S_k and what each node holds, and names what stands where an answer may stand."""

    name = "written-answer"
    needs_writer = True
    purpose = "the answer, from the structure"

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.run.strategy.Strategy`."""
        yield from _answer(run, self)

    def asked(self, run: Run, reading: Reading) -> str:
        """What the model is sent."""
        shown = "\n".join((*_nodes(run, reading), *_conditions(run, reading)))
        return _ASKED.format(what="structure", shown=shown, question=run.question)

    def places(self, run: Run, reading: Reading) -> Collection[int]:
        """The positions of S_k that may hold an answer."""
        del run
        return [option.position for option in reading.position_pool().options if isinstance(option, AnswerOption)]


def _answer(run: Run, method: Augmented | WrittenAnswer) -> Iterator[events.StageEvent]:
    reading = yield from left_by_pruning(run)
    if reading is None:
        return
    with run.timed(Stage.INFER):
        held = terms_held(run, reading.pruning.members, method.places(run, reading))
        asked = method.asked(run, reading)
    supported, parts = yield from written_among(run, method.purpose, asked, held)
    yield _supported(run, reading, supported, held) if supported else answered_by_itself(run, parts)


def _supported(run: Run, reading: Reading, terms: list[Term], held: Mapping[Term, int]) -> events.Finished:
    """How a run ends that has facts for what the model named; whatever else it named is no answer."""
    with run.timed(Stage.INFER):
        run.trace.answers = tuple(terms)
        prover = Prover(reading.structure, reading.graph, reading.pruning)
        shown = terms[: run.limits.answers_shown]
        answers = run.narrator.answers([prover.prove(term, held[term], reading.constraints) for term in shown])
    return run.finished("answered", "answered", answers, len(terms), by_writer=True)


def _facts(run: Run, reading: Reading) -> tuple[list[str], int]:
    """The facts that pruning left, in words, as many as there is room for, and how many there are.

    Each step of S_k gives one in turn, so that none is left out for another that has many.
    """
    removed = reading.pruning.removed
    by_step = [
        [fact for fact in reading.graph.facts_at(node.position) if fact.id not in removed]
        for node in reading.structure.nodes[1:]
    ]
    in_turn = [fact for facts in zip_longest(*by_step) for fact in facts if fact is not None]
    # A fact takes more than a few characters, so no more names than these are needed.
    room = in_turn[: SHOWN_CHARACTERS // 5]
    run.narrator.learn(chain.from_iterable((fact.triple.subject, fact.triple.object) for fact in room))
    return lines_that_fit((_fact(run, fact) for fact in room), SHOWN_CHARACTERS), len(in_turn)


def _fact(run: Run, fact: Fact) -> str:
    ends = [run.narrator.term(term).label for term in (fact.triple.subject, fact.triple.object)]
    return f"{ends[0]} | {run.narrator.relation(Relation(fact.triple.predicate)).label} | {ends[1]}"


def _nodes(run: Run, reading: Reading) -> Iterator[str]:
    """A line for every node of S_k: how it is reached, and the names of what pruning left there."""
    nodes, left = reading.structure.nodes, SHOWN_CHARACTERS
    for node in nodes:
        way = "what the question is about"
        if node.parent is not None and node.relation is not None:
            relation = run.narrator.relation(node.relation)
            way = f"{'^' if relation.reverse else ''}{relation.label} of {nodes[node.parent].name}"
        if node.kind is TermKind.MEDIATOR:
            yield f"{node.name}: {way}; only links others"
            continue
        held = reading.answers(run, node.position) if node.position != ROOT else [*reading.graph.members[ROOT]]
        run.narrator.learn(held[:NAMES_SHOWN])
        names: list[str] = []
        for term in held[:NAMES_SHOWN]:
            name = run.narrator.term(term).label
            left -= len(name) + 2
            if left < 0:
                break
            names.append(name)
        yield f"{node.name}: {way}; holds {len(held):,}, {len(names):,} of them listed: {', '.join(names)}"


def _conditions(run: Run, reading: Reading) -> Iterator[str]:
    for constraint in reading.constraints:
        records = run.narrator.constraint(constraint)
        target = "" if records.target is None else f" {records.target.label}"
        yield f"Condition: {reading.structure.nodes[constraint.position].name} {records.operator}{target}"
