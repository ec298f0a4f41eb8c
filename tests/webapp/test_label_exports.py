"""Labels leave a project in any format, for those who may; what does not go in is told before."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from reasoning.core.derivation import Derivation
from reasoning.datasets.overlay import overlay_of
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.datasets.registry import read_dataset
from reasoning.exports.registry import EXPORT_FORMATS
from tests.reasoning.rules import KITT_GOLD
from tests.webapp.labelled import Labeller, dataset, made, signed_in
from webapp.accounts.models import User
from webapp.labelling.exports.people import by_pseudonym
from webapp.labelling.projects.models import Project
from webapp.platform.http.streaming import streamed_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.webapp.conftest import Browser

GOLD = Derivation.from_json(KITT_GOLD)


@pytest.fixture
def dan(browser: Callable[[], Browser]) -> Browser:
    return signed_in(browser, "dan")


@pytest.fixture
def project(rita: Browser, ben: Browser, dan: Browser, tmp_path: Path) -> dict[str, Any]:
    """Ben labelled the first question by its derivation, the second as not answerable; Dan the first by its answer."""
    found = made(rita, dataset(tmp_path), "ben", "dan", overlap=2)
    first = Labeller.at_next(ben, found)
    first.label_kitt()
    ben.post(f"{first.address}/submit")
    second = Labeller.at_next(ben, found)
    second.move(kind="unanswerable", missing={"what": "fact", "note": "nobody"})
    ben.post(f"{second.address}/submit")
    other = Labeller.at_next(dan, found)
    other.move(kind="answers", topic="en.knight_rider", marked=["en.william_daniels"], note="=1+1")
    dan.post(f"{other.address}/submit")
    return found


def exported(who: Browser, project: dict[str, Any], **chosen: str) -> str:
    response = who.client.get(f"/api/annotation/projects/{project['id']}/export/file", chosen)
    assert response.status_code == 200, response.content
    return response.getvalue().decode()


def preview(who: Browser, project: dict[str, Any], **chosen: str) -> dict[str, Any]:
    query = "&".join(f"{name}={value}" for name, value in chosen.items())
    reply: dict[str, Any] = who.get(f"/api/annotation/projects/{project['id']}/export?{query}")
    return reply


def test_each_format_says_what_it_holds_and_what_it_cannot_say(ben: Browser) -> None:
    choices = ben.get("/api/annotation/exports")
    assert [each["name"] for each in choices["formats"]] == list(EXPORT_FORMATS)
    assert all(each["says"].endswith(".") for each in choices["formats"])
    assert [each["name"] for each in choices["formats"] if not each["cannot_say"]] == ["discern"]
    assert [each["name"] for each in choices["selections"]] == ["all", "accepted"]


@pytest.mark.parametrize(
    ("format_", "went_in", "left_out"),
    [
        ("discern", 3, {}),
        ("csv", 3, {}),
        ("webqsp", 3, {}),
        (
            "grailqa",
            1,
            {"have no derivation": 1, "say that the graph cannot answer the question": 1},
        ),
        (
            "rog",
            1,
            {
                "have no facts, or facts that the graph does not hold any more": 1,
                "say that the graph cannot answer the question": 1,
            },
        ),
    ],
)
def test_what_goes_in_and_what_is_left_out_is_reported_before(
    rita: Browser, project: dict[str, Any], tmp_path: Path, format_: str, went_in: int, left_out: dict[str, int]
) -> None:
    shown = preview(rita, project, format=format_)
    assert (shown["total"], shown["looked"], shown["went_in"], shown["graph_fault"]) == (3, 3, went_in, "")
    assert {each["reason"]: each["count"] for each in shown["left_out"]} == left_out
    if format_ == "csv":
        return
    path = tmp_path / "file"
    path.write_text(exported(rita, project, format=format_), encoding="utf-8")
    read = [each for each in read_dataset(path, format_) if isinstance(each, BenchmarkQuestion)]
    assert len(read) == went_in
    assert read[0].parses[0].derivation == (None if format_ == "rog" else GOLD)


def test_names_and_facts_of_the_graph_stand_in_the_file(rita: Browser, project: dict[str, Any]) -> None:
    row = json.loads(exported(rita, project, format="rog"))
    assert (row["q_entity"], row["a_entity"]) == (["Knight Rider"], ["William Daniels"])
    assert ["m.cast_kitt", "tv.regular_tv_appearance.character", "KITT"] in row["graph"]
    assert len(row["graph"]) == 3
    assert "# about: Knight Rider\n# answers: William Daniels\n" in exported(rita, project, format="sparql")
    assert ':param graph => "toy";' in exported(rita, project, format="cypher")


def test_a_graph_that_was_loaded_anew_leaves_out_its_names_and_facts_and_says_so(
    rita: Browser, project: dict[str, Any]
) -> None:
    Project.objects.update(graph_version="another")
    shown = preview(rita, project, format="rog")
    assert shown["went_in"] == 0
    assert "was loaded again" in shown["graph_fault"]
    assert json.loads(exported(rita, project, format="webqsp"))["Questions"][0]["Parses"][0]["TopicEntityName"] is None
    assert preview(rita, project, format="discern")["graph_fault"] == "", "it needs no graph"


def test_people_have_pseudonyms_that_stay_and_lead_nowhere(
    rita: Browser, project: dict[str, Any], tmp_path: Path
) -> None:
    def people(of: dict[str, Any]) -> list[str]:
        file = exported(rita, of, people="pseudonyms", moves="true")
        assert not any(f'"{name}"' in file for name in ("ben", "dan"))
        lines = [json.loads(line)["label"] for line in file.splitlines()]
        assert all({move["who"] for move in line["log"]} == {line["who"]} for line in lines)
        return [line["who"] for line in lines]

    ben, dan, again = people(project)
    assert ben == again != dan
    assert ben.startswith("annotator ")
    assert people(project) == [ben, dan, ben]
    Project.objects.create(
        title="Another", dataset=Project.objects.get().dataset, graph="toy", graph_title="T", graph_version="v"
    )
    others = [by_pseudonym(each)(User.objects.get(username="ben")) for each in Project.objects.all()]
    assert len(set(others)) == 2
    User.objects.get(username="dan").delete()
    assert people(project) == [ben, "", ben], "who stays keeps theirs"


def test_the_log_of_moves_is_there_where_it_is_asked_for(rita: Browser, project: dict[str, Any]) -> None:
    plain = [json.loads(line)["label"] for line in exported(rita, project).splitlines()]
    assert not any("log" in line for line in plain)
    first = json.loads(exported(rita, project, moves="true").splitlines()[0])["label"]
    assert [move["number"] for move in first["log"]] == list(range(1, first["moves"] + 1))
    assert first["log"][0]["was"] == {"topic": None}
    assert first["log"][0]["now"] == {"topic": "en.knight_rider"}
    assert {move["who"] for move in first["log"]} == {"ben"}
    assert {key: first[key] for key in plain[0]} == plain[0]


def test_each_line_tells_how_far_the_labels_of_its_question_agree(
    rita: Browser, ben: Browser, dan: Browser, project: dict[str, Any], tmp_path: Path
) -> None:
    other = Labeller.at_next(dan, project)
    other.move(kind="unanswerable", missing={"what": "relation", "note": ""})
    dan.post(f"{other.address}/submit")
    alone = Labeller.at_next(ben, project)
    alone.move(kind="answers", topic="en.jamaica", marked=["en.jamaican_english"])
    ben.post(f"{alone.address}/submit")
    file = exported(rita, project, people="pseudonyms")
    lines = [json.loads(line)["label"] for line in file.splitlines()]
    unsaid = {"same_derivation": None, "distance": None, "facts": None, "parted": None}
    by_way_and_alone = {"labels": 2, "agreed": False, "answers": 1.0, **unsaid}
    both_unanswerable = {"labels": 2, "agreed": True, "answers": 1.0, **unsaid}
    single = {"labels": 1, "agreed": None, "answers": None, **unsaid}
    assert [line["agreement"] for line in lines] == [*[by_way_and_alone] * 2, *[both_unanswerable] * 2, single]
    path = tmp_path / "labels.jsonl"
    path.write_text(file, encoding="utf-8")
    read = [each for each in read_dataset(path, "discern") if isinstance(each, BenchmarkQuestion)]
    assert len(read) == len(lines), "our own reader takes every one"
    assert read[0].parses[0].derivation == GOLD
    Project.objects.update(graph_version="another")
    again = [json.loads(line)["label"]["agreement"] for line in exported(rita, project).splitlines()]
    assert again == [line["agreement"] for line in lines], "what needs no graph is told without it"
    assert "agreement" not in exported(rita, project, format="csv").splitlines()[0]


def test_a_table_neutralises_what_people_wrote(rita: Browser, project: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(rita, project, format="csv"))))
    assert [row["kind"] for row in rows] == ["derivation", "answers", "unanswerable"]
    assert [row["note"] for row in rows] == ["", "'=1+1", ""]
    assert rows[0]["answer_names"] == "William Daniels"


def test_what_there_is_not_is_refused_in_words(rita: Browser, ben: Browser, project: dict[str, Any]) -> None:
    address = f"/api/annotation/projects/{project['id']}/export"
    for path, code in (
        (f"{address}?format=excel", "unknown_export_format"),
        (f"{address}/file?format=excel", "unknown_export_format"),
        (f"{address}?labels=best", "unknown_export_selection"),
        (f"{address}/file?labels=best", "unknown_export_selection"),
    ):
        assert rita.get(path, 422)["code"] == code
    ben.get(address, 403)
    ben.get(f"{address}/file", 403)


def test_what_a_project_says_of_the_benchmark_is_a_signed_overlay(
    rita: Browser, ben: Browser, dan: Browser, project: dict[str, Any], tmp_path: Path
) -> None:
    address = f"/api/annotation/projects/{project['id']}/export/overlay"
    capital = Labeller.at_next(ben, project)
    capital.move(kind="benchmark", benchmark="outdated", marked=["en.kingston"], note="it moved")
    ben.post(f"{capital.address}/submit")
    disputed = Labeller.at_next(dan, project)
    disputed.move(kind="answers", topic="en.knight_rider", marked=["en.glen_larson"])
    dan.post(f"{disputed.address}/submit")
    answer = rita.client.get(address)
    assert answer.status_code == 200
    read = overlay_of(json.loads(answer.content))
    assert read.key == ben.get("/api/annotation/exports")["overlay_key"]
    (correction,) = read.overlay.corrections
    assert (correction.question_id, correction.kind) == ("jamaica/1", "outdated")
    assert {str(term) for term in correction.old[0].answers} == {"en.jamaican_english", "en.jamaican_creole"}
    assert correction.new is not None
    assert {str(term) for term in correction.new[0].answers} == {"en.kingston"}
    assert (correction.reason, correction.who, correction.agreement) == ("it moved", ("ben",), 1.0)
    of = Project.objects.get().dataset
    assert (read.overlay.dataset, read.overlay.identity) == (of.name, of.identity)
    (named,) = overlay_of(json.loads(rita.client.get(f"{address}?people=pseudonyms").content)).overlay.corrections
    assert named.who[0].startswith("annotator ")


def test_a_project_that_corrects_nothing_has_no_overlay(rita: Browser, tmp_path: Path) -> None:
    found = made(rita, dataset(tmp_path))
    assert rita.get(f"/api/annotation/projects/{found['id']}/export/overlay", 409)["code"] == "nothing_corrected"


def test_an_overlay_is_written_and_evaluated_on_the_command_line(
    project: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "overlay.json"
    call_command("export_overlay", "--project", "Television", "--signer", "Rita", "--out", str(out))
    output = capsys.readouterr().err
    assert "Corrections written: 1 (unanswerable: 1)" in output
    key = output.rsplit(" ", 1)[1].strip()

    def evaluated(*more: str) -> dict[str, Any]:
        arguments = ("--dataset", str(tmp_path / "toy.jsonl"), "--format", "discern", "--graph", "toy")
        call_command("evaluate", *arguments, "--scorer", "lexical", "--topics", "linked", "--json", *more)
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return report

    without, under = evaluated(), evaluated("--overlay", str(out), "--overlay-key", key)
    of = under.pop("overlay")
    timed = {"cost", "seconds"}
    assert {k: v for k, v in under.items() if k not in timed} == {k: v for k, v in without.items() if k not in timed}
    assert (of["signer"], of["key"], of["applied"], of["not_applied"]) == ("Rita", key, {"unanswerable": 1}, {})
    assert of["figures"]["unanswerable"]["questions"] == (without["unanswerable"]["questions"] + 1)
    arguments = ("--dataset", str(tmp_path / "toy.jsonl"), "--format", "discern", "--graph", "toy")
    call_command("evaluate", *arguments, "--scorer", "lexical", "--topics", "linked", "--overlay", str(out))
    assert "without and with the overlay" in capsys.readouterr().out
    out.write_text(out.read_text(encoding="utf-8").replace("unanswerable", "wrong"), encoding="utf-8")
    with pytest.raises(CommandError, match="was altered after it was signed"):
        evaluated("--overlay", str(out))


def test_a_file_is_made_while_it_is_sent() -> None:
    taken = []

    def parts() -> Iterator[str]:
        for number in range(200):
            taken.append(number)
            yield "line\n"

    async def first_of(response: Any) -> bytes:
        async for content in response:
            return content
        return b""

    assert len(asyncio.run(first_of(streamed_file(parts(), name="f", media_type="text/plain")))) == len(taken) * 5
    assert len(taken) < 100


def test_labels_are_exported_in_any_format_on_the_command_line(
    project: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.jsonl"
    call_command("export_labels", "--project", "Television", "--format", "rog", "--out", str(out))
    assert json.loads(out.read_text(encoding="utf-8"))["a_entity"] == ["William Daniels"]
    output = capsys.readouterr().err
    assert "Labels written: 1" in output
    assert "Left out, because they say that the graph cannot answer the question: 1" in output
    call_command("export_labels", "--project", "Television", "--pseudonyms", "--moves", "--out", "-")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(line["label"]["who"].startswith("annotator ") and line["label"]["log"] for line in lines)
    with pytest.raises(CommandError, match="Name a file"):
        call_command("export_labels", "--project", "Television", "--format", "csv", "--out", "-")
