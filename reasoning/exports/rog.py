"""Labels as rows in the format of RoG's data sets, with their gold subgraphs.

`reasoning.datasets.benchmarks.rog` reads them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kgstore.loading.formats.by_name import entity_id
from kgstore.loading.formats.rog import row_terms
from kgstore.terms import Date, Entity, Number, Text
from reasoning.exports.source import ExportFormat, LeftOut, LeftOutError, ensure_of_answers
from reasoning.exports.written import ensure_readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgstore.terms import Term
    from reasoning.exports.label import ExportedLabel


def _entry(label: ExportedLabel) -> str:
    ensure_of_answers(label)
    if label.kind == "unanswerable":
        raise LeftOutError(LeftOut.UNANSWERABLE)
    ensure_readable(label)
    topic = label.topic if label.derivation is None else label.derivation.topic
    if not label.facts:
        raise LeftOutError(LeftOut.NO_FACTS)
    held = {term for fact in label.facts for term in (fact.subject, fact.object)}
    _ensure_distinct_names(label, held | set(label.answers) | ({topic} if topic else set()))
    graph = [[_written(label, f.subject), f.predicate, _written(label, f.object)] for f in label.facts]
    answers = [_written(label, answer) for answer in label.answers]
    if row_terms(graph, answers) != [_read(label, answer) for answer in label.answers]:
        raise LeftOutError(LeftOut.READ_OTHERWISE)
    document = {
        "id": label.id,
        "question": label.text,
        "answer": answers,
        "q_entity": [] if topic is None else [_written(label, topic)],
        "a_entity": answers,
        "graph": graph,
        "choices": [],
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _ensure_distinct_names(label: ExportedLabel, terms: Iterable[Term]) -> None:
    """See that each thing of a row has a name of its own.

    Raises:
        LeftOutError: two have the same.

    """
    known: dict[str, Term] = {}
    for term in terms:
        name = _written(label, term)
        if not name.strip() or known.setdefault(entity_id(name), term) != term:
            raise LeftOutError(LeftOut.ONE_NAME)


def _written(label: ExportedLabel, term: Term) -> str:
    match term:
        case Entity():
            return label.name(term)
        case Number() | Date():
            return str(term).split('"')[1]
        case Text(value=value):
            return value


def _read(label: ExportedLabel, term: Term) -> str:
    """What an answer is read again as: entities and texts are known by name there."""
    return str(term) if isinstance(term, Number | Date) else entity_id(_written(label, term))


FORMAT = ExportFormat(
    name="rog",
    title="RoG rows",
    says="One row a label, with the names of topic and answers and the facts that lead there, as training data of RoG "
    "and programs like it is read.",
    cannot_say=(
        "Derivations: only the facts that they rest on stand there.",
        "Ids: things are known by their names, and by their ids only where they have none.",
        "Labels that name two things of one name.",
        "What kind of literal a value is: texts and names are one, and numbers and dates are known by how they look.",
        "Labels without facts: answers alone, and derivations whose graph was loaded again.",
        "That the graph cannot answer a question.",
        "That a question has several readings or has to be reworded, or that a benchmark is wrong.",
        "Who made a label, when, and by which moves.",
    ),
    ending="jsonl",
    media_type="application/jsonl",
    entry=_entry,
    with_facts=True,
)
