"""The judge's parameters: how well an entity goes with a question.

EPERM (arXiv 2502.16171, section 3.3) asks a language model; the head is ours.

Letters in shapes: ``t`` the length of a text vector, ``w`` that of its projection, ``n`` entities, ``f`` flags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from reasoning.strategies.eperm.surroundings import FLAGS, OF_ANOTHER_KIND

if TYPE_CHECKING:
    from reasoning.strategies.eperm.shape import JudgeShape

PARTS = ("name", "types", "relations around it", "relation that led to it")
"""What is read of an entity; of several texts the mean, and nothing where there are none."""
_FOR_IT = 2.0
"""The logit of one of which nothing is learned: most of what a good plan leads to is right."""
_OF_ANOTHER_KIND = 4.0
"""At first subtracted for terms of another type, next to terms of the type that is asked for: few questions show it
and READS' own choice of kinds is rarely wrong (ours)."""


class JudgeModel(nn.Module):
    """A perceptron over how each part of an entity goes with the question; the text encoder before it is frozen."""

    def __init__(self, shape: JudgeShape) -> None:
        super().__init__()
        self.shape = shape
        parts, width = len(PARTS), shape.width
        self.question = nn.Linear(shape.text, width, bias=False)
        self.parts = nn.ModuleList(nn.Linear(shape.text, width, bias=False) for _ in range(parts))
        self.hidden = nn.Linear(parts * width + parts + len(FLAGS), shape.hidden)
        self.score = nn.Linear(shape.hidden, 1)
        nn.init.zeros_(self.score.weight)
        nn.init.constant_(self.score.bias, _FOR_IT)

    def logits(self, questions: Tensor, parts: Tensor, flags: Tensor) -> Tensor:
        """The logit of each entity (n): questions (n, t), parts (n, `PARTS`, t), flags (n, f).

        The perceptron sees the products of the projected question with each projected part, their cosines as they are,
        and the flags; what is of another kind than is asked for begins lower.
        """
        scale = self.shape.text**0.5
        asked = self.question(questions * scale)
        products = [asked * part(parts[:, place] * scale) for place, part in enumerate(self.parts)]
        cosines = (parts * questions[:, None]).sum(-1)
        hidden = torch.relu(self.hidden(torch.cat([*products, cosines, flags], 1)))
        found: Tensor = self.score(hidden)[:, 0] - _OF_ANOTHER_KIND * flags[:, FLAGS.index(OF_ANOTHER_KIND)]
        return found
