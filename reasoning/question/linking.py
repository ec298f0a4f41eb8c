"""Entity linking: the topic entity, and the entities, numbers and dates that may become targets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kgstore.characters import character_fault
from kgstore.names import fold_name, typing_errors
from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import Entity
from reasoning.core.errors import QuestionTextError, UnknownTopicError
from reasoning.core.options import Mention
from reasoning.question.kinds import kinds_named
from reasoning.question.literals import Span, literals, overlaps, within, within_a_date
from reasoning.question.name_spans import Words
from reasoning.question.not_understood import comparatives
from reasoning.question.ordinals import place_asked
from reasoning.question.regions import places_in_regions
from reasoning.question.topics.name_matches import NAMESAKES, Likeness, NameMatches
from reasoning.question.topics.number_names import with_numbers
from reasoning.question.topics.ranking import TopicChoice
from reasoning.question.topics.starting_types import with_types
from reasoning.question.units import in_every_unit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kgstore.store import EntityCard, EntityMatch, GraphStore
    from reasoning.question.topics.ranking import RankedTopic

MAX_QUESTION_LENGTH = 2_000
"""Questions of more characters are refused: linking looks at every part of one that could be a name."""
PARTLY_NAMED = 2
"""Of several entities of which the question gives only a part of the name, this many of the best known do."""

_MAX_MISSPELT_LENGTH = 4
_SHORTEST_MISSPELT = 5
_SHORTEST_WITH_TWO_ERRORS = 9
"""Of single words."""
_OTHER_TIME = re.compile(
    r"\b(?:before|after|prior to)\s+"
    r"(?:(?:he|she|it|they)\s+(?:was|were|is|became|got|took|went|had)|being|becoming|taking)\b[^,.;?!]*",
    re.IGNORECASE,
)
"""*before he was president*: what is so at another time than what is asked for."""
_PREPOSITIONS = frozenset({"of", "in"})


@dataclass(frozen=True, slots=True)
class Linking:
    """What was found in a question."""

    mentions: tuple[Mention, ...]
    """Everything that it names, by place, in one place the likeliest first."""
    cards: Mapping[Entity, EntityCard]
    """The card of every entity among the mentions and the topics."""
    topics: tuple[RankedTopic, ...] = ()
    """The entities that it may be about, the likeliest first. They may be named by parts that overlap."""
    topic: EntityCard | None = None
    """None while it is not chosen, and where nothing that the question names is in the graph."""
    mention: Mention | None = None
    """Where the question names the topic; None where it does not."""
    chosen_by_asker: bool = False
    ordinary: frozenset[Span] = field(default=frozenset())
    """The mentions that are single ordinary words, most likely no names: *language*."""
    at_another_time: tuple[Span, ...] = ()
    """The parts that tell of another time than what is asked for: *before he was president*."""

    starts_from_type: bool = False
    """Whether the topic is a type, as the question names nothing."""
    asks_for_instances: bool = False
    """Whether the question asks for the topic's instances: *which film is the longest*, not *who directed it*."""
    claimed: tuple[Mention, ...] = ()
    """What a yes-no question claims to be an answer (`reasoning.run.claims`); it is no target."""
    ordinal: tuple[Span, int] | None = None
    """The ordinal number that says which place is asked for (*the second largest*), and the place."""

    @property
    def place(self) -> int:
        """Of what is ordered, the place that is asked for; 1 where nothing says another."""
        return 1 if self.ordinal is None else self.ordinal[1]

    @property
    def names(self) -> tuple[Span, ...]:
        """The parts that name entities, without single ordinary words."""
        entities = (mention for mention in self.mentions if isinstance(mention.term, Entity))
        spans = dict.fromkeys((mention.start, mention.end) for mention in entities)
        return tuple(span for span in spans if span not in self.ordinary)

    @property
    def targets(self) -> tuple[Mention, ...]:
        """The entities, numbers and dates besides the topic and what is named within its name.

        An entity of another time is none: no answer to *what did he do before he was president* is president.
        """
        return tuple(mention for mention in self.mentions if not self._is_no_target(mention))

    @property
    def kind_asked_for(self) -> str | None:
        """The type of the answers where the topic is another type: *which dairy makes the oldest cheese*."""
        if not self.starts_from_type or self.asks_for_instances:
            return None
        return next((ranked.card.entity.mid for ranked in self.topics if ranked.is_asked_for), None)

    def about(self, topic: EntityCard, *, chosen_by_asker: bool = False) -> Linking:
        """The same linking with its topic chosen."""
        mentions = (*(ranked.mention for ranked in self.topics), *self.mentions)
        mention = next((mention for mention in mentions if mention.term == topic.entity), None)
        ranked = next((ranked for ranked in self.topics if ranked.card.entity == topic.entity), None)
        return replace(
            self,
            topic=topic,
            mention=mention,
            chosen_by_asker=chosen_by_asker,
            starts_from_type=ranked is not None and ranked.likeness is Likeness.TYPE,
            asks_for_instances=ranked is not None and ranked.is_asked_for,
        )

    def without_types(self) -> Linking:
        """The same linking without types among its topics."""
        return replace(self, topics=tuple(each for each in self.topics if each.likeness is not Likeness.TYPE))

    def _is_no_target(self, mention: Mention) -> bool:
        span = (mention.start, mention.end)
        if mention in self.claimed or (self.starts_from_type and span in self.ordinary):
            return True
        if self.mention is not None:
            topic = (self.mention.start, self.mention.end)
            # Another reading of the same words: *Iraqi people*, where the topic is Iraq.
            if self.mention not in self.mentions and overlaps(span, {topic}):
                return True
            if within(span, topic):
                return True
        return isinstance(mention.term, Entity) and any(within(span, other) for other in self.at_another_time)


