"""What a model may learn from besides a dataset as it is: corrections, answers alone, confirmed answers to people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kgstore.terms import Entity
from reasoning.datasets.identity import text_hash
from reasoning.datasets.overlay import Correction, CorrectionKind, Overlay, signed
from reasoning.datasets.question import GoldParse
from reasoning.events import UNANSWERED
from reasoning.scorers.cards import read_card
from tests.webapp.labelled import signed_in
from tests.webapp.test_learning import QUICK, pinned, questions, worked
from tests.webapp.told_by_services import refused
from webapp import engine
from webapp.accounts.models import Role
from webapp.asking.runs.worker import run_execute
from webapp.datasets.snapshots import dataset_of_lines
from webapp.evaluations.overlays.services import overlay_keep_signed, overlay_remove
from webapp.models.pipelines.confirmed import confirmed_snapshot
from webapp.models.pipelines.held_out import held_out_pin
from webapp.models.pipelines.schemas import HeldOutIn, PipelineIn
from webapp.models.pipelines.selectors import pipeline_out
from webapp.models.pipelines.services import pipeline_create, pipeline_resume
from webapp.models.pipelines.sources import sources_offered
from webapp.models.trainings.selectors import training_out
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.webapp.conftest import Browser
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.models import Dataset, Question
    from webapp.evaluations.overlays.models import KeptOverlay
    from webapp.models.pipelines.models import Pipeline

pytestmark = pytest.mark.usefixtures("models_removed")
AT = "2026-11-23T12:00:00+00:00"


def pipeline_from(viewer: Viewer, source: dict[str, Any], **more: Any) -> Pipeline:
    wanted = {"name": "taught", "sources": [source], "settings": QUICK, **more}
    return pipeline_create(wanted=PipelineIn.model_validate(wanted), viewer=viewer)


def learned_texts(name: str) -> set[bytes]:
    learned = engine.learned_questions(name)
    assert learned is not None
    return set(learned.texts)


def short(text: str) -> bytes:
    return bytes.fromhex(text_hash(text))[:6]


def problems(name: str) -> dict[str, int]:
    """Why questions of the one source of a model gave no lesson."""
    (source,) = read_card(engine.scorers_folder() / name)["trained"]["sources"].values()
    found: dict[str, int] = source["problems"]
    return found


# Corrections


def kept(viewer: Viewer, dataset: Dataset, *corrections: Correction) -> KeptOverlay:
    overlay = Overlay(dataset.name, dataset.identity, dataset.identity_algorithm, "Cleo", AT, corrections)
    file = signed(overlay, Ed25519PrivateKey.from_private_bytes(b"k" * 32))
    return overlay_keep_signed(file=file, name="corrections.json", dataset=dataset, viewer=viewer)


def corrected(row: Question, kind: CorrectionKind, **more: Any) -> Correction:
    parses = row.to_benchmark().parses
    return Correction(row.question_id, kind, **{"old": parses, "new": parses, "at": AT, **more})


def test_a_model_learns_what_corrections_say_instead_of_the_benchmark(admin_viewer: Viewer) -> None:
    dataset = questions("lessons")
    pinned(admin_viewer, questions("held out", first=100))
    teaching = list(dataset.questions.filter(split="train"))
    nobody = (GoldParse(Entity("en.nobody"), frozenset({Entity("en.nowhere")}), None, "corrected"),)
    overlay = kept(
        admin_viewer,
        dataset,
        corrected(teaching[0], CorrectionKind.WRONG, new=None),
        corrected(teaching[1], CorrectionKind.REWORDED, rewording="whose voice has KITT?"),
        corrected(teaching[2], CorrectionKind.WRONG, new=nobody),
    )
    (offer,) = [
        source
        for source in sources_offered(admin_viewer)
        if (source.kind, source.title) == ("dataset", "lessons, version 1")
    ]
    assert [(each.id, each.name) for each in offer.overlays] == [(overlay.pk, "corrections.json")]
    source = {"kind": "dataset", "key": offer.key, "graph": "toy", "overlay": str(overlay.pk)}
    pipeline = worked(pipeline_from(admin_viewer, source))
    assert (pipeline.status, pipeline_out(pipeline).sources[0].corrected) == (Status.SUCCEEDED, True)
    assert learned_texts("taught") == {short("whose voice has KITT?"), *(short(row.text) for row in teaching[3:])}
    # The one of which no right answer is known is left out; the one with the new answers cannot be reached.
    assert problems("taught") == {"the answer is not within reach in the graph": 1}
    data = read_card(engine.scorers_folder() / "taught")["trained"]["data_sha256"]
    assert data["corrections of lessons"] == str(overlay.pk)


def test_corrections_that_are_gone_stop_a_training_which_says_so(admin_viewer: Viewer) -> None:
    dataset = questions("lessons")
    pinned(admin_viewer, questions("held out", first=100))
    overlay = kept(admin_viewer, dataset, corrected(dataset.questions.all()[0], CorrectionKind.WRONG, new=None))
    pipeline = pipeline_from(
        admin_viewer, {"kind": "dataset", "key": str(dataset.pk), "graph": "toy", "overlay": str(overlay.pk)}
    )
    overlay_remove(overlay=overlay, viewer=admin_viewer)
    worked(pipeline)
    assert (pipeline.status, pipeline.link) == (Status.FAILED, "train")
    assert pipeline.reason == "The corrections that were to be laid over were removed. Teach a model without them."
    assert pipeline_resume(pipeline=pipeline, viewer=admin_viewer).status == Status.QUEUED


# Weak labels


def answers_alone(name: str, count: int = 8) -> Dataset:
    """Questions of which only the topic and the answers are known; of the last one, no answer that is in the graph."""
    lines = [
        json.dumps(
            {
                "id": f"weak-{number}",
                "question": f"who created Knight Rider, asked {number}?",
                "topic": "en.knight_rider",
                "answers": ["en.glen_larson" if number < count else "en.nobody"],
            }
        )
        + "\n"
        for number in range(1, count + 1)
    ]
    return dataset_of_lines(lines, name=name, format_="discern", starter=None)[0]


def test_weak_labels_teach_what_is_found_from_answers_alone(admin_viewer: Viewer) -> None:
    dataset = answers_alone("answers")
    pinned(admin_viewer, questions("held out", first=100))
    (offer,) = [each for each in sources_offered(admin_viewer) if (each.kind, each.key) == ("weak", str(dataset.pk))]
    assert (offer.title, offer.least_precision) == ("answers, version 1", 0.5)
    source = {"kind": "weak", "key": offer.key, "graph": "toy", "least_precision": 0.9}
    pipeline = worked(pipeline_from(admin_viewer, source))
    assert (pipeline.status, pipeline_out(pipeline).sources[0].least_precision) == (Status.SUCCEEDED, 0.9)
    assert pipeline.training is not None
    assert [each.least_precision for each in training_out(pipeline.training).lessons] == [0.9]
    teaching = [row.text for row in dataset.questions.filter(split="train") if "asked 8" not in row.text]
    assert learned_texts("taught") == set(map(short, teaching))
    assert problems("taught") == {"weak label: no way leads to an answer": 1}
    data = read_card(engine.scorers_folder() / "taught")["trained"]["sources"]
    assert list(data) == ["answers, version 1, on toy, weak labels"]


def test_only_weak_labels_have_a_least_precision(admin_viewer: Viewer) -> None:
    dataset = questions("lessons")
    pinned(admin_viewer, questions("held out", first=100))
    source = {"kind": "dataset", "key": str(dataset.pk), "graph": "toy", "least_precision": 0.9}
    assert refused(lambda: pipeline_from(admin_viewer, source))[:2] == (422, "not_weak")
    pipeline = pipeline_from(admin_viewer, {"kind": "weak", "key": str(dataset.pk), "graph": "toy"})
    assert pipeline.sources[0]["least_precision"] == 0.5


# Confirmed answers to people

CREATOR = "who created Knight Rider?"


def allow(who: Browser, run: dict[str, Any]) -> None:
    change(who, "PATCH", f"/api/runs/{run['id']}/question", {"may_be_labelled": True})


def says(who: Browser, run: dict[str, Any], what: str) -> None:
    change(who, "PUT", f"/api/runs/{run['id']}/feedback", {"says": what})


def change(who: Browser, method: str, path: str, body: dict[str, Any] | None = None) -> None:
    response = who.client.generic(
        method, path, json.dumps(body or {}), content_type="application/json", headers={"X-CSRFToken": who.token}
    )
    assert response.status_code in (200, 204), response.content


def answered(who: Browser, text: str = CREATOR) -> dict[str, Any]:
    run: dict[str, Any] = who.ask(text, graph="toy", scorer="lexical")
    run_execute(run["id"])
    return run


def offered(admin_viewer: Viewer) -> dict[str, int | None]:
    return {each.key: each.questions for each in sources_offered(admin_viewer) if each.kind == "confirmed"}


def test_an_answer_teaches_once_who_asked_agrees_and_somebody_confirms_it(
    browser: Callable[[], Browser], admin_viewer: Viewer
) -> None:
    ada, otto, guest = signed_in(browser, "ada", Role.ASKER), signed_in(browser, "otto", Role.ASKER), browser()
    run = answered(ada)
    says(otto, run, "right")
    assert offered(admin_viewer) == {}, "who asked did not agree"
    allow(ada, run)
    assert offered(admin_viewer) == {"toy": 1}
    change(otto, "DELETE", f"/api/runs/{run['id']}/feedback")
    says(guest, run, "right")
    assert offered(admin_viewer) == {}, "no user confirmed it"
    says(ada, run, "right")
    says(guest, run, "wrong")
    assert offered(admin_viewer) == {}, "a user says that it is wrong"
    says(guest, run, "right")
    assert offered(admin_viewer) == {"toy": 1}
    # The same words again count once.
    again = answered(ada, "Who created Knight Rider")
    allow(ada, again)
    says(ada, again, "right")
    assert offered(admin_viewer) == {"toy": 1}


def test_what_has_no_answer_is_not_confirmed_though_people_call_it_right(
    browser: Callable[[], Browser], admin_viewer: Viewer
) -> None:
    ada = signed_in(browser, "ada", Role.ASKER)
    run = answered(ada, "what was the budget of Nobody Knows?")
    allow(ada, run)
    says(ada, run, "right")
    assert ada.get(f"/api/runs/{run['id']}")["verdict"] in UNANSWERED
    assert offered(admin_viewer) == {}


def test_a_model_learns_the_confirmed_derivation_and_forgets_the_words_that_are_deleted(
    browser: Callable[[], Browser], rita: Browser, admin_viewer: Viewer
) -> None:
    ada = signed_in(browser, "ada", Role.ASKER)
    runs = [answered(ada, f"who created Knight Rider, asked {number}?") for number in range(6)]
    for run in runs:
        allow(ada, run)
        says(ada, run, "right")
    held_out = pinned(admin_viewer, questions("held out", first=100))
    pipeline = pipeline_from(admin_viewer, {"kind": "confirmed", "key": "toy"})
    worked(pipeline)
    assert (pipeline.status, pipeline.reason) == (Status.SUCCEEDED, "")
    assert pipeline.training is not None
    (lesson,) = pipeline.training.lessons.all()
    dataset = lesson.dataset
    assert dataset is not None
    assert (dataset.name, dataset.questions_stored, lesson.graph) == ("Confirmed answers (toy)", 6, "toy")
    teaching = dataset.questions.filter(split="train")
    assert learned_texts("taught") == {short(row.text) for row in teaching}
    parse = dataset.questions.all()[0].to_benchmark().parses[0]
    assert parse.derivation is not None
    assert parse.derivation.topic == Entity("en.knight_rider")
    assert parse.answers == {Entity("en.glen_larson")}

    # Reviewers and administrators alone read them, and no report shows them.
    address = f"/api/datasets/{dataset.pk}"
    assert ada.get(f"{address}/questions", 403)["code"] == "reviewers_only"
    assert rita.get(f"{address}/questions")["total"] == 6
    wanted = HeldOutIn(dataset=dataset.name, split="all", graph="toy")
    assert refused(lambda: held_out_pin(wanted=wanted, viewer=admin_viewer))[:2] == (422, "of_people")
    assert held_out_pin(wanted=HeldOutIn(dataset="held out", split="all", graph="toy"), viewer=admin_viewer) == held_out

    # Who asked deletes a question: its words go, and the next snapshot is without it.
    change(ada, "DELETE", f"/api/runs/{runs[0]['id']}/question")
    dataset.refresh_from_db()
    assert dataset.questions_stored == 5
    assert not dataset.questions.filter(text__contains="asked 0").exists()
    assert offered(admin_viewer) == {"toy": 5}


def test_a_confirmed_question_that_is_held_out_never_trains(
    browser: Callable[[], Browser], admin_viewer: Viewer
) -> None:
    ada = signed_in(browser, "ada", Role.ASKER)
    texts = [f"who created Knight Rider, asked {number}?" for number in range(6)]
    for text in texts:
        run = answered(ada, text)
        allow(ada, run)
        says(ada, run, "right")
    # The same words stand in a benchmark whose questions judge.
    lines = [
        json.dumps({"id": text, "question": text, "topic": "en.knight_rider", "answers": ["en.glen_larson"]}) + "\n"
        for text in texts
    ]
    dataset_of_lines(lines, name="benchmark", format_="discern", starter=None)
    held_out_pin(wanted=HeldOutIn(dataset="benchmark", split="all", graph="toy"), viewer=admin_viewer)
    pipeline = worked(pipeline_from(admin_viewer, {"kind": "confirmed", "key": "toy"}))
    assert (pipeline.status, pipeline.link) == (Status.FAILED, "train")
    assert pipeline.reason.startswith("No question of what was chosen may teach: all are held out")


def test_without_a_confirmed_answer_there_is_no_such_source(admin_viewer: Viewer) -> None:
    pinned(admin_viewer, questions("held out", first=100))
    assert refused(lambda: pipeline_from(admin_viewer, {"kind": "confirmed", "key": "toy"}))[:2] == (
        422,
        "unknown_source",
    )
    assert refused(lambda: confirmed_snapshot("toy", admin_viewer))[:2] == (409, "nothing_confirmed")
    assert refused(lambda: confirmed_snapshot("nowhere", admin_viewer))[0] == 422
