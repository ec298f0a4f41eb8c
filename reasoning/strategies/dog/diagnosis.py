"""The error classes of DoG (arXiv 2409.03155): of a wrong answer, one class, found from the events of its run.

DoG's authors sort errors by hand; these rules are Discern's. ``docs/explanation/dog.md`` lists their limits. In order:

1. aliasing: the first answer is a gold answer by another name;
2. other: no round is to blame, such as where the graph lacks the answer;
3. simplification, relation or stopping, by the first decision after which no gold derivation can be reached;
4. generation: each decision was right, and the facts hold an answer that was not given first.

Where no gold derivation tells the way, the facts do: see `_by_facts`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Entity, TermKind
from reasoning import events
from reasoning.core.blame import Blame, Cause
from reasoning.core.derivation import SearchStep
from reasoning.core.structure import ROOT
from reasoning.run.diagnosis import FAILED, DogDiagnosis
from reasoning.strategies.dog.options import ROUNDS
from reasoning.strategies.dog.shrinking import Shrinking
from reasoning.strategies.dog.word_rules import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Relation, Term
    from reasoning.question.literals import Span
    from reasoning.run.diagnosis import WrongAnswer
    from reasoning.strategies.dog.shrinking import Words

_MAX_SEEN = 20_000
"""Maximum of terms that are searched for a path to the answer. Beyond it, the diagnosis is unknown."""

_CUT = DogDiagnosis("other", None, "The search was cut.")


def dog_diagnosis(wrong: WrongAnswer) -> DogDiagnosis | None:
    """The class of a wrong answer of DoG. See `reasoning.run.diagnosis.Diagnose`."""
    if wrong.is_alias:
        return DogDiagnosis("aliasing", None, "The first answer is a gold answer by another name.")
    if wrong.has_failed:
        return FAILED
    if wrong.other_reason:
        return DogDiagnosis("other", None, wrong.other_reason)
    if not wrong.emitted:
        return None
    run = _Run(wrong)
    if wrong.blame is None or wrong.blame.cause is Cause.GAP:
        # No gold derivation leads to a gold answer here.
        return _by_facts(run)
    return _by_blame(run, wrong.blame)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of DoG with a wrong answer."""

    wrong: WrongAnswer

    @property
    def last(self) -> int:
        """The node that the last round led to."""
        return self.wrong.trace.structure.step

    def holds(self, position: int) -> bool:
        """Whether a gold answer stands at a node."""
        return self.wrong.is_answer(self.wrong.trace.graph.members[position])

    def rounds_left(self, position: int) -> int:
        """How many relations might be followed from a node; those to mediators are not counted."""
        nodes = self.wrong.trace.structure.path(position)[1:]
        return self.wrong.options[ROUNDS] - sum(node.kind is not TermKind.MEDIATOR for node in nodes)

    @property
    def was_cut(self) -> bool:
        """Whether the search ended because it might not, or could not, go on."""
        return any(isinstance(one, events.SearchEnded) and one.reason != "chosen" for one in self.wrong.emitted)

    def said_enough(self, position: int) -> bool:
        """Whether the try of a round ended the search; else its filter did."""
        return any(
            isinstance(one, events.Sufficiency) and one.round == position and one.enough for one in self.wrong.emitted
        )

    def lost_words(self, position: int, wanted: Iterable[Relation]) -> bool:
        """Whether the debates up to a node took out words that name a wanted relation, and left none that do.

        What the question is about is no such word.
        """
        relations = list(wanted)
        topic, gone, left = self._named_topic(), set[str](), set[str]()
        for debate in self.wrong.emitted:
            if isinstance(debate, events.QuestionSimplified) and debate.round <= position:
                gone |= set(_meaning(Shrinking(debate.before, topic).words(), debate.removed))
                topic = debate.topic
                left = set(_meaning(Shrinking(debate.after, topic).words()))
        return any(says(word, relation) for word in gone for relation in relations) and not any(
            says(word, relation) for word in left for relation in relations
        )

    def _named_topic(self) -> Span | None:
        """Where the question calls its topic by the graph's name; None where it does not."""
        topic = self.wrong.trace.topic
        if topic is None:
            return None
        name = re.escape(self.wrong.store.labels([topic])[topic])
        found = re.search(name, self.wrong.question, re.IGNORECASE)
        return None if found is None else found.span()


