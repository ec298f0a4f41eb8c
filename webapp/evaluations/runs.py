"""The run that shows how a question of an evaluation was answered."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from django.db import transaction

from kgstore.store import GraphStoreError
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.evaluation.judging import TOPIC_GAP
from reasoning.evaluation.settings import EvaluationSettings
from webapp import engine
from webapp.evaluations.models import EvaluatedQuestion
from webapp.http.errors import ProductError, graph_error
from webapp.runs.services import ask_allowance_take, run_queue

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.runs.models import ReasoningRun


def question_run(*, question: EvaluatedQuestion, viewer: Viewer) -> ReasoningRun:
    """The run of a question, queued where there is none yet.

    The question is asked as it was for the evaluation: of the same version of the graph, with the same topic, scorer
    and switches. Scorers decide alike every time, so the run shows the judged decisions, and the pools that they were
    made from, which an outcome does not keep.

    Raises:
        ProductError: the question was not judged yet, or cannot be asked as it was.

    """
    if question.run is not None:
        return question.run
    evaluation = question.evaluation
    if question.outcome is None:
        raise ProductError(409, "not_judged", "This question was not asked yet. Open it once it was.")
    if not evaluation.graph:
        message = "This question was asked of a graph of its own, which the site does not keep, so it cannot be shown."
        raise ProductError(409, "own_graph", message)
    if question.outcome["reason"] == TOPIC_GAP:
        message = "The graph does not hold the topic entity that was given, so nothing was decided."
        raise ProductError(409, "no_topic", message)
    if evaluation.scorer not in engine.scorer_names():
        message = f"The scorer “{evaluation.scorer}” is gone, so this question cannot be asked as it was."
        raise ProductError(409, "unknown_scorer", message)
    try:
        info = engine.graph(evaluation.graph).info()
    except GraphStoreError as error:
        raise graph_error(error, status=409) from error
    if info.version != evaluation.graph_version:
        message = f"The graph “{evaluation.graph_title}” was loaded anew since, so this cannot be asked as it was."
        raise ProductError(409, "graph_changed", message)
    ask_allowance_take(viewer=viewer)
    asked = BenchmarkQuestion.from_json(question.gold)
    settings = EvaluationSettings.from_json(evaluation.switches)
    given = asked.topic if settings.topics == "gold" else None
    with transaction.atomic():
        # Whoever comes second waits here, and then gets the run of the first.
        held = EvaluatedQuestion.objects.select_for_update().select_related(None).get(pk=question.pk)
        if held.run is not None:
            return held.run
        held.run = run_queue(
            text=question.text,
            viewer=viewer,
            info=info,
            topic="" if given is None else given.mid,
            scorer=evaluation.scorer,
            switches=asdict(settings.switches(asked)),
        )
        held.save(update_fields=["run"])
    return held.run
