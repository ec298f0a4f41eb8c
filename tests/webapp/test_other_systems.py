"""Evaluations that others can use and repeat: other systems next to ours, names, groups, deletion, manifests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.evaluation.reporting.full_report import full_figures
from tests.webapp.test_uploads import send
from webapp.accounts.models import AuditEntry
from webapp.datasets.snapshots import dataset_of_lines
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.overlays.models import KeptOverlay, OverlaidEvaluation
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.work.states import Status
from webapp.review.models import Case
from webapp.uploads.models import Upload

if TYPE_CHECKING:
    from pathlib import Path

    from tests.webapp.conftest import Browser

WANTED = {"dataset": "sample", "graph": "sample", "scorer": "lexical", "split": "all", "limit": 12}


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


def start(cleo: Browser, **more: Any) -> Any:
    return cleo.post("/api/evaluations", {**WANTED, **more}, status=201)


def work_off(started: dict[str, Any]) -> Evaluation:
    """Do what the workers would."""
    evaluation = Evaluation.objects.get(pk=started["id"])
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
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
    own, reply = (cleo.get(f"/api/evaluations/{each['id']}") for each in (ours, theirs))
    for part in ("all", "answerable", "in_graph", "graph_gap", "unanswerable"):
        assert reply["figures"][part] == own["figures"][part], part
    assert reply["figures"]["cases"] == {}
    assert reply["figures"]["seconds"] is reply["seen_in_training"] is None
    assert reply["predictions"] == {
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
    reply = cleo.get(f"/api/evaluations/{evaluation.pk}")
    assert reply["figures"]["reasons"]["not_predicted"] == 10
    assert (reply["predictions"]["questions"], reply["predictions"]["matched"]) == (2, 2)


NSM = {"question": "what?", "answers": ["m.gold"], "cand": [["m.2", 0.3], ["m.1", 0.6]], "hit": 0.0}
STRUCT_GPT = {"ID": "q", "Answers": ["gold"], "Aliases": [], "Prediction": "one\ntwo"}


def look(cleo: Browser, content: str, status: int = 200) -> Any:
    sent = send(cleo, content.encode(), "predictions.json")
    return cleo.get(f"/api/evaluations/predictions/{sent['id']}", status)


@pytest.mark.parametrize(
    ("entry", "field", "first"),
    [
        (NSM, "cand", {"question": "what?", "answers": ["m.1", "m.2"], "answers_total": 2}),
        (STRUCT_GPT, "Prediction", {"question": "q", "answers": ["one", "two"], "answers_total": 2}),
        (
            {"id": "q", "answers": [{"id": "m.1", "name": "One"}, *(str(number) for number in range(8))]},
            "answers",
            {"question": "q", "answers": ["One (m.1)", "0", "1", "2", "3"], "answers_total": 9},
        ),
    ],
)
def test_a_file_is_looked_at_before_it_is_judged(
    cleo: Browser, entry: dict[str, Any], field: str, first: dict[str, Any]
) -> None:
    line = json.dumps(entry) + "\n"
    shown = look(cleo, line)
    assert shown == {
        "too_large": False,
        "fields": [{"name": field, "predictions": 1}],
        "first": [first],
        "looked_at": 1,
        "is_all": True,
    }
    many = look(cleo, line * 1_001)
    assert (len(many["first"]), many["looked_at"], many["is_all"]) == (5, 1_000, False)
    assert many["fields"] == [{"name": field, "predictions": 1_000}]


def test_a_look_tells_of_a_file_without_fields_and_shortens_what_is_long(cleo: Browser) -> None:
    shown = look(cleo, json.dumps({"q" * 300: ["a" * 300], "none": []}))
    assert shown["fields"] == []
    assert shown["first"] == [
        {"question": "q" * 200 + "…", "answers": ["a" * 200 + "…"], "answers_total": 1},
        {"question": "none", "answers": [], "answers_total": 0},
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            json.dumps({**NSM, "cand2": 1, "prediction": "x"}),
            "one field with a prediction; there are “cand”, “prediction”",
        ),
        (
            '{"id": "q", "answers": ["a"], "f1": 0.7}',
            "“answers” holds the gold answers, because the entry also has “f1”",
        ),
        ("[]", "“predictions.json” contains no prediction"),
        ("<html>", "“predictions.json”, line 1: expected"),
    ],
)
def test_a_look_refuses_what_judging_would_refuse(cleo: Browser, content: str, says: str) -> None:
    refused = look(cleo, content, 422)
    assert refused["code"] == "wrong_predictions"
    assert says in refused["message"]


def test_a_document_too_large_to_be_looked_at_is_reported(cleo: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reasoning.evaluation.predictions.prediction_files.MAX_LOOKED_AT", 10)
    assert look(cleo, '{"question-1": ["a"]}')["too_large"]
    assert not look(cleo, json.dumps(NSM))["too_large"], "an object a line is read to its beginning alone"


def test_a_file_that_is_not_here_or_not_whole_is_reported(cleo: Browser) -> None:
    assert cleo.get(f"/api/evaluations/predictions/{Evaluation().pk}", 422)["code"] == "unknown_upload"
    begun = cleo.post("/api/uploads", {"name": "predictions.json", "bytes": 9}, status=201)
    assert cleo.get(f"/api/evaluations/predictions/{begun['id']}", 422)["code"] == "upload_not_whole"


def test_all_right_and_all_wrong_are_warnings(
    cleo: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = work_off(start(cleo)).questions.all()
    right = {each.question_id: each.outcome["gold"] for each in questions}
    wrong = {each: ["nothing of the kind"] for each in right}
    for predicted, warning in (
        (right, "Every question is right. Check that the file holds predictions, and not the gold answers."),
        (wrong, "No question is right. Check that the file is of this dataset, and that it holds answers."),
    ):
        judged = work_off(others(cleo, predicted))
        assert cleo.get(f"/api/evaluations/{judged.pk}")["predictions"]["notes"] == [warning]
        (tmp_path / "answers.json").write_text(json.dumps(predicted), encoding="utf-8")
        (tmp_path / "ids.txt").write_text("\n".join(right), encoding="utf-8")
        questions_file = tmp_path / "sample.jsonl"
        content = "".join(file.read_text("utf-8") for file in sorted(SAMPLE_FOLDER.glob("*.jsonl")))
        questions_file.write_text(content, encoding="utf-8")
        call_command(
            *("evaluate", "--dataset", str(questions_file), "--format", "discern", "--graph", "sample"),
            *("--ids", str(tmp_path / "ids.txt"), "--predictions", str(tmp_path / "answers.json"), "--system", "X"),
        )
        assert warning in " ".join(capsys.readouterr().out.split())


def test_workers_judge_the_texts_and_logical_forms_of_a_file(cleo: Browser) -> None:
    """GrailQA: the same graph, but its other variable is asked for. RoG: two gold names in one line, precision 2."""
    form = "(AND film.director (JOIN film.director.film (JOIN film.film.genre m.02)))"
    other = "(AND (JOIN film.film.genre m.02) (JOIN (R film.director.film) film.director))"
    answers = [{"answer_type": "Entity", "answer_argument": "m.0zz"}]
    entry = {"qid": 7, "question": "who directed a comedy?", "answer": answers, "s_expression": form}
    dataset, _ = dataset_of_lines([json.dumps(entry)], name="forms", format_="grailqa", starter=None)
    predicted = {"id": 7, "prediction": "One, Two", "ground_truth": ["One", "Two"], "logical_form": other}
    wanted = {"dataset": dataset.name, "version": 1, "limit": None, "settings": {"topics": "linked"}}
    evaluation = work_off(others(cleo, json.dumps(predicted) + "\n", **wanted))
    assert (evaluation.status, evaluation.reason) == (Status.SUCCEEDED, "")
    figures = cleo.get(f"/api/evaluations/{evaluation.pk}")["figures"]
    printed = {(row["rules"], row["figure"]): row["printed"] for row in figures["by_rules"]}
    assert printed["grailqa", "em"] == printed["grailqa", "f1"] == "1.0"
    assert printed["rog", "precision"] == "200.0"
    assert (figures["all"]["exact_match_of_logical_forms"], figures["all"]["exact_match"]) == (0, 0)


def test_questions_of_one_wording_have_outcomes_of_their_own(cleo: Browser) -> None:
    text = "who acted in the movie [{}]\t{}\n".format
    lines = [text("Eden", "Beau Bridges"), text("Jaws", "Roy Scheider"), text("Eden", "Félix de Givry")]
    dataset, _ = dataset_of_lines(lines, name="films asked twice", format_="metaqa", starter=None)
    assert dataset.questions.count() == 3
    predicted = [{"question": "who acted in the movie eden", "prediction": [name]} for name in ("Beau Bridges", "No")]
    wanted = {"dataset": dataset.name, "version": 1, "limit": None, "settings": {"topics": "linked"}}
    content = "".join(json.dumps(each) + "\n" for each in predicted)
    evaluation = work_off(others(cleo, content, **wanted))
    assert (evaluation.status, evaluation.reason) == (Status.SUCCEEDED, "")
    assert list(evaluation.questions.order_by("position").values_list("text", "right")) == [
        ("who acted in the movie Eden", True),
        ("who acted in the movie Jaws", False),
        ("who acted in the movie Eden", False),
    ]
    refused = work_off(others(cleo, json.dumps(predicted[0]) + "\n", **wanted))
    assert refused.status == Status.FAILED
    assert "is the text of 2 questions (metaqa/1, metaqa/3), and the file has 1 prediction" in refused.reason


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"id": "q", "answers": []}\n{"id": 1}\n', "“predictions.json”, line 2: expected a question's “id”"),
        ({"WebQTest-0": []}, "None of the 1 predictions is of one of the 12 questions that are asked"),
    ],
)
def test_a_wrong_file_is_reported_with_its_line(cleo: Browser, content: object, says: str) -> None:
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
    reply = cleo.get("/api/evaluations?group=paper&limit=1")
    assert (reply["total"], reply["all"], reply["groups"], reply["datasets"]) == (2, 3, ["paper"], ["sample"])
    entry = AuditEntry.objects.get(what="evaluation_changed")
    assert (entry.before, entry.after) == ("note: old, group: ", "note: much older, group: paper")
    # A star alone is not part of a history; what did not change is not listed.
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
    reply = cleo.get(f"/api/evaluations/{started['id']}/removal")
    assert reply == {"judged": 2, "goes": [{"what": "set of figures under corrections", "count": 1}], "refused": ""}
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
    for question in evaluation.questions.all():
        Case.objects.create(question=question, last=1)
    refused = delete(cleo, {"id": evaluation.pk}, 409)["message"]
    assert refused == "2 reviewed cases rest on this evaluation, so it is kept."


# Made again


def test_a_manifest_says_with_what_an_evaluation_was_made(cleo: Browser) -> None:
    started = start(cleo, scorer="encoder", limit=2)
    address = f"/api/evaluations/{started['id']}"
    assert not cleo.get(address)["has_manifest"]
    assert cleo.get(f"{address}/manifest", 404)["code"] == "no_manifest"
    evaluation = work_off(started)
    assert cleo.get(address)["has_manifest"]
    reply = cleo.get(f"{address}/manifest")
    assert reply["dataset"]["file_sha256"] == evaluation.fingerprint
    assert (reply["dataset"]["seed"], reply["dataset"]["limit"], reply["dataset"]["questions"]) == (0, 2, 2)
    assert reply["graph"] == {"name": "sample", "title": "Sample", "version": evaluation.graph_version}
    assert reply["settings"]["strategy"] == "reads"
    assert reply["model"]["scorer"] == "encoder"
    assert {"card.json", "scorer.safetensors"} <= reply["model"]["weights"].keys()
    assert reply["versions"]["python"]
    assert reply["resumed"] == []


def test_a_manifest_tells_what_is_otherwise_when_the_work_goes_on(cleo: Browser) -> None:
    started = start(cleo, limit=2)
    evaluation = Evaluation.objects.get(pk=started["id"])
    evaluation_work(evaluation.pk)
    evaluation.refresh_from_db()
    manifest = {**evaluation.manifest, "machine": {**evaluation.manifest["machine"], "cpu": "another"}}
    # As if it had been stopped before its last question, on another machine.
    evaluation.questions.filter(position=2).update(judged_at=None, right=None, outcome=None)
    Evaluation.objects.filter(pk=evaluation.pk).update(status="cancelled", done=1, manifest=manifest)
    cleo.post(f"/api/evaluations/{evaluation.pk}/resume")
    evaluation_work(evaluation.pk)
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

    def timeless(entry: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in entry.items() if name not in ("seconds", "graph")}

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
