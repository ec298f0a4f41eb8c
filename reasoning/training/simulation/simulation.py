"""Labelling simulated: quality of a scorer by number of labels, for several orders of labelling.

Gold derivations take the place of people: a question that is chosen is labelled at once. A scorer is trained again from
all labels so far, and chooses what is labelled next; then it is asked validation questions, which are not labelled.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasoning.engine.engine import answer
from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.intervals import interval, paired_interval
from reasoning.labels.worth_labelling import Candidate, disagreement, doubt, in_order, kind_of, steps_made
from reasoning.narration.replay import decisions_made
from reasoning.run.run import DECISIONS_ALONE
from reasoning.scorers.encoder.architecture import ModelShape
from reasoning.training.lessons.sources import lessons
from reasoning.training.recipe.settings import TrainingSettings
from reasoning.training.simulation.trial import trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.narration.replay import Made
    from reasoning.scorers.base import Scorer
    from reasoning.training.lessons.samples import TrainingSample
    from reasoning.training.simulation.journal import Journal

RANDOM, DOUBT, DISAGREEMENT, KINDS = "random", "doubt", "disagreement", "kinds"
ORDERS = (RANDOM, DOUBT, DISAGREEMENT, KINDS)
"""By chance; where the model is least sure; where two models that started otherwise differ; one of each kind in turn.
All but the first see to it that no ten alike follow each other."""
COLUMNS = ("seed", "order", "labels", "macro_f1", "hits_at_1", "seconds")
SHAPE = ModelShape(first_adapted_layer=6, hidden=64)
"""The head alone learns: the encoder stays as published, so that a training takes seconds."""
SETTINGS = TrainingSettings(
    epochs=6, epoch_samples=600, head_learning_rate=0.003, dev_share=0.0, patience=6, untyped=0.0, threads=1
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated."""

    labels: tuple[int, ...] = (50, 100, 200, 400)
    """The numbers of labels after which the scorer is judged, in ascending order."""
    begun: int = 25
    """Number of questions that are drawn at random before a model can choose."""
    looked_at: float = 1.5
    """A model chooses among this multiple of the wanted questions, drawn at random."""
    seeds: int = 3
    orders: tuple[str, ...] = ORDERS


