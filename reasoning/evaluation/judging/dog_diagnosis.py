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
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from kgstore.names import fold_name
from kgstore.terms import Entity, TermKind, Text
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.structure import ROOT
from reasoning.evaluation.judging.blame import Blame, Cause
from reasoning.evaluation.judging.comparison import answers_of, compared_terms, knows_names_alone
from reasoning.strategies.dog.shrinking import Shrinking
from reasoning.strategies.dog.word_rules import says

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Relation, Term
    from reasoning.core.trace import Trace
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.question.literals import Span
    from reasoning.strategies.dog.shrinking import Words

DogClass: TypeAlias = Literal["relation", "stopping", "simplification", "generation", "aliasing", "other"]
"""relation: the filter left the way to the answer. stopping: a try said enough too early, or not enough too late.
simplification: a debate took out the words that the next relation needed. generation: the facts hold the answer, and
another one was given first. aliasing: the first answer is a gold answer by another name. other: none of these."""
DOG_CLASSES: tuple[DogClass, ...] = get_args(DogClass)

_MAX_SEEN = 20_000
"""Maximum of terms that are searched for a path to the answer. Beyond it, the diagnosis is unknown."""


@dataclass(frozen=True, slots=True)
class DogDiagnosis:
    """Why an answer of DoG is wrong."""

    name: DogClass
    round: int | None = None
    """The round whose filter, try or debate went wrong, from 1; None where no round did."""
    why: str = ""
    """In a sentence."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives.

        Raises:
            TypeError, ValueError: a part is missing or unknown.

        """
        read = cls(**document)
        if read.name not in DOG_CLASSES:
            raise ValueError(f"{read.name!r} is no error class of DoG")
        return read

    def to_json(self) -> dict[str, Any]:
        """All parts by name."""
        return asdict(self)


FAILED = DogDiagnosis("other", None, "The run failed.")
_CUT = DogDiagnosis("other", None, "The search was cut.")


def dog_diagnosis(
    outcome: Outcome,
    question: BenchmarkQuestion,
    store: GraphStore,
    trace: Trace,
    *,
    rounds: int,
) -> DogDiagnosis | None:
    """The class of an answer of DoG; None where the first answer is right.

    ``outcome`` tells the events of the run and what is to blame, as `blame` has it; ``trace`` is what the run came to,
    and ``rounds`` is how many relations it might follow. Where a round may be to blame and the events of the run were
    not kept, no class is known: None too.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if outcome.is_right:
        return None
    if trace.answers and is_alias(trace.answers[0], question, store):
        return DogDiagnosis("aliasing", None, "The first answer is a gold answer by another name.")
    if outcome.verdict == "failed":
        return FAILED
    if why := _no_round(outcome):
        return DogDiagnosis("other", None, why)
    return _by_rounds(outcome, question, store, trace, rounds) if outcome.emitted else None


def _by_rounds(
    outcome: Outcome, question: BenchmarkQuestion, store: GraphStore, trace: Trace, rounds: int
) -> DogDiagnosis:
    """By what the rounds did."""
    golds = compared_terms(answers_of(question), store, by_name=knows_names_alone(question))
    run = _Run(question, store, trace, outcome.emitted, rounds, frozenset(golds))
    blamed = outcome.blame
    if blamed is None or blamed.cause is Cause.GAP:
        # No gold derivation leads to a gold answer here.
        return _by_facts(run)
    return _by_blame(run, blamed)


def is_alias(answer: Term, question: BenchmarkQuestion, store: GraphStore) -> bool:
    """Whether an answer that is not compared as equal to a gold answer is one by another name.

    Names are compared folded (`fold_name`), and those of an entity are all that the graph gives it. Where a benchmark
    has ids, two entities with different ids are two things, whatever they are called.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    golds = answers_of(question)
    entities = [term for term in (answer, *golds) if isinstance(term, Entity)]
    cards, labels = store.cards(entities), store.labels(entities)

    def names(term: Term) -> set[str]:
        match term:
            case Entity():
                card = cards.get(term)
                return set(map(fold_name, (labels[term], *(() if card is None else card.aliases))))
            case Text(value=value):
                return {fold_name(value)}
            case _:
                return set()

    own = names(answer)
    by_name = question.compared_by == "name"
    return any(
        own & names(gold) for gold in golds if by_name or not (isinstance(answer, Entity) and isinstance(gold, Entity))
    )


def _no_round(outcome: Outcome) -> str:
    """Why no round of the debate is to blame; empty where one may be."""
    blamed = outcome.blame
    if not outcome.answerable:
        return "The benchmark has no answer, and one was given."
    if outcome.graph_gap:
        return "No gold answer is in the graph."
    if outcome.topic is None or outcome.topic_right is False or (blamed and blamed.cause is Cause.LINKING):
        return "The search began at another topic entity, or at none."
    return ""


@dataclass(frozen=True, slots=True)
class _Run:
    """The result of a DoG run, with the gold answers."""

    question: BenchmarkQuestion
    store: GraphStore
    trace: Trace
    emitted: Sequence[events.StageEvent]
    rounds: int
    golds: frozenset[Term]
    """The gold answers, as `compared_terms` has them."""

    @property
    def last(self) -> int:
        """The node that the last round led to."""
        return self.trace.structure.step

    def holds(self, position: int) -> bool:
        """Whether a gold answer stands at a node."""
        return self.is_answer(self.trace.graph.members[position])

    def is_answer(self, terms: Collection[Term]) -> bool:
        """Whether a gold answer is among some terms."""
        by_name = knows_names_alone(self.question)
        return not self.golds.isdisjoint(compared_terms(terms, self.store, by_name=by_name))

    def rounds_left(self, position: int) -> int:
        """How many relations might be followed from a node; those to mediators are not counted."""
        nodes = self.trace.structure.path(position)[1:]
        return self.rounds - sum(node.kind is not TermKind.MEDIATOR for node in nodes)

    @property
    def was_cut(self) -> bool:
        """Whether the search ended because it might not, or could not, go on."""
        return any(isinstance(one, events.SearchEnded) and one.reason != "chosen" for one in self.emitted)

    def said_enough(self, position: int) -> bool:
        """Whether the try of a round ended the search; else its filter did."""
        return any(isinstance(one, events.Sufficiency) and one.round == position and one.enough for one in self.emitted)

    def lost_words(self, position: int, wanted: Iterable[Relation]) -> bool:
        """Whether the debates up to a node took out words that name a wanted relation, and left none that do.

        What the question is about is no such word.
        """
        relations = list(wanted)
        topic, gone, left = self._named_topic(), set[str](), set[str]()
        for debate in self.emitted:
            if isinstance(debate, events.QuestionSimplified) and debate.round <= position:
                gone |= set(_meaning(Shrinking(debate.before, topic).words(), debate.removed))
                topic = debate.topic
                left = set(_meaning(Shrinking(debate.after, topic).words()))
        return any(says(word, relation) for word in gone for relation in relations) and not any(
            says(word, relation) for word in left for relation in relations
        )

    def _named_topic(self) -> Span | None:
        """Where the question calls its topic by the graph's name; None where it does not."""
        topic = self.trace.topic
        if topic is None:
            return None
        name = re.escape(self.store.labels([topic])[topic])
        found = re.search(name, self.question.text, re.IGNORECASE)
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
    here = run.trace.graph.members[position]
    seen: set[Term] = set(here)
    for _ in range(run.rounds_left(position)):
        found = _one_round(run.store, [term for term in here if isinstance(term, Entity)], seen)
        if found is None:
            return None
        if run.is_answer(found):
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
