"""A graph of one's own, from file to answer, as `docs/loading.md` tells it and by nothing else."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

from webapp.engine import graph_library
from webapp.environment import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SECTION = re.compile(
    r"^### (?P<title>.+)\n(?s:.*?)`(?P<file>[\w.]+)`(?s:.*?)"
    r"```\n(?P<content>(?s:.*?))```(?s:.*?)```sh\n(?P<commands>(?s:.*?))```\s+The answer: \*\*(?P<answer>.+)\*\*",
    re.MULTILINE,
)
_PROGRAM = ".venv/bin/python manage.py "
SHAPES = {match["title"]: match for match in _SECTION.finditer((REPOSITORY / "docs" / "loading.md").read_text("utf-8"))}


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
