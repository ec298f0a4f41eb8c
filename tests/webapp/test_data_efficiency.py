"""Data efficiency: what the command measures is found by the site."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from tests.reasoning.rules import KITT_GOLD
from tests.webapp.conftest import TOY_GRAPH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.webapp.conftest import Browser

RECIPE = """title = "Television"

[settings]
epochs = 1
epoch_samples = 16

[[sources]]
name = "tv"
dataset = "tv.jsonl"
format = "discern"
graph = "toy.tsv"
"""


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "tv.toml").write_text(RECIPE)
    lines = (json.dumps({**KITT_GOLD, "id": f"tv-{number}"}) for number in range(12))
    (tmp_path / "tv.jsonl").write_text("\n".join(lines))
    shutil.copy(TOY_GRAPH, tmp_path / "toy.tsv")
    monkeypatch.setenv("DISCERN_DATA", str(tmp_path))
    yield tmp_path / "tv.toml"
    shutil.rmtree(settings.ENVIRONMENT.home / "data-efficiency", ignore_errors=True)


def measured(recipe: Path, *more: str) -> None:
    call_command("data_efficiency", "--recipe", str(recipe), "--shares", "0.5,1", "--tested", "5", *more)


def test_what_was_measured_is_found_by_the_site(recipe: Path, browser: Callable[[], Browser]) -> None:
    page = browser().get("/api/scorers/data-efficiency")
    assert page == {"measured": [], "total": 0, "damaged": []}
    measured(recipe)
    measured(recipe, "--questions", "6")
    page = browser().get("/api/scorers/data-efficiency")
    assert (page["total"], page["damaged"]) == (2, [])
    found = {one["questions"]: one for one in page["measured"]}
    whole: list[dict[str, Any]] = found[None]["figures"]
    assert found[None]["title"] == "Television"
    assert [row["share"] for row in whole if row["stage"] == "all"] == [0.5, 1.0]
    half, all_ = (row for row in whole if row["stage"] == "search")
    assert 0 < half["questions"] < all_["questions"]
    assert 0 < all_["decisions"] <= 5
    assert all(row["low"] <= row["accuracy"] <= row["high"] for row in whole)


def test_what_was_measured_in_the_same_way_is_not_measured_again(
    recipe: Path, browser: Callable[[], Browser], tmp_path: Path
) -> None:
    measured(recipe)
    (folder,) = (settings.ENVIRONMENT.home / "data-efficiency").iterdir()
    rows = (folder / "rows.jsonl").read_text()
    measured(recipe)
    assert (folder / "rows.jsonl").read_text() == rows
    # In another folder, it is for the caller.
    measured(recipe, "--epochs", "2", "--out", str(tmp_path / "mine"))
    assert browser().get("/api/scorers/data-efficiency")["total"] == 1
    with pytest.raises(CommandError, match="holds other work"):
        measured(recipe, "--out", str(tmp_path / "mine"))


def test_a_damaged_report_is_named_and_keeps_no_other_from_being_shown(
    recipe: Path, browser: Callable[[], Browser]
) -> None:
    measured(recipe)
    for name, text in (("broken", "{"), ("other", '{"figures": []}'), ("list", "[]")):
        folder = settings.ENVIRONMENT.home / "data-efficiency" / name
        folder.mkdir()
        (folder / "report.json").write_text(text)
    page = browser().get("/api/scorers/data-efficiency")
    assert (page["total"], page["damaged"]) == (1, ["broken", "list", "other"])
