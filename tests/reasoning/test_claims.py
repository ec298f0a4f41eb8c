"""Yes-no questions: what they claim is checked against the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity
from reasoning import events
from reasoning.engine.engine import answer
from reasoning.question.linking import link
from reasoning.question.not_understood import not_understood
from reasoning.run.claims import claim_of
from tests.reasoning.films import ended, films
from tests.reasoning.rules import RuleScorer, Witness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

DIRECTED = ("about nolan", "0 ^film.film.directed_by", "answer 1")
DIRECTOR = ("about heat", "0 film.film.directed_by", "answer 1")
RELEASED = ("about batman", "0 film.film.released", "answer 1")
AWARDS = ("about batman", "0 film.film.number_of_awards", "answer 1")
BORN = ("about bale", "0 people.person.place_of_birth", "answer 1")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    store = films(tmp_path_factory.mktemp("claims"))
    yield store
    store.close()


@pytest.mark.parametrize(
    ("question", "wishes", "claimed", "holds"),
    [
        ("Did Christopher Nolan direct The Prestige?", DIRECTED, "The Prestige", True),
        ("Did Christopher Nolan direct Heat Wave?", DIRECTED, "Heat Wave", False),
        ("Was Heat Wave directed by Christopher Nolan?", DIRECTOR, "Christopher Nolan", False),
        ("was Heat Wave directed by michael mann", DIRECTOR, "michael mann", True),
        ("Was Batman Begins released in 2005?", RELEASED, "2005", True),
        ("Was Batman Begins released in June 2005?", RELEASED, "June 2005", True),
        ("Was Batman Begins released in 2006?", RELEASED, "2006", False),
        ("Was Batman Begins released in the 2000s?", RELEASED, "the 2000s", True),
        ("Was Batman Begins released in the 1990s?", RELEASED, "the 1990s", False),
        ("Was Batman Begins released before 2006?", RELEASED, "2006", True),
        ("Was Batman Begins released after 2006?", RELEASED, "2006", False),
        ("Has Batman Begins won more than 3 awards?", AWARDS, "3", True),
        ("Has Batman Begins won more than 8 awards?", AWARDS, "8", False),
        # The answers are counted.
        ("Has Christopher Nolan made two films?", DIRECTED, "two", True),
        ("Has Christopher Nolan made more than 5 films?", DIRECTED, "5", False),
        # A question that is negated as a whole asks the same.
        ("Didn't Christopher Nolan direct The Prestige?", DIRECTED, "The Prestige", True),
        ("Was Christian Bale born in Haverfordwest?", BORN, "Haverfordwest", True),
        # What lies in the region is in it, though the fact names the town.
        ("Was Christian Bale born in Wales?", BORN, "Wales", True),
        ("Was Christian Bale born in England?", BORN, "England", False),
    ],
)
def test_a_claim_is_checked_against_the_answers(
    store: GraphStore, question: str, wishes: tuple[str, ...], claimed: str, holds: bool
) -> None:
    last = ended(store, question, wishes)
    assert last.claim is not None
    assert question[last.claim.start : last.claim.end] == claimed.removeprefix("the ")
    assert last.claim.holds is holds
    assert (last.verdict, last.partial, last.unused_words) == ("answered", None, [])


@pytest.mark.parametrize(
    ("question", "wishes"),
    [
        # What was found is of another kind than what is claimed.
        ("Was Christian Bale born with Batman Begins?", BORN),
        ("Is Christopher Nolan older than 50?", ("about nolan", "0 people.person.date_of_birth", "answer 1")),
        ("Did Christopher Nolan make 700 films?", DIRECTED),
        # Of hours and a number without a unit nothing is known.
        ("Has Batman Begins more than 3 hours?", AWARDS),
        # That a graph knows no region around a town denies nothing.
        ("Is London in Wales?", ("about london", "0 location.location.containedby", "answer 1")),
        # More was asked than whether he directed it.
        ("Did Christopher Nolan direct The Prestige in 1999?", DIRECTED),
        ("Did Christopher Nolan not direct The Prestige?", DIRECTED),
        ("Did the friend of Christopher Nolan direct The Prestige?", DIRECTED),
        ("Did Christopher Nolan Junior direct The Prestige?", DIRECTED),
        ("Is Batman Begins a film?", ("about batman", "0 film.film.actors", "answer 1")),
    ],
)
def test_what_is_not_known_is_neither_so_nor_not(store: GraphStore, question: str, wishes: tuple[str, ...]) -> None:
    last = ended(store, question, wishes)
    assert (last.verdict, last.reason, last.claim, last.answers) == ("no_answer_found", "claim_not_checked", None, [])


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Is Christian Bale the actor of Heat Wave?", "heat"),
        ("Is Heat Wave Christian Bale's film?", "bale"),
        ("Is London in England?", "london"),
        ("Is London located in England?", "london"),
    ],
)
def test_the_form_of_a_question_tells_of_which_name_it_is(store: GraphStore, question: str, topic: str) -> None:
    linked = next(event for event in answer(question, store, RuleScorer(())) if isinstance(event, events.EntityLinked))
    assert linked.topic is not None
    assert linked.topic.id == topic


def test_an_answer_that_is_called_so_is_what_is_claimed(tmp_path: Path) -> None:
    triples = [
        ("marie", "type.object.name", '"Marie Curie"@en'),
        ("marie", "people.person.award", "physics"),
        ("physics", "type.object.name", '"Nobel Prize in Physics"@en'),
        ("prize", "type.object.name", '"Nobel Prize"@en'),
        ("prize", "award.award.categories", "physics"),
        ("gold", "type.object.name", '"Gold"@en'),
        ("gold", "chemistry.element.symbol", '"Au"'),
        ("union", "type.object.name", '"African Union"@en'),
        ("union", "common.topic.alias", '"AU"@en'),
        ("union", "organization.organization.member", "gold"),
    ]
    load_graph(triples, tmp_path / "g.sqlite", name="g", title="G", source="drawn by hand")
    graph = SqliteStore(tmp_path / "g.sqlite")
    award = ("about marie", "0 people.person.award", "answer 1")
    symbol = ("about gold", "0 chemistry.element.symbol", "answer 1")
    for question, wishes in (("Did Marie Curie win the Nobel Prize?", award), ("Is AU the symbol of Gold?", symbol)):
        last = ended(graph, question, wishes)
        assert last.claim is not None
        assert last.claim.holds
    graph.close()


def test_what_is_claimed_comes_first(store: GraphStore) -> None:
    for claimed in ("The Prestige", "Batman Begins"):
        last = ended(store, f"Did Christopher Nolan direct {claimed}?", DIRECTED)
        assert (last.answers[0].term.label, last.answers_total) == (claimed, 2)


@pytest.mark.parametrize(
    "question",
    [
        "Who directed Heat Wave?",
        "Which films did Christopher Nolan direct?",
        "Did Christopher Nolan or Michael Mann direct Heat Wave?",
        "Is Heat Wave longer than Batman Begins?",
        "Did Christopher Nolan direct?",
        "Is there a film by Christopher Nolan with Al Pacino?",
        "Do you know films by Christopher Nolan with Al Pacino?",
        # Two claims at once.
        "Did Christopher Nolan direct Batman Begins with Christian Bale?",
    ],
)
def test_other_questions_claim_nothing(store: GraphStore, question: str) -> None:
    linking = link(question, store)
    topic = next(ranked.card for ranked in linking.topics)
    assert claim_of(question, linking.about(topic), not_understood(question, linking)) is None
    assert ended(store, question, DIRECTED).claim is None


@pytest.mark.parametrize(
    ("question", "topic", "asked"),
    [
        ("Did Christopher Nolan direct The Prestige?", "nolan", "what Did Christopher Nolan direct?"),
        ("Was Heat Wave directed by Michael Mann?", "heat", "who Was Heat Wave directed by?"),
        ("Did Michael Mann direct Heat Wave?", "heat", "who Did direct Heat Wave?"),
        ("Was Batman Begins released in 2005?", "batman", "when Was Batman Begins released?"),
        ("Was Christian Bale born in Wales?", "bale", "where Was Christian Bale born?"),
    ],
)
def test_the_scorer_is_asked_for_what_is_claimed(store: GraphStore, question: str, topic: str, asked: str) -> None:
    scorer = Witness(())
    list(answer(question, store, scorer, topic=Entity(topic)))
    state, _ = scorer.seen[0]
    assert state.question == asked
    assert state.topic is not None
    name = question[slice(*next((m.start, m.end) for m in link(question, store).mentions if m.term == Entity(topic)))]
    assert asked[state.topic.start : state.topic.end] == name
    assert not state.targets