def link(question: str, store: GraphStore, topic: Entity | None = None) -> Linking:
    """Find everything that a question names: entities, numbers and dates.

    Its mentions are names and aliases of the graph, and other ways to write them; where there are none, parts of names,
    and names that are misspelt. Of overlapping mentions the longest counts; a place and the region next to it are one.
    Topics are ranked side by side, overlapping or not (`reasoning.question.topics`).
    ``topic`` is the entity that the asker chose, if any; otherwise the topic is still to be chosen.

    Raises:
        QuestionTextError: the question is too long, or holds what no text may hold.
        UnknownTopicError: the chosen topic is not in the graph.

    """
    if fault := question_fault(question):
        raise QuestionTextError(fault)
    words, found, choice = _read(question, store)
    for span in within_a_date(question, found):
        del found[span]
    topics = with_types(words, with_numbers(words, choice.ranked(), store), store)
    cards = {match.card.entity: match.card for named in found.values() for match in named}
    cards |= {topic.card.entity: topic.card for topic in topics}
    entities = [Mention(*span, match.card.entity) for span, named in found.items() for match in named]
    measured = (each for literal in literals(question, found) for each in in_every_unit(literal, question))
    mentions = sorted((*entities, *measured), key=lambda mention: mention.start)
    ordinary = frozenset(span for span in found if words.is_ordinary(span))
    other_times = tuple(match.span() for match in _OTHER_TIME.finditer(question))
    linking = Linking(tuple(mentions), cards, topics, ordinary=ordinary, at_another_time=other_times)
    linking = replace(linking, ordinal=place_asked(question, linking.names))
    if topic is None:
        return linking
    card = store.cards([topic]).get(topic)
    if card is None:
        raise UnknownTopicError(f"The graph “{store.info().title}” has no entity {topic}; choose another topic.")
    chosen = replace(linking, cards={**cards, topic: card}).about(card, chosen_by_asker=True)
    if chosen.starts_from_type or [count.relation for count in store.relations([topic])] != [INSTANCES]:
        return chosen
    asked = [kind.is_asked_for for kind in kinds_named(question, store) if kind.kind == topic.mid]
    return replace(chosen, starts_from_type=True, asks_for_instances=any(asked) or not asked)


def topic_choice(question: str, store: GraphStore) -> TopicChoice:
    """The entities that a question may be about, with what their order is learned from."""
    return _read(question, store)[2]


def question_fault(question: str) -> str:
    """Why a question cannot be read, for people; empty where it can."""
    if len(question) > MAX_QUESTION_LENGTH:
        return f"This question has {len(question):,} characters; {MAX_QUESTION_LENGTH:,} are read. Make it shorter."
    fault = character_fault(question)
    return f"This question {fault}. Remove it." if fault else ""


class _Found(dict[Span, list["EntityMatch"]]):
    """What was found so far, by the part of the question that names it."""

    def leaves(self, span: Span, *, over: Collection[Span] = ()) -> bool:
        """Whether a part is still free, or taken only by some of which that does not matter."""
        return not overlaps(span, self.keys() - set(over))

    def take(self, span: Span, matches: Iterable[EntityMatch]) -> None:
        """Take a part for these entities alone: nothing within it names anything else."""
        for other in [other for other in self if overlaps(other, {span})]:
            del self[other]
        self[span] = list(matches)[:NAMESAKES]

    def add(self, span: Span, matches: Iterable[EntityMatch], most: int) -> None:
        """Take the first of some entities for a part, none twice."""
        known = {match.card.entity for match in self.get(span, ())}
        fresh = {match.card.entity: match for match in matches if match.card.entity not in known}
        if fresh:
            self.setdefault(span, []).extend([*fresh.values()][:most])


