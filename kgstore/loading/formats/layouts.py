"""Tables of well-known data sets whose columns have no names: ConceptNet's assertions, and YAGO's facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.iris import is_conceptnet
from kgstore.loading.formats.headers import Header
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.loading.formats.tsv import TripleReader, object_term

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_CONCEPTNET = Header(5, (2, 1, 3), ("assertion", "sources and weight"))
_YAGO_FACT = "<id_"
_YAGO = Header(4, (1, 2, 3), ("id of the fact",))
_YAGO_WITH_VALUES = Header(5, (1, 2, 3), ("id of the fact", "value as a number"))
_UNKNOWN = "-##"
"""What YAGO writes for the month or the day of a date that is known to the year or the month."""


def open_conceptnet(path: Path, options: ReadOptions) -> TripleReader:
    """The assertions of ConceptNet.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return TripleReader(path, strict=options.strict, columns=_CONCEPTNET)


def open_yago(path: Path, options: ReadOptions) -> TripleReader:
    """The facts of YAGO 2 or 3.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    reader = TripleReader(path, strict=options.strict)
    has_values = any(len(line.split("\t")) == _YAGO_WITH_VALUES.width for line in reader.lines.head(1))
    columns = _YAGO_WITH_VALUES if has_values else _YAGO
    return TripleReader(path, strict=options.strict, columns=columns, objects=_yago_object)


def _yago_object(text: str) -> str:
    """An object as the graph has it; of a date, only what is known.

    Raises:
        TermError: it is no term.

    """
    return object_term(text.replace(_UNKNOWN, "") if text.startswith('"') else text)


def _recognises_conceptnet(head: Sequence[str]) -> bool:
    rows = [line.split("\t") for line in head]
    return all(len(row) == _CONCEPTNET.width and all(map(is_conceptnet, row[:3])) for row in rows)


def _recognises_yago(head: Sequence[str]) -> bool:
    rows = [line.split("\t") for line in head]
    return all(
        len(row) in (_YAGO.width, _YAGO_WITH_VALUES.width)
        and (not row[0] or row[0].startswith(_YAGO_FACT))
        and row[1].startswith("<")
        and row[1].endswith(">")
        for row in rows
    )


CONCEPTNET = Format(
    name="conceptnet",
    title="ConceptNet's assertions",
    looks="/a/[/r/IsA/,/c/en/dog/,/c/en/animal/]⇥/r/IsA⇥/c/en/dog⇥/c/en/animal⇥{…}",
    open=open_conceptnet,
    recognises=_recognises_conceptnet,
)
YAGO = Format(
    name="yago",
    title="Facts of YAGO 2 or 3",
    looks="<id_1qq_1gi_8bx>⇥<Albert_Einstein>⇥<wasBornIn>⇥<Ulm>⇥",
    open=open_yago,
    recognises=_recognises_yago,
)
