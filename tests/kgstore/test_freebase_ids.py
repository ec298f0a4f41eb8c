"""Freebase's ids are the same however a file or a question writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.formats.comma_separated import CommaSeparatedReader
from kgstore.loading.formats.rdf.ntriples import NTriplesReader
from kgstore.loading.formats.rdf.turtle import open_turtle
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.formats.tsv import NameReader, TripleReader
from kgstore.terms import Entity, parse_term, read_entity

if TYPE_CHECKING:
    from pathlib import Path

NS = "http://rdf.freebase.com/ns/"
TRIPLE = ("m.01", "film.film.genre", "m.0_2x")
WAYS = ["", "ns:", "fb:", "freebase:", NS, "/"]


def written(way: str, name: str) -> str:
    return f"/{name.replace('.', '/')}" if way == "/" else f"{way}{name}"


@pytest.mark.parametrize("way", WAYS)
def test_an_entity_is_one_however_it_is_written(way: str) -> None:
    assert parse_term(written(way, "m.01")) == read_entity(written(way, "m.01")) == Entity("m.01")


@pytest.mark.parametrize("text", ["ns:Thing", "fb:", "ns:m.01 x", "http://rdf.freebase.com/ns/", "ex:m.01", "nsm.01"])
def test_ids_of_other_vocabularies_stay_as_they_are(text: str) -> None:
    assert read_entity(text) == Entity(text)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sign", [",", "\t"])
def test_tables_write_them_in_any_way(tmp_path: Path, way: str, sign: str) -> None:
    path = tmp_path / "table"
    path.write_text(sign.join(written(way, name) for name in TRIPLE) + "\n", encoding="utf-8")
    reader = CommaSeparatedReader(path, strict=True) if sign == "," else TripleReader(path, strict=True)
    assert list(reader) == [TRIPLE]


@pytest.mark.parametrize("way", WAYS)
def test_a_file_of_names_writes_them_in_any_way(tmp_path: Path, way: str) -> None:
    path = tmp_path / "names.tsv"
    path.write_text(f"{written(way, 'm.01')}\tAda\n", encoding="utf-8")
    assert list(NameReader(path, strict=True)) == [("m.01", "Ada")]


def test_rdf_writes_them_in_full(tmp_path: Path) -> None:
    path = tmp_path / "facts.ttl"
    path.write_text(f"@prefix fb: <{NS}> .\nfb:m.01 fb:film.film.genre fb:m.0_2x .\n", encoding="utf-8")
    assert list(open_turtle(path, ReadOptions())) == [TRIPLE]
    path.write_text(" ".join(f"<{NS}{name}>" for name in TRIPLE) + " .\n", encoding="utf-8")
    assert list(NTriplesReader(path, strict=True)) == [TRIPLE]
