"""Question neighbourhoods in the row format of RoG's data sets (Luo et al., arXiv 2310.01061).

Each line is a row: ``{"id", "question", "q_entity", "a_entity", "graph": [[subject, relation, object], ...]}``.
Terms are names; only what has no name, mediators above all, stands there with its mid. So a name is an entity's id
here, and things of the same name are one. Literals are bare text: their form distinguishes them from names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from kgstore.characters import character_fault
from kgstore.freebase.knowledge import load_knowledge
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.by_name import Namer, entity_id
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.loading.formats.tsv import normal_predicate
from kgstore.terms import TermError, Text, bare_number, parse_date

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

_ISO_DATE = re.compile(r"-?\d{4}-\d{2}(?:-\d{2}(?:T.*)?)?")
_YEAR = re.compile(r"\d{4}")
_ROWS_SHOWN = 10


class RogReader:
    """The triples of all rows of a file, or of some, with a name for every entity that has one.

    A bare text is a literal if it is written like a date or a number, is nowhere a subject, and most objects of its
    relation are written so: *36644* is a number as a postal code, *1989* is none among the names of albums. Four digits
    are a year where the relation's name says that it leads to dates, or another of its objects is a date.
    """

    def __init__(self, path: Path, *, rows: Collection[str] = (), strict: bool = False) -> None:
        """Look at the file, without reading it.

        Args:
            path: JSON lines, plain or gzipped.
            rows: the ids of the rows to read; all of them if none is named.
            strict: stop at the first malformed line or triple instead of counting it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict, passes=2)
        self._rows = frozenset(rows)
        self._seen = 0
        knowledge = load_knowledge()
        self._naming = knowledge.name_relations | knowledge.alias_relations

    def filters(self) -> Sequence[str]:
        """Which of the rows were read."""
        if not self._rows:
            return ()
        return [f"{len(self._rows):,} of {self._seen:,} rows: {', '.join(sorted(self._rows))}"]

    def __iter__(self) -> Iterator[TripleText]:
        literals = _Literals(self._triples())
        namer = Namer()
        for subject, predicate, obj in self._triples():
            source = entity_id(subject)
            if predicate in self._naming:
                yield source, predicate, str(Text(obj))
                continue
            literal = literals.read(predicate, obj)
            target = literal or entity_id(obj)
            yield source, predicate, target
            yield from namer.name(source, subject)
            if literal is None:
                yield from namer.name(target, obj)

    def _triples(self) -> Iterator[tuple[str, str, str]]:
        """The triples as they stand in the file."""
        found: set[str] = set()
        seen: list[str] = []
        self._seen = 0
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                row = self._row(number, line)
                if row is None:
                    continue
                name = str(row.get("id"))
                if fault := character_fault(name):
                    self.lines.report(number, json.dumps(name), fault)
                    continue
                self._seen += 1
                if len(seen) < _ROWS_SHOWN:
                    seen.append(name)
                if self._rows and name not in self._rows:
                    continue
                found.add(name)
                for entry in row["graph"]:
                    triple = _triple(entry)
                    if isinstance(triple, str):
                        self.lines.report(number, json.dumps(entry), triple)
                    else:
                        yield triple
        if missing := sorted(self._rows - found):
            some = ", ".join(seen) + (f" and {self._seen - len(seen)} more" * (self._seen > len(seen)))
            raise GraphLoadError(f"{self.lines.path} has no row {', '.join(missing)}; it has {some or 'none'}.")

    def _row(self, number: int, line: str) -> dict[str, Any] | None:
        if not line.strip():
            return None
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            self.lines.report(number, line, f"not JSON: {error.msg}")
            return None
        except (ValueError, RecursionError) as error:
            self.lines.report(number, line, f"not JSON: {error}")
            return None
        if not isinstance(row, dict) or not isinstance(row.get("graph"), list):
            self.lines.report(number, line, 'not an object with a "graph"')
            return None
        return row


class _Literals:
    """Which bare texts of some triples are literals: see `RogReader`."""

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        """Learn from all triples which relations lead to literals and to dates, and what is a subject somewhere."""
        knowledge = load_knowledge()
        self._subjects: set[str] = set()
        self._date_predicates: set[str] = set()
        objects: Counter[str] = Counter()
        literal_like: Counter[str] = Counter()
        for subject, predicate, obj in triples:
            self._subjects.add(subject)
            objects[predicate] += 1
            is_date = _ISO_DATE.fullmatch(obj) is not None
            literal_like[predicate] += is_date or bare_number(obj) is not None
            if is_date or knowledge.leads_to_dates(predicate):
                self._date_predicates.add(predicate)
        self._literal_predicates = {name for name, count in literal_like.items() if 2 * count > objects[name]}

    def read(self, predicate: str, text: str) -> str | None:
        """The literal that an object is, in its textual form; None for an entity."""
        if predicate not in self._literal_predicates or text in self._subjects:
            return None
        if _ISO_DATE.fullmatch(text) or (_YEAR.fullmatch(text) and predicate in self._date_predicates):
            try:
                return str(parse_date(text))
            except TermError:
                return None
        number = bare_number(text)
        return None if number is None else str(number)


def _triple(entry: object) -> tuple[str, str, str] | str:
    """An entry of a row's graph as a triple, or why it is none."""
    match entry:
        case [str(subject), str(predicate), str(obj)] if subject.strip() and predicate and obj.strip():
            return character_fault(subject + predicate + obj) or (subject, normal_predicate(predicate), obj)
    return "not a triple of three texts"


def row_terms(graph: Iterable[object], names: Iterable[str]) -> list[str]:
    """The terms that names stand for in the graph of their row, in textual form: a literal's, else an entity's id.

    Entries of the graph that are no triples are passed over, as they are when the graph is loaded.
    """
    wanted = list(names)
    if not any(_ISO_DATE.fullmatch(name) or bare_number(name) for name in wanted):
        return [entity_id(name) for name in wanted]
    triples = [triple for triple in map(_triple, graph) if not isinstance(triple, str)]
    literals = _Literals(triples)
    read = {obj: literals.read(predicate, obj) for _, predicate, obj in triples if obj in wanted}
    return [read.get(name) or entity_id(name) for name in wanted]


def open_rog(path: Path, options: ReadOptions) -> RogReader:
    """The triples of rows, of all of them or of those that the options name.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return RogReader(path, rows=options.rows, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether every line begins an object of a question or a graph."""
    return all(line.startswith("{") and ('"graph"' in line or '"q_entity"' in line) for line in head)


FORMAT = Format(
    name="rog",
    title="RoG question neighbourhoods",
    looks='{"id": …, "question": …, "q_entity": […], "a_entity": […], "graph": [[subject, relation, object], …]}',
    open=open_rog,
    recognises=_recognises,
    options=frozenset({"rows"}),
)
