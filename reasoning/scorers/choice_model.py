"""The trained part of the encoder scorer: a tower for prompts, one for options, and a head that compares them.

Prompts are read by MiniLM with a trained low-rank change in its upper layers. Options are read by MiniLM as published,
so that a relation never seen in training lies where its words put it. The head adds what the symbolic features tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from reasoning.options import Stage
from reasoning.scorers.features import CONTEXT_FEATURES, OPTION_FEATURES
from reasoning.scorers.minilm import AdaptedLinear, MiniLm, mean_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.scorers.architecture import ModelShape


class PromptTower(nn.Module):
    """MiniLM with a trained change: token ids to one vector a text."""

    def __init__(self, encoder: MiniLm, shape: ModelShape) -> None:
        super().__init__()
        self.encoder = encoder
        self.split = shape.first_adapted_layer
        for layer in list(encoder.layers)[self.split :]:
            for name in ("query", "key", "value", "attended", "inner", "outer"):
                getattr(layer, name).adapt(shape.rank)

    def lower(self, ids: Tensor, lengths: Tensor | None) -> Tensor:
        """The untrained part: ids (batch, length) to hidden vectors (batch, length, width)."""
        return self.encoder.run(self.encoder.embed(ids), lengths, slice(self.split))

    def upper(self, hidden: Tensor, lengths: Tensor | None) -> Tensor:
        """The trained part: hidden vectors to text vectors (batch, width) of length 1, in float32."""
        return mean_vectors(self.encoder.run(hidden, lengths, slice(self.split, None)), lengths)

    def merge(self) -> None:
        """Fold the change into the weights, for use after training."""
        for module in self.encoder.modules():
            if isinstance(module, AdaptedLinear):
                module.merge()


@dataclass(frozen=True, slots=True)
class Asked:
    """Decisions as the head reads them."""

    prompts: Tensor
    """(texts, width): vectors of prompt texts."""
    questions: Tensor
    """(texts, width): vectors of questions alone, read by the encoder as published."""
    options: Tensor
    """(texts, width): vectors of option texts."""
    prompt_of: Tensor
    """(batch, n): for each option the prompt text to hold it against; they differ only while linking."""
    question_of: Tensor
    """(batch,): the decision's question."""
    path_of: Tensor
    """(batch,): the text among the options' of the way to the newest node; -1 at the root."""
    option_of: Tensor
    """(batch, n): the option's text; -1 where it has no words."""
    words: Tensor
    """(texts, width): vectors of single words, read by the encoder as published."""
    words_of: Tensor
    """(batch, w): the words of each question; -1 beyond its last."""
    hop_of: Tensor
    """(batch, n): for each option the text among the options' of its own relation; -1 where it has none."""
    path_hops_of: Tensor
    """(batch, p): likewise of the steps that are taken."""
    stages: Tensor
    """(batch,): the index of the stage."""
    context: Tensor
    """(batch, c): the prompt's features."""
    features: Tensor
    """(batch, n, f): the options' features."""
    present: Tensor
    """(batch, n): false where a pool is shorter than the longest of the batch."""


_WORD_NUMBERS = 9


class Head(nn.Module):
    """From vectors and features to a logit for every option."""

    def __init__(self, width: int, shape: ModelShape) -> None:
        super().__init__()
        self.turn_prompt = nn.Linear(width, width, bias=False)
        self.turn_option = nn.Linear(width, width, bias=False)
        nn.init.eye_(self.turn_prompt.weight)
        nn.init.eye_(self.turn_option.weight)
        # None, and topics, have no words of their own: each stage learns a vector for them.
        self.wordless = nn.Parameter(torch.randn(len(Stage), width) / width**0.5)
        self.scale = nn.Parameter(torch.tensor(3.0))
        self.glance = nn.Linear(width, shape.glance)
        self.plain_scale = nn.Parameter(torch.tensor(2.0))
        inputs = shape.glance + 9 + _WORD_NUMBERS + len(CONTEXT_FEATURES) + len(OPTION_FEATURES)
        outcome = nn.Linear(shape.hidden, 1)
        nn.init.zeros_(outcome.weight)  # at first, likeness alone decides
        self.mix = nn.Sequential(nn.Linear(inputs, shape.hidden), nn.GELU(), nn.Dropout(0.1), outcome)
        self.temperature = nn.Parameter(torch.ones(len(Stage)), requires_grad=False)

    def forward(self, asked: Asked) -> Tensor:
        """Logits (batch, n); minus infinity where no option is."""
        options = torch.cat([self.turn_option(asked.options), self.wordless])
        wordless = len(asked.options) + asked.stages[:, None]
        worded = asked.option_of >= 0
        prompts = functional.normalize(self.turn_prompt(asked.prompts), dim=-1)
        cosines = prompts @ functional.normalize(options, dim=-1).T
        cosine = cosines[asked.prompt_of, torch.where(worded, asked.option_of, wordless)]
        # What the encoder says untrained: it holds for relations and wordings that training never showed.
        plain_likeness = asked.questions @ torch.cat([asked.options, torch.zeros_like(self.wordless)]).T
        plain = plain_likeness[asked.question_of[:, None], torch.where(worded, asked.option_of, wordless)]
        # None stays where the search is, so it is as like the question as the way there: a step must be more so.
        here = torch.where(
            asked.path_of >= 0, plain_likeness[asked.question_of, asked.path_of.clamp(min=0)], torch.zeros(())
        )[:, None]
        plain = torch.where(worded, plain, here)
        seen = torch.cat(
            [
                self.glance(asked.prompts)[asked.prompt_of],
                _beside_best(cosine, worded & asked.present),
                best_plain := _beside_best(plain, worded & asked.present),
                (best_plain[..., :2] - 3 * here[..., None]) * (asked.path_of >= 0)[:, None, None],
                3 * here[..., None].expand(-1, cosine.shape[1], -1),
                _by_word(asked),
                asked.context[:, None].expand(-1, cosine.shape[1], -1),
                asked.features,
            ],
            -1,
        )
        logits: Tensor = self.scale.exp() * cosine + self.plain_scale.exp() * plain + self.mix(seen).squeeze(-1)
        return (logits / self.temperature[asked.stages][:, None]).masked_fill(~asked.present, -torch.inf)


