"""Which of what a relation led to stays in the beam (ToG, section 2.1.2, entity prune).

ToG lets a language model score the tails of a relation, five drawn by chance where there are twenty or more, and drops
tails that are no entities. Ours: the best known ones are looked at, always the same; literals stay among them; what the
question names is nearest; and a few need no judge. A link without a name cannot be judged, so all of those stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Entity, TermKind
from reasoning import events
from reasoning.core.options import Stage
from reasoning.core.structure import ROOT
from reasoning.question.namesakes import kind_words
from reasoning.strategies.answer_candidates import best_first
from reasoning.strategies.asking import masked_text
from reasoning.strategies.growth import DIGITS
from reasoning.strategies.plans.proposed import way_to
from reasoning.strategies.tog.nearness import JUDGE, nearness

if TYPE_CHECKING:
    from kgstore.terms import Term
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run

LOOKED_AT = 50
"""Maximum of entities behind a relation that are judged."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """What stands at a node of S_k, the best first."""

    scores: dict[Term, float]
    """Of those that were judged, or of all."""
    kept: tuple[Term, ...]
    total: int
    judge: str
    """What judged; empty if nothing did, so that all were kept."""

    @property
    def heads(self) -> list[Entity]:
        """The entities from which the search goes on."""
        return [term for term in self.kept if isinstance(term, Entity)]


def frontier_at(run: Run, linking: Linking, position: int, *, keep: int | None) -> Frontier:
    """What is kept at a node: ``keep`` terms at most, or all where that is None.

    Raises:
        ScorerUnavailableError: the sentence encoder is not there.

    """
    with run.timed(Stage.SEARCH):
        structure, graph = run.trace.structure, run.trace.graph
        members = graph.members[position]
        nameless = structure.nodes[position].kind is TermKind.MEDIATOR
        if position == ROOT or nameless or keep is None or len(members) <= keep:
            ordered = tuple(best_first(run, members, position))
            return Frontier(dict.fromkeys(ordered, 1.0), ordered, len(members), "")
        looked_at = best_first(run, members, position)[:LOOKED_AT]
        named = {mention.term for mention in linking.targets}
        near = nearness(masked_text(run.question, linking), [_text(run, term) for term in looked_at])
        scores = {
            term: 1.0 if term in named else round(score, DIGITS) for term, score in zip(looked_at, near, strict=True)
        }
        # Of equals, the best known stays first.
        scores = dict(sorted(scores.items(), key=lambda one: -one[1]))
        judge = JUDGE if len(looked_at) == len(members) else f"{JUDGE}, of the best known {len(looked_at)}"
        return Frontier(scores, tuple(scores)[:keep], len(members), judge)


def frontier_event(
    run: Run, frontier: Frontier, position: int, *, hop: int, beam: int, seconds: float
) -> events.FrontierKept:
    """The event of a frontier, with as many entities as options are shown."""
    shown = [*frontier.scores][: run.limits.options_shown]
    run.narrator.learn(shown)
    return events.FrontierKept(
        hop=hop,
        of="beam",
        numbers=[beam],
        way=[run.narrator.relation(relation) for relation in way_to(run, position)],
        judge=frontier.judge,
        entities=[
            events.FrontierEntityRecord(
                term=run.narrator.term(term), score=frontier.scores[term], kept=term in frontier.kept
            )
            for term in shown
        ],
        kept=len(frontier.kept),
        dropped=frontier.total - len(frontier.kept),
        seconds=seconds,
    )


def _text(run: Run, term: Term) -> str:
    """A term as the encoder reads it: *Knight Rider (TV programme)*."""
    label = run.narrator.term(term).label
    card = run.narrator.card(term) if isinstance(term, Entity) else None
    kind = "" if card is None else kind_words(card)
    return f"{label} ({kind})" if kind else label
