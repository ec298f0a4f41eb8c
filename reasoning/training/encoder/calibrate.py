"""Write what was learned of a scorer's confidence into its model card."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reasoning.scorers.cards import CARD_FILE, read_card
from reasoning.training.encoder.card import README_FILE, as_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from reasoning.scorers.calibration import Calibration


def write_calibration(folder: Path, calibration: Calibration) -> None:
    """Write a correction into the card of the weights in a folder; all else of the card stays.

    Raises:
        ScorerUnavailableError: no card lies there, or it is damaged.

    """
    card = read_card(folder)
    card["calibration"] = calibration.to_json()
    (folder / CARD_FILE).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if card.get("kind", "encoder") == "encoder":
        (folder / README_FILE).write_text(as_markdown(card), encoding="utf-8")
