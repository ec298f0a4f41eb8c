"""The error classes of DoG on miniature runs, decided step by step by a script."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity, Relation, Text
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.core.options import NoneOption, StepOption
from reasoning.datasets.overlay import Correction, CorrectionKind, Overlay, SignedOverlay
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.evaluation.judging.judging import ask, error_class, judged_again
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.overlaid import under_overlay
from reasoning.evaluation.reporting.page import charts_of, html_page
from reasoning.evaluation.reporting.report import csv_rows, figures
from reasoning.narration import wording
from reasoning.run.diagnosis import DOG_CLASSES, DogDiagnosis
from reasoning.scorers.base import Cost, Distribution
from tests.reasoning.rules import Arbitrary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.options import DecisionState, OptionPool

BOOKS = """\
en.loop	type.object.name	"Loop"@en
en.ann	type.object.name	"Ann Lee"@en
en.bob	type.object.name	"Bob"@en
en.acme	type.object.name	"Acme"@en
en.mill	type.object.name	"Mill"@en
en.rome	type.object.name	"Rome"@en
en.rome	common.topic.alias	"Roma"@en
en.oslo	type.object.name	"Oslo"@en
en.other	type.object.name	"Rome"@en
en.title	type.object.name	"Employer"@en
en.loop	book.book.writer	en.ann
en.title	book.book.writer	en.ann
en.ann	people.person.spouse	en.bob
en.ann	people.person.employer	en.acme
en.ann	people.person.employer	en.mill
en.acme	company.company.city	en.rome
en.bob	people.person.birthplace	en.oslo
en.oslo	place.city.twin	en.other
"""
"""A book, its writer, another book of hers that is called *Employer*, her two employers, of which one stands in a city,
and her husband from another city."""
WRITER, EMPLOYER, CITY, SPOUSE = (
    "book.book.writer",
    "people.person.employer",
    "company.company.city",
    "people.person.spouse",
)
LOOP, TITLE, ROME, MILL = map(Entity, ("en.loop", "en.title", "en.rome", "en.mill"))
QUESTION = "in which city is the employer of the writer of Loop?"
LOSES = "in which city works the writer with the employer of Loop?"
"""The simplifier takes out what stands next to the topic: here the words of the second relation."""
ON, ENOUGH = "on", "none"
"""What a try says."""
DOG = EvaluationSettings(strategy="dog", options={"debaters": "1"})
SHORT = replace(DOG, options={**DOG.options, "rounds": 1})


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    folder = tmp_path_factory.mktemp("books")
    (folder / "books.tsv").write_text(BOOKS, encoding="utf-8")
    load_graph(TripleReader(folder / "books.tsv"), folder / "books.sqlite", name="books", title="B", source="test")
    store = SqliteStore(folder / "books.sqlite")
    yield store
    store.close()


class Script:
    """Says what a script says, one choice after the other: relations for a filter, `ON` or `ENOUGH` for a try."""

    name = "script"

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        line = next(self._lines)
        said = [
            str(one.step.relation) if isinstance(one, StepOption) else ENOUGH if isinstance(one, NoneOption) else ""
            for one in pool.options
        ]
        chosen = next(at for at, each in enumerate(said) if each == line or (line == ON and each != ENOUGH))
        return Distribution({at: 0.9 if at == chosen else 0.1 for at in range(len(said))}, 0.0, Cost(calls=1))


def gold(*relations: str) -> Derivation:
    steps = tuple(SearchStep(at, Relation.parse(each)) for at, each in enumerate(relations))
    return Derivation(LOOP, steps, (), len(steps))


CITY_WAY, EMPLOYER_WAY, WRITER_WAY = gold(WRITER, EMPLOYER, CITY), gold(WRITER, EMPLOYER), gold(WRITER)


def asked(*answers: Term, way: Derivation | None = CITY_WAY, text: str = QUESTION, **more: Any) -> BenchmarkQuestion:
    return BenchmarkQuestion("q", text, (GoldParse(LOOP, frozenset(answers), way),), **more)


def judged(store: GraphStore, question: BenchmarkQuestion, *script: str, settings: EvaluationSettings = DOG) -> Outcome:
    """What is judged, which is the same where it is judged again later."""
    outcome = ask(question, store, Script(*script), settings)
    assert_same_again(outcome, question, store, settings)
    return outcome


def assert_same_again(
    outcome: Outcome, question: BenchmarkQuestion, store: GraphStore, settings: EvaluationSettings
) -> None:
    earlier = replace(Outcome.from_json({**outcome.to_json(), "dog": None}), emitted=outcome.emitted)
    assert error_class(earlier, question, store, settings) == outcome.dog
    again = judged_again(earlier, question, store, settings)
    assert again is not None
    assert again.dog == outcome.dog


def classed(
    store: GraphStore, question: BenchmarkQuestion, *script: str, settings: EvaluationSettings = DOG
) -> tuple[str, int | None] | None:
    error = judged(store, question, *script, settings=settings).dog
    return None if error is None else (error.name, error.round)


WHOLE_WAY = (WRITER, ON, EMPLOYER, ON, CITY, ENOUGH)


def test_a_right_answer_has_no_class(books: GraphStore) -> None:
    assert classed(books, asked(ROME), *WHOLE_WAY) is None
    assert classed(books, asked(Entity("en.acme"), MILL, way=EMPLOYER_WAY), WRITER, ON, EMPLOYER, ENOUGH) is None


def test_a_relation_that_leaves_the_way_is_to_blame_and_the_first_such_one(books: GraphStore) -> None:
    assert classed(books, asked(ROME), WRITER, ON, SPOUSE, ENOUGH) == ("relation", 2)
    assert classed(books, asked(ROME), WRITER, ON, SPOUSE, ON, "people.person.birthplace", ENOUGH) == ("relation", 2)


def test_a_filter_that_chooses_none_is_to_blame_as_one_that_chooses_a_wrong_relation(books: GraphStore) -> None:
    assert classed(books, asked(ROME), ENOUGH) == ("relation", 1)
    assert classed(books, asked(ROME), WRITER, ON, ENOUGH) == ("relation", 2)


def test_a_try_that_says_enough_too_early_or_too_late_is_to_blame(books: GraphStore) -> None:
    early = judged(books, asked(ROME), WRITER, ENOUGH).dog
    assert early == DogDiagnosis("stopping", 1, "The check stopped the search although a relation was left.")
    late = judged(books, asked(MILL, way=EMPLOYER_WAY), *WHOLE_WAY).dog
    assert late == DogDiagnosis("stopping", 2, "The facts were enough, but the search continued.")


def test_a_debate_that_takes_out_the_words_of_the_next_relation_is_to_blame(books: GraphStore) -> None:
    question = asked(ROME, text=LOSES)
    assert classed(books, question, WRITER, ON, SPOUSE, ENOUGH) == ("simplification", 1)
    # So it is where the next filter finds nothing any more.
    assert classed(books, question, WRITER, ON, ENOUGH) == ("simplification", 1)
    # What is taken out once and still stands there is not lost, and neither is what was never taken out.
    twice = asked(ROME, text="in which city of the employer works the writer with the employer of Loop?")
    assert classed(books, twice, WRITER, ON, SPOUSE, ENOUGH) == ("relation", 2)
    assert classed(books, question, WRITER, ENOUGH) == ("stopping", 1)


def test_the_name_of_the_topic_says_no_relation(books: GraphStore) -> None:
    text = "in which city works the writer of Employer?"
    way = replace(CITY_WAY, topic=TITLE)
    question = BenchmarkQuestion("q", text, (GoldParse(TITLE, frozenset({ROME}), way),))
    assert classed(books, question, WRITER, ON, SPOUSE, ENOUGH) == ("relation", 2)


def test_where_the_facts_hold_the_answer_and_another_comes_first_the_end_is_to_blame(books: GraphStore) -> None:
    outcome = judged(books, asked(MILL, way=EMPLOYER_WAY), WRITER, ON, EMPLOYER, ENOUGH)
    assert outcome.predicted == ("en.acme", "en.mill")
    assert outcome.dog is not None
    assert (outcome.dog.name, outcome.dog.round, outcome.hit) == ("generation", None, True)


@pytest.mark.parametrize("name", ["Roma", "ROME!", "rómé"])
def test_a_gold_answer_by_another_name_is_counted_apart(books: GraphStore, name: str) -> None:
    outcome = judged(books, asked(Text(name), compared_by="name"), *WHOLE_WAY)
    assert not outcome.hit_first
    assert outcome.dog is not None
    assert outcome.dog.name == "aliasing"
    shown = figures([outcome], topics="gold", graph="B")
    assert shown["dog"] == {"classes": {"aliasing": 1}, "hits_at_1_with_aliases": 1.0}
    assert shown["all"]["hits_at_1"] == 0.0


def test_where_ids_are_known_a_thing_of_the_same_name_is_another_thing(books: GraphStore) -> None:
    namesake = Entity("en.other")
    assert classed(books, asked(namesake), *WHOLE_WAY) != ("aliasing", None)
    assert classed(books, asked(namesake, compared_by="name"), *WHOLE_WAY) == ("aliasing", None)
    assert classed(books, asked(Text("Roma")), *WHOLE_WAY) == ("aliasing", None)


def test_what_no_round_is_to_blame_for_is_none_of_these(books: GraphStore) -> None:
    assert classed(books, asked(Entity("en.nowhere")), *WHOLE_WAY) == ("other", None)
    assert classed(books, asked(), *WHOLE_WAY) == ("other", None)
    assert classed(books, asked(ROME), WRITER, settings=SHORT) == ("other", None)
    # A script that has ended breaks the run.
    assert judged(books, asked(ROME), WRITER).dog == DogDiagnosis("other", None, "The run failed.")
    elsewhere = BenchmarkQuestion("q", QUESTION, (GoldParse(Entity("en.nobody"), frozenset({ROME}), CITY_WAY),))
    assert classed(books, elsewhere) == ("other", None)


@pytest.mark.parametrize(
    ("answer", "script", "expected"),
    [
        (ROME, (WRITER, ON, SPOUSE, ENOUGH), ("relation", 2)),
        (ROME, (WRITER, ENOUGH), ("stopping", 1)),
        (ROME, (WRITER, ON, ENOUGH), ("relation", 2)),
        (Entity("en.ann"), (WRITER, ON, EMPLOYER, ENOUGH), ("stopping", 1)),
        (MILL, (WRITER, ON, EMPLOYER, ENOUGH), ("generation", None)),
        (Entity("en.other"), (WRITER, ENOUGH), ("other", None)),
    ],
)
def test_without_a_gold_derivation_the_facts_tell(
    books: GraphStore, answer: Entity, script: tuple[str, ...], expected: tuple[str, int | None]
) -> None:
    assert classed(books, asked(answer, way=None), *script) == expected


def test_answers_of_other_strategies_have_none(books: GraphStore) -> None:
    outcome = ask(asked(ROME), books, Arbitrary(1), EvaluationSettings())
    assert outcome.dog is None
    assert figures([outcome], topics="gold", graph="B")["dog"] is None


@pytest.mark.slow
@given(
    seed=st.integers(0, 10_000),
    answers=st.sets(st.sampled_from(["en.rome", "en.mill", "en.ann", "en.bob", "en.nowhere", '"Roma"']), max_size=2),
    way=st.sampled_from([CITY_WAY, EMPLOYER_WAY, WRITER_WAY, None]),
    rounds=st.integers(1, 3),
    by_name=st.booleans(),
)
def test_every_wrong_answer_has_one_class_and_no_right_one_has_any(
    books: GraphStore, seed: int, answers: set[str], way: Derivation | None, rounds: int, by_name: bool
) -> None:
    terms = [Text(each.strip('"')) if each.startswith('"') else Entity(each) for each in sorted(answers)]
    question = asked(*terms, way=way, compared_by="name" if by_name else "id")
    settings = replace(DOG, options={**DOG.options, "rounds": rounds})
    outcome = ask(question, books, Arbitrary(seed), settings)
    assert (outcome.dog is None) == outcome.is_right
    assert outcome.dog is None or (outcome.dog.name in DOG_CLASSES and outcome.dog.why)
    assert Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) == outcome
    assert_same_again(outcome, question, books, settings)


def test_an_answer_that_is_judged_by_corrected_labels_has_the_class_that_they_make_it(books: GraphStore) -> None:
    question = asked(ROME)
    wrong = judged(books, question, WRITER, ON, EMPLOYER, ENOUGH)
    assert wrong.dog is not None
    assert wrong.dog.name == "stopping"
    for corrected, expected in (
        (asked(MILL, way=None), "generation"),
        (asked(Entity("en.nowhere"), way=None), "other"),
        (asked(Entity("en.acme"), way=None), None),
    ):
        again = judged_again(wrong, corrected, books, DOG)
        assert again is not None
        assert (None if again.dog is None else again.dog.name) == expected
        assert again.is_right == (expected is None)


def test_where_the_events_of_a_run_were_not_kept_no_round_is_blamed_and_nothing_is_counted(books: GraphStore) -> None:
    question = asked(ROME)
    whole = judged(books, question, WRITER, ON, EMPLOYER, ENOUGH)
    resumed = Outcome.from_json(whole.to_json())
    assert error_class(resumed, question, books, DOG) is None
    # Of some no round is to blame, whatever happened.
    gone = asked(Entity("en.nowhere"))
    assert error_class(Outcome.from_json(judged(books, gone, *WHOLE_WAY).to_json()), gone, books, DOG) is not None
    mill = Correction("q", CorrectionKind.WRONG, question.parses, asked(MILL, way=None).parses)
    overlay = Overlay("books", "0" * 64, "sha256-questions-1", "Rita", "2026-11-25T12:00:00+00:00", (mill,))
    for outcome, expected in ((whole, {"generation": 1}), (resumed, None)):
        shown = under_overlay([outcome], {"q": question}, overlay, books, DOG)
        found = shown.report(SignedOverlay(overlay, ""), DOG, "B")["figures"]["dog"]
        assert (found and found["classes"]) == expected


def test_reports_rows_and_old_outcomes_tell_it(books: GraphStore) -> None:
    wrong = judged(books, asked(ROME), WRITER, ENOUGH)
    right = judged(books, asked(ROME), *WHOLE_WAY)
    shown = figures([wrong, right], topics="gold", graph="B")
    assert shown["dog"] == {"classes": {"stopping": 1}, "hits_at_1_with_aliases": 0.5}
    (chart,) = (each for each in charts_of(shown) if each.title == "Error classes of DoG")
    assert [(name, values) for name, values, _ in chart.groups] == [("wrong stop", (1.0,))]
    assert wording.DOG_CLASSES.keys() == set(DOG_CLASSES)
    assert "knows its answers by id" in html_page(shown, title="x")
    by_name = judged(books, asked(Text("Roma"), compared_by="name"), *WHOLE_WAY)
    page = html_page(figures([by_name], topics="gold", graph="B"), title="x")
    assert "1 question; wrong in all other figures" in page
    assert "compared by all names that the graph gives it" in page
    text = io.StringIO()
    csv.writer(text).writerows(csv_rows([wrong, right], topics="gold", graph="B"))
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    assert [(row["dog_class"], row["dog_round"]) for row in rows] == [("stopping", "1"), ("", "")]
    earlier = {name: value for name, value in wrong.to_json().items() if name != "dog"}
    assert Outcome.from_json(earlier) == replace(wrong, dog=None)
    with pytest.raises(ValueError, match="no error class"):
        DogDiagnosis.from_json({"name": "bad", "round": None, "why": ""})
