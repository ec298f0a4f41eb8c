"""The Freebase RDF dump: N-Triples, one a line, most often gzipped.

Read as the dump really is, which is not always N-Triples: numbers and truth values may stand bare (``4.5 .``), and
texts of the relations under ``key/`` escape characters once more (``$0028``). Terms become those of `kgstore.terms`:

* ``<http://rdf.freebase.com/ns/m.027rn>`` is ``m.027rn``; a relation ``<http://rdf.freebase.com/key/wikipedia.en>`` is
  ``key.wikipedia.en``; the terms of RDF itself are shortened as data sets made from the dump do (``rdf:type``,
  ``rdf-schema#label``, ``owl#inverseOf``); any other address stays as it is;
* a literal without type and language that is written like a number is one, as the dump types none;
* a time of day is dropped, and so is a datatype that is neither a number's nor a date's: gold queries compare such
  texts without it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import load_knowledge
from kgstore.loading.formats.escapes import unescape, whole
from kgstore.loading.formats.filters import TripleFilter, read_filter
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.terms import TermError, Text, bare_number, literal_of, parse_term

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

_FREEBASE = "<http://rdf.freebase.com/"
_TERM = "<http://rdf.freebase.com/ns/"
_START = len(_TERM)
_PREFIXES = {
    "http://rdf.freebase.com/ns/": "",
    "http://rdf.freebase.com/key/": "key.",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
    "http://www.w3.org/2000/01/rdf-schema#": "rdf-schema#",
    "http://www.w3.org/2002/07/owl#": "owl#",
}
_LINE = re.compile(
    r'\s*<(?P<subject>[^<>"\s]+)>\s*<(?P<predicate>[^<>"\s]+)>\s*'
    r'(?:<(?P<object>[^<>"\s]+)>'
    r'|"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"(?:@(?P<language>[A-Za-z0-9-]+)|\^\^<(?P<datatype>[^<>"\s]+)>)?'
    r'|(?P<bare>[^\s<>"]+))'
    r"\s*\.\s*(?:#.*)?"
)
_PLAIN_TEXT = re.compile(r'"[^"\\\r]*(?:\\["\\nrt][^"\\\r]*)*"@(?P<language>[A-Za-z0-9-]+)')
"""A text that is written here as the graph writes it."""
_TRUTH = ("true", "false")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
"""A number that stands bare: of any size, and no code, however it is written."""
_KEY_ESCAPE = re.compile(r"\$([0-9A-Fa-f]{4})")
_LITERALS_KEPT = 10_000
_FIELDS = 4
_DROPPED = ""


class FreebaseRdfReader:
    """The triples of the dump, or of any N-Triples in its terms, as far as a filter takes them.

    A filter that takes some relations only makes it read the file twice: what stands in a fact that is taken must be
    known before its names are. Memory holds those ids, and nothing else that grows with the file.
    """

    def __init__(self, path: Path, *, chosen: TripleFilter | None = None, strict: bool = False) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self._filter = chosen or TripleFilter()
        self.lines = LineReader(path, strict=strict, passes=2 if self._filter.is_selective else 1)
        self._taken = 0
        knowledge = load_knowledge()
        self._naming = knowledge.naming_relations
        self._predicates: dict[str, str] = {}
        self._literals: dict[str, str] = {}
        self._languages: dict[str, bool] = {}

    def filters(self) -> Sequence[str]:
        """What the filter takes, and how much that was."""
        words = self._filter.words()
        return [*words, f"{self._taken:,} of {self.lines.read:,} lines taken"] if words else ()

    def __iter__(self) -> Iterator[TripleText]:
        held: set[str] | None = None
        if self._filter.is_selective:
            held = set()
            for subject, _, obj in self._triples(frozenset()):
                held.add(subject)
                if obj[0] != '"':
                    held.add(obj)
        self._taken = 0
        yield from self._triples(held)

    def _triples(self, held: AbstractSet[str] | None) -> Iterator[TripleText]:
        """The triples that the filter takes; those that name or type, of what is held alone where that is said."""
        predicates, literals, naming = self._predicates, self._literals, self._naming
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                fields = line.split("\t")
                # The real dump has tabs; one look-up decides for nearly every line whether it is taken at all.
                if len(fields) == _FIELDS and (known := predicates.get(fields[1])) is not None:
                    subject, _, obj, end = fields
                    if known == _DROPPED or (
                        held is not None and known in naming and subject[_START:-1] not in held and _is_plain(subject)
                    ):
                        continue
                    if end == "." and _is_plain(subject):
                        literal = None
                        if _is_plain(obj):
                            literal = obj[_START:-1]
                        elif obj in literals:
                            literal = literals[obj]
                        elif plain := _PLAIN_TEXT.fullmatch(obj):
                            if not self._takes_language(plain["language"]):
                                continue
                            literal = obj
                        if literal is not None:
                            self._taken += 1
                            yield subject[_START:-1], known, literal
                            continue
                triple = self._read(number, line)
                if triple is not None and (held is None or triple[1] not in naming or triple[0] in held):
                    self._taken += 1
                    yield triple

    def _read(self, number: int, line: str) -> TripleText | None:
        match = _LINE.fullmatch(line)
        if match is None:
            if line.strip() and not line.lstrip().startswith("#"):
                self.lines.report(number, line, "not a subject, a predicate, an object and a full stop")
            return None
        try:
            predicate = _name(match["predicate"])
            self._predicates[f"<{match['predicate']}>"] = predicate if self._takes(predicate) else _DROPPED
            if not self._takes(predicate) or not self._takes_language(match["language"] or ""):
                return None
            subject = _name(match["subject"])
            if match["object"] is not None:
                return subject, predicate, _name(match["object"])
            literal = _literal(match, is_key=predicate.startswith("key."))
        except TermError as error:
            self.lines.report(number, line, str(error))
            return None
        if match["datatype"] is not None:
            if len(self._literals) == _LITERALS_KEPT:
                self._literals.clear()
            self._literals[line[match.start("text") - 1 : match.end("datatype") + 1]] = literal
        return subject, predicate, literal

    def _takes_language(self, language: str) -> bool:
        taken = self._languages.get(language)
        if taken is None:
            taken = self._languages[language] = self._filter.takes_language(language)
        return taken

    def _takes(self, predicate: str) -> bool:
        return predicate in self._naming or self._filter.takes(predicate)


def _is_plain(term: str) -> bool:
    """Whether a term is one of Freebase's own without escapes."""
    return term[:_START] == _TERM and term[-1] == ">" and len(term) > _START + 1 and "\\" not in term


