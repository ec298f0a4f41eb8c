"""Evaluations whose questions are chosen and wait, and what workers hold of them."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings as site

from tests.webapp.told_by_services import forget_deliveries
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.questions.question_selection import questions_select
from webapp.evaluations.schemas import EvaluationIn
from webapp.evaluations.services import evaluation_create
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path
    from uuid import UUID

    from tests.webapp.conftest import Browser
    from webapp.accounts.viewer import Viewer


TASK = "evaluations.work"
LINE = (
    '{"id": "q%d", "phrasings": ["who plays KITT?"], "topic": "en.knight_rider", "search": '
    '[[0, "tv.tv_program.regular_cast"]], "constraints": [], "answer": 1, "answers": ["m.kitt"]}\n'
)
QUESTIONS = 30


@contextmanager
def television() -> Iterator[Path]:
    """The folder where admins put files of questions, with one file."""
    path: Path = site.ENVIRONMENT.home / "datasets"
    path.mkdir()
    (path / "tv.jsonl").write_text("".join(LINE % number for number in range(1, QUESTIONS + 1)))
    yield path
    shutil.rmtree(path)


def judged_by_workers(who: Browser, **wanted: Any) -> Evaluation:
    """An evaluation of the bundled sample, after the workers' work."""
    asked = {"dataset": "sample", "graph": "sample", "scorer": "lexical", "split": "all", "limit": 40, **wanted}
    evaluation = Evaluation.objects.get(pk=who.post("/api/evaluations", asked, status=201)["id"])
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
        evaluation.refresh_from_db()
    return evaluation


def work_until(evaluation_id: UUID, done: int) -> None:
    """Do the workers' part until this number of questions is judged; where time is short, that takes several slices."""
    judged = EvaluatedQuestion.objects.filter(evaluation=evaluation_id).exclude(judged_at=None)
    while judged.count() < done:
        evaluation_work(evaluation_id, stopping=lambda: judged.count() >= done)


def started(viewer: Viewer, **more: Any) -> Evaluation:
    wanted = {"dataset": "tv.jsonl", "graph": "toy", "scorer": "lexical", "split": "all", **more}
    return evaluation_create(wanted=EvaluationIn(**wanted), viewer=viewer)


def running(viewer: Viewer, **more: Any) -> Evaluation:
    """An evaluation whose questions are chosen and wait, without a claim."""
    evaluation = started(viewer, **more)
    questions_select(evaluation)
    Evaluation.objects.filter(pk=evaluation.pk).update(status=Status.RUNNING)
    forget_deliveries()
    evaluation.refresh_from_db()
    return evaluation


def stands(evaluation: Evaluation) -> tuple[str, str, bool]:
    evaluation.refresh_from_db()
    return evaluation.status, evaluation.reason, evaluation.finished_at is not None


def held(evaluation: Evaluation) -> dict[int, tuple[UUID | None, int]]:
    """By position, who holds each question that is held or was tried, and how often it was."""
    rows = EvaluatedQuestion.objects.filter(evaluation=evaluation).exclude(claim=None, attempts=0)
    return {row.position: (row.claim, row.attempts) for row in rows}


def near(moment: datetime | None, expected: datetime) -> bool:
    return moment is not None and abs(moment - expected) < timedelta(seconds=5)


def looks(*answers: bool) -> Callable[[], bool]:
    """Answers one after the other, the last again and again."""
    left = list(answers)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def never() -> bool:
    return False