class Simulation:
    """Questions with gold derivations over a graph, some to be labelled and others to be asked."""

    def __init__(
        self, pool: Sequence[BenchmarkQuestion], tested: Sequence[BenchmarkQuestion], store: GraphStore, plan: Plan
    ) -> None:
        """Take the questions.

        Raises:
            ValueError: there are not enough questions to label, or none to ask.

        """
        if len(pool) < plan.labels[-1] or not tested:
            raise ValueError(f"{len(pool):,} questions can be labelled, {plan.labels[-1]:,} are wanted")
        self._by_id = {question.id: question for question in pool}
        self._tested = tested
        self._store = store
        self._plan = plan
        self._lessons: dict[str, list[TrainingSample]] = {}

    @property
    def points(self) -> int:
        """How many times a scorer is trained and asked."""
        return self._plan.seeds * len(self._plan.orders) * len(self._plan.labels)

    def run(self, journal: Journal, progress: Callable[[str], None] = lambda _: None) -> None:
        """Compute all points that the journal does not hold; ``progress`` is called with what was done."""
        for seed in range(self._plan.seeds):
            for order in self._plan.orders:
                for row in self._course(seed, order, journal.rows):
                    journal.add(row)
                    progress(f"seed {seed}, {order}, {row['labels']} labels")

    def _course(self, seed: int, order: str, known: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The points of an order that are not known yet."""
        done = {row["labels"]: row for row in known if (row["seed"], row["order"]) == (seed, order)}
        chance = random.Random(f"{seed} begun")  # noqa: S311 - no secret
        # All orders of a seed begin with the same labels.
        labelled = chance.sample(sorted(self._by_id), self._plan.begun)
        for count in self._plan.labels:
            if count in done:
                labelled = done[count]["labelled"]
                continue
            labelled = [*labelled, *self._chosen(labelled, count - len(labelled), order, seed)]
            with self._trained(labelled, seed) as scorer:
                outcomes = [ask(each, self._store, scorer, EvaluationSettings(topics="gold")) for each in self._tested]
            yield {
                "seed": seed,
                "order": order,
                "labels": count,
                "macro_f1": fmean(one.f1 for one in outcomes),
                "hits_at_1": fmean(one.hit_first for one in outcomes),
                "seconds": sum(one.seconds for one in outcomes),
                "f1": [one.f1 for one in outcomes],
                "labelled": labelled,
            }

    def _chosen(self, labelled: Sequence[str], count: int, order: str, seed: int) -> list[str]:
        """The next questions to label."""
        chance = random.Random(f"{seed} {order} {len(labelled)}")  # noqa: S311 - no secret
        rest = sorted(self._by_id.keys() - set(labelled))
        if order == RANDOM:
            return chance.sample(rest, count)
        looked_at = chance.sample(rest, min(len(rest), round(count * self._plan.looked_at)))
        with self._trained(labelled, seed) as scorer:
            first = {id_: self._decided(id_, scorer) for id_ in looked_at}
        second = first
        if order == DISAGREEMENT:
            with self._trained(labelled, seed + 1_000) as scorer:
                second = {id_: self._decided(id_, scorer) for id_ in looked_at}
        worth: dict[str, float] = {
            id_: doubt(first[id_]) or 0.0
            if order == DOUBT
            else disagreement(first[id_], second[id_])
            if order == DISAGREEMENT
            else 1.0
            for id_ in looked_at
        }
        candidates = (Candidate(id_, worth[id_], kind_of(steps_made(first[id_]))) for id_ in looked_at)
        return [each.key for each in in_order(candidates)[:count]]

    def _decided(self, id_: str, scorer: Scorer) -> list[Made]:
        question = self._by_id[id_]
        topic = question.topic
        return decisions_made(answer(question.text, self._store, scorer, topic=topic, limits=DECISIONS_ALONE))

    def _trained(self, labelled: Sequence[str], seed: int) -> Any:
        samples = [sample for id_ in labelled for sample in self._taught(id_)]
        return trial(samples, replace(SETTINGS, seed=seed), SHAPE)

    def _taught(self, id_: str) -> list[TrainingSample]:
        if id_ not in self._lessons:
            self._lessons[id_] = list(lessons(self._by_id[id_], self._store, Counter()))
        return self._lessons[id_]


def simulated(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The figures by order and number of labels, over the seeds that have them, and their difference from chance.

    Intervals (95 %) are by the bootstrap over the validation questions, each with the mean of its seeds: they say
    nothing of how another draw of labels would do, which ``seeds`` shows.
    """
    found: defaultdict[tuple[int, str], dict[int, list[float]]] = defaultdict(dict)
    for row in rows:
        found[row["labels"], row["order"]][row["seed"]] = row["f1"]
    figures = []
    for (labels, order), by_seed in sorted(found.items(), key=lambda one: (one[0][0], ORDERS.index(one[0][1]))):
        mean = _per_question([by_seed[seed] for seed in sorted(by_seed)])
        same = sorted(by_seed.keys() & found.get((labels, RANDOM), {}).keys())
        difference = None
        if order != RANDOM and same:
            chance = _per_question([found[labels, RANDOM][seed] for seed in same])
            chosen = _per_question([by_seed[seed] for seed in same])
            difference = {"mean": fmean(chosen) - fmean(chance), "interval": paired_interval(chance, chosen)}
        figures.append(
            {
                "labels": labels,
                "order": order,
                "seeds": [fmean(by_seed[seed]) for seed in sorted(by_seed)],
                "macro_f1": fmean(mean),
                "interval": interval(mean),
                "over_random": difference,
            }
        )
    return figures


def _per_question(f1s: Sequence[Sequence[float]]) -> list[float]:
    return [fmean(each) for each in zip(*f1s, strict=True)]
