"""What loaders share whose data sets know entities by name alone: the name is the id, things of one name are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.freebase_ids import is_mid
from kgstore.loading.formats.lines import LineReader
from kgstore.terms import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

_NAME = "type.object.name"
_FIELDS = 3


def entity_id(name: str) -> str:
    """The id of the entity that bears a name: the name itself, unless it could be taken for another kind of term."""
    plain = " ".join(name.split())
    return f"name:{plain}" if plain.startswith(('"', "/")) else plain


class Namer:
    """Says once of every entity what its name is."""

    def __init__(self) -> None:
        self._named: set[str] = set()

    def name(self, mid: str, name: str) -> Iterator[TripleText]:
        """The triple that names an entity, the first time. What is known by a mid has no name: mediators above all."""
        if mid not in self._named and not is_mid(mid):
            self._named.add(mid)
            yield mid, _NAME, str(Text(" ".join(name.split())))


class NamedTriples:
    """Triples of names, ``subject SEPARATOR relation SEPARATOR object`` a line, and a name for every entity."""

    def __init__(
        self,
        path: Path,
        *,
        separator: str,
        predicate_of: Callable[[str], str],
        literals: Mapping[str, Callable[[str], str]],
        display: Callable[[str], str],
        strict: bool,
    ) -> None:
        """Look at the file, without reading it.

        Args:
            path: the file, plain or gzipped.
            separator: what stands between the three.
            predicate_of: for a relation of the file the predicate of the graph; it raises `ValueError`, saying what is
                wrong, where it is none that can be loaded.
            literals: for those relations whose objects are literals, what makes one of an object; it raises
                `TermError` where it cannot.
            display: what people are shown for a name as it stands in the file.
            strict: stop at the first malformed line instead of counting it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)
        self._separator = separator
        self._predicate_of = predicate_of
        self._literals = literals
        self._display = display

    def filters(self) -> Sequence[str]:
        """Everything is loaded."""
        return ()

    def __iter__(self) -> Iterator[TripleText]:
        namer = Namer()
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                if not line.strip():
                    continue
                try:
                    subject, relation, obj = self._parts(line)
                    source, predicate = entity_id(subject), self._predicate_of(relation)
                except ValueError as error:
                    self.lines.report(number, line, str(error))
                    continue
                if (literal := self._literals.get(relation)) is None:
                    target = entity_id(obj)
                    yield source, predicate, target
                    yield from namer.name(target, self._display(obj))
                else:
                    try:
                        yield source, predicate, literal(obj)
                    except ValueError as error:
                        self.lines.report(number, line, str(error))
                        continue
                yield from namer.name(source, self._display(subject))

    def _parts(self, line: str) -> tuple[str, str, str]:
        fields = columns(line, self._separator)
        if len(fields) != _FIELDS:
            raise ValueError(f"{len(fields)} parts instead of {_FIELDS}")
        if not all(fields):
            raise ValueError("an empty part")
        subject, relation, obj = fields
        return subject, relation, obj


def columns(line: str, separator: str) -> list[str]:
    """The parts of a line. Several tabs in a row are one, as some files have them; other separators are not."""
    fields = [field.strip() for field in line.strip().split(separator)]
    return [field for field in fields if field] if separator == "\t" else fields


def recognises(separator: str, is_known: Callable[[str], bool], head: Sequence[str]) -> bool:
    """Whether every line has three parts and a known relation in the middle."""
    parts = [columns(line, separator) for line in head]
    return all(len(fields) == _FIELDS and is_known(fields[1]) for fields in parts)
