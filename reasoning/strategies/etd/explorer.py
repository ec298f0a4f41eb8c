"""Exploration: layer by layer from the topics, keeping the best edges of every head (arXiv 2406.01145, section 3.1)."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from reasoning.strategies.etd.alike import alike, numbered
from reasoning.strategies.etd.edges import ranges
from reasoning.strategies.etd.keeping import kept_of_groups, without_noise
from reasoning.strategies.etd.model import as_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from kgstore.store import GraphStore
    from kgstore.terms import Relation
    from reasoning.strategies.etd.edges import Edges, Groups, Numbers
    from reasoning.strategies.etd.model import ExplorerModel

IDENTITY = -1
"""In place of a relation: the entity stays where it is."""


@dataclass(frozen=True, slots=True)
class ExploredLayer:
    """What a layer looked at and kept. Heads are numbers of nodes of the layer before, tails of nodes of this one."""

    groups: Groups
    attention: NDArray[np.floating]
    """By group."""
    kept: Numbers
    """The first edges of each group that are kept."""
    head: Numbers
    """By kept edge, the identities of all heads after the others."""
    relation: Numbers
    """By kept edge; `IDENTITY` for an identity."""
    weight: NDArray[np.floating]
    """By kept edge: its attention."""
    tail: Numbers
    """By kept edge."""
    term: Numbers
    """By node of this layer: the number of its term."""
    question: Numbers
    """By node of this layer."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """What came of exploring some questions."""

    layers: tuple[ExploredLayer, ...]
    log_probabilities: Tensor
    """By node of the last layer: log p(q, e). All candidates are there, for the identity keeps those of every layer."""
    log_depths: Tensor
    """By question and layer (b, L): log p(l | q)."""

    def probabilities(self) -> NDArray[np.floating]:
        """p(q, e) by node of the last layer."""
        return np.exp(as_numbers(self.log_probabilities).astype(np.float64))

    def depths(self) -> NDArray[np.floating]:
        """p(l | q) by question and layer (b, L)."""
        return np.exp(as_numbers(self.log_depths).astype(np.float64))


def explore(
    model: ExplorerModel,
    store: GraphStore,
    edges: Edges,
    relation_texts: RelationTexts,
    topics: Sequence[int],
    questions: Tensor,
    may_recur: Sequence[bool],
    ends_after: int | None = None,
) -> Exploration:
    """Explore questions from their topics, each given by the number of its term.

    What ends after this number of layers is ranked after its last layer. Where the number is open, as in a
    training, p is ranked after every layer that may be the last: p(q, e) = sum over l of p(l | q) p_l(q, e).

    Args:
        model: the parameters.
        store: where edges are read that are not among ``edges``.
        edges: those that were read.
        relation_texts: gives the text vectors of relations.
        topics: C^0 of each question.
        questions: the text vectors of the questions (b, t).
        may_recur: of each question, whether edges may lead back to its topic.
        ends_after: how many layers are explored; None where that is open.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    asked = model.questions(questions)
    topic = np.array(topics, np.int64)
    barred = np.where(np.array(may_recur, bool), -1, topic)
    term, question = topic, np.arange(len(topic))
    nodes, relations = asked, None
    vector, asked_by = question, question  # by node, by vector
    depths = model.depths(asked)
    weighed = model.shape.chosen_depth and ends_after is None
    ranked: Tensor | None = None
    layers: list[ExploredLayer] = []
    for layer in range(ends_after or model.shape.layers):
        groups, tails = edges.groups(store, term)
        if relations is None or len(relations) <= len(edges.relations):
            relations = relation_texts.of(model, edges)
        identity = len(relations) - 1
        terms = len(edges.terms)
        stays = np.arange(len(term))
        head = np.concatenate([groups.head, stays])
        relation = np.concatenate([groups.relation, np.full(len(term), identity)])
        messages, message = np.unique(vector[head] * len(relations) + relation, return_inverse=True)
        sender, led = np.divmod(messages, len(relations))
        attention = model.attention(
            layer, nodes, relations, asked, head=sender, relation=led, question=asked_by[sender]
        )
        weights = without_noise(as_numbers(attention))[message]
        kept = kept_of_groups(groups.head, groups.total, weights[: len(groups.head)], model.shape.keep)
        group = np.repeat(np.arange(len(kept)), kept)
        led_to = tails[ranges(groups.first, kept)]
        through = question[groups.head[group]]
        fits = led_to != barred[through]
        group = np.concatenate([group[fits], len(kept) + stays])
        place = np.concatenate([through[fits], question]) * terms + np.concatenate([led_to[fits], term])
        tail, first = numbered(place)
        next_question, next_term = np.divmod(place[first], terms)
        vector, shown = alike(message[group], tail, len(first))
        into_shown = np.flatnonzero(shown[vector[tail]] == tail)
        nodes = model.passed(
            layer,
            nodes,
            relations,
            attention,
            head=sender,
            relation=led,
            message=message[group[into_shown]],
            tail=vector[tail[into_shown]],
            tails=len(shown),
        )
        asked_by = next_question[shown]
        codes = np.where(relation == identity, IDENTITY, relation)
        layers.append(
            ExploredLayer(
                groups,
                weights[: len(groups.head)],
                kept,
                head[group],
                codes[group],
                weights[group],
                tail,
                next_term,
                next_question,
            )
        )
        if weighed:
            here = _ranked(model, nodes, asked, asked_by, vector) + depths[:, layer].index_select(
                0, torch.from_numpy(next_question)
            )
            if ranked is not None:
                stayed = torch.from_numpy(tail[-len(stays) :])
                here = torch.logaddexp(here, torch.full_like(here, -torch.inf).index_copy(0, stayed, ranked))
            ranked = here
        term, question = next_term, next_question
    if ranked is None:
        ranked = _ranked(model, nodes, asked, asked_by, vector)
    return Exploration(tuple(layers), ranked, depths)


