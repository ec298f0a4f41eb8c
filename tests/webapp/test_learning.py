"""Chains from labels to a judged model, what never trains, and which model may become the default."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from reasoning.scorers.cards import read_card
from tests.reasoning.rules import KITT_GOLD
from tests.webapp.labelled import Labeller, made, signed_in
from tests.webapp.labelled import dataset as labelled_dataset
from tests.webapp.told_by_services import STAFF_ONLY, delivered, forget_deliveries, refused
from webapp import engine
from webapp.accounts.models import AuditEntry, Role, User
from webapp.accounts.viewer import Viewer
from webapp.datasets.models import Dataset, Question
from webapp.datasets.snapshots import dataset_of_lines
from webapp.evaluations.changing import evaluation_remove
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.working.worker import evaluation_work
from webapp.models.pipelines.defaults import default_make, default_put_back, verdict
from webapp.models.pipelines.held_out import held_out_pin, held_out_questions
from webapp.models.pipelines.models import DefaultChoice, HeldOut, Pipeline
from webapp.models.pipelines.schemas import HeldOutIn, PipelineIn
from webapp.models.pipelines.selectors import pipeline_out
from webapp.models.pipelines.services import pipeline_create, pipeline_resume, pipeline_review, pipeline_stop
from webapp.models.pipelines.sources import sources_offered
from webapp.models.pipelines.transitions import TASK, pipelines
from webapp.models.pipelines.worker import pipeline_work
from webapp.models.trainings.models import Training
from webapp.models.trainings.schemas import TrainingIn
from webapp.models.trainings.services import training_create
from webapp.models.trainings.worker import training_execute
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser

pytestmark = pytest.mark.usefixtures("models_removed")
GRACE = timedelta(0)
QUICK: dict[str, Any] = {"epochs": 1, "seed": 1, "epoch_samples": 16}


def questions(name: str, count: int = 8, *, first: int = 0, text: str = "who plays KITT, asked {number}?") -> Dataset:
    """A loaded dataset of questions about television on the toy graph, some on either side of the split."""
    lines = [
        json.dumps({**KITT_GOLD, "id": f"tv-{number}", "phrasings": [text.format(number=number)]}) + "\n"
        for number in range(first, first + count)
    ]
    return dataset_of_lines(lines, name=name, format_="discern", starter=None)[0]


def pinned(viewer: Viewer, dataset: Dataset, **more: Any) -> HeldOut:
    wanted = HeldOutIn(**{"dataset": dataset.name, "graph": "toy", "split": "all", **more})
    return held_out_pin(wanted=wanted, viewer=viewer)


def pipeline_of(viewer: Viewer, *datasets: Dataset, name: str = "taught", **more: Any) -> Pipeline:
    sources = [{"kind": "dataset", "key": str(dataset.pk), "graph": "toy"} for dataset in datasets]
    return pipeline_create(
        wanted=PipelineIn.model_validate({"name": name, "sources": sources, "settings": QUICK, **more}), viewer=viewer
    )


def judged(evaluation: Evaluation | None) -> None:
    """Let the workers judge an evaluation to its end."""
    assert evaluation is not None
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
        evaluation.refresh_from_db()


def worked(pipeline: Pipeline) -> Pipeline:
    """Let the workers take a chain to its end, each link woken by the work before it."""
    while not pipeline.is_over:
        pipeline_work(pipeline.pk)
        pipeline.refresh_from_db()
        if pipeline.link == "train" and pipeline.training is not None:
            training_execute(pipeline.training.pk)
        if pipeline.link == "evaluate":
            judged(pipeline.evaluation)
            judged(pipeline.baseline)
        pipeline.refresh_from_db()
    return pipeline


def steps(pipeline: Pipeline) -> list[str]:
    return [step.state for step in pipeline_out(Pipeline.objects.get(pk=pipeline.pk)).steps]


# The chain


def test_a_pipeline_goes_from_labels_to_a_comparison_and_tells_what_went_into_what(admin_viewer: Viewer) -> None:
    lessons, held_out = questions("lessons"), questions("held out", first=100)
    pinned(admin_viewer, held_out)
    pipeline = pipeline_of(admin_viewer, lessons)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(pipeline.pk))]
    assert steps(pipeline) == ["waiting", "to come", "to come", "to come", "to come"]

    pipeline_work(pipeline.pk)
    pipeline.refresh_from_db()
    assert (pipeline.link, pipeline.status, pipeline.awaits, pipeline.attempts) == ("train", Status.QUEUED, True, 0)
    assert pipeline.training is not None
    forget_deliveries()
    assert pipelines.recover(grace=GRACE) == 0
    # The end of the training begins the next link.
    training_execute(pipeline.training.pk)
    assert (TASK, str(pipeline.pk)) in delivered(Queue.CPU_BACKGROUND)

    worked(pipeline)
    assert (pipeline.status, pipeline.link) == (Status.SUCCEEDED, "review")
    assert steps(pipeline) == ["done", "done", "done", "done", "waiting"]
    assert [lesson.dataset for lesson in pipeline.training.lessons.all()] == [lessons]
    assert pipeline.evaluation is not None
    assert pipeline.baseline is not None
    assert (pipeline.evaluation.scorer, pipeline.evaluation.snapshot) == ("taught", held_out)
    assert (pipeline.against, pipeline.baseline.scorer) == (engine.configured_scorer(), engine.configured_scorer())
    assert pipeline.comparison is not None
    assert (pipeline.comparison["common"], pipeline.comparison["seen"]) == (8, 0)
    assert pipeline.comparison["difference"]["right"]["before"] is not None
    card = read_card(engine.scorers_folder() / "taught")
    assert card["trained"]["data_sha256"]["lessons, version 1"] == lessons.identity

    assert pipeline_review(pipeline=pipeline, note=" as  wished ", viewer=admin_viewer).note == "as wished"
    assert steps(pipeline)[-1] == "done"
    judging = pipeline.evaluation
    assert refused(lambda: evaluation_remove(evaluation=judging, viewer=admin_viewer))[0] == 409


def test_a_pipeline_is_stopped_and_goes_on_at_every_link(admin_viewer: Viewer) -> None:
    pinned(admin_viewer, questions("held out", first=100))
    pipeline = pipeline_of(admin_viewer, questions("lessons"))

    def stopped_and_resumed() -> None:
        assert pipeline_stop(pipeline=pipeline, viewer=admin_viewer).status == Status.CANCELLED
        assert "stopped" in steps(pipeline)
        pipeline_work(pipeline.pk)
        assert Pipeline.objects.get(pk=pipeline.pk).status == Status.CANCELLED
        assert pipeline_resume(pipeline=pipeline, viewer=admin_viewer).status == Status.QUEUED

    stopped_and_resumed()
    pipeline_work(pipeline.pk)
    pipeline.refresh_from_db()
    training = pipeline.training
    assert training is not None
    stopped_and_resumed()
    training.refresh_from_db()
    assert training.status == Status.QUEUED
    pipeline_work(pipeline.pk)
    training_execute(training.pk)
    pipeline_work(pipeline.pk)
    pipeline.refresh_from_db()
    assert pipeline.link == "evaluate"
    assert pipeline.evaluation is not None
    pipeline_stop(pipeline=pipeline, viewer=admin_viewer)
    pipeline.evaluation.refresh_from_db()
    assert pipeline.evaluation.status == Status.CANCELLED
    pipeline_resume(pipeline=pipeline, viewer=admin_viewer)
    worked(pipeline)
    assert (pipeline.status, Training.objects.count(), Evaluation.objects.count()) == (Status.SUCCEEDED, 1, 2)
    shown = list(AuditEntry.objects.filter(what__startswith="chain").order_by("pk").values_list("what", "before"))
    assert [what for what, _ in shown][:3] == ["chain_started", "chain_stopped", "chain_resumed"]
    assert ("chain_stopped", "evaluate") in shown


def test_a_pipeline_goes_on_where_its_worker_died_or_nobody_reported_it_of_an_end(admin_viewer: Viewer) -> None:
    pinned(admin_viewer, questions("held out", first=100))
    pipeline = pipeline_of(admin_viewer, questions("lessons"))
    # As if a worker had died in the midst of the first link.
    Pipeline.objects.filter(pk=pipeline.pk).update(
        status=Status.RUNNING, claim=uuid.uuid4(), lease_until=timezone.now() - timedelta(seconds=1), attempts=1
    )
    assert pipelines.recover(grace=GRACE) >= 1
    pipeline_work(pipeline.pk)
    pipeline.refresh_from_db()
    assert pipeline.training is not None
    # As if the process had died that ended the training, before it could tell.
    Training.objects.update(status=Status.SUCCEEDED, finished_at=timezone.now())
    forget_deliveries()
    assert pipelines.recover(grace=GRACE) == 1
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(pipeline.pk))]


def test_a_link_whose_work_fails_fails_with_its_reason_and_is_taken_up_again(admin_viewer: Viewer) -> None:
    pinned(admin_viewer, questions("held out", first=100))
    lessons = questions("lessons")
    pipeline = pipeline_of(admin_viewer, lessons)
    pipeline_work(pipeline.pk)
    pipeline.refresh_from_db()
    assert pipeline.training is not None
    kept = list(Question.objects.filter(dataset=lessons))
    Question.objects.filter(dataset=lessons).delete()
    training_execute(pipeline.training.pk)
    pipeline_work(pipeline.pk)
    pipeline.refresh_from_db()
    assert (pipeline.status, steps(pipeline)[1]) == (Status.FAILED, "failed")
    assert pipeline.reason.startswith("No question of what was chosen may teach")
    Question.objects.bulk_create(kept)
    pipeline_resume(pipeline=pipeline, viewer=admin_viewer)
    assert worked(pipeline).status == Status.SUCCEEDED


def test_what_makes_no_sense_is_refused_before_anything_begins(admin_viewer: Viewer, ada: User) -> None:
    lessons = questions("lessons")
    assert refused(lambda: pipeline_of(admin_viewer, lessons))[:2] == (409, "not_pinned")
    pinned(admin_viewer, questions("held out", first=100))
    assert refused(lambda: pipeline_of(admin_viewer, lessons, name="encoder"))[1] == "scorer_name"
    assert refused(lambda: pipeline_of(admin_viewer, lessons, lessons))[1] == "source_twice"
    assert refused(lambda: pipeline_of(admin_viewer, lessons, start="nobody"))[1] == "unknown_start"
    asker = Viewer(ada, None, "")
    assert refused(lambda: pipeline_of(asker, lessons)) == STAFF_ONLY
    pipeline_of(admin_viewer, lessons)
    assert refused(lambda: pipeline_of(admin_viewer, lessons))[1] == "scorer_name"
    assert Pipeline.objects.count() == 1


# What never trains


def test_what_was_held_out_never_trains_also_under_another_name(admin_viewer: Viewer) -> None:
    held_out = questions("held out", 4, first=100)
    pinned(admin_viewer, held_out)
    # The same words in another dataset, four of which are held out.
    again = questions("labels", 8, first=100)
    training_execute(_training(admin_viewer, "careful", again).pk)
    learned = engine.learned_questions("careful")
    assert learned is not None
    rows = {row.question_id: row for row in again.questions.all()}
    texts = set(held_out.questions.values_list("text_hash", flat=True))
    taught = {name for name, row in rows.items() if bytes.fromhex(row.text_hash)[:6] in learned.texts}
    assert taught == {name for name, row in rows.items() if row.split == "train" and row.text_hash not in texts}
    assert taught
    card = read_card(engine.scorers_folder() / "careful")
    (source,) = card["trained"]["sources"].values()
    assert source["problems"] == {"held out for an evaluation": 8 - len(taught) - _validation(again)}


def test_what_an_evaluation_asked_as_validation_never_trains(admin_viewer: Viewer) -> None:
    benchmark = questions("benchmark", 8)
    evaluation = Evaluation.objects.create(
        dataset="benchmark",
        snapshot=benchmark,
        format="discern",
        split="validation",
        graph="toy",
        graph_title="Toy",
        scorer="lexical",
        switches={},
        seen_at=timezone.now(),
        total=8,
    )
    for row in benchmark.questions.filter(split="validation"):
        EvaluatedQuestion.objects.create(
            evaluation=evaluation,
            position=row.position,
            dataset_question=row,
            question_id=row.question_id,
            text=row.text,
            gold={},
        )
    held_out = set(held_out_questions())
    assert held_out == set(benchmark.questions.filter(split="validation").values_list("identity", "text_hash"))
    evaluation.split = "all"
    evaluation.save()
    assert set(held_out_questions()) == set()


def test_a_label_that_comes_later_is_not_in_a_held_out_set_that_was_used(admin_viewer: Viewer) -> None:
    pinned_first = pinned(admin_viewer, questions("labels", 6), split="validation")
    used = set(pinned_first.dataset.questions.values_list("identity", flat=True))
    later = questions("labels", 12)
    assert later.version == 2
    again = HeldOut.objects.get()
    assert set(again.dataset.questions.values_list("identity", flat=True)) == used
    pinned(admin_viewer, questions("others", first=200))
    # What was pinned before is held out for ever.
    first = set(pinned_first.dataset.questions.filter(split="validation").values_list("identity", "text_hash"))
    assert first <= set(held_out_questions())


def _training(viewer: Viewer, name: str, dataset: Dataset) -> Training:
    lessons = [{"dataset": str(dataset.pk), "graph": "toy"}]
    return training_create(wanted=TrainingIn.model_validate({"name": name, "lessons": lessons, **QUICK}), viewer=viewer)


def _validation(dataset: Dataset) -> int:
    """How many validation questions there are whose words are not held out anyway."""
    return dataset.questions.filter(split="validation").count()


# The default


def judged_as(scorer: str, held_out: HeldOut, right: list[bool], *, seen: int = 0) -> Evaluation:
    """An evaluation by the pinned questions that came out like this; of the first ``seen`` the model had learned."""
    now = timezone.now()
    evaluation = Evaluation.objects.create(
        dataset=held_out.dataset.name, snapshot=held_out.dataset, format="discern", split=held_out.split,
        graph=held_out.graph, graph_title="Toy", graph_version=engine.graph(held_out.graph).info().version,
        scorer=scorer, switches={}, seen_at=now, total=len(right), done=len(right), status=Status.SUCCEEDED,
        finished_at=now,
    )  # fmt: skip
    EvaluatedQuestion.objects.bulk_create(
        EvaluatedQuestion(
            evaluation=evaluation, position=number + 1, question_id=f"q{number}", text="who?", gold={}, judged_at=now,
            right=hit, f1=float(hit), seen=number < seen, outcome={"predicted": []},
        )
        for number, hit in enumerate(right)
    )  # fmt: skip
    return evaluation


def test_a_worse_model_cannot_become_the_default_and_it_says_why(admin_viewer: Viewer) -> None:
    assert verdict("encoder").code == "not_pinned"
    held_out = pinned(admin_viewer, questions("held out", first=100))
    assert verdict("lexical").code == "is_default"
    assert verdict("encoder").code == "not_judged"
    worse = judged_as("encoder", held_out, [True] * 10 + [False] * 30)
    assert verdict("encoder").code == "default_not_judged"
    judged_as("lexical", held_out, [True] * 40)
    found = verdict("encoder")
    assert (found.code, found.may, found.evaluation) == ("worse", False, worse.pk)
    assert "Right first answers: 0.250 after 1.000, a difference of -0.750 (-0.8" in found.why
    status, code, message = refused(lambda: default_make(scorer="encoder", viewer=admin_viewer))
    assert (status, code) == (409, "worse")
    assert message.startswith("“encoder” cannot become the default. It is worse than “lexical” on 40 pinned questions.")
    assert engine.default_scorer() == "lexical"
    assert not DefaultChoice.objects.exists()


def test_a_model_that_is_no_worse_becomes_the_default_and_is_put_back_by_one_click(
    admin_viewer: Viewer, ada: User
) -> None:
    held_out = pinned(admin_viewer, questions("held out", first=100))
    judged_as("lexical", held_out, [True] * 20 + [False] * 20)
    # A little worse, within the interval of so few questions.
    evaluation = judged_as("encoder", held_out, [True] * 19 + [False] * 21)
    assert refused(lambda: default_put_back(viewer=admin_viewer))[1] == "never_changed"
    asker = Viewer(ada, None, "")
    assert refused(lambda: default_make(scorer="encoder", viewer=asker)) == STAFF_ONLY
    assert refused(lambda: default_put_back(viewer=asker)) == STAFF_ONLY
    assert default_make(scorer="encoder", viewer=admin_viewer).evaluation == evaluation
    assert (engine.default_scorer(), engine.scorer_chosen(None)) == ("encoder", "encoder")
    default_put_back(viewer=admin_viewer)
    assert engine.default_scorer() == engine.configured_scorer() == "lexical"
    # What is put back needs not be judged, and may be put back in its turn.
    Evaluation.objects.all().delete()
    default_put_back(viewer=admin_viewer)
    assert engine.default_scorer() == "encoder"
    changed = AuditEntry.objects.filter(what="default_changed").order_by("pk").values_list("before", "after")
    assert list(changed) == [("lexical", "encoder"), ("encoder", "lexical"), ("lexical", "encoder")]


def test_questions_that_a_model_learned_from_do_not_tell_which_is_better(admin_viewer: Viewer) -> None:
    held_out = pinned(admin_viewer, questions("held out", first=100))
    judged_as("lexical", held_out, [False] * 10 + [True] * 20)
    # Right where it had learned the answer, wrong elsewhere.
    judged_as("encoder", held_out, [True] * 10 + [False] * 20, seen=10)
    assert verdict("encoder").code == "worse"
    judged_as("encoder", held_out, [True] * 30, seen=30)
    assert verdict("encoder").code == "seen"


def test_a_default_that_is_gone_leaves_the_one_of_the_settings(admin_viewer: Viewer) -> None:
    DefaultChoice.objects.create(scorer="gone", before="gone")
    assert engine.default_scorer() == "lexical"
    assert refused(lambda: default_put_back(viewer=admin_viewer))[1] == "scorer_gone"


# Over HTTP


def test_the_page_tells_all_and_each_route_does_what_it_says(browser: Callable[[], Browser]) -> None:
    admin, reviewer = signed_in(browser, "cleo", Role.ADMIN), signed_in(browser, "rita", Role.REVIEWER)
    lessons = questions("lessons")
    questions("held out", first=100)
    page = reviewer.get("/api/learning")
    assert (page["chains"], page["held_out"], page["may_manage"]) == ([], None, False)
    assert page["default"] == {"scorer": "lexical", "configured": "lexical", "back": None, "choices": []}
    wanted = {"dataset": "held out", "split": "all", "graph": "toy"}
    reply = admin.post("/api/learning/held-out", wanted, status=201)
    assert (reply["questions"], reply["pinner"]) == (8, "Cleo")
    ways = admin.get("/api/learning/ways")
    offered = {(source["kind"], source["title"]): source for source in ways["sources"]}
    assert ("sample", "The bundled sample") in offered
    lesson = offered["dataset", "lessons, version 1"]
    assert (lesson["key"], lesson["questions"]) == (str(lessons.pk), lessons.train)
    assert (ways["starts"], "toy" in ways["graphs"]) == (["bundled"], True)
    sources = [{"kind": "dataset", "key": lesson["key"], "graph": "toy"}]
    pipeline = admin.post("/api/learning/chains", {"name": "taught", "sources": sources}, status=201)
    path = f"/api/learning/chains/{pipeline['id']}"
    assert pipeline["steps"][0]["state"] == "waiting"
    assert admin.post(f"{path}/stop")["status"] == "cancelled"
    assert admin.post(f"{path}/resume")["status"] == "queued"
    assert reviewer.post(f"{path}/review", {"note": "?"}, status=409)["code"] == "not_compared"
    assert reviewer.get(path)["held_out"]["dataset"] == "held out"
    assert [each["name"] for each in reviewer.get("/api/learning")["chains"]] == ["taught"]
    verdicts = {each["scorer"]: each["code"] for each in reviewer.get("/api/learning/default")}
    assert verdicts == {"encoder": "not_judged", "lexical": "is_default", "path-reader": "not_judged"}
    assert admin.post("/api/learning/default", {"scorer": "encoder"}, status=409)["code"] == "not_judged"
    assert admin.post("/api/learning/default", {"scorer": "none"}, status=422)["code"] == "unknown_scorer"


def test_the_accepted_labels_of_a_project_are_a_source_and_their_snapshot_is_kept(
    rita: Browser, ben: Browser, mia: Browser, admin_viewer: Viewer, tmp_path: Path
) -> None:
    assert ben is not mia
    project = made(rita, labelled_dataset(tmp_path), "ben", "mia", overlap=2)
    for person in (ben, mia):
        at_work = Labeller.at_next(person, project)
        at_work.label_kitt()
        person.post(f"{at_work.address}/submit")
    (offer,) = [source for source in sources_offered(admin_viewer) if source.kind == "labels"]
    assert (offer.title, offer.questions, offer.graph) == ("Accepted labels of Television", 1, "toy")
    pinned(admin_viewer, questions("held out", first=100))
    source = {"kind": "labels", "key": offer.key}
    wanted = PipelineIn.model_validate({"name": "taught", "sources": [source], "settings": QUICK})
    pipeline = pipeline_create(wanted=wanted, viewer=admin_viewer)
    pipeline_work(pipeline.pk)
    pipeline.refresh_from_db()
    assert pipeline.training is not None
    (lesson,) = pipeline.training.lessons.all()
    assert lesson.dataset is not None
    assert (lesson.dataset.name, lesson.dataset.version, lesson.graph) == ("Labels of Television", 1, "toy")
    assert pipeline_out(pipeline).sources[0].snapshot == "Labels of Television, version 1"
