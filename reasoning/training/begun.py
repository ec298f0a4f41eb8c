"""The parameters that a training of a strategy's own weights begins with: new ones, or those that lie in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import torch

from reasoning.strategies.shape import Shape
from reasoning.training.recipe import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

S = TypeVar("S", bound=Shape)
M = TypeVar("M", bound=torch.nn.Module)


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
