"""Yes-no questions: *did Nolan direct Inception* claims that Inception is among what Nolan directed.

Discern's own; READS answers what asks for something. The scorer is asked the question without what is claimed (*what
did Nolan direct*), and the claim is true where that is among the answers. Words decide this, and no model. Where the
answers are places, what lies in the claimed region is true of it too: *was she born in Hawaii*.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label, type_label
from kgstore.freebase.spans import bound_of
from kgstore.names import fold_name
from kgstore.terms import Date, Entity, Number, Text, ordered_as
from reasoning.core.derivation import Operator
from reasoning.core.options import AnswerOption, NoneOption, Stage, StepOption, TopicOption
from reasoning.core.structure import ROOT
from reasoning.facts.comparisons import comparisons_offered
from reasoning.facts.pruning import meets
from reasoning.question.literals import overlaps
from reasoning.question.units import said_for
from reasoning.question.words import content_stems
from reasoning.run.claim_direction import has_something
from reasoning.run.kind_asked import leads_to_region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from kgstore.terms import Relation, Term
    from reasoning.core.options import DecisionState, Mention, OptionPool
    from reasoning.facts.comparisons import Comparisons
    from reasoning.question.linking import Linking
    from reasoning.question.literals import Span
    from reasoning.question.not_understood import NotUnderstoodWords
    from reasoning.scorers.base import Distribution

_ASKS_WHETHER = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|has|have|had)(?:n['\u2019]?t)?\s+(?!there\b(?!\s+(?-i:[A-Z]))|(?i:you|we|i|it)\b)",
    re.IGNORECASE,
)
_ASKS_FOR = re.compile(r"\b(?:who|whom|whose|which|what|where|when|why|how|or)\b", re.IGNORECASE)
_JOINED = re.compile(
    r"\s*(?P<preposition>\b(?:in|on|at|from|since|by|with|to|for|as)\s+)?(?:(?:the|a|an)\s+)?$", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
PEOPLE = frozenset({"person", "people", "human", "actor"})
"""Words for the types of people."""
_PLACES = frozenset({"location", "place", "city", "town", "country", "state", "citytown", "region"})
_OF_PLACE_OR_TIME = frozenset({"in", "on", "at", "since"})
_CAPITAL_BEFORE = re.compile(r"(?<=\s)(?P<word>[^\W\d_a-z][^\s,;:]*)\s+$")
_CAPITAL_AFTER = re.compile(r"\s+(?P<word>[^\W\d_a-z][^\W_]*)")
_LIES_IN = re.compile(r"\s+(?:located\s+|situated\s+)?in\s+(?:the\s+)?", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"\s*(?:do|does|did|has|have|had)(?:n['\u2019]?t)?\s+the\s+[\w\s]+\s+of\s+(?:the\s+)?$", re.IGNORECASE
)
"""*Did the director of Jaws win*: what is claimed is true of another thing than the topic."""
_MOST_COUNTED = 20
"""A larger number is most likely the value of a fact, and not how many answers there are."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a yes-no question claims to be an answer."""

    span: Span
    """Where the question says it, in Unicode code points."""
    mentions: tuple[Mention, ...]
    """What it may mean: of namesakes, each."""
    question: str
    """The question that asks for it instead."""
    offered: Comparisons
    """How an answer may compare with each number and date."""
    cut: Span
    """What the other question leaves out of this one; a word stands before it instead."""
    before: int
    """By how many characters what stands before the cut begins later in the other question."""
    after: int
    """The same of what stands after it."""
    words: str
    """What the question calls it, folded."""
    types: frozenset[str]
    """Of the entities that it may mean."""
    is_place_alone: bool = False
    """Whether the question only asks if the topic lies in it."""

    @property
    def entities(self) -> frozenset[Entity]:
        """The entities that it may mean."""
        return frozenset(mention.term for mention in self.mentions if isinstance(mention.term, Entity))

    def holds(self, answers: Iterable[Term], relation: Relation | None) -> bool:
        """Whether one of the answers, which a relation leads to, is what is claimed.

        A period is one comparison with each of its ends.
        """
        unit = "" if relation is None else relation_label(relation).unit
        terms = [mention.term for mention in said_for(self.mentions, unit)]
        operators = ((self.offered.get(term, (Operator.EQUAL,)), term) for term in terms)
        tests = [(some[0] if len(some) == 1 else Operator.EQUAL, term) for some, term in operators if some]
        ends = [test for test in tests if isinstance(test[1], Date)]
        either = [ends] if len(ends) > 1 else [[test] for test in tests]
        return any(
            all(meets(answer, operator, term) for operator, term in all_of) for answer in answers for all_of in either
        )

    def is_so(
        self, answers: Sequence[Term], relation: Relation | None, cards: Mapping[Entity, EntityCard]
    ) -> bool | None:
        """Whether the claim is so; None where the answers, which a relation leads to, do not tell.

        That none of them is what is claimed tells only where they are things of its kind, or values of its kind.
        """
        unit = "" if relation is None else relation_label(relation).unit
        values = [mention.term for mention in self.mentions if not isinstance(mention.term, Entity)]
        if values and not unit and any(mention.unit for mention in self.mentions):
            # In which unit the answers are is not known.
            return None
        if self.holds(answers, relation) or any(map(self._is_called, self._names(answers, cards))):
            return True
        if not values:
            types = frozenset(name for card in cards.values() for name in card.types)
            may_deny = _are_alike(types, self.types) and not self.is_place_alone
            return False if may_deny and all(isinstance(one, Entity) for one in answers) else None
        if all(isinstance(answer, Entity) for answer in answers):
            return self._counts(len(answers))
        is_begin_or_end = relation is not None and bound_of(relation) is not None
        kinds = {type(ordered_as(answer)) for answer in answers}
        return None if is_begin_or_end or kinds.isdisjoint(map(type, values)) else False

    def may_be_of(self, types: frozenset[str]) -> bool:
        """Whether what is claimed may be of one kind with a thing of some types, as far as types tell."""
        return bool(self.entities) and _are_alike(types, self.types)

    def _counts(self, number: int) -> bool | None:
        """Whether that many answers are what is claimed: *has she two sisters*; None where no such number is."""
        counts = [one.term for one in self.mentions if isinstance(one.term, Number) and one.term.value <= _MOST_COUNTED]
        dates = any(isinstance(mention.term, Date) for mention in self.mentions)
        return None if dates or not counts else self.holds([Number(float(number))], None)

    def _is_called(self, name: str) -> bool:
        """Whether an answer's name is what is claimed, or begins with it: *the Nobel Prize*, and that in Physics."""
        folded = fold_name(name)
        return folded == self.words or folded.startswith((f"{self.words} ", f"{self.words.removesuffix('s')} "))

    def _names(self, answers: Iterable[Term], cards: Mapping[Entity, EntityCard]) -> Iterator[str]:
        for answer in answers:
            if isinstance(answer, Text):
                yield answer.value
            elif isinstance(answer, Entity) and answer in cards:
                yield from filter(None, (cards[answer].name, *cards[answer].aliases))

    def of_other_question(self, state: DecisionState) -> DecisionState:
        """What a scorer sees when it is asked for the answers instead."""
        return replace(
            state,
            question=self.question,
            topic=None if state.topic is None else self._moved(state.topic),
            targets=tuple(map(self._moved, state.targets)),
        )

    def _moved(self, mention: Mention) -> Mention:
        by = self.after if mention.start >= self.cut[1] else self.before
        return replace(mention, start=mention.start + by, end=mention.end + by)


