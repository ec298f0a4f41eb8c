"""Verdicts that a benchmark is wrong become corrections that its evaluations are looked at under."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from reasoning.datasets.overlay import Correction, overlay_in
from tests.webapp.evaluations_at_work import judged_by_workers
from tests.webapp.labelled import Labeller
from webapp.accounts.models import AuditEntry
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.overlays.models import KeptOverlay, OverlaidEvaluation
from webapp.evaluations.overlays.worker import overlaid_work
from webapp.labelling.projects.models import Assignment

if TYPE_CHECKING:
    from tests.webapp.conftest import Browser


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


@pytest.fixture
def evaluation(cleo: Browser) -> Evaluation:
    """Thirty questions that are judged."""
    return judged_by_workers(cleo, limit=30)


@pytest.fixture
def wrong(evaluation: Evaluation) -> list[EvaluatedQuestion]:
    """The questions whose answers are wrong, though there are some: a label can say that they are right."""
    judged = evaluation.questions.filter(right=False, answerable=True).order_by("position")
    found = [row for row in judged if (row.outcome or {})["predicted"] and row.f1 == 0]
    assert len(found) >= 3
    return found


def address(evaluation: Evaluation) -> str:
    return f"/api/review/{evaluation.pk}"


def say(reviewer: Browser, row: EvaluatedQuestion, cause: str = "wrong", **more: str) -> None:
    body = {"says": "gold", "cause": cause, **more}
    reviewer.post(f"{address(row.evaluation)}/cases/{row.position}/verdict", body)


def sent(reviewer: Browser, row: EvaluatedQuestion) -> Labeller:
    """The reviewer at the task of a case."""
    case = f"{address(row.evaluation)}/cases/{row.position}/annotation"
    offered = reviewer.get(case)
    task = reviewer.post(case, {"project": offered[0]["project"] if offered else None})["task"]
    return Labeller(reviewer, task)


def label(reviewer: Browser, row: EvaluatedQuestion, **draft: Any) -> Labeller:
    at_work = sent(reviewer, row)
    at_work.move(**draft)
    reviewer.post(f"{at_work.address}/submit")
    return at_work


def predicted(row: EvaluatedQuestion) -> list[str]:
    return list((row.outcome or {})["predicted"])


def gold(row: EvaluatedQuestion) -> list[str]:
    return list((row.outcome or {})["gold"])


def topic(row: EvaluatedQuestion) -> str:
    return str((row.outcome or {})["topic"])


def corrections(reviewer: Browser, evaluation: Evaluation) -> dict[str, Correction]:
    content = reviewer.client.get(f"{address(evaluation)}/corrections/file").content
    return dict(overlay_in(content).overlay.by_question())


def corrections_of(reviewer: Browser, evaluation: Evaluation) -> dict[str, Any]:
    reply: dict[str, Any] = reviewer.get(f"{address(evaluation)}/corrections")
    return reply


def figures_under(cleo: Browser, evaluation: Evaluation, overlay: str) -> dict[str, Any]:
    """What is reported of an evaluation under an overlay once a worker judged it."""
    at = f"/api/evaluations/{evaluation.pk}/overlays/{overlay}"
    cleo.post(at)
    overlaid_work(OverlaidEvaluation.objects.get(overlay=overlay, evaluation=evaluation).pk)
    report: dict[str, Any] = cleo.get(at)["report"]
    return report


def test_an_evaluation_has_another_figure_under_the_corrections_of_its_cases(
    rita: Browser, cleo: Browser, evaluation: Evaluation, wrong: list[EvaluatedQuestion]
) -> None:
    first, second, third, *_ = wrong
    say(rita, first, "outdated", comment="He left in 1987.")
    say(rita, second, "incomplete")
    label(rita, first, kind="answers", topic=topic(first), marked=predicted(first), note="see the graph")
    reply = rita.get(f"{address(evaluation)}/corrections")
    assert (reply["verdicts"], reply["entries"], reply["labelled"]) == (2, 2, 1)
    assert reply["unlabelled"] == [{"key": str(second.position), "text": second.text, "sent": False}]
    assert (reply["unlabelled_total"], reply["contradicted_total"], reply["none_because"]) == (1, 0, "")
    assert (reply["may_keep"], reply["kept"]) == (False, None)

    found = corrections(rita, evaluation)
    one, two = found[first.question_id], found[second.question_id]
    assert (one.kind.value, one.reason, one.who) == ("outdated", "He left in 1987.; see the graph", ("rita",))
    assert one.at
    assert one.new is not None
    assert {str(term) for term in one.new[0].answers} == set(predicted(first))
    assert {str(term) for parse in one.old for term in parse.answers} == set(gold(first))
    assert (two.kind.value, two.new) == ("incomplete", None)

    assert rita.post(f"{address(evaluation)}/corrections", status=403)["code"] == "staff_only"
    kept = cleo.post(f"{address(evaluation)}/corrections", status=201)
    assert (kept["corrections"], kept["by_this_site"]) == (2, True)
    assert kept["name"] == "Cases of lexical, reads, sample"
    report = figures_under(cleo, evaluation, kept["id"])
    before = (evaluation.figures or {})["all"]
    assert (report["not_judged"], report["figures"]["questions"]) == (1, before["questions"] - 1)
    assert report["not_applied"] == []
    hits = round(before["hits_at_1"] * before["questions"])
    assert report["figures"]["all"]["hits_at_1"] == pytest.approx((hits + 1) / (before["questions"] - 1))

    assert cleo.get(f"{address(evaluation)}/corrections")["kept"]["id"] == kept["id"]
    assert cleo.post(f"{address(evaluation)}/corrections", status=201)["id"] == kept["id"], "the same is kept once"
    say(rita, third)
    assert cleo.get(f"{address(evaluation)}/corrections")["kept"] is None, "something was said since"
    cleo.post(f"{address(evaluation)}/corrections", status=201)
    assert [each.corrections for each in KeptOverlay.objects.order_by("kept_at")] == [2, 3]
    assert AuditEntry.objects.filter(what="overlay_kept", who="cleo").count() == 2


def test_the_accepted_label_counts_and_not_the_last_one(
    rita: Browser, cleo: Browser, evaluation: Evaluation, wrong: list[EvaluatedQuestion]
) -> None:
    row = wrong[0]
    say(rita, row)
    at_work = label(rita, row, kind="answers", topic=topic(row), marked=predicted(row))
    found = corrections(rita, evaluation)[row.question_id]
    assert found.new is not None
    assert found.who == ("rita",)
    # Another annotator's label came later, and a reviewer accepted the first one.
    made = Assignment.objects.get(task=at_work.task["id"])
    made.pk = None
    made.person_id = None
    made.draft = {**made.draft, "marked": gold(row)}
    made.answers = gold(row)
    made.save()
    assert corrections_of(rita, evaluation)["contradicted_total"] == 1
    reply = cleo.post(f"{at_work.address}/adjudication")
    accepted = {"last": reply["task"]["work"]["last"], "accepted": 0}
    cleo.post(f"{at_work.address}/adjudication/accept", accepted)
    again = corrections(rita, evaluation)[row.question_id]
    assert again.new is not None
    assert {str(term) for term in again.new[0].answers} == set(predicted(row))
    assert again.who == ("cleo", "rita")


def test_each_kind_of_label_says_what_it_can(
    rita: Browser, evaluation: Evaluation, wrong: list[EvaluatedQuestion]
) -> None:
    first, second, third, *_ = wrong
    for row in (first, second, third):
        say(rita, row)
    label(rita, first, kind="unanswerable", missing={"what": "fact", "note": "who it was"})
    label(rita, second, kind="benchmark", benchmark="wrong", marked=predicted(second))
    label(rita, third, kind="reword", rewording="who else was it?")
    found = corrections(rita, evaluation)
    nothing, other, unknown = (found[row.question_id] for row in (first, second, third))
    assert nothing.new is not None
    assert (nothing.kind.value, nothing.new[0].answers) == ("unanswerable", frozenset())
    assert other.new is not None
    assert {str(term) for term in other.new[0].answers} == set(predicted(second))
    assert (unknown.kind.value, unknown.new) == ("wrong", None), "a rewording says nothing of the answers"
    figures = corrections_of(rita, evaluation)
    assert (figures["labelled"], figures["unlabelled"]) == (
        2,
        [{"key": str(third.position), "text": third.text, "sent": True}],
    )


def test_a_label_that_says_what_the_benchmark_says_corrects_nothing(
    rita: Browser, evaluation: Evaluation, wrong: list[EvaluatedQuestion]
) -> None:
    row = wrong[0]
    file = f"{address(evaluation)}/corrections/file"
    refused = rita.get(file, 409)
    assert refused["code"] == "nothing_corrected"
    assert "Choose “The benchmark is wrong”" in refused["message"]
    say(rita, row)
    label(rita, row, kind="answers", topic=topic(row), marked=gold(row))
    figures = corrections_of(rita, evaluation)
    assert (figures["verdicts"], figures["entries"], figures["contradicted_total"]) == (1, 0, 1)
    assert figures["contradicted"][0]["key"] == str(row.position)
    assert "say what the benchmark says" in rita.get(file, 409)["message"]
    rita.post(f"{address(evaluation)}/cases/{row.position}/verdict", {"says": "no_error"})
    assert corrections_of(rita, evaluation)["verdicts"] == 0


def test_where_no_version_of_a_dataset_was_asked_nothing_can_be_corrected(
    rita: Browser, cleo: Browser, evaluation: Evaluation, wrong: list[EvaluatedQuestion]
) -> None:
    say(rita, wrong[0])
    Evaluation.objects.update(snapshot=None)
    assert "not kept which version" in corrections_of(rita, evaluation)["none_because"]
    assert rita.get(f"{address(evaluation)}/corrections/file", 409)["code"] == "no_dataset_version"
    assert cleo.post(f"{address(evaluation)}/corrections", status=409)["code"] == "no_dataset_version"
    assert rita.get("/api/review/asked/corrections", 409)["code"] == "no_benchmark"
    assert rita.get("/api/review/nothing/corrections", 404)["code"] == "unknown_source"
    assert not KeptOverlay.objects.exists()
