"""Yes-no questions: what they claim is checked against the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity
from reasoning import events
from reasoning.engine.engine import answer
from reasoning.question.linking import link
from reasoning.question.not_understood import not_understood
from reasoning.run.claims import claim_of
from tests.reasoning.films import films
from tests.reasoning.rules import RuleScorer, Witness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore

DIRECTED = ("about nolan", "0 ^film.film.directed_by", "answer 1")
DIRECTOR = ("about heat", "0 film.film.directed_by", "answer 1")
RELEASED = ("about batman", "0 film.film.released", "answer 1")
MINUTES = ("about batman", "0 film.film.minutes", "answer 1")
BORN = ("about bale", "0 people.person.place_of_birth", "answer 1")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    store = films(tmp_path_factory.mktemp("claims"))
    yield store
    store.close()


def ended(store: GraphStore, question: str, wishes: tuple[str, ...]) -> events.Finished:
    *_, last = answer(question, store, RuleScorer(wishes))
    assert isinstance(last, events.Finished)
    return last


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
        ("Has Batman Begins more than 100 minutes?", MINUTES, "100", True),
        ("Has Batman Begins more than 200 minutes?", MINUTES, "200", False),
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
