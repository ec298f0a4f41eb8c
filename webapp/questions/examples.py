"""Questions to try on the bundled sample graph, each of another kind."""

from __future__ import annotations

from kgstore.loading.sample import SAMPLE_GRAPH
from webapp.questions.schemas import ExampleOut

_EXAMPLES = (
    ("who plays the voice of KITT in Knight Rider?", "a condition"),
    ("what do Jamaican people speak?", "several answers"),
    ("where is the home field of the team that Mark Attanasio owns?", "a chain"),
    ("who won the Super Bowl in 2011?", "a date"),
    ("where did Kevin Love go to college?", "a branch"),
    ("what was the budget of Knight Rider?", "no answer here"),
)


def examples_of(graph: str) -> list[ExampleOut]:
    """Six examples for the sample graph, none for any other."""
    if graph not in ("", SAMPLE_GRAPH):
        return []
    return [ExampleOut(question=question, kind=kind) for question, kind in _EXAMPLES]
