"""Labels as a file of GrailQA: s-expression, graph query and SPARQL.

`reasoning.datasets.benchmarks.grailqa` reads it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kgstore.terms import Entity
from reasoning.core.derivation import Operator
from reasoning.core.structure import ROOT
from reasoning.exports.s_expression import s_expression, shape_of
from reasoning.exports.source import ExportFormat, LeftOut, LeftOutError, derivation_of
from reasoning.exports.written import ensure_readable, query_written, value_written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation
    from reasoning.exports.label import ExportedLabel
    from reasoning.exports.s_expression import Shape

_FUNCTIONS = {Operator.MIN: "argmin", Operator.MAX: "argmax"}


def _entry(label: ExportedLabel) -> str:
    derivation = derivation_of(label)
    ensure_readable(label)
    graph = graph_query(derivation, label.names)
    functions = [node["function"] for node in graph["nodes"] if node["function"] != "none"]
    topic = value_written(derivation.topic)
    document = {
        "qid": label.id,
        "question": label.text.strip(),
        "answer": [_answer(label, answer) for answer in label.answers],
        "function": "count" if derivation.counted else functions[0] if functions else "none",
        "num_node": len(graph["nodes"]),
        "num_edge": len(graph["edges"]),
        "topic_entity": {topic: label.name(derivation.topic)},
        "graph_query": graph,
        "sparql_query": query_written(derivation),
        "s_expression": s_expression(derivation),
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def _answer(label: ExportedLabel, answer: Term) -> dict[str, Any]:
    document = {
        "answer_type": "Entity" if isinstance(answer, Entity) else "Value",
        "answer_argument": value_written(answer),
    }
    return document | ({"entity_name": label.name(answer)} if isinstance(answer, Entity) else {})


def graph_query(derivation: Derivation, names: Mapping[Term, str]) -> dict[str, Any]:
    """A derivation as a graph query. What class a node is of is said where the derivation demands it.

    Raises:
        LeftOutError: there is none; see `reasoning.exports.s_expression.shape_of`.

    """
    shape = shape_of(derivation)
    plan = shape.plan
    places = [ROOT, *sorted(plan.asked)]
    numbers = {position: number for number, position in enumerate(places)}
    edges = []
    for position in places[1:]:
        relation = plan.relation(position)
        ends = numbers[plan.parent(position)], numbers[position]
        start, end = ends[::-1] if relation.is_reverse else ends
        edges.append({"start": start, "end": end, "relation": relation.predicate, "friendly_name": relation.predicate})
    nodes = [_node(shape, position, numbers[position], names) for position in places]
    if sum(node["node_type"] == "entity" and node["id"] == nodes[ROOT]["id"] for node in nodes) > 1:
        # An entity is one node of a graph query, and the topic would be where another stands.
        raise LeftOutError(LeftOut.NO_S_EXPRESSION)
    return {"nodes": nodes, "edges": edges}


def _node(shape: Shape, position: int, number: int, names: Mapping[Term, str]) -> dict[str, Any]:
    derivation, condition = shape.plan.derivation, shape.conditions.get(position)
    target: Term | None = derivation.topic if position == ROOT else condition.target if condition else None
    function = "none"
    if condition is not None and condition.operator is not Operator.EQUAL:
        function = _FUNCTIONS.get(condition.operator, condition.operator.value)
    if derivation.counted and position == derivation.answer_position:
        function = "count"
    demanded = next((each.mid for each in shape.plan.kinds(position)), "")
    kind = "class" if target is None else "entity" if isinstance(target, Entity) else "literal"
    return {
        "nid": number,
        "node_type": kind,
        "id": demanded if target is None else value_written(target),
        "class": demanded,
        "friendly_name": demanded if target is None else names.get(target, str(target)),
        "question_node": int(position == derivation.answer_position),
        "function": function,
    }


FORMAT = ExportFormat(
    name="grailqa",
    title="GrailQA",
    says="One question a label that is a derivation, with its s-expression, its graph query, its query in SPARQL and "
    "its answers.",
    cannot_say=(
        "Labels without a derivation.",
        "Derivations with two conditions on one value, several minima or maxima, or a condition on what leads on.",
        "That something held at a date: a beginning or an end that is missing would have to pass.",
        "That the topic entity is no answer: the s-expression and the graph query leave it in, the SPARQL does not.",
        "That a date meets a year which it lies in: to programs for GrailQA, = is the same literal.",
        "Of which class a thing is, where the derivation does not demand it.",
        "Which facts a label rests on, who made it, when, and by which moves.",
        "Steps of a derivation that no condition and no answer hangs on.",
        "Texts in another language than English among the answers.",
    ),
    ending="json",
    media_type="application/json",
    entry=_entry,
    before="[\n",
    between=",\n",
    after="\n]\n",
)
