"""GrailQA (Gu et al., WWW 2021): the official JSON list with SPARQL, graph query, s-expression and answers.

The official files name no topic entity: it is an entity of the graph query. A graph query is gold enough where there is
no SPARQL. The public test file has questions alone; their answers are not known: the label ``answers: unknown``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kgstore.freebase.knowledge import TYPE
from kgstore.sparql.query_graph import Comparison, Edge, QueryGraph, Ranking, Unreadable, Variable
from kgstore.terms import Entity, read_entity
from reasoning.datasets.benchmarks.queries import parse_of, parse_of_graph
from reasoning.datasets.benchmarks.values import answer_names, read_count, read_value
from reasoning.datasets.question import ANSWERS, NO_QUERY, UNKNOWN, BenchmarkQuestion, GoldParse
from reasoning.datasets.source import Format, json_entries, list_at, object_from, read_questions, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kgstore.sparql.query_graph import ComparisonSign, Node
    from kgstore.terms import Term
    from reasoning.datasets.question import RefusedQuestion

_EXPECTED = 'expected "qid" and "question", with "answer" and "sparql_query" or "graph_query" where they are known'
_SIGNS: dict[str, ComparisonSign] = {sign: sign for sign in ("<", "<=", ">", ">=")}
_RANKINGS = {"argmin": False, "argmax": True}


def read_grailqa(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``grailqa_v1.0_train.json`` or the like.

    A question about one entity has it as its topic; of several, the query's own is taken.

    Raises:
        DatasetError: the file cannot be read.

    """
    return read_questions(json_entries(path), _question, _EXPECTED)


def _question(_place: str, entry: Any) -> Iterator[BenchmarkQuestion]:
    entry = object_from(entry)
    number = entry["qid"]
    known = entry.get("answer") is not None
    labels = {name: text_at(entry, name) for name in ("level", "function") if entry.get(name)}
    counted = _asks_how_many(entry)
    answers_given = list_at(entry, "answer") if known else ()
    answers = frozenset(_answer(answer, counted=counted) for answer in answers_given)
    form = text_at(entry, "s_expression").strip() if entry.get("s_expression") else ""
    yield BenchmarkQuestion(
        str(number) if isinstance(number, int) else text_at(entry, "qid"),
        text_at(entry, "question").strip(),
        (
            replace(
                _parse(entry, answers),
                logical_form=form,
                answer_names=answer_names(answers_given, "entity_name", "answer_argument"),
            ),
        ),
        labels=labels if known else labels | {ANSWERS: UNKNOWN},
    )


def _asks_how_many(entry: Mapping[str, Any]) -> bool:
    nodes = list_at(entry["graph_query"], "nodes") if entry.get("graph_query") else ()
    return "count" in (entry.get("function"), *(node.get("function") for node in nodes))


def _parse(entry: Mapping[str, Any], answers: frozenset[Term]) -> GoldParse:
    topic = _topic(entry)
    if entry.get("sparql_query"):
        return parse_of(text_at(entry, "sparql_query"), topic, answers)
    if not entry.get("graph_query"):
        return GoldParse(topic, answers, None, NO_QUERY)
    graph = _query_graph(entry["graph_query"])
    if graph is None:
        return GoldParse(topic, answers, None, str(Unreadable.AGGREGATE))
    return parse_of_graph(graph, topic, answers)


def _topic(entry: Mapping[str, Any]) -> Entity | None:
    """The only entity that the question is about."""
    if entry.get("topic_entity") is not None:
        if not isinstance(entry["topic_entity"], dict):
            raise TypeError('"topic_entity" is no object')
        topics = list(entry["topic_entity"])
    elif entry.get("graph_query"):
        nodes = list_at(entry["graph_query"], "nodes")
        topics = list(dict.fromkeys(text_at(node, "id") for node in nodes if node["node_type"] == "entity"))
    else:
        topics = []
    return read_entity(topics[0]) if len(topics) == 1 else None


def _query_graph(query: Mapping[str, Any]) -> QueryGraph | None:
    """A graph query as the graph that its SPARQL would be read as; None where it counts what it does not ask for.

    Its classes are variables, and of what class each is, is an edge to that type.
    """
    nodes: dict[int, Node] = {}
    answer = None
    comparisons: list[Comparison] = []
    rankings: list[Ranking] = []
    counted = False
    classes: dict[int, Entity] = {}
    for node in list_at(query, "nodes"):
        number, function = node["nid"], node.get("function") or "none"
        variable = Variable(f"x{int(number)}")
        if node["node_type"] == "entity":
            nodes[number] = read_entity(text_at(node, "id"))
        elif node["node_type"] == "literal" and function == "none":
            nodes[number] = read_value(text_at(node, "id"))
        else:
            nodes[number] = variable
        if node.get("class"):
            classes[number] = Entity(text_at(node, "class"))
        if node.get("question_node"):
            answer = variable
        if function == "count":
            if not node.get("question_node"):
                return None
            counted = True
        elif function in _RANKINGS:
            rankings.append(Ranking(variable, _RANKINGS[function]))
        elif function in _SIGNS:
            comparisons.append(Comparison(variable, _SIGNS[function], read_value(text_at(node, "id"))))
        elif function != "none":
            raise ValueError(f"an unknown function {function!r}")
    if answer is None:
        raise ValueError("no node of the graph query is asked for")
    edges = tuple(
        Edge(nodes[edge["start"]], text_at(edge, "relation"), nodes[edge["end"]]) for edge in list_at(query, "edges")
    )
    typed = ((nodes[number], kind) for number, kind in classes.items())
    edges += tuple(Edge(node, TYPE, kind) for node, kind in typed if isinstance(node, Variable))
    return QueryGraph(answer, edges, tuple(comparisons), rankings=tuple(rankings), counted=counted)


def _answer(answer: Mapping[str, Any], *, counted: bool) -> Term:
    argument = text_at(answer, "answer_argument")
    if answer["answer_type"] == "Entity":
        return read_entity(argument)
    return read_count(argument) if counted else read_value(argument)


FORMAT = Format(
    name="grailqa",
    title="GrailQA",
    looks='[{"qid": …, "question": …, "sparql_query": …, "graph_query": {"nodes": […], "edges": […]}, "answer": […]}]',
    read=read_grailqa,
    has_gold_queries=True,
    reader_version=5,
)
