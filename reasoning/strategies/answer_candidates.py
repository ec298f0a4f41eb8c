"""What stands at a node of S_k where nothing is pruned, and where an answer may stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.options import AnswerOption, OptionPool, Stage
from reasoning.core.structure import ROOT
from reasoning.facts.answers import in_order
from reasoning.facts.pools import answerable
from reasoning.facts.pruning import Pruning

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kgstore.terms import Term
    from reasoning.run.run import Run


def may_answer(run: Run, position: int) -> frozenset[Term]:
    """What stands at a position and may be an answer: the topic only where the run allows it."""
    members = run.trace.graph.members
    return members[position] if run.switches.topic_may_answer else members[position] - members[ROOT]


def best_first(run: Run, terms: Collection[Term], position: int) -> list[Term]:
    """Terms that stand at a position in the order of answers; see `in_order`."""
    graph = run.trace.graph
    pruning = Pruning(graph.members, {})
    return in_order(terms, run.trace.structure, graph, pruning, position, run.narrator.cards(terms))


def answer_pool(run: Run, positions: Iterable[int]) -> OptionPool:
    """Those of the positions where something may be an answer, and another one that a user chose."""
    offered = [position for position in positions if may_answer(run, position)]
    said = run.decisions.given.get((Stage.INFER, 0))
    if isinstance(said, int) and said in answerable(run.trace.structure, ()) and said not in offered:
        offered.append(said)
    return OptionPool(tuple(AnswerOption(position) for position in offered))
