"""What happens in a run is worded once, for the terminal and for the browser."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, get_args

import pytest
from pydantic import TypeAdapter

from kgstore.terms import Entity
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.engine.engine import answer
from reasoning.events import (
    ClaimRecord,
    ConstraintChosen,
    ConstraintRecord,
    CostRecord,
    DecisionRecord,
    EntityLinked,
    Finished,
    MentionRecord,
    ModelWrote,
    NoneOptionRecord,
    PruningEnded,
    ReadingRecord,
    ReadingsKept,
    RelationRecord,
    SearchEnded,
    SearchStepTaken,
    SelectionMade,
    SelectionRecord,
    SemanticNodeRecord,
    StageEvent,
    StepOptionRecord,
    TermRecord,
    Undecided,
    UnreadRecord,
    Verdict,
)
from reasoning.narration.replay import recorded_costs
from reasoning.narration.wording import STAGE_OF_EVENT, VERDICT_WORDS, RunWords, decision_of, is_doubtful
from tests.reasoning.recording import FOLDER, RUNS, WORDED, worded
from tests.reasoning.rules import KITT, KITT_QUESTION, RuleScorer

if TYPE_CHECKING:
    from kgstore.store import GraphStore


def test_how_recorded_runs_are_worded_is_fresh() -> None:
    stored = json.loads(WORDED.read_text(encoding="utf-8"))
    assert stored == worded(), "run `python -m tests.reasoning.recording` and look at what changed"


def test_every_verdict_has_words() -> None:
    assert set(VERDICT_WORDS) == set(get_args(Verdict))


@pytest.mark.parametrize("name", RUNS)
def test_every_decision_has_a_stage_and_a_sentence(name: str) -> None:
    log = recorded_events(name)
    words, calls = RunWords(), Counter[Stage]()
    for event in log:
        words.learn(event)
        decision = decision_of(event)
        if decision is not None:
            assert words.decision(event)
            calls[STAGE_OF_EVENT[event.kind]] += 0 if decision.cost is None else decision.cost.calls
        elif isinstance(event, SelectionMade | ModelWrote):
            cost = event.cost if isinstance(event, ModelWrote) else event.selection.cost
            calls[Stage(event.stage)] += 0 if cost is None else cost.calls
    if not any(isinstance(event, ReadingsKept) for event in log):
        # A round of a beam asks for more than what the best reading decided.
        assert {stage: cost.calls for stage, cost in recorded_costs(log).items()} == {s: calls[s] for s in Stage}


def test_names_pass_through_the_rules_of_the_place_where_they_are_printed() -> None:
    term = TermRecord(id="en.kitt", label="KITT {node}", kind="entity")
    linked = EntityLinked(
        topic=term,
        topic_hint="",
        chosen_by_asker=True,
        decision=None,
        targets=[MentionRecord(start=0, end=4, term=term, hint="")],
        root=None,
        seconds=0,
    )
    assert RunWords(name=str.lower).decision(linked) == "Begin at kitt {node}"


def recorded_events(name: str) -> list[StageEvent]:
    adapter: TypeAdapter[StageEvent] = TypeAdapter(StageEvent)
    return [adapter.validate_python(row["event"]) for row in json.loads((FOLDER / f"{name}.json").read_text())]


def words_after(log: list[StageEvent]) -> RunWords:
    words = RunWords(name=str.upper)
    for event in log:
        words.learn(event)
    return words


def finished(name: str, **changes: object) -> Finished:
    last = recorded_events(name)[-1]
    assert isinstance(last, Finished)
    return last.model_copy(update=changes)


@pytest.mark.parametrize(
    ("confidence", "words"),
    [
        (0.724, "Confidence 72 %"),
        (0.0049, "Confidence under 1 %"),
        (0.9951, "Confidence over 99 %"),
        (1.0, "Confidence 100 %"),
        (None, ""),
    ],
)
def test_how_sure_a_run_is_in_words(confidence: float | None, words: str) -> None:
    assert RunWords().confidence(finished("condition", confidence=0.9, calibrated=confidence)) == (
        words or "Confidence 90 %, not calibrated"
    )
    raw = words and f"{words}, not calibrated"
    assert RunWords().confidence(finished("condition", confidence=confidence)) == raw
    assert not RunWords().confidence(finished("condition", confidence=confidence, reason="no_topic"))


def test_how_sure_a_model_was_of_stopping_stands_once() -> None:
    log = recorded_events("no_relation")
    *before, ended = log
    assert isinstance(ended, Finished)
    words = words_after(log)
    assert words.stopped(ended)[0] == "The model was 80 % sure that no option leads to an answer."
    assert not [line for line in words.other_lines(ended) if " %" in line]
    # With another choice before it there is a figure of both, and the other one may be the weakest.
    linked, stop = before[1:]
    assert isinstance(linked, EntityLinked)
    both = ended.model_copy(update={"confidence": 0.48})
    for probability, weakest in ((0.6, ["Weakest step: begin at KNIGHT RIDER (60 %)"]), (0.9, [])):
        options = [each.model_copy(update={"probability": probability}) for each in linked.decision.options]
        begun = linked.decision.model_copy(update={"total": 2, "options": options})
        words = words_after([before[0], linked.model_copy(update={"decision": begun}), stop])
        sure = ["Confidence 48 %, not calibrated", *weakest]
        assert [line for line in words.other_lines(both) if " %" in line] == sure


def test_what_a_model_answered_by_itself_says_so_first() -> None:
    ended = finished(
        "condition", verdict="from_the_model", reason="from_the_model", unused_words=[(0, 3)], confidence=None
    )
    assert words_after(recorded_events("condition")).other_lines(ended) == [
        "A language model gave this answer. No fact of the graph supports it.",
        "Not taken into account: “WHO”",
    ]


def test_a_text_of_a_model_is_reported_as_such_with_its_length() -> None:
    wrote = ModelWrote(
        stage="infer",
        purpose="a plan",
        writer="writer",
        messages=[],
        text="first the cast",
        length=4000,
        cost=CostRecord(calls=1, tokens_in=1, tokens_out=1),
        seconds=0,
    )
    by = ["Written by WRITER, not from the graph", "A PLAN"]
    assert RunWords(name=str.upper).other_lines(wrote) == [*by, "the first 14 of 4,000 characters"]
    assert RunWords(name=str.upper).other_lines(wrote.model_copy(update={"length": 14})) == by


def test_a_selection_says_how_many_it_kept_and_by_what() -> None:
    record = SelectionRecord(measure="score", options=[], weights=[], kept=[4, 1], total=1200, cost=None)
    made = SelectionMade(stage="search", number=0, selection=record, seconds=0)
    assert RunWords().other_lines(made) == ["Kept 2 of 1,200 options, by score"]


@pytest.mark.parametrize(
    ("stage", "starts", "words"),
    [
        ("link", (), "what the question is about · 12 options"),
        ("search", (0, 0), "which relation to follow from KNIGHT RIDER · 12 options"),
        ("search", (0, 1), "which relation to follow · 12 options"),
        ("prune", (), "which condition must hold · 12 options"),
        ("infer", (), "which node holds the answer · 12 options"),
        ("plan", (), "decision 3 · 12 options"),
    ],
)
def test_a_run_that_stopped_says_which_decision_is_open(stage: str, starts: tuple[int, ...], words: str) -> None:
    relation = RelationRecord(id="r", label="actor", context="", reverse=False)
    options = [
        StepOptionRecord(
            index=i, probability=None, position=start, relation=relation, leads_to="entity", entities=1, facts=1
        )
        for i, start in enumerate(starts)
    ]
    undecided = Undecided(stage=stage, number=2, options=list(options), total=12)
    assert words_after(recorded_events("condition")[:3]).other_lines(undecided) == ["Stopped before a decision", words]


def test_readings_are_reported_with_their_probabilities() -> None:
    log = recorded_events("readings")
    rounds = [event for event in log if isinstance(event, ReadingsKept)]
    best = words_after(log[: log.index(rounds[-1]) + 1]).readings(rounds[-1])[0]
    assert best == (
        rounds[-1].kept[0].probability,
        "KNIGHT RIDER → REGULAR CAST → ACTOR, where CHARACTER is KITT · complete",
    )
    others = words_after(log).readings(log[-1])
    assert [words for _, words in others] == [
        "KITT: no answer found",
        "KNIGHT RIDER → REGULAR CAST → ACTOR: DAVID HASSELHOFF, EDWARD MULHARE, WILLIAM DANIELS",
    ]
    shares = [probability for probability, _ in others]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ("probabilities", "unread", "doubtful"),
    [
        ([0.9, 0.05, 0.05], 0.0, False),
        ([0.5, 0.3, 0.2], 0.0, False),
        ([0.49, 0.3, 0.21], 0.0, True),
        ([0.54, 0.45], 0.0, True),
        ([0.55, 0.45], 0.0, False),
        ([0.55], 0.46, True),
        ([1.0], 0.0, False),
    ],
)
def test_a_low_probability_or_a_close_second_is_doubtful(
    probabilities: list[float],
    unread: float,
    doubtful: bool,
) -> None:
    decision = DecisionRecord(
        options=[NoneOptionRecord(index=i, probability=share) for i, share in enumerate(probabilities)],
        total=len(probabilities),
        rest_probability=0,
        chosen=0,
        given=False,
        unread=UnreadRecord(count=1, together=unread, each=unread) if unread else None,
    )
    assert is_doubtful(decision) is doubtful
    assert not is_doubtful(decision.model_copy(update={"given": True}))
    assert not is_doubtful(decision.model_copy(update={"exact": False}))


CHAMPIONS = ("0 sports.sports_championship.events", "1 sports.sports_championship_event.champion")
AFTER_2011 = '3 > "2011"^^xsd:gYear'
CAPITAL = ("0 ^location.country.capital", "1 location.country.capital", "answer 2")


@pytest.mark.parametrize(
    ("question", "wishes", "reason", "ways_on"),
    [
        (
            "what is the budget of Knight Rider?",
            (),
            "Knight Rider is in Toy, but the model judged that none of its 3 relations fits the question.",
            ["search:1=number of seasons", "search:1=programme creator"],
        ),
        (
            "what is Kingston?",
            (),
            "Kingston is in Toy, but the model judged that its only relation does not fit the question.",
            ["search:1=capital"],
        ),
        (
            "which cast had Knight Rider?",
            ("0 tv.tv_program.regular_cast",),
            "The search took 1 step from Knight Rider and found no node that can hold an answer.",
            ["search:2=number of seasons", "search:2=programme creator"],
        ),
        (
            "who won the Super Bowl in 1950?",
            (*CHAMPIONS, "1 time.event.start_date", '3 = "1950"^^xsd:gYear', "answer 2"),
            "9 facts found, but none where start date is in 1950.",
            ["prune:1=drop"],
        ),
        (
            "what is Kingston the capital of?",
            CAPITAL,
            "The chosen node holds only Kingston, which the question is about, so it is not an answer.",
            ["infer:1=capital"],
        ),
        (
            "whose programmes?",
            (),
            "No entity of the question was found in Toy. Choose a topic, or ask about something else.",
            [],
        ),
        ("what does jamaican people speak?", ("0 location.country.languages_spoken", "answer 1"), "", []),
    ],
)
def test_a_run_without_an_answer_says_why_and_how_to_go_on(
    toy: GraphStore, question: str, wishes: tuple[str, ...], reason: str, ways_on: list[str]
) -> None:
    log = list(answer(question, toy, RuleScorer(wishes)))
    words, ended = RunWords(), log[-1]
    for event in log:
        words.learn(event)
    assert isinstance(ended, Finished)
    assert (words.reason(ended), words.ways_on(ended)) == (reason, ways_on)


def test_of_a_topic_that_nothing_leads_on_from_no_relation_was_refused() -> None:
    ended = finished("condition", verdict="no_answer_found", reason="no_relation")
    assert words_after(recorded_events("condition")[:2]).reason(ended) == (
        "KNIGHT RIDER is in TOY, but the model judged that none of its relations fits the question."
    )


def test_of_several_conditions_the_last_one_left_nothing() -> None:
    log = recorded_events("condition")
    first = next(event for event in log if isinstance(event, ConstraintChosen))
    devon = TermRecord(id="en.devon_miles", label="Devon Miles", kind="entity")
    second = first.model_copy(update={"constraint": first.constraint.model_copy(update={"target": devon})})
    ended = finished("condition", verdict="conditions_leave_nothing", reason="conditions_leave_nothing")
    assert words_after([*log[: log.index(first) + 1], second]).reason(ended) == (
        "9 facts found, but none where CHARACTER is KITT and CHARACTER is DEVON MILES. "
        "The last condition removed the remaining facts: CHARACTER is DEVON MILES."
    )


def test_why_a_search_ended_by_itself_is_noted() -> None:
    for reason, note in (
        ("step_limit", "step limit reached"),
        ("nothing_left", "no relation is left to follow"),
        ("chosen", ""),
    ):
        ended = SearchEnded(reason=reason, decision=None, seconds=0)  # type: ignore[arg-type]
        assert RunWords().note(ended) == note


def test_every_kind_of_option_has_words() -> None:
    log = recorded_events("condition")
    words = words_after(log)
    options = {
        option.kind: words.option(option)
        for event in log
        for decision in [decision_of(event)]
        if decision is not None
        for option in decision.options
        if option.index == decision.chosen
    }
    assert options == {
        "topic": "KNIGHT RIDER",
        "step": "CHARACTER",
        "none": "None",
        "constraint": "CHARACTER is KITT",
        "answer": "ACTOR",
    }


def test_a_reading_goes_backwards_begins_nowhere_or_has_more_answers_than_are_shown() -> None:
    root = SemanticNodeRecord(position=0, kind="entity", name="KITT", parent=None, relation=None)
    played_by = RelationRecord(id="^played", label="played", context="", reverse=True)
    place = SemanticNodeRecord(position=1, kind="entity", name="", parent=0, relation=played_by)
    found = [TermRecord(id=name, label=name, kind="entity") for name in ("Ann", "Ben")]
    backwards = ReadingRecord(
        probability=0.3,
        verdict="answered",
        nodes=[root, place],
        constraints=[],
        position=1,
        answers=found,
        answers_total=1200,
    )
    nowhere = ReadingRecord(
        probability=0.1,
        verdict="not_in_graph",
        nodes=[],
        constraints=[],
        position=None,
        answers=[],
        answers_total=0,
    )
    assert RunWords().readings(finished("condition", readings=[backwards, nowhere])) == [
        (0.3, "KITT ← played: Ann, Ben (2 of 1,200)"),
        (0.1, "no topic entity: not in this graph"),
    ]


def test_a_number_that_is_none_is_reported_as_it_is_written() -> None:
    for label, words in (("inf", "inf"), ("nan", "nan"), ("many", "many"), ("120.50", "120.5"), ("12000", "12,000")):
        assert RunWords().term(TermRecord(id=label, label=label, kind="number")) == words


def test_numbers_of_a_reading_are_reported_in_the_unit_of_their_place() -> None:
    def number(value: str) -> TermRecord:
        return TermRecord(id=value, label=value, kind="number")

    root = SemanticNodeRecord(position=0, kind="entity", name="Ann", parent=None, relation=None)
    height = RelationRecord(id="height", label="height", context="", reverse=False, unit="m")
    place = SemanticNodeRecord(position=1, kind="number", name="", parent=0, relation=height)
    bounds = [ConstraintRecord(position=1, operator=op, target=number(end)) for op, end in ((">=", "1.5"), ("<=", "2"))]  # type: ignore[arg-type]
    reading = ReadingRecord(
        probability=0.3,
        verdict="answered",
        nodes=[root, place],
        constraints=bounds,
        position=1,
        answers=[number("1.85")],
        answers_total=1,
    )
    assert RunWords().readings(finished("condition", readings=[reading]))[0][1] == (
        "Ann → height, where height is from 1.5 to 2 m: 1.85 m"
    )
    words = RunWords()
    words.learn(
        next(e for e in recorded_events("condition") if isinstance(e, SearchStepTaken)).model_copy(
            update={"node": place}
        )
    )
    assert words.condition(ConstraintRecord(position=1, operator="<", target=number("2"))) == "height is less than 2 m"


@pytest.mark.parametrize(("condition", "says"), [("", "No conditions"), (AFTER_2011, "No more conditions")])
def test_where_no_further_condition_is_chosen_a_run_says_whether_there_is_one(
    toy: GraphStore, condition: str, says: str
) -> None:
    scorer = RuleScorer((*CHAMPIONS, "1 time.event.start_date", condition, "answer 2"))
    words = words_after(log := list(answer("who won the Super Bowl after 2011 and before 2014?", toy, scorer)))
    assert [words.decision(event) for event in log if isinstance(event, PruningEnded)] == [says]


def test_readings_about_what_the_asker_chose_begin_there(toy: GraphStore) -> None:
    chosen, width = Entity("en.knight_rider"), EngineSwitches.of(width=2)
    log = list(answer(KITT_QUESTION, toy, KITT, topic=chosen, strategy="beam", switches=width))
    words, shown = RunWords(), []
    for event in log:
        words.learn(event)
        if isinstance(event, ReadingsKept):
            shown.append(words.readings(event)[0][1])
    assert shown[:3] == [
        "the chosen entity → regular cast",
        "the chosen entity → regular cast → actor",
        "the chosen entity → regular cast → actor, regular cast → character",
    ]


def test_a_partial_answer_has_a_headline_and_its_words_are_not_listed_again() -> None:
    words = words_after(recorded_events("condition"))
    ended = finished("condition", unused_words=[(0, 3), (4, 9)], partial=[(0, 3)], confidence=None)
    assert words.partial(ended) == "Partial answer: “WHO” was not used"
    assert words.other_lines(ended) == ["Not taken into account: “PLAYS”"]
    both = finished("condition", unused_words=[(0, 3), (4, 9)], partial=[(0, 3), (4, 9)], confidence=None)
    assert words.partial(both) == "Partial answer: “WHO”, “PLAYS” were not used"
    assert words.other_lines(both) == []
    assert words.partial(finished("condition")) == ""


def test_a_claim_is_answered_with_yes_or_with_what_the_graph_has() -> None:
    words = words_after(recorded_events("condition"))
    claim = ClaimRecord(start=0, end=3, holds=True)
    assert words.claim(finished("condition", claim=claim)) == ("Yes", "“WHO” is among the answers:")
    claim = ClaimRecord(start=0, end=3, holds=False)
    no = ("No such fact in this graph", "What the graph has instead of “WHO”:")
    assert words.claim(finished("condition", claim=claim)) == no
    assert words.claim(finished("condition")) is None
