"""How a scorer is trained: plain numbers, read from recipes without loading a model's libraries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to train. Together with the samples they determine the result on one machine."""

    epochs: int = 6
    epoch_samples: int = 6_000
    """Number of samples of an epoch, drawn again for each; fewer where there are fewer."""
    batch: int = 48
    learning_rate: float = 1e-3
    head_learning_rate: float = 3e-3
    weight_decay: float = 0.01
    seed: int = 7
    dev_share: float = 0.1
    """The share of the questions on which the best epoch and the temperatures are chosen. With 0, all of them teach and
    they are chosen on these, which suits a few hundred labels; the card's calibration is of others in any case."""
    first_choice: float = 0.5
    """How much the order of the derivation counts, compared with what is right in any order."""
    drop_right: float = 0.04
    """How often the right first step is taken from the pool, so that None is right."""
    strangers: float = 0.5
    """How often relations of other topics join the pool of a first step."""
    most_strangers: int = 40
    feature_dropout: float = 0.05
    untyped: float = 0.2
    """How often relations are read without the types that they belong to."""
    strangeness: float = 0.4
    """Maximum distance by which the vector of an option, of length 1, is moved at random."""
    patience: int = 3
    """Training stops after this number of epochs without improvement."""
    threads: int = 2
