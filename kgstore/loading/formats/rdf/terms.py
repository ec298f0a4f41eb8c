"""Terms of RDF as the graph holds them: addresses, blank nodes, literals, and statements as terms (RDF 1.2).

A statement as a term, ``<<( :s :p :o )>>``, becomes a node that links its parts, as Wikidata's statements do: ``:s``
has it along ``:p-statement``, and it has ``:o`` along ``:p-value``. What reifies a statement is that node, so that
``:s :p :o ~ :r {| :since 1999 |}`` leads from ``:s`` to 1999. Its type makes it a mediator. The statement itself is a
fact only where the file says so.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from pyoxigraph import BlankNode, NamedNode
from pyoxigraph import Literal as RdfLiteral
from pyoxigraph import Triple as RdfTriple

from kgstore.characters import character_fault
from kgstore.freebase_ids import plain_id
from kgstore.iris import BLANK_NODE
from kgstore.terms import TermError, Text, literal_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyoxigraph import Quad

    from kgstore.loading.formats.lines import TripleText

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_TYPE, _STATEMENT, _REIFIES = f"{_RDF}type", f"{_RDF}Statement", f"{_RDF}reifies"
TO_STATEMENT, TO_VALUE = "-statement", "-value"
"""How the relations to a statement and from it to its object end; their beginning is the relation of the statement."""
_OWN_LABELS = ("node-", "statement-")
_LABEL_LIKE_OWN = re.compile(r"(node|statement)(-+[0-9a-f]+)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NO_ADDRESS = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_DIGEST_BYTES = 16
_KEPT = 100_000
"""Maximum of addresses, and of literals, that are kept in memory: most files repeat theirs."""
_LONGEST_KEPT = 200
"""In characters: what is longer is not kept, so that memory stays bounded."""


def address(text: str) -> str:
    """The id of what an address names.

    Raises:
        TermError: it holds a character that no address has, or is not in full.

    """
    return _kept_address(text) if len(text) <= _LONGEST_KEPT else _address(text)


def _address(text: str) -> str:
    return plain_id(_in_full(text))


def _in_full(text: str) -> str:
    if wrong := _NO_ADDRESS.search(text):
        raise TermError(f"<{text}> is no address: it holds {wrong[0]!r}")
    if not _SCHEME.match(text):
        raise TermError(f"<{text}> is no address in full, such as <http://example.org/knows>")
    return text


def labelled_node(label: str) -> str:
    """The id of a blank node that a file gives a label. It is never that of a node without one: see `numbered_node`."""
    if label.startswith(_OWN_LABELS) and (like := _LABEL_LIKE_OWN.fullmatch(label)):
        label = f"{like[1]}-{like[2]}"
    return f"{BLANK_NODE}{label}"


def numbered_node(number: int) -> str:
    """The id of a blank node without a label, by its place among those of the file."""
    return f"{BLANK_NODE}node-{number}"


def literal(text: str, language: str = "", datatype: str = "") -> str:
    """A literal as the graph holds it.

    Raises:
        TermError: the text is none of its datatype or holds what no text may, or the datatype is no address in full.

    """
    read = _kept_literal if len(text) <= _LONGEST_KEPT else _literal
    return read(text, language, datatype)


def _literal(text: str, language: str, datatype: str) -> str:
    if fault := character_fault(text):
        raise TermError(fault)
    if language:
        return str(Text(text, language))
    return str(literal_of(text, datatype=datatype and _in_full(datatype)))


_kept_address = lru_cache(_KEPT)(_address)
_kept_literal = lru_cache(_KEPT)(_literal)


def triples_of(quad: Quad, blank_node: Callable[[str], str]) -> list[TripleText]:
    """The triples that a statement makes: itself, and those of the statements that are terms of it.

    Args:
        quad: the statement; the name of its graph does not count.
        blank_node: the id of a blank node by what the parser calls it.

    Raises:
        TermError: a term that the graph cannot hold.

    """
    made: list[TripleText] = []
    subject, predicate, obj = _node(quad.subject, blank_node), address(quad.predicate.value), quad.object
    if predicate == _REIFIES and isinstance(obj, RdfTriple):
        made += linked(subject, _parts(obj, blank_node, made))
    else:
        made.append((subject, predicate, _object(obj, blank_node, made)))
    return made


def _object(term: object, blank_node: Callable[[str], str], made: list[TripleText]) -> str:
    """An object; what a statement as a term makes besides is added to ``made``."""
    if isinstance(term, RdfLiteral):
        if term.language is None:
            return literal(term.value, "", term.datatype.value)
        direction = f"--{term.direction.value}" if term.direction else ""
        return literal(term.value, f"{term.language}{direction}")
    if isinstance(term, RdfTriple):
        parts = _parts(term, blank_node, made)
        # By what it says, so that the same statement is one node wherever it stands, and nothing need be remembered.
        digest = blake2b("\n".join(parts).encode(errors="surrogatepass"), digest_size=_DIGEST_BYTES)
        node = f"{BLANK_NODE}statement-{digest.hexdigest()}"
        made += linked(node, parts)
        return node
    return _node(term, blank_node)


def _parts(statement: RdfTriple, blank_node: Callable[[str], str], made: list[TripleText]) -> TripleText:
    return (
        _node(statement.subject, blank_node),
        address(statement.predicate.value),
        _object(statement.object, blank_node, made),
    )


def linked(node: str, parts: TripleText) -> list[TripleText]:
    """The triples that make a node stand for a statement, by its subject, its predicate and its object."""
    subject, predicate, obj = parts
    return [
        (node, _TYPE, _STATEMENT),
        (subject, f"{predicate}{TO_STATEMENT}", node),
        (node, f"{predicate}{TO_VALUE}", obj),
    ]


def _node(node: object, blank_node: Callable[[str], str]) -> str:
    if isinstance(node, NamedNode):
        return address(node.value)
    if isinstance(node, BlankNode):
        return blank_node(node.value)
    raise TermError(f"{node} is neither an address nor a blank node")
