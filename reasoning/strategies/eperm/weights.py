"""A judge on disk, and opened: its parameters, and the sentence encoder that reads for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as packed
from torch.nn import functional

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.cards import read_card, write_weights
from reasoning.scorers.encoder.frozen_texts import FrozenTexts
from reasoning.scorers.encoder.minilm import ENCODER_SHA256
from reasoning.strategies.eperm.model import PARTS, JudgeModel
from reasoning.strategies.eperm.shape import JudgeShape
from reasoning.strategies.eperm.surroundings import FLAGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from torch import Tensor

    from reasoning.strategies.eperm.surroundings import Known, Met

WEIGHTS_FILE = "judge.safetensors"


class EntityJudge:
    """A judge that is opened. Safe to share between threads."""

    def __init__(self, model: JudgeModel, texts: FrozenTexts, name: str, *, power: float, threshold: float) -> None:
        self._model = model.eval().requires_grad_(requires_grad=False)
        self._texts = texts
        self.name = name
        """How users see which weights judged."""
        self._power = power
        self.threshold = threshold
        """See `Judge.threshold`."""

    @classmethod
    def open(cls, folder: Path) -> EntityJudge:
        """Load the weights of a folder.

        Raises:
            ScorerUnavailableError: weights or sentence encoder are missing, damaged or of another version.

        """
        card, model = read_judge(folder)
        name = f"{card['name']} ({card['weights_sha256'][:8]})"
        return cls(model, FrozenTexts(), name, power=float(card["power"]), threshold=float(card["threshold"]))

    def scores(self, met: Met) -> list[float]:
        """See `Judge.scores`; raised to the power that was tuned. What was not looked up gets the mean."""
        known = [one for one in met.known if one is not None]
        if not known:
            return [1.0] * len(met.known)
        question = self._texts.of([met.question])
        with torch.inference_mode():
            parts, flags = vectors_of(known, met.relation, self._texts)
            logits = self._model.logits(question.float().expand(len(known), -1), parts, flags)
            judged = torch.sigmoid(logits).pow(self._power).tolist()
        found = iter(judged)
        mean = sum(judged) / len(judged)
        return [mean if one is None else next(found) for one in met.known]


def vectors_of(known: Sequence[Known], relation: str, texts: FrozenTexts) -> tuple[Tensor, Tensor]:
    """The vectors of the parts of entities (n, `PARTS`, t), and their flags (n, `FLAGS`)."""
    read = [parts_of(one, relation) for one in known]
    every = list(dict.fromkeys(text for one in read for part in one for text in part))
    vectors = texts.of(every).float()
    number = {text: place for place, text in enumerate(every)}
    found = torch.zeros(len(known), len(PARTS), vectors.shape[1])
    for row, one in enumerate(read):
        for place, part in enumerate(one):
            if part:
                found[row, place] = vectors[[number[text] for text in part]].mean(0)
    return found, torch.tensor([one.flags for one in known])


def parts_of(known: Known, relation: str) -> tuple[tuple[str, ...], ...]:
    """The texts of each of `PARTS`."""
    return ((known.name,) if known.name else (), known.types, known.relations, (relation,))


def read_judge(folder: Path) -> tuple[dict[str, Any], JudgeModel]:
    """The card and the parameters in a folder.

    Raises:
        ScorerUnavailableError: they are missing, damaged or of another version.

    """
    card = read_card(folder)
    try:
        _check(card)
        model = JudgeModel(JudgeShape.from_json(card["shape"]))
        state = {name: value.float() for name, value in load_file(folder / WEIGHTS_FILE).items()}
        model.load_state_dict(_widened(state, len(FLAGS) - len(card["flags"])))
        # Cards that tell of no power are of judges whose scores were taken as they are.
        float(card.setdefault("power", 1.0))
        float(card["threshold"])
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise ScorerUnavailableError(
            f"The judge's weights in {folder} cannot be used ({error}); run “manage.py train_strategy eperm”."
        ) from error
    return card, model


def _check(card: dict[str, Any]) -> None:
    if card["encoder_sha256"] != ENCODER_SHA256:
        raise ValueError("they were trained with another sentence encoder")
    if card["flags"] != list(FLAGS[: len(card["flags"])]) or card["parts"] != list(PARTS):
        raise ValueError("they were trained on other parts of entities")


def _widened(state: dict[str, Tensor], flags: int) -> dict[str, Tensor]:
    """Parameters of a judge that was trained with fewer flags. The new flags, the last ones, get zero weights."""
    return {**state, "hidden.weight": functional.pad(state["hidden.weight"], (0, flags))}


def save_judge(folder: Path, model: JudgeModel, card: dict[str, Any]) -> dict[str, Any]:
    """Write weights, in half precision, and the card with what they were trained on, which it returns."""
    state = {name: value.to(torch.bfloat16).contiguous() for name, value in model.state_dict().items()}
    described = {"encoder_sha256": ENCODER_SHA256, "parts": list(PARTS), "flags": list(FLAGS)}
    whole = {**card, **described}
    write_weights(folder / WEIGHTS_FILE, packed(state), whole)
    return whole
