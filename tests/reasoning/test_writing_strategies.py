"""Strategies whose model writes: what each sends, what it makes of a reply, and what counts as supported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Text
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer, go_on
from reasoning.narration.replay import choices_made
from reasoning.run.continuation import Continuation, Replace
from reasoning.run.run import RunLimits
from reasoning.scorers.base import Cost
from reasoning.strategies.reads import written_answer, written_filters
from reasoning.writers.base import Written
from tests.reasoning.made_up import RecordedWriter
from tests.reasoning.rules import KITT, KITT_QUESTION, Counting, RuleScorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from reasoning.writers.base import Message

ON = EngineSwitches.of(model_may_answer=True, determination="writer")
FROM_FACTS = ("augmented", "written-answer")
UNSURE = "I am not sure."


class Told:
    """A run, and what was sent for it."""

    def __init__(self, strategy: str, store: GraphStore, *texts: str, **how: object) -> None:
        self.writer = RecordedWriter(texts)
        question, scorer = str(how.pop("question", KITT_QUESTION)), how.pop("scorer", KITT)
        self.trace = Trace()
        self.events = list(
            answer(question, store, scorer, strategy=strategy, writer=self.writer, trace=self.trace, **how)  # type: ignore[arg-type]
        )

    @property
    def finished(self) -> events.Finished:
        last = self.events[-1]
        assert isinstance(last, events.Finished)
        return last

    @property
    def wrote(self) -> list[events.ModelWrote]:
        return [event for event in self.events if isinstance(event, events.ModelWrote)]

    @property
    def answers(self) -> list[str]:
        return [one.term.label for one in self.finished.answers]

    @property
    def sent(self) -> list[str]:
        return [message.text for messages in self.writer.asked for message in messages]


def said(wrote: events.ModelWrote) -> list[tuple[str, list[str], str | None]]:
    assert wrote.said is not None
    return [(part.text, part.names, part.place) for part in wrote.said]


def test_alone_the_model_is_shown_the_question_and_nothing_of_the_graph(toy: GraphStore) -> None:
    shown = Told("zero-shot", toy, "William Daniels", switches=ON)
    (sent,) = shown.sent
    assert KITT_QUESTION in sent
    assert "regular_cast" not in sent
    assert "William" not in sent
    assert [event.kind for event in shown.events] == ["started", "entity_linked", "model_wrote", "finished"]


def test_what_the_model_answers_alone_is_an_entity_where_its_words_name_one(toy: GraphStore) -> None:
    shown = Told("zero-shot", toy, "1. the william daniels\n2. Nobody Known", switches=ON)
    assert said(shown.wrote[0]) == [
        ("the william daniels", ["William Daniels"], "graph"),
        ("Nobody Known", [], None),
    ]
    assert shown.trace.answers == (Entity("en.william_daniels"),)
    assert (shown.finished.verdict, shown.finished.confidence) == ("from_the_model", None)
    assert shown.finished.answers[0].path == []


def test_words_that_name_nothing_are_reported_as_they_are(toy: GraphStore) -> None:
    shown = Told("zero-shot", toy, "Nobody Known", switches=ON)
    assert shown.trace.answers == (Text("Nobody Known"),)
    assert shown.finished.verdict == "from_the_model"
    dated = Told("zero-shot", toy, "February 6, 2011", switches=ON)
    assert dated.trace.answers == (Date("2011-02-06"),)


def test_unless_it_is_wanted_no_answer_of_the_model_is_reported(toy: GraphStore) -> None:
    shown = Told("zero-shot", toy, "William Daniels")
    assert (shown.finished.verdict, shown.finished.reason, shown.answers) == ("no_answer_found", "unsupported", [])
    assert shown.trace.answers == ()


@pytest.mark.parametrize("text", ["None", "", "I don't know."])
@pytest.mark.parametrize("strategy", ["zero-shot", *FROM_FACTS, "etd"])
def test_a_model_that_names_nothing_has_not_answered(toy: GraphStore, strategy: str, text: str) -> None:
    shown = Told(strategy, toy, text, switches=ON)
    assert (shown.finished.verdict, shown.finished.reason) == ("no_answer_found", "nothing_said")
    assert shown.wrote[0].said == []


def test_of_what_is_not_in_the_graph_the_model_is_asked_only_where_its_answer_is_wanted(toy: GraphStore) -> None:
    question = "what is the meaning of it all?"
    unasked = Told("zero-shot", toy, "42", question=question)
    assert (unasked.finished.verdict, unasked.sent) == ("not_in_graph", [])
    asked = Told("zero-shot", toy, "42", question=question, switches=ON)
    assert (asked.finished.verdict, asked.answers) == ("from_the_model", ["42"])


def test_augmented_shows_the_facts_that_pruning_left_and_no_others(toy: GraphStore) -> None:
    (sent,) = Told("augmented", toy, "William Daniels").sent
    assert "Facts (3 of 3)" in sent
    assert "m.cast_kitt | actor | William Daniels" in sent
    assert "Hasselhoff" not in sent


def test_the_structure_shows_how_nodes_are_reached_what_they_hold_and_what_must_hold(toy: GraphStore) -> None:
    (sent,) = Told("written-answer", toy, "William Daniels").sent
    assert "entity_2: actor of topic_1; holds 1, 1 of them listed: William Daniels" in sent
    assert "topic_1: regular cast of Knight Rider; only links others" in sent
    assert "Condition: entity_3 = KITT" in sent
    assert "Hasselhoff" not in sent


@pytest.mark.parametrize("strategy", FROM_FACTS)
def test_what_the_facts_hold_is_an_answer_with_its_proof(toy: GraphStore, strategy: str) -> None:
    shown = Told(strategy, toy, "William Daniels\nJamaica\nPat Morita")
    assert said(shown.wrote[0]) == [
        ("William Daniels", ["William Daniels"], "facts"),
        ("Jamaica", ["Jamaica"], "graph"),
        ("Pat Morita", [], None),
    ]
    assert (shown.finished.verdict, shown.answers, shown.finished.confidence) == ("answered", ["William Daniels"], None)
    (found,) = shown.finished.answers
    assert [fact.relation.label for fact in found.path] == ["regular cast", "actor"]
    assert [fact.target.label for fact in found.conditions] == ["KITT"]
    assert shown.trace.answers == (Entity("en.william_daniels"),)


@pytest.mark.parametrize(
    ("strategy", "other"), [*((each, "David Hasselhoff") for each in FROM_FACTS), ("etd", "Jamaica")]
)
def test_what_the_facts_do_not_hold_is_the_models_own(toy: GraphStore, strategy: str, other: str) -> None:
    shown = Told(strategy, toy, other, switches=ON)
    assert (shown.finished.verdict, shown.answers) == ("from_the_model", [other])
    off = Told(strategy, toy, other, switches=EngineSwitches.of(determination="writer"))
    assert off.finished.reason == "unsupported"


def test_only_a_place_that_may_hold_an_answer_gives_a_written_one(toy: GraphStore) -> None:
    """The character is what the condition asks for; READS never answers with it, while all facts may."""
    assert Told("augmented", toy, "KITT").finished.verdict == "answered"
    assert Told("written-answer", toy, "KITT").finished.reason == "unsupported"


@pytest.mark.parametrize("strategy", FROM_FACTS)
def test_the_topic_is_no_answer_unless_a_benchmark_says_so(toy: GraphStore, strategy: str) -> None:
    assert Told(strategy, toy, "Knight Rider").finished.reason == "unsupported"
    allowed = EngineSwitches(topic_may_answer=True, topic_may_recur=True)
    shown = Told(strategy, toy, "Knight Rider", switches=allowed)
    assert shown.finished.reason == "unsupported", "the root holds what the question is about, and nothing leads back"


@pytest.mark.parametrize("strategy", FROM_FACTS)
@pytest.mark.parametrize(
    ("scorer", "question", "reason"),
    [
        (RuleScorer(()), KITT_QUESTION, "no_relation"),
        (
            RuleScorer(
                (
                    "0 sports.sports_championship.events",
                    "1 time.event.start_date",
                    '2 = "1950"^^xsd:gYear',
                )
            ),
            "who won the Super Bowl in 1950?",
            "conditions_leave_nothing",
        ),
    ],
)
def test_where_search_and_prune_come_to_nothing_no_model_is_asked(
    toy: GraphStore, strategy: str, scorer: RuleScorer, question: str, reason: str
) -> None:
    shown = Told(strategy, toy, "William Daniels", scorer=scorer, question=question, switches=ON)
    assert (shown.finished.reason, shown.sent) == (reason, [])


def test_facts_beyond_the_room_are_counted_and_every_step_has_some(
    toy: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written_answer, "SHOWN_CHARACTERS", 80)
    (sent,) = Told("augmented", toy, "William Daniels").sent
    assert "Facts (2 of 3)" in sent
    assert "| regular cast |" in sent
    assert "| actor |" in sent
    (sent,) = Told("written-answer", toy, "William Daniels").sent
    assert "listed" in sent


def test_a_reply_that_the_limit_cut_is_not_read_to_its_end(toy: GraphStore) -> None:
    class CutShort(RecordedWriter):
        def write(self, messages: Sequence[Message], **how: object) -> Written:
            return Written(super().write(messages, **how).text, Cost(1, 12, 3), ended=False)

    emitted = list(answer(KITT_QUESTION, toy, KITT, strategy="augmented", writer=CutShort(("KITT\nWilliam Daniels",))))
    wrote = next(event for event in emitted if isinstance(event, events.ModelWrote))
    assert wrote.cut_short
    assert said(wrote) == [("KITT", ["KITT"], "facts"), ("William Daniels", [], None)]


def filtered(toy: GraphStore, *texts: str, **how: object) -> Told:
    return Told("written-filters", toy, *texts, *(UNSURE,) * 9, **how)


def test_a_filter_leaves_the_options_that_it_names_and_none(toy: GraphStore) -> None:
    emitted = filtered(toy, "3. Knight Rider tv.tv_program.regular_cast")
    assert said(emitted.wrote[0])[0][1:] == (["regular cast"], "options")
    step = next(event for event in emitted.events if isinstance(event, events.SearchStepTaken))
    assert {option.kind for option in step.decision.options} == {"step", "none"}
    assert step.decision.total == 2
    assert emitted.answers == ["William Daniels"]
    assert emitted.finished.confidence is None


def test_a_filter_may_take_away_what_the_scorer_would_choose(toy: GraphStore) -> None:
    shown = filtered(toy, "1\n2")
    assert (shown.finished.verdict, shown.finished.reason) == ("no_answer_found", "no_relation")


def test_a_filter_that_names_no_option_keeps_them_all(toy: GraphStore) -> None:
    shown = filtered(toy)
    reads = list(answer(KITT_QUESTION, toy, KITT))
    assert choices_made(shown.events) == choices_made(reads)
    assert shown.answers == ["William Daniels"]
    assert said(shown.wrote[0]) == [("I am not sure", [], None)]


def test_options_that_a_filter_was_not_shown_stay(toy: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written_filters, "SHOWN_CHARACTERS", 50)
    emitted = filtered(toy, "1")
    assert "1 of 3 relations" in emitted.sent[0]
    step = next(event for event in emitted.events if isinstance(event, events.SearchStepTaken))
    assert step.decision.total == 4
    assert emitted.answers == ["William Daniels"]


def test_a_person_may_choose_what_a_filter_took_away_and_nothing_is_filtered_there(toy: GraphStore) -> None:
    shown = filtered(toy, "1\n2")
    cast = next(
        choice
        for (stage, number), choice in choices_made(list(answer(KITT_QUESTION, toy, KITT)))[1].items()
        if (stage, number) == (Stage.SEARCH, 0)
    )
    assert isinstance(cast, SearchStep)
    changed = Continuation(tuple(shown.events), Replace(Stage.SEARCH, 0, cast))
    writer = RecordedWriter((UNSURE,) * 9)
    again = list(go_on(KITT_QUESTION, toy, KITT, changed, strategy="written-filters", writer=writer))
    assert isinstance(again[-1], events.Finished)
    assert [one.term.label for one in again[-1].answers] == ["William Daniels"]
    assert next(event.purpose for event in again if isinstance(event, events.ModelWrote)) == shown.wrote[0].purpose


def test_a_changed_run_that_was_broken_off_goes_on_with_its_texts(toy: GraphStore) -> None:
    shown = filtered(toy)
    change = Replace(Stage.SEARCH, 1, None)
    texts = RecordedWriter((UNSURE,) * 9)
    whole = list(
        go_on(
            KITT_QUESTION,
            toy,
            KITT,
            Continuation(tuple(shown.events), change),
            strategy="written-filters",
            writer=texts,
        )
    )
    for length in range(1, len(whole)):
        broken = Continuation(tuple(shown.events), change, emitted=tuple(whole[:length]))
        again = list(
            go_on(KITT_QUESTION, toy, KITT, broken, strategy="written-filters", writer=RecordedWriter((UNSURE,) * 9))
        )
        assert [event.kind for event in again] == [event.kind for event in whole]
        assert again[:length] == whole[:length]


@pytest.mark.parametrize("strategy", ["zero-shot", *FROM_FACTS, "written-filters"])
def test_where_a_run_is_to_stop_no_model_writes(toy: GraphStore, strategy: str) -> None:
    shown = Told(strategy, toy, *(UNSURE,) * 9)
    before = [event for event in shown.events if event.kind in ("started", "entity_linked")]
    *_, stopped = go_on(KITT_QUESTION, toy, None, Continuation(tuple(before), otherwise="stop"), strategy=strategy)
    assert isinstance(stopped, events.Undecided)
    assert stopped.stage == ("infer" if strategy == "zero-shot" else "search")
    assert bool(stopped.options) == (strategy != "zero-shot")


@pytest.mark.parametrize("strategy", ["zero-shot", *FROM_FACTS, "etd"])
def test_what_writing_took_counts_for_the_stage_that_it_answers(toy: GraphStore, strategy: str) -> None:
    counted = Counting(KITT)
    shown = Told(strategy, toy, "William Daniels", scorer=counted, limits=RunLimits(), switches=ON)
    assert shown.finished.costs is not None
    assert shown.finished.costs["infer"] == events.CostRecord(calls=1, tokens_in=12, tokens_out=3)