def _are_alike(types: frozenset[str], others: frozenset[str]) -> bool:
    """Whether things of some types may be of one kind: they share a type, are people or places, or have no type."""
    if not types or not others or types & others:
        return True
    words, other_words = words_of_types(types), words_of_types(others)
    return any(words & alike and other_words & alike for alike in (PEOPLE, _PLACES))


def words_of_types(types: Iterable[str]) -> frozenset[str]:
    """The words for some types: *city* and *town*."""
    return frozenset(word for name in types for word in _WORD.findall(type_label(name).lower()))


def asks_whether(question: str, linking: Linking) -> bool:
    """Whether the words of a question ask for yes or no."""
    if not _ASKS_WHETHER.match(question):
        return False
    return not any(not overlaps(match.span(), linking.names) for match in _ASKS_FOR.finditer(question))


def said_of(question: str, linking: Linking) -> Span | None:
    """The name that a yes-no question says something of, where its form tells: *is X the wife of Y*, *is X in Y*."""
    if not asks_whether(question, linking):
        return None
    names = sorted(linking.names)
    having = [name for name in names if has_something(question, name)]
    if len(having) == 1:
        return having[0]
    lies_in = len(names) > 1 and _LIES_IN.fullmatch(question[names[0][1] : names[1][0]])
    return names[0] if lies_in else None


def named_there(pool: OptionPool, span: Span) -> list[int]:
    """The places in a pool of the topics that a part of the question names."""
    return [
        place
        for place, option in enumerate(pool.options)
        if isinstance(option, TopicOption) and (option.mention.start, option.mention.end) == span
    ]


