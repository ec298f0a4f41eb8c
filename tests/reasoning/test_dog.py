"""DoG by hand: rounds, tries, what is asked in between, changes of a person, and debates that were recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import WriterMissingError
from reasoning.core.options import Stage, StepOption
from reasoning.core.switches import EngineSwitches
from reasoning.engine.engine import answer, go_on
from reasoning.run.continuation import Continuation, EndStage, Replace
from reasoning.run.run import Run
from reasoning.scorers.base import Cost, Distribution
from reasoning.strategies.dog.asked import set_name
from tests.reasoning.family import ANN, CHILD, PARENT, POST, TOWN
from tests.reasoning.made_up import RecordedWriter
from tests.reasoning.rules import Counting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.run.continuation import Change

QUESTION = "who is the parent of the parent of Ann?"


@dataclass(frozen=True)
class Reader:
    """Follows *parent* as often as the question says it, from what it is about on, and goes through Ann's post."""

    name: str = "reader"

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        left = state.question.count("parent") - state.structure.step
        wanted = str(PARENT) if left > 0 else None
        if "town" in state.question:
            wanted = str((POST, TOWN, None)[state.structure.step])
        said = [str(one.step.relation) if isinstance(one, StepOption) else "None" for one in pool.options]
        sure = [0.9 if each == str(wanted) else 0.1 for each in said]
        return Distribution({i: share / sum(sure) for i, share in enumerate(sure)}, 0.0, Cost(calls=1))


def run(family: GraphStore, question: str = QUESTION, **how: Any) -> list[events.StageEvent]:
    scorer = how.pop("scorer", Reader())
    return list(answer(question, family, scorer, strategy="dog", topic=ANN, **how))


def all_of(emitted: Sequence[events.StageEvent], kind: type[Any]) -> list[Any]:
    return [event for event in emitted if isinstance(event, kind)]


def names(emitted: Sequence[events.StageEvent]) -> list[str]:
    (finished,) = all_of(emitted, events.Finished)
    return [one.term.label for one in finished.answers]


def test_a_round_follows_tries_and_shortens_and_the_last_try_ends_it(family: GraphStore) -> None:
    emitted = run(family)
    kinds = [event.kind for event in emitted if event.kind != "debate_turn"]
    assert kinds == [
        *("started", "entity_linked", "search_step", "sufficiency", "question_simplified"),
        *("search_step", "sufficiency", "search_ended", "answer_position", "finished"),
    ]
    (shorter,) = all_of(emitted, events.QuestionSimplified)
    assert (shorter.before, shorter.after, shorter.by) == (QUESTION, "who is the parent of Bob?", "rule")
    assert [QUESTION[start:end] for start, end in shorter.removed] == ["the parent of", "Ann"]
    assert shorter.after[slice(*shorter.topic)] == "Bob"
    assert [turn.role for turn in all_of(emitted, events.DebateTurn)] == ["simplifier", "critic", "linguist"]
    assert names(emitted) == ["Dan"]
    assert [len(one.path) for one in emitted[-1].answers] == [2]  # type: ignore[union-attr]


def test_the_filter_and_the_try_are_asked_what_is_asked_by_now(family: GraphStore) -> None:
    asked: list[tuple[str, int]] = []

    class Heard(Reader):
        def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
            asked.append((state.question, state.structure.step))
            return super().score(state, pool, best=best)

    emitted = run(family, scorer=Heard())
    short = "who is the parent of Bob?"
    assert asked == [(QUESTION, 0), (QUESTION, 1), (short, 0), (short, 1)]
    tries = all_of(emitted, events.Sufficiency)
    assert [(one.round, one.question, one.enough, one.positions) for one in tries] == [
        (1, QUESTION, False, [1]),
        (2, short, True, [2]),
    ]
    (finished,) = all_of(emitted, events.Finished)
    assert finished.cost.calls == len(asked) == 4
    sure = [decision.probability for decision in decisions(emitted)]
    assert finished.confidence == pytest.approx(sure[0] * (1 - tries[0].share) * sure[1] * sure[2], abs=1e-5)


def decisions(emitted: Sequence[events.StageEvent]) -> list[events.DecisionRecord]:
    """Those of the search."""
    made = (event.decision for event in emitted if isinstance(event, events.SearchStepTaken | events.SearchEnded))
    return [decision for decision in made if decision is not None]


def test_where_rounds_are_spent_the_last_facts_are_the_answer_and_it_says_so(family: GraphStore) -> None:
    emitted = run(family, switches=EngineSwitches.of(rounds=1))
    (ended,) = all_of(emitted, events.SearchEnded)
    assert (ended.reason, names(emitted)) == ("step_limit", ["Bob"])


def test_a_link_without_a_name_is_passed_without_a_try_or_a_debate(family: GraphStore) -> None:
    emitted = run(family, "in which town is Ann?", switches=EngineSwitches.of(rounds=1))
    assert [one.node.kind for one in all_of(emitted, events.SearchStepTaken)] == ["mediator", "entity"]
    assert [one.round for one in all_of(emitted, events.Sufficiency)] == [2]
    assert all_of(emitted, events.QuestionSimplified) == []
    assert names(emitted) == ["Dan"]


def test_several_things_are_named_as_a_set_and_one_by_its_name(toy: GraphStore) -> None:
    asked = Run("", toy, None)
    people = [Entity("en.william_daniels"), Entity("en.david_hasselhoff")]
    assert set_name(asked, people[:1]) == "William Daniels"
    assert set_name(asked, people) == "these 2 people"


