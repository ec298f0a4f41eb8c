"""Writing into a model card how far its confidence is to be trusted."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from reasoning.scorers.calibration import Calibrated, Calibration
from reasoning.scorers.cards import BUNDLED_PATH_READER, BUNDLED_WEIGHTS, read_card
from reasoning.training.path_reader.small_graphs import HELD_OUT, small_graph
from webapp import engine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEARNED = {"slope": 0.5, "intercept": 0.25}


@pytest.fixture
def own(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A trained scorer of the site's own: an encoder, or of other weights."""
    folder = engine.scorers_folder() / "own"
    shutil.copytree(getattr(request, "param", BUNDLED_WEIGHTS), folder)
    yield folder
    shutil.rmtree(folder)


def report(folder: Path, **parts: Any) -> str:
    path = folder / "report.json"
    document = {"confidence": {"correction": LEARNED}, "seen_in_training": {"questions": 90, "seen": 0}, **parts}
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("own", [BUNDLED_WEIGHTS, BUNDLED_PATH_READER], indirect=True, ids=lambda path: path.name)
def test_the_card_and_the_scorer_have_it_afterwards(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = (own / "README.md").read_text(encoding="utf-8")
    before = json.loads((own / "card.json").read_text(encoding="utf-8"))
    call_command("calibrate_scorer", "own", report(tmp_path))
    assert "70% becomes" in capsys.readouterr().out
    after = json.loads((own / "card.json").read_text(encoding="utf-8"))
    assert after == {**before, "calibration": LEARNED}
    with engine.scorer("own") as scorer, small_graph(next(HELD_OUT.glob("*.toml"))) as (graph_not_learned, _):
        assert isinstance(scorer, Calibrated)
        assert scorer.calibration_over(graph_not_learned) == Calibration.from_json(LEARNED)
    shown = list(engine.reason("what is the capital of Australia", graph_name="toy", scorer_name="own"))
    if before.get("kind") == "path-reader":
        assert (own / "README.md").read_text(encoding="utf-8") == about
        assert shown[0].calibration.model_dump() == read_card(BUNDLED_WEIGHTS)["calibration"]  # type: ignore[union-attr]
    else:
        assert "times 0.500, plus 0.250" in (own / "README.md").read_text(encoding="utf-8")
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
