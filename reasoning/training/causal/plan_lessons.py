"""Lessons of RoG: to choose plans among whole relation paths, and to name the answers among what lies along plans.

RoG (arXiv 2310.01061, section 4.2) fine-tunes one language model for both: L_plan is the mean of -log P(z given q) over
the shortest ways z from the topic to answers, L_reason is -log P(a given q, the paths along plans). A question is asked
here as the strategy `rog` asks it, with a planner and a writer that only note what they are asked: so a lesson is word
for word what the model will read.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Term
from reasoning.core.strategy_options import WRITER
from reasoning.core.switches import EngineSwitches
from reasoning.run.run import TERSE, Run
from reasoning.scorers.base import Cost, Distribution
from reasoning.scorers.causal.transcript import plan_parts, plan_text
from reasoning.strategies.answer_candidates import may_answer
from reasoning.strategies.plans.options import PLANS
from reasoning.strategies.plans.path_text import name_cut
from reasoning.strategies.plans.proposed import way_to
from reasoning.strategies.registry import STRATEGIES, TAUGHT
from reasoning.training.causal.texts import TextSample
from reasoning.training.lessons.weak import NotFound, answered, shortest_labels
from reasoning.writers.base import WRITING_SECONDS, Written, never

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Relation
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.strategies.plans.plan import Way
    from reasoning.training.causal.settings import Lesson
    from reasoning.training.lessons.sources import Sources
    from reasoning.training.recipe.recipe import Source
    from reasoning.writers.base import Message

OTHER_PATHS = 63
"""Number of wrong paths, besides the right ones, that are kept as options for judging a model."""
MAX_NAMES = 50
"""A lesson names no more answers."""


def plan_lessons(
    sources: Sources, wanted: Sequence[Lesson], progress: Callable[[str, int, int], None]
) -> Iterator[TextSample]:
    """The lessons of the questions of all sources that have answers, and of those for validation.

    ``wanted`` are those of `LESSONS` besides the decisions; ``progress`` is called with source, done, total.

    Raises:
        GraphStoreError: a graph cannot be read.
        DatasetError, GraphLoadError, SchemaError: a file cannot be read.

    """
    for source in sources.recipe.sources:
        questions = [one for split in ("train", "validation") for one in sources.questions(source, split)]
        with sources.graph(source, questions) as store:
            for number, question in enumerate(questions, start=1):
                found = [one for one in lessons_of(question, source, store) if one.stage in wanted]
                if found and question.split == "train":
                    sources.teach(source, question)
                yield from found
                progress(source.name, number, len(questions))


def lessons_of(question: BenchmarkQuestion, source: Source, store: GraphStore) -> list[TextSample]:
    """A lesson of each right plan, of equals one for validation, and one of the answers.

    None where no way leads from the topic to an answer precisely enough, or nothing else could be chosen.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    readings = answered(question, store)
    labels = shortest_labels(question.text, readings, store, precision=source.precision)
    if isinstance(labels, NotFound):
        return []
    topic = labels[0].topic
    right = [tuple(step.relation for step in label.steps) for label in labels if label.topic == topic]
    answers = frozenset[Term]().union(*(terms for entity, terms in readings if entity == topic))
    planner, writer = _Planner(question.id, right), _Writer()
    strategy = STRATEGIES[TAUGHT]
    switches = EngineSwitches(
        options={} if strategy.answered_by is None else {strategy.answered_by.name: WRITER},
        topic_may_answer=question.topic_may_answer,
        topic_may_recur=question.topic_may_recur,
    )
    run = Run(question.text, store, planner, topic=topic, writer=writer, limits=TERSE, switches=switches)
    for _ in strategy.open().answer(run):
        pass
    made = _Made(question, source)
    return [*made.plans(planner), *made.answers(planner, writer, run, answers)]


