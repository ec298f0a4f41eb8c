"""Evaluations that were judged before causes were told: what was to blame is told afterwards, by a command."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from tests.webapp.evaluations_at_work import judged_by_workers
from webapp.evaluations import earlier_causes
from webapp.evaluations.models import EvaluatedQuestion, Evaluation

if TYPE_CHECKING:
    from tests.webapp.conftest import Browser


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


@pytest.fixture
def judged(cleo: Browser) -> Evaluation:
    """Thirty questions, judged today."""
    return judged_by_workers(cleo, limit=30)


def columns(evaluation: Evaluation) -> list[tuple[Any, ...]]:
    rows = evaluation.questions.order_by("position")
    return list(rows.values_list("position", "cause", "blamed_stage", "outcome"))


def forget_causes(evaluation: Evaluation) -> None:
    """Make it one that was judged before causes were told."""
    for row in EvaluatedQuestion.objects.filter(evaluation=evaluation):
        row.outcome = {name: value for name, value in (row.outcome or {}).items() if name != "blame"}
        row.cause = row.blamed_stage = ""
        row.save()
    figures = {name: value for name, value in (evaluation.figures or {}).items() if name != "causes"}
    Evaluation.objects.filter(pk=evaluation.pk).update(figures=figures)


def test_what_is_reported_afterwards_is_what_is_told_today(
    judged: Evaluation, capsys: pytest.CaptureFixture[str]
) -> None:
    before, figures = columns(judged), judged.figures or {}
    assert figures["causes"], "some answers are wrong"
    forget_causes(judged)
    assert columns(judged) != before
    call_command("backfill_error_causes")
    assert columns(judged) == before
    judged.refresh_from_db()
    assert (judged.figures or {})["causes"] == figures["causes"]
    assert judged.figures == figures
    causes = sum(figures["causes"].values())
    assert f"{judged.pk} (lexical, sample, " in (output := capsys.readouterr().out)
    assert f"{causes} causes recorded, of 30 questions." in output
    call_command("tell_causes")
    assert "their error causes already" in capsys.readouterr().out, "the earlier name does the same"


def test_a_command_that_was_stopped_goes_on_where_it_was(
    judged: Evaluation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = columns(judged)
    forget_causes(judged)
    monkeypatch.setattr(earlier_causes, "_ROWS_AT_ONCE", 10)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        earlier_causes.evaluation_backfill_causes(judged, progress=interrupt)
    assert earlier_causes.questions_without_causes(judged).count() == 20
    call_command("backfill_error_causes", str(judged.pk))
    assert "of 20 questions." in capsys.readouterr().out
    assert columns(judged) == before


def test_where_the_graph_changed_no_cause_is_reported_and_it_says_so(
    judged: Evaluation, capsys: pytest.CaptureFixture[str]
) -> None:
    forget_causes(judged)
    before = columns(judged)
    Evaluation.objects.filter(pk=judged.pk).update(graph_version="another")
    with pytest.raises(CommandError, match="evaluations lack some causes"):
        call_command("backfill_error_causes")
    assert "was loaded again since" in capsys.readouterr().out
    Evaluation.objects.filter(pk=judged.pk).update(graph="gone")
    with pytest.raises(CommandError, match="evaluations lack some causes"):
        call_command("backfill_error_causes")
    assert "gone" in capsys.readouterr().out
    assert columns(judged) == before
    with pytest.raises(CommandError, match="There is no evaluation"):
        call_command("backfill_error_causes", str(uuid.uuid4()))


def test_error_classes_of_dog_are_reported_afterwards_too(cleo: Browser, capsys: pytest.CaptureFixture[str]) -> None:
    debated = judged_by_workers(cleo, limit=20, settings={"strategy": "dog"})
    rows = debated.questions.order_by("position")
    before, figures = list(rows.values_list("dog_class", "outcome")), debated.figures or {}
    classes = sum(figures["dog"]["classes"].values())
    for row in rows:
        row.outcome = {name: value for name, value in (row.outcome or {}).items() if name != "dog"}
        row.dog_class = ""
        row.save()
    without = {name: value for name, value in figures.items() if name != "dog"}
    Evaluation.objects.filter(pk=debated.pk).update(figures=without)
    call_command("backfill_error_causes")
    output = capsys.readouterr().out
    assert (
        f"{sum(figures['causes'].values())} causes and {classes} error classes of DoG recorded, of 20 questions."
        in output
    )
    assert list(rows.values_list("dog_class", "outcome")) == before
    debated.refresh_from_db()
    assert debated.figures == figures
    call_command("backfill_error_causes")
    assert "their error causes already" in capsys.readouterr().out


def test_what_is_at_work_is_not_touched(judged: Evaluation) -> None:
    forget_causes(judged)
    judged.refresh_from_db()
    judged.finished_at = None
    assert "is running" in earlier_causes.evaluation_backfill_causes(judged).cannot
