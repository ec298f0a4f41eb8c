"""``manage.py evaluate_linking``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from reasoning.question.topics.ranking import TopicRanking, bundled_ranking
from tests.reasoning.chat_server import chat_server, first_longest
from webapp import engine

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper


def row(name: str, question: str, topic: str | None) -> dict[str, Any]:
    """A question of a dataset in RoG's format, whose topic is known by its id in the hand-drawn graph."""
    return {"id": name, "question": question, "q_entity": [topic] if topic else [], "a_entity": [], "graph": []}


QUESTIONS = [
    row("first", "who created Knight Rider", "en.knight_rider"),
    row("second", "who in Green Bay Packers plays with the Super Bowl", "en.green_bay_packers"),
    row("unnamed", "which languages do they speak", "en.jamaica"),
    row("elsewhere", "who directed Inception", "en.inception"),
    row("nothing", "who knows", None),
]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in QUESTIONS), encoding="utf-8")
    return path


def measured(dataset: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    options = ("--format", "rog", "--split", "all", "--json", *more)
    call_command("evaluate_linking", "--dataset", str(dataset), *options)
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_shares_are_of_the_questions_whose_topic_is_in_the_graph(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = measured(dataset, capsys, "--scorer", "none", "--wrong")
    assert (figures["questions"], figures["topic_in_graph"]) == (5, 3)
    assert (figures["topic_not_in_graph"], figures["without_topic"]) == (1, 1)
    assert figures["mention_found"] == pytest.approx(2 / 3)
    assert figures["by_store"] == {"right_first": pytest.approx(1 / 3), "right_in_five": pytest.approx(2 / 3)}
    assert figures["by_scorer"] is None
    assert figures["by_likeness"]["exact"] == {"questions": 2, "right_first": 0.5, "right_in_five": 1}
    assert figures["by_likeness"]["not found"]["questions"] == 1
    assert figures["scorer"] is None
    assert figures["graph"].startswith("Toy (")
    assert [wrong["id"] for wrong in figures["wrong"]] == ["second", "unnamed"]
    assert [wrong["mention_found"] for wrong in figures["wrong"]] == [True, False]


def test_the_scorers_choice_stands_beside_the_stores_order(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = measured(dataset, capsys, "--scorer", "lexical", "--limit", "1")
    assert figures["scorer"] == "Lexical baseline"
    assert figures["questions"] == 1
    assert figures["by_scorer"] == figures["by_store"] == {"right_first": 1, "right_in_five": 1}


def test_only_the_questions_of_a_file_of_ids_are_linked(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("second\n\nfirst\n", encoding="utf-8")
    messages = measured(dataset, capsys, "--scorer", "none", "--ids", str(ids), "--wrong")
    assert (messages["questions"], [wrong["id"] for wrong in messages["wrong"]]) == (2, ["second"])
    # The order of the file changes nothing: the same questions have the same hash, and others another.
    ids.write_text("first\nsecond", encoding="utf-8")
    again = measured(dataset, capsys, "--scorer", "none", "--ids", str(ids))
    assert again["questions_sha256"] == messages["questions_sha256"]
    assert measured(dataset, capsys, "--scorer", "none")["questions_sha256"] != messages["questions_sha256"]


def test_ids_that_are_not_there_are_reported(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("first\nthird\n", encoding="utf-8")
    with pytest.raises(CommandError, match="There is no question third in the dataset"):
        measured(dataset, capsys, "--scorer", "none", "--ids", str(ids))
    with pytest.raises(CommandError, match="cannot be read"):
        measured(dataset, capsys, "--scorer", "none", "--ids", str(tmp_path / "no.txt"))


def test_a_model_that_goes_away_gives_no_figures(
    dataset: Path, settings: SettingsWrapper, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(first_longest) as server:
        address = {"llm_url": (server.url,), "llm_model": "picker"}
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=address)
        server.failures.append(401)
        with pytest.raises(CommandError, match="wants another key") as ended:
            measured(dataset, capsys, "--scorer", "chat")
    assert ended.value.returncode == 1
    assert not capsys.readouterr().out


def test_a_table_names_dataset_and_graph(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("evaluate_linking", "--dataset", str(dataset), "--format", "rog", "--split", "all", "--scorer", "none")
    output = capsys.readouterr().out
    assert "questions.jsonl (all) over Toy (" in output
    assert "by store right first" in output


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("evaluate_linking", "--dataset", str(tmp_path / "no.jsonl"), "--format", "rog")


def test_the_order_of_topics_is_learned_by_a_command(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "ranking.json"
    call_command("train_topic_ranking", "--questions", str(dataset), "rog", engine.default_graph(), "--out", str(out))
    assert "Learned from" in capsys.readouterr().out
    learned = TopicRanking.from_json(json.loads(out.read_text(encoding="utf-8")))
    assert learned.names == bundled_ranking().names
    with pytest.raises(CommandError, match="There is no format “table”"):
        call_command("train_topic_ranking", "--questions", str(dataset), "table", "toy", "--out", str(out))