def _name(address: str) -> str:
    """An entity or a relation, as the graph holds it."""
    plain = unescape(address)
    for start, prefix in _PREFIXES.items():
        if plain.startswith(start):
            plain = prefix + plain[len(start) :]
            break
    if not plain or any(character.isspace() for character in plain) or plain.startswith('"'):
        raise TermError(f"<{address}> names nothing")
    return str(parse_term(plain))


def _literal(match: re.Match[str], *, is_key: bool) -> str:
    if match["bare"] is not None:
        return _bare_literal(match["bare"])
    text = unescape(match["text"])
    if is_key:
        return str(Text(whole(_KEY_ESCAPE.sub(lambda code: chr(int(code[1], 16)), text))))
    if match["language"]:
        return str(Text(text, match["language"]))
    datatype = match["datatype"]
    if datatype is None:
        return str(bare_number(text) or Text(text))
    literal = literal_of(text, datatype=datatype)
    return str(Text(literal.value) if isinstance(literal, Text) else literal)


def _bare_literal(text: str) -> str:
    if text in _TRUTH:
        return str(Text(text))
    if not _NUMBER.fullmatch(text):
        raise TermError(f"{text} is neither a number nor true nor false")
    return str(literal_of(text, datatype="xsd:double" if "e" in text.lower() else "xsd:decimal"))


def open_freebase_rdf(path: Path, options: ReadOptions) -> FreebaseRdfReader:
    """The triples of the dump that the filters take.

    Raises:
        GraphLoadError: there is no such file, it is not what its name says, or the filters are wrong.

    """
    chosen = read_filter(options.filters) if options.filters else None
    return FreebaseRdfReader(path, chosen=chosen, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    return any(_FREEBASE in line for line in head) and all(_LINE.fullmatch(line) for line in head)


FORMAT = Format(
    name="freebase-rdf",
    title="Freebase RDF dump",
    looks='<http://rdf.freebase.com/ns/m.03_r3> <http://rdf.freebase.com/ns/type.object.name> "Jamaica"@en .',
    open=open_freebase_rdf,
    recognises=_recognises,
    options=frozenset({"filters"}),
)
