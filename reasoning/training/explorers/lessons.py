"""What teaches an explorer: questions with their topic and their answers, and nothing else of a gold label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reasoning.datasets.question import is_validation
from reasoning.linking import link
from reasoning.strategies.etd.asking import explored_text
from reasoning.strategies.etd.edges import Edges
from reasoning.strategies.etd.explorer import RelationTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Entity, Term
    from reasoning.datasets.question import BenchmarkQuestion, Split
    from reasoning.strategies.etd.edges import Numbers
    from reasoning.strategies.etd.weights import Texts
    from reasoning.training.explorers.recipe import HeldOut
    from reasoning.training.recipe import Source
    from reasoning.training.sources import Sources


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question that is taught, or asked to see what was learned."""

    id: str
    topic: int
    """The number of its term."""
    text: str
    """As the explorer reads it."""
    answers: Numbers
    """The numbers of their terms."""
    may_recur: bool
    """Whether ways may lead back to the topic."""
    topic_may_answer: bool


class Classroom:
    """A source's graph with the edges that were read of it, and its questions on both sides of the split."""

    def __init__(self, source: Source, store: GraphStore, texts: Texts) -> None:
        self.name = source.name
        self.store = store
        self.edges = Edges()
        self.relations = RelationTexts(texts.of_relations)
        self.taught: list[Lesson] = []
        self.held_out: list[Lesson] = []

    def fill(
        self,
        sources: Sources,
        source: Source,
        *,
        held_out: HeldOut,
        tested: int,
        progress: Callable[[int, int], None],
        teach: bool = True,
    ) -> None:
        """Read the questions, those to be taught only if wanted; ``progress`` is told how many of how many."""
        sides: dict[Split, list[BenchmarkQuestion]] = {"train": [], "validation": []}
        for question in (q for split in sides for q in sources.questions(source, split)):
            tests = is_validation(_template(question)) if held_out == "template" else question.split == "validation"
            sides["validation" if tests else "train"].append(question)
        step = max(len(sides["validation"]) // max(tested, 1), 1)
        kept = sides["validation"][::step][:tested]
        if not teach:
            sides["train"] = []
        total = len(sides["train"]) + len(kept)
        cards = self.store.cards
        for number, question in enumerate((*sides["train"], *kept), start=1):
            parse = next((one for one in question.parses if one.topic is not None and one.answers), None)
            if parse is not None and parse.topic is not None and parse.topic in cards([parse.topic]):
                answers = frozenset().union(*(one.answers for one in question.parses if one.topic == parse.topic))
                lesson = self._lesson(question, parse.topic, sorted(answers, key=str))
                (self.taught if number <= len(sides["train"]) else self.held_out).append(lesson)
            progress(number, total)

    def _lesson(self, question: BenchmarkQuestion, topic: Entity, answers: Sequence[Term]) -> Lesson:
        return Lesson(
            question.id,
            self.edges.number(topic),
            explored_text(question.text, link(question.text, self.store, topic)),
            np.array([self.edges.number(answer) for answer in answers], np.int64),
            question.topic_may_recur,
            question.topic_may_answer,
        )


def _template(question: BenchmarkQuestion) -> str:
    """What questions of one template have in common: the type that the benchmark names, else the relations of gold.

    It only says on which side of the split a question falls.
    """
    if "type" in question.labels:
        return f"template {question.labels['type']}"
    found = next((parse.derivation for parse in question.parses if parse.derivation is not None), None)
    return question.id if found is None else " ".join(str(step.relation) for step in found.steps)
