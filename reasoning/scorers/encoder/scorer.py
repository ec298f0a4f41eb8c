"""The embedded scorer: a small sentence encoder on the CPU, trained on derivations.

One short text is read for a decision; options' texts are read once and kept. See `choice_model` for what is trained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as packed

from reasoning.core.errors import ScorerUnavailableError
from reasoning.core.options import NoneOption, Stage, TopicOption
from reasoning.facts.verbalize import relation_words
from reasoning.scorers.base import Cost, Distribution
from reasoning.scorers.calibration import Calibration
from reasoning.scorers.cards import BUNDLED_WEIGHTS, read_card, write_weights
from reasoning.scorers.encoder.architecture import Biases, ModelShape
from reasoning.scorers.encoder.choice_model import Asked, ChoiceModel
from reasoning.scorers.encoder.features import CONTEXT_FEATURES, OPTION_FEATURES, inputs_of
from reasoning.scorers.encoder.kept_vectors import keep_vectors, read_vectors
from reasoning.scorers.encoder.minilm import (
    ENCODER_SHA256,
    MAX_TEXT_LENGTH,
    EncoderFiles,
    MiniLm,
    Words,
    quick_kind,
)
from reasoning.scorers.encoder.text_vectors import TextVectors
from reasoning.scorers.threads import compute_with, small_model_threads

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from kgstore.store import GraphStore
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.scorers.encoder.features import Inputs

WEIGHTS_FILE = "scorer.safetensors"
OPTION_TEXTS_KEPT = 20_000
PROMPT_TEXTS_KEPT = 1_000
RELATIONS_READ_AHEAD = 4_000
"""Number of relations of a graph that are encoded in advance. One takes milliseconds."""
_TEXTS_AT_ONCE = 256
_STAGES = tuple(Stage)
_ASKED_FOR = 2.0
"""A kind that the words ask for is likelier than None by at least this: docs/how-to/evaluation.md has the figures."""
_KIND_ASKED_FOR = OPTION_FEATURES.index("is a kind that is asked for")
_KIND_CHOSEN = OPTION_FEATURES.index("a kind is chosen already")


class EncoderScorer:
    """P(option given S_k, Q) from all-MiniLM-L6-v2 and a few trained weights.

    Safe to share between threads. The same prompt and pool give the same distribution, in whatever order the pool is.
    """

    def __init__(
        self,
        model: ChoiceModel,
        option_encoder: MiniLm,
        words: Words,
        *,
        name: str,
        calibration: Calibration | None = None,
        biases: Biases | None = None,
    ) -> None:
        """Take a trained model. Half precision is used where the processor computes it natively.

        ``biases`` are added to its logits.
        """
        self._name = name
        self._calibration = calibration
        self._biases = biases or Biases()
        kind = quick_kind()
        model.eval()
        model.prompts.merge()
        self._head = model.head
        self._prompts = TextVectors(model.prompts.encoder.to(kind), words, PROMPT_TEXTS_KEPT)
        self._options = TextVectors(option_encoder.to(kind), words, OPTION_TEXTS_KEPT)
        # Options are read by the encoder as published, whatever was trained.
        self._option_encoder = f"{ENCODER_SHA256[:16]}-{str(kind).removeprefix('torch.')}-{MAX_TEXT_LENGTH}"

    @classmethod
    def open(cls, weights: Path | None = None, *, encoder: str | None = None) -> Self:
        """Load the weights of a folder, or the bundled ones.

        Raises:
            ScorerUnavailableError: weights or sentence encoder are missing, damaged or of another version.

        """
        compute_with(small_model_threads())
        folder = weights or BUNDLED_WEIGHTS
        card, state = read_weights(folder)
        files = EncoderFiles.locate(encoder)
        option_encoder = MiniLm.load(files)
        model = ChoiceModel(MiniLm.load(files), ModelShape.from_json(card["shape"]))
        try:
            model.load_trained(state)
        except ValueError as error:
            raise ScorerUnavailableError(f"The scorer's weights in {folder} cannot be used: {error}.") from error
        return cls(
            model,
            option_encoder,
            Words(files),
            name=card["name"],
            calibration=Calibration.of_card(card),
            biases=Biases.of_card(card),
        )

    @property
    def compares(self) -> bool:
        """See `Comparing`: None is weighed against its pool, and an option by the words that no other explains."""
        return True

    @property
    def name(self) -> str:
        """How users see which model decided."""
        return self._name

    @property
    def option_vectors(self) -> TextVectors:
        """The published encoder with the vectors that it computed, for others that read texts with it."""
        return self._options

    def calibration_over(self, store: GraphStore) -> Calibration | None:
        """See `Calibrated`: what the model card says, over any graph."""
        del store
        return self._calibration

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        """The distribution over ``pool``, always all of it."""
        del best
        compute_with(small_model_threads())
        size = len(pool)
        if size <= 1:
            return Distribution(dict.fromkeys(range(size), 1.0), 0.0, Cost())
        if state.stage is Stage.LINK:
            return _by_names(pool)
        inputs = inputs_of(state, pool)
        prompts, prompt_cost = self._prompts.of(inputs.prompt_texts)
        texts = [text for text in inputs.option_texts if text]
        path = [inputs.path_text] if inputs.path_text else []
        hops = list(dict.fromkeys(text for text in (*inputs.hops, *inputs.kinds, *inputs.path_parts) if text))
        place_of = {text: len(texts) + len(path) + place for place, text in enumerate(hops)}
        options, option_cost = self._options.of([*texts, *path, *hops])
        words, word_cost = self._options.of(inputs.words)
        questions, question_cost = self._options.of([inputs.question_text])
        places = iter(range(len(texts)))
        asked = Asked(
            prompts,
            questions,
            options,
            torch.zeros(1, size, dtype=torch.long),
            torch.zeros(1, dtype=torch.long),
            torch.tensor([len(texts) if path else -1]),
            torch.tensor([[next(places) if text else -1 for text in inputs.option_texts]]),
            words,
            torch.arange(len(inputs.words))[None],
            torch.tensor([inputs.distances], dtype=torch.float32),
            torch.tensor([[place_of.get(text, -1) for text in inputs.hops]]),
            torch.tensor([[place_of.get(text, -1) for text in inputs.kinds]]),
            torch.tensor([[place_of[text] for text in inputs.path_parts]], dtype=torch.long),
            torch.tensor([_STAGES.index(inputs.stage)]),
            torch.from_numpy(inputs.context)[None],
            torch.from_numpy(inputs.features)[None],
            torch.ones(1, size, dtype=torch.bool),
        )
        with torch.inference_mode():
            logits = self._head(asked)
            if inputs.stage is Stage.SEARCH:
                # Training shows None too often for relations that it never shows: see docs/explanation/scorer.md.
                nones = [place for place, option in enumerate(pool.options) if isinstance(option, NoneOption)]
                first = state.structure.step == 0
                logits[0, nones] += self._biases.first_none_bias if first else self._biases.later_none_bias
            if inputs.stage is Stage.PRUNE and (kind := _kind_asked_for(inputs)):
                none = [place for place, option in enumerate(pool.options) if isinstance(option, NoneOption)]
                logits[0, kind] = torch.maximum(logits[0, kind], logits[0, none] + _ASKED_FOR)
            probabilities = torch.softmax(logits[0].double(), -1).numpy()
        return Distribution(
            dict(enumerate(probabilities.tolist())), 0.0, prompt_cost + question_cost + option_cost + word_cost
        )

    def read_ahead(self, store: GraphStore, folder: Path) -> None:
        """Read the texts of the graph's relations, those that were kept from the folder; see `base.Reading`."""
        compute_with(small_model_threads())
        offered = store.offered()[:RELATIONS_READ_AHEAD]
        texts = list(dict.fromkeys(relation_words(relation) for relation in offered))
        name = f"{store.info().version}-{self._option_encoder}"
        self._options.put(read_vectors(folder, name, self._options.width))
        read = self._options.missing(texts)
        for start in range(0, len(read), _TEXTS_AT_ONCE):
            self._options.of(read[start : start + _TEXTS_AT_ONCE])
        if read:
            keep_vectors(folder, name, dict(zip(texts, self._options.of(texts)[0], strict=True)))


