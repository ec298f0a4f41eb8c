"""Corrections of a benchmark on the site: kept once where they are signed, and evaluations judged under them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command

from kgstore.terms import Entity, parse_term
from reasoning.datasets.overlay import Correction, CorrectionKind, Overlay, signed
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from tests.webapp.evaluations_at_work import judged_by_workers
from tests.webapp.labelled import Labeller, dataset, made, removed
from tests.webapp.test_uploads import send
from webapp import engine
from webapp.accounts.models import AuditEntry
from webapp.datasets.models import Dataset
from webapp.evaluations.models import Evaluation
from webapp.evaluations.overlays import services
from webapp.evaluations.overlays.models import KeptOverlay, OverlaidEvaluation, OverlaidQuestion
from webapp.evaluations.overlays.site_key import site_key, site_public_key
from webapp.evaluations.overlays.worker import overlaid_work
from webapp.platform.work.states import Status
from webapp.uploads.models import Upload

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
AT = "2026-11-23T12:00:00+00:00"

FULL_REPORT = ("by_rules", "headline", "reads", "slices")
"""What is told without corrections alone."""


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


def evaluated(cleo: Browser, limit: int = 12, **more: Any) -> Evaluation:
    """An evaluation whose questions are all judged."""
    return judged_by_workers(cleo, limit=limit, **more)


def asked(evaluation: Evaluation) -> list[tuple[BenchmarkQuestion, dict[str, Any]]]:
    """The questions in their order, with what was answered."""
    rows = evaluation.questions.order_by("position")
    return [(BenchmarkQuestion.from_json(row.gold), row.outcome or {}) for row in rows]


def correction(question: BenchmarkQuestion, kind: CorrectionKind, **more: Any) -> Correction:
    return Correction(question.id, kind, **{"old": question.parses, "new": question.parses, "at": AT, **more})


def answers(question: BenchmarkQuestion, *terms: str) -> tuple[GoldParse, ...]:
    return (GoldParse(question.topic, frozenset(map(parse_term, terms)), None, "corrected"),)


def overlay(evaluation: Evaluation, *corrections: Correction) -> Overlay:
    snapshot = evaluation.snapshot
    assert snapshot is not None
    return Overlay(snapshot.name, snapshot.identity, snapshot.identity_algorithm, "Rita", AT, corrections)


def keep(cleo: Browser, evaluation: Evaluation, content: str | bytes, status: int = 201) -> Any:
    """What is answered where a file is sent and then named."""
    sent = send(cleo, content.encode() if isinstance(content, str) else content, "overlay.json")
    return cleo.post(f"/api/evaluations/{evaluation.pk}/overlays", {"upload": sent["id"]}, status=status)


def judged(cleo: Browser, evaluation: Evaluation, kept: dict[str, Any]) -> dict[str, Any]:
    """What is reported of an evaluation under an overlay once a worker judged it."""
    address = f"/api/evaluations/{evaluation.pk}/overlays/{kept['id']}"
    begun = cleo.post(address)
    assert (begun["work"]["status"], begun["report"]) == ("queued", None)
    overlaid_work(OverlaidEvaluation.objects.get(overlay=kept["id"], evaluation=evaluation).pk)
    found: dict[str, Any] = cleo.get(address)
    assert found["work"]["status"] == "succeeded", found
    return found


def written(evaluation: Evaluation, *corrections: Correction) -> str:
    return signed(overlay(evaluation, *corrections), KEY)


# --- Figures


def corrections_of_all_kinds(evaluation: Evaluation) -> list[Correction]:
    """Of five questions of six one that is corrected in another way; the rest stays as it is."""
    made_of: list[Correction] = []
    for number, (question, outcome) in enumerate(asked(evaluation)):
        match number % 6:
            case 0:
                terms = outcome["predicted"][:3] or ["m.nobody"]
                made_of.append(correction(question, CorrectionKind.WRONG, new=answers(question, *terms), reason="no"))
            case 1:
                made_of.append(correction(question, CorrectionKind.UNANSWERABLE, new=answers(question)))
            case 2:
                made_of.append(correction(question, CorrectionKind.OUTDATED, new=None))
            case 3:
                made_of.append(correction(question, CorrectionKind.REWORDED, rewording="who else?"))
            case 4:
                made_of.append(correction(question, CorrectionKind.INCOMPLETE, old=answers(question, "m.other")))
    return [*made_of, replace(made_of[0], question_id="nobody asked this")]


def test_200_questions_with_and_without_an_overlay(
    cleo: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluation = evaluated(cleo, limit=200)
    address = f"/api/evaluations/{evaluation.pk}"
    before = cleo.client.get(address).content
    figures = json.loads(before)["figures"]
    assert figures["questions"] == 200
    assert 0 < figures["all"]["hits_at_1"] < 1

    # The labels as they are, told as corrections: all is judged again, and every figure is the same to the last digit.
    same = [correction(question, CorrectionKind.WRONG) for question, _ in asked(evaluation)]
    again = judged(cleo, evaluation, keep(cleo, evaluation, written(evaluation, *same)))["report"]
    assert again["applied"] == [{"kind": "wrong", "count": 200}]
    plain = {name: None if name in FULL_REPORT else value for name, value in figures.items()}
    assert json.dumps(again["figures"]) == json.dumps(plain)

    content = written(evaluation, *corrections_of_all_kinds(evaluation))
    report = judged(cleo, evaluation, keep(cleo, evaluation, content))["report"]
    assert {each["kind"]: each["count"] for each in report["applied"]} == {
        "wrong": 34,
        "unanswerable": 34,
        "outdated": 33,
    }
    assert sorted(each["count"] for each in report["not_applied"]) == [1, 33, 33]
    assert (report["not_judged"], report["figures"]["questions"]) == (33, 167)
    assert report["figures"]["all"] != figures["all"]

    path, ids = tmp_path / "overlay.json", tmp_path / "ids"
    path.write_text(content, encoding="utf-8")
    ids.write_text("\n".join(question.id for question, _ in asked(evaluation)), encoding="utf-8")
    arguments = ("--dataset", "sample", "--format", "discern", "--graph", "sample", "--split", "all")
    capsys.readouterr()
    call_command("evaluate", *arguments, "--ids", str(ids), "--scorer", "lexical", "--overlay", str(path), "--json")
    output = json.loads(capsys.readouterr().out)["overlay"]
    assert output["applied"] == {each["kind"]: each["count"] for each in report["applied"]}
    assert output["not_applied"] == {each["reason"]: each["count"] for each in report["not_applied"]}
    # How long it takes is another time; how the graph is called, another name.
    for name in report["figures"].keys() - {"cost", "seconds", "graph", *FULL_REPORT}:
        assert report["figures"][name] == output["figures"][name], name

    assert cleo.client.get(address).content == before, "without an overlay nothing has changed"


def test_a_corrected_question_tells_what_was_corrected_and_what_came_of_it(cleo: Browser) -> None:
    evaluation = evaluated(cleo)
    (first, outcome), (second, _), (third, _), *_ = asked(evaluation)
    new = [Entity("en.nobody_knows").mid, *outcome["predicted"]]
    found = judged(
        cleo,
        evaluation,
        keep(
            cleo,
            evaluation,
            written(
                evaluation,
                correction(
                    first,
                    CorrectionKind.INCOMPLETE,
                    new=answers(first, *new),
                    reason="one is missing",
                    who=("ben", "dan"),
                    agreement=2 / 3,
                ),
                correction(second, CorrectionKind.WRONG, new=None),
                correction(third, CorrectionKind.REWORDED, rewording="who else?"),
            ),
        ),
    )
    address = f"/api/evaluations/{evaluation.pk}/overlays/{found['overlay']['id']}/questions"
    one, two, three = cleo.get(f"{address}?at=3&at=1&at=2&at=4")
    assert (one["position"], one["kind"], one["reason"], one["who"]) == (
        1,
        "incomplete",
        "one is missing",
        ["ben", "dan"],
    )
    assert (one["agreement"], one["at"]) == (2 / 3, AT)
    names = engine.graph("sample").labels(set(first.parses[0].answers))
    assert one["old"] == sorted(names[term] for term in first.parses[0].answers)
    assert (one["old_total"], one["new_total"]) == (len(first.parses[0].answers), len(new))
    assert one["new"] != one["old"]
    assert (one["right"], one["not_applied"]) == (bool(outcome["predicted"]), "")
    assert (two["new_total"], two["right"], two["f1"], two["not_applied"]) == (None, None, None, "")
    assert three["rewording"] == "who else?"
    assert three["not_applied"].startswith("reworded")
    assert cleo.get(f"{address}?at=4") == []
    assert cleo.get(address, 422)["code"] == "invalid_request"


def test_wrong_answers_of_dog_have_their_error_class_under_corrections_too(cleo: Browser) -> None:
    evaluation = evaluated(cleo, settings={"strategy": "dog"})
    figures, questions = evaluation.figures or {}, [question for question, _ in asked(evaluation)]
    assert figures["dog"] is not None
    same = [correction(question, CorrectionKind.WRONG) for question in questions]
    again = judged(cleo, evaluation, keep(cleo, evaluation, written(evaluation, *same)))
    assert again["report"]["figures"]["dog"] == figures["dog"]
    address = f"/api/evaluations/{evaluation.pk}/overlays/{{}}/questions?at=" + "&at=".join(map(str, range(1, 13)))
    reply = {one["position"]: one["dog_class"] or "" for one in cleo.get(address.format(again["overlay"]["id"]))}
    assert reply == dict(evaluation.questions.values_list("position", "dog_class"))

    nowhere = [correction(each, CorrectionKind.WRONG, new=answers(each, "en.nowhere")) for each in questions]
    lost = judged(cleo, evaluation, keep(cleo, evaluation, written(evaluation, *nowhere)))
    assert lost["report"]["figures"]["dog"] == {"classes": {"other": 12}, "hits_at_1_with_aliases": 0.0}
    for one in cleo.get(address.format(lost["overlay"]["id"])):
        assert (one["dog_class"], one["dog_why"]) == ("other", "No gold answer is in the graph.")


def test_an_evaluation_that_went_on_since_is_judged_anew(cleo: Browser) -> None:
    evaluation = evaluated(cleo)
    kept = keep(cleo, evaluation, written(evaluation, correction(asked(evaluation)[0][0], CorrectionKind.WRONG)))
    judged(cleo, evaluation, kept)
    address = f"/api/evaluations/{evaluation.pk}/overlays/{kept['id']}"
    assert cleo.post(address)["report"] is not None, "what is judged is kept"
    again = evaluation.finished_at
    assert again is not None
    Evaluation.objects.filter(pk=evaluation.pk).update(finished_at=again.replace(year=again.year + 1))
    found = cleo.get(address)
    assert (found["work"], found["report"]) == (None, None)
    judged(cleo, evaluation, kept)
    assert OverlaidQuestion.objects.count() == 1


def test_what_is_not_over_or_of_another_graph_is_not_judged(cleo: Browser) -> None:
    evaluation = evaluated(cleo)
    kept = keep(cleo, evaluation, written(evaluation, correction(asked(evaluation)[0][0], CorrectionKind.WRONG)))
    address = f"/api/evaluations/{evaluation.pk}/overlays/{kept['id']}"
    rows = Evaluation.objects.filter(pk=evaluation.pk)
    rows.update(status=Status.RUNNING, finished_at=None)
    assert cleo.post(address, status=409)["code"] == "not_over"
    rows.update(status=Status.CANCELLED, finished_at=evaluation.finished_at, figures=None)
    assert cleo.post(address, status=409)["code"] == "nothing_judged"
    rows.update(figures=evaluation.figures, graph_version="another")
    refused = cleo.post(address, status=409)
    assert refused["code"] == "graph_changed"
    assert "was loaded again since" in refused["message"]
    rows.update(graph="gone")
    assert cleo.post(address, status=409)["code"] == "graph_unavailable"
    rows.update(graph="sample", graph_version=evaluation.graph_version)
    begun = cleo.post(address)
    assert begun["work"]["waits"], "no worker is there"
    rows.update(graph_version="another")
    overlaid_work(OverlaidEvaluation.objects.get().pk)
    failed = cleo.get(address)["work"]
    assert failed["status"] == "failed"
    assert "was loaded again since" in failed["reason"]
    rows.update(graph_version=evaluation.graph_version)
    assert cleo.post(address)["work"]["status"] == "queued", "it can be tried again"


def test_a_worker_that_is_to_stop_leaves_the_work_to_another(cleo: Browser) -> None:
    evaluation = evaluated(cleo)
    kept = keep(cleo, evaluation, written(evaluation, correction(asked(evaluation)[0][0], CorrectionKind.WRONG)))
    cleo.post(f"/api/evaluations/{evaluation.pk}/overlays/{kept['id']}")
    item = OverlaidEvaluation.objects.get()
    overlaid_work(item.pk, stopping=lambda: True)
    item.refresh_from_db()
    assert (item.status, item.claim, item.attempts) == (Status.QUEUED, None, 0)
    overlaid_work(item.pk)
    item.refresh_from_db()
    assert item.status == Status.SUCCEEDED
    overlaid_work(item.pk)


# --- Files


def test_a_file_is_kept_once_and_says_whose_it_is(cleo: Browser, browser: Callable[[], Browser]) -> None:
    evaluation = evaluated(cleo)
    of = overlay(evaluation, correction(asked(evaluation)[0][0], CorrectionKind.WRONG, reason="“no” \x00"))
    content = signed(of, KEY)
    kept = keep(cleo, evaluation, content)
    assert (kept["name"], kept["signer"], kept["corrections"], kept["made_at"]) == ("overlay.json", "Rita", 1, AT)
    assert (kept["key"], kept["by_this_site"]) == (KEY.public_key().public_bytes_raw().hex(), False)
    assert kept["keeper"] == "Cleo"
    assert Upload.objects.count() == 0
    # However it is laid out, it is the same.
    assert keep(cleo, evaluation, b"\xef\xbb\xbf" + json.dumps(json.loads(content)).encode())["id"] == kept["id"]
    own = keep(cleo, evaluation, signed(of, site_key()))
    assert (own["key"], own["by_this_site"]) == (site_public_key(), True)
    visitor = browser()
    found = visitor.get(f"/api/evaluations/{evaluation.pk}/overlays")
    assert [each["id"] for each in found["overlays"]] == [own["id"], kept["id"]]
    assert (found["may_manage"], found["none_because"]) == (False, "")
    assert cleo.client.get(f"/api/overlays/{kept['id']}/file").content.decode() == content
    removed(cleo, f"/api/overlays/{kept['id']}")
    removed(cleo, f"/api/overlays/{kept['id']}", 404)
    cleo.get(f"/api/evaluations/{evaluation.pk}/overlays/{kept['id']}", 404)
    audit = AuditEntry.objects.filter(what__startswith="overlay_").order_by("pk")
    title = "overlay.json, signed by Rita"
    assert [(each.who, each.what, each.on) for each in audit] == [
        ("cleo", "overlay_kept", title),
        ("cleo", "overlay_kept", title),
        ("cleo", "overlay_removed", title),
    ]
    assert audit[0].after.startswith("1 correction, key ")


def altered(content: str, **more: Any) -> str:
    return json.dumps({**json.loads(content), **more})


def test_what_is_no_signed_overlay_is_refused_with_what_to_do(cleo: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluated(cleo)
    of = overlay(evaluation, correction(asked(evaluation)[0][0], CorrectionKind.WRONG))
    content = signed(of, KEY)
    deep = '{"format": "discern-overlay-1", "content": ' + "[" * 100_000 + "]" * 100_000 + "}"
    for sent, why in (
        (b"\xff\xfe{\x00}\x00", "is no overlay"),
        ("no JSON", "is no overlay: it is not JSON"),
        (deep, "is no overlay"),
        ('{"Questions": []}', "is no overlay"),
        (altered(content, signature=None), "is not signed"),
        (content.replace("Rita", "Ritb"), "was altered after it was signed"),
        (altered(content, sha256="0"), "names another hash"),
        (signed(replace(of, signer="Ri\0ta"), KEY), "cannot be kept"),
    ):
        refused = keep(cleo, evaluation, sent, status=422)
        assert refused["code"] == "overlay_refused"
        assert refused["message"].startswith("“overlay.json” ")
        assert why in refused["message"]
    other = Dataset.objects.get()
    refused = keep(cleo, evaluation, signed(replace(of, dataset="WebQSP", identity="1" * 64), KEY), status=422)
    assert refused["code"] == "other_dataset"
    assert "corrects “WebQSP” (questions 111111111111), which is not on this site." in refused["message"]
    assert "This evaluation asked “sample”, version 1" in refused["message"]
    Dataset.objects.filter(pk=other.pk).update(identity="2" * 64)
    assert "version 1" in keep(cleo, evaluation, content, status=422)["message"]
    monkeypatch.setattr(services, "MAX_BYTES", 9)
    refused = keep(cleo, evaluation, content, status=413)
    assert (refused["code"], refused["extra"]["limit"]) == ("too_large", 9)
    assert KeptOverlay.objects.count() == 0
    assert not Upload.objects.filter(is_held=True).exists()


def test_an_evaluation_whose_dataset_has_no_version_has_no_overlays(cleo: Browser) -> None:
    evaluation = evaluated(cleo)
    content = written(evaluation, correction(asked(evaluation)[0][0], CorrectionKind.WRONG))
    keep(cleo, evaluation, content)
    Evaluation.objects.update(snapshot=None)
    found = cleo.get(f"/api/evaluations/{evaluation.pk}/overlays")
    assert found["overlays"] == []
    assert "not kept which version" in found["none_because"]
    assert keep(cleo, evaluation, content, status=409)["code"] == "no_dataset_version"


# --- From a project


def test_what_a_project_corrects_is_kept_without_a_file(
    cleo: Browser, rita: Browser, ben: Browser, tmp_path: Path
) -> None:
    of = dataset(tmp_path)
    project = made(rita, of, "ben")
    address = f"/api/annotation/projects/{project['id']}/export/overlay"
    assert cleo.post(address, status=409)["code"] == "nothing_corrected"
    work = Labeller.at_next(ben, project)
    work.move(kind="benchmark", benchmark="outdated", marked=["en.kingston"], note="it moved")
    ben.post(f"{work.address}/submit")
    assert rita.post(address, status=403)["code"] == "staff_only"
    assert not rita.get("/api/annotation/exports")["may_keep_overlay"]
    assert cleo.get("/api/annotation/exports")["may_keep_overlay"]
    kept = cleo.post(address, status=201)
    assert (kept["by_this_site"], kept["corrections"], kept["name"]) == (True, 1, "Television")
    assert cleo.post(address, status=201)["id"] == kept["id"], "nothing was corrected since"
    assert KeptOverlay.objects.get().identity == of.identity
