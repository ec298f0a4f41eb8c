"""Questions that ask how many: the number is the answer, and what was counted stands below it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.sparql.query_graph import Unreadable
from kgstore.terms import Entity, Number, Relation
from reasoning import events
from reasoning.core.derivation import Count, Derivation, PartialDerivation, SearchStep, derivation_read
from reasoning.core.options import COUNT_PLACE, Stage
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer, go_on
from reasoning.gold.decomposition import decompose
from reasoning.gold.fitting import Fit, fit, replay
from reasoning.narration.replay import choices_again, choices_of, derivation_made
from reasoning.question.counting import asks_how_many
from reasoning.question.linking import link
from reasoning.run.continuation import Continuation, Replace
from reasoning.run.run import RunLimits
from tests.reasoning.rules import KITT, KITT_QUESTION, RuleScorer

if TYPE_CHECKING:
    from kgstore.store import GraphStore

CAST = "how many actors are in Knight Rider?"
ACTORS = RuleScorer(("0 tv.tv_program.regular_cast", "1 tv.regular_tv_appearance.actor", "answer 2"))
SHOW = Entity("en.knight_rider")
STEPS = (
    SearchStep(0, Relation("tv.tv_program.regular_cast")),
    SearchStep(1, Relation("tv.regular_tv_appearance.actor")),
)
COUNTED = Derivation(SHOW, STEPS, (), 2, counted=True)
HEAD = "PREFIX : <http://rdf.freebase.com/ns/> "


def ended(emitted: list[events.StageEvent]) -> events.Finished:
    last = emitted[-1]
    assert isinstance(last, events.Finished)
    return last


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        (CAST, True),
        ("How  many actors does Knight Rider have", True),
        ("what is the number of actors in Knight Rider?", True),
        ("what's the total number of actors in Knight Rider?", True),
        ("count the actors of Knight Rider", True),
        ("Knight Rider had how many actors?", True),
        ("who acted in Knight Rider?", False),
        ("what is the atomic number of Knight Rider?", False),
        ("who is Count Dracula?", False),
        ("how much did Knight Rider cost?", False),
    ],
)
def test_the_words_tell_whether_it_is_asked_how_many(toy: GraphStore, question: str, asks: bool) -> None:
    assert asks_how_many(question, link(question, toy)) is asks


def test_the_number_is_reported_with_the_list(toy: GraphStore) -> None:
    trace = Trace()
    emitted = list(answer(CAST, toy, ACTORS, trace=trace))
    last = ended(emitted)
    assert (last.count, last.answers_total, len(last.answers)) == (3, 3, 3)
    assert [event.counted for event in emitted if isinstance(event, events.AnswersCounted)] == [True]
    assert last.unused_words == []
    assert derivation_made(emitted) == trace.derivation == COUNTED


def test_where_a_step_was_cut_the_number_is_the_least(toy: GraphStore) -> None:
    last = ended(list(answer(CAST, toy, ACTORS, limits=RunLimits(facts_per_step=2))))
    assert (last.count, last.count_at_least) == (2, True)
    assert ended(list(answer(CAST, toy, ACTORS))).count_at_least is None


def test_a_number_that_stands_there_is_the_answer_itself(toy: GraphStore) -> None:
    seasons = RuleScorer(("0 tv.tv_program.number_of_seasons", "answer 1"))
    shown = list(answer("how many seasons did Knight Rider have?", toy, seasons))
    assert ended(shown).count is None
    assert not any(isinstance(event, events.AnswersCounted) for event in shown)


def test_where_nobody_asks_how_many_the_log_stays_as_it_was(toy: GraphStore) -> None:
    shown = list(answer(KITT_QUESTION, toy, KITT))
    assert "count" not in ended(shown).model_dump()
    assert "answers_counted" not in {event.kind for event in shown}


def test_a_given_derivation_says_itself_whether_it_counts(toy: GraphStore) -> None:
    for question, counted in ((CAST, False), ("who acted in Knight Rider?", True)):
        derivation = replace(COUNTED, counted=counted)
        shown = list(answer(question, toy, None, topic=SHOW, given=choices_of(derivation)))
        assert ended(shown).count == (3 if counted else None)
        assert derivation_made(shown) == derivation
        # It stays so where the run is shown again.
        again = list(go_on(question, toy, None, Continuation(tuple(shown))))
        assert ended(again).count == ended(shown).count


def test_an_older_log_of_such_a_question_counts_nothing(toy: GraphStore) -> None:
    shown = [event for event in answer(CAST, toy, ACTORS) if not isinstance(event, events.AnswersCounted)]
    assert derivation_made(shown) == replace(COUNTED, counted=False)
    topic, choices = choices_again(shown)
    again = list(answer(CAST, toy, None, topic=topic, given=choices))
    assert ended(again).count is None


def test_a_change_of_the_place_is_counted_anew(toy: GraphStore) -> None:
    shown = list(answer("how many seasons and creators had Knight Rider?", toy, _CREATORS))
    assert ended(shown).count == 1
    changed = Continuation(tuple(shown), Replace(Stage.INFER, 0, 2))
    assert ended(list(go_on(CAST, toy, None, changed))).count is None


_CREATORS = RuleScorer(("0 tv.tv_program.program_creator", "0 tv.tv_program.number_of_seasons", "answer 1"))


def test_a_beam_counts_as_reads_does(toy: GraphStore) -> None:
    shown = list(answer(CAST, toy, ACTORS, strategy="beam", switches=EngineSwitches.of(width=3)))
    assert ended(shown).count == 3
    given = {COUNT_PLACE: None}
    listed = list(answer(CAST, toy, ACTORS, strategy="beam", switches=EngineSwitches.of(width=3), given=given))
    assert ended(listed).count is None


def test_its_json_says_so_only_where_it_counts() -> None:
    document = COUNTED.to_json()
    assert document["counted"] is True
    assert derivation_read(document) == COUNTED
    listed = replace(COUNTED, counted=False)
    assert "counted" not in listed.to_json()
    assert derivation_read(listed.to_json()) == listed


@pytest.mark.parametrize("change", [{"counted": "yes"}, {"counted": 1}, {"answer": None}])
def test_what_cannot_be_counted_is_refused(change: dict[str, Any]) -> None:
    document = COUNTED.to_json() | change
    with pytest.raises(ValueError, match="only answers with a position are counted"):
        PartialDerivation.from_json(document)


@pytest.mark.parametrize(
    "query",
    [
        (
            "SELECT (COUNT(?x) AS ?n) WHERE { SELECT DISTINCT ?x WHERE "
            "{ :en.knight_rider :tv.tv_program.regular_cast ?c . ?c :tv.regular_tv_appearance.actor ?x } }"
        ),
        (
            "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE "
            "{ :en.knight_rider :tv.tv_program.regular_cast ?c . ?c :tv.regular_tv_appearance.actor ?x }"
        ),
    ],
)
def test_a_query_that_counts_is_a_derivation_that_counts(toy: GraphStore, query: str) -> None:
    found = decompose(HEAD + query, None)
    assert found.derivation == COUNTED
    assert replay(found.derivation, toy) == {Number(3.0)}
    fitted = fit(found.derivation, SHOW, frozenset({Number(3.0)}), toy)
    assert fitted is not None
    assert (fitted.derivation, fitted.fit, fitted.f1) == (COUNTED, Fit.EXACT, 1.0)


@pytest.mark.parametrize(
    "query",
    [
        # The same thing may be counted twice here.
        "SELECT (COUNT(?x) AS ?n) WHERE { :m.a :r.s.t ?c . ?c :r.s.u ?x }",
        "SELECT (COUNT(?x) AS ?n) WHERE { SELECT ?x WHERE { :m.a :r.s.t ?x } }",
        "SELECT (COUNT(?x) AS ?n) WHERE { SELECT DISTINCT ?x ?c WHERE { :m.a :r.s.t ?c . ?c :r.s.u ?x } }",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { :m.a :r.s.t ?c . ?c :r.s.u ?x } GROUP BY ?c",
        "SELECT (COUNT(DISTINCT *) AS ?n) WHERE { :m.a :r.s.t ?c }",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) (COUNT(DISTINCT ?c) AS ?m) WHERE { :m.a :r.s.t ?c . ?c :r.s.u ?x }",
    ],
)
def test_a_query_that_counts_otherwise_is_refused(query: str) -> None:
    assert decompose(HEAD + query, None).problem in (Unreadable.AGGREGATE, Unreadable.SEVERAL_ANSWERS)


def test_to_count_is_one_decision() -> None:
    assert choices_of(COUNTED)[COUNT_PLACE] == Count()
