"""Who answers from what plans lead to (RoG, arXiv 2310.01061, section 3.3): their weights, or a model that writes.

By rank (ours), P(a|q, G) is the sum of the weights of the plans that lead to a, and the answers are the ends of the
plan that weighs most. RoG itself lets a fine-tuned language model read the paths and write the answers.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import AnswerOption, Stage
from reasoning.facts.answers import Prover
from reasoning.facts.pools import answerable
from reasoning.facts.pruning import Pruning
from reasoning.run.model_answers import answered_by_itself, written_among
from reasoning.run.run import Decision
from reasoning.scorers.base import Cost, Distribution
from reasoning.strategies.answer_candidates import answer_pool, best_first, may_answer
from reasoning.strategies.growth import DIGITS, picked
from reasoning.strategies.plans.path_text import MAX_PATHS, asked_of, path_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kgstore.terms import Term
    from reasoning.core.options import OptionPool
    from reasoning.run.run import Run
    from reasoning.strategies.growth import Grown
    from reasoning.strategies.plans.plan import Plans

PURPOSE = "the answers, from the paths that were found"


def reasoned(run: Run, plans: Plans, grown: Grown, *, by_writer: bool) -> Iterator[events.StageEvent]:
    """Answer from the ends of the plans, by their weights or by a model that writes, and tell the answers."""
    with run.timed(Stage.INFER):
        ends = _Ends(run, plans, grown)
        pool = ends.pool()
    if not pool.options:
        yield run.finished("no_answer_found", "no_relation")
        return
    # Reading what is kept removes it, so it is read once.
    pool, made = run.made(Stage.INFER, 0, pool)
    if by_writer and made is None:
        yield from _written(run, ends, pool)
        return
    with run.timed(Stage.INFER) as clock:
        made = made or ends.ranked(pool)
        if not isinstance(made.option, AnswerOption):
            raise TypeError("a pool of answer positions held something else")
        run.trust(made.record)
        run.trace.position = position = made.option.position
    yield events.AnswerPositionChosen(decision=made.record, position=position, seconds=clock())
    with run.timed(Stage.INFER):
        ranked_terms = ends.terms(position)
        proofs = dict.fromkeys(ranked_terms, position)
        answers = ends.answers(proofs)
    yield run.finished("answered", "answered", answers, len(ranked_terms))


def _written(run: Run, ends: _Ends, pool: OptionPool) -> Iterator[events.StageEvent]:
    """Let a model write the answers: what it names among the ends is proven, the rest is its own."""
    with run.timed(Stage.INFER):
        held = ends.held()
        asked = asked_of(run, ends.lines(), ends.paths_total)
    if run.text_kept(Stage.INFER, PURPOSE) is None:
        run.stop_where_open(Stage.INFER, 0, pool)
    supported, parts = yield from written_among(run, PURPOSE, asked, held)
    if not supported:
        yield answered_by_itself(run, parts)
        return
    with run.timed(Stage.INFER):
        answers = ends.answers({term: held[term] for term in supported})
    yield run.finished("answered", "answered", answers, len(supported), by_writer=True)


class _Ends:
    """The nodes of S_k where plans end, and those that a user gave."""

    def __init__(self, run: Run, plans: Plans, grown: Grown) -> None:
        self._run = run
        may = answerable(run.trace.structure, ())
        self._weights = {
            grown.positions[plan.relations]: plan.weight
            for plan in plans.grounded
            if grown.positions.get(plan.relations) in may
        }
        """By position, the weightiest first."""
        self._given = [position for position in grown.given if position in may and position not in self._weights]
        self._prover = Prover(run.trace.structure, run.trace.graph, Pruning(run.trace.graph.members, {}))

    def terms(self, position: int) -> list[Term]:
        """What stands at a position and may be an answer: the weightiest first, of equals the best known."""
        found = best_first(self._run, may_answer(self._run, position), position)
        return sorted(found, key=lambda term: -round(self._weight(term), DIGITS))

    def pool(self) -> OptionPool:
        """Nodes that may hold the answer, and another one that a user chose."""
        return answer_pool(self._run, (*self._weights, *self._given))

    def ranked(self, pool: OptionPool) -> Decision:
        """The position of the plan that weighs most, else the last one that a user gave a step to.

        Raises:
            UndecidedStopError: the run was asked to stop at what is not given.

        """
        run = self._run
        run.stop_where_open(Stage.INFER, 0, pool)
        positions = [option.position for option in pool.options if isinstance(option, AnswerOption)]
        weights = [self._weights.get(position, 0.0) for position in positions]
        if not sum(weights):
            return Decision(pool.options[-1], picked(run, pool, len(pool) - 1))
        shares = {index: weight / sum(weights) for index, weight in enumerate(weights)}
        best = Distribution(shares, 0.0, Cost()).best
        record = run.narrator.decision(pool, best, Distribution(shares, 0.0, Cost()))
        return Decision(pool.options[best], record)

    def held(self) -> dict[Term, int]:
        """All that stands at the ends, each with the position of the weightiest plan that leads to it."""
        held: dict[Term, int] = {}
        for position in (*self._weights, *self._given):
            for term in self.terms(position):
                held.setdefault(term, position)
        return held

    def lines(self) -> list[str]:
        """A path to each of what stands at the ends, as a model is shown them: each plan has one in turn."""
        ends = [self.terms(position)[:MAX_PATHS] for position in self._weights]
        paths = [
            self._proofs(dict.fromkeys(terms, position)) for position, terms in zip(self._weights, ends, strict=True)
        ]
        return [path_line(path) for in_turn in zip_longest(*paths) for path in in_turn if path is not None]

    @property
    def paths_total(self) -> int:
        """How many such paths there are."""
        return sum(len(may_answer(self._run, position)) for position in self._weights)

    def answers(self, proofs: Mapping[Term, int]) -> list[events.AnswerRecord]:
        """Answers as they are reported, each with its weight and a path of every plan that leads to it.

        ``proofs`` says by term at which position its proof ends.
        """
        run = self._run
        run.trace.answers = tuple(proofs)
        shown = list(proofs.items())[: run.limits.answers_shown]
        records = run.narrator.answers([self._prover.prove(term, position, ()) for term, position in shown])
        return [
            record.model_copy(update={"weight": self._reported_weight(term), "evidence": self._evidence(term) or None})
            for (term, _), record in zip(shown, records, strict=True)
        ]

    def _weight(self, term: Term) -> float:
        """P(a|q, G): what the plans weigh together that lead to a term."""
        members = self._run.trace.graph.members
        return sum(weight for position, weight in self._weights.items() if term in members[position])

    def _reported_weight(self, term: Term) -> float | None:
        return round(self._weight(term), DIGITS) if self._weights else None

    def _evidence(self, term: Term) -> list[events.EvidencePathRecord]:
        members = self._run.trace.graph.members
        return [
            events.EvidencePathRecord(
                facts=self._proofs({term: position})[0], weight=round(weight, DIGITS), measure="probability"
            )
            for position, weight in self._weights.items()
            if term in members[position]
        ]

    def _proofs(self, proofs: Mapping[Term, int]) -> list[Sequence[events.FactRecord]]:
        paths = [self._prover.prove(term, position, ()).path for term, position in proofs.items()]
        return [self._run.narrator.facts(path) for path in paths]
