"""The bundled sample: its size, its shapes, and every gold derivation replayed by the engine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.sample import sample_files
from kgstore.terms import Direction, Entity, Number, parse_term
from reasoning import events
from reasoning.core.derivation import Operator
from reasoning.engine.engine import answer
from reasoning.narration.replay import choices_of
from reasoning.run.run import RunLimits
from reasoning.scorers.lexical import LexicalScorer
from tests.sample import sample_questions

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.datasets.sample_questions import SampleQuestion

QUESTIONS = list(sample_questions())
ANSWERABLE = [question for question in QUESTIONS if question.derivation is not None]
LIMITS = RunLimits(answers_shown=10_000)


def _kind(question: SampleQuestion) -> str:
    return question.id.rsplit("-", 1)[0]


@pytest.mark.slow
@pytest.mark.parametrize("domain", sorted({_kind(question) for question in QUESTIONS}))
def test_every_gold_derivation_gives_its_answers(sample: GraphStore, domain: str) -> None:
    wrong = []
    for question in ANSWERABLE:
        if _kind(question) != domain or question.derivation is None:
            continue
        choices = choices_of(question.derivation)
        shown = list(answer(question.phrasings[0], sample, None, topic=question.topic, given=choices, limits=LIMITS))
        last = shown[-1]
        found = {parse_term(a.term.id) for a in last.answers} if isinstance(last, events.Finished) else {last}
        if question.derivation.counted:
            found = {Number(float(len(found)))}
        if found != question.answers:
            wrong.append((question.id, found, question.answers))
    assert not wrong


def test_it_is_large_enough_to_be_a_graph(sample: GraphStore) -> None:
    info = sample.info()
    entities = {field for path in sample_files() for field in _ids(path.read_text(encoding="utf-8"))}
    cards = sample.cards(entities).values()
    mediators = sum(card.is_mediator for card in cards)
    named = sum(card.name is not None for card in cards)
    assert len(sample_files()) >= 12
    assert info.triples >= 4_000
    assert named >= 600
    assert mediators >= 150
    assert max(card.popularity for card in cards) >= 200


def test_a_mediator_is_an_entity_without_a_name(sample: GraphStore) -> None:
    entities = {field for path in sample_files() for field in _ids(path.read_text(encoding="utf-8"))}
    cards = sample.cards(entities)
    assert [e for e, card in cards.items() if e.mid.startswith("m.") != card.is_mediator] == []
    assert [e for e, card in cards.items() if e.mid.startswith("en.") and card.name is None] == []


def _ids(text: str) -> set[Entity]:
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("# "))
    return {
        Entity(field)
        for subject, predicate, obj in rows
        for field in (subject, obj)
        if field.startswith(("en.", "m.")) and (predicate != "type.object.type" or field == subject)
    }


def test_the_questions_show_every_shape() -> None:
    derivations = [question.derivation for question in ANSWERABLE if question.derivation is not None]
    operators = Counter(constraint.operator for derivation in derivations for constraint in derivation.constraints)
    hops = Counter(_hops(question) for question in ANSWERABLE)
    assert len(QUESTIONS) >= 250
    assert len(QUESTIONS) - len(ANSWERABLE) >= 10
    assert set(operators) == set(Operator)
    assert set(hops) >= {1, 2, 3}
    assert any(step.relation.direction is Direction.REVERSE for derivation in derivations for step in derivation.steps)
    assert any(len(derivation.constraints) == 2 for derivation in derivations)
    assert any(len(question.answers) > 3 for question in ANSWERABLE)
    assert all(2 <= len(question.phrasings) <= 4 for question in QUESTIONS)


def _hops(question: SampleQuestion) -> int:
    """How many steps lead from the topic to the answer."""
    derivation = question.derivation
    assert derivation is not None
    position, hops = derivation.answer_position, 0
    while position:
        position, hops = derivation.steps[position - 1].position, hops + 1
    return hops


def test_questions_and_phrasings_stand_once() -> None:
    ids = Counter(question.id for question in QUESTIONS)
    phrasings = Counter(phrasing.casefold() for question in QUESTIONS for phrasing in question.phrasings)
    assert [text for text, n in (ids + phrasings).items() if n > 1] == []


def test_about_one_question_in_four_is_kept_for_validation() -> None:
    kept = sum(question.is_validation for question in QUESTIONS)
    assert 0.2 < kept / len(QUESTIONS) < 0.3


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("jamaican people speak", {"Jamaican English", "Jamaican Creole English Language"}),
        ("voice of kitt", {"William Daniels"}),
        ("kevin love go to college", {"University of California, Los Angeles"}),
        ("won the super bowl in 2011", {"Green Bay Packers"}),
        ("nato", {"Brussels"}),
        ("mark attanasio", {"American Family Field"}),
    ],
)
def test_the_papers_own_cases_are_in_it(sample: GraphStore, words: str, answers: set[str]) -> None:
    found = [q for q in ANSWERABLE if any(words in p.casefold() for p in q.phrasings)]
    labels = [set(sample.labels(question.answers).values()) for question in found]
    assert answers in labels


@pytest.mark.slow
def test_no_pool_offers_one_choice_twice(sample: GraphStore) -> None:
    pools = 0
    for question in QUESTIONS[::4]:
        # Asked twice in one text, so that every name and every kind is said twice.
        phrasing = f"{question.phrasings[0]} {question.phrasings[0]}"
        for event in answer(phrasing, sample, LexicalScorer()):
            decision = getattr(event, "decision", None)
            if not isinstance(decision, events.DecisionRecord):
                continue
            pools += 1
            choices = Counter(
                option.model_dump_json(exclude={"index", "probability", "start", "end"}) for option in decision.options
            )
            assert not [choice for choice, count in choices.items() if count > 1], phrasing
    assert pools > len(QUESTIONS) // 4
