"""Commands that ask a scorer what a recipe tests, and write nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from tests.reasoning.test_recipes import FILMS

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = """title = "Films"

[[sources]]
name = "taught"
dataset = "1-hop/dev.txt"
format = "metaqa"
graph = "kb.txt"
graph_format = "metaqa"
topics = "given"

[[tests]]
name = "films-short"
dataset = "1-hop/dev.txt"
format = "metaqa"
graph = "kb.txt"
graph_format = "metaqa"
topics = "given"
renamed = "short"
"""


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    (tmp_path / "1-hop").mkdir()
    lines = [f"who directed [{film}] {n}\tRidley Scott" for n in range(8) for film in ("Alien", "Gladiator")]
    (tmp_path / "1-hop" / "dev.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "1-hop" / "qa_dev_qtype.txt").write_text("\n".join(["movie_to_director"] * len(lines)))
    (tmp_path / "films.toml").write_text(RECIPE)
    monkeypatch.setenv("DISCERN_DATA", str(tmp_path))
    return str(tmp_path / "films.toml")


def printed_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command(*arguments, "--json")
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_recipe_s_tests_are_asked_with_intervals(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = printed_json(capsys, "test_scorer", "--recipe", recipe, "--scorer", "lexical")
    assert (found["scorer"], list(found["tests"])) == ("lexical", ["films-short"])
    one = found["tests"]["films-short"]
    low, high = one["intervals"]["hits_at_1"]
    assert low <= one["answerable"]["hits_at_1"] <= high
    untrained = printed_json(capsys, "test_scorer", "--recipe", recipe, "--untrained")["tests"]["films-short"]
    assert untrained["answerable"] == {**untrained["answerable"], "questions": one["answerable"]["questions"]}
    assert untrained["answerable"]["hits_at_1"] == 1.0
    few = printed_json(capsys, "test_scorer", "--recipe", recipe, "--scorer", "lexical", "--limit", "1")
    assert few["tests"]["films-short"]["questions"] == 1


def test_what_none_costs_is_reported_with_what_it_recognises(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = printed_json(capsys, "measure_abstention", "--recipe", recipe, "--scorer", "lexical")
    assert found["bias"] == 0.0
    one = found["tests"]["films-short"]
    assert one["pairs"] > 0
    assert one["at"][0] == {
        "bias": 0.0,
        "unanswered": one["as_asked"]["unanswered"],
        "recognised": one["as_asked"]["recognised"],
    }


def test_both_print_tables_for_people(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("test_scorer", "--recipe", recipe, "--scorer", "lexical")
    # By its earlier name.
    call_command("measure_none", "--recipe", recipe, "--scorer", "lexical")
    printed = capsys.readouterr().out
    assert "Asked: lexical" in printed
    assert "recognised where there is none" in " ".join(printed.split())


def test_what_cannot_be_asked_is_said_plainly(recipe: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no scorer"):
        call_command("test_scorer", "--recipe", recipe, "--scorer", "nobody")
    with pytest.raises(CommandError, match="needs data"):
        call_command("measure_abstention", "--recipe", recipe, "--scorer", "lexical", "--data", str(tmp_path / "none"))


def test_a_training_reads_so_many_questions_of_each_source(
    recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("train_scorer", "--recipe", recipe, "--out", str(tmp_path / "out"), "--epochs", "1")
    card = printed_json(capsys, *arguments, "--questions", "3")
    assert card["trained"]["sources"]["taught"]["questions"] == 3
    assert card["trained"]["command"].endswith("--epochs 1 --questions 3")
    assert card["unseen"]["films-short"]["intervals"]
