"""What calls upwards: everything that packages above add to packages below them, which may not import them.

Started once, when all models are there. A feature adds itself here, with one line: its background work, what of it
depends on things that can be deleted, and its part in an `ExtensionPoint`.
"""

from __future__ import annotations

from django.db.models.signals import post_delete

from webapp import engine
from webapp.asking.runs.models import Question, ReasoningRun
from webapp.asking.runs.worker import run_execute
from webapp.datasets.gold import labelled_blind_titles
from webapp.datasets.worker import dataset_work
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.overlays.models import OverlaidEvaluation
from webapp.evaluations.overlays.worker import overlaid_work
from webapp.evaluations.working.worker import evaluation_work
from webapp.graphs.worker import graph_load_execute
from webapp.labelling.adjudication.settle import task_settle
from webapp.labelling.agreement.worker import agreement_work
from webapp.labelling.graph_updates.worker import update_work
from webapp.labelling.projects.blind import labelled_blind
from webapp.labelling.projects.labels.asked import asked_deleted
from webapp.labelling.projects.labels.handed_in import labels_changed
from webapp.labelling.projects.labels.suggesting_worker import suggesting_work
from webapp.labelling.projects.models import Project
from webapp.models.pipelines.held_out import held_out_questions
from webapp.models.pipelines.models import HeldOut, Pipeline
from webapp.models.pipelines.selectors import default_chosen
from webapp.models.pipelines.transitions import pipelines_wake
from webapp.models.pipelines.worker import pipeline_work
from webapp.models.trainings.models import Training
from webapp.models.trainings.trainers.held_out import questions_held_out
from webapp.models.trainings.worker import training_execute
from webapp.platform.dependents import Dependent, Thing, dependent_add
from webapp.platform.work.ending import work_ended
from webapp.review.models import Case

WORKERS = (
    run_execute,
    graph_load_execute,
    dataset_work,
    evaluation_work,
    overlaid_work,
    suggesting_work,
    agreement_work,
    update_work,
    training_execute,
    pipeline_work,
)
DEPENDENTS = (
    Dependent(Thing.GRAPH, "question asked", "questions asked", ReasoningRun.objects.all(), ("graph",), keeps=False),
    Dependent(Thing.GRAPH, "evaluation", "evaluations", Evaluation.objects.all(), ("graph",), keeps=False),
    Dependent(Thing.GRAPH, "annotation project", "annotation projects", Project.objects.all(), ("graph",), keeps=False),
    Dependent(Thing.DATASET, "evaluation", "evaluations", Evaluation.objects.all(), ("snapshot",)),
    Dependent(Thing.DATASET, "annotation project", "annotation projects", Project.objects.all(), ("dataset",)),
    Dependent(Thing.DATASET, "training", "trainings", Training.objects.distinct(), ("lessons__dataset",)),
    Dependent(
        Thing.DATASET, "set of held-out questions", "sets of held-out questions", HeldOut.objects.all(), ("dataset",)
    ),
    Dependent(
        Thing.EVALUATION,
        "set of figures under corrections",
        "sets of figures under corrections",
        OverlaidEvaluation.objects.all(),
        ("evaluation",),
        keeps=False,
    ),
    Dependent(
        Thing.EVALUATION,
        "reviewed case",
        "reviewed cases",
        Case.objects.filter(last__gt=0),
        ("question__evaluation",),
    ),
    Dependent(Thing.EVALUATION, "pipeline", "pipelines", Pipeline.objects.all(), ("evaluation", "baseline")),
    Dependent(Thing.RUN, "evaluated question", "evaluated questions", EvaluatedQuestion.objects.all(), ("run",)),
    Dependent(Thing.RUN, "reviewed case", "reviewed cases", Case.objects.all(), ("run",)),
)


def extensions_add() -> None:
    """Add everything to the packages below."""
    for worker in WORKERS:
        worker.add()
    for dependent in DEPENDENTS:
        dependent_add(dependent)
    engine.default_chosen.add(default_chosen)
    labelled_blind_titles.add(labelled_blind)
    labels_changed.add(task_settle)
    questions_held_out.add(held_out_questions)
    work_ended.add(pipelines_wake)
    post_delete.connect(asked_deleted, sender=Question)