def _meaning(words: Words, within: Sequence[Span] | None = None) -> list[str]:
    """The words that say something, of those that lie wholly within some parts where parts are given."""
    return [
        words[place]
        for place, (start, end) in enumerate(words.spans)
        if words.carries_meaning(place)
        and (within is None or any(begin <= start and end <= stop for begin, stop in within))
    ]


def _by_blame(run: _Run, blamed: Blame) -> DogDiagnosis:
    """By the first decision after which no gold derivation can be reached."""
    number = blamed.number or 0
    wanted = [option.relation for option in blamed.wanted if isinstance(option, SearchStep)]
    match blamed.cause:
        case Cause.WENT_ON:
            return DogDiagnosis("stopping", number, "The facts were enough, but the search continued.")
        case Cause.CUT | Cause.STOPPED_EARLY if blamed.cause is Cause.CUT or run.was_cut:
            return _CUT
        case Cause.WRONG_RELATION | Cause.STOPPED_EARLY if run.lost_words(number, wanted):
            return DogDiagnosis("simplification", number, "A debate removed the words that name the next relation.")
        case Cause.STOPPED_EARLY:
            return _ended(run, number)
        case Cause.WRONG_RELATION:
            return DogDiagnosis("relation", number + 1, "The chosen relation does not lead to the answer.")
        case _:
            return _after_search(run)


def _ended(run: _Run, position: int) -> DogDiagnosis:
    """The search ended at a node from which a relation still led on."""
    if run.said_enough(position):
        return DogDiagnosis("stopping", position, "The check stopped the search although a relation was left.")
    return DogDiagnosis("relation", position + 1, "The filter chose no relation although one was left.")


def _after_search(run: _Run) -> DogDiagnosis:
    """Each decision of the search was right."""
    if any(run.holds(position) for position in range(ROOT + 1, run.last + 1)):
        return DogDiagnosis("generation", None, "The facts hold a gold answer, but another answer came first.")
    return DogDiagnosis("other", None, "The facts of the gold derivation hold no gold answer.")


def _by_facts(run: _Run) -> DogDiagnosis:
    """By where a gold answer stands, or from where the rounds that were left could still reach one."""
    if run.last > ROOT and run.holds(run.last):
        return _after_search(run)
    for position in range(ROOT + 1, run.last):
        if run.holds(position):
            return DogDiagnosis("stopping", position, "The facts held a gold answer, but the search continued.")
    if lost := _out_of_reach(run):
        return lost
    return _CUT if run.was_cut else _ended(run, run.last)


def _out_of_reach(run: _Run) -> DogDiagnosis | None:
    """The first relation that leaves the way to every gold answer; None where each keeps one within reach."""
    for position in range(run.last + 1):
        reached = _reaches(run, position)
        if reached is None:
            return DogDiagnosis(
                "other", None, "The found entities have too many facts to decide which path leads to the answer."
            )
        if not reached and position == ROOT:
            return DogDiagnosis("other", None, "No gold answer can be reached with this number of relations.")
        if not reached:
            return DogDiagnosis("relation", position, "No gold answer can be reached after this relation.")
    return None


def _reaches(run: _Run, position: int) -> bool | None:
    """Whether a gold answer can be reached from a node in the rounds that are left; None where that is too far to see.

    A relation to mediators takes no round, as in the search.
    """
    here = run.wrong.trace.graph.members[position]
    seen: set[Term] = set(here)
    for _ in range(run.rounds_left(position)):
        found = _one_round(run.wrong.store, [term for term in here if isinstance(term, Entity)], seen)
        if found is None:
            return None
        if run.wrong.is_answer(found):
            return True
        here = frozenset(found)
    return False


def _one_round(store: GraphStore, entities: Sequence[Entity], seen: set[Term]) -> set[Term] | None:
    """What all relations of some entities lead to that was not seen before; None where that is too much."""
    found: set[Term] = set()
    while entities:
        links: list[Entity] = []
        for one in store.relations(entities):
            filled = store.expand(entities, one.relation, _MAX_SEEN)
            ends = {fact.subject if one.relation.is_reverse else fact.object for fact in filled.triples} - seen
            seen |= ends
            if filled.total > len(filled.triples) or len(seen) > _MAX_SEEN:
                return None
            if one.kind is TermKind.MEDIATOR:
                links += [end for end in ends if isinstance(end, Entity)]
            else:
                found |= ends
        entities = links
    return found
