"""Evaluations that others can use and repeat: other systems beside ours, names, groups, deletion, manifests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

from kgstore.loading.sample import sample_graph
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.evaluation.reporting.full_report import full_figures
from tests.webapp.test_uploads import send
from webapp import engine
from webapp.accounts.models import AuditEntry
from webapp.evaluations.dependents import Hanging, _kinds, hanging_register
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.overlays.models import KeptOverlay, OverlaidEvaluation
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.work.states import Status
from webapp.uploads.models import Upload

if TYPE_CHECKING:
    from pathlib import Path

    from tests.webapp.conftest import Browser

WANTED = {"dataset": "sample", "graph": "sample", "scorer": "lexical", "split": "all", "limit": 12}


@pytest.fixture(scope="module", autouse=True)
def sample_graph_loaded(toy_graph: None) -> None:
    engine.graph_library().load(sample_graph())


def start(cleo: Browser, **more: Any) -> Any:
    return cleo.post("/api/evaluations", {**WANTED, **more}, status=201)


def work_off(started: dict[str, Any]) -> Evaluation:
    """Do what the workers would."""
    evaluation = Evaluation.objects.get(pk=started["id"])
    while not evaluation.is_over:
        evaluation_work(evaluation_id=evaluation.pk)
        evaluation.refresh_from_db()
    return evaluation


def others(cleo: Browser, content: object, system: str = "RoG", **more: Any) -> Any:
    text = content if isinstance(content, str) else json.dumps(content)
    sent = send(cleo, text.encode(), "predictions.json")
    return start(cleo, predictions={"system": system, "upload": sent["id"]}, **more)


def change(cleo: Browser, started: Any, **changes: Any) -> Any:
    response = cleo.client.patch(
        f"/api/evaluations/{started['id']}", changes, "application/json", headers={"X-CSRFToken": cleo.token}
    )
    assert response.status_code == 200, response.content
    return response.json()


def delete(cleo: Browser, started: Any, status: int) -> Any:
    response = cleo.client.delete(f"/api/evaluations/{started['id']}", headers={"X-CSRFToken": cleo.token})
    assert response.status_code == status, response.content
    return response.json() if status != 204 else None


# Other systems


def test_what_we_predict_comes_to_the_same_figures_as_another_systems_predictions(cleo: Browser) -> None:
    ours = start(cleo)
    work_off(ours)
    exported = cleo.client.get(f"/api/evaluations/{ours['id']}/predictions.json")
    assert exported.headers["Content-Disposition"].endswith('-predictions.json"')
    theirs = others(cleo, exported.getvalue().decode(), " Ours,  copied ")
    assert (theirs["scorer"], theirs["other_system"]) == ("Ours, copied", True)
    evaluation = work_off(theirs)
    assert (evaluation.status, evaluation.reason) == (Status.SUCCEEDED, "")
    own, told = (cleo.get(f"/api/evaluations/{each['id']}") for each in (ours, theirs))
    for part in ("all", "answerable", "in_graph", "graph_gap", "unanswerable"):
        assert told["figures"][part] == own["figures"][part], part
    assert told["figures"]["cases"] == {}
    assert told["figures"]["seconds"] is told["seen_in_training"] is None
    assert told["predictions"] == {
        "name": "predictions.json",
        "sha256": evaluation.predictions["sha256"],
        "questions": 12,
        "matched": 12,
        "repeated": 0,
        "fields": ["answers"],
        "notes": ["The predictions were read from the field “answers”."],
    }
    assert not Upload.objects.exists(), "its file is not needed any more"
    compared = cleo.get(f"/api/evaluations/{ours['id']}/against/{theirs['id']}")
    assert (compared["common"], compared["only_first"], compared["only_second"]) == (12, 0, 0)
    opened = cleo.post(f"/api/evaluations/{theirs['id']}/questions/1/run", status=409)
    assert opened["code"] == "no_decisions"


def test_a_question_that_the_file_does_not_name_has_failed(cleo: Browser) -> None:
    ids = [row.question_id for row in EvaluatedQuestion.objects.filter(evaluation=work_off(start(cleo)))]
    evaluation = work_off(others(cleo, {ids[0]: ["nobody at all"], ids[1]: []}))
    verdicts = dict(evaluation.questions.values_list("question_id", "verdict"))
    assert [verdicts[each] for each in ids[:3]] == ["answered", "no_answer_found", "failed"]
    told = cleo.get(f"/api/evaluations/{evaluation.pk}")
    assert told["figures"]["reasons"]["not_predicted"] == 10
    assert (told["predictions"]["questions"], told["predictions"]["matched"]) == (2, 2)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"id": "q", "answers": []}\n{"id": 1}\n', "“predictions.json”, line 2: expected a question's “id”"),
        ({"WebQTest-0": []}, "None of the 1 predictions is of one of the 12 questions that are asked"),
    ],
)
def test_a_wrong_file_is_told_with_its_line(cleo: Browser, content: object, says: str) -> None:
    evaluation = work_off(others(cleo, content))
    assert evaluation.status == Status.FAILED
    assert evaluation.reason.startswith(says)
    assert Upload.objects.get().is_held, "to be read again, where the evaluation goes on"
    delete(cleo, {"id": evaluation.pk}, 204)
    assert not Upload.objects.exists()


@pytest.mark.parametrize(("system", "code"), [("Lexical", "known_scorer"), ("  ", "unnamed_system")])
def test_another_system_has_a_name_of_its_own(cleo: Browser, system: str, code: str) -> None:
    sent = send(cleo, b"{}", "predictions.json")
    body = {**WANTED, "predictions": {"system": system, "upload": sent["id"]}}
    assert cleo.post("/api/evaluations", body, status=422)["code"] == code
    body["predictions"] = {"system": "RoG", "upload": str(Evaluation().pk)}
    assert cleo.post("/api/evaluations", body, status=422)["code"] == "unknown_upload"
    assert not Upload.objects.get().is_held


# Found again, and let go


def test_evaluations_are_found_by_words_dataset_group_and_star(cleo: Browser) -> None:
    first, second = start(cleo, note="first try", group="paper"), start(cleo, note="ablation", limit=3)
    third = start(cleo, note="old")
    assert change(cleo, third, starred=True, note=" much  older ", group="paper")["note"] == "much older"

    def found(query: str) -> list[str]:
        return [each["id"] for each in cleo.get(f"/api/evaluations?{query}")["evaluations"]]

    assert found("") == [third["id"], second["id"], first["id"]]
    assert found("search=lexical+TRY") == found("search=first") == [first["id"]]
    assert found("search=reads+paper") == [third["id"], first["id"]]
    assert found("group=paper&starred=true") == found("starred=true") == [third["id"]]
    assert found("dataset=sample&search=ablation") == [second["id"]]
    assert found("dataset=another") == []
    told = cleo.get("/api/evaluations?group=paper&limit=1")
    assert (told["total"], told["all"], told["groups"], told["datasets"]) == (2, 3, ["paper"], ["sample"])
    entry = AuditEntry.objects.get(what="evaluation_changed")
    assert (entry.before, entry.after) == ("note: old, group: ", "note: much older, group: paper")
    # A star alone is nobody's history, and nothing is told that did not change.
    change(cleo, third, starred=False, note="much older")
    assert AuditEntry.objects.filter(what="evaluation_changed").count() == 1
    assert found("starred=true") == []


def test_an_evaluation_is_deleted_with_its_outcomes_and_says_so_before(cleo: Browser) -> None:
    started = start(cleo, limit=2)
    refused = cleo.get(f"/api/evaluations/{started['id']}/removal")
    assert refused["refused"].startswith("This evaluation is at work. Stop it first")
    assert delete(cleo, started, 409)["code"] == "evaluation_kept"
    evaluation = work_off(started)
    overlay = KeptOverlay.objects.create(identity="x", algorithm="y", file="{}", corrections=1, name="o")
    OverlaidEvaluation.objects.create(
        evaluation=evaluation,
        overlay=overlay,
        evaluation_ended=evaluation.finished_at,
        status=Status.SUCCEEDED,
        enqueued_at=evaluation.finished_at,
        finished_at=evaluation.finished_at,
    )
    told = cleo.get(f"/api/evaluations/{started['id']}/removal")
    assert told == {"judged": 2, "goes": [{"what": "set of figures under corrections", "count": 1}], "refused": ""}
    delete(cleo, started, 204)
    delete(cleo, started, 404)
    assert not Evaluation.objects.exists()
    assert not EvaluatedQuestion.objects.exists()
    assert not OverlaidEvaluation.objects.exists()
    assert KeptOverlay.objects.exists()
    entry = AuditEntry.objects.get(what="evaluation_removed")
    assert (entry.on, entry.before) == (started["id"], "sample, lexical, 2 judged")


def test_an_evaluation_that_somebodys_work_rests_on_is_kept(cleo: Browser) -> None:
    evaluation = work_off(start(cleo, limit=2))
    verdicts = Hanging("verdict", "verdicts", lambda pk: 3 if pk == evaluation.pk else 0, keeps=True)
    hanging_register(verdicts)
    try:
        refused = delete(cleo, {"id": evaluation.pk}, 409)["message"]
    finally:
        _kinds.remove(verdicts)
    assert refused == "3 verdicts rest on this evaluation, so it is kept."


# Made again


def test_a_manifest_says_with_what_an_evaluation_was_made(cleo: Browser) -> None:
    started = start(cleo, scorer="encoder", limit=2)
    address = f"/api/evaluations/{started['id']}"
    assert not cleo.get(address)["has_manifest"]
    assert cleo.get(f"{address}/manifest", 404)["code"] == "no_manifest"
    evaluation = work_off(started)
    assert cleo.get(address)["has_manifest"]
    told = cleo.get(f"{address}/manifest")
    assert told["dataset"]["file_sha256"] == evaluation.fingerprint
    assert (told["dataset"]["seed"], told["dataset"]["limit"], told["dataset"]["questions"]) == (0, 2, 2)
    assert told["graph"] == {"name": "sample", "title": "Sample", "version": evaluation.graph_version}
    assert told["settings"]["strategy"] == "reads"
    assert told["model"]["scorer"] == "encoder"
    assert {"card.json", "scorer.safetensors"} <= told["model"]["weights"].keys()
    assert told["versions"]["python"]
    assert told["resumed"] == []


def test_a_manifest_tells_what_is_otherwise_when_the_work_goes_on(cleo: Browser) -> None:
    started = start(cleo, limit=2)
    evaluation = Evaluation.objects.get(pk=started["id"])
    evaluation_work(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    manifest = {**evaluation.manifest, "machine": {**evaluation.manifest["machine"], "cpu": "another"}}
    # As if it had been stopped before its last question, on another machine.
    evaluation.questions.filter(position=2).update(judged_at=None, right=None, outcome=None)
    Evaluation.objects.filter(pk=evaluation.pk).update(status="cancelled", done=1, manifest=manifest)
    cleo.post(f"/api/evaluations/{evaluation.pk}/resume")
    evaluation_work(evaluation_id=evaluation.pk)
    (since,) = cleo.get(f"/api/evaluations/{evaluation.pk}/manifest")["resumed"]
    assert since["machine"]["cpu"] != "another"
    assert since["code"] is since["versions"] is None


def test_the_site_and_the_command_come_to_the_same_figures_and_manifest(
    cleo: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them but the seconds; the sample is one dataset on the site, so it is one file for the command."""
    questions = tmp_path / "sample.jsonl"
    questions.write_text("".join(file.read_text("utf-8") for file in sorted(SAMPLE_FOLDER.glob("*.jsonl"))), "utf-8")
    asked = ("--dataset", str(questions), "--format", "discern", "--graph", "sample", "--scorer", "lexical")
    out = ("--json", "--out", str(tmp_path / "out"), "--html", str(tmp_path / "report.html"))
    call_command("evaluate", *asked, "--topics", "linked", "--limit", "40", *out)
    by_command = json.loads(capsys.readouterr().out)
    site = work_off(start(cleo, limit=40, settings={"topics": "linked"}))
    assert site.figures is not None

    def timeless(told: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in told.items() if name not in ("seconds", "graph")}

    expected = timeless(full_figures([], topics="linked", graph="")).keys()
    assert timeless(site.figures) == {name: by_command[name] for name in expected}
    # So do the pages, as far as they tell figures.
    page = cleo.client.get(f"/api/evaluations/{site.pk}/report.html")
    assert page.headers["Content-Disposition"].endswith('.html"')
    by_page = (tmp_path / "report.html").read_text("utf-8")
    assert _table(page.content.decode()) == _table(by_page)
    assert f"<td>{by_command['manifest']['code']['sources_sha256']}" in by_page.replace(' class="hash"', "")
    manifest = cleo.get(f"/api/evaluations/{site.pk}/manifest")
    kept = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert by_command["manifest"] == kept
    for part in ("code", "versions", "machine", "model", "graph", "settings"):
        assert kept[part] == manifest[part], part
    for part in ("limit", "seed", "questions", "questions_sha256"):
        assert kept["dataset"][part] == manifest["dataset"][part], part
    started = start(cleo)
    assert cleo.get(f"/api/evaluations/{started['id']}/report.html", 409)["code"] == "nothing_judged"


def _table(page: str) -> str:
    """The table of figures of a page."""
    return page.partition("<h2>Figures</h2>")[2].partition("</table>")[0]
