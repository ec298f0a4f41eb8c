"""LC-QuAD 1 (Trivedi et al., ISWC 2017) and 2 (Dubey et al., ISWC 2019): questions over DBpedia and Wikidata.

Their files have SPARQL and no answers: the label ``answers: unknown``. An evaluation may ask the graph for them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reasoning.datasets.benchmarks.queries import parse_of
from reasoning.datasets.question import ANSWERS, UNKNOWN, BenchmarkQuestion
from reasoning.datasets.source import Format, first_text, json_entries, object_from, read_questions, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = (
    'expected "_id", "corrected_question" and "sparql_query" (LC-QuAD 1), or "uid", "question" and "sparql_wikidata" '
    "(LC-QuAD 2)"
)
_COUNT = re.compile(
    r"^\s*SELECT\s+(?:DISTINCT\s+)?COUNT\s*\(\s*(?:DISTINCT\s+)?(\?\w+)\s*\)(?:\s+AS\s+\?\w+)?", re.IGNORECASE
)
"""What Virtuoso takes, and SPARQL does not."""
_PREFIXES = {
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}
"""Those that Wikidata's own service knows without a declaration."""


def read_lcquad(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``train-data.json`` of LC-QuAD 1, or a ``train.json`` of LC-QuAD 2.

    Raises:
        DatasetError: the file cannot be read.

    """
    return read_questions(json_entries(path), _question, _EXPECTED)


def _question(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    entry = object_from(entry)
    number = entry.get("_id", entry.get("uid"))
    query = first_text(entry, "sparql_query", "sparql_wikidata")
    kind = entry.get("sparql_template_id", entry.get("template_id"))
    yield BenchmarkQuestion(
        str(number) if isinstance(number, int) else text_at({"id": number}, "id"),
        _wording(entry),
        (parse_of(_standard(query), None, frozenset()),),
        labels={ANSWERS: UNKNOWN, **({} if kind is None else {"template": str(kind)})},
    )


def _wording(entry: Mapping[str, Any]) -> str:
    """The question as people wrote it; of LC-QuAD 2 some have none, or a few letters, and their template is asked."""
    names = ("corrected_question", "question", "paraphrased_question", "NNQT_question")
    texts = (entry.get(name) for name in names)
    found = (text.strip() for text in texts if isinstance(text, str) and len(text.split()) > 1)
    return re.sub(r"[{}<>]", "", next(found, ""))


def _standard(query: str) -> str:
    """A query as SPARQL has it."""
    counted = _COUNT.sub(r"SELECT (COUNT(DISTINCT \1) AS ?count)", query)
    used = [prefix for prefix in _PREFIXES if re.search(rf"(?<![\w:]){prefix}:", counted)]
    missing = (name for name in used if not re.search(rf"\bPREFIX\s+{name}\s*:", counted, re.IGNORECASE))
    return "".join(f"PREFIX {prefix}: <{_PREFIXES[prefix]}> " for prefix in missing) + counted


FORMAT = Format(
    name="lcquad",
    title="LC-QuAD 1 and 2",
    looks='[{"_id": …, "corrected_question": …, "sparql_query": …}] or [{"uid": …, "sparql_wikidata": …}]',
    read=read_lcquad,
    has_gold_queries=True,
)
