"""What people asked and agreed to have labelled, where an answer was confirmed: its derivation is taught as gold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kgstore.store import GraphStoreError
from reasoning.datasets.confirmed import FORMAT
from reasoning.events import UNANSWERED
from reasoning.gold.fitting import read_with_answers
from reasoning.narration.replay import derivation_made
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.asking.feedback.selectors import runs_confirmed
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.selectors import run_stage_events
from webapp.datasets.snapshots import dataset_of_lines
from webapp.labelling.projects.labels.asked import asked_id, questions_agreed
from webapp.platform.http.errors import ProductError, graph_error, room_ensure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

    from kgstore.store import GraphStore
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.models import Dataset


def confirmed_counts() -> dict[str, int]:
    """How many wordings have a confirmed answer, by the graph that they were asked of."""
    counts: dict[str, set[str]] = {}
    for graph, text in _runs().values_list("graph", "question__text"):
        counts.setdefault(graph, set()).add(asked_id(text))
    return {graph: len(counts[graph]) for graph in sorted(counts)}


def confirmed_snapshot(graph: str, viewer: Viewer) -> Dataset:
    """The dataset of the questions with a confirmed answer that were asked of a graph; a version that holds them is it.

    Of a wording that was confirmed several times, the last run counts. One whose derivation does not lead anywhere on
    the graph as it is now is left out. Their order is that of their ids, which says nothing of who asked or when.

    Raises:
        ProductError: the viewer may not, there is no such question or graph, or another snapshot is being made.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    room_ensure()
    try:
        lines = sorted(_lines(graph, engine.graph(graph)))
    except GraphStoreError as error:
        raise graph_error(error, status=422) from error
    if not lines:
        message = (
            "No answer on this graph is confirmed that may be learned from. A user with an account says that it is "
            "right, and who asked agrees on the page My questions."
        )
        raise ProductError(409, "nothing_confirmed", message, graph=graph)
    name = f"Confirmed answers ({graph})"
    dataset, is_new = dataset_of_lines(lines, name=name, format_=FORMAT.name, starter=viewer.user)
    if is_new:
        audited(viewer, Audited.DATASET_LOADED, f"{name}, version {dataset.version}", after=f"{len(lines)} questions")
    return dataset


def _runs() -> QuerySet[ReasoningRun]:
    """The runs with a confirmed answer to a question that may be labelled, as it was asked, the newest first."""
    found = ReasoningRun.objects.filter(pk__in=runs_confirmed(), question__in=questions_agreed())
    asked = found.filter(parent__isnull=True, decided=[]).exclude(verdict__in=["", *UNANSWERED])
    return asked.select_related("question").order_by("-created_at")


def _lines(graph: str, store: GraphStore) -> Iterator[str]:
    known: set[str] = set()
    for run in _runs().filter(graph=graph):
        id_ = asked_id(run.question.text)
        derivation = None if id_ in known else derivation_made(run_stage_events(run=run))
        read = None if derivation is None else read_with_answers(store, derivation)
        if derivation is None or read is None or not read[1]:
            continue
        known.add(id_)
        document = {
            "id": id_,
            "question": run.question.text,
            "confirmed": True,
            **derivation.to_json(),
            "answers": sorted(map(str, read[1])),
        }
        yield json.dumps(document, ensure_ascii=False) + "\n"
