"""The explorer's parameters and equations (EtD, arXiv 2406.01145, section 3.1, "Exploration with GNN").

Letters in shapes: ``d`` the width of the explorer, ``t`` that of text vectors, ``b`` questions explored together,
``n`` vectors of nodes (a node is a question and one of its entities), ``r`` relations and the identity after them,
``m`` messages (a vector and a relation, or the identity, each), ``e`` edges. Nodes that have the same vector share it;
see `alike`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from reasoning.strategies.etd.edges import Numbers
    from reasoning.strategies.etd.shape import ExplorerShape


class Layer(nn.Module):
    """The parameters of one layer: attention and update."""

    def __init__(self, width: int, *, norm: bool) -> None:
        super().__init__()
        self.of_head, self.of_relation, self.of_question, self.of_both = (
            nn.Parameter(torch.randn(width) / width**0.5) for _ in range(4)
        )
        self.update = nn.Linear(width, width, bias=False)
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()


class ExplorerModel(nn.Module):
    """The graph network and the perceptron that are trained; the text encoder before them is frozen."""

    def __init__(self, shape: ExplorerShape) -> None:
        super().__init__()
        self.shape = shape
        width = shape.width
        self.text = nn.Linear(shape.text, width, bias=False)
        self.text_dropout = nn.Dropout(0.0)
        """Leaves nothing out but in a training that says so."""
        self.inverse = nn.Linear(width, width)
        self.identity = nn.Parameter(torch.randn(width))
        self.layers = nn.ModuleList(Layer(width, norm=shape.norm) for _ in range(shape.layers))
        self.rank = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))
        self.depth = nn.Linear(width, shape.layers) if shape.chosen_depth else None

    def questions(self, texts: Tensor) -> Tensor:
        """h_q = W_L enc(q): (b, t) to (b, d). Text vectors have length 1; they are brought to one a component."""
        projected: Tensor = self.text(self.text_dropout(texts) * self.shape.text**0.5)
        return projected

    def relations(self, texts: Tensor, reverse: Tensor) -> Tensor:
        """h_r = W_L enc(r), h_-r = W_inv h_r + b, h_id: (r - 1, t) and (r - 1) to (r, d).

        ``reverse`` says which relations are followed from object to subject; their texts are those of the predicate.
        """
        forward = self.questions(texts)
        directed = torch.where(reverse[:, None], self.inverse(forward), forward)
        return torch.cat([directed, self.identity[None]])

    def depths(self, questions: Tensor) -> Tensor:
        """The logarithm of p(l | q), that answers stand l layers from the topic: (b, d) to (b, L).

        A softmax of W_depth h_q + b (ours; the paper leaves a depth of each question to later work). Where the
        explorer chooses none, the last layer is certain.
        """
        if self.depth is None:
            last = questions.new_full((len(questions), self.shape.layers), -torch.inf)
            last[:, -1] = 0.0
            return last
        found: Tensor = self.depth(questions).log_softmax(1)
        return found

    def _layer(self, number: int) -> Layer:
        part = self.layers[number]
        if not isinstance(part, Layer):
            raise TypeError("a layer is a Layer")
        return part

    def _first_map(self) -> nn.Linear:
        part = self.rank[0]
        if not isinstance(part, nn.Linear):
            raise TypeError("the perceptron begins with a map")
        return part

    def attention(
        self,
        layer: int,
        nodes: Tensor,
        relations: Tensor,
        questions: Tensor,
        *,
        head: Numbers,
        relation: Numbers,
        question: Numbers,
    ) -> Tensor:
        """The attention of messages (m), 0 to 1, over nodes (n, d), relations (r, d) and questions (b, d).

        alpha = sigmoid(w_s h_s + w_r h_r + w_q h_q + w_qr (h_r * h_q)), weights per layer; ``head``, ``relation`` and
        ``question`` (m) say whose.
        """
        part = self._layer(layer)
        asked = torch.from_numpy(question)
        led = torch.from_numpy(relation)
        both = (questions * part.of_both) @ relations.T
        return torch.sigmoid(
            _rows(nodes @ part.of_head, torch.from_numpy(head))
            + _rows(relations @ part.of_relation, led)
            + _rows(questions @ part.of_question, asked)
            + _rows(both.flatten(), asked * len(relations) + led)
        )

    def passed(
        self,
        layer: int,
        nodes: Tensor,
        relations: Tensor,
        attention: Tensor,
        *,
        head: Numbers,
        relation: Numbers,
        message: Numbers,
        tail: Numbers,
        tails: int,
    ) -> Tensor:
        """The nodes of the next layer (tails, d).

        h_o = act(W sum over kept edges of alpha (h_s * h_r)). ``head`` and ``relation`` are by message (m), ``message``
        and ``tail`` by kept edge (e).
        """
        part = self._layer(layer)
        sent = attention[:, None] * _rows(nodes, torch.from_numpy(head)) * _rows(relations, torch.from_numpy(relation))
        summed = nodes.new_zeros(tails, nodes.shape[1])
        summed = summed.index_add(0, torch.from_numpy(tail), _rows(sent, torch.from_numpy(message)))
        return torch.relu(part.norm(part.update(summed)))

    def log_probabilities(self, nodes: Tensor, questions: Tensor, question: Numbers, count: Numbers) -> Tensor:
        """The logarithm of p(q, e) of candidates (n, d), ``question`` (n) says of which of the questions (b, d).

        p = softmax over the candidates of a question of MLP([h_e ; h_q]); ``count`` (n) of them have the vector. The
        half of its first map that reads h_q is computed once a question: W [h_e ; h_q] = W_e h_e + W_q h_q.
        """
        asked = torch.from_numpy(question)
        first, width = self._first_map(), self.shape.width
        of_questions = functional.linear(questions, first.weight[:, width:], first.bias)
        scores = self.rank[1:](functional.linear(nodes, first.weight[:, :width]) + _rows(of_questions, asked))[:, 0]
        most = scores.new_full((len(questions),), -torch.inf).scatter_reduce(0, asked, scores.detach(), "amax")
        shifted = scores - most[asked]
        total = scores.new_zeros(len(questions)).index_add(0, asked, torch.from_numpy(count) * shifted.exp())
        found: Tensor = shifted - _rows(total.log(), asked)
        return found


def _rows(values: Tensor, which: Tensor) -> Tensor:
    """``values[which]``, whose gradient takes a fifth of the time this way."""
    return values.index_select(0, which)


def as_numbers(values: Tensor) -> NDArray[np.floating]:
    """The values of a tensor, without what they were computed from."""
    found: NDArray[np.floating] = values.detach().numpy()
    return found
