"""What a training of a strategy's own weights begins with: new parameters, or those in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import torch

from reasoning.datasets.learned import LearnedQuestions
from reasoning.strategies.shape import Shape
from reasoning.training.recipe.recipe import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

S = TypeVar("S", bound=Shape)
M = TypeVar("M", bound=torch.nn.Module)


def learned_before(folder: Path | None) -> LearnedQuestions | None:
    """The questions that the weights in a folder learned from: none where none is named, None where they are not known.

    Raises:
        ScorerUnavailableError: what is known cannot be read.

    """
    return LearnedQuestions() if folder is None else LearnedQuestions.read(folder)


def learned_after(before: LearnedQuestions | None, taught: LearnedQuestions) -> LearnedQuestions | None:
    """What weights have learned from in the end; None where it is not known what they had learned before."""
    return None if before is None else before.joined(taught)


def begun(
    folder: Path | None,
    shape: S,
    *,
    seed: int,
    new: Callable[[S], M],
    read: Callable[[Path], tuple[dict[str, Any], M]],
    free: Collection[str] = (),
) -> tuple[M, str]:
    """A model of the shape, and the digest of the weights in the folder that it goes on from; "" where none is named.

    The numbers of the shape that are ``free`` may be others than the folder's: no parameter's size depends on them.

    Raises:
        RecipeError: the weights in the folder have another shape.
        ScorerUnavailableError: they are missing, damaged or of another version.

    """
    torch.manual_seed(seed)
    if folder is None:
        return new(shape), ""
    card, before = read(folder)
    wanted, found = shape.to_json(), type(shape).from_json(card["shape"]).to_json()
    if found | {name: wanted[name] for name in free} != wanted:
        raise RecipeError(f"The weights in {folder} have another shape ({found}); give the recipe the same one.")
    model = new(shape)
    model.load_state_dict(before.state_dict())
    return model, str(card["weights_sha256"])
