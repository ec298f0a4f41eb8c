"""Labels as a file of WebQSP, as `reasoning.datasets.benchmarks.webqsp` reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kgstore.terms import Entity
from reasoning.exports.source import ExportFormat, ensure_of_answers
from reasoning.exports.written import ensure_readable, query_written, value_written

if TYPE_CHECKING:
    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation
    from reasoning.exports.label import ExportedLabel


def _entry(label: ExportedLabel) -> str:
    ensure_of_answers(label)
    ensure_readable(label)
    derivation = label.derivation
    topic = label.topic if derivation is None else derivation.topic
    parse = {
        "ParseId": f"{label.id}.P0",
        "AnnotatorId": 0,
        "AnnotatorComment": {
            "ParseQuality": "Complete",
            "QuestionQuality": "Good",
            "Confidence": "Normal",
            "FreeFormComment": "",
        },
        "Sparql": "" if derivation is None else query_written(derivation),
        "TopicEntityName": None if topic is None else label.names.get(topic),
        "TopicEntityMid": None if topic is None else value_written(topic),
        "InferentialChain": None if derivation is None else _chain(derivation),
        "Answers": [_answer(label, answer) for answer in label.answers],
    }
    document = {
        "QuestionId": label.id,
        "RawQuestion": label.text.strip(),
        "ProcessedQuestion": label.text.strip(),
        "Parses": [parse],
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def _answer(label: ExportedLabel, answer: Term) -> dict[str, Any]:
    return {
        "AnswerType": "Entity" if isinstance(answer, Entity) else "Value",
        "AnswerArgument": value_written(answer),
        "EntityName": label.names.get(answer) if isinstance(answer, Entity) else None,
    }


def _chain(derivation: Derivation) -> list[str] | None:
    """The relations from topic to answer; None where one is followed backwards, which WebQSP does not write."""
    chain, at = [], derivation.answer_position
    while at:
        step = derivation.steps[at - 1]
        if step.relation.is_reverse:
            return None
        chain.append(step.relation.predicate)
        at = step.position
    return chain[::-1]


FORMAT = ExportFormat(
    name="webqsp",
    title="WebQSP",
    says="One question a label, with its query in SPARQL, its topic entity and its answers, as programs for WebQSP "
    "read them.",
    cannot_say=(
        "Why the graph cannot answer a question: it stands there without answers.",
        "That a question has several readings or has to be reworded, or that a benchmark is wrong.",
        "Which facts a label rests on, who made it, when, and by which moves.",
        "Steps of a derivation that no condition and no answer hangs on.",
        "Texts in another language than English.",
    ),
    ending="json",
    media_type="application/json",
    entry=_entry,
    before='{"Version": "1.0", "Questions": [\n',
    between=",\n",
    after="\n]}\n",
)
