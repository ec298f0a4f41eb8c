"""What teaches RoG's planner and reasoner: word for word what a run asks, and a model that has learned from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.switches import EngineSwitches
from reasoning.datasets.learned import LearnedQuestions
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.engine.engine import answer
from reasoning.scorers.base import Cost, Distribution
from reasoning.scorers.causal.scorer import CausalLMScorer
from reasoning.scorers.causal.transcript import plan_parts, plan_text
from reasoning.training.causal.build import Lessons, finetune
from reasoning.training.causal.plan_lessons import lessons_of
from reasoning.training.causal.settings import FineTuning, NewModel
from reasoning.training.causal.spoken import spoken
from reasoning.training.recipe.recipe import Source
from reasoning.writers.base import Message
from reasoning.writers.causal import CausalWriter
from tests.reasoning.family import ANN, CHILD, PARENT, TEACHER
from tests.reasoning.language_models import small_tokenizer
from tests.reasoning.made_up import RecordedWriter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.strategies.plans.plan import Way
    from reasoning.training.causal.texts import TextSample

SOURCE = Source("family", "answers.jsonl", "discern", "family.tsv")
BOB, CYD, DAN = (Entity(f"en.{name}") for name in ("bob", "cyd", "dan"))
IDS = ("taught", "q1", "q2", "q4", "q5", "q6")
TAUGHT = (
    ("who is Ann's parent?", BOB),
    ("who is Ann's child?", CYD),
    ("who is the grandparent of Ann?", DAN),
)


def question(text: str, *answers: Entity, id_: str = "taught", **more: Any) -> BenchmarkQuestion:
    asked = BenchmarkQuestion(id_, text, (GoldParse(ANN, frozenset(answers), None),), **more)
    assert asked.split == "train"
    return asked


def lessons(store: GraphStore, stage: str, text: str, *answers: Entity, **more: Any) -> list[TextSample]:
    return [one for one in lessons_of(question(text, *answers, **more), SOURCE, store) if one.stage == stage]


class Chosen:
    """Gives some paths all of the probability, in their order, and keeps what it was asked."""

    name = "chosen"
    reads_paths = True

    def __init__(self, ways: Sequence[Way]) -> None:
        self.asked: list[tuple[DecisionState, Sequence[Way]]] = []
        self._ways = list(ways)

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        raise AssertionError("plans are chosen as wholes")

    def score_paths(self, state: DecisionState, paths: Sequence[Way], *, best: int | None = None) -> Distribution:
        self.asked.append((state, paths))
        shares = {paths.index(way): 0.5 ** (place + 1) for place, way in enumerate(self._ways)}
        return Distribution(shares, 0.0, Cost())


def test_each_shortest_way_is_a_plan_to_choose_among_the_paths_around(family: GraphStore) -> None:
    found = lessons(family, "plans", "who is Ann's parent?", BOB)
    planner = Chosen([(PARENT,)])
    list(answer("who is Ann's parent?", family, planner, strategy="rog", topic=ANN))
    (state, paths) = planner.asked[0]
    for lesson in found:
        assert lesson.transcript == tuple(plan_parts(state))
        assert set(lesson.continuations) < set(map(plan_text, paths))
        assert lesson.right_texts == {plan_text((PARENT,)), plan_text((TEACHER,))}
    # What is learned of a lesson is its first right one.
    assert {one.continuations[one.right[0]] for one in found} == {plan_text((PARENT,)), plan_text((TEACHER,))}


def test_answers_are_named_from_the_paths_as_the_reasoner_is_shown_them(family: GraphStore) -> None:
    (lesson,) = lessons(family, "answers", "who is Ann's child?", CYD)
    (prompt,) = lesson.transcript
    writer = RecordedWriter(("Cyd",))
    ways = {(CHILD,): "Ann <- parent <- Cyd", (PARENT,): "Ann -> parent -> Bob", (TEACHER,): "Ann -> teacher -> Bob"}
    shown = sorted((way for way in ways if ways[way] in prompt), key=lambda way: prompt.index(ways[way]))
    assert shown == [(TEACHER,), (CHILD,)]
    switches = EngineSwitches.of(reasoner="writer")
    list(answer(lesson.question, family, Chosen(shown), strategy="rog", topic=ANN, writer=writer, switches=switches))
    assert [message.text for message in writer.asked[0]] == [prompt]
    assert lesson.continuations[lesson.right[0]] == "Cyd"
    assert set(lesson.continuations) == {"Cyd", "Bob"}


def test_no_place_among_the_plans_is_always_the_right_one(family: GraphStore) -> None:
    places = set()
    for number in range(40):
        asked = BenchmarkQuestion(f"q{number}", "who is Ann's child?", (GoldParse(ANN, frozenset({CYD}), None),))
        for lesson in lessons_of(asked, SOURCE, family):
            if lesson.stage == "answers":
                lines = lesson.transcript[0].splitlines()
                first = next(place for place, line in enumerate(lines) if line.startswith("Reasoning paths"))
                places.add(lines.index("Ann <- parent <- Cyd") - first)
            assert lesson.is_validation is (asked.split == "validation")
    assert places == {1, 2, 3}


@pytest.mark.parametrize("answers", [(), (Entity("en.nobody"),)])
def test_what_no_way_leads_to_teaches_nothing(family: GraphStore, answers: tuple[Entity, ...]) -> None:
    assert lessons_of(question("who?", *answers), SOURCE, family) == []


@pytest.mark.parametrize("template", [None, "{{ bos_token }}[{{ messages[0]['content'] }}]"])
def test_a_writer_s_lesson_is_put_in_the_words_of_the_model_s_own_template(
    family: GraphStore, template: str | None
) -> None:
    (lesson,) = lessons(family, "answers", "who is Ann's child?", CYD)
    tokenizer = small_tokenizer()
    before = tokenizer.chat_template
    try:
        tokenizer.chat_template = template
        put = spoken(lesson, tokenizer)
    finally:
        tokenizer.chat_template = before
    (text,) = lesson.transcript
    assert put.transcript == (f"[{text}]" if template else f"Question: {text}\nAnswer:",)
    assert put.continuations[0] == ("Cyd" if template else " Cyd")
    (plan,) = lessons(family, "plans", "who is Ann's child?", CYD)
    assert spoken(plan, tokenizer) == plan


@pytest.mark.slow
def test_a_model_that_was_taught_plans_and_answers_by_them(family: GraphStore, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    # Each question in several ways, so that the order in which paths are shown is not what is learned.
    asked = [question(text, wanted, id_=id_) for text, wanted in TAUGHT for id_ in IDS]
    samples = tuple(one for each in asked for one in lessons_of(each, SOURCE, family))
    assert {one.stage for one in samples} == {"plans", "answers"}
    tuning = FineTuning(epochs=120, learning_rate=4e-3, row_tokens=384, rows_a_step=1, checks=1, dev_share=0)
    folder = tmp_path / "planner"
    size = NewModel(width=64, layers=2, heads=4, vocabulary=600)
    card = finetune(
        folder, "new", Lessons(samples, {}, LearnedQuestions()), tuning, size=size, name="planner", command=""
    )
    assert card["reads_paths"]
    scorer, writer = CausalLMScorer.open(folder), CausalWriter.open(folder)
    for text, wanted in TAUGHT:
        emitted = list(answer(text, family, scorer, strategy="rog", topic=ANN, switches=EngineSwitches.of(plans=1)))
        assert isinstance(emitted[-1], events.Finished)
        assert [one.term.id for one in emitted[-1].answers] == [str(wanted)]
    for lesson in samples:
        if lesson.stage == "answers":
            wrote = writer.write([Message("user", lesson.transcript[0])], limit=8)
            assert wrote.ended
            # Its tokenizer does not tell capitals apart.
            assert wrote.text.strip() == lesson.continuations[lesson.right[0]].lower()


def test_what_was_taught_decisions_alone_reads_no_paths(family: GraphStore, tmp_path: Path) -> None:
    decisions = tuple(replace(one, stage="search") for one in lessons(family, "plans", "who is Ann's child?", CYD))
    tuning = FineTuning(epochs=1, row_tokens=1024, rows_a_step=1, checks=1, dev_share=0)
    size = NewModel(width=32, layers=1, heads=2, vocabulary=600)
    lessons_told = Lessons(decisions, {}, LearnedQuestions())
    card = finetune(tmp_path / "one", "new", lessons_told, tuning, size=size, name="one", command="")
    assert not card["reads_paths"]
    assert not CausalLMScorer.open(tmp_path / "one").reads_paths
