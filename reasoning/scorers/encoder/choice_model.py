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

from reasoning.core.options import Stage
from reasoning.scorers.encoder.features import CONTEXT_FEATURES, OPTION_FEATURES
from reasoning.scorers.encoder.minilm import AdaptedLinear, MiniLm, mean_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.scorers.encoder.architecture import ModelShape


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
    """(batch, w): the words of each question, in order; -1 beyond its last."""
    distances: Tensor
    """(batch, w): how many words stand between each word and the topic."""
    hop_of: Tensor
    """(batch, n): for each option the text among the options' of its relation's name; -1 where it has none."""
    kind_of: Tensor
    """(batch, n): likewise of what a backward relation leads to."""
    path_parts_of: Tensor
    """(batch, p): likewise of names and kinds of the steps that are taken."""
    stages: Tensor
    """(batch,): the index of the stage."""
    context: Tensor
    """(batch, c): the prompt's features."""
    features: Tensor
    """(batch, n, f): the options' features."""
    present: Tensor
    """(batch, n): false where a pool is shorter than the longest of the batch."""


_SEARCH = tuple(Stage).index(Stage.SEARCH)
_WORD_NUMBERS = 9
_FREE_NUMBERS = 15
_FARTHER = 0.8
"""A word counts so much less for each other that stands between it and the topic."""
_TAKES = 0.1
"""A step takes a word only where both are so alike."""
_SAID = (0.3, 0.45, 0.6)
"""So alike a word and something in the pool may be; for each, the words are counted."""


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
        inputs = shape.glance + 9 + _WORD_NUMBERS + _FREE_NUMBERS + len(CONTEXT_FEATURES) + len(OPTION_FEATURES)
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
        # None stays where the search is: once a step is taken, it is as likely as the way there is right.
        searching = (asked.path_of >= 0) & (asked.stages == _SEARCH)
        stays = torch.where(searching[:, None], asked.path_of[:, None], wordless)
        cosine = cosines[asked.prompt_of, torch.where(worded, asked.option_of, stays)]
        # What the encoder says untrained: it holds for relations and wordings that training never showed.
        plain_likeness = asked.questions @ torch.cat([asked.options, torch.zeros_like(self.wordless)]).T
        plain = plain_likeness[asked.question_of[:, None], torch.where(worded, asked.option_of, wordless)]
        # Likewise untrained: None is as like the question as the way there, and a step must be more so.
        here = torch.where(
            asked.path_of >= 0, plain_likeness[asked.question_of, asked.path_of.clamp(min=0)], torch.zeros(())
        )[:, None]
        plain = torch.where(worded, plain, here)
        words = _Words(asked)
        seen = torch.cat(
            [
                self.glance(asked.prompts)[asked.prompt_of],
                _relative_to_best(cosine, worded & asked.present),
                best_plain := _relative_to_best(plain, worded & asked.present),
                (best_plain[..., :2] - 3 * here[..., None]) * (asked.path_of >= 0)[:, None, None],
                3 * here[..., None].expand(-1, cosine.shape[1], -1),
                _by_word(asked, words),
                _by_free_word(asked, words),
                asked.context[:, None].expand(-1, cosine.shape[1], -1),
                asked.features,
            ],
            -1,
        )
        logits: Tensor = self.scale.exp() * cosine + self.plain_scale.exp() * plain + self.mix(seen).squeeze(-1)
        return (logits / self.temperature[asked.stages][:, None]).masked_fill(~asked.present, -torch.inf)


def _relative_to_best(cosine: Tensor, worded: Tensor) -> Tensor:
    """Each option's likeness, the best in its pool and the distance between: what None must be weighed against."""
    best = cosine.masked_fill(~worded, -1.0).max(-1, keepdim=True).values.expand_as(cosine)
    return torch.stack([cosine, best, cosine - best], -1) * 3


class _Words:
    """How like the question's words are to what an option or a step is called."""

    def __init__(self, asked: Asked) -> None:
        # A question may have no word that counts; a last one that is missing keeps every shape.
        words_of = functional.pad(asked.words_of, (0, 1), value=-1)
        self.there = words_of >= 0
        """(batch, w): false beyond a question's last word."""
        self.distances = functional.pad(asked.distances, (0, 1))
        # (texts of options, words), with a last row for what is missing
        self._likeness = functional.pad(asked.options @ asked.words.T, (0, 1, 0, 1))
        self._words = words_of.masked_fill(~self.there, self._likeness.shape[1] - 1)

    def like(self, texts: Tensor) -> Tensor:
        """(batch, n, w) of texts (batch, n), 0 where a text is missing."""
        rows = texts.masked_fill(texts < 0, self._likeness.shape[0] - 1)
        return self._likeness[rows[:, :, None], self._words[:, None, :]]


