"""N-Triples: one triple a line, every address in full; and N-Quads, with the name of a graph after it.

Addresses become ids without their angle brackets, blank nodes keep their labels (``_:b0``), and literals are those of
`kgstore.terms`. What names and types things in RDF, in Schema.org, FOAF or SKOS, names and types them here too; see
`kgstore/freebase/naming_relations.tsv`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from kgstore.freebase_ids import plain_id
from kgstore.iris import is_iri
from kgstore.loading.formats.escapes import unescape
from kgstore.loading.formats.rdf.reader import RdfSource
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.terms import TermError, Text, literal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

_ADDRESS = r'<(?P<{name}>[^<>"{{}}|^`\s]+)>'
_BLANK = r"(?P<{name}>_:[^\s<>\".:-][^\s<>\".:]*(?:\.+[^\s<>\".:]+)*)"
_LINE = re.compile(
    r"\s*(?:"
    + _ADDRESS.format(name="subject")
    + "|"
    + _BLANK.format(name="blank_subject")
    + r")\s*"
    + _ADDRESS.format(name="predicate")
    + r"\s*(?:"
    + _ADDRESS.format(name="object")
    + "|"
    + _BLANK.format(name="blank_object")
    + r'|"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"'
    + r'(?:@(?P<language>[A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^<(?P<datatype>[^<>"\s]+)>)?'
    + r")\s*"
    + r"(?P<graph>"
    + _ADDRESS.format(name="graph_address")
    + "|"
    + _BLANK.format(name="graph_blank")
    + r")?\s*\.\s*(?:#.*)?"
)


class NTriplesReader(RdfSource):
    """See `RdfSource`; in bounded memory, but for collections."""

    def __init__(self, path: Path, *, strict: bool, has_graphs: bool = False) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        super().__init__(path, strict=strict)
        self._has_graphs = has_graphs

    def _triples(self) -> Iterator[TripleText]:
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                match = _LINE.fullmatch(line)
                if match is None or (match["graph"] and not self._has_graphs):
                    if line.strip() and not line.lstrip().startswith("#"):
                        self.lines.report(number, line, "not a subject, a predicate, an object and a full stop")
                    continue
                try:
                    if match["graph_address"]:
                        _address(match["graph_address"])
                    triple = _triple(match)
                except TermError as error:
                    self.lines.report(number, line, str(error))
                    continue
                if match["graph"]:
                    self._graphs.add(match["graph"])
                yield triple


def _triple(match: re.Match[str]) -> TripleText:
    subject, predicate, obj = match["subject"], match["predicate"], match["object"]
    return (
        match["blank_subject"] if subject is None else _address(subject),
        _address(predicate),
        _address(obj) if obj is not None else match["blank_object"] or _literal(match),
    )


def _address(written: str) -> str:
    address = unescape(written)
    if not is_iri(address) or any(character.isspace() for character in address):
        raise TermError(f"<{written}> is no address in full, such as <http://example.org/knows>")
    return plain_id(address)


def _literal(match: re.Match[str]) -> str:
    text = unescape(match["text"])
    if match["language"]:
        return str(Text(text, match["language"]))
    datatype = unescape(match["datatype"] or "")
    if datatype and not is_iri(datatype):
        raise TermError(f"<{datatype}> is no address in full")
    return str(literal_of(text, datatype=datatype))


def open_ntriples(path: Path, options: ReadOptions, *, has_graphs: bool = False) -> NTriplesReader:
    """The triples of a file of N-Triples, or of N-Quads.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return NTriplesReader(path, strict=options.strict, has_graphs=has_graphs)


def _recognises(head: Sequence[str], *, has_graphs: bool = False) -> bool:
    """Whether most lines are triples, and none is of Freebase's dump or begins a Turtle file.

    N-Quads have a graph in some line.
    """
    matches = [(line, _LINE.fullmatch(line)) for line in head]
    fitting = sum(match is not None or line.startswith("#") for line, match in matches)
    others = any(line.lower().startswith(("@prefix", "@base", "prefix ", "base ")) for line in head)
    named = any(match is not None and match["graph"] for _, match in matches)
    is_freebase = any("<http://rdf.freebase.com/" in line for line in head) and not named
    return 2 * fitting > len(head) and not others and not is_freebase and named == has_graphs


N_TRIPLES = Format(
    name="ntriples",
    title="N-Triples",
    looks='<http://example.org/ada> <http://www.w3.org/2000/01/rdf-schema#label> "Ada Byron"@en .',
    open=open_ntriples,
    recognises=_recognises,
    endings=frozenset({".nt"}),
)
N_QUADS = Format(
    name="nquads",
    title="N-Quads",
    looks='<http://example.org/ada> <http://example.org/age> "36" <http://example.org/letters> .',
    open=partial(open_ntriples, has_graphs=True),
    recognises=partial(_recognises, has_graphs=True),
    endings=frozenset({".nq"}),
)
