"""How terms and texts are written in files of benchmarks: what `reasoning.datasets.benchmarks.values` reads."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from kgstore.terms import Date, Entity, Number, TermError, Text, read_entity
from reasoning.compiling.plan import NoQueryError
from reasoning.compiling.sparql import to_sparql
from reasoning.datasets.benchmarks.queries import parse_of
from reasoning.datasets.benchmarks.values import read_value
from reasoning.datasets.errors import QuestionError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.source import check
from reasoning.exports.sameness import asks
from reasoning.exports.source import LeftOut, LeftOutError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation
    from reasoning.exports.label import ExportedLabel


def value_written(term: Term) -> str:
    """A term as files of WebQSP and GrailQA write it: an id, or a value, with its type only where it needs one.

    Raises:
        LeftOutError: nothing that is read again as this term.

    """
    for written in _ways(term):
        try:
            read = read_entity(written) if isinstance(term, Entity) else read_value(written)
        except (TermError, IndexError):
            continue
        if read == term:
            return written
    raise LeftOutError(LeftOut.READ_OTHERWISE)


def _ways(term: Term) -> Iterator[str]:
    """How a term may be written, the plainest first."""
    match term:
        case Entity(mid):
            yield mid
        case Number() | Date():
            _, body, datatype = str(term).split('"')
            yield body
            yield f"{body}{datatype}"
        case Text(value=value, language="en"):
            yield value
        case Text(value=value, language=language, datatype=datatype):
            escaped = str(Text(value))[1:-1]
            if not language and (not datatype or datatype.startswith("xsd:")):
                yield f"{escaped}^^{datatype or 'xsd:string'}"


def query_written(derivation: Derivation) -> str:
    """The query of a derivation, which is read again as one that asks the same.

    Raises:
        LeftOutError: it has none that is.

    """
    try:
        query = to_sparql(derivation)
        read = parse_of(query, derivation.topic, frozenset()).derivation
        same = read is not None and asks(read) == asks(derivation)
    except NoQueryError as error:
        raise LeftOutError(LeftOut.NO_ANSWER_POSITION) from error
    if not same:
        raise LeftOutError(LeftOut.READ_OTHERWISE)
    return query


def ensure_readable(label: ExportedLabel) -> None:
    """See that our own readers take the question of a label.

    Raises:
        LeftOutError: they do not.

    """
    parse = GoldParse(label.topic, frozenset(label.answers), label.derivation)
    try:
        check(BenchmarkQuestion(label.id, label.text.strip(), (parse,)))
    except QuestionError as error:
        raise LeftOutError(LeftOut.UNREADABLE) from error


def on_one_line(text: str) -> str:
    """A text as it stands in a comment: no breaks, no control characters, no marks that turn the direction of text."""
    kinds = ((character, unicodedata.category(character)) for character in text)
    kept = (" " if kind in ("Cc", "Zl", "Zp") else character for character, kind in kinds if kind not in ("Cf", "Cs"))
    return " ".join("".join(kept).split())
