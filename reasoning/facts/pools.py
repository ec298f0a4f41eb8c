"""The option pools of the three stages, read from the graph and S_k."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label
from kgstore.names import fold_name
from kgstore.terms import Date, Entity, Number, Term, TermKind, Text
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.options import (
    AnswerOption,
    ConstraintOption,
    Mention,
    NoneOption,
    Option,
    OptionPool,
    StepOption,
    TopicOption,
)
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.facts.comparisons import comparisons_offered, other_ends
from reasoning.question.naming import is_function_word
from reasoning.question.units import said_for

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kgstore.store import Expansion, GraphStore
    from kgstore.terms import Relation, Triple
    from reasoning.core.structure import SemanticNode
    from reasoning.facts.comparisons import Comparisons
    from reasoning.question.linking import Linking


def topic_pool(linking: Linking) -> OptionPool:
    """The entities that the question may be about, the likeliest first."""
    return OptionPool(
        tuple(
            TopicOption(ranked.mention, ranked.card.types, ranked.card.popularity, ranked.log_odds)
            for ranked in linking.topics
        )
    )


def step_options(
    store: GraphStore, graph: InstanceGraph, position: int, targets: Collection[Mention]
) -> tuple[StepOption, ...]:
    """The search options of one semantic node: every relation that its entities really have, in both directions."""
    entities = graph.entities_at(position)
    if not entities:
        return ()
    named = {mention.term for mention in targets if isinstance(mention.term, Entity)}
    links = store.links(entities, named) if named else ()
    reached: dict[object, list[Entity]] = {}
    for found in links:
        reached.setdefault(found.relation, []).append(found.target)
    return tuple(
        StepOption(
            SearchStep(position, count.relation),
            count.entities,
            count.triples,
            count.kind,
            tuple(sorted(reached.get(count.relation, ()))),
        )
        for count in store.relations(entities)
    )


def facts_of(step: SearchStep, graph: InstanceGraph, store: GraphStore, limit: int) -> Expansion:
    """The facts that a search step finds in the graph, ``limit`` at most."""
    return store.expand(graph.entities_at(step.position), step.relation, limit)


def facts_that_join(
    triples: Sequence[Triple], relation: Relation, graph: InstanceGraph, *, recur: bool
) -> Sequence[Triple]:
    """The facts of a step that may join G_k: all, or those that do not lead back to the topic entity."""
    if recur:
        return triples
    topic = graph.members[ROOT]
    return [triple for triple in triples if (triple.subject if relation.is_reverse else triple.object) not in topic]


def search_pool(open_steps: Sequence[StepOption]) -> OptionPool:
    """The search options not yet taken, and None."""
    return OptionPool((*open_steps, NoneOption()))


def prune_pool(
    structure: AbstractStructure,
    members: Sequence[frozenset[Term]],
    targets: Collection[Mention],
    chosen: Sequence[Constraint],
    others: Sequence[Constraint] = (),
    *,
    place: int = 1,
    question: str = "",
) -> OptionPool:
    """Every (position, operator, target) that type-checks and is not chosen yet, and None.

    ``members`` holds what earlier constraints left. An entity is only a target for a node that holds it. The last
    position that could hold the answer is never constrained, but for its kind. Minima and maxima are those at the
    ``place`` that the question asks for. Where one end of a period is chosen, the other one follows
    (`reasoning.facts.comparisons`). A text is a target where the question says all of its words. ``others`` are the
    constraints of Discern's own: that something held then (`held_constraints`), and kinds (`reasoning.question.kinds`).
    """
    words = fold_name(question)
    offered = comparisons_offered(targets, question)
    said = frozenset(term for held in members for term in held if isinstance(term, Text) and _is_said(term, words))
    free = set(answerable(structure, chosen))
    options: list[Option] = [
        ConstraintOption(constraint)
        for node in structure.nodes
        if node.position != ROOT and free - {node.position}
        for constraint in _constraints(node, members[node.position], targets, said, place, offered)
        if constraint not in chosen
    ]
    if rest := [option for option in options if option.choice in other_ends(chosen, targets, question, offered)]:
        return OptionPool(tuple(rest))
    # What runs of earlier versions chose keeps its place, None among it: what READS has not comes last.
    more = (ConstraintOption(constraint) for constraint in others if constraint not in chosen)
    return OptionPool((*options, NoneOption(), *more))


def held_constraints(
    dated: Collection[int], targets: Collection[Mention], now: Date | None = None
) -> tuple[Constraint, ...]:
    """That what stands at a position held at a date: at each that the question names, and now where it asks of that.

    ``dated`` are the positions of mediators with a beginning or an end, ``now`` the day. Discern's own; see
    `reasoning.facts.validity`.
    """
    days = dict.fromkeys(mention.term for mention in targets if isinstance(mention.term, Date))
    if now is not None:
        days[now] = None
    return tuple(Constraint(position, Operator.HOLDS, day) for position in sorted(dated) for day in days)


def infer_pool(structure: AbstractStructure, constraints: Sequence[Constraint]) -> OptionPool:
    """The positions where the answer may stand."""
    return OptionPool(tuple(AnswerOption(position) for position in answerable(structure, constraints)))


def answerable(structure: AbstractStructure, constraints: Sequence[Constraint]) -> tuple[int, ...]:
    """Positions that hold something that can be an answer, neither the topic itself nor mediators, and no constraint.

    A constraint that tells of what kind the answer is may stand there.
    """
    constrained = {constraint.position for constraint in constraints if not constraint.operator.leaves_answer}
    return tuple(
        node.position
        for node in structure.nodes
        if node.position != ROOT and node.kind is not TermKind.MEDIATOR and node.position not in constrained
    )


def reached_targets(graph: InstanceGraph, targets: Collection[Mention]) -> tuple[Term, ...]:
    """The targets that some semantic node holds."""
    held = frozenset[Term]().union(*graph.members[ROOT + 1 :])
    return tuple(dict.fromkeys(mention.term for mention in targets if mention.term in held))


def _constraints(
    node: SemanticNode,
    members: frozenset[Term],
    targets: Collection[Mention],
    said: frozenset[Text],
    place: int,
    offered: Comparisons,
) -> Iterator[Constraint]:
    position, kind = node.position, node.kind
    unit = "" if node.relation is None else relation_label(node.relation).unit
    wanted = dict.fromkeys(mention.term for mention in said_for(targets, unit))
    if kind is TermKind.ENTITY:
        yield from (Constraint(position, Operator.EQUAL, term) for term in wanted if term in members)
    if kind is TermKind.TEXT:
        yield from (Constraint(position, Operator.EQUAL, text) for text in sorted(said & members, key=str))
    literal = {TermKind.NUMBER: Number, TermKind.DATE: Date}.get(kind)
    if literal is not None:
        yield from (
            Constraint(position, operator, term)
            for term in wanted
            if isinstance(term, literal)
            for operator in offered[term]
        )
        if len(members) >= max(place, 2):
            target = None if place == 1 else Number(float(place))
            yield Constraint(position, Operator.MIN, target)
            yield Constraint(position, Operator.MAX, target)


def _is_said(text: Text, question: str) -> bool:
    """Whether a folded question has the words of a text side by side, and not only words such as *the*."""
    words = fold_name(text.value)
    return not all(map(is_function_word, words.split())) and f" {words} " in f" {question} "
