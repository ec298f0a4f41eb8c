"""N-Triples: one triple a line, every address in full; and N-Quads, with the name of a graph after it.

Addresses become ids without their angle brackets, blank nodes keep their labels (``_:b0``), and literals are those of
`kgstore.terms`. What names and types things in RDF, in Schema.org, FOAF or SKOS, names and types them here too; see
`kgstore/freebase/naming_relations.tsv`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from pyoxigraph import DefaultGraph, RdfFormat, parse

from kgstore.loading.formats.escapes import unescape
from kgstore.loading.formats.rdf.reader import RdfSource, parser_reason
from kgstore.loading.formats.rdf.terms import address, labelled_node, literal, triples_of
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.terms import TermError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

_ADDRESS = r'<(?P<{name}>[^\x00-\x20<>"{{}}|^`]+)>'
_BLANK = r"_:(?P<{name}>[^\s<>\".:-][^\s<>\".:]*(?:\.+[^\s<>\".:]+)*)"
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
    + r"(?:@(?P<language>[A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--(?:ltr|rtl))?)|\^\^"
    + _ADDRESS.format(name="datatype")
    + r")?)\s*"
    + r"(?P<graph>"
    + _ADDRESS.format(name="graph_address")
    + "|"
    + _BLANK.format(name="graph_blank")
    + r")?\s*\.\s*(?:#.*)?"
)
_VERSION = re.compile(r"""\s*VERSION\s+(?:"[^"\\]*"|'[^'\\]*')\s*(?:#.*)?""")
_STATEMENT = "<<("
"""Begins a statement that is a term."""


class NTriplesReader(RdfSource):
    """See `RdfSource`; in bounded memory, but for collections. A line of N-Triples may name a graph, too."""

    def _triples(self) -> Iterator[TripleText]:
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                match = _LINE.fullmatch(line)
                try:
                    if match is None:
                        yield from self._others(line)
                        continue
                    if match["graph_address"]:
                        address(unescape(match["graph_address"]))
                    triple = _triple(match)
                except TermError as error:
                    self.lines.report(number, line, str(error))
                    continue
                if match["graph"]:
                    self._graphs.add(match["graph"])
                yield triple

    def _others(self, line: str) -> Iterator[TripleText]:
        """The triples of a line with a statement as a term; none where it is empty, a comment or names the version.

        Raises:
            TermError: it is something else.

        """
        if not line.strip() or line.lstrip().startswith("#") or _VERSION.fullmatch(line):
            return
        if _STATEMENT in line:
            try:
                quads = list(parse(line, format=RdfFormat.N_QUADS))
            except SyntaxError as error:
                raise TermError(parser_reason(error)) from None
            for quad in quads:
                if not isinstance(quad.graph_name, DefaultGraph):
                    self._graphs.add(str(quad.graph_name))
                yield from triples_of(quad, labelled_node)
            return
        raise TermError("not a subject, a predicate, an object and a full stop")


def _triple(match: re.Match[str]) -> TripleText:
    subject, predicate, obj, blank = match["subject"], match["predicate"], match["object"], match["blank_object"]
    if obj is not None:
        own = address(unescape(obj))
    elif blank is not None:
        own = labelled_node(blank)
    else:
        own = _literal(match)
    return (
        labelled_node(match["blank_subject"]) if subject is None else address(unescape(subject)),
        address(unescape(predicate)),
        own,
    )


def _literal(match: re.Match[str]) -> str:
    datatype = match["datatype"] or ""
    return literal(unescape(match["text"]), match["language"] or "", unescape(datatype))


def open_ntriples(path: Path, options: ReadOptions) -> NTriplesReader:
    """The triples of a file of N-Triples, or of N-Quads.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return NTriplesReader(path, strict=options.strict)


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
    reads_too=frozenset({"nquads"}),
)
N_QUADS = Format(
    name="nquads",
    title="N-Quads",
    looks='<http://example.org/ada> <http://example.org/age> "36" <http://example.org/letters> .',
    open=open_ntriples,
    recognises=partial(_recognises, has_graphs=True),
    endings=frozenset({".nq"}),
    reads_too=frozenset({"ntriples"}),
)