def _by_word(asked: Asked, words: _Words) -> Tensor:
    """How far each option explains words of the question that no step has explained yet: (batch, n, 9).

    A relation explains a word as far as both are alike (the late interaction of ColBERT, Khattab and Zaharia 2020, with
    whole relations). It tells what is left to be found, and whether anything in the pool would find it.
    """
    before = functional.pad(words.like(asked.path_parts_of), (0, 0, 0, 1)).amax(1)[:, None].clamp(min=0)
    gain = (words.like(asked.hop_of) - before).clamp(min=0) * words.there[:, None]
    count = words.there.sum(-1).clamp(min=1)[:, None]
    missing = (1 - before[:, 0]) * words.there
    offered = (asked.hop_of >= 0) & asked.present
    most, total = gain.amax(-1), gain.sum(-1) / count.sqrt()
    best_most, best_total = _best(most, offered), _best(total, offered)
    left = torch.stack([missing.amax(-1), missing.sum(-1) / count[:, 0], missing.sum(-1) / 4], -1)
    own = torch.stack([most, best_most, most - best_most, total, best_total, total - best_total], -1) * 3
    return torch.cat([own, left[:, None].expand(-1, most.shape[1], -1) * 2], -1)


def _by_free_word(asked: Asked, words: _Words) -> Tensor:
    """The same with each word explained once, and the nearest to the topic first: (batch, n, 15).

    *The mother of the child of it* names two steps with words that are alike, so a step takes one word. And what stands
    next to the topic is said of it: that step comes first.
    """
    rows = torch.arange(len(words.there))
    near = _FARTHER**words.distances
    free = _free(words, asked.path_parts_of, near)
    own = (words.like(asked.hop_of) * free[:, None]).clamp(min=0)
    leads_to = (words.like(asked.kind_of) * free[:, None]).clamp(min=0).amax(-1)
    offered = (asked.hop_of >= 0) & asked.present
    pool = own.masked_fill(~offered[:, :, None], 0.0).amax(1)
    most, word = own.max(-1)
    nearest = (own * near[:, None]).amax(-1)
    # The nearest word that anything in the pool explains, and the most that would be left for later.
    salient = (pool * near).argmax(-1)
    at_salient = own[rows, :, salient]
    best_at_salient = pool[rows, salient][:, None].expand_as(most)
    later = pool.masked_fill(functional.one_hot(salient, pool.shape[1]).bool(), 0.0).amax(-1)[:, None].expand_as(most)
    best_most, best_nearest = _best(most, offered), _best(nearest, offered)
    alike = [
        most,
        best_most,
        most - best_most,
        nearest,
        nearest - best_nearest,
        at_salient,
        at_salient - best_at_salient,
    ]
    numbers = torch.stack([*alike, best_at_salient, later, leads_to], -1) * 3
    far = words.distances.gather(1, word)[..., None] / 4
    left = torch.stack([free.sum(-1) / 4, *((pool > said).float().sum(-1) / 2 for said in _SAID)], -1)
    return torch.cat([numbers, far, left[:, None].expand(-1, most.shape[1], -1)], -1)


def _free(words: _Words, taken: Tensor, near: Tensor) -> Tensor:
    """(batch, w): 1 for each word that no part of a step takes; each part takes the word that is most like it."""
    like = words.like(taken) * near[:, None].sqrt()
    like = like.masked_fill(~words.there[:, None] | (taken < 0)[:, :, None], -1.0)
    free = words.there.float()
    rows = torch.arange(len(like))
    for _ in range(taken.shape[1]):
        most, place = like.flatten(1).max(-1)
        takes = most > _TAKES
        part, word = place[takes] // like.shape[2], place[takes] % like.shape[2]
        free[rows[takes], word] = 0.0
        like[rows[takes], part] = -1.0
        like[rows[takes], :, word] = -1.0
    return free


def _best(numbers: Tensor, offered: Tensor) -> Tensor:
    """(batch, n): the largest offered number of each row, repeated for each of them."""
    return numbers.masked_fill(~offered, 0.0).amax(-1, keepdim=True).expand_as(numbers)


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
