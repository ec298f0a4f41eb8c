"""The run that shows how a question of an evaluation was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from kgstore.store import GraphStoreError
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.evaluation.judging.judging import TOPIC_GAP
from reasoning.evaluation.judging.settings import EvaluationSettings
from webapp import engine
from webapp.asking.runs.services import ask_allowance_take, run_queue
from webapp.evaluations.models import EvaluatedQuestion, JudgedDecisions
from webapp.platform.http.errors import ProductError, graph_error

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.asking.runs.models import ReasoningRun


def question_run(*, question: EvaluatedQuestion, viewer: Viewer) -> ReasoningRun:
    """The run of a question, queued where there is none yet.

    It shows what was judged: the decisions are kept as they were made, with their probabilities, and the graph gives
    the facts again, so no model is asked. Of a question that was judged before decisions were kept, they are made
    again: by the same scorer, of the same version of the graph, with the same topic and switches.

    Raises:
        ProductError: the question was not judged yet, or cannot be asked as it was.

    """
    if question.run is not None:
        return question.run
    evaluation = question.evaluation
    if question.outcome is None:
        raise ProductError(409, "not_judged", "This question was not asked yet. Open it once it was.")
    if evaluation.predictions is not None:
        message = f"“{evaluation.scorer}” answered this. What it decided is not known, so it cannot be shown."
        raise ProductError(409, "no_decisions", message)
    if not evaluation.graph:
        message = "This question was asked of a graph of its own, which the site does not keep, so it cannot be shown."
        raise ProductError(409, "own_graph", message)
    if question.outcome["reason"] == TOPIC_GAP:
        message = "The graph does not hold the topic entity that was given, so nothing was decided."
        raise ProductError(409, "no_topic", message)
    judged = JudgedDecisions.objects.filter(question=question).first()
    if judged is None and evaluation.scorer not in engine.scorer_names():
        message = f"The scorer “{evaluation.scorer}” is gone, so this question cannot be asked as it was."
        raise ProductError(409, "unknown_scorer", message)
    try:
        info = engine.graph(evaluation.graph).info()
    except GraphStoreError as error:
        raise graph_error(error, status=409) from error
    if info.version != evaluation.graph_version:
        message = f"The graph “{evaluation.graph_title}” was loaded again since, so this cannot be asked as it was."
        raise ProductError(409, "graph_changed", message)
    ask_allowance_take(viewer=viewer)
    asked = BenchmarkQuestion.from_json(question.gold)
    settings = EvaluationSettings.from_json(evaluation.switches)
    given = asked.topic if settings.topics == "gold" else None
    with transaction.atomic():
        # A second caller waits here, and then gets the run of the first.
        held = EvaluatedQuestion.objects.select_for_update().select_related(None).get(pk=question.pk)
        if held.run is not None:
            return held.run
        held.run = run_queue(
            text=question.text,
            viewer=viewer,
            info=info,
            topic="" if given is None else given.mid,
            scorer=evaluation.scorer,
            strategy=settings.strategy,
            switches=settings.switches(asked).to_json(),
            decided=[] if judged is None else judged.events,
        )
        held.save(update_fields=["run"])
    return held.run
