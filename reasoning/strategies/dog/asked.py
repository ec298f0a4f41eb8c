"""What is asked at a node of S_k: the question by now, and the relations that were followed since it was shortened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgstore.freebase.labels import type_label
from kgstore.terms import Entity
from reasoning.core.options import Mention, OptionPool, StepOption
from reasoning.core.structure import ROOT, AbstractStructure
from reasoning.strategies.answer_candidates import best_first
from reasoning.strategies.dog.shrinking import Shrinking

if TYPE_CHECKING:
    from kgstore.store import EntityCard
    from reasoning.core.options import Stage
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.scorers.base import Distribution

_KINDS_LOOKED_AT = 200
"""Maximum of entities of a set whose types are read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked at a node. Immutable."""

    question: Shrinking
    linking: Linking
    """What the question names by now."""
    path: AbstractStructure
    """What the question is about by now, and the relations that were followed since."""
    position: int
    """The node of S_k where this path ends."""

    @classmethod
    def first(cls, run: Run, linking: Linking) -> Asked:
        """What the asker asked."""
        question = Shrinking.of(run.question, linking.mention, linking.targets)
        return cls(question, linking, run.trace.structure, ROOT)

    def followed(self, option: StepOption, position: int) -> Asked:
        """The same question at the node that a step led to."""
        return replace(self, path=self.path.grow(self.path.step, option.step.relation, option.kind), position=position)

    def shortened(self, question: Shrinking, first: EntityCard, name: str) -> Asked:
        """A shorter question about what stands here; the scorer sees the first one and its name."""
        mention = None if question.topic is None else Mention(*question.topic, first.entity)
        mentions = sorted((*question.others, *([] if mention is None else [mention])), key=lambda one: one.start)
        linking = replace(
            self.linking,
            mentions=tuple(mentions),
            cards={**self.linking.cards, first.entity: first},
            topic=first,
            mention=mention,
            at_another_time=(),
            ordinal=None,
        )
        return Asked(question, linking, AbstractStructure.rooted(name), self.position)

    def score(self, run: Run, stage: Stage, pool: OptionPool) -> Distribution:
        """What the scorer gives ways on from here, asked this question; raises as `Run.ask` does."""
        here = [
            replace(option, step=replace(option.step, position=self.path.step))
            if isinstance(option, StepOption)
            else option
            for option in pool.options
        ]
        number = run.trace.structure.step
        return run.ask(stage, number, OptionPool(tuple(here)), self.path, self.linking, question=self.question.text)


def best_known(run: Run, position: int) -> list[Entity]:
    """The entities at a node, the best known first."""
    ordered = best_first(run, run.trace.graph.entities_at(position), position)
    return [term for term in ordered if isinstance(term, Entity)]


def set_name(run: Run, entities: list[Entity]) -> str:
    """What a question calls what stands at a node: a thing by its name, several as a set (*these 12 films*)."""
    if len(entities) == 1:
        return run.narrator.term(entities[0]).label
    cards = run.narrator.cards(entities[:_KINDS_LOOKED_AT])
    kinds = [name for card in cards.values() for name in card.types[:1]]
    kind = max(dict.fromkeys(kinds), key=kinds.count, default=None)
    return f"these {len(entities):,} {'things' if kind is None else _several(type_label(kind))}"


def _several(kind: str) -> str:
    """*films*, *countries*, *people*."""
    head, space, last = kind.rpartition(" ")
    if last == "person":
        plural = "people"
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        plural = f"{last[:-1]}ies"
    elif last.endswith(("s", "x", "ch", "sh")):
        plural = f"{last}es"
    else:
        plural = f"{last}s"
    return f"{head}{space}{plural}"