def _ranked(model: ExplorerModel, nodes: Tensor, asked: Tensor, asked_by: Numbers, vector: Numbers) -> Tensor:
    """By node: log p(q, e)."""
    found = model.log_probabilities(nodes, asked, asked_by, np.bincount(vector))
    return found.index_select(0, torch.from_numpy(vector))


def chosen_depths(model: ExplorerModel, questions: Tensor) -> list[int]:
    """By question, from their text vectors (b, t): the most probable depth."""
    depths: list[int] = (model.depths(model.questions(questions)).argmax(1) + 1).tolist()
    return depths


class RelationTexts:
    """The text vectors of a graph's relations, as many as were met so far."""

    def __init__(self, read: Callable[[Sequence[Relation]], Tensor]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._vectors = torch.zeros(0, 0)
        self._reverse = torch.zeros(0, dtype=torch.bool)

    def of(self, model: ExplorerModel, edges: Edges) -> Tensor:
        """The vectors of all relations of the edges, and the identity's (r, d)."""
        with self._lock:
            relations = edges.relations[len(self._reverse) :]
            if relations or not self._vectors.numel():
                new = self._read(relations)
                self._vectors = torch.cat([self._vectors.reshape(-1, new.shape[1]), new])
                self._reverse = torch.cat([self._reverse, torch.tensor([one.is_reverse for one in relations]).bool()])
            # Another thread may meet more of them as soon as it can.
            vectors, reverse = self._vectors, self._reverse
        return model.relations(vectors.to(model.identity.dtype), reverse)


def best_edges(layer: ExploredLayer) -> Numbers:
    """By node of a layer, the kept edge that led to it with the largest attention; of equals the first.

    Identities come after all others.
    """
    order = np.lexsort((np.arange(len(layer.tail)), -layer.weight, layer.tail))
    _, first = np.unique(layer.tail[order], return_index=True)
    return order[first]
