from __future__ import annotations

import json
from pathlib import Path

import pytest

from webapp.platform.terminal.shown import shown

CASES = json.loads((Path(__file__).parents[1] / "shown.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_nothing_is_hidden_and_nothing_turns_its_neighbours_round(case: dict[str, str]) -> None:
    assert shown(case["text"]) == case["shown"]
    assert shown(shown(case["text"])) == case["shown"]


def test_halves_of_surrogate_pairs_are_marked() -> None:
    assert shown("a\ud800b") == "a⟨U+D800⟩b"
