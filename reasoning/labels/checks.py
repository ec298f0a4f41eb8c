"""Whether a label holds on its graph: a derivation that leads to what was marked, a set of facts that proves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Direction, Entity, Relation, Triple
from reasoning import events
from reasoning.labels.decided import led_to
from reasoning.run.run import TERSE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.labels.decided import DecidedSoFar

_FACTS_READ = 5_000
"""Maximum of objects of a subject that are searched for a literal."""


@dataclass(frozen=True, slots=True)
class LabelFault:
    """What is wrong with a label."""

    code: str
    """For programs: ``fact_missing``."""
    message: str
    """For people: what is wrong and what to do."""


def derivation_faults(
    question: str, store: GraphStore, decided: DecidedSoFar, marked: Collection[Term]
) -> Iterator[LabelFault]:
    """What is wrong with a label that is a derivation: it must be whole, and come to the marked answers, if any are.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if decided.topic is None:
        yield LabelFault("no_topic", "Say first what the question is about.")
        return
    if not decided.steps:
        yield LabelFault("no_step", "Choose at least one fact that leads on from the topic.")
        return
    if decided.answer_position is None:
        yield LabelFault("no_answer", "Choose the answer position.")
        return
    reached = led_to(question, store, decided, TERSE)
    end = reached.emitted[-1]
    if isinstance(end, events.Failed):
        yield LabelFault("decision_faulty", end.message)
    elif not reached.answers:
        yield LabelFault("no_answers", "These decisions lead to no answer. Drop a condition, or choose another step.")
    elif marked and set(marked) != set(reached.answers):
        lacks, more = len(set(marked) - set(reached.answers)), len(set(reached.answers) - set(marked))
        text = f"{lacks} that you marked and {more} that you did not mark"
        yield LabelFault(
            "other_answers",
            f"These decisions differ from the marked answers by {text}. Change the decisions or the marks.",
        )


def facts_faults(store: GraphStore, facts: Sequence[Triple], answers: Collection[Term]) -> Iterator[LabelFault]:
    """What is wrong with a label that is a set of facts: all in the graph, connected, holding all answers.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if not facts:
        yield LabelFault("no_facts", "Choose at least one fact.")
        return
    if not answers:
        yield LabelFault("no_answers", "Mark at least one answer.")
        return
    absent = [fact for fact in facts if not _holds(store, fact)]
    if absent:
        first = absent[0]
        yield LabelFault(
            "fact_missing",
            f"{len(absent)} of {len(facts)} facts are not in the graph, the first of them {first.subject} "
            f"{first.predicate} {first.object}. Take them out, or report them as missing.",
        )
    if (parts := _parts(facts)) > 1:
        yield LabelFault("not_connected", f"The facts fall into {parts} parts that share nothing. Add what joins them.")
    stand = {term for fact in facts for term in (fact.subject, fact.object)}
    if without := set(answers) - stand:
        yield LabelFault(
            "answer_without_fact", f"{len(without)} of {len(answers)} answers stand in none of the facts. Add theirs."
        )


def _holds(store: GraphStore, fact: Triple) -> bool:
    """Whether a graph holds a fact."""
    if isinstance(fact.object, Entity):
        wanted = {Relation(fact.predicate)}
        backwards = Relation(fact.predicate, Direction.REVERSE)
        return any(link.relation in wanted for link in store.links([fact.subject], [fact.object])) or any(
            link.relation == backwards for link in store.links([fact.object], [fact.subject])
        )
    found = store.expand([fact.subject], Relation(fact.predicate), _FACTS_READ)
    return any(triple.object == fact.object for triple in found.triples)


def _parts(facts: Sequence[Triple]) -> int:
    """Into how many parts facts fall that share no term."""
    parts: list[set[Term]] = []
    for fact in facts:
        ends: set[Term] = {fact.subject, fact.object}
        touched = [part for part in parts if part & ends]
        parts = [part for part in parts if not part & ends]
        parts.append(ends.union(*touched))
    return len(parts)
