"""Language models that are fine-tuned on the site: what may be a base, where it waits, and what comes of it."""

from __future__ import annotations

import json
import sys
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction
from django.utils import timezone

from reasoning.datasets.identity import text_hash
from reasoning.scorers.cards import ADAPTER_FILE, read_card
from reasoning.training.causal.settings import NEW
from tests.webapp.labelled import signed_in
from tests.webapp.test_learning import pinned, questions, worked
from tests.webapp.told_by_services import delivered, forget_deliveries, refused
from webapp import engine
from webapp.accounts.models import Role
from webapp.models.pipelines.defaults import verdict
from webapp.models.pipelines.schemas import PipelineIn
from webapp.models.pipelines.services import pipeline_create
from webapp.models.trainings.models import Training, TrainingKind
from webapp.models.trainings.schemas import TrainingIn
from webapp.models.trainings.services import training_cancel, training_create, training_resume
from webapp.models.trainings.transitions import TASK, trainings
from webapp.models.trainings.worker import training_execute
from webapp.platform.environment import read_environment
from webapp.platform.work.heartbeat import READY, heartbeat_forget, heartbeat_send
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.models import Dataset

pytestmark = pytest.mark.usefixtures("models_removed")
QUICK: dict[str, Any] = {"epochs": 1, "seed": 1}
GRACE = timedelta(0)


def wanted(dataset: Dataset | None, **more: Any) -> TrainingIn:
    lessons = [] if dataset is None else [{"dataset": str(dataset.pk), "graph": "toy"}]
    document = {"name": "small", "kind": "causal", "base": NEW, "lessons": lessons, **QUICK, **more}
    return TrainingIn.model_validate(document)


def queued(viewer: Viewer, dataset: Dataset | None, **more: Any) -> Training:
    return training_create(wanted=wanted(dataset, **more), viewer=viewer)


def trained(training: Training) -> Training:
    training_execute(training.pk)
    training.refresh_from_db()
    assert (training.status, training.reason) == (Status.SUCCEEDED, "")
    return training


def named(settings: SettingsWrapper, *sources: object) -> None:
    """Let the settings name these as bases."""
    update = {"base_models": tuple(map(str, sources))}
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=update)


@pytest.fixture
def llama(tmp_path: Path) -> Path:
    """A folder that looks like a model's."""
    folder = tmp_path / "llama"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return folder


# What is trained


def test_a_small_model_from_nothing_is_trained_and_its_card_tells_of_it(
    admin_viewer: Viewer, browser: Callable[[], Browser]
) -> None:
    dataset = questions("lessons")
    training = trained(queued(admin_viewer, dataset, epochs=3))
    ends = [step for step in training.log if step["stage"] == "training"]
    assert [step["epoch"] for step in ends] == [1, 2, 3]
    assert all(step["loss"] > 0 for step in ends)
    card = read_card(engine.scorers_folder() / "small")
    assert (card["kind"], card["base"], card["trained"]["settings"]["epochs"]) == ("causal", NEW, 3)
    assert card["trained"]["data_sha256"]["lessons, version 1"] == dataset.identity
    assert engine.queue_of("small") is Queue.GPU
    (listed,) = [scorer for scorer in browser().get("/api/scorers") if scorer["name"] == "small"]
    assert listed["card"]["learned_questions"] == dataset.questions.filter(split="train").count()
    shown = browser().get("/api/scorers/trainings")["trainings"][0]
    assert (shown["kind"], shown["base"], shown["queue"]) == ("causal", NEW, Queue.CPU_BACKGROUND)


def test_what_is_held_out_is_never_learned(admin_viewer: Viewer) -> None:
    held_out = pinned(admin_viewer, questions("held out", 4, first=100))
    # The same words in another dataset, four of which are held out.
    again = questions("labels", 8, first=100)
    trained(queued(admin_viewer, again, name="careful"))
    learned = engine.learned_questions("careful")
    assert learned is not None
    rows = list(again.questions.all())
    taught = {row.text for row in rows if bytes.fromhex(row.text_hash)[:6] in learned.texts}
    hidden = set(held_out.dataset.questions.values_list("text", flat=True))
    free = {row.text for row in rows if row.split == "train" and row.text not in hidden}
    assert taught == free
    assert taught
    (source,) = read_card(engine.scorers_folder() / "careful")["trained"]["sources"].values()
    held = sum(row.split == "train" for row in rows) - len(free)
    assert source["problems"]["held out for an evaluation"] == held > 0


def test_nothing_is_trained_where_all_is_held_out(admin_viewer: Viewer) -> None:
    dataset = questions("lessons")
    pinned(admin_viewer, dataset)
    training = queued(admin_viewer, dataset)
    training_execute(training.pk)
    training.refresh_from_db()
    assert training.status == Status.FAILED
    assert training.reason.startswith("No question of what was chosen may teach")


