"""``manage.py finetune_lm``: from an export to a scorer that can be chosen by its name."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from django.core.management import CommandError, call_command

from tests.reasoning.family import FAMILY
from tests.reasoning.rules import KITT_GOLD
from webapp import engine
from webapp.models.trainings.selectors import scorer_list

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _scorers() -> Iterator[None]:
    yield
    shutil.rmtree(engine.scorers_folder(), ignore_errors=True)


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Exported decisions over the hand-drawn graph, all of them of a training question."""
    dataset, out = tmp_path / "accepted.jsonl", tmp_path / "samples.jsonl"
    dataset.write_text(json.dumps(KITT_GOLD) + "\n", encoding="utf-8")
    call_command("export_samples", str(out), "--dataset", str(dataset), "--graph", "toy", "--split", "all")
    lines = [json.loads(line) | {"split": "train"} for line in out.read_text(encoding="utf-8").splitlines()]
    out.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return out


def test_an_export_makes_a_scorer(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("finetune_lm", base="new", name="talker", samples=samples, epochs=1, json=True)
    card = json.loads(capsys.readouterr().out)
    assert card["trained"]["command"] == (
        "python manage.py finetune_lm --base new --name talker --samples samples.jsonl --epochs 1"
    )
    with engine.scorer("talker") as scorer:
        assert scorer.name == "talker"
    (listed,) = (scorer for scorer in scorer_list() if scorer.name == "talker")
    assert listed.card is not None
    assert (listed.card.title, listed.card.samples) == ("samples.jsonl", card["trained"]["samples"])
    assert listed.card.learned_questions == card["trained"]["learned_questions"]["texts"] > 0
    assert listed.card.choices is None  # no validation question was judged


def test_how_often_it_chooses_right_is_reported_with_it(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    both = [*lines, *(line | {"split": "validation", "question_id": "other"} for line in lines)]
    samples.write_text("\n".join(map(json.dumps, both)), encoding="utf-8")
    call_command("finetune_lm", base="new", name="talker", samples=samples, epochs=1, json=True)
    output = json.loads(capsys.readouterr().out)["figures"]["validation"]
    (listed,) = (scorer for scorer in scorer_list() if scorer.name == "talker")
    assert listed.card is not None
    assert listed.card.choices is not None
    assert listed.card.choices.model_dump() == output
    # With one node left, the model is not asked for the answer node.
    assert set(output["accuracy"]) == {"all", "search", "prune", "None", "not None"}


def test_what_came_of_it_is_reported_in_words(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("finetune_lm", base="new", name="talker", samples=samples, epochs=1, seed=3)
    output = capsys.readouterr().out
    assert "talker: " in output
    assert "Right choices on held-out training questions" in output


def test_plans_and_answers_are_taught_by_a_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kb.tsv").write_text(FAMILY, encoding="utf-8")
    question = {"group": "train", "question": "who is Ann's child?", "topic": "en.ann", "answers": ["en.cyd"]}
    (tmp_path / "answers.jsonl").write_text(
        "".join(json.dumps(question | {"id": f"q{number}"}) + "\n" for number in range(3)), encoding="utf-8"
    )
    (tmp_path / "planner.toml").write_text(
        '[[sources]]\nname = "family"\ndataset = "answers.jsonl"\nformat = "discern"\ngraph = "kb.tsv"\n',
        encoding="utf-8",
    )
    recipe = {"recipe": str(tmp_path / "planner.toml"), "data": tmp_path, "lessons": ["plans", "answers"]}
    call_command("finetune_lm", base="new", name="planner", epochs=1, row_tokens=1024, json=True, **recipe)
    card = json.loads(capsys.readouterr().out)
    assert card["reads_paths"]
    assert "--lessons plans answers" in card["trained"]["command"]
    assert card["trained"]["lessons"] == ["plans", "answers"]
    assert set(card["trained"]["held_out_accuracy"]) == {"all", "plans", "answers"}
    assert card["trained"]["learned_questions"]["texts"] == 1


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"lessons": ["plans"]}, "An export holds decisions alone"),
        ({"name": "encoder"}, "choose another name"),
        ({"epochs": 0}, "--epochs should be above 0"),
        ({"samples": None, "recipe": "guess"}, "There is no recipe “guess”"),
        ({"base": "/nowhere/at/all"}, "A base is the folder of a model"),
    ],
)
def test_what_cannot_be_done_is_said_plainly(samples: Path, changes: dict[str, object], told: str) -> None:
    options = {"base": "new", "name": "talker", "samples": samples} | changes
    with pytest.raises(CommandError, match=told):
        call_command("finetune_lm", **{key: value for key, value in options.items() if value is not None})
