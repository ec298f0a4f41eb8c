"""Queries of one form are parsed once: what differs between them is taken out of the text before it is parsed.

rdflib's parser takes some 20 ms for a query of the usual length, and thousands of gold queries share a few hundred
forms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from pyparsing import ParseBaseException
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.sparql import SPARQLError

from kgstore.freebase_ids import FREEBASE
from kgstore.sparql.query_graph import QueryError, Unreadable
from kgstore.sparql.rdf import XSD
from kgstore.terms import Term, TermError, bare_number, parse_term

if TYPE_CHECKING:
    from rdflib.plugins.sparql.parserutils import CompValue

_NAMESPACES = {"xsd": XSD}
"""WebQSP uses ``xsd:`` without declaring it, as its store knows it."""
_TOKEN = re.compile(
    rf"""<{re.escape(FREEBASE)}(?P<own>\w[\w-]*(?:\.[\w-]+)+)>
    |(?P<kept><[^<>\s]*>|\#[^\n]*)
    |(?P<body>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
     (?:\s*@\s*(?P<language>[A-Za-z0-9-]+)|\s*\^\^\s*(?P<type><[^<>\s]*>|[\w-]*:\w+))?
    |(?<![\w:?$])(?P<prefix>[A-Za-z][\w-]*:|:)(?P<name>\w[\w-]*(?:\.[\w-]+)+)
    |(?P<reserved>(?<![\w:?$])(?:[A-Za-z][\w-]*)?:_\d+\b)
    |\b(?P<word>OR|AND)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_RESERVED = re.compile(r"/_\d+>$")
_DEEPEST = 12
"""So deep may brackets nest. The benchmarks' queries have five; the parser calls itself some forty times for each."""
_WORDS = {"OR": "||", "AND": "&&"}
"""Virtuoso's words for what SPARQL writes in signs."""
_parser_lock = Lock()
"""rdflib's parser is one object per process, and pyparsing (3.3) completes its parts on first use, without a
lock: two threads that parse at once can leave it broken for good."""


@dataclass(frozen=True, slots=True)
class Form:
    """A query's text with its names and literals taken out."""

    text: str
    names: tuple[str, ...]
    """What stands for ``_0``, ``_1`` … in prefixed names: ids of entities and relations."""
    literals: tuple[Term, ...]
    """What stands for the literals ``"0"``, ``"1"`` …"""

    @classmethod
    def of(cls, query: str) -> Form:
        """Take names and literals out, and mend what benchmarks write although SPARQL does not allow it.

        Mended are Virtuoso's ``OR`` and ``AND``, and the blanks that a tokenizer put around ``^^`` and ``@``.

        Raises:
            QueryError: a literal is not well formed, brackets nest too deeply, or a name is one that the forms need.

        """
        names: dict[str, int] = {}
        literals: dict[Term, int] = {}

        def replace(match: re.Match[str]) -> str:
            if match["own"]:
                return f"<{FREEBASE}_{names.setdefault(match['own'], len(names))}>"
            if match["name"]:
                return f"{match['prefix']}_{names.setdefault(match['name'], len(names))}"
            if match["body"]:
                return f'"{literals.setdefault(_literal(match), len(literals))}"'
            if match["reserved"] or (match["kept"] and _RESERVED.search(match["kept"])):
                raise QueryError(Unreadable.OTHER, f"the name {match[0]}")
            return _WORDS[match["word"].upper()] if match["word"] else match[0]

        text = _TOKEN.sub(replace, query)
        if _depth(text) > _DEEPEST:
            raise QueryError(Unreadable.TOO_LARGE, f"brackets nest more than {_DEEPEST} deep")
        return cls(text, tuple(names), tuple(literals))


@lru_cache(maxsize=4096)
def algebra(text: str) -> CompValue:
    """The algebra of a query's form, by rdflib. Read it, but do not change it. Safe to call from several threads.

    An error that says nothing about the query, such as a fault in the parser, is raised as it is.

    Raises:
        QueryError: the text is not SPARQL, or it nests too deeply.

    """
    try:
        with _parser_lock:
            parsed: Any = parseQuery(text)
            return translateQuery(parsed, initNs=_NAMESPACES).algebra
    except RecursionError as error:
        raise QueryError(Unreadable.TOO_LARGE, "the parser calls itself too often") from error
    except (ParseBaseException, SPARQLError) as error:
        raise QueryError(Unreadable.NOT_SPARQL, str(error)) from error
    except Exception as error:
        # rdflib raises a bare Exception for an unknown prefix.
        if type(error) is not Exception:
            raise
        raise QueryError(Unreadable.NOT_SPARQL, str(error)) from error


def _depth(text: str) -> int:
    """How deep brackets of any kind nest."""
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _literal(match: re.Match[str]) -> Term:
    body = match["body"]
    text = body if body.startswith('"') else f'"{body[1:-1].replace(chr(34), chr(92) + chr(34))}"'
    datatype = match["type"]
    try:
        if datatype:
            if datatype.startswith("<") and not datatype.startswith(f"<{XSD}"):
                return parse_term(f"{text}^^{datatype}")
            return parse_term(f"{text}^^xsd:{re.split('[#:]', datatype.strip('<>'))[-1]}")
        if match["language"]:
            return parse_term(f"{text}@{match['language']}")
        # The Freebase dump types no numbers, see `kgstore.loading.formats.freebase_rdf`.
        return bare_number(text[1:-1]) or parse_term(text)
    except TermError as error:
        raise QueryError(Unreadable.NOT_SPARQL, str(error)) from error
