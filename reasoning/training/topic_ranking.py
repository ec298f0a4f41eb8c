"""Trains the order of topics (`reasoning.question.topics.ranking`) on questions with known topics.

The loss is the negative log of the probability that all gold candidates of a question have together, where the
candidates' log-odds are normalized within the question. Each set of questions has the same weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from reasoning.question.linking import topic_choice
from reasoning.question.topics.ranking import TopicRanking

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion

_HIDDEN = 16
_STEPS = 300
_LEARNING_RATE = 0.01
_WEIGHT_DECAY = 1e-3
_SMALLEST_SCALE = 1e-3
"""A feature that varies by less is as good as constant."""


@dataclass(frozen=True, slots=True)
class TopicExamples:
    """The candidates of the questions of one set that have a gold topic among them."""

    names: tuple[str, ...]
    features: NDArray[np.float64]
    """(candidates, features)."""
    question: NDArray[np.int64]
    """(candidates,), the number of the question."""
    gold: NDArray[np.bool_]
    """(candidates,)."""

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return int(self.question[-1]) + 1


def topic_examples(questions: Iterable[BenchmarkQuestion], store: GraphStore) -> TopicExamples:
    """Read the candidates of questions in a graph.

    Raises:
        ValueError: no question has a gold topic among its candidates.

    """
    features: list[NDArray[np.float64]] = []
    places: list[NDArray[np.int64]] = []
    gold: list[NDArray[np.bool_]] = []
    names: tuple[str, ...] = ()
    for question in questions:
        topics = {parse.topic for parse in question.parses if parse.topic is not None}
        choice = topic_choice(question.text, store)
        if not choice.candidates:
            continue
        is_gold = np.array([candidate.match.card.entity in topics for candidate in choice.candidates])
        if is_gold.any():
            found, values = choice.features()
            names = tuple(found)
            places.append(np.full(len(is_gold), len(gold)))
            features.append(values)
            gold.append(is_gold)
    if not gold:
        raise ValueError("No question has its topic among the candidates. Check that the graph fits the questions.")
    return TopicExamples(names, np.concatenate(features), np.concatenate(places), np.concatenate(gold))


def train_topic_ranking(sets: Sequence[TopicExamples]) -> TopicRanking:
    """Train on sets of questions; the same each time.

    Raises:
        ValueError: there is no set.

    """
    if not sets:
        raise ValueError("Name at least one set of questions.")
    torch.manual_seed(0)
    features = np.concatenate([each.features for each in sets])
    means, scales = features.mean(0), features.std(0)
    scales[scales < _SMALLEST_SCALE] = 1.0
    scaled = torch.from_numpy((features - means) / scales).float()
    firsts = np.cumsum([0, *(each.questions for each in sets)])
    question = torch.from_numpy(
        np.concatenate([each.question + first for each, first in zip(sets, firsts[:-1], strict=True)])
    )
    gold = torch.from_numpy(np.concatenate([each.gold for each in sets]))
    sizes = np.diff(firsts)
    weights = torch.from_numpy(np.repeat(1 / (len(sets) * sizes), sizes)).float()
    hidden, output = torch.nn.Linear(features.shape[1], _HIDDEN), torch.nn.Linear(_HIDDEN, 1, bias=False)
    steps = torch.optim.Adam(
        [*hidden.parameters(), *output.parameters()], lr=_LEARNING_RATE, weight_decay=_WEIGHT_DECAY
    )
    for _ in range(_STEPS):
        odds = output(torch.tanh(hidden(scaled))).squeeze(-1)
        lost = _log_sums(odds, question, len(weights)) - _log_sums(odds[gold], question[gold], len(weights))
        steps.zero_grad()
        torch.autograd.backward((lost * weights).sum())
        steps.step()
    return TopicRanking(
        sets[0].names,
        means,
        scales,
        hidden.weight.detach().numpy().T.astype(np.float64),
        hidden.bias.detach().numpy().astype(np.float64),
        output.weight.detach().numpy()[0].astype(np.float64),
    )


def _log_sums(odds: torch.Tensor, question: torch.Tensor, questions: int) -> torch.Tensor:
    """(questions,), the logarithm of the sum of the odds of each."""
    most = torch.full((questions,), -torch.inf).scatter_reduce(0, question, odds.detach(), "amax")
    return most + torch.log(torch.zeros(questions).scatter_add(0, question, torch.exp(odds - most[question])))
