"""What is said of answers over real Freebase data, where it is at hand."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity
from reasoning import events
from reasoning.engine.engine import answer
from reasoning.question.namesakes import distinguished, namesakes
from reasoning.run.run import RunLimits
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from kgstore.store import GraphStore

pytestmark = pytest.mark.real_data

_EUROPE = "what languages are spoken in the countries of Europe?"
_COUNTRIES = "0 base.locations.continents.countries_within"


def finished(
    store: GraphStore, question: str, *wishes: str, topic: str, limits: RunLimits | None = None
) -> events.Finished:
    *_, last = answer(question, store, RuleScorer(wishes), topic=Entity(topic), limits=limits)
    assert isinstance(last, events.Finished)
    return last


def unused(question: str, ended: events.Finished) -> list[str]:
    return [question[start:end] for start, end in ended.unused_words or []]


def test_what_is_there_is_never_said_not_to_be(freebase: GraphStore) -> None:
    stopped = finished(freebase, _EUROPE, topic="m.02j9z")
    assert (stopped.verdict, stopped.reason) == ("no_answer_found", "no_relation")
    short = finished(freebase, _EUROPE, _COUNTRIES, "answer 1", topic="m.02j9z")
    assert short.verdict == "answered"
    assert unused(_EUROPE, short) == ["languages"]


def test_a_relation_that_is_called_as_the_question_says_accounts_for_it(freebase: GraphStore) -> None:
    spoken = "1 location.country.languages_spoken"
    whole = finished(freebase, _EUROPE, _COUNTRIES, spoken, "answer 2", topic="m.02j9z")
    assert unused(_EUROPE, whole) == []
    metallica = "who are the current members of Metallica?"
    members = "0 music.musical_group.member|music.group_membership.member"
    assert "current" in unused(metallica, finished(freebase, metallica, members, "answer 1", topic="m.04rcr"))


def test_all_answers_are_shown_the_best_known_first_and_bare_ids_last(freebase: GraphStore) -> None:
    limits = RunLimits(facts_shown=0, answers_shown=5_000)
    ended = finished(
        freebase,
        "which films are of the United States?",
        "0 ^film.film.country",
        "answer 1",
        topic="m.09c7w0",
        limits=limits,
    )
    shown = [Entity(one.term.id) for one in ended.answers]
    assert len(set(shown)) == len(shown) == ended.answers_total > 1_000
    cards = freebase.cards(shown)
    named = [cards[entity].name is not None for entity in shown]
    assert named == sorted(named, reverse=True)
    fame = [cards[entity].popularity for entity in shown if cards[entity].name is not None]
    assert all(one >= other for one, other in pairwise(fame))
    assert all(one.path for one in ended.answers)


def test_seven_counties_of_one_name_are_seven(freebase: GraphStore) -> None:
    bearers = [match.card for match in freebase.named(["Washington County"])["Washington County"]]
    shown = distinguished(namesakes(bearers), freebase)
    assert len(bearers) == len(shown) == len(set(shown.values())) == 7