def test_a_training_is_stopped_and_goes_on_from_its_checkpoint(admin_viewer: Viewer) -> None:
    training = queued(admin_viewer, questions("lessons"), epochs=8)

    def stopped_in_the_third_epoch() -> bool:
        training.refresh_from_db()
        if training.epoch >= 3 and training.status == Status.RUNNING:
            training_cancel(training=training, viewer=admin_viewer)
        return False

    training_execute(training.pk, stopping=stopped_in_the_third_epoch)
    training.refresh_from_db()
    assert (training.status, training.of_epochs) == (Status.CANCELLED, 8)
    assert "small" not in engine.scorer_names()
    assert list((engine.scorers_folder() / "small" / "training").glob("checkpoint-*"))
    before = len(training.log)
    training_resume(training=training, viewer=admin_viewer)
    training = trained(training)
    again = [step["epoch"] for step in training.log[before:] if step["stage"] == "training"]
    assert (again[0] > 1, again[-1]) == (True, 8)


def test_a_worker_that_is_to_stop_gives_the_training_back_and_another_goes_on(admin_viewer: Viewer) -> None:
    training = queued(admin_viewer, questions("lessons"), epochs=8)
    forget_deliveries()

    def from_the_second_epoch_on() -> bool:
        training.refresh_from_db()
        return training.epoch >= 2

    training_execute(training.pk, stopping=from_the_second_epoch_on)
    training.refresh_from_db()
    assert (training.status, training.attempts) == (Status.QUEUED, 0)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(training.pk))]
    trained(training)


def test_a_language_model_of_the_settings_is_fine_tuned_and_has_learned_what_its_base_had(
    admin_viewer: Viewer, settings: SettingsWrapper
) -> None:
    pytest.importorskip("peft", reason="peft is not installed")
    first = questions("first", text="who voices KITT, {number}?")
    trained(queued(admin_viewer, first, name="beneath"))
    named(settings, engine.scorers_folder() / "beneath")
    second = questions("second", first=50)
    trained(queued(admin_viewer, second, name="above", base="beneath"))
    assert (engine.scorers_folder() / "above" / ADAPTER_FILE).exists()
    learned = engine.learned_questions("above")
    assert learned is not None
    taught = [row.text for dataset in (first, second) for row in dataset.questions.filter(split="train")]
    assert learned.texts == {bytes.fromhex(text_hash(text))[:6] for text in taught}


def test_a_pipeline_judges_and_compares_a_language_model_as_any_other(admin_viewer: Viewer) -> None:
    lessons = questions("lessons")
    pinned(admin_viewer, questions("held out", first=100))
    source = {"kind": "dataset", "key": str(lessons.pk), "graph": "toy"}
    chosen = {"name": "taught", "sources": [source], "kind": "causal", "base": NEW, "settings": QUICK}
    pipeline = worked(pipeline_create(wanted=PipelineIn.model_validate(chosen), viewer=admin_viewer))
    assert (pipeline.status, pipeline.reason) == (Status.SUCCEEDED, "")
    assert pipeline.training is not None
    assert (pipeline.training.kind, pipeline.training.base) == ("causal", NEW)
    assert pipeline.comparison is not None
    assert (pipeline.comparison["common"], pipeline.comparison["seen"]) == (8, 0)
    assert verdict("taught").code in ("better", "no_worse", "worse")