def _by_names(pool: OptionPool) -> Distribution:
    """The distribution over topics that their log-odds make: see `reasoning.question.topics.ranking`."""
    odds = [option.log_odds if isinstance(option, TopicOption) else 0.0 for option in pool.options]
    probabilities = torch.softmax(torch.tensor(odds, dtype=torch.float64), 0)
    return Distribution(dict(enumerate(probabilities.tolist())), 0.0, Cost())


def _kind_asked_for(inputs: Inputs) -> list[int]:
    """The place in a pool of the kind that the question asks for, *which country*; none where it asks for none.

    It is said of the first place that may hold the answer and is not all of that kind, once. Gold queries mostly leave
    it out, so that weights say None, and answers do not.
    """
    asked = (inputs.features[:, _KIND_ASKED_FOR] > 0) & (inputs.features[:, _KIND_CHOSEN] == 0)
    first: list[int] = asked.nonzero()[0][:1].tolist()
    return first


def read_weights(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The card of the weights in a folder, and what `ChoiceModel.load_trained` takes.

    Raises:
        ScorerUnavailableError: they are missing, damaged or of another version.

    """
    card = read_card(folder)
    try:
        state = load_file(folder / WEIGHTS_FILE)
        _check_card(card)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise ScorerUnavailableError(
            f"The scorer's weights in {folder} cannot be used ({error}); run “manage.py train_scorer”."
        ) from error
    return card, state


def save_scorer(folder: Path, state: dict[str, Tensor], card: dict[str, Any]) -> int:
    """Write weights in half precision, and their card (`write_weights`); the number of bytes of the weights."""
    weights = folder / WEIGHTS_FILE
    halved = {name: value.to(torch.bfloat16).contiguous() for name, value in state.items()}
    write_weights(weights, packed(halved), card)
    return weights.stat().st_size


def model_description(shape: ModelShape) -> dict[str, Any]:
    """What weights must agree with to be usable: for the card, and checked when they are opened."""
    return {
        "shape": shape.to_json(),
        "encoder_sha256": ENCODER_SHA256,
        "context_features": list(CONTEXT_FEATURES),
        "option_features": list(OPTION_FEATURES),
    }


def _check_card(card: dict[str, Any]) -> None:
    wanted = model_description(ModelShape.from_json(card["shape"]))
    for key, value in wanted.items():
        if card[key] != value:
            raise ValueError(f"they were trained with other {key.replace('_', ' ')}")
