"""Questions in the row format of RoG's data sets (Luo et al., arXiv 2310.01061), each with its own graph.

A line is ``{"id", "question", "q_entity": [names], "a_entity": [names], "graph": [[subject, relation, object], …]}``.
Names are ids in the graphs that `kgstore.loading.formats.rog` loads from the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgstore.loading.formats.by_name import entity_id
from kgstore.loading.formats.rog import row_terms
from kgstore.terms import Entity, parse_term
from reasoning.datasets.errors import QuestionError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse, Refusal
from reasoning.datasets.source import Format, line_entries, object_of, read_questions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = 'expected {"id", "question", "q_entity": [names], "a_entity": [names], "graph": [[text, text, text], …]}'


def read_rog(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a file of rows; one without q_entity has no topic, one without a_entity no answer.

    Raises:
        DatasetError: the file cannot be read.

    """
    return read_questions(line_entries(path), _question, _EXPECTED)


def _question(_place: str, line: bytes) -> Iterator[BenchmarkQuestion]:
    row = object_of(line)
    match row:
        case {
            "id": str() | int() as id_,
            "question": str(text),
            "q_entity": list() | str() as asked_of,
            "a_entity": list() | str() as answered_by,
            "graph": list(graph),
        } if all(isinstance(name, str) and name.strip() for name in (*_names(asked_of), *_names(answered_by))):
            topics, answers = _names(asked_of), _names(answered_by)
            topic = Entity(entity_id(topics[0])) if topics else None
            gold = frozenset(parse_term(term) for term in row_terms(graph, answers))
            yield BenchmarkQuestion(
                str(id_),
                text,
                (GoldParse(topic, gold, None, "no gold query"),),
                row=str(id_),
                compared_by="name",
            )
        case _:
            raise QuestionError(Refusal.NOT_OF_FORMAT, _EXPECTED)


def _names(given: list[Any] | str) -> list[Any]:
    """What rows write as a list, or as one name by itself."""
    return [given] if isinstance(given, str) else given


FORMAT = Format(
    name="rog",
    title="RoG question neighbourhoods",
    looks='{"id": …, "question": …, "q_entity": […], "a_entity": […], "graph": [[subject, relation, object], …]}',
    read=read_rog,
    own_graphs=True,
    reader_version=3,
)
