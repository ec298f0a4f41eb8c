"""Packed files are read as what they hold."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from typing import TYPE_CHECKING

import pytest
import zstandard

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.registry import FORMATS, format_of
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.source import read_json, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def zipped(content: bytes, *names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("graph.tsv", "__MACOSX/._graph.tsv"):
            archive.writestr(name, b"" if name.startswith("__MACOSX") else content)
    return file.getvalue()


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
    ".zip": zipped,
}
TRIPLES = "".join(f"a{i}\tknows\ta{i * 7919 % 10007}\n" for i in range(50_000)).encode()


@pytest.mark.parametrize("ending", PACK)
def test_a_packed_graph_is_read_as_what_it_holds(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph.tsv{ending}"
    path.write_bytes(PACK[ending](TRIPLES))
    assert format_of(path).name == "tsv"
    source = FORMATS["tsv"].read(path)
    assert len(list(source)) == 50_000
    assert 0.9 < source.lines.fraction <= 1


@pytest.mark.parametrize("ending", PACK)
def test_packed_questions_are_read_as_what_they_hold(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"questions.json{ending}"
    path.write_bytes(PACK[ending](b'{"Questions": []}\n'))
    assert read_json(path) == {"Questions": []}
    assert list(read_lines(path)) == [(1, b'{"Questions": []}')]


def test_several_parts_in_a_row_are_one_file(tmp_path: Path) -> None:
    for ending in (".gz", ".bz2", ".xz", ".zst"):
        path = tmp_path / f"parts{ending}"
        path.write_bytes(PACK[ending](b"one\n") + PACK[ending](b"two\n"))
        assert LineReader(path).head(5) == ["one", "two"]


@pytest.mark.parametrize("ending", PACK)
def test_a_damaged_file_is_refused(ending: str, tmp_path: Path) -> None:
    whole = PACK[ending](TRIPLES)
    path = tmp_path / f"graph.tsv{ending}"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GraphLoadError, match="is damaged"):
        list(LineReader(path).batches())
    with pytest.raises(DatasetError, match="is damaged"):
        list(read_lines(path))


@pytest.mark.parametrize("ending", PACK)
def test_a_plain_file_with_such_a_name_is_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{ending}"
    path.write_bytes(b"a\tknows\tb\n")
    with pytest.raises(GraphLoadError, match=f"is named {ending} but is not packed so"):
        LineReader(path)


@pytest.mark.parametrize("names", [("a.tsv", "b.tsv"), ("folder/",)])
def test_an_archive_of_several_files_or_of_none_says_so(names: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "graphs.zip"
    path.write_bytes(zipped(b"" if names[0].endswith("/") else b"a\tknows\tb\n", *names))
    count = sum(not name.endswith("/") for name in names)
    with pytest.raises(GraphLoadError, match=f"it holds {count} files; unpack it"):
        LineReader(path).head(1)
