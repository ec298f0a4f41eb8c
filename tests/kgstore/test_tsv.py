"""Tab-separated triples and names: every spelling, wherever it stands in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats import lines as lines_module
from kgstore.loading.formats.lines import MalformedLine
from kgstore.loading.formats.tsv import FORMAT, NameReader, TripleReader

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

LINES: dict[str, TripleText] = {
    "m.1\tr.s.t\tm.2": ("m.1", "r.s.t", "m.2"),
    "/m/027rn\t/r/s/t\t/m/03_r3": ("m.027rn", "r.s.t", "m.03_r3"),
    "<http://e.org/a>\t<http://e.org/knows>\t<http://e.org/b>": (
        "http://e.org/a",
        "http://e.org/knows",
        "http://e.org/b",
    ),
    "<a\tr.s.t>\tb>": ("<a", "r.s.t>", "b>"),
    "<not an address>\tr.s.t\t<nor this>": ("<not an address>", "r.s.t", "<nor this>"),
    'm.1\tname\t"One"@en': ("m.1", "name", '"One"@en'),
    'm.1\tname\t"a \\"b\\""': ("m.1", "name", '"a \\"b\\""'),
    'm.1\tage\t"7.0"^^xsd:float': ("m.1", "age", '"7"^^xsd:integer'),
    "m 1\tr s\tm 2": ("m 1", "r s", "m 2"),
}
BAD = {
    "m.1\tr.s.t": "2 columns instead of 3",
    '"x"\tr.s.t\tm.2': "the subject is a literal",
    "m.1\t \tm.2": "an empty predicate",
}


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def columns(path: Path) -> list[TripleText]:
    return [triple for block in TripleReader(path).columns() for triple in zip(*block, strict=True)]


@pytest.mark.parametrize("first", range(len(LINES)))
@pytest.mark.parametrize(
    ("before", "between", "after"),
    [("", "\n", "\n"), ("", "\n", ""), ("# a heading\n", "\n", "\n"), ("", "\r\n", "\r\n"), ("", "\n\n", "\n")],
)
def test_every_spelling_is_read_at_every_place_of_a_file(
    tmp_path: Path, first: int, before: str, between: str, after: str
) -> None:
    lines = [*LINES][first:] + [*LINES][:first]
    path = write(tmp_path / "t.tsv", before + between.join(lines) + after)
    expected = [LINES[line] for line in lines]
    assert list(TripleReader(path, strict=True)) == expected
    assert columns(path) == expected


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(
    ("between", "after"), [("\n", "\n"), ("\n", ""), ("\r\n", "\r\n"), ("\r\n", ""), ("\n\n", "\n")]
)
def test_a_spelling_is_read_the_same_where_no_other_stands_beside_it(
    tmp_path: Path, line: str, between: str, after: str
) -> None:
    path = write(tmp_path / "t.tsv", between.join([line] * 3) + after)
    assert list(TripleReader(path, strict=True)) == columns(path) == [LINES[line]] * 3


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("<urn:x>", "urn:x"),
        ("<a:b>", "a:b"),
        ("<b:>", "<b:>"),
        ("<:b>", "<:b>"),
        ("<>", "<>"),
        ("/X/Y", "X.Y"),
    ],
)
def test_an_address_may_stand_in_brackets_and_nothing_else(tmp_path: Path, written: str, read_as: str) -> None:
    path = write(tmp_path / "t.tsv", f"{written}\t{written}\t{written}\n")
    assert list(TripleReader(path, strict=True)) == [(read_as, read_as, read_as)]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("place", [0, 4, len(LINES)])
def test_a_malformed_line_is_reported_and_costs_no_other(tmp_path: Path, bad: str, place: int) -> None:
    lines = [*[*LINES][:place], bad, *[*LINES][place:]]
    reader = TripleReader(write(tmp_path / "t.tsv", "\n".join(lines)))
    assert list(reader) == list(LINES.values())
    assert reader.lines.examples == [MalformedLine(place + 1, bad, BAD[bad])]


@pytest.mark.parametrize("header", [("subject", "predicate", "object"), ("head", "relation", "tail"), ("s", "p", "o")])
@pytest.mark.parametrize("before", ["", "# a heading\n\n", "\ufeff"])
def test_a_first_line_that_names_the_columns_is_no_triple(tmp_path: Path, header: tuple[str, ...], before: str) -> None:
    names = "\t".join(header)
    path = write(tmp_path / "t.tsv", f"{before}{names.title()}\r\na\tb\tc\n{names}\nbad\n")
    reader = TripleReader(path)
    assert list(reader) == [("a", "b", "c"), header]
    assert [line.number for line in reader.lines.examples] == [before.count("\n") + 4]
    assert list(TripleReader(write(path, names))) == []


def test_only_the_first_line_of_a_file_names_the_columns_and_tabs_part_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "_BLOCK_BYTES", 8)
    reader = TripleReader(write(tmp_path / "t.tsv", "head relation tail\n" + "head\trelation\ttail\n" * 3))
    assert list(reader) == [("head", "relation", "tail")] * 3
    assert reader.lines.examples == [MalformedLine(1, "head relation tail", "1 columns instead of 3")]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_last_line_that_is_malformed_is_reported(tmp_path: Path, end: str) -> None:
    reader = TripleReader(write(tmp_path / "t.tsv", f"a\tb\tc\nrest{end}"))
    assert list(reader) == [("a", "b", "c")]
    assert [line.number for line in reader.lines.examples] == [2]


@pytest.mark.parametrize("sign", [b"\0", b"\xff"])
def test_what_is_no_text_is_no_triple_wherever_it_stands(tmp_path: Path, sign: bytes) -> None:
    reader = TripleReader(write(tmp_path / "t.tsv", b"m.1\tr.s.t\tm.2\nm.3\tr.s" + sign + b".t\tm.4\nm.5\tr\tm.6\n"))
    assert list(reader) == [("m.1", "r.s.t", "m.2"), ("m.5", "r", "m.6")]
    assert [line.number for line in reader.lines.examples] == [2]
    reader = TripleReader(write(tmp_path / "t.tsv", sign + b"\tr.s.t\tm.2\nm.3\tr.s.t\tm.4\n"))
    assert list(reader) == [("m.3", "r.s.t", "m.4")]
    assert [line.number for line in reader.lines.examples] == [1]


def test_lines_that_only_together_have_three_columns_a_triple_are_malformed(tmp_path: Path) -> None:
    reader = TripleReader(write(tmp_path / "t.tsv", "a\tb\nc\td\te\tf\ng\th\ti\n"))
    assert list(reader) == [("g", "h", "i")]
    assert [line.reason for line in reader.lines.examples] == ["2 columns instead of 3", "4 columns instead of 3"]


def test_names_have_an_id_and_a_text_and_the_rest_is_reported(tmp_path: Path) -> None:
    no_name = ['"x"\tA literal', "m.3", "m.4\t ", "/\tNobody", "a b c"]
    text = '# a heading\nm.1\tOne\n\nX\tX\n/m/2\tTwo \n/x/y\tSlashes\nm.6\t A "name" of words \n'
    reader = NameReader(write(tmp_path / "n.tsv", text + "\n".join(no_name)))
    named = [("m.1", "One"), ("X", "X"), ("m.2", "Two"), ("x.y", "Slashes"), ("m.6", 'A "name" of words')]
    assert list(reader) == named
    reason = "expected an id and a name with a tab between them"
    assert reader.lines.examples == [MalformedLine(number, line, reason) for number, line in enumerate(no_name, 8)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Q1\tuniverse\tcosmos\tthe universe\n", [("Q1", "universe"), ("Q1", "cosmos"), ("Q1", "the universe")]),
        ("Q1\tuniverse\t\tcosmos\n", [("Q1", "universe"), ("Q1", "cosmos")]),
        ("<http://e.org/1>\tOne\n", [("http://e.org/1", "One")]),
        ("id\tname\tkind\nGene::9\tNAT1\tGene\n", [("Gene::9", "NAT1")]),
        ("id\tkind\taliases\tlabel\nx\tGene\tother\tX\n", [("x", "X"), ("x", "other")]),
        ("id\tA word\n", [("id", "A word")]),
    ],
)
def test_a_line_of_names_may_have_several(tmp_path: Path, text: str, names: list[tuple[str, str]]) -> None:
    assert list(NameReader(write(tmp_path / "n.tsv", text), strict=True)) == names


def test_names_may_be_read_strictly(tmp_path: Path) -> None:
    path = write(tmp_path / "n.tsv", "m.1\tOne\nm.2\n")
    assert list(NameReader(path)) == [("m.1", "One")]
    with pytest.raises(GraphLoadError, match="line 2: expected an id and a name"):
        list(NameReader(path, strict=True))


@pytest.mark.parametrize(
    ("head", "is_tsv"),
    [
        (["a\tb\tc"], True),
        (["# a heading", "a\tb\tc"], False),
        (["# a heading", "a\tb\tc", "d\te\tf"], True),
        (["# a heading", "and", "a\tb\tc", "d\te\tf"], False),
        (["a\tb\tc", "a\t \tc"], False),
        ([], False),
    ],
)
def test_tsv_is_known_by_most_lines_having_three_columns(head: list[str], is_tsv: bool) -> None:
    assert FORMAT.recognises(head) is is_tsv
