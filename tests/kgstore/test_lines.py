"""The lines of a file, whatever they end with, how the file is packed, and how far it has been read."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats import lines as lines_module
from kgstore.loading.formats.lines import LineReader, MalformedLine

if TYPE_CHECKING:
    from pathlib import Path

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lines.txt"


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a few bytes at a time, and have lines be too long soon."""
    monkeypatch.setattr(lines_module, "_BLOCK_BYTES", 8)
    monkeypatch.setattr(lines_module, "_MAX_LINE_LENGTH", 16)


def reader(path: Path, content: bytes, *, strict: bool = False) -> LineReader:
    path.write_bytes(content)
    return LineReader(path, strict=strict)


def numbered(lines: LineReader) -> list[tuple[int, str]]:
    return [(number, line) for first, batch in lines.batches() for number, line in enumerate(batch, first)]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\r\ntwo", ["one", "two"]),
        (b"o\rne\ntwo\n", ["o\rne", "two"]),
        (b"\n\none\n\n", ["", "", "one", ""]),
        (b"\n", [""]),
        (BOM + b"one\n" + BOM + b"two\n", ["one", "\ufefftwo"]),
        ("Łódź\n東京\n".encode(), ["Łódź", "東京"]),
        (b"a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e\n", ["a\x0bb\x0cc\x85d\u2028e"]),
        (b"longer than a block\nand\none more of them\nend", ["longer than a block", "and", "one more of them", "end"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("blocks", ["large", "small"])
def test_lines_are_numbered_from_one_without_their_ends(
    path: Path, content: bytes, lines: list[str], blocks: str, monkeypatch: pytest.MonkeyPatch, *, packed: bool
) -> None:
    if blocks == "small":
        monkeypatch.setattr(lines_module, "_BLOCK_BYTES", 8)
    read = reader(path, gzip.compress(content) if packed else content, strict=True)
    for _ in range(2):
        assert numbered(read) == list(enumerate(lines, start=1))
        assert (read.read, read.fraction, read.malformed) == (len(lines), 1, 0)


def test_what_is_no_text_is_reported_and_empty_and_other_lines_are_kept(path: Path) -> None:
    path.write_bytes(b"one\r\nt\xffwo\nthr\0ee\r\nfo\xed\xa0\x80ur\nfive X\n")
    read = LineReader(path)
    assert numbered(read) == [(1, "one"), (2, ""), (3, ""), (4, ""), (5, "five X")]
    assert read.malformed == 3
    assert read.examples == [
        MalformedLine(2, "t\ufffdwo", "not UTF-8: invalid start byte"),
        MalformedLine(3, "thr\0ee", "holds a NUL character"),
        MalformedLine(4, "fo\ufffd\ufffd\ufffdur", "not UTF-8: invalid continuation byte"),
    ]
    # What was wrong is that of the last reading.
    numbered(read)
    assert (read.malformed, len(read.examples)) == (3, 3)


@pytest.mark.parametrize("lines", [b"one \r\ntwo\t\n", b"one\r\r\n\rtwo\n", b"one\ntwo\r", b"\r\n\r\n", b"\r"])
def test_a_line_reads_alike_whatever_stands_in_another(path: Path, lines: bytes) -> None:
    alone = [line for _, line in numbered(reader(path, lines))]
    assert [line for _, line in numbered(reader(path, b"\xff\n" + lines))] == ["", *alone]


def test_a_nul_alone_is_reported_too(path: Path) -> None:
    read = reader(path, b"one\n\0\ntwo")
    assert numbered(read) == [(1, "one"), (2, ""), (3, "two")]
    assert read.examples == [MalformedLine(2, "\0", "holds a NUL character")]


def test_of_many_malformed_lines_the_first_are_kept_in_order(path: Path) -> None:
    read = reader(path, b"x\n")
    for number in (7, 3, *range(10, 30)):
        read.report(number, "t" * 300, "why")
    assert read.malformed == 22
    assert [line.number for line in read.examples] == [3, 7, *range(10, 18)]
    assert {line.text for line in read.examples} == {"t" * 200}
    read.most_examples = 12
    read.report(1, "", "why")
    assert (len(read.examples), read.examples[0]) == (11, MalformedLine(1, "", "why"))


def test_a_strict_reader_stops_at_the_first_malformed_line(path: Path) -> None:
    read = reader(path, b"one\n\xff\n", strict=True)
    said = f"{path}, line 2: not UTF-8: invalid start byte. Correct it, or load without being strict."
    with pytest.raises(GraphLoadError, match=f"^{re.escape(said)}$"):
        numbered(read)
    assert not read.malformed


def test_how_much_was_read_is_reported_over_all_passes(path: Path) -> None:
    path.write_bytes(b"".join(b"line %d\n" % number for number in range(40_000)))
    once, twice = LineReader(path), LineReader(path, passes=2)
    assert (once.fraction, twice.fraction) == (0, 0)
    shown = [twice.fraction for _ in range(2) for _ in twice.batches()]
    assert shown == sorted(set(shown))
    assert shown[-1] == 1
    half = shown[len(shown) // 2 - 1]
    assert half == 0.5
    next(iter(once.batches()))
    assert 0.3 < once.fraction < 0.6
    # Another reading of all passes starts again.
    next(iter(twice.batches()))
    assert 0.1 < twice.fraction < 0.3


def test_a_file_without_anything_in_it_is_empty_and_all_read(path: Path) -> None:
    read = reader(path, b"")
    assert read.fraction == 1
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(path))} is empty\\.$"):
        numbered(read)
    assert read.head(3) == []
    with pytest.raises(GraphLoadError, match="is empty"):
        numbered(reader(path, gzip.compress(b"")))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("rest", [15, 16, 17])
def test_a_line_that_is_too_long_is_refused_after_those_before(path: Path, rest: int) -> None:
    read = reader(path, b"a\nb\nc\ndd\n" + b"e" * (8 + rest) + b"\n")
    if rest < 16:
        assert numbered(read)[-1] == (5, "e" * 23)
        return
    with pytest.raises(GraphLoadError) as raised:
        numbered(read)
    said = f"{path} holds a line of more than 0 MiB after line 4, which is too long. Is it a text file?"
    assert str(raised.value) == said


def test_how_long_a_line_may_be_is_reported_in_mebibytes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "_MAX_LINE_LENGTH", 2 << 20)
    with pytest.raises(GraphLoadError, match="holds a line of more than 2 MiB after line 0, "):
        numbered(reader(path, b"e" * (3 << 20)))


