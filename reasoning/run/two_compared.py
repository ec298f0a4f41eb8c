"""*Which is longer, the Nile or the Amazon*: the value of one named thing is found, and compared with the other's.

Discern's own; READS compares with what the question says, and not with what another fact says. The scorer is asked for
the value of the first (*how long is the Nile*), among the relations to numbers or dates that may be what is compared.
The same relations are then followed from the other one. Words decide the rest: which of the two, or yes or no.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from kgstore.names import fold_name
from kgstore.terms import Date, Entity, TermKind, ordered_as
from reasoning.core.options import AnswerOption, Mention, NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import ROOT
from reasoning.question.measures import measure_stems, stems_of_measure, usual_in_order
from reasoning.question.not_understood import ASKS_IF, NotUnderstood
from reasoning.question.word_lists import word_pairs
from reasoning.question.words import CUES, content_stems
from reasoning.run.claims import PEOPLE, words_of_types
from reasoning.run.from_types import EARLY, LATE, among, counts_years, is_called, is_time

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from kgstore.store import EntityCard
    from kgstore.terms import Relation, Term
    from reasoning.core.options import DecisionState
    from reasoning.core.structure import AbstractStructure
    from reasoning.question.linking import Linking
    from reasoning.question.literals import Span
    from reasoning.question.not_understood import NotUnderstoodWords
    from reasoning.scorers.base import Distribution

_BETWEEN = re.compile(
    r"(?:['\u2019]s)?\s*,?\s*\b(?P<joins>or|than|before|after|and|vs\.?|versus)\s+(?:(?:that|those)\s+of\s+)?(?:the\s+|in\s+)*",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(r"[^\W\d_]+er\b|\b(?:more|less|fewer|first|last)\b", re.IGNORECASE)
_NAME_GOES_ON = re.compile(r"\s+[^\W\d_a-z]")
"""A capital after a name that was found: *Isaac Newton*, where the graph only has another Isaac."""
_OF_BOTH = re.compile(r"\b(?:which|who)\s+(?:one\s+)?of\b|\bbetween\b|\bcompare", re.IGNORECASE)
_PHRASE_ENDS = re.compile(r"\bthan\b|[,?:;]|\b(?:in|of|at|is|are|was|were|does|do|did|has|have|had)\b", re.IGNORECASE)
_ASKED = re.compile(r"\b(?:which|what)\s+([^\W\d_]+)", re.IGNORECASE)
_THING_OF = re.compile(r"\b(?P<thing>[\w-]+)\s+of\s+(?:the\s+)?$", re.IGNORECASE)
_THING_HAD = re.compile(r"['\u2019]s?\s+(?P<thing>[\w-]+)")
_NO_THING = frozenset({"that", "those", "one", "which", "who", "both", "each"})
_ANOTHER = re.compile(r"\s*(?:,|\bor\b|\band\b|\bvs\b)\s*(?:or\s+|and\s+)?(?:the\s+)?", re.IGNORECASE)
_LEAST = CUES["least"] | {"coldest", "poorest", "cheapest", "narrowest", "shallowest"}
_IN_TIME = {"before": "earliest", "after": "latest"}
_OF_NUMBERS = frozenset({"most", "least"})
_VERB = re.compile(
    r"(?<=\s)(?:is|are|was|were|has|have|had|did|came|began|started|opened|died)\b.*", re.IGNORECASE | re.DOTALL
)
_AUXILIARIES = frozenset({"is", "are", "was", "were", "has", "have", "had"})
_OPINIONS = frozenset({"better", "worse"})


@dataclass(frozen=True, slots=True)
class TwoCompared:
    """Two named things that a question compares."""

    first: tuple[Mention, ...]
    """What the first name may mean, the likeliest first: of both names, what shares the most types."""
    second: tuple[Mention, ...]
    words: Span
    """Where the question says how they compare, in Unicode code points."""
    superlative: str
    """What is most of all what the question says: *longest*."""
    measure: str
    """What there is more or less of, or what is larger: *people*, *population*; empty where the superlative says it."""
    is_claim: bool
    """Whether the question asks if it is so for the first, and not which of the two."""

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """What both names may mean."""
        return (*self.first, *self.second)

    @property
    def measures(self) -> list[frozenset[str]]:
        """The stems of the words for what may be compared, the likeliest first: *larger* has an area."""
        if self.measure:
            return [stems_of_measure(self.measure.lower().split())]
        alone = measure_stems(self.superlative, ())
        return [*([alone] if alone else []), *usual_in_order(self.superlative)]

    def dating_stems(self, question: str) -> frozenset[str] | None:
        """The stems of the words for the date that the question's verb means; None where it says none.

        *Older* says none by itself; of *was president before* no relation to a date is called so.
        """
        said = question[: self.words[0]]
        for mention in self.mentions:
            if mention.end <= len(said):
                said = said[: mention.start] + " " * (mention.end - mention.start) + said[mention.end :]
        folded = f" {fold_name(said)} "
        for verb, words in word_pairs("dating_words.tsv").items():
            if f" {verb} " in folded:
                return content_stems(words)
        kinds = content_stems(" ".join(_ASKED.findall(said)))
        return content_stems(folded) - kinds or None

    def other(self, topic: Entity) -> Entity | None:
        """What is compared with the topic; None where the topic is neither of the two."""
        for one, others in ((self.first, self.second), (self.second, self.first)):
            if topic in {mention.term for mention in one}:
                terms = (mention.term for mention in others)
                return next((term for term in terms if isinstance(term, Entity) and term != topic), None)
        return None

    def of_first_alone(self, state: DecisionState, types: Sequence[str]) -> DecisionState:
        """What a scorer sees when it is asked for the value of the topic: *how long is the Nile*."""
        if state.topic is None:
            return state
        name = state.question[state.topic.start : state.topic.end]
        is_person = not PEOPLE.isdisjoint(words_of_types(types))
        before, after = self._around_name(state.question, is_person=is_person)
        topic = replace(state.topic, start=len(before), end=len(before) + len(name))
        return replace(state, question=f"{before}{name}{after}?", topic=topic, targets=(), reached=())

    def _around_name(self, question: str, *, is_person: bool) -> tuple[str, str]:
        """What stands before and after the name in the question for its value."""
        if self.measure and self.superlative in _OF_NUMBERS:
            return f"how many {self.measure} does ", " have"
        if self.measure:
            return f"what is the {self.measure} of ", ""
        if self.superlative not in EARLY | LATE:
            return f"how {_positive(self.superlative)} is ", ""
        said = question[: self.words[0]].rstrip()
        first = self.first[0]
        if first.end <= len(said):
            before, after = said[: first.start], said[first.end :]
        else:
            verb = _VERB.search(said)
            before, after = "" if verb is None else f"{said[verb.start() :]} ", ""
        if content_stems(f"{before} {after}"):
            return f"when {before.lstrip()}", after
        return "when was ", " born" if is_person else " founded"

    def best(self, values: Mapping[Entity, Term], structure: AbstractStructure) -> list[Entity]:
        """Which of the two it is; both where they have the same value."""
        ranks = {entity: _rank(value) for entity, value in values.items()}
        least = self.superlative in _LEAST
        if self.superlative in EARLY | LATE:
            least = (self.superlative in EARLY) != counts_years(structure.nodes[-1])
        best = (min if least else max)(ranks.values())
        return [entity for entity, rank in ranks.items() if rank == best]


def two_compared(question: str, linking: Linking, missed: Sequence[NotUnderstoodWords]) -> TwoCompared | None:
    """The two named things that a question compares, and by what; None where it does not, or says it in another way."""
    words = next((one for one in missed if one.kind is NotUnderstood.COMPARISON), None)
    if words is None:
        return None
    # Ordinary words are names only where nothing else is: *which is heavier, gold or lead*.
    spans = sorted(set(linking.names))
    every = {(one.start, one.end) for one in linking.mentions if isinstance(one.term, Entity)}
    for first, second in (*pairwise(spans), *pairwise(sorted(every))):
        between = question[first[1] : second[0]]
        joined = _BETWEEN.fullmatch(between)
        is_pair = joined is not None and (joined["joins"].lower() != "and" or _OF_BOTH.search(question) is not None)
        than = first[1] <= words.start and words.end <= second[0] and _BETWEEN.search(between)
        said = _said(question, words, first, second)
        if not (is_pair or than) or said is None or _NAME_GOES_ON.match(question, second[1]):
            continue
        if _is_of_another(question, first, said[2]) or _is_of_another(question, second, said[2]):
            return None
        if any(
            _are_joined(question, pair)
            for pair in pairwise(spans)
            if pair != (first, second) and {*pair} & {first, second}
        ):
            return None
        one, other = _alike(_mentions(first, linking), _mentions(second, linking), linking.cards)
        is_claim = (joined is None or joined["joins"].lower() in _IN_TIME) and ASKS_IF.match(question) is not None
        end = words.start + len(said[0])
        return TwoCompared(one, other, (words.start, max(words.end, end)), *said[1:], is_claim)
    return None


def _is_of_another(question: str, name: Span, measure: str) -> bool:
    """Whether the question compares something of a name, and not what is named: *the director of Jaws*."""
    before, after = _THING_OF.search(question, 0, name[0]), _THING_HAD.match(question, name[1])
    things = {match["thing"].lower() for match in (before, after) if match is not None} - _NO_THING
    return not things <= {*measure.lower().split(), *_AUXILIARIES}


def _are_joined(question: str, pair: tuple[Span, Span]) -> bool:
    """Whether two names are listed: of three, no two are compared."""
    return _ANOTHER.fullmatch(question[pair[0][1] : pair[1][0]]) is not None


def _mentions(span: Span, linking: Linking) -> tuple[Mention, ...]:
    every = (mention for mention in linking.mentions if isinstance(mention.term, Entity))
    return tuple(mention for mention in every if (mention.start, mention.end) == span)


def _alike(
    first: Sequence[Mention], second: Sequence[Mention], cards: Mapping[Entity, EntityCard]
) -> tuple[tuple[Mention, ...], tuple[Mention, ...]]:
    """What two names may mean, those before that share the most types: the Amazon next to the Nile is a river."""

    def shared(mention: Mention, others: Sequence[Mention]) -> int:
        return max((len(_types(mention, cards) & _types(other, cards)) for other in others), default=0)

    return (
        tuple(sorted(first, key=lambda mention: -shared(mention, second))),
        tuple(sorted(second, key=lambda mention: -shared(mention, first))),
    )


def _types(mention: Mention, cards: Mapping[Entity, EntityCard]) -> frozenset[str]:
    card = cards.get(mention.term) if isinstance(mention.term, Entity) else None
    return frozenset() if card is None else frozenset(card.types)


def _said(question: str, words: NotUnderstoodWords, first: Span, second: Span) -> tuple[str, str, str] | None:
    """The words that compare, the superlative that they compare by, and what there is more of; None for an opinion."""
    in_time = _IN_TIME.get(question[words.start : words.end].lower())
    if in_time is not None:
        return question[words.start : words.end], in_time, ""
    found = _COMPARATIVE.search(question, words.start)
    if found is None or found[0].lower() in _OPINIONS:
        return None
    word = found[0].lower()
    ends = [begin for begin in (first[0], second[0]) if begin >= found.end()]
    rest = _PHRASE_ENDS.split(question[found.end() : min(ends, default=len(question))], maxsplit=1)[0].rstrip()
    said = question[words.start : found.end()] + rest
    noun = " ".join(rest.split()[:3])
    if word in {"more", "less", "fewer"}:
        return (said, "most" if word == "more" else "least", noun) if noun else None
    return said, word if word in {"first", "last"} else f"{word[:-2]}est", noun


def _positive(superlative: str) -> str:
    """*long* for *longest*, *big* for *biggest*, *heavy* for *heaviest*, *large* for *largest*."""
    stem = superlative.removesuffix("est")
    if stem.endswith("i"):
        return f"{stem[:-1]}y"
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "ls":  # noqa: PLR2004
        return stem[:-1]
    return f"{stem}e" if stem.endswith(("rg", "id", "ens", "os", "at", "af")) else stem


def decide_compared(
    state: DecisionState,
    pool: OptionPool,
    compared: TwoCompared,
    had_by_other: Callable[[], Container[Relation]],
    ask: Callable[[OptionPool], Distribution],
) -> Distribution:
    """P(option) for a pool where only what leads to the value of the topic may be chosen.

    ``had_by_other`` reads the relations of what the topic is compared with; ``ask`` gives what the scorer says of some
    options.
    """
    none = [place for place, option in enumerate(pool.options) if isinstance(option, NoneOption)]
    places: list[int] = []
    if state.stage is Stage.SEARCH:
        places = _steps_to_value(state, pool, compared, had_by_other)
    elif state.stage is Stage.INFER:
        newest = state.structure.step
        places = [
            place
            for place, option in enumerate(pool.options)
            if isinstance(option, AnswerOption) and option.position == newest
        ]
    elif state.stage is Stage.LINK:
        found = ask(pool)
        meant = [mention.term for mention in compared.first[:1]]
        return found.led_by([place for place, option in enumerate(pool.options) if option.choice in meant])
    return among(places or none or range(len(pool)), pool, ask)


def _steps_to_value(
    state: DecisionState, pool: OptionPool, compared: TwoCompared, had_by_other: Callable[[], Container[Relation]]
) -> list[int]:
    newest = state.structure.nodes[-1]
    steps = {
        place: option
        for place, option in enumerate(pool.options)
        if isinstance(option, StepOption) and option.step.position == newest.position
    }
    times = compared.superlative in EARLY | LATE
    if newest.position == ROOT:
        shared = had_by_other()
        steps = {place: option for place, option in steps.items() if option.step.relation in shared}
        if times:
            dates = [place for place, option in steps.items() if option.kind is TermKind.DATE]
            dates = dates or [place for place, option in steps.items() if is_time(option.step.relation)]
            stems = compared.dating_stems(state.question)
            return [place for place in dates if stems is None or is_called(steps[place].step.relation, stems)]
        numbers = {place: one for place, one in steps.items() if one.kind in {TermKind.NUMBER, TermKind.MEDIATOR}}
        for stems in compared.measures:
            if found := [place for place, one in numbers.items() if is_called(one.step.relation, stems)]:
                return found
        return []
    if newest.kind is not TermKind.MEDIATOR:
        return []
    wanted = TermKind.DATE if times else TermKind.NUMBER
    return [place for place, option in steps.items() if option.kind is wanted]


def value_of(terms: Iterable[Term]) -> Term | None:
    """The value that is compared, of several the largest or the latest; None where there is none."""
    return max((term for term in terms if ordered_as(term) is not None), key=_rank, default=None)


def _rank(term: Term) -> tuple[float, ...]:
    value = ordered_as(term)
    return value.interval[0] if isinstance(value, Date) else () if value is None else value.rank
