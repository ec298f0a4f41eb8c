"""Questions of a benchmark are asked and compared, summed up, and kept."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.store import GraphStoreError
from kgstore.terms import Date, Entity, Number, Relation, Term, Text
from reasoning.core.blame import Blame, Cause
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.errors import ModelMemoryError, ModelServerAwayError, ScorerUnavailableError, UndecidedError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.registry import asked, read_dataset
from reasoning.evaluation.files.files import EvaluationFolder, EvaluationFolderError
from reasoning.evaluation.judging.ceiling import ceiling
from reasoning.evaluation.judging.judging import ask, judge_given, judged_again
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.rows import RowGraphs
from reasoning.evaluation.judging.selection import check_topics, select
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.report import answers_between, csv_rows, figures
from tests.reasoning.rules import KITT, KITT_QUESTION, TOY_GRAPH, RuleScorer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgstore.store import GraphStore

SHOW = Entity("en.knight_rider")
DANIELS, HASSELHOFF, MULHARE = (Entity(f"en.{n}") for n in ("william_daniels", "david_hasselhoff", "edward_mulhare"))
CAST, ACTOR, CHARACTER = KITT.wishes[0], KITT.wishes[1], KITT.wishes[2]
GOLD = EvaluationSettings()
LINKED = EvaluationSettings(topics="linked")


def steps(*texts: str) -> tuple[SearchStep, ...]:
    parts = [text.split(" ") for text in texts]
    return tuple(SearchStep(int(at), Relation.parse(relation)) for at, relation in parts)


VOICE_OF = Derivation(
    SHOW, steps(CAST, ACTOR, CHARACTER), (Constraint(3, Operator.EQUAL, Entity("en.kitt")),), answer_position=2
)
ACTORS = Derivation(SHOW, steps(CAST, ACTOR), (), 2)


def question(
    *answers: Term, text: str = KITT_QUESTION, derivation: Derivation | None = VOICE_OF, **more: Any
) -> BenchmarkQuestion:
    parse = GoldParse(SHOW, frozenset(answers), derivation, "" if derivation else "no gold query")
    return BenchmarkQuestion(more.pop("id", "toy-1"), text, (parse,), **more)


VOICE = question(DANIELS)
ABOUT = "about en.knight_rider"
UNPRUNED = RuleScorer((ABOUT, CAST, ACTOR, CHARACTER, "none", "answer 2"))
WRONG_POSITION = RuleScorer((ABOUT, CAST, ACTOR, CHARACTER, "none", "answer 3"))
ELSEWHERE = RuleScorer((ABOUT, "0 tv.tv_program.program_creator", "none", "answer 1"))
REFUSES = RuleScorer((ABOUT, "none"))


@pytest.mark.parametrize("settings", [GOLD, LINKED])
def test_a_right_run(toy: GraphStore, settings: EvaluationSettings) -> None:
    outcome = ask(VOICE, toy, KITT, settings)
    assert (outcome.verdict, outcome.reason, outcome.case) == ("answered", "answered", "C1")
    assert (outcome.hit, outcome.hit_first, outcome.exact, outcome.f1) == (True, True, True, 1)
    assert (outcome.predicted, outcome.predicted_labels) == (("en.william_daniels",), ("William Daniels",))
    assert (outcome.gold, outcome.gold_labels) == (("en.william_daniels",), ("William Daniels",))
    assert (outcome.topic, outcome.gold_topic) == ("en.knight_rider", "en.knight_rider")
    assert outcome.topic_right is (True if settings is LINKED else None)
    assert outcome.derivation == outcome.gold_derivation == VOICE_OF
    assert (outcome.relation_recall, outcome.edit_distance, outcome.graph_hit) == (1, 0, True)
    assert (outcome.leaves, outcome.hops) == (3, 2)
    assert outcome.calls >= 4
    assert outcome.tokens_in >= 4 * len(KITT_QUESTION.split())
    assert outcome.seconds >= sum(outcome.stage_seconds.values()) > 0
    assert set(outcome.stage_seconds) == set(outcome.stage_costs) == {"link", "search", "prune", "infer"}
    assert sum(cost["calls"] for cost in outcome.stage_costs.values()) == outcome.calls
    assert sum(cost["tokens_in"] for cost in outcome.stage_costs.values()) == outcome.tokens_in


@pytest.mark.parametrize(
    ("scorer", "case", "precision", "recall", "distance"),
    [
        # All three actors, the right one not first; the condition is missing.
        (UNPRUNED, "E2", 1 / 3, 1, 1),
        # The characters: without the condition, and with the answer's mark on another node.
        (WRONG_POSITION, "E3", 0, 0, 2),
        # Another relation to another node: two nodes and two edges are missing, and the relation differs; the answer
        # stands one step from the topic, so its mark must move.
        (ELSEWHERE, "E1", 0, 0, 6),
        (REFUSES, "E1", 1, 0, 6),
    ],
)
def test_an_error_has_its_case(
    toy: GraphStore, scorer: RuleScorer, case: str, precision: float, recall: float, distance: int
) -> None:
    outcome = ask(VOICE, toy, scorer, GOLD)
    assert outcome.case == case
    assert (outcome.precision, outcome.recall) == pytest.approx((precision, recall))
    assert outcome.edit_distance == distance
    assert outcome.graph_hit is (case != "E1")


def test_the_parse_that_is_met_best_counts(toy: GraphStore) -> None:
    other = GoldParse(SHOW, frozenset({DANIELS, HASSELHOFF, MULHARE}), ACTORS)
    both = replace(VOICE, parses=(*VOICE.parses, other))
    outcome = ask(both, toy, UNPRUNED, GOLD)
    assert outcome.exact
    assert len(outcome.gold) == 3
    # One branch too many for the second reading, one condition too few for the first.
    assert outcome.gold_derivation == VOICE_OF
    assert outcome.edit_distance == 1
    assert (outcome.leaves, outcome.hops) == (3, 2)


def test_a_question_without_answers_is_answered_by_refusing(toy: GraphStore) -> None:
    budget = question(text="what did Knight Rider cost", derivation=None)
    refused = ask(budget, toy, REFUSES, LINKED)
    assert (refused.verdict, refused.reason) == ("no_answer_found", "no_relation")
    assert (refused.answerable, refused.exact, refused.f1) == (False, True, 1)
    assert (refused.case, refused.graph_gap, refused.graph_hit) == (None, False, None)
    shown = ask(budget, toy, ELSEWHERE, LINKED)
    assert (shown.hit, shown.precision, shown.recall, shown.f1) == (False, 0, 1, 0)
    assert shown.problem == "no gold query"
    assert (shown.relation_recall, shown.edit_distance, shown.leaves) == (None, None, None)


def test_an_answer_that_the_graph_lacks_is_a_gap_and_no_error(toy: GraphStore) -> None:
    outcome = ask(question(Entity("en.patricia_mcpherson")), toy, UNPRUNED, GOLD)
    assert outcome.graph_gap
    assert outcome.case is None
    assert not ask(question(Entity("en.patricia_mcpherson"), DANIELS), toy, ELSEWHERE, GOLD).graph_gap


BORN = Derivation(DANIELS, steps("0 people.person.date_of_birth"), (), 1)


@pytest.mark.parametrize(("day", "gap"), [("1927-03-31", False), ("1999-01-01", True)])
def test_a_date_is_in_the_graph_where_a_gold_derivation_leads_to_it(toy: GraphStore, day: str, gap: bool) -> None:
    parse = GoldParse(DANIELS, frozenset({Date(day)}), BORN)
    born = BenchmarkQuestion("toy-2", "when was William Daniels born", (parse,))
    assert ask(born, toy, RuleScorer(("none",)), GOLD).graph_gap is gap
    unled = replace(born, parses=(replace(parse, derivation=None),))
    assert not ask(unled, toy, RuleScorer(("none",)), GOLD).graph_gap


@pytest.mark.parametrize(
    ("topic", "reason", "gap"), [(Entity("en.dallas"), "topic_not_in_graph", True), (None, "no_gold_topic", False)]
)
def test_a_topic_that_the_graph_lacks_is_a_gap(toy: GraphStore, topic: Entity | None, reason: str, gap: bool) -> None:
    parse = GoldParse(topic, frozenset({DANIELS}), None, "no gold query")
    outcome = ask(BenchmarkQuestion("toy-3", "who was J. R. in Dallas", (parse,)), toy, KITT, GOLD)
    assert (outcome.verdict, outcome.reason) == ("not_in_graph", reason)
    assert (outcome.derivation, outcome.topic, outcome.graph_gap) == (None, None, gap)
    assert outcome.calls == 0


@dataclass(frozen=True)
class Broken:
    """Fails where others decide."""

    error: Exception
    name: str = "broken"

    def score(self, *_: Any, **__: Any) -> Any:
        raise self.error


def test_a_run_that_fails_by_its_question_is_an_outcome_too(toy: GraphStore) -> None:
    outcome = ask(VOICE, toy, Broken(UndecidedError("the model picked nothing")), GOLD)
    assert (outcome.verdict, outcome.reason, outcome.hit) == ("failed", "undecided", False)
    assert outcome.stage_seconds == {}


@pytest.mark.parametrize("error", [ModelServerAwayError, ModelMemoryError, ScorerUnavailableError])
def test_a_model_that_cannot_be_asked_judges_no_question(toy: GraphStore, error: type[ScorerUnavailableError]) -> None:
    with pytest.raises(error, match="it is away"):
        ask(VOICE, toy, Broken(error("it is away")), GOLD)


def test_a_graph_that_goes_away_judges_no_question_either(tmp_path: Path) -> None:
    load_graph(TripleReader(TOY_GRAPH), tmp_path / "toy.sqlite", name="toy", title="Toy", source="drawn by hand")
    store = SqliteStore(tmp_path / "toy.sqlite")

    class Closing(RuleScorer):
        def score(self, *args: Any, **more: Any) -> Any:
            store.close()
            return super().score(*args, **more)

    with pytest.raises(GraphStoreError):
        ask(question(), store, Closing(KITT.wishes), LINKED)


def test_a_question_that_takes_too_long_counts_as_failed(toy: GraphStore) -> None:
    outcome = ask(VOICE, toy, KITT, GOLD, longest=0.0)
    assert (outcome.verdict, outcome.reason, outcome.predicted) == ("failed", "timeout", ())
    assert ask(VOICE, toy, KITT, GOLD, longest=60.0).verdict == "answered"


def test_what_watches_a_question_may_end_it_between_two_events(toy: GraphStore) -> None:
    seen: list[None] = []

    def watch() -> None:
        seen.append(None)
        if len(seen) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        ask(VOICE, toy, KITT, GOLD, watch=watch)
    assert len(seen) == 3


def test_the_cost_of_a_question_is_reported_by_stage(toy: GraphStore) -> None:
    asked = [ask(VOICE, toy, KITT, GOLD), ask(VOICE, toy, REFUSES, GOLD)]
    cost = figures(asked, topics="gold", graph="Toy")["cost"]
    assert cost["stages"]["search"]["calls"] == (4 + 1) / 2
    for kind in ("calls", "tokens_in", "tokens_out"):
        assert sum(stage[kind] for stage in cost["stages"].values()) == pytest.approx(cost[kind])
    # Outcomes from before it was told count in the whole alone.
    earlier = [replace(outcome, stage_costs={}) for outcome in asked]
    assert figures(earlier, topics="gold", graph="Toy")["cost"] == {**cost, "stages": None}
    assert figures([*earlier, asked[0]], topics="gold", graph="Toy")["cost"]["stages"]["search"]["calls"] == 4


def test_a_counted_answer_is_compared_as_a_number(toy: GraphStore) -> None:
    counted = replace(ACTORS, counted=True)
    acts = RuleScorer((ABOUT, CAST, ACTOR, "none", "answer 2"))
    three = question(Number(3), text="how many actors are in Knight Rider?", derivation=counted)
    outcome = ask(three, toy, acts, EvaluationSettings(perfect=True))
    assert (outcome.exact, outcome.f1, outcome.case, outcome.perfect_f1, outcome.edit_distance) == (True, 1, "C1", 1, 0)
    assert (outcome.derivation, outcome.predicted_total, len(outcome.predicted)) == (counted, 3, 3)
    # It is judged the same when it is judged again, and wrong where the gold number is another.
    assert judged_again(outcome, three, toy, EvaluationSettings(perfect=True)) == outcome
    four = ask(question(Number(4), text=three.text, derivation=counted), toy, acts, GOLD)
    assert (four.hit, four.f1, four.graph_gap) == (False, 0, True)
    # Where things are gold, the things are compared, however it was asked.
    things = ask(question(DANIELS, HASSELHOFF, MULHARE, text=three.text, derivation=ACTORS), toy, acts, GOLD)
    assert (things.exact, things.edit_distance) == (True, 1)
    listed = ask(question(Number(3), text="who acts in Knight Rider?", derivation=counted), toy, acts, GOLD)
    assert (listed.hit, listed.exact) == (False, False)


def test_texts_are_compared_without_their_language(toy: GraphStore) -> None:
    named = Derivation(SHOW, steps("0 tv.tv_program.number_of_seasons"), (), 1)
    assert ask(question(Text("4", "en"), derivation=named), toy, REFUSES, GOLD).f1 == 0
    spoken = BenchmarkQuestion("t", "?", (GoldParse(SHOW, frozenset({Text("a", "en"), Text("a")}), None, "x"),))
    assert len(ask(spoken, toy, REFUSES, GOLD).gold) == 2


def test_a_text_that_search_brings_in_is_found_without_its_language_too(tmp_path: Path) -> None:
    triples = [("en.jaws", "film.film.imdb_rating", '"good"@en'), ("en.jaws", "type.object.name", '"Jaws"@en')]
    load_graph(triples, tmp_path / "jaws.sqlite", name="jaws", title="Jaws", source="drawn by hand")
    parse = GoldParse(Entity("en.jaws"), frozenset({Text("good")}), None, "no gold query")
    rater = RuleScorer(("0 film.film.imdb_rating", "none", "answer 1"))
    store = SqliteStore(tmp_path / "jaws.sqlite")
    outcome = ask(BenchmarkQuestion("t", "what is the rating of Jaws", (parse,)), store, rater, GOLD)
    store.close()
    assert (outcome.hit_first, outcome.graph_hit, outcome.case) == (True, True, "C1")


def test_ablations_reach_the_engine(toy: GraphStore) -> None:
    unpruned = ask(VOICE, toy, KITT, EvaluationSettings(constraints=False))
    assert set(unpruned.predicted) == {"en.william_daniels", "en.david_hasselhoff", "en.edward_mulhare"}
    chain = ask(VOICE, toy, KITT, EvaluationSettings(search="chain"))
    assert chain.derivation is not None
    assert [step.position for step in chain.derivation.steps] == [0, 1]


def test_a_question_whose_answers_are_unknown_cannot_be_judged(toy: GraphStore) -> None:
    with pytest.raises(ValueError, match="not known"):
        ask(question(labels={"answers": "unknown"}), toy, KITT, GOLD)


# Outcomes and settings as JSON


def test_outcomes_and_settings_survive_json(toy: GraphStore) -> None:
    for scorer in (KITT, REFUSES):
        outcome = ask(replace(VOICE, labels={"hops": "2"}), toy, scorer, LINKED)
        written = json.loads(json.dumps(outcome.to_json()))
        assert Outcome.from_json(written) == outcome
    settings = EvaluationSettings("linked", entity_types=False, search="chain", min_branches=2)
    settings = replace(settings, options={"determination": "writer", "candidates_without": ("letters", "paths")})
    assert EvaluationSettings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


def test_settings_of_earlier_keep_the_meaning_that_they_had() -> None:
    earlier = EvaluationSettings().to_json() | {"min_branches": 3}
    del earlier["gold_branches_from"]
    assert EvaluationSettings.from_json(earlier) == EvaluationSettings(gold_branches_from=3)
    for chosen, meant in ((True, "scorer"), (False, "explorer")):
        earlier = {"topics": "gold", "strategy": "etd", "determination": chosen}
        assert EvaluationSettings.from_json(earlier).to_json()["determination"] == meant


def test_what_is_left_out_of_candidates_is_one_thing_in_whatever_order_it_is_said() -> None:
    said = EvaluationSettings.from_json({"candidates_without": ["paths", "letters", "paths"]})
    assert said == EvaluationSettings(options={"candidates_without": ("letters", "paths")})


@pytest.mark.parametrize(
    "wrong",
    [{"topics": "guessed"}, {"search": "wide"}, {"determination": "dice"}, {"candidates_without": ["names"]}],
)
def test_a_setting_that_is_not_there_is_reported(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected one of"):
        EvaluationSettings.from_json(wrong)


# The report


def outcomes_of(toy: GraphStore) -> list[Outcome]:
    budget = question(text="what did Knight Rider cost", derivation=None, id="toy-2")
    lost = question(Entity("en.patricia_mcpherson"), id="toy-3")
    return [
        ask(VOICE, toy, KITT, LINKED),
        ask(replace(VOICE, id="toy-1b"), toy, UNPRUNED, LINKED),
        ask(replace(VOICE, id="toy-1c"), toy, REFUSES, LINKED),
        ask(budget, toy, REFUSES, LINKED),
        ask(replace(budget, id="toy-2b"), toy, ELSEWHERE, LINKED),
        ask(lost, toy, KITT, LINKED),
    ]


def test_the_figures_sum_up(toy: GraphStore) -> None:
    found = figures(outcomes_of(toy), topics="linked", graph="toy")
    assert (found["topics"], found["graph"], found["compared_by"], found["questions"]) == ("linked", "toy", "id", 6)
    kept = found["in_graph"]
    assert kept["questions"] == 3
    assert kept["hits_at_1"] == pytest.approx(1 / 3)
    assert kept["hit"] == pytest.approx(2 / 3)
    assert kept["exact_match"] == pytest.approx(1 / 3)
    assert kept["macro_f1"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    # What was refused has precision 1 by the official rule.
    assert kept["precision"] == pytest.approx((1 + 1 / 3 + 1) / 3)
    assert kept["recall"] == pytest.approx(2 / 3)
    assert kept["paper_f1"] == pytest.approx(2 * (7 / 9) * (2 / 3) / (7 / 9 + 2 / 3))
    assert kept["turned_away"] == pytest.approx(1 / 3)
    assert found["answerable"]["questions"] == 4
    assert found["answerable"]["macro_f1"] == pytest.approx((1 + 1 / 2 + 0 + 0) / 4)
    assert found["all"]["questions"] == 6
    assert found["all"]["macro_f1"] == pytest.approx((1 + 1 / 2 + 0 + 0 + 1 + 0) / 6)
    assert found["graph_gap"] == {"questions": 1, "topic_not_in_graph": 0, "turned_away": 0}
    assert found["unanswerable"] == {"questions": 2, "recognised": 1}
    assert found["cases"] == {"C1": 1, "E1": 1, "E2": 1}
    assert found["search"]["graph_hits"] == pytest.approx(2 / 3)
    assert found["search"]["relation_recall"] == pytest.approx(2 / 3)
    assert found["search"]["edit_distance"] == pytest.approx((0 + 1 + 6) / 3)
    (shape,) = found["by_shape"]
    assert (shape["leaves"], shape["hops"], shape["questions"]) == (3, 2, 3)
    assert found["linking"] == 1
    assert found["reasons"] == {"answered": 4, "no_relation": 2}
    assert found["without_gold_derivation"] == {"no gold query": 2}
    assert found["cost"]["calls"] > 1
    assert found["seconds"]["longest"] >= found["seconds"]["p95"] > 0
    json.dumps(found)


def test_figures_are_reported_by_how_many_answers_are_right(toy: GraphStore) -> None:
    right = ask(VOICE, toy, KITT, LINKED)
    asked = [
        replace(right, gold=tuple(map(str, range(count))), f1=f1, hit_first=f1 > 0)
        for count, f1 in ((1, 1.0), (2, 0.5), (5, 0.0), (6, 0.25), (400, 0.75))
    ]
    shown = figures(asked, topics="linked", graph="toy")["by_answers"]
    assert [(answers_between(row), row["questions"], row["hits_at_1"], row["macro_f1"]) for row in shown] == [
        ("1", 1, 1.0, 1.0),
        ("2 to 5", 2, 0.5, 0.25),
        ("6 or more", 2, 1.0, 0.5),
    ]


def test_no_outcomes_have_figures_too() -> None:
    found = figures([], topics="gold", graph="toy")
    assert (found["questions"], found["all"], found["seconds"], found["linking"]) == (0, None, None, None)


def test_outcomes_are_rows(toy: GraphStore) -> None:
    head, first, *rest = csv_rows(outcomes_of(toy), topics="gold", graph="Toy")
    assert len(rest) == 5
    row = dict(zip(head, first, strict=True))
    assert (row["id"], row["case"], row["hit"], row["gold_topic"]) == ("toy-1", "C1", "true", "en.knight_rider")
    assert json.loads(row["gold_derivation"])["answer"] == 2
    listed = dict(zip(head, rest[0], strict=True))
    assert listed["predicted_labels"] == "David Hasselhoff | Edward Mulhare | William Daniels"


# Which questions


def numbered(count: int) -> list[BenchmarkQuestion]:
    return [replace(VOICE, id=f"q-{number}") for number in range(count)]


def test_questions_are_chosen_by_split_and_id() -> None:
    questions = numbered(40)
    parts = {part: select(questions, GOLD, part=part).questions for part in ("train", "validation", "all")}
    train, validation, both = ({q.id for q in parts[part]} for part in ("train", "validation", "all"))
    assert train | validation == both == {q.id for q in questions}
    assert not train & validation
    assert {q.split for q in parts["validation"]} == {"validation"}
    assert [q.id for q in select(questions, GOLD, ids={"q-7", "q-3"}).questions] == ["q-3", "q-7"]
    with pytest.raises(DatasetError, match="no question q-99"):
        select(questions, GOLD, ids={"q-99", "q-3"})


def test_a_limit_draws_by_chance_that_the_seed_fixes() -> None:
    questions = numbered(100)
    first, again, other = (select(questions, GOLD, limit=10, seed=seed).questions for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 10
    assert list(first) == sorted(first, key=questions.index)
    assert len(select(questions, GOLD, limit=1000).questions) == 100


def test_what_cannot_be_judged_or_is_too_simple_is_left_out_and_counted() -> None:
    chain = replace(question(DANIELS, derivation=ACTORS), id="chain")
    unknown = replace(VOICE, id="unknown", labels={"answers": "unknown"})
    unscored = replace(VOICE, id="unscored", labels={"scored": "no"})
    unread = BenchmarkQuestion("unread", "?", ())
    every = [VOICE, chain, unknown, unscored, unread]
    found = select(every, EvaluationSettings(gold_branches_from=2))
    assert [q.id for q in found.questions] == ["toy-1"]
    assert found.left_out == {
        "fewer branches, or no gold structure": 1,
        "the file does not say the answers": 1,
        "not scored by the benchmark's rule": 2,
    }
    assert len(select(every, EvaluationSettings(gold_branches_from=1)).questions) == 2


def test_a_graph_that_knows_none_of_the_topics_is_the_wrong_one(toy: GraphStore) -> None:
    stranger = BenchmarkQuestion("s", "?", (GoldParse(Entity("m.0xyz"), frozenset({DANIELS}), None, "x"),))
    check_topics([stranger, VOICE], toy)
    with pytest.raises(DatasetError, match=r"“Toy” holds none of the 1 topic entities .* such as m\.0xyz"):
        check_topics([stranger], toy)


# Ceilings


@pytest.mark.parametrize(
    ("asked", "f1", "exact"),
    [
        (VOICE, 1, True),
        # The best that the gold way leads to here.
        (question(DANIELS, Entity("en.patricia_mcpherson")), 2 / 3, False),
        # A way that is not there, and an answer that is: a path to it is found.
        (question(HASSELHOFF, derivation=Derivation(SHOW, steps("0 tv.tv_program.guests"), (), 1)), 1 / 2, False),
        (question(Entity("en.patricia_mcpherson")), 0, False),
    ],
)
def test_a_ceiling_is_what_a_perfect_chooser_would_get(
    toy: GraphStore, asked: BenchmarkQuestion, f1: float, exact: bool
) -> None:
    found = ceiling(asked, toy)
    assert found.f1 == pytest.approx(f1)
    assert found.exact is exact


@pytest.mark.parametrize(
    ("asked", "f1"),
    [
        (question(Text("William Daniels", "en"), compared_by="name"), 1),
        # Small letters, and an answer that nothing bears.
        (question(Text("william daniels"), Text("Nobody"), compared_by="name"), 2 / 3),
        # No gold way, or one that is not there: a path to what bears the name is found.
        (question(Text("Glen A. Larson"), derivation=None, compared_by="name"), 1),
        (question(Text("Nobody"), compared_by="name"), 0),
    ],
)
def test_a_ceiling_compares_names_where_no_ids_are_known(toy: GraphStore, asked: BenchmarkQuestion, f1: float) -> None:
    assert ceiling(asked, toy).f1 == pytest.approx(f1)
    outcome = ask(asked, toy, KITT, replace(GOLD, perfect=True))
    assert outcome.perfect_f1 == pytest.approx(f1)


def test_a_ceiling_takes_the_best_reading(toy: GraphStore) -> None:
    hopeless = GoldParse(None, frozenset({Entity("en.nobody")}), None, "x")
    assert ceiling(replace(VOICE, parses=(hopeless, *VOICE.parses)), toy).exact


# Rows with their own graphs

ROWS = [
    {
        "id": "R-1",
        "question": "who is the wife of Abe",
        "q_entity": ["Abe"],
        "a_entity": ["Mary"],
        "graph": [["Abe", "people.person.spouse_s", "Mary"]],
    },
    {
        "id": "R-2",
        "question": "who is the wife of Bob",
        "q_entity": ["Bob"],
        "a_entity": ["Jane", "1989"],
        "graph": [["Bob", "people.person.spouse_s", "Jane"], ["Bob", "music.artist.album", "1989"]],
    },
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return path


def test_every_row_is_asked_of_its_own_graph(rows: Path) -> None:
    scorer = RuleScorer(("0 people.person.spouse_s", "answer 1"))
    with RowGraphs(rows) as graphs:
        found = [ask(q, graphs.open(q.row), scorer, GOLD) for q in read_dataset(rows, "rog")]
    assert [outcome.predicted for outcome in found] == [("Mary",), ("Jane",)]
    assert [outcome.recall for outcome in found] == [1, 1 / 2]
    assert {outcome.compared_by for outcome in found} == {"name"}


@pytest.mark.parametrize(
    "graph", [[], [[]], [["Bob"]], [["", "", ""]], [["Bob", 1, None]], ["Bob"], [["Bob", "a.b.c", "\0"]]]
)
def test_a_row_without_a_readable_triple_ends_nothing(tmp_path: Path, graph: list[object]) -> None:
    path = tmp_path / "rows.jsonl"
    rows = (ROWS[0], ROWS[1] | {"graph": graph}, ROWS[0] | {"id": "R-3"})
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    scorer = RuleScorer(("0 people.person.spouse_s", "answer 1"))
    questions = list(asked(read_dataset(path, "rog")))
    with RowGraphs(path) as graphs:
        found = [ask(question, graphs, scorer, GOLD) for question in questions]
        store = graphs.open("R-2")
        given = judge_given(questions[1], store, GOLD, [Text("Jane")], system="other", by_name=True)
    assert [outcome.predicted for outcome in found] == [("Mary",), (), ("Mary",)]
    assert (found[1].verdict, found[1].graph_gap, found[1].f1) == ("not_in_graph", True, 0)
    assert found[1].blame == Blame(Cause.GAP)
    # What another system predicted is judged all the same.
    assert (given.hit_first, given.recall) == (True, 1 / 2)


def test_a_row_that_is_not_there_is_reported(rows: Path, tmp_path: Path) -> None:
    with RowGraphs(rows) as graphs, pytest.raises(DatasetError, match="no row R-9"):
        graphs.open("R-9")
    broken = tmp_path / "broken.jsonl"
    broken.write_text("[1]\n{\n", encoding="utf-8")
    with pytest.raises(DatasetError, match='expected JSON objects with an "id"'):
        RowGraphs(broken)
    with pytest.raises(DatasetError, match="cannot be read"):
        RowGraphs(tmp_path / "missing.jsonl")


# The folder


def fill(folder: EvaluationFolder, outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        folder.add(outcome)


def test_an_evaluation_that_was_broken_off_goes_on(toy: GraphStore, tmp_path: Path) -> None:
    outcomes = outcomes_of(toy)
    path = tmp_path / "out"
    fill(EvaluationFolder(path, {"graph": "toy"}), outcomes[:2])
    with (path / "outcomes.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "toy-1c", "quest')
    again = EvaluationFolder(path, {"graph": "toy"})
    assert again.outcomes == outcomes[:2]
    fill(again, outcomes[2:])
    report = {"questions": 6, "topics": "gold", "graph": "toy"}
    again.finish(report)
    assert EvaluationFolder(path, {"graph": "toy"}).outcomes == outcomes
    assert json.loads((path / "report.json").read_text(encoding="utf-8")) == report
    with (path / "outcomes.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [outcome.id for outcome in outcomes]


def test_a_folder_takes_one_evaluation_only(tmp_path: Path) -> None:
    EvaluationFolder(tmp_path / "out", {"graph": "toy", "seed": 1})
    with pytest.raises(EvaluationFolderError, match=r"graph was 'toy', is 'sample'.*another folder"):
        EvaluationFolder(tmp_path / "out", {"graph": "sample", "seed": 1})
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(EvaluationFolderError, match="cannot be used"):
        EvaluationFolder(tmp_path / "file", {})


@pytest.mark.parametrize(
    ("label", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r\n=1", "'\r\n=1"),
        ("\uff1d1", "'\uff1d1"),
        ('=HYPERLINK("http://evil.example","x")', '\'=HYPERLINK("http://evil.example","x")'),
        ("-5", "-5"),
        ("+3.25e-4", "+3.25e-4"),
        ('a=b, "c"\nd', 'a=b, "c"\nd'),
    ],
)
def test_no_cell_of_a_table_is_a_formula(toy: GraphStore, label: str, cell: str) -> None:
    outcome = replace(ask(VOICE, toy, KITT, LINKED), id=label, question=label, gold_labels=(label,))
    text = io.StringIO(newline="")
    csv.writer(text).writerows(csv_rows([outcome], topics="gold", graph=label))
    (row,) = csv.DictReader(io.StringIO(text.getvalue(), newline=""))
    assert [row[column] for column in ("id", "question", "gold_labels", "graph")] == [cell] * 4
    assert float(row["f1"]) == outcome.f1