@pytest.mark.usefixtures("small_blocks")
def test_a_long_line_that_ends_the_block_is_no_fault(path: Path) -> None:
    assert numbered(reader(path, b"e" * 23 + b"\nend")) == [(1, "e" * 23), (2, "end")]


@pytest.mark.parametrize(
    ("count", "head"),
    [(0, []), (1, ["oneX"]), (2, ["oneX", " two "]), (3, ["oneX", " two ", "x" * 16_384]), (9, None)],
)
@pytest.mark.parametrize("packed", [False, True])
def test_first_lines_are_those_that_are_not_blank_each_cut(
    path: Path, count: int, head: list[str] | None, *, packed: bool
) -> None:
    content = BOM + b"\n \noneX\r\n two \n" + b"x" * 300_000 + b"\n\xff\nlast"
    read = reader(path, gzip.compress(content) if packed else content)
    whole = ["oneX", " two ", "x" * 16_384, "\ufffd", "last"]
    assert read.head(count) == (whole if head is None else head)
    assert read.read == 0


def test_a_file_that_is_not_there_or_not_what_its_name_says(tmp_path: Path) -> None:
    missing, plain = tmp_path / "missing", tmp_path / "plain.gz"
    with pytest.raises(
        GraphLoadError, match=f"^{re.escape(str(missing))} cannot be read: No such file or directory\\.$"
    ):
        LineReader(missing)
    plain.write_bytes(b"one\n")
    said = f"{plain} is named .gz but is not packed so; rename it if it is plain text."
    with pytest.raises(GraphLoadError, match=f"^{re.escape(said)}$"):
        LineReader(plain)


def test_a_file_that_vanishes_or_is_damaged_says_so(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    read = reader(path, gzip.compress(b"one\n" * 100_000))
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.raises(
        GraphLoadError, match=f"^{re.escape(str(path))} is damaged after line \\d+: Compressed file ended"
    ):
        numbered(read)
    path.write_bytes(whole[:20] + b"\0" * 50 + whole[70:])
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(path))} is damaged after line 0: \\S+"):
        numbered(read)
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(path))} is damaged after line 0: \\S+"):
        read.head(1_000_000)
    path.unlink()
    with pytest.raises(GraphLoadError, match=f"^{re.escape(str(path))} cannot be read: No such file or directory\\.$"):
        numbered(read)