@dataclass(frozen=True, slots=True)
class _Made:
    """Makes the lessons of a question."""

    question: BenchmarkQuestion
    source: Source

    def plans(self, planner: _Planner) -> Iterator[TextSample]:
        """To choose each right plan among the paths around the topic."""
        if planner.state is None:
            return
        offered = planner.offered
        rights = [index for index, way in enumerate(offered) if way in planner.right]
        first, *others = rights if len(offered) > len(rights) else []
        texts = tuple(map(plan_text, offered))
        for index in (first,) if self.question.split != "train" else (first, *others):
            ordered = (index, *(one for one in rights if one != index))
            yield self._lesson("plans", tuple(plan_parts(planner.state)), texts, ordered)

    def answers(self, planner: _Planner, writer: _Writer, run: Run, answers: frozenset[Term]) -> Iterator[TextSample]:
        """To name the answers that are shown, rather than what another plan leads to."""
        if len(writer.asked) != 1:
            return
        prompt = writer.asked[0].text
        ends = {way_to(run, node.position): node.position for node in run.trace.structure.nodes}
        named = [_names(run, may_answer(run, ends[way]), prompt) for way in planner.followed if way in ends]
        right = list(dict.fromkeys(name for names in named for name, terms in names.items() if terms & answers))
        others = list(dict.fromkeys("\n".join(list(names)[:MAX_NAMES]) for names in named if names))
        wanted = "\n".join(right[:MAX_NAMES])
        choices = (wanted, *(other for other in others if other != wanted))
        if right and len(choices) > 1:
            yield self._lesson("answers", (prompt,), choices, (0,))

    def _lesson(
        self, stage: Lesson, transcript: tuple[str, ...], continuations: tuple[str, ...], right: tuple[int, ...]
    ) -> TextSample:
        return TextSample(
            stage,
            self.question.text,
            transcript,
            continuations,
            right,
            self.question.group or self.question.id,
            self.question.split != "train",
            self.source.name,
        )


class _Planner:
    """A planner that takes the right plans and, up to `PLANS`, others; which comes first is left to chance.

    So neither place nor weight tells a reasoner which plan is right.
    """

    name = "planner"
    reads_paths = True

    def __init__(self, id_: str, right: Sequence[Way]) -> None:
        self.right = frozenset(right)
        self.state: DecisionState | None = None
        """What a planner is shown."""
        self.offered: list[Way] = []
        """The right paths around the topic, and some of the others."""
        self.followed: list[Way] = []
        self._id = id_

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """Knows nothing of single decisions; see `Scorer.score`."""
        del state, best
        return Distribution(dict.fromkeys(range(len(pool)), 1 / max(len(pool), 1)), 0.0, Cost())

    def score_paths(
        self, state: DecisionState, paths: Sequence[tuple[Relation, ...]], *, best: int | None = None
    ) -> Distribution:
        """See `PathScorer.score_paths`."""
        del best
        self.state = state
        order = sorted(range(len(paths)), key=lambda index: self._chance(paths[index]))
        rights = [index for index in order if paths[index] in self.right]
        others = [index for index in order if paths[index] not in self.right][:OTHER_PATHS]
        self.offered = [paths[index] for index in sorted((*rights, *others))]
        # At least one other, where there is any: a right option alone teaches nothing. Others of its
        # length are harder to tell apart from it than those that lead far away.
        taken = rights[: PLANS.usual - 1]
        length = len(paths[taken[0]]) if taken else 1
        others.sort(key=lambda index: abs(len(paths[index]) - length))
        chosen = sorted((*taken, *others[: PLANS.usual - len(taken)]), key=lambda index: self._chance(paths[index]))
        self.followed = [paths[index] for index in chosen]
        shares = {index: float(len(chosen) - place) for place, index in enumerate(chosen)}
        total = sum(shares.values()) or 1.0
        return Distribution({index: share / total for index, share in shares.items()}, 0.0, Cost())

    def _chance(self, path: Sequence[Relation]) -> bytes:
        return hashlib.sha256(f"{self._id} {plan_text(path)}".encode()).digest()


class _Writer:
    """A writer that writes nothing."""

    name = "writer"

    def __init__(self) -> None:
        self.asked: tuple[Message, ...] = ()

    def write(
        self,
        messages: Sequence[Message],
        *,
        limit: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        seconds: float = WRITING_SECONDS,
        cancelled: Callable[[], bool] = never,
    ) -> Written:
        """See `Writer.write`."""
        del limit, temperature, stop, seconds, cancelled
        self.asked = tuple(messages)
        return Written("None", Cost())


def _names(run: Run, terms: frozenset[Term], prompt: str) -> dict[str, set[Term]]:
    """What a model is shown of some terms by name, in the order in which it is shown."""
    run.narrator.learn(terms)
    found: dict[str, set[Term]] = {}
    for term in terms:
        found.setdefault(name_cut(run.narrator.term(term).label), set()).add(term)
    places = {name: prompt.find(name) for name in found}
    return {name: found[name] for name in sorted(places, key=lambda one: (places[one], one)) if places[name] >= 0}