# What may be a base


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        ({"base": "gpt2"}, "unknown_base", "Choose one of: new. The administrator"),
        ({"base": "/etc"}, "unknown_base", "DISCERN_BASE_MODELS"),
        ({"base": ""}, "unknown_base", "is no language model of this site"),
        ({"start": "bundled"}, "start_of_language_model", "starts from its base"),
        ({"epoch_samples": 5}, "epoch_samples_of_language_model", "Leave the decisions an epoch out"),
        ({"kind": "encoder"}, "base_of_encoder", "An encoder has no base"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_to_do(
    admin_viewer: Viewer, more: dict[str, Any], code: str, said: str
) -> None:
    dataset = questions("lessons")
    pinned(admin_viewer, questions("held out", first=100))
    assert refused(lambda: queued(admin_viewer, dataset, **more))[:2] == (422, code)
    kind, base, start = more.get("kind", "causal"), more.get("base", NEW), more.get("start", "")
    document = {
        "name": "small",
        "sources": [{"kind": "dataset", "key": str(dataset.pk), "graph": "toy"}],
        "kind": kind,
        "base": base,
        "start": start,
        "settings": {"epoch_samples": more.get("epoch_samples")},
    }
    status, shown, message = refused(
        lambda: pipeline_create(wanted=PipelineIn.model_validate(document), viewer=admin_viewer)
    )
    assert (status, shown) == (422, code)
    assert said in message
    assert not Training.objects.exists()


def test_what_a_base_lacks_is_said_before_anything_is_queued(
    admin_viewer: Viewer, settings: SettingsWrapper, llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(settings, llama)
    dataset = questions("lessons")

    def why(base: str) -> str:
        status, code, message = refused(lambda: queued(admin_viewer, dataset, base=base))
        assert (status, code) == (422, "base_unusable")
        assert str(llama.parent) not in message
        return message

    (llama / ADAPTER_FILE).write_text("{}")
    assert "names the model beneath it" in why("llama")
    (llama / ADAPTER_FILE).unlink()
    (llama / "config.json").unlink()
    assert "it has no config.json" in why("llama")
    # As if the package were not installed.
    monkeypatch.setitem(sys.modules, "peft", None)
    assert "“llama” needs peft, which this site lacks" in why("llama")
    assert queued(admin_viewer, dataset).base == NEW
    monkeypatch.setitem(sys.modules, "accelerate", None)
    assert "installs the extras “models” and “finetune”" in why(NEW)


def test_forms_are_reported_the_bases_and_what_they_lack(
    browser: Callable[[], Browser], settings: SettingsWrapper, llama: Path
) -> None:
    named(settings, llama, "somebody/large")
    (llama / "config.json").unlink()
    admin = signed_in(browser, "ida", Role.ADMIN)
    for offered in (admin.get("/api/scorers/trainings")["bases"], admin.get("/api/learning/ways")["bases"]):
        assert [(base["name"], base["fault"] is None) for base in offered] == [
            (NEW, True),
            ("llama", False),
            ("somebody/large", True),
        ]
        assert all("/srv" not in json.dumps(base) and str(llama) not in json.dumps(base) for base in offered)


def test_the_settings_name_folders_and_models_of_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCERN_BASE_MODELS", "/srv/models/llama, meta-llama/Llama-2-7b-hf")
    assert read_environment().bases == {
        "llama": "/srv/models/llama",
        "meta-llama/Llama-2-7b-hf": "meta-llama/Llama-2-7b-hf",
    }
    # Neither a folder nor a name; a name that is taken; two of one name.
    for wrong in ("models/../llama", "/srv/new", "/a/llama,/b/llama"):
        monkeypatch.setenv("DISCERN_BASE_MODELS", wrong)
        with pytest.raises(ImproperlyConfigured, match="DISCERN_BASE_MODELS is wrong"):
            read_environment()


# Where it waits


def test_one_that_wants_a_gpu_waits_for_its_own_worker_and_keeps_no_other_waiting(
    admin_viewer: Viewer, settings: SettingsWrapper, llama: Path
) -> None:
    named(settings, llama)
    dataset = questions("lessons")
    large = queued(admin_viewer, dataset, name="large", base="llama")
    assert delivered(Queue.GPU_BACKGROUND) == [(TASK, str(large.pk))]
    assert delivered(Queue.CPU_BACKGROUND) == []
    small, other = queued(admin_viewer, dataset), queued(admin_viewer, dataset, name="other")
    forget_deliveries()
    # The broker lost all: the first of each queue is handed over again.
    Training.objects.update(enqueued_at=timezone.now() - timedelta(hours=1))
    assert trainings.recover(grace=GRACE) == 2
    assert delivered(Queue.GPU_BACKGROUND) == [(TASK, str(large.pk))]
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(small.pk))]
    held = {"status": Status.RUNNING, "lease_until": timezone.now() + timedelta(seconds=5)}
    Training.objects.filter(pk=large.pk).update(**held, claim=uuid.uuid4())
    trained(small)
    assert delivered(Queue.CPU_BACKGROUND)[-1] == (TASK, str(other.pk))
    # As if the worker with the GPU had died.
    forget_deliveries()
    Training.objects.filter(pk=large.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert trainings.recover(grace=timedelta(hours=2)) == 1
    assert delivered(Queue.GPU_BACKGROUND) == [(TASK, str(large.pk))]


def test_a_page_says_that_no_worker_for_language_models_is_running(
    admin_viewer: Viewer, browser: Callable[[], Browser], settings: SettingsWrapper, llama: Path
) -> None:
    named(settings, llama)
    heartbeat_forget()
    heartbeat_send(worker="one", queues=[Queue.CPU, Queue.CPU_BACKGROUND], scorer=READY)
    page = browser().get("/api/scorers/trainings")
    assert page["waits"] is None
    assert [base["waits"] is None for base in page["bases"]] == [True, False]
    queued(admin_viewer, questions("lessons"), base="llama")
    assert browser().get("/api/scorers/trainings")["waits"].startswith("No worker for language models is running.")
    heartbeat_forget()


def test_a_base_that_the_settings_name_no_more_fails_with_what_to_do(
    admin_viewer: Viewer, settings: SettingsWrapper, llama: Path
) -> None:
    named(settings, llama)
    training = queued(admin_viewer, questions("lessons"), base="llama")
    named(settings)
    training_execute(training.pk)
    training.refresh_from_db()
    assert (training.status, training.reason) == (
        Status.FAILED,
        "“llama” is not offered on this site any more. Choose another base.",
    )


def test_the_database_knows_no_language_model_without_a_base(admin_viewer: Viewer) -> None:
    training = queued(admin_viewer, questions("lessons"))
    for kind, base in ((TrainingKind.CAUSAL, ""), (TrainingKind.ENCODER, NEW)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Training.objects.filter(pk=training.pk).update(kind=kind, base=base)
