"""Gold is private: neither guests nor those who label a dataset blind see its answers, on whichever route."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.conf import settings

from tests.webapp.evaluations_at_work import judged_by_workers
from tests.webapp.labelled import Labeller, changed, made
from tests.webapp.test_access import QUERIES
from webapp.api import api

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.webapp.conftest import Browser
    from webapp.evaluations.models import Evaluation

GOLD = "en.secret_gold"
"""A gold answer that no graph holds: where it is read, gold is read."""
LINES = (
    {"id": "kitt", "question": "who plays the voice of KITT in Knight Rider?", "topic": "en.knight_rider"},
    {"id": "creator", "question": "who created Knight Rider?", "topic": "en.knight_rider"},
)
SINGLE_QUESTIONS = {
    "/api/evaluations/{evaluation_id}/questions",
    "/api/evaluations/{evaluation_id}/questions/{position}",
    "/api/evaluations/{evaluation_id}/results.jsonl",
    "/api/evaluations/{evaluation_id}/results.csv",
    "/api/evaluations/{evaluation_id}/predictions.json",
    "/api/evaluations/{evaluation_id}/part",
    "/api/evaluations/{evaluation_id}/against/{other_id}/decisions/{position}",
    "/api/evaluations/agreement.csv",
}
"""What tells which answers of single questions are right."""


@pytest.fixture
def dataset(cleo: Browser) -> Iterator[dict[str, Any]]:
    """A loaded dataset with the gold answer."""
    folder = settings.ENVIRONMENT.home / "datasets"
    folder.mkdir()
    rows = [{**each, "answers": [GOLD, "en.william_daniels"]} for each in LINES]
    (folder / "secret.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    yield {"dataset": "secret.jsonl", "format": "discern"}
    shutil.rmtree(folder)


@pytest.fixture
def evaluation(cleo: Browser, dataset: dict[str, Any]) -> Evaluation:
    """One of two evaluations of it."""
    first, _ = (judged_by_workers(cleo, **dataset, graph="toy", limit=None) for _ in range(2))
    return first


@pytest.fixture
def project(cleo: Browser, evaluation: Evaluation, ben: Browser) -> dict[str, Any]:
    """A project in which Ben labels its questions."""
    assert evaluation.snapshot is not None
    return made(cleo, evaluation.snapshot, "ben")


def readings_of(who: Browser, evaluation: Evaluation) -> tuple[str, str]:
    """What a user reads of gold: on every GET route, with why the dataset's page hides it."""
    text = ""
    addresses = {
        "evaluation_id": evaluation.pk,
        "other_id": evaluation.pk,
        "dataset_id": evaluation.snapshot_id,
        "position": 1,
        "of": evaluation.pk,
        "key": 1,
        "name": "toy",
        "graph": "toy",
    }
    project = evaluation.snapshot and evaluation.snapshot.projects.first()
    if project is not None:
        addresses |= {"project_id": project.pk, "task_id": project.tasks.earliest("position").pk}
    hidden = ""
    for path, operations in api.get_openapi_schema()["paths"].items():
        if "get" not in operations:
            continue
        known = {name: addresses.get(name, UUID(int=1)) for name in _names(path)}
        query = QUERIES.get(f"GET {path}", "")
        if "?id=" in query and "/api/evaluations/" in path:
            query = f"?id={evaluation.pk}&id={_second(evaluation)}"
        response = who.client.get(path.format(**known) + query)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        text += f"{path}\n" if GOLD.encode() in body else ""
        if path == "/api/datasets/{dataset_id}/questions":
            hidden = response.json().get("gold_hidden", "")
        if path in SINGLE_QUESTIONS:
            assert response.status_code != 404, path
            text += f"{path} lets in\n" if response.status_code < 400 else ""
    return text, hidden


def _second(evaluation: Evaluation) -> UUID:
    """Another evaluation of the same dataset, where there is one."""
    assert evaluation.snapshot is not None
    other = evaluation.snapshot.evaluations.exclude(pk=evaluation.pk).first()
    return (other or evaluation).pk


def _names(path: str) -> list[str]:
    return [part.partition("}")[0] for part in path.split("{")[1:]]


def test_guests_see_no_gold_and_are_shown_why(browser: Callable[[], Browser], evaluation: Evaluation) -> None:
    shown, why = readings_of(browser(), evaluation)
    assert shown == ""
    assert why == "The answers of this dataset are hidden from guests. Sign in to see them."
    assert browser().get(f"/api/evaluations/{evaluation.pk}")["gold_hidden"] == why
    refused = browser().get(f"/api/evaluations/{evaluation.pk}/questions", 401)
    assert (refused["code"], refused["message"]) == ("sign_in_first", why)
    assert browser().post(f"/api/evaluations/{evaluation.pk}/questions/1/run", status=401)["code"] == "sign_in_first"


def test_annotators_see_no_gold_until_the_project_is_finished(
    cleo: Browser, ben: Browser, evaluation: Evaluation, project: dict[str, Any]
) -> None:
    shown, why = readings_of(ben, evaluation)
    assert shown == ""
    assert why == (
        "You label questions of this dataset in “Television”, so its answers are hidden from you until that project is "
        "finished."
    )
    assert ben.get(f"/api/evaluations/{evaluation.pk}/questions", 403)["code"] == "gold_hidden"
    for number in range(len(LINES)):
        assert readings_of(ben, evaluation)[0] == "", number
        task = Labeller.at_next(ben, project)
        task.move(kind="unanswerable", missing={"what": "fact", "note": "x"})
        ben.post(f"{task.address}/submit")
    shown, why = readings_of(ben, evaluation)
    assert "/api/datasets/{dataset_id}/questions" in shown
    assert why == ""


def test_a_project_that_is_put_away_hides_nothing(
    cleo: Browser, ben: Browser, evaluation: Evaluation, project: dict[str, Any]
) -> None:
    changed(cleo, f"/api/annotation/projects/{project['id']}", {"archived": True})
    assert readings_of(ben, evaluation)[1] == ""


def test_others_see_gold(
    cleo: Browser, rita: Browser, mia: Browser, evaluation: Evaluation, project: dict[str, Any]
) -> None:
    """The administrator manages the project; the other annotator is not in it."""
    for who in (cleo, rita, mia):
        shown, why = readings_of(who, evaluation)
        assert why == ""
        for path in ("/api/datasets/{dataset_id}/questions", *sorted(SINGLE_QUESTIONS)):
            assert path in shown, path
    assert "/api/review/{of}/cases/{key}" in readings_of(rita, evaluation)[0]


def test_a_reviewer_who_labels_blind_reviews_no_case_of_it(
    cleo: Browser, rita: Browser, evaluation: Evaluation
) -> None:
    assert evaluation.snapshot is not None
    made(cleo, evaluation.snapshot, "rita")
    assert readings_of(rita, evaluation)[0] == ""
    assert rita.get(f"/api/review/{evaluation.pk}/cases", 403)["code"] == "gold_hidden"


def test_the_same_questions_in_another_dataset_are_hidden_as_well(
    cleo: Browser, ben: Browser, evaluation: Evaluation, project: dict[str, Any]
) -> None:
    file = settings.ENVIRONMENT.home / "datasets" / "copy.jsonl"
    file.write_text(json.dumps({**LINES[0], "answers": [GOLD]}) + "\n", encoding="utf-8")
    copy = judged_by_workers(cleo, dataset="copy.jsonl", format="discern", graph="toy", limit=None)
    assert readings_of(ben, copy)[0] == ""
