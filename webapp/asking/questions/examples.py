"""Questions to try on a graph: chosen ones for the bundled sample, for any other made of its commonest relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.loading.sample import SAMPLE_GRAPH
from kgstore.store import GraphStoreError
from kgstore.terms import Direction, Relation, TermKind
from webapp import engine
from webapp.asking.questions.phrases import question_about
from webapp.asking.questions.schemas import ExampleOut
from webapp.platform.http.errors import graph_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from kgstore.terms import Term

_EXAMPLES = (
    ("who plays the voice of KITT in Knight Rider?", "a condition"),
    ("what do Jamaican people speak?", "several answers"),
    ("where is the home field of the team that Mark Attanasio owns?", "several steps"),
    ("who won the Super Bowl in 2011?", "a date"),
    ("where did Kevin Love go to college?", "a branch"),
    ("what was the budget of Knight Rider?", "not in this graph"),
)
_SHOWN = 6


def examples_of(graph: str) -> list[ExampleOut]:
    """At most six examples; none for a graph that was loaded before its relations were counted.

    Raises:
        ProductError: there is no such graph, or it cannot be read.

    """
    name = graph or engine.default_graph()
    if name == SAMPLE_GRAPH:
        return [ExampleOut(question=question, kind=kind) for question, kind in _EXAMPLES]
    try:
        return list(_made_of(engine.graph(name)))
    except GraphStoreError as error:
        raise graph_error(error, status=404) from error


def _made_of(store: GraphStore) -> Iterator[ExampleOut]:
    """One relation after the other, in turn read from its subject and from its object; about no entity twice."""
    commonest = store.info().commonest
    names = store.labels([end for each in commonest for end in (each.subject, each.object) if end is not None])
    asked: set[Term] = set()
    for each in commonest:
        for direction in (Direction.FORWARD, Direction.REVERSE)[:: -1 if len(asked) % 2 else 1]:
            topic, reached = each.subject, each.object_kind
            if direction is Direction.REVERSE:
                topic, reached = each.object, each.subject_kind
            # No user asks for a mediator: it has no name.
            if topic is None or topic in asked or reached is TermKind.MEDIATOR:
                continue
            asked.add(topic)
            question = question_about(Relation(each.predicate, direction, each.label), names[topic])
            yield ExampleOut(question=question, kind=f"{each.triples:,} such facts")
            break
        if len(asked) == _SHOWN:
            return
