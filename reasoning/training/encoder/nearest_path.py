"""What the encoder does untrained: the way of relations from the topic that is most like the question.

It knows the number of steps to the answer, which a scorer must find out, and never says None. What a scorer does
better than this is what it has learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasoning.core.derivation import Derivation
from reasoning.core.options import DecisionState, Stage
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.evaluation.judging.ceiling import compared_with, fitted_readings
from reasoning.evaluation.metrics.structure_size import hops
from reasoning.facts.pools import facts_of, step_options
from reasoning.facts.verbalize import option_text
from reasoning.gold.fitting import FACTS_PER_STEP
from reasoning.question.linking import link
from reasoning.scorers.encoder.minilm import EncoderFiles, MiniLm, Words
from reasoning.scorers.encoder.scorer import OPTION_TEXTS_KEPT
from reasoning.scorers.encoder.text_vectors import TextVectors
from reasoning.strategies.asking import masked_text
from reasoning.training.encoder.validation import intervals, questions_to_ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgstore.store import GraphStore
    from kgstore.terms import Entity
    from reasoning.core.derivation import SearchStep
    from reasoning.core.options import StepOption
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.metrics.metrics import Comparison
    from reasoning.training.lessons.sources import Sources
    from reasoning.training.recipe.recipe import Source

_FOLLOWED = 20
"""Number of the likeliest paths of each length that are extended."""


@dataclass(frozen=True, slots=True)
class _Way:
    steps: tuple[SearchStep, ...]
    structure: AbstractStructure
    graph: InstanceGraph

    def options(self, store: GraphStore) -> tuple[StepOption, ...]:
        return step_options(store, self.graph, self.structure.step, ())

    def followed(self, option: StepOption, store: GraphStore) -> _Way:
        step = option.step
        # As in the engine, no way leads back to the topic.
        topic = self.graph.members[ROOT]
        found = facts_of(step, self.graph, store, FACTS_PER_STEP).triples
        triples = [t for t in found if (t.subject if step.relation.is_reverse else t.object) not in topic]
        structure = self.structure.grow(step.position, step.relation, option.kind)
        return _Way((*self.steps, step), structure, self.graph.grow(step.relation, triples))


class NearestPath:
    """The nearest ways to questions, with the vectors that it read."""

    def __init__(self, encoder: str | None = None) -> None:
        """Load the encoder.

        Raises:
            ScorerUnavailableError: it is not there.

        """
        files = EncoderFiles.locate(encoder)
        self._vectors = TextVectors(MiniLm.load(files), Words(files), OPTION_TEXTS_KEPT)

    def answered(self, question: BenchmarkQuestion, store: GraphStore) -> Comparison:
        """How the answers at the end of the nearest way compare with what the benchmark says.

        Raises:
            GraphStoreError: the graph cannot be read.
            ValueError: no reading of the question leads to an answer, so that the number of steps is not known.

        """
        right = next(fitted_readings(question, store))
        found = self.derivation(question.text, right.topic, hops(right), store)
        return compared_with(question, found, store)

    def validate(
        self,
        source: Source,
        sources: Sources,
        *,
        most: int | None = None,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> dict[str, Any]:
        """Its figures over the questions that `validation.validate` asks a scorer, with their topics given."""
        found: list[Comparison] = []
        best: list[float] = []
        for each in questions_to_ask(replace(source, topics="given"), sources, most=most):
            found.append(self.answered(each.question, each.store))
            best.append(each.perfect or 0.0)
            progress(each.number, each.total)
        hits, f1s = [one.hit_first for one in found], [one.f1 for one in found]
        return {
            "topics": "gold",
            "answerable": {
                "questions": len(found),
                "hits_at_1": fmean(hits) if found else None,
                "macro_f1": fmean(f1s) if found else None,
            },
            "perfect_f1": fmean(best) if best else None,
            "intervals": intervals(list(zip(hits, f1s, strict=True))),
        }

    def derivation(self, question: str, topic: Entity, length: int, store: GraphStore) -> Derivation | None:
        """The way of ``length`` steps that is most like the question; None where none is so long."""
        linking = link(question, store, topic)
        root = AbstractStructure.rooted((linking.topic and linking.topic.name) or topic.mid)
        asked = masked_text(question, linking)
        ways = [_Way((), root, InstanceGraph.rooted(topic))]
        for _ in range(length - 1):
            steps = list(self._steps(asked, ways, store))[:_FOLLOWED]
            ways = [way.followed(option, store) for way, option in steps]
        last = next(self._steps(asked, ways, store), None)
        if last is None:
            return None
        way, option = last
        return Derivation(topic, (*way.steps, option.step), (), length)

    def _steps(self, asked: str, ways: list[_Way], store: GraphStore) -> Iterator[tuple[_Way, StepOption]]:
        """Every way with a step more, the likest to the question first."""
        steps = [(way, option) for way in ways for option in way.options(store)]
        texts = [option_text(option, DecisionState(Stage.SEARCH, "", way.structure, None)) for way, option in steps]
        if not texts:
            return
        vectors, _ = self._vectors.of([asked, *texts])
        likeness = (vectors[1:] @ vectors[0]).tolist()
        for place in sorted(range(len(steps)), key=lambda place: -likeness[place]):
            yield steps[place]
