"""A question read so far: the state that READS decides in, one immutable value, so that several may be kept at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgstore.terms import TermKind
from reasoning.core.options import ConstraintOption, NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.facts.answers import in_order
from reasoning.facts.pools import (
    facts_of,
    facts_that_join,
    held_constraints,
    infer_pool,
    prune_pool,
    search_pool,
    step_options,
)
from reasoning.facts.pruning import Pruning, prune
from reasoning.facts.validity import is_dated
from reasoning.question.kinds import kinds_offered
from reasoning.question.tense import asks_of_now

if TYPE_CHECKING:
    from kgstore.terms import Term
    from reasoning.core.derivation import Constraint
    from reasoning.question.linking import Linking
    from reasoning.run.decisions import GivenDecisions
    from reasoning.run.run import Run


@dataclass(frozen=True, slots=True)
class Reading:
    """S_k and G_k, the relations that may be followed next, the conditions chosen so far and what they leave."""

    linking: Linking
    structure: AbstractStructure
    graph: InstanceGraph
    open_steps: tuple[StepOption, ...]
    pruning: Pruning
    constraints: tuple[Constraint, ...] = ()
    is_cut: bool = False
    """Whether the graph holds more facts of a step than were read."""
    dated: frozenset[int] = frozenset()
    """The positions of mediators with a beginning or an end."""

    @classmethod
    def about(cls, run: Run, linking: Linking) -> Reading:
        """The topic entity alone (S_0, G_0), which must be chosen.

        Raises:
            ValueError: the linking has no topic.

        """
        if linking.topic is None:
            raise ValueError("a reading is about a topic")
        graph = InstanceGraph.rooted(linking.topic.entity)
        structure = AbstractStructure.rooted(linking.topic.name or linking.topic.entity.mid)
        steps = step_options(run.store, graph, ROOT, linking.targets)
        return cls(linking, structure, graph, steps, Pruning(graph.members, {}))

    def may_search(self, run: Run) -> bool:
        """Whether there is a relation to follow, and room for it."""
        return bool(self.open_steps) and self.structure.step < run.limits.steps

    def step_pool(self, run: Run) -> OptionPool:
        """The relations that may be followed, and None (READS, section 4.1), unless the search must go on."""
        if self.structure.branches < run.switches.min_branches:
            return OptionPool(self.open_steps)
        return search_pool(self.open_steps)

    def followed(self, run: Run, option: StepOption) -> tuple[Reading, int]:
        """S_(k+1) and G_(k+1) along a relation, and how many facts the graph holds of it."""
        step = option.step
        found = facts_of(step, self.graph, run.store, run.limits.facts_per_step)
        structure = self.structure.grow(step.position, step.relation, option.kind)
        recur = run.switches.topic_may_recur
        graph = self.graph.grow(step.relation, facts_that_join(found.triples, step.relation, self.graph, recur=recur))
        gained = step_options(run.store, graph, structure.step, self.linking.targets)
        older = self.open_steps if run.switches.search == "branching" else ()
        steps = (*(one for one in older if one != option), *gained)
        pruning = Pruning(graph.members, {})
        is_cut = self.is_cut or found.total > len(found.triples)
        spans = option.kind is TermKind.MEDIATOR and is_dated(one.step.relation for one in gained)
        dated = self.dated | {structure.step} if spans else self.dated
        grown = replace(
            self, structure=structure, graph=graph, open_steps=steps, pruning=pruning, is_cut=is_cut, dated=dated
        )
        return grown, found.total

    def condition_pool(self, run: Run, decisions: GivenDecisions) -> OptionPool | None:
        """The conditions that may be chosen, and None (READS, section 4.2); None where there is nothing to choose."""
        number = len(self.constraints)
        most = run.limits.constraints if run.switches.constraints else 0
        if number >= most or self.pruning.leaves_nothing:
            return None
        now = run.today if self.dated and asks_of_now(run.question, self.linking) else None
        members, cards = self.pruning.members, run.narrator.cards
        kinds = tuple(kinds_offered(run.question, self.linking.names, self.structure, members, cards))
        every = prune_pool(
            self.structure,
            members,
            self.linking.targets,
            self.constraints,
            (*held_constraints(self.dated, self.linking.targets, now), *kinds),
            place=self.linking.place,
            question=run.question,
        )
        pool = decisions.offered(Stage.PRUNE, every)
        if len(pool) == 1 and isinstance(pool.options[0], NoneOption):
            # A condition that a user gave may be there nevertheless.
            taken = decisions.take(Stage.PRUNE, number, pool)
            return None if taken is None or len(taken.pool) == 1 else pool
        return pool

    def kept_where(self, option: ConstraintOption) -> Reading:
        """One condition more, and not yet what it leaves; see `pruned`."""
        return replace(self, constraints=(*self.constraints, option.constraint))

    def pruned(self, run: Run) -> Reading:
        """What all conditions leave of G_k."""
        return replace(self, pruning=prune(self.structure, self.graph, self.constraints, run.store))

    def position_pool(self) -> OptionPool:
        """Where the answer may stand (READS, section 4.3)."""
        return infer_pool(self.structure, self.constraints)

    def answers(self, run: Run, position: int) -> tuple[Term, ...]:
        """The terms that pruning left at a position, the best first."""
        members = self.pruning.members[position]
        if not run.switches.topic_may_answer:
            members -= self.graph.members[ROOT]
        cards = run.narrator.cards(members)
        return tuple(in_order(members, self.structure, self.graph, self.pruning, position, cards))
