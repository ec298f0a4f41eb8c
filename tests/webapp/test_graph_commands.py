from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from webapp.engine import graph_library

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILMS = "Kismet|directed_by|William Dieterle\nKismet|release_year|1944\nGigi|release_year|soon\n"
DUMP = "".join(
    f"<http://rdf.freebase.com/ns/{s}>\t<http://rdf.freebase.com/ns/{p}>\t<http://rdf.freebase.com/ns/{o}>\t.\n"
    for s, p, o in [("m.1", "film.film.genre", "m.2"), ("m.3", "book.book.genre", "m.2")]
)


@pytest.fixture
def films(tmp_path: Path) -> Iterator[Path]:
    """A file of films; whatever is loaded under their name is gone afterwards."""
    path = tmp_path / "kb.txt"
    path.write_text(FILMS, encoding="utf-8")
    yield path
    for left in graph_library().folder.glob("*films*"):
        left.unlink()


def served() -> dict[str, Any]:
    return next(graph for graph in Client().get("/api/graphs").json() if graph["name"] == "films")


@pytest.mark.django_db
def test_a_graph_says_where_it_comes_from(films: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_graph", str(films), "--name", "films", "--title", "Films", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["edges"], report["malformed"]) == (2, 1)
    graph = served()
    assert (graph["title"], graph["triples"]) == ("Films", 4)
    assert (graph["source"], graph["filters"]) == ("kb.txt (MetaQA)", ["1 malformed line passed over"])
    assert graph["loaded_at"].endswith("+00:00")


def test_the_graphs_are_listed(films: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_graph", str(films), "--name", "films", "--title", "Films")
    damaged = graph_library().folder / "films2.sqlite"
    damaged.write_bytes(b"no graph")
    capsys.readouterr()
    call_command("list_graphs", "--json")
    graphs = {graph["name"]: graph for graph in json.loads(capsys.readouterr().out)}
    assert (graphs["films"]["title"], graphs["films"]["triples"], graphs["films"]["is_default"]) == ("Films", 4, False)
    assert graphs["toy"]["is_default"]
    assert "films2" in graphs["films2"]["fault"]
    call_command("list_graphs")
    shown = capsys.readouterr().out
    assert "toy *" in shown
    assert "films2" in shown


@pytest.mark.django_db
def test_what_a_filter_left_out_is_served(films: Path) -> None:
    films.write_text(DUMP, encoding="utf-8")
    chosen = films.with_name("filters.toml")
    chosen.write_text('[keep]\ndomains = ["film"]\n', encoding="utf-8")
    call_command("load_graph", str(films), "--name", "films", "--filters", str(chosen))
    assert served()["filters"] == ["facts of the domains film", "1 of 2 lines taken"]


def test_a_file_of_no_known_format(films: Path) -> None:
    films.write_text("what is this\n", encoding="utf-8")
    with pytest.raises(
        CommandError, match=r"(?s)--format:\n  tsv: .* freebase-rdf: .* metaqa: .* pathquestion: .* rog: "
    ):
        call_command("load_graph", str(films), "--name", "films")
    with pytest.raises(CommandError, match="--rows is not for files of the format metaqa"):
        call_command("load_graph", str(films), "--name", "films", "--format", "metaqa", "--rows", "1")


def test_a_part_is_cut_out_of_a_graph_and_of_a_file(films: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_graph", str(films), "--name", "films")
    gold = films.with_name("gold.tsv")
    gold.write_text("Nobody\n", encoding="utf-8")
    capsys.readouterr()
    for where in (["--graph", "films"], ["--file", str(films)]):
        part = films.with_name("part.tsv.gz")
        asked = ["--topic", "Kismet", "--topic", "Nowhere", "--gold", str(gold), "--hops", "1", "--most-facts", "9"]
        call_command("extract_subset", str(part), *where, *asked)
        output = capsys.readouterr().out
        assert "2 facts of 2 entities" in output
        assert "Topics in the graph: 1 of 2.\nTopics not in the graph: Nowhere." in output
        assert "Not expanded because of more than 9 facts: 0 of 1 entities." in output
        assert "Gold lines with facts in the graph: 0 of 1." in output
        assert part.exists()
        part.unlink()
    call_command("extract_subset", str(part), "--graph", "films", "--topic", "Kismet", "--json")
    assert json.loads(capsys.readouterr().out)["facts"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--graph", "films"], "Nothing to start from"),
        (["--graph", "films", "--topic", "a", "--hops", "0"], "at least 1"),
        (["--graph", "films", "--topic", "a", "--format", "tsv"], "are for a --file"),
        (["--graph", "nowhere", "--topic", "a"], "There is no graph named 'nowhere'"),
        (["--topic", "a"], "one of the arguments --graph --file is required"),
        (["--file", "missing.tsv", "--topic", "a"], "cannot be read: No such file"),
    ],
)
def test_an_extraction_that_cannot_be(tmp_path: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("extract_subset", str(tmp_path / "part.tsv"), *arguments)
    assert not list(tmp_path.iterdir())


def test_a_graph_is_exported_as_rdf(films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_graph", str(films), "--name", "films", "--title", "Films")
    capsys.readouterr()
    output = tmp_path / "films.nt"
    call_command("export_graph", "films", str(output), "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["output"], report["facts"], report["entities"]) == (str(output), 2, 2)
    ns = "http://rdf.freebase.com/ns/"
    year = '"1944"^^<http://www.w3.org/2001/XMLSchema#gYear>'
    assert (
        f"<{ns}Kismet> <{ns}film.film.initial_release_date> {year} ." in output.read_text(encoding="utf-8").splitlines()
    )
    call_command("export_graph", "films", str(output))
    assert f"Wrote {output}: 2 facts, {report['types']} types and 2 names of 2 entities." in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no graph named"):
        call_command("export_graph", "none", str(output))
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_graph", "films", str(tmp_path / "missing" / "films.nt"))
