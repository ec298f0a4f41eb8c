"""A graph of one's own, from file to answer, as `docs/how-to/loading.md` tells it and by nothing else."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

from webapp.engine import graph_library
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SECTION = re.compile(
    r"^### (?P<title>.+)\n(?s:.*?)`(?P<file>[\w.]+)`(?s:.*?)"
    r"```\n(?P<content>(?s:.*?))```(?s:.*?)```sh\n(?P<commands>(?s:.*?))```\s+The answer: \*\*(?P<answer>.+)\*\*",
    re.MULTILINE,
)
_PROGRAM = ".venv/bin/python manage.py "
_LOADING = REPOSITORY / "docs" / "how-to" / "loading.md"
SHAPES = {match["title"]: match for match in _SECTION.finditer(_LOADING.read_text("utf-8"))}


@pytest.fixture(autouse=True)
def no_graph_is_left() -> Iterator[None]:
    before = set(graph_library().names())
    yield
    for name in set(graph_library().names()) - before:
        graph_library().remove(name)


def test_the_docs_show_six_shapes() -> None:
    assert len(SHAPES) == 6


@pytest.mark.django_db
@pytest.mark.parametrize("title", SHAPES)
def test_a_graph_goes_from_file_to_answer(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = SHAPES[title]
    monkeypatch.chdir(tmp_path)
    (tmp_path / shape["file"]).write_text(shape["content"], encoding="utf-8")
    load, ask = (shlex.split(line.removeprefix(_PROGRAM)) for line in shape["commands"].splitlines())
    assert (load[0], ask[0]) == ("load_graph", "ask")

    call_command(*load, "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["malformed"], report["advice"]) == (0, [])
    call_command(*ask, "--json")
    last = json.loads(capsys.readouterr().out.splitlines()[-1])["event"]
    assert [answer["term"]["label"] for answer in last["answers"]] == [shape["answer"]]

    # A question of one's own, with the answer and nothing more.
    question = {"id": "one", "question": ask[1], "answers": [answer["term"]["id"] for answer in last["answers"]]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question), encoding="utf-8")
    name = load[load.index("--name") + 1]
    evaluation = ["evaluate", "--dataset", "questions.jsonl", "--format", "discern", "--graph", name, "--split", "all"]
    call_command(*evaluation, "--topics", "linked", "--json")
    figures = json.loads(capsys.readouterr().out)["all"]
    assert (figures["questions"], figures["hits_at_1"], figures["exact_match"]) == (1, 1, 1)


@pytest.mark.django_db
def test_questions_of_ones_own_are_loaded_and_evaluated_as_the_docs_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    section = (REPOSITORY / "docs" / "how-to" / "datasets.md").read_text("utf-8").partition("## Your own questions")[2]
    questions, commands = (section.partition(f"```{kind}\n")[2].partition("```")[0] for kind in ("json", "sh"))
    people = SHAPES["Names as ids"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / people["file"]).write_text(people["content"], encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(questions, encoding="utf-8")
    call_command(*shlex.split(people["commands"].splitlines()[0].removeprefix(_PROGRAM)))
    load, evaluate = (shlex.split(line.removeprefix(_PROGRAM)) for line in commands.splitlines())
    capsys.readouterr()
    call_command(*load, "--json")
    loaded = json.loads(capsys.readouterr().out)
    assert (loaded["questions"], loaded["malformed"]) == (4, 0)
    call_command(*evaluate, "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["answerable"]["questions"], report["unanswerable"]["questions"]) == (3, 1)
    assert report["in_graph"]["questions"] == 3


@pytest.mark.django_db
def test_a_graph_without_names_says_so_everywhere(
    tmp_path: Path, client: object, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.tsv"
    path.write_text(SHAPES["Names as ids"]["content"], encoding="utf-8")
    said = (
        "0 of 4 entities have a name; nothing can be asked by name. Load again with --names NAMES or --names-from-ids."
    )
    call_command("load_graph", str(path), "--name", "people")
    assert said in " ".join(capsys.readouterr().out.split())
    call_command("load_graph", str(path), "--name", "people", "--json")
    assert json.loads(capsys.readouterr().out)["advice"] == [said]
    served = {graph["name"]: graph for graph in client.get("/api/graphs").json()}["people"]  # type: ignore[attr-defined]
    assert (served["named"], served["advice"]) == (0, [said])
