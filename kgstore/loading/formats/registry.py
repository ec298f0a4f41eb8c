"""The formats that graphs can be loaded from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats import (
    comma_separated,
    freebase_rdf,
    kgtk,
    layouts,
    metaqa,
    pathquestion,
    rog,
    tsv,
)
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.rdf import json_ld, ntriples, rdf_xml, turtle
from kgstore.loading.formats.tables import reader as tables
from kgstore.packed import name_unpacked

if TYPE_CHECKING:
    from kgstore.loading.formats.source import Format

FORMATS: dict[str, Format] = {
    known.name: known
    for known in (
        tsv.FORMAT,
        comma_separated.FORMAT,
        tables.FORMAT,
        kgtk.FORMAT,
        layouts.CONCEPTNET,
        layouts.YAGO,
        ntriples.N_TRIPLES,
        ntriples.N_QUADS,
        turtle.TURTLE,
        turtle.TRIG,
        rdf_xml.FORMAT,
        json_ld.FORMAT,
        freebase_rdf.FORMAT,
        metaqa.FORMAT,
        pathquestion.FORMAT,
        rog.FORMAT,
    )
}
"""By name."""

_LINES_LOOKED_AT = 20
_LINES_READ = 500
"""Comments at the top of a file may be long."""


def format_of(path: Path) -> Format:
    """The one format that a file can be of, by its first lines and the ending of its name.

    Raises:
        GraphLoadError: the file cannot be read, or it is empty, or it could be of none or of several.

    """
    able = recognised(path)
    if len(able) != 1:
        raise GraphLoadError(
            f"Cannot detect the format of {path} from its first lines. Name it with --format:{described_formats()}"
        )
    return able[0]


def recognised(path: Path) -> list[Format]:
    """The formats that the first lines of a file can be of; a general one only where there is no other.

    The ending of the file's name decides between formats that contain one another: every line of N-Triples is Turtle
    as well, and prefixes may come late. It also decides between several general ones, and where the lines tell nothing.

    Raises:
        GraphLoadError: the file cannot be read, or it is empty.

    """
    if able := [known for known in FORMATS.values() if known.recognises_file(path)]:
        return able
    head = [line for line in LineReader(path).head(_LINES_READ) if not line.startswith("# ")][:_LINES_LOOKED_AT]
    if not head:
        raise GraphLoadError(f"{path} is empty.")
    able = [known for known in FORMATS.values() if known.recognises(head)]
    ending = Path(name_unpacked(path)).suffix.lower()
    named = [known for known in FORMATS.values() if ending in known.endings]
    if special := [known for known in able if not known.is_general]:
        wider = [one for one in named if all(each is one or each.name in one.reads_too for each in special)]
        return wider or special
    return [one for one in named if one in able or not one.is_general] or able or named


def described_formats() -> str:
    """Every format on a line of its own, with an example."""
    return "".join(f"\n  {known.name}: {known.looks}" for known in FORMATS.values())