@pytest.mark.parametrize(
    ("debaters", "roles"),
    [("1", ["simplifier"]), ("2", ["simplifier", "critic"]), ("one-for-all", ["all"])],
)
def test_fewer_roles_speak_where_that_is_wanted(family: GraphStore, debaters: Any, roles: list[str]) -> None:
    emitted = run(family, switches=EngineSwitches.of(debaters=debaters))
    assert [turn.role for turn in all_of(emitted, events.DebateTurn)] == roles
    assert names(emitted) == ["Dan"]


def changed(family: GraphStore, change: Change, **how: Any) -> list[events.StageEvent]:
    continuation = Continuation(tuple(run(family)), change, later=how.pop("later", "ask"))
    return list(go_on(QUESTION, family, how.pop("scorer", Reader()), continuation, strategy="dog"))


def test_another_relation_may_be_followed_and_the_question_is_shortened_by_that(family: GraphStore) -> None:
    emitted = changed(family, Replace(Stage.SEARCH, 0, SearchStep(0, CHILD)))
    (shorter, *_) = all_of(emitted, events.QuestionSimplified)
    assert (shorter.after, shorter.relation.id) == ("who is the parent of Cyd?", str(CHILD))
    assert names(emitted)[:1] != ["Dan"]


def test_the_search_may_be_ended_where_it_was_not_enough(family: GraphStore) -> None:
    counted = Counting(Reader())
    shown = changed(family, EndStage(Stage.SEARCH, 1), scorer=counted)
    assert (names(shown), counted.asked) == (["Bob"], 0)


def test_the_answer_may_stand_before_the_last_relation(family: GraphStore) -> None:
    counted = Counting(Reader())
    shown = changed(family, Replace(Stage.INFER, 0, 1), scorer=counted)
    assert (names(shown), counted.asked) == (["Bob"], 0)


TEXTS = (
    "who is the parent of Ann's parent Bob?",
    "“Ann's parent” was answered.\nwho is the parent of Bob?",
    "Who is the parent of Bob?",
)
BY_WRITER = EngineSwitches.of(debate="writer")


def test_a_recorded_debate_is_read_by_its_last_role_and_each_sees_what_was_said(family: GraphStore) -> None:
    writer = RecordedWriter(TEXTS)
    emitted = run(family, switches=BY_WRITER, writer=writer)
    (shorter,) = all_of(emitted, events.QuestionSimplified)
    assert (shorter.after, shorter.by) == ("Who is the parent of Bob?", "writer")
    assert [turn.text for turn in all_of(emitted, events.DebateTurn)] == list(TEXTS)
    sent = [str(messages[0].text) for messages in writer.asked]
    assert "Ann | family.person.parent | Bob" in sent[0]
    assert "The simplifier said" not in sent[0]
    assert TEXTS[0] in sent[1]
    assert TEXTS[0] in sent[2]
    assert TEXTS[1] in sent[2]
    (finished,) = all_of(emitted, events.Finished)
    assert (names(emitted), finished.confidence, finished.cost.calls) == (["Dan"], None, 7)


def test_a_reply_that_does_not_name_what_was_found_leaves_the_question(family: GraphStore) -> None:
    emitted = run(
        family, switches=EngineSwitches.of(debate="writer", debaters="1"), writer=RecordedWriter(("Dan!",) * 3)
    )
    (shorter, *_) = all_of(emitted, events.QuestionSimplified)
    assert (shorter.after, shorter.removed, shorter.topic) == (QUESTION, [], (35, 38))


def test_memory_answers_only_where_rounds_are_spent_and_it_was_asked_for(family: GraphStore) -> None:
    spent = {"rounds": 1, "debate": "writer"}
    emitted = run(family, switches=EngineSwitches.of(**spent, model_may_answer=True), writer=RecordedWriter(("Eve",)))
    assert (emitted[-1].verdict, names(emitted)) == ("from_the_model", ["Eve"])  # type: ignore[union-attr]
    assert names(run(family, switches=EngineSwitches.of(**spent), writer=RecordedWriter(()))) == ["Bob"]


def test_a_model_may_write_what_is_enough(family: GraphStore) -> None:
    emitted = run(
        family, switches=EngineSwitches.of(sufficiency="writer"), writer=RecordedWriter(("No.", "Yes, Dan is."))
    )
    assert [(one.enough, one.by, one.share) for one in all_of(emitted, events.Sufficiency)] == [
        (False, "writer", None),
        (True, "writer", None),
    ]
    assert names(emitted) == ["Dan"]


@pytest.mark.parametrize(
    ("switches", "texts"),
    [
        (EngineSwitches(), ()),
        (BY_WRITER, TEXTS),
        (EngineSwitches.of(debate="writer", sufficiency="writer"), ("no", *TEXTS, "yes")),
    ],
)
def test_a_run_goes_on_from_wherever_it_was_broken_off(
    family: GraphStore, switches: EngineSwitches, texts: tuple[str, ...]
) -> None:
    emitted = run(family, switches=switches, writer=RecordedWriter(texts))
    for length in range(len(emitted)):
        written = sum(isinstance(event, events.ModelWrote) for event in emitted[:length])
        how: Any = {"switches": switches, "writer": RecordedWriter(texts[written:])}
        continuation = Continuation(tuple(emitted[:length]))
        again = list(go_on(QUESTION, family, Reader(), continuation, strategy="dog", topic=ANN, **how))
        assert [event.kind for event in again] == [event.kind for event in emitted]
        assert again[-1].cost == emitted[-1].cost  # type: ignore[union-attr]
        assert names(again) == names(emitted)


@pytest.mark.parametrize("switches", [BY_WRITER, EngineSwitches.of(sufficiency="writer")])
def test_without_a_model_that_writes_it_says_so_before_it_begins(family: GraphStore, switches: EngineSwitches) -> None:
    with pytest.raises(WriterMissingError):
        run(family, switches=switches)
