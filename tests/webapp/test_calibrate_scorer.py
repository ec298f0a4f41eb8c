"""Writing into a model card how far its confidence is to be trusted."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from reasoning.scorers.cards import BUNDLED_PATH_READER, BUNDLED_WEIGHTS, CARD_FILE
from webapp import engine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEARNED = {"slope": 0.5, "intercept": 0.25}


@pytest.fixture
def own() -> Iterator[Path]:
    """A trained scorer of the site's own."""
    folder = engine.scorers_folder() / "own"
    shutil.copytree(BUNDLED_WEIGHTS, folder)
    yield folder
    shutil.rmtree(folder)


def report(folder: Path, **parts: Any) -> str:
    path = folder / "report.json"
    document = {"confidence": {"correction": LEARNED}, "seen_in_training": {"questions": 90, "seen": 0}, **parts}
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def test_the_card_and_the_scorer_have_it_afterwards(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = json.loads((own / "card.json").read_text(encoding="utf-8"))
    call_command("calibrate_scorer", "own", report(tmp_path))
    assert "70% becomes" in capsys.readouterr().out
    after = json.loads((own / "card.json").read_text(encoding="utf-8"))
    assert after == {**before, "calibration": LEARNED}
    assert "times 0.500, plus 0.250" in (own / "README.md").read_text(encoding="utf-8")
    with engine.scorer("own") as scorer:
        assert scorer.calibration is not None  # type: ignore[attr-defined]
    shown = list(engine.reason("what is the capital of Australia", graph_name="toy", scorer_name="own"))
    assert shown[0].calibration.model_dump() == LEARNED  # type: ignore[union-attr]


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"seen_in_training": {"questions": 90, "seen": 12}}, "was trained on 12 of these questions"),
        ({"confidence": {"correction": None}}, "answered too few questions"),
        ({"confidence": None}, "is not a report of an evaluation with confidences"),
    ],
)
def test_what_says_nothing_of_it_is_refused(tmp_path: Path, parts: dict[str, Any], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("calibrate_scorer", "own", report(tmp_path, **parts))


def test_a_scorer_without_a_card_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="has no model card"):
        call_command("calibrate_scorer", "lexical", report(tmp_path))


def test_a_path_reader_is_refused_and_its_card_stays(tmp_path: Path) -> None:
    before = (BUNDLED_PATH_READER / CARD_FILE).read_bytes()
    with pytest.raises(CommandError, match="Choose an encoder"):
        call_command("calibrate_scorer", "path-reader", report(tmp_path))
    assert (BUNDLED_PATH_READER / CARD_FILE).read_bytes() == before
