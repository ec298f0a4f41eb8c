"""What the plans of a run reached: evidence paths, candidates, and the answers that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning import events
from reasoning.facts.answers import Answer, Prover
from reasoning.facts.pools import answerable
from reasoning.facts.pruning import Pruning
from reasoning.strategies.answer_candidates import answer_pool, best_first, may_answer
from reasoning.strategies.eperm.evidence import (
    EvidencePath,
    answer_together,
    best_paths,
    candidates,
    noisy_or,
    shares,
)
from reasoning.strategies.eperm.options import EVIDENCE_WITHOUT, PREDICTOR
from reasoning.strategies.growth import DIGITS
from reasoning.strategies.plans.path_text import name_cut, path_line
from reasoning.strategies.plans.proposed import way_to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Term
    from reasoning.core.options import OptionPool
    from reasoning.run.run import Run
    from reasoning.strategies.eperm.finder import Finder
    from reasoning.strategies.growth import Grown

_CANDIDATES_SHOWN = 20
_PATHS_SHOWN = 50


class Reached:
    """S_k and G_k as evidence."""

    def __init__(self, run: Run, finder: Finder, grown: Grown) -> None:
        self._run = run
        structure, graph = run.trace.structure, run.trace.graph
        may = answerable(structure, ())
        self._plans: dict[int, float] = {}
        """By the position where it ends, the weight of a plan."""
        found: list[EvidencePath] = []
        for plan in finder.plans.plans:
            position = grown.positions.get(plan.relations)
            if plan.grounded and position in may and position is not None:
                self._plans[position] = plan.weight
        # Without plans, only the steps that a user gave are left; they weigh the same.
        ends = self._plans or {position: 1.0 for position in grown.given if position in may}
        numbers = {grown.positions.get(plan.relations): number for number, plan in enumerate(finder.plans.plans)}
        for place_in_turn, (position, weight) in enumerate(ends.items()):
            number = numbers.get(position, place_in_turn)
            along = [node.position for node in structure.path(position)[1:]]
            judged = [finder.scores(way_to(run, place)) for place in along]
            paths = best_paths([graph.facts_at(place) for place in along], judged)
            for target in self._in_order(position):
                facts = paths[target]
                scores = tuple(scores.get(fact.target, 1.0) for scores, fact in zip(judged, facts, strict=True))
                found.append(EvidencePath(number, facts, weight if self._plans else weight / len(ends), scores))
        if "paths" in run.switches[EVIDENCE_WITHOUT]:
            found = [EvidencePath(one.plan, one.facts, 1.0, one.scores[-1:]) for one in found]
        self.paths = shares(found)
        """The weightiest first."""
        self._candidates = candidates(self.paths)
        self._weights = {term: noisy_or(path.weight for path in paths) for term, paths in self._candidates.items()}
        self._threshold = 0.0 if "predictor" in run.switches[EVIDENCE_WITHOUT] else finder.threshold
        places = self._may_answer()
        self._ends = {
            term: place
            for term, paths in self._candidates.items()
            if (place := next((path.position for path in paths if path.position in places), None)) is not None
        }
        """The candidates that answer where they weigh enough, each with where it stands."""
        self._given = [position for position in grown.given if position in may and position not in self._plans]
        self._prover = Prover(structure, graph, Pruning(graph.members, {}))

    @property
    def best(self) -> int | None:
        """Where the weightiest of what may answer stands; None where there is nothing."""
        return next(iter(self._ends.values()), None)

    @property
    def answers(self) -> dict[Term, int]:
        """The candidates that weigh enough, the weightiest first, each with where it stands."""
        least = self._least()
        return {term: place for term, place in self._ends.items() if self._reported_weight(term) >= least}

    def plan_weight(self, position: int) -> float:
        """The weight of the plan that ends at a position; 0 where none does."""
        return self._plans.get(position, 0.0)

    def near(self, position: int) -> dict[Term, int]:
        """What stands at a position and comes near the weightiest of it, that one first."""
        found = self.standing(position)
        least = self._threshold * max(map(self._reported_weight, found), default=0.0)
        return {term: place for term, place in found.items() if self._reported_weight(term) >= least}

    def standing(self, position: int) -> dict[Term, int]:
        """All that stands at a position and may be an answer, the weightiest first."""
        found = sorted(self._in_order(position), key=lambda term: -self._reported_weight(term))
        return dict.fromkeys(found, position)

    def held(self) -> dict[Term, int]:
        """All that may be an answer, each with where it stands."""
        found = {term: paths[0].position for term, paths in self._candidates.items()}
        for position in self._given:
            for term in self._in_order(position):
                found.setdefault(term, position)
        return found

    def pool(self) -> OptionPool:
        """Nodes that may hold the answer, and another one that a user chose."""
        return answer_pool(self._run, (*self._plans, *self._given))

    def weighed(self, seconds: float) -> events.PathsWeighed:
        """The event of the paths."""
        shown = self.paths[:_PATHS_SHOWN]
        return events.PathsWeighed(
            paths=[
                events.WeighedPathRecord(
                    plan=path.plan,
                    facts=self._run.narrator.facts(path.facts),
                    target=self._run.narrator.term(path.target),
                    weight=round(path.weight, DIGITS),
                    plan_weight=round(path.plan_weight, DIGITS),
                    scores=list(path.scores),
                )
                for path in shown
            ],
            total=len(self.paths),
            seconds=seconds,
        )

    def ranked(self, seconds: float) -> events.CandidatesRanked:
        """The event of the candidates: each with the best of its paths, and how many there are."""
        narrator = self._run.narrator
        by_rank = self._run.switches[PREDICTOR] == "rank"
        return events.CandidatesRanked(
            candidates=[
                events.CandidateRecord(
                    term=narrator.term(term),
                    weight=self._reported_weight(term),
                    position=paths[0].position,
                    path=narrator.facts(paths[0].facts),
                    weights=[*paths[0].scores, *[1.0] * (len(paths[0].facts) - len(paths[0].scores))],
                    paths=len(paths),
                    overruled=True if by_rank and term not in self._ends else None,
                )
                for term, paths in [*self._candidates.items()][:_CANDIDATES_SHOWN]
            ],
            total=len(self._candidates),
            threshold=round(self._least(), DIGITS) if by_rank and self._candidates else None,
            seconds=seconds,
        )

    def lines(self) -> tuple[list[str], int, str]:
        """What a model that writes is shown, of how many, and what that is called."""
        if "paths" in self._run.switches[EVIDENCE_WITHOUT]:
            names = [name_cut(self._run.narrator.term(term).label) for term in self._candidates]
            return names, len(names), "Names"
        lines = [
            f"{path.weight:.3f}: {path_line(self._run.narrator.facts(path.facts))}"
            for path in self.paths[:_PATHS_SHOWN]
        ]
        return lines, len(self.paths), "Weighted reasoning paths"

    def answer_records(self, standing: Mapping[Term, int]) -> list[events.AnswerRecord]:
        """Answers as they are reported, each with its weight and all its paths; ``standing`` says where each stands."""
        run = self._run
        run.trace.answers = tuple(standing)
        shown = list(standing.items())[: run.limits.answers_shown]
        records = run.narrator.answers([self._proof(term, position) for term, position in shown])
        return [
            record.model_copy(
                update={
                    "weight": self._reported_weight(term) if term in self._weights else None,
                    "evidence": self._evidence(term) or None,
                }
            )
            for (term, _), record in zip(shown, records, strict=True)
        ]

    def _least(self) -> float:
        """What a candidate weighs at least that is an answer."""
        return self._threshold * max(map(self._reported_weight, self._ends), default=0.0)

    def _may_answer(self) -> frozenset[int]:
        """Where plans end that answer together; anywhere, if an ablation takes away by what to tell."""
        places = dict.fromkeys(path.position for path in self.paths)
        if {"paths", "predictor"} & set(self._run.switches[EVIDENCE_WITHOUT]):
            return frozenset(places)
        kept = answer_together(way_to(self._run, place) for place in places)
        return frozenset(place for place in places if way_to(self._run, place) in kept)

    def _reported_weight(self, term: Term) -> float:
        return round(self._weights.get(term, 0.0), DIGITS)

    def _proof(self, term: Term, position: int) -> Answer:
        path = next((path for path in self._candidates.get(term, ()) if path.position == position), None)
        return self._prover.prove(term, position, ()) if path is None else Answer(term, path.facts, ())

    def _evidence(self, term: Term) -> list[events.EvidencePathRecord]:
        return [
            events.EvidencePathRecord(
                facts=self._run.narrator.facts(path.facts), weight=round(path.weight, DIGITS), measure="probability"
            )
            for path in self._candidates.get(term, ())
        ]

    def _in_order(self, position: int) -> list[Term]:
        """What may answer there, of equals the best known first."""
        return best_first(self._run, may_answer(self._run, position), position)
