from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from kgstore.terms import Entity, Relation
from webapp.engine import graph_library

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def triples(tmp_path: Path) -> Path:
    path = tmp_path / "films.tsv"
    path.write_text("m.1\tfilm.film.directed_by\tm.2\nnot a triple\nm.3\tfilm.film.directed_by\tm.2\n")
    return path


@pytest.fixture(autouse=True)
def no_graph_is_left() -> Any:
    before = set(graph_library().names())
    yield
    for name in set(graph_library().names()) - before:
        graph_library().remove(name)


def test_a_graph_is_loaded_and_reported(triples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("m.1\tVertigo\nm.2\tAlfred Hitchcock\n")
    call_command("load_graph", triples, "--name", "films", "--title", "Films", "--names", names)
    printed = capsys.readouterr().out
    assert "films.tsv, line 2: 1 columns instead of 3" in printed
    store = graph_library().open("films")
    assert (store.info().title, store.info().source, store.info().triples) == ("Films", "films.tsv (Triples as TSV)", 2)
    assert [match.matched for match in store.search("hitch", 5)] == ["Alfred Hitchcock"]


def test_the_report_may_be_one_json_document(triples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_graph", triples, "--name", "films", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["name"], report["triples"], report["malformed"]) == ("films", 2, 1)
    assert report["malformed_examples"][0]["number"] == 2
    assert report["version"] == graph_library().open("films").info().version


def test_rows_of_a_rog_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"id": f"Q-{i}", "graph": [["Abe", "people.person.children", f"Bob {i}"]]} for i in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call_command("load_graph", path, "--name", "abe", "--format", "rog", "--rows", "Q-0,Q-2")
    children = graph_library().open("abe").expand([Entity("Abe")], Relation("people.person.children"), 9)
    assert {str(triple.object) for triple in children.triples} == {"Bob 0", "Bob 2"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--name", "My Films"], "my-graph"),
        (["--name", "films", "--strict"], "line 2"),
        (["--name", "films", "--rows", "1"], "not for files of the format tsv"),
        (["--name", "films", "--names", "/nowhere/names.tsv"], "No such file"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_loaded(triples: Path, options: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("load_graph", triples, *options)
    assert "films" not in graph_library().names()


def test_a_file_that_is_missing_or_empty(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("load_graph", tmp_path / "no.tsv", "--name", "films")
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(CommandError, match="is empty"):
        call_command("load_graph", tmp_path / "empty.tsv", "--name", "films")


def test_an_interrupted_load_leaves_nothing_half_loaded(tmp_path: Path) -> None:
    path = tmp_path / "long.tsv"
    path.write_text("".join(f"m.{i}\tr.s.t\tm.{i + 1}\n" for i in range(300_000)))
    process = subprocess.Popen(
        [sys.executable, "manage.py", "load_graph", str(path), "--name", "long"],
        cwd=REPOSITORY,
        env=os.environ | {"DISCERN_HOME": str(tmp_path / "home"), "DJANGO_SETTINGS_MODULE": "webapp.settings"},
        stderr=subprocess.PIPE,
        text=True,
    )
    # Or it might be done before a busy machine lets this process look.
    os.setpriority(os.PRIO_PROCESS, process.pid, 5)
    folder = tmp_path / "home" / "graphs"
    while process.poll() is None and not list(folder.glob(".*.loading")):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "are unchanged" in errors
    assert [path.name for path in folder.iterdir()] == [".long.sqlite.lock"]
