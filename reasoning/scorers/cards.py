"""Model cards: what a scorer was made from and how well it does, as JSON next to its weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reasoning.core.errors import ScorerUnavailableError

CARD_FILE = "card.json"
ADAPTER_FILE = "adapter_config.json"
"""Lies where a folder holds no model, but a low-rank change of one."""
BUNDLED_WEIGHTS = Path(__file__).parent / "weights" / "encoder"
"""The encoder's weights that come with the product; `manage.py train_scorer` rebuilds them."""


BUNDLED_PATH_READER = Path(__file__).parent / "weights" / "path_reader"
"""The weights of the reader of whole paths that come with the product."""


def write_weights(weights: Path, packed: bytes, card: dict[str, Any]) -> None:
    """Write a file of weights, and their card next to it.

    They replace the old ones only when both files are whole; nothing is left of those that could not be written.
    """
    weights.parent.mkdir(parents=True, exist_ok=True)
    about = weights.with_name(CARD_FILE)
    new_weights, new_about = weights.with_suffix(".partial"), about.with_suffix(".partial")
    try:
        new_weights.write_bytes(packed)
        new_about.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        new_weights.replace(weights)
        new_about.replace(about)
    finally:
        new_weights.unlink(missing_ok=True)
        new_about.unlink(missing_ok=True)


def read_card(folder: Path) -> dict[str, Any]:
    """The model card in a folder of weights.

    Raises:
        ScorerUnavailableError: it is not there, or damaged.

    """
    try:
        card = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ScorerUnavailableError(
            f"The model card {folder / CARD_FILE} cannot be read ({why}). Run “manage.py train_scorer”."
        ) from error
    if not isinstance(card, dict):
        raise ScorerUnavailableError(f"The model card {folder / CARD_FILE} is damaged. Run “manage.py train_scorer”.")
    return card
