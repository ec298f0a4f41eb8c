"""Answers that a model writes: the entities that its words name, and how a run ends that has no fact for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from kgstore.names import literal_label
from kgstore.terms import Date, Entity, Number, Text
from reasoning import events
from reasoning.core.options import Stage
from reasoning.core.structure import ROOT
from reasoning.question.literals import literals
from reasoning.question.naming import other_names
from reasoning.writers.base import Message
from reasoning.writers.said import all_found, bare, read_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from kgstore.terms import Term
    from reasoning.run.run import Run
    from reasoning.writers.said import Said

ANSWER_TOKENS = 512
"""Room for a list of names. A server should turn off the thinking of a model that thinks before it answers."""
_NAMES_SHOWN = 3
_DIGIT = re.compile(r"\d")

Place: TypeAlias = Literal["facts", "graph"]


@dataclass(frozen=True, slots=True)
class Named:
    """What a part of a reply names: a term, and where it was found."""

    term: Term
    place: Place
    """``facts``: among the terms that the model was to choose from; ``graph``: anywhere else."""


def terms_held(run: Run, members: Sequence[frozenset[Term]], positions: Iterable[int]) -> dict[Term, int]:
    """What stands at some positions, each with the first of them that holds it; the topic only where it may answer."""
    barred = frozenset[object]() if run.switches.topic_may_answer else run.trace.graph.members[ROOT]
    held: dict[Term, int] = {}
    for position in positions:
        for term in sorted(members[position] - barred, key=str):
            held.setdefault(term, position)
    return held


class AmongTerms:
    """Some terms by their names, aliases and other names by custom; literals by their value, however it is written.

    Terms of one name are all meant by it.
    """

    def __init__(self, terms: Iterable[Term], cards: Mapping[Entity, EntityCard]) -> None:
        """Take terms, and the cards of the entities among them."""
        self._named: dict[str, list[Named]] = {}
        self._literals: dict[Term, Named] = {}
        for term in terms:
            named = Named(term, "facts")
            if not isinstance(term, Entity):
                self._literals[term] = named
                names: tuple[str, ...] = (term.value,) if isinstance(term, Text) else (literal_label(term),)
            elif (card := cards.get(term)) is None or card.name is None:
                continue
            else:
                names = (card.name, *card.aliases)
            for name in dict.fromkeys(map(bare, names)):
                self._named.setdefault(name, []).append(named)

    def __call__(self, texts: Collection[str]) -> dict[str, Sequence[Named]]:
        """See ``find`` of `read_reply`."""
        found = {text: self._meant(text) for text in texts}
        return {text: meant for text, meant in found.items() if meant}

    def _meant(self, text: str) -> Sequence[Named]:
        for name in (text, *other_names(text)):
            if named := self._named.get(bare(name)):
                return named
        return [self._literals[value] for value in _values(text) if value in self._literals]


class InGraph:
    """Whatever a graph holds by its names and aliases, the best known first; numbers and dates name themselves."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def __call__(self, texts: Collection[str]) -> dict[str, Sequence[Named]]:
        """See ``find`` of `read_reply`."""
        ways = {
            text: tuple(dict.fromkeys((text, bare(text), f"the {bare(text)}", *other_names(text)))) for text in texts
        }
        bearers = self._store.named({way for names in ways.values() for way in names})
        found: dict[str, Sequence[Named]] = {}
        for text, names in ways.items():
            values = _values(text)[:1] if _DIGIT.search(text) else ()
            borne = next((bearers[name] for name in names if bearers.get(name)), ())
            terms: Sequence[Term] = values or [match.card.entity for match in borne]
            if terms:
                found[text] = [Named(term, "graph") for term in dict.fromkeys(terms)]
        return found


@dataclass(frozen=True, slots=True)
class InTurn:
    """What the first of some finders finds, and of the rest what the next one does."""

    finders: Sequence[Callable[[Collection[str]], Mapping[str, Sequence[Named]]]]

    def __call__(self, texts: Collection[str]) -> dict[str, Sequence[Named]]:
        """See ``find`` of `read_reply`."""
        found: dict[str, Sequence[Named]] = {}
        for finder in self.finders:
            found.update(finder([text for text in texts if text not in found]))
        return found


def terms_read(
    run: Run, text: str, wrote: events.ModelWrote, find: Callable[[Collection[str]], Mapping[str, Sequence[Named]]]
) -> tuple[tuple[Said[Named], ...], events.ModelWrote]:
    """The parts of what a model wrote, with what each names, and the event that tells both."""
    parts = read_reply(text, find, ended=not wrote.cut_short)
    run.narrator.learn(named.term for part in parts for named in part.found[:_NAMES_SHOWN])
    return parts, wrote.model_copy(update={"said": [_record(run, part) for part in parts]})


def written_among(
    run: Run, purpose: str, asked: str, held: Collection[Term]
) -> Generator[events.StageEvent, None, tuple[list[Term], tuple[Said[Named], ...]]]:
    """Let a model write the answers: what it names of ``held``, which facts prove, and all the parts of its reply.

    Raises:
        UndecidedStopError, ScorerUnavailableError, WritingTimeoutError, WritingCancelledError: see `Run.write`.

    """
    text, wrote = run.write(Stage.INFER, purpose, [Message("user", asked)], limit=ANSWER_TOKENS)
    with run.timed(Stage.INFER):
        find = InTurn((AmongTerms(held, run.narrator.cards(held)), InGraph(run.store)))
        parts, record = terms_read(run, text, wrote, find)
    yield record
    return [named.term for named in all_found(parts) if named.place == "facts"], parts


def answered_by_itself(run: Run, parts: Sequence[Said[Named]]) -> events.Finished:
    """How a run ends whose answers no fact supports: with what was named, else with the words that name nothing.

    Of several things of one name, the best known is meant. A model that names nothing has not answered. A part that the
    token limit cut is no answer.
    """
    named = [part.found[0].term for part in parts if part.found]
    terms: tuple[Term, ...] = tuple(dict.fromkeys(named or [Text(part.text) for part in parts if not part.is_cut]))
    if not terms:
        return run.finished("no_answer_found", "nothing_said")
    run.trace.answers = terms
    records = [
        events.AnswerRecord(term=run.narrator.term(term), path=[], conditions=[], evidence=[])
        for term in terms[: run.limits.answers_shown]
    ]
    return run.finished("from_the_model", "from_the_model", records, len(terms))


def _record(run: Run, part: Said[Named]) -> events.SaidRecord:
    return events.SaidRecord(
        text=part.text,
        names=[run.narrator.term(named.term).label for named in part.found[:_NAMES_SHOWN]],
        total=len(part.found),
        place=part.found[0].place if part.found else None,
    )


def _values(text: str) -> tuple[Number | Date, ...]:
    """The numbers and dates that a text may be as a whole."""
    whole = text.strip()
    mentions = (mention for mention in literals(whole, ()) if (mention.start, mention.end) == (0, len(whole)))
    return tuple(mention.term for mention in mentions if isinstance(mention.term, Number | Date))
