"""Labels of a project as they are exported: with names and facts from the graph, as far as it can be read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.exports.label import ExportedLabel
from reasoning.labels.gold_subgraph import gold_subgraph
from webapp.labelling.projects.draft import decided_of, facts_of, terms_of
from webapp.labelling.projects.labels.preview import project_graph
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.exports.source import ExportFormat
    from webapp.labelling.exports.selections import LabelWants, SelectedLabel, Selection
    from webapp.labelling.projects.models import Project


def labels_of(
    project: Project, selection: Selection, wants: LabelWants, format_: ExportFormat
) -> Iterator[ExportedLabel]:
    """The labels of a project for a format, one after another.

    Raises:
        GraphStoreError: the graph, which could be read, cannot be read any more.

    """
    with _graph_for(project, format_) as store:
        for label in selection.labels(project, wants):
            yield _exported(label, project, store, with_facts=format_.with_facts)


def graph_fault(project: Project, format_: ExportFormat) -> str:
    """Why names and facts of the graph are missing from an export; empty where they are not, or it needs none."""
    if not format_.reads_graph:
        return ""
    try:
        with project_graph(project):
            return ""
    except ProductError as error:
        return error.message


@contextmanager
def _graph_for(project: Project, format_: ExportFormat) -> Iterator[GraphStore | None]:
    """The graph of a project; None where the format needs none, or it is not what it was."""
    if not format_.reads_graph or graph_fault(project, format_):
        yield None
        return
    with project_graph(project) as store:
        yield store


def _exported(label: SelectedLabel, project: Project, store: GraphStore | None, *, with_facts: bool) -> ExportedLabel:
    draft, question = label.draft, label.question
    derivation = decided_of(draft).derivation if draft.kind == "derivation" else None
    topic = None if draft.topic is None else Entity(draft.topic)
    answers = tuple(terms_of(label.answers))
    facts = facts_of(draft) if draft.kind == "facts" else ()
    if derivation is not None and store is not None and with_facts:
        facts = gold_subgraph(derivation, store)
    named: set[Term] = {*answers, *(term for fact in facts for term in (fact.subject, fact.object))}
    named |= {topic} if topic else set()
    named |= {c.target for c in derivation.constraints if c.target is not None} if derivation else set()
    return ExportedLabel(
        id=label.id,
        question_id=question.question_id,
        text=question.text,
        kind=draft.kind,
        group=question.to_benchmark().group,
        graph=project.graph,
        topic=topic,
        answers=answers,
        derivation=derivation,
        facts=facts,
        missing="" if draft.kind != "unanswerable" or draft.missing is None else draft.missing.what,
        names={} if store is None else _names(store, named),
        of_round=label.of_round,
        about={
            "kind": draft.kind,
            "question_id": question.question_id,
            "dataset": f"{project.dataset.name}, version {project.dataset.version}",
            "graph": project.graph,
            "graph_version": project.graph_version,
            **label.about,
            "draft": draft.model_dump(mode="json"),
        },
    )


def _names(store: GraphStore, terms: set[Term]) -> dict[Term, str]:
    """The names of the entities that have one."""
    entities = [term for term in terms if isinstance(term, Entity)]
    return {mid: card.name for mid, card in store.cards(entities).items() if card.name}
