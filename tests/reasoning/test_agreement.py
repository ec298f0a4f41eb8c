"""Agreement of labels: every measure on miniatures computed by hand, with empty sets and a single annotator."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.terms import Entity, Relation, Triple
from reasoning.agreement.alpha import krippendorff_alpha
from reasoning.agreement.compared import ComparedLabel, Decisions, canonical
from reasoning.agreement.kappa import cohen_kappa
from reasoning.agreement.pairs import compare, compare_all
from reasoning.agreement.project import SINGLE, ProjectAgreement, summarise
from reasoning.agreement.questions import LabelSaid, QuestionAgreement
from reasoning.agreement.sets import masi_distance, overlap_f1
from reasoning.agreement.suggested import SuggestionBias, suggestion_bias
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.evaluation.metrics.edit_distance import edit_distance, query_graph
from reasoning.evaluation.reporting.intervals import difference_interval
from reasoning.labels.gold_subgraph import gold_subgraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore

CAST, ACTOR, CHARACTER = (
    "tv.tv_program.regular_cast",
    "tv.regular_tv_appearance.actor",
    "tv.regular_tv_appearance.character",
)
RIDER, KITT, DANIELS = "en.knight_rider", "en.kitt", "en.william_daniels"


def derivation(*steps: tuple[int, str], kitt_at: int | None = None, answer: int = 2, topic: str = RIDER) -> Derivation:
    conditions = () if kitt_at is None else (Constraint(kitt_at, Operator.EQUAL, Entity(KITT)),)
    search = tuple(SearchStep(at, Relation.parse(relation)) for at, relation in steps)
    return Derivation(Entity(topic), search, conditions, answer)


GOLD = derivation((0, CAST), (1, ACTOR), (1, CHARACTER), kitt_at=3)
OTHER_ORDER = derivation((0, CAST), (1, CHARACTER), (1, ACTOR), kitt_at=2, answer=3)
NO_CONDITION = derivation((0, CAST), (1, ACTOR))
WRONG_PLACE = derivation((0, CAST), (1, ACTOR), (1, CHARACTER), answer=3)


def decided(who: int | None, chosen: Derivation, *answers: str) -> ComparedLabel:
    return ComparedLabel(who, "derivation", str(chosen.topic), frozenset(answers), chosen)


def given_up(who: int | None) -> ComparedLabel:
    return ComparedLabel(who, "unanswerable", None, frozenset())


def reworded(who: int | None) -> ComparedLabel:
    return ComparedLabel(who, "reword")


def question(*labels: ComparedLabel, shown: bool | None = None, store: GraphStore | None = None) -> QuestionAgreement:
    said = tuple(
        LabelSaid(
            each.who, each.kind, each.topic, None if each.answers is None else tuple(sorted(each.answers)), each.seconds
        )
        for each in labels
    )
    subgraph_of = None if store is None else lambda each: frozenset(gold_subgraph(each, store))
    return QuestionAgreement(said, compare_all(labels, subgraph_of), shown)


# --- Sets


@pytest.mark.parametrize(
    ("first", "second", "f1", "distance"),
    [
        ("", "", 1.0, 0.0),
        ("", "a", 0.0, 1.0),
        ("a", "a", 1.0, 0.0),
        ("a", "b", 0.0, 1.0),
        # J = 1/2 and one holds the other: 1 - 1/2 · 2/3.
        ("a", "ab", 2 / 3, 2 / 3),
        # J = 1/3 and neither holds the other: 1 - 1/3 · 1/3.
        ("ab", "bc", 1 / 2, 8 / 9),
        # J = 2/4, neither holds the other: 1 - 1/2 · 1/3.
        ("abc", "bcd", 2 / 3, 5 / 6),
    ],
)
def test_f1_and_masi_of_sets_also_empty_ones(first: str, second: str, f1: float, distance: float) -> None:
    assert overlap_f1(set(first), set(second)) == pytest.approx(f1)
    assert masi_distance(set(first), set(second)) == pytest.approx(distance)


def test_f1_counts_what_occurs_twice_twice() -> None:
    assert overlap_f1("aab", "ab") == pytest.approx(2 * 2 / 5)


# --- Coefficients


def test_alpha_is_that_of_krippendorffs_published_example() -> None:
    # K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units, with
    # missing values; nominal alpha is 0.743. Single elements are 0 or 1 apart by MASI, as nominal values are.
    observers = (
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    )
    units = zip(*(row.split() for row in observers), strict=True)
    alpha = krippendorff_alpha([[frozenset(value) for value in unit if value != "."] for unit in units])
    assert alpha == pytest.approx(0.743, abs=0.0005)


def sets(*written: str) -> list[frozenset[str]]:
    return [frozenset(each) for each in written]


def test_alpha_of_sets_worked_by_hand() -> None:
    # Values: a, a, a, ab, ∅, ∅. Observed: 2 · 2/3 of the second question, over 6 values.
    # Expected, of ordered pairs: a with ab 2·3·1·2/3 = 4, a with ∅ 2·3·2 = 12, ab with ∅ 2·1·2 = 4; over 6·5.
    alpha = krippendorff_alpha([sets("a", "a"), sets("a", "ab"), sets("", "")])
    assert alpha == pytest.approx(1 - (4 / 3 / 6) / (20 / 30))


@pytest.mark.parametrize(
    "questions",
    [
        [],
        # A single annotator: each question has one label.
        [sets("a"), sets("b")],
        # All labels say the same, nothing included.
        [sets("a", "a"), sets("a", "a", "a")],
        [sets("", "")],
        # What is left once questions with one label are passed over.
        [sets("a", "a"), sets("b")],
    ],
)
def test_alpha_is_not_defined_where_nothing_could_differ(questions: list[list[frozenset[str]]]) -> None:
    assert krippendorff_alpha(questions) is None


def test_kappa_worked_by_hand() -> None:
    # Both say yes of 20, both no of 15, they differ in 5 and 10: p_o = 0.7, p_e = 0.5 · 0.6 + 0.5 · 0.4 = 0.5.
    said = [("y", "y")] * 20 + [("n", "n")] * 15 + [("y", "n")] * 5 + [("n", "y")] * 10
    assert cohen_kappa(said) == pytest.approx(0.4)
    assert cohen_kappa([("y", "n"), ("n", "y")]) == -1.0


@pytest.mark.parametrize("said", [[], [("y", "y")], [("y", "y")] * 3])
def test_kappa_is_not_defined_where_chance_would_do_as_well(said: list[tuple[str, str]]) -> None:
    assert cohen_kappa(said) is None


# --- Derivations


def test_order_of_steps_does_not_make_a_derivation_another() -> None:
    assert canonical(GOLD) == canonical(OTHER_ORDER)
    assert Decisions.of(GOLD) == Decisions.of(OTHER_ORDER)
    others = [
        NO_CONDITION,
        WRONG_PLACE,
        derivation((0, CAST), (1, ACTOR), (1, CHARACTER), kitt_at=3, topic="en.dallas"),
    ]
    assert len({canonical(each) for each in (GOLD, *others)}) == 4


def test_branches_of_equal_relations_are_distinguished_by_what_hangs_on_them() -> None:
    condition_beside = derivation((0, CAST), (0, CAST), (1, ACTOR), (2, CHARACTER), kitt_at=4, answer=3)
    condition_above = derivation((0, CAST), (0, CAST), (1, ACTOR), (1, CHARACTER), kitt_at=4, answer=3)
    assert canonical(condition_beside) != canonical(condition_above)


def test_a_relation_joined_over_a_dropped_mediator_is_the_two_that_it_joins() -> None:
    joined = derivation((0, f"{CAST}|{ACTOR}"), answer=1)
    assert Decisions.of(joined).answer == Decisions.of(NO_CONDITION).answer
    assert canonical(joined) == canonical(NO_CONDITION)


def test_two_derivations_stage_by_stage(toy: GraphStore) -> None:
    first, second = decided(1, GOLD, DANIELS), decided(2, NO_CONDITION, DANIELS, "en.david_hasselhoff")
    pair = compare(first, second, lambda each: frozenset(gold_subgraph(each, toy)))
    assert pair.same_kind
    assert pair.answers == pytest.approx(2 / 3)
    assert pair.same_derivation is False
    assert pair.distance == 2, "the condition's node and its edge"
    # Steps: 3 and 2, of which 2 in common. Conditions: 1 and none.
    assert pair.stages == {"link": 1.0, "search": pytest.approx(0.8), "prune": 0.0, "infer": 1.0}
    assert pair.parted == "search"
    # KITT's appearance is three facts, of the twelve (of six appearances) that two steps bring in it has two.
    assert len(gold_subgraph(GOLD, toy)) == 3
    every = len(gold_subgraph(NO_CONDITION, toy))
    assert pair.facts == pytest.approx(2 * 2 / (3 + every))
    assert not pair.agreed


def test_where_the_graph_is_not_read_facts_of_a_derivation_are_unknown_unless_both_are_the_same() -> None:
    assert compare(decided(1, GOLD), decided(2, NO_CONDITION), None).facts is None
    assert compare(decided(1, GOLD), decided(2, OTHER_ORDER), None).facts == 1.0


def test_sets_of_facts_are_compared_as_triples() -> None:
    one, two = (Triple(Entity(RIDER), CAST, Entity(f"m.{n}")) for n in (1, 2))
    first, second = (
        ComparedLabel(who, "facts", None, frozenset({DANIELS}), None, frozenset(facts))
        for who, facts in ((1, [one, two]), (2, [one]))
    )
    assert compare(first, second, None).facts == pytest.approx(2 / 3)


def test_kinds_that_say_no_answers_are_not_taken_for_empty_ones() -> None:
    assert compare(given_up(1), given_up(2), None).answers == 1.0
    assert compare(given_up(1), decided(2, GOLD, DANIELS), None).answers == 0.0
    said_nothing = compare(given_up(1), reworded(2), None)
    assert (said_nothing.answers, said_nothing.same_derivation, said_nothing.distance) == (None, None, None)
    assert said_nothing.rank == 0.0
    assert compare(reworded(1), reworded(2), None).rank == 1.0


# --- A project

PROJECT = (
    question(decided(1, GOLD, DANIELS), decided(2, OTHER_ORDER, DANIELS)),
    question(decided(1, GOLD, "a"), decided(2, NO_CONDITION, "a", "b")),
    question(given_up(1), reworded(2)),
    question(given_up(1), given_up(2)),
    question(decided(1, GOLD, "c")),
)


def test_a_project_worked_by_hand() -> None:
    found = summarise(PROJECT)
    assert (found.questions, found.compared, found.labels, found.agreed) == (5, 4, 9, 2)
    measures = found.measures
    # F1: 1, 2/3, none, 1.
    assert measures.answers.value == pytest.approx((1 + 2 / 3 + 1) / 3)
    assert measures.answers.questions == 3
    assert measures.answers.left_out == {
        "questions with one label": 1,
        "pairs of labels of which one says nothing of answers": 1,
    }
    assert measures.answers.low is not None
    assert measures.answers.high is not None
    assert measures.answers.low <= measures.answers.value <= measures.answers.high
    assert measures.same_derivation.value == 0.5
    assert measures.distance.value == 1.0
    assert measures.facts.value == 1.0, "of the pair whose derivations are the same; the graph was not read"
    assert measures.facts.questions == 1
    # Values D D, a ab, ∅ ∅. Observed 2 · 2/3 of 6; expected 30 ordered pairs less 2 + 2 equal ones, less 2 · 1/3.
    assert measures.alpha.value == pytest.approx(1 - (4 / 3 / 6) / ((26 - 2 / 3) / 30))
    assert measures.alpha.questions == 3
    # Kinds d d, d d, u r, u u: p_o = 3/4, p_e = (2·2 + 2·1) / 16.
    assert measures.kappa_kind.value == pytest.approx((3 / 4 - 6 / 16) / (1 - 6 / 16))
    # Both name the same topic of both questions of which both name one.
    assert measures.kappa_topic.value is None
    assert measures.kappa_topic.why.startswith("All labels say the same")
    assert found.people == {1: 5, 2: 4}
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.questions) == (1, 2, 4)
    assert pair.measures.kappa_kind.value == measures.kappa_kind.value
    assert pair.measures.answers.value == measures.answers.value
    stages = {each.stage: (each.alike.value, each.parted) for each in found.stages}
    assert found.pairs_of_derivations == 2
    assert stages == {"link": (1.0, 0), "search": (pytest.approx(0.9), 1), "prune": (0.5, 0), "infer": (1.0, 0)}


def test_a_single_annotator_agrees_with_nobody_and_not_perfectly() -> None:
    found = summarise([question(decided(1, GOLD, DANIELS)), question(given_up(1))])
    assert (found.questions, found.compared, found.pairs) == (2, 0, ())
    measures = found.measures
    for figure in (measures.answers, measures.same_derivation, measures.facts, measures.distance, measures.alpha):
        assert (figure.value, figure.why) == (None, SINGLE)
        assert figure.left_out == {"questions with one label": 2}
    assert measures.kappa_kind.value is None
    assert "No two people" in measures.kappa_kind.why
    assert all(stage.alike.value is None for stage in found.stages)
    nobody = summarise([])
    assert (nobody.questions, nobody.measures.alpha.value, nobody.people) == (0, None, {})


def test_labels_of_deleted_accounts_count_for_questions_and_not_for_people() -> None:
    found = summarise([question(decided(None, GOLD, "a"), decided(None, GOLD, "b"), decided(3, GOLD, "b"))])
    assert found.measures.answers.value == pytest.approx(1 / 3)
    assert (found.people, found.pairs) == ({3: 1}, ())
    assert found.measures.kappa_kind.left_out == {"pairs of labels of which one is of a deleted account": 3}


def test_of_more_than_two_people_kappa_is_the_mean_of_those_that_are_defined() -> None:
    third = (question(decided(1, GOLD, "a"), decided(3, GOLD, "a")), question(given_up(1), given_up(3)))
    kappa = summarise([*PROJECT, *third]).measures.kappa_kind
    assert kappa.value == pytest.approx((0.6 + 1) / 2)
    same = summarise([*PROJECT, third[0]]).measures.kappa_kind
    assert same.value == pytest.approx(0.6)
    assert same.left_out["pairs of people for whom it is not defined"] == 1


# --- Suggestions


def with_suggestion(shown: bool | None, *labels: tuple[bool | None, float | None, int]) -> QuestionAgreement:
    made = [decided(who, GOLD, "a") for who in range(len(labels))]
    said = tuple(
        LabelSaid(each.who, each.kind, each.topic, ("a",), seconds, as_suggested, right)
        for each, (as_suggested, right, seconds) in zip(made, labels, strict=True)
    )
    return QuestionAgreement(said, compare_all(made, None), shown)


def contrasts(bias: SuggestionBias) -> dict[str, tuple[float | None, float | None, float | None]]:
    return {each.what: (each.shown.value, each.blind.value, each.difference.value) for each in bias.contrasts}


def test_blind_labels_beside_suggested_ones_worked_by_hand() -> None:
    bias = suggestion_bias(
        [
            with_suggestion(True, (True, 1.0, 10), (True, 1.0, 30)),
            with_suggestion(True, (False, None, 40)),
            with_suggestion(False, (False, 0.5, 60)),
            with_suggestion(False, (True, None, 80), (False, None, 100)),
            with_suggestion(None, (None, None, 1_000)),
        ]
    )
    assert (bias.shown, bias.blind, bias.neither) == (2, 2, 1)
    assert contrasts(bias) == {
        "as_suggested": (0.5, 0.25, 0.25),
        "agreement": (1.0, 1.0, 0.0),
        "rightness": (1.0, 0.5, 0.5),
        "seconds": (30.0, 75.0, -45.0),
    }
    seconds = bias.contrasts[3].difference
    assert seconds.low is not None
    assert seconds.high is not None
    assert seconds.low <= -45 <= seconds.high < 0, "surely faster with a suggestion, as every draw is"
    assert bias.contrasts[2].difference.low is None, "one question on each side tells nothing of chance"


def test_where_nothing_is_blind_there_is_no_difference() -> None:
    bias = suggestion_bias([with_suggestion(True, (True, None, 10))])
    assert contrasts(bias)["seconds"] == (10.0, None, None)
    assert bias.contrasts[3].difference.why


def test_the_interval_of_a_difference_holds_it_and_turns_with_its_sides() -> None:
    low, high = difference_interval([0, 0, 1, 0], [1, 1, 0, 1])
    assert low < 0.5 < high
    assert difference_interval([2, 2], [5, 5, 5]) == (3, 3)
    with pytest.raises(ValueError, match="nothing"):
        difference_interval([], [1])


# --- What holds of all labels

RELATIONS = (CAST, ACTOR, f"^{ACTOR}", f"{CAST}|{ACTOR}")


@st.composite
def derivations(draw: st.DrawFn) -> Derivation:
    steps = tuple(
        SearchStep(draw(st.integers(0, number)), Relation.parse(draw(st.sampled_from(RELATIONS))))
        for number in range(draw(st.integers(1, 4)))
    )
    places = st.integers(1, len(steps))
    conditions = tuple(
        Constraint(draw(places), Operator.EQUAL, Entity(draw(st.sampled_from("xy"))))
        for _ in range(draw(st.integers(0, 2)))
    )
    return Derivation(Entity(draw(st.sampled_from("tu"))), steps, conditions, draw(places))


answer_sets = st.frozensets(st.sampled_from("abc"), max_size=3)


@st.composite
def labels_of(draw: st.DrawFn, who: int | None) -> ComparedLabel:
    match draw(st.sampled_from(("derivation", "answers", "unanswerable", "reword"))):
        case "derivation":
            return decided(who, draw(derivations()), *draw(answer_sets))
        case "answers":
            return ComparedLabel(who, "answers", draw(st.sampled_from(("t", None))), draw(answer_sets))
        case "unanswerable":
            return given_up(who)
        case _:
            return reworded(who)


@st.composite
def projects(draw: st.DrawFn) -> list[list[ComparedLabel]]:
    people = (1, 2, 3)
    return [
        [draw(labels_of(who)) for who in draw(st.lists(st.sampled_from(people), min_size=1, max_size=3, unique=True))]
        for _ in range(draw(st.integers(0, 4)))
    ]


@given(st.data(), st.sampled_from((1, None)))
def test_a_label_agrees_with_itself_perfectly(data: st.DataObject, who: int | None) -> None:
    label = data.draw(labels_of(who))
    pair = compare(label, label, None)
    assert pair.agreed
    assert pair.rank == 1.0
    assert pair.answers in (None, 1.0)
    assert pair.same_derivation in (None, True)
    assert pair.distance in (None, 0)
    assert pair.stages is None or set(pair.stages.values()) == {1.0}
    assert pair.parted is None
    assert pair.facts in (None, 1.0)


@pytest.mark.slow
@given(derivations(), derivations())
def test_derivations_are_the_same_exactly_where_nothing_need_be_edited(first: Derivation, second: Derivation) -> None:
    distance = edit_distance(query_graph(first), query_graph(second))
    assert (canonical(first) == canonical(second)) == (distance == 0)


def figures(found: ProjectAgreement) -> Sequence[object]:
    people = [(pair.first, pair.second, pair.questions, pair.measures) for pair in found.pairs]
    return [found.questions, found.compared, found.labels, found.agreed, found.measures, people, found.stages]


@pytest.mark.slow
@given(projects())
def test_the_order_of_annotators_and_questions_does_not_matter(project: list[list[ComparedLabel]]) -> None:
    as_given = figures(summarise([question(*labels) for labels in project]))
    turned = figures(summarise([question(*reversed(labels)) for labels in reversed(project)]))
    assert as_given == turned


@pytest.mark.slow
@given(projects())
def test_every_figure_is_in_its_range_or_says_why_there_is_none(project: list[list[ComparedLabel]]) -> None:
    found = summarise([question(*labels) for labels in project])
    every = [found.measures, *(pair.measures for pair in found.pairs)]
    shares = [f for m in every for f in (m.answers, m.same_derivation, m.facts)] + [s.alike for s in found.stages]
    coefficients = [f for m in every for f in (m.kappa_kind, m.kappa_topic)]
    for figure in [*shares, *coefficients, *(m.alpha for m in every), *(m.distance for m in every)]:
        assert (figure.value is None) == bool(figure.why)
    assert all(0 <= f.value <= 1 for f in shares if f.value is not None)
    assert all(-1 <= f.value <= 1 for f in coefficients if f.value is not None)
    assert all(m.alpha.value <= 1 for m in every if m.alpha.value is not None)
    assert all(m.distance.value >= 0 for m in every if m.distance.value is not None)
    assert sum(stage.parted for stage in found.stages) <= found.pairs_of_derivations
    assert found.agreed <= found.compared <= found.questions <= found.labels


@pytest.mark.slow
@given(st.lists(st.lists(answer_sets, min_size=1, max_size=4), max_size=5))
def test_alpha_is_what_its_definition_says_value_by_value(questions: list[list[frozenset[str]]]) -> None:
    paired = [labels for labels in questions if len(labels) > 1]
    values = [value for labels in paired for value in labels]
    expected = sum(masi_distance(one, other) for one, other in permutations(values, 2))
    found = krippendorff_alpha(questions)
    if not expected:
        assert found is None
        return
    observed = sum(
        2 * masi_distance(one, other) / (len(labels) - 1) for labels in paired for one, other in combinations(labels, 2)
    )
    n = len(values)
    assert found == pytest.approx(1 - (observed / n) / (expected / (n * (n - 1))))
