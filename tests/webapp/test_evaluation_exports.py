"""Downloads of outcomes: read from the files that a worker wrote, which are what the outcomes make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.conf import settings as site
from django.core.management import call_command

from tests.webapp.evaluations_at_work import judged_by_workers
from tests.webapp.test_backfill_error_causes import forget_causes
from webapp.evaluations.exports import exports_remove, exports_write
from webapp.evaluations.models import Evaluation
from webapp.evaluations.working.worker import evaluation_work

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser

EXPORTS = ("results.jsonl", "results.csv", "predictions.json")


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


def folder(evaluation: Evaluation) -> Path:
    found: Path = site.ENVIRONMENT.home / "cache" / "evaluations" / str(evaluation.pk)
    return found


def downloads(who: Browser, evaluation: Evaluation) -> dict[str, bytes]:
    return {name: bytes(who.client.get(f"/api/evaluations/{evaluation.pk}/{name}").getvalue()) for name in EXPORTS}


def test_what_a_worker_wrote_is_sent_and_is_what_the_outcomes_make(cleo: Browser) -> None:
    evaluation = judged_by_workers(cleo, limit=12)
    assert sorted(path.name for path in folder(evaluation).iterdir()) == sorted(EXPORTS)
    sent = downloads(cleo, evaluation)
    exports_remove(evaluation.pk)
    assert downloads(cleo, evaluation) == sent
    exports_write(evaluation)
    for name in EXPORTS:
        (folder(evaluation) / name).write_bytes(name.encode())
    assert downloads(cleo, evaluation) == {name: name.encode() for name in EXPORTS}


def test_an_evaluation_that_goes_on_is_downloaded_as_far_as_it_is_judged(cleo: Browser) -> None:
    wanted = {"dataset": "sample", "graph": "sample", "scorer": "lexical", "split": "all", "limit": 12}
    evaluation = Evaluation.objects.get(pk=cleo.post("/api/evaluations", wanted, status=201)["id"])
    assert downloads(cleo, evaluation)["results.jsonl"] == b""
    assert not folder(evaluation).exists()
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
        evaluation.refresh_from_db()
    assert downloads(cleo, evaluation)["results.jsonl"].count(b"\n") == 12


def test_files_tell_the_causes_that_are_reported_afterwards(cleo: Browser) -> None:
    evaluation = judged_by_workers(cleo, limit=30)
    sent = downloads(cleo, evaluation)
    forget_causes(evaluation)
    exports_write(evaluation)
    assert downloads(cleo, evaluation)["results.csv"] != sent["results.csv"]
    call_command("backfill_error_causes")
    again = downloads(cleo, evaluation)
    assert again["results.csv"] == sent["results.csv"]
    exports_remove(evaluation.pk)
    assert downloads(cleo, evaluation) == again


def test_the_files_go_with_the_evaluation(cleo: Browser) -> None:
    evaluation = judged_by_workers(cleo, limit=12)
    assert folder(evaluation).exists()
    answer = cleo.client.delete(f"/api/evaluations/{evaluation.pk}", headers={"X-CSRFToken": cleo.token})
    assert answer.status_code == 204
    assert not folder(evaluation).exists()


def test_without_room_on_disk_downloads_are_made_from_the_outcomes(cleo: Browser, settings: SettingsWrapper) -> None:
    evaluation = judged_by_workers(cleo, limit=12)
    sent = downloads(cleo, evaluation)
    exports_remove(evaluation.pk)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**12})
    exports_write(evaluation)
    assert not folder(evaluation).exists()
    assert downloads(cleo, evaluation) == sent
