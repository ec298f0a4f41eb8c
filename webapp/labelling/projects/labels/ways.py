"""The derivations that lead to marked answers, worded for people."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.core.structure import ROOT
from reasoning.labels.ways import ways_to
from reasoning.narration.narration import Narrator
from reasoning.narration.readings import ReadingText
from reasoning.narration.wording import RunWords
from webapp import engine
from webapp.labelling.projects.draft import Draft, reading_of, terms_of
from webapp.labelling.projects.labels.preview import project_graph
from webapp.labelling.projects.schemas import WayOut, WaysOut
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from reasoning.labels.ways import Way
    from webapp.labelling.projects.models import Assignment
    from webapp.labelling.projects.schemas import WaysIn


def ways_out(assignment: Assignment, wanted: WaysIn) -> WaysOut:
    """The derivations that lead from the topic to the marked answers of a task.

    Raises:
        ProductError: there is no topic yet, a marked term is none, or the graph is not what it was.

    """
    topic = wanted.topic or Draft.model_validate(assignment.draft).topic
    if topic is None:
        raise ProductError(409, "no_topic", "Say first what the question is about.")
    marked = terms_of(wanted.marked)
    started = perf_counter()
    with project_graph(assignment.project) as store:
        question = assignment.task.question.text
        found = ways_to(question, store, Entity(topic), marked, today=engine.today(), seconds=wanted.seconds)
        narrator = Narrator(store)
        narrator.learn(
            constraint.target for way in found.ways for constraint in way.derivation.constraints if constraint.target
        )
        return WaysOut(
            ways=[_way(way, narrator) for way in found.ways],
            complete=found.complete,
            cut=found.cut,
            milliseconds=1_000 * (perf_counter() - started),
        )


def _way(way: Way, narrator: Narrator) -> WayOut:
    topic = narrator.term(way.derivation.topic).label
    nodes = [
        narrator.node(replace(node, name=topic) if node.position == ROOT else node) for node in way.structure.nodes
    ]
    constraints = [narrator.constraint(constraint) for constraint in way.derivation.constraints]
    shown = ReadingText(tuple(nodes), tuple(constraints), way.derivation.answer_position)
    return WayOut(
        **reading_of(way.derivation).model_dump(),
        nodes=nodes,
        constraints=constraints,
        words=RunWords().reading(shown),
        precision=way.precision,
        recall=way.recall,
        answers_total=way.answers,
        missed=way.missed,
        hops=way.hops,
    )