def _read(question: str, store: GraphStore) -> tuple[Words, _Found, TopicChoice]:
    words = Words(question)
    matches = NameMatches.read(words, store)
    found = _find(words, matches, store)
    return words, found, TopicChoice.read(words, matches, found, store)


def _find(words: Words, matches: NameMatches, store: GraphStore) -> _Found:
    """The parts of the question that name entities of the graph, and which."""
    found = _Found()
    named = matches.named()
    for span in named:
        if len(words.of(span)) > 1 and found.leaves(span):
            found.add(span, named[span], len(named[span]))
    for span in [*found]:
        ends: set[Entity] = set()
        for inner in _ends_of(span, words):
            others = [match for match in named.get(inner, ()) if match.card.entity not in ends]
            found.add(inner, others, NAMESAKES)
            ends.update(match.card.entity for match in others)
    parts = _parts(words, matches, found)
    several = [span for span in parts if len(words.of(span)) > 1]
    for span in several:
        if found.leaves(span):
            found.add(span, parts[span], PARTLY_NAMED)
    _add_misspelt(words, store, found, [s for s in words.spans(2, _MAX_MISSPELT_LENGTH) if words.may_be_misspelt(s)])
    # *Illinois State* is part of the name of a university, and the question may be of a state's bird all the same.
    open_ended = [span for span in several if not words.ends_telling(span)]
    for span in words.spans(1, 1):
        if found.leaves(span, over=several):
            found.add(span, named.get(span, ()), len(named.get(span, ())))
        if found.leaves(span, over=[*open_ended, span]):
            best = max((match.card.popularity for match in named.get(span, ())), default=-1)
            found.add(span, (m for m in parts.get(span, ()) if m.card.popularity > best), PARTLY_NAMED)
    singles = [
        span
        for span in words.spans(1, 1)
        if span[1] - span[0] >= _SHORTEST_MISSPELT
        and words.are_telling(span)
        and words.text(span).lower() not in comparatives()
    ]
    _add_misspelt(words, store, found, singles)
    for span, places in places_in_regions(words, found, store).items():
        if span not in named:
            found.take(span, places)
    return found


def _ends_of(span: Span, words: Words) -> list[Span]:
    """What a name ends with after *of* or *in*, the shortest first: *Texas* in *Governor of Texas*.

    An article may be part of it: *The Hague* in *Mayor of The Hague*.
    """
    places = words.of(span)
    return [
        (words.places[place][0], span[1])
        for place in reversed(places[2:])
        if words.folded[place - 1] in {*_PREPOSITIONS, "the"} and words.folded[place] not in _PREPOSITIONS
    ]


def _parts(words: Words, matches: NameMatches, found: _Found) -> Mapping[Span, Sequence[EntityMatch]]:
    """What is still free and a part of longer names, the longest first; a single word must begin or end the name."""
    parts = {}
    for (span, likeness), longer in matches.partly.items():
        if likeness is not Likeness.PART or not words.may_be_short(span) or not found.leaves(span):
            continue
        is_one = len(words.of(span)) == 1
        if named := _with_word_at_an_end(longer, fold_name(words.text(span))) if is_one else longer:
            parts[span] = named
    return parts


def _with_word_at_an_end(matches: Iterable[EntityMatch], word: str) -> list[EntityMatch]:
    """Those whose names end with a word, as with a surname or the byname of a team; then those that begin with it."""
    names = [(match, fold_name(match.matched).removeprefix("the ")) for match in matches]
    return [
        *(match for match, name in names if name.endswith(f" {word}")),
        *(match for match, name in names if name.startswith(f"{word} ")),
    ]


def _add_misspelt(words: Words, store: GraphStore, found: _Found, spans: Sequence[Span]) -> None:
    free = [span for span in spans if found.leaves(span)]
    known = store.similar({words.text(span) for span in free}) if free else {}
    for span in free:
        if found.leaves(span):
            found.add(span, (m for m in known.get(words.text(span), ()) if _is_likely(words, span, m)), PARTLY_NAMED)


def _is_likely(words: Words, span: Span, match: EntityMatch) -> bool:
    """Whether a name is meant: two typing errors make another word of a short one (*brewed*, *Bremen*)."""
    places = words.of(span)
    if len(places) > 1 or len(words.folded[places[0]]) >= _SHORTEST_WITH_TWO_ERRORS:
        return True
    return typing_errors(words.folded[places[0]], fold_name(match.matched)) == 1
