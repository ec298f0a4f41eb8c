"""What teaches an explorer: questions with their topic and their answers, and nothing else of a gold label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reasoning.datasets.question import is_validation
from reasoning.evaluation.judging.ceiling import ceiling
from reasoning.question.linking import link
from reasoning.strategies.asking import masked_text
from reasoning.strategies.etd.edges import Edges
from reasoning.strategies.etd.explorer import RelationTexts
from reasoning.training.recipe.sides import divided, spread

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.scorers.encoder.frozen_texts import FrozenTexts
    from reasoning.strategies.etd.edges import Numbers
    from reasoning.training.lessons.sources import Sources
    from reasoning.training.recipe.recipe import Source
    from reasoning.training.recipe.weights_recipe import HeldOut


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

    def __init__(self, source: Source, store: GraphStore, texts: FrozenTexts) -> None:
        self.name = source.name
        self.store = store
        self.edges = Edges()
        self.relations = RelationTexts(texts.of_relations)
        self.taught: list[Lesson] = []
        self.held_out: list[Lesson] = []
        self._questions: dict[str, BenchmarkQuestion] = {}
        """The held-out ones by id."""

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
        """Read the questions, those to be taught only if wanted; ``progress`` is called with done and total."""
        asked, tests = divided(sources, source, held_out=held_out, tested=tested, teach=teach)
        for number, question in enumerate(asked, start=1):
            lesson = self._lesson(question)
            if lesson is not None:
                is_held_out = tests[question.id] if tests else is_validation(f"wording {lesson.text}")
                (self.held_out if is_held_out else self.taught).append(lesson)
                if is_held_out:
                    self._questions[question.id] = question
                if not is_held_out and teach:
                    sources.teach(source, question)
            progress(number, len(asked))
        self.held_out = spread(self.held_out, tested)
        if not teach:
            self.taught.clear()

    def perfect_hits(self) -> float | None:
        """The Hits@1 of a chooser without mistakes over the held-out questions; None where there are none.

        It replays gold derivations, which teach nothing.
        """
        if not self.held_out:
            return None
        best = [ceiling(self._questions[lesson.id], self.store).hit_first for lesson in self.held_out]
        return sum(best) / len(best)

    def _lesson(self, question: BenchmarkQuestion) -> Lesson | None:
        """A question as a lesson; None where it has no topic in the graph, or no answer."""
        parse = next((one for one in question.parses if one.topic is not None and one.answers), None)
        if parse is None or parse.topic is None or parse.topic not in self.store.cards([parse.topic]):
            return None
        answers = frozenset().union(*(one.answers for one in question.parses if one.topic == parse.topic))
        return Lesson(
            question.id,
            self.edges.number(parse.topic),
            masked_text(question.text, link(question.text, self.store, parse.topic)),
            np.array([self.edges.number(answer) for answer in sorted(answers, key=str)], np.int64),
            question.topic_may_recur,
            question.topic_may_answer,
        )