def claim_of(question: str, linking: Linking, not_understood: Sequence[NotUnderstoodWords]) -> Claim | None:
    """What a question claims besides its topic; None where it is no yes-no question, or claims several things.

    Where it names an entity and a number or a date, it claims the entity: *did he win the Grammy Award in 2009*.

    Args:
        question: as it was asked.
        linking: with its topic chosen.
        not_understood: what it negates, compares or asks besides.

    """
    if linking.mention is None or linking.starts_from_type or not asks_whether(question, linking) or not_understood:
        return None
    if _OF_ANOTHER.match(question[: linking.mention.start]):
        return None
    topic = (linking.mention.start, linking.mention.end)
    spans: dict[Span, list[Mention]] = {}
    for mention in linking.targets:
        if not overlaps((mention.start, mention.end), [topic]):
            spans.setdefault((mention.start, mention.end), []).append(mention)
    named = [span for span, some in spans.items() if isinstance(some[0].term, Entity)]
    telling = [span for span in named if span not in linking.ordinary]
    claimed = telling or [span for span in spans if span not in named] or named
    if len(claimed) != 1:
        return None
    span = claimed[0]
    if _is_half_name(question, span, linking) or _is_half_name(question, topic, linking):
        return None
    return _claim(question, span, tuple(spans[span]), linking)


def _claim(question: str, span: Span, mentions: tuple[Mention, ...], linking: Linking) -> Claim:
    cards = (linking.cards.get(one.term) for one in mentions if isinstance(one.term, Entity))
    types = frozenset(name for card in cards if card is not None for name in card.types)
    asks, start = _asking_word(question, span, mentions, words_of_types(types))
    first = len(question) - len(question.lstrip())
    other = f"{asks} {question[first:start].rstrip()}{question[span[1] :]}"
    offered = comparisons_offered(mentions, question)
    before, after = len(asks) + 1 - first, len(other) - len(question)
    words = fold_name(question[slice(*span)])
    lies_in = linking.mention is not None and _LIES_IN.fullmatch(question[linking.mention.end : span[0]]) is not None
    return Claim(span, mentions, other, offered, (start, span[1]), before, after, words, types, lies_in)


def _is_half_name(question: str, span: Span, linking: Linking) -> bool:
    """Whether a word with a capital that names nothing stands next to a name: *Elon Musk*, where there is no Musk."""
    before, after = _CAPITAL_BEFORE.search(question, 0, span[0]), _CAPITAL_AFTER.match(question, span[1])
    beside = [match.span("word") for match in (before, after) if match is not None]
    return any(start > 0 and not overlaps((start, end), linking.names) for start, end in beside)


def _asking_word(question: str, span: Span, mentions: Sequence[Mention], types: frozenset[str]) -> tuple[str, int]:
    """The word that asks for what is claimed, and where that begins with the preposition that this word replaces.

    ``types`` are the words for the types of what is claimed.
    """
    joined = _JOINED.search(question, 0, span[0])
    start = span[0] if joined is None else joined.start()
    preposition = ((joined and joined["preposition"]) or "").strip().lower()
    if any(isinstance(mention.term, Date) for mention in mentions) and preposition:
        return "when", start
    if types & _PLACES and preposition in _OF_PLACE_OR_TIME:
        return "where", start
    if joined is not None and preposition:
        start = joined.end("preposition")
    return ("who" if types & PEOPLE else "what"), start


def decide_by_claim(
    state: DecisionState,
    pool: OptionPool,
    claim: Claim,
    members: Sequence[frozenset[Term]],
    found: Distribution,
    store: GraphStore,
) -> Distribution:
    """P(option) where the option that leads to what is claimed takes the place of the best one.

    The answer is at the position that holds it. A first step that leads to it and is called as the question says comes
    before one that does not. Where the search would stop at places and one more step leads from them
    to the region that is claimed, it takes that step.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    best = pool.options[found.best]

    def is_held_at(position: int) -> bool:
        return claim.holds(members[position], state.structure.nodes[position].relation)

    fitting: list[int] = []
    if state.stage is Stage.INFER and isinstance(best, AnswerOption) and not is_held_at(best.position):
        fitting = [
            place
            for place, option in enumerate(pool.options)
            if isinstance(option, AnswerOption) and is_held_at(option.position)
        ]
    elif state.stage is Stage.SEARCH and len(members) == 1:
        topics = [term for term in members[ROOT] if isinstance(term, Entity)]
        direct = {link.relation for link in store.links(topics, claim.entities)} if claim.entities else set()
        if isinstance(best, StepOption) and best.step.relation in direct:
            return found
        said = content_stems(state.question)
        fitting = [
            place
            for place, option in enumerate(pool.options)
            if isinstance(option, StepOption)
            and option.step.relation in direct
            and not said.isdisjoint(content_stems(relation_label(option.step.relation).label))
        ]
    elif state.stage is Stage.SEARCH and isinstance(best, NoneOption) and len(members) > 1:
        if any(map(is_held_at, range(1, len(members)))):
            return found
        newest = len(members) - 1
        entities = [term for term in members[newest] if isinstance(term, Entity)]
        links = store.links(entities, claim.entities) if claim.entities else ()
        reaching = {link.relation for link in links if leads_to_region(link.relation)}
        fitting = [
            place
            for place, option in enumerate(pool.options)
            if isinstance(option, StepOption) and option.step.position == newest and option.step.relation in reaching
        ]
    return found.led_by(fitting)