def _beside_best(cosine: Tensor, worded: Tensor) -> Tensor:
    """Each option's likeness, the best in its pool and the distance between: what None must be weighed against."""
    best = cosine.masked_fill(~worded, -1.0).max(-1, keepdim=True).values.expand_as(cosine)
    return torch.stack([cosine, best, cosine - best], -1) * 3


def _by_word(asked: Asked) -> Tensor:
    """How far each option explains words of the question that no step has explained yet: (batch, n, 9).

    A relation explains a word as far as both are alike (the late interaction of ColBERT, Khattab and Zaharia 2020, with
    whole relations). It tells what is left to be found, and whether anything in the pool would find it.
    """
    # A question may have no word that counts; a last one that is missing keeps every shape.
    asked_words = functional.pad(asked.words_of, (0, 1), value=-1)
    there = asked_words >= 0
    # (texts of options, words), with a last row for what is missing
    likeness = functional.pad(asked.options @ asked.words.T, (0, 1, 0, 1))
    words = asked_words.masked_fill(~there, likeness.shape[1] - 1)

    def explained(texts: Tensor) -> Tensor:
        rows = texts.masked_fill(texts < 0, likeness.shape[0] - 1)
        return likeness[rows[:, :, None], words[:, None, :]]  # (batch, texts, w)

    before = functional.pad(explained(asked.path_hops_of), (0, 0, 0, 1)).amax(1)[:, None].clamp(min=0)
    gain = (explained(asked.hop_of) - before).clamp(min=0) * there[:, None]
    count = there.sum(-1).clamp(min=1)[:, None]
    missing = (1 - before[:, 0]) * there
    offered = (asked.hop_of >= 0) & asked.present
    most, total = gain.amax(-1), gain.sum(-1) / count.sqrt()
    best_most, best_total = (x.masked_fill(~offered, 0.0).amax(-1, keepdim=True).expand_as(most) for x in (most, total))
    left = torch.stack([missing.amax(-1), missing.sum(-1) / count[:, 0], missing.sum(-1) / 4], -1)
    own = torch.stack([most, best_most, most - best_most, total, best_total, total - best_total], -1) * 3
    return torch.cat([own, left[:, None].expand(-1, most.shape[1], -1) * 2], -1)


class ChoiceModel(nn.Module):
    """Both towers and the head."""

    def __init__(self, prompt_encoder: MiniLm, shape: ModelShape) -> None:
        super().__init__()
        self.shape = shape
        self.prompts = PromptTower(prompt_encoder, shape)
        self.head = Head(prompt_encoder.width, shape)

    def trained_state(self) -> dict[str, Tensor]:
        """What training changes: the low-rank parts and the head. It is all that a weights file holds."""
        frozen = {name for name, parameter in self.prompts.encoder.named_parameters() if not parameter.requires_grad}
        return {
            name: value
            for name, value in self.state_dict().items()
            if not name.startswith("prompts.encoder.") or name.removeprefix("prompts.encoder.") not in frozen
        }

    def load_trained(self, state: Mapping[str, Tensor]) -> None:
        """Take up what `trained_state` gave.

        Raises:
            ValueError: the state is of another shape or lacks parts.

        """
        wanted = self.trained_state()
        if {name: value.shape for name, value in wanted.items()} != {n: v.shape for n, v in state.items()}:
            raise ValueError("the weights were trained for a model of another shape; train the scorer again")
        self.load_state_dict({name: value.float() for name, value in state.items()}, strict=False)
