"""Pre-labels come from a dataset's gold derivations; labels leave as a dataset that is read again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from reasoning.core.derivation import Derivation
from reasoning.datasets.question import BenchmarkQuestion, RefusedQuestion
from reasoning.datasets.registry import read_dataset
from tests.reasoning.rules import KITT_GOLD
from tests.webapp.labelled import ACTOR, CAST, CHARACTER, IS_KITT, Labeller, made
from webapp.datasets.models import Dataset
from webapp.labelling.projects.models import Assignment, Project, Task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.webapp.conftest import Browser

HEAD = "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT DISTINCT ?x WHERE { "
GOLD = Derivation.from_json(KITT_GOLD)


def loaded(path: Path, format_: str, content: str) -> Dataset:
    path.write_text(content, encoding="utf-8")
    call_command("load_dataset", str(path), "--format", format_)
    return Dataset.objects.latest("created_at")


def webqsp(folder: Path, *queries: str) -> Dataset:
    """WebQSP questions about Knight Rider whose answers are William Daniels."""
    answers = [{"AnswerType": "Entity", "AnswerArgument": "en.william_daniels"}]
    questions = [
        {
            "QuestionId": f"Q-{number}",
            "RawQuestion": f"who plays the voice of KITT in Knight Rider ({number})?",
            "Parses": [{"Sparql": HEAD + query, "TopicEntityMid": "en.knight_rider", "Answers": answers}],
        }
        for number, query in enumerate(queries)
    ]
    return loaded(folder / "webqsp.json", "webqsp", json.dumps({"Questions": questions}))


KITT_QUERY = (
    "ns:en.knight_rider ns:tv.tv_program.regular_cast ?y . ?y ns:tv.regular_tv_appearance.actor ?x . "
    "?y ns:tv.regular_tv_appearance.character ns:en.kitt }"
)
ELSEWHERE = "ns:en.knight_rider ns:tv.tv_program.program_creator ?x }"
UNKNOWN = "ns:en.knight_rider ns:no.such.relation ?x }"


# --- Pre-labels


def test_gold_of_webqsp_is_suggested_and_is_no_label_by_itself(rita: Browser, ben: Browser, tmp_path: Path) -> None:
    project = made(rita, webqsp(tmp_path, KITT_QUERY), "ben", suggests="dataset")
    assert (project["suggests"], project["suggestions"], project["blind_percent"]) == ("dataset", None, 0)
    at_kitt = Labeller.at_next(ben, project)
    assert at_kitt.task["suggestion"] == {
        "source": "webqsp gold",
        "topic": "en.knight_rider",
        "steps": [CAST, ACTOR, CHARACTER],
        "conditions": [IS_KITT],
        "answer": 2,
        "counted": False,
    }
    assert (at_kitt.work["last"], at_kitt.work["draft"]["topic"]) == (0, None)
    assert Labeller(ben, at_kitt.task["id"]).task["suggestion"] == at_kitt.task["suggestion"]
    kept = Task.objects.get().suggestion
    assert kept["source"] == "webqsp gold"
    assert Derivation.from_json(kept["derivation"]) == GOLD


def grailqa(folder: Path) -> Dataset:
    entry = {
        "qid": 1,
        "question": "who plays the voice of KITT in Knight Rider?",
        "sparql_query": HEAD + KITT_QUERY,
        "answer": [{"answer_type": "Entity", "answer_argument": "en.william_daniels"}],
    }
    return loaded(folder / "grailqa.json", "grailqa", json.dumps([entry]))


def own(folder: Path) -> Dataset:
    return loaded(folder / "own.jsonl", "discern", json.dumps(KITT_GOLD) + "\n")


@pytest.mark.parametrize(
    ("make", "source", "begins", "demanded"),
    [
        # GrailQA names no topic: the gold query is read from one of its entities.
        (grailqa, "grailqa gold", "en.kitt", "en.knight_rider"),
        (own, "discern gold", "en.knight_rider", "en.kitt"),
    ],
)
def test_other_formats_with_gold_derivations_suggest_theirs(
    rita: Browser,
    ben: Browser,
    tmp_path: Path,
    make: Callable[[Path], Dataset],
    source: str,
    begins: str,
    demanded: str,
) -> None:
    suggestion = Labeller.at_next(ben, made(rita, make(tmp_path), "ben", suggests="dataset")).task["suggestion"]
    assert (suggestion["source"], suggestion["topic"], suggestion["answer"]) == (source, begins, 2)
    assert suggestion["conditions"] == [IS_KITT | {"target": demanded}]


@pytest.mark.parametrize("query", [ELSEWHERE, UNKNOWN], ids=["leads elsewhere", "not in this graph"])
def test_gold_that_does_not_fit_the_graph_is_not_suggested(
    rita: Browser, ben: Browser, tmp_path: Path, query: str
) -> None:
    project = made(rita, webqsp(tmp_path, query), "ben", suggests="dataset")
    assert Labeller.at_next(ben, project).task["suggestion"] is None


def test_a_project_suggests_nothing_unless_it_is_asked_to(rita: Browser, ben: Browser, tmp_path: Path) -> None:
    project = made(rita, webqsp(tmp_path, KITT_QUERY), "ben")
    assert project["suggests"] == "nothing"
    assert Labeller.at_next(ben, project).task["suggestion"] is None


def test_blind_tasks_show_no_suggestion_and_are_the_share_that_was_asked_for(
    rita: Browser, ben: Browser, tmp_path: Path
) -> None:
    of = webqsp(tmp_path, *[KITT_QUERY] * 60)
    part = made(rita, of, "ben", suggests="dataset", blind_percent=50)
    blind = Task.objects.filter(project=part["id"], blind=True).count()
    assert 15 <= blind <= 45
    for percent, count in ((0, 0), (100, 60)):
        project = made(rita, of, "ben", suggests="dataset", blind_percent=percent)
        assert Task.objects.filter(project=project["id"], blind=True).count() == count
    assert Labeller.at_next(ben, project).task["suggestion"] is None
    wanted = {"title": "T", "questions": {"dataset": str(of.pk)}, "graph": "toy", "blind_percent": 101}
    rita.post("/api/annotation/projects", wanted, status=422)


# --- Labels


@pytest.fixture
def project(rita: Browser, ben: Browser, tmp_path: Path) -> dict[str, Any]:
    """A project with a label of each of six kinds, handed in by Ben."""
    rows = [{"id": f"q{n}", "question": f"who is the voice of KITT ({n})?", "answers": []} for n in range(6)]
    of = loaded(tmp_path / "mine.jsonl", "discern", "\n".join(map(json.dumps, rows)) + "\n")
    made_project = made(rita, of, "ben", title="Voices")
    said: list[dict[str, Any]] = [
        {"kind": "answers", "marked": ["en.william_daniels"]},
        {"kind": "unanswerable", "missing": {"what": "fact", "note": "no voice"}},
        {"kind": "reword", "rewording": "who speaks KITT?"},
        {"kind": "benchmark", "benchmark": "wrong"},
        {
            "kind": "facts",
            "facts": [
                {"subject": "m.cast_kitt", "relation": "tv.regular_tv_appearance.actor", "object": "en.william_daniels"}
            ],
            "marked": ["en.william_daniels"],
        },
    ]
    first = Labeller.at_next(ben, made_project)
    first.label_kitt()
    ben.post(f"{first.address}/submit")
    for fields in said:
        at = Labeller.at_next(ben, made_project)
        at.move(**fields)
        ben.post(f"{at.address}/submit")
    return made_project


def exported(rita: Browser, project: dict[str, Any]) -> str:
    response = rita.client.get(f"/api/annotation/projects/{project['id']}/export/file")
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    return response.getvalue().decode()


def test_labels_are_read_again_as_a_dataset_with_the_same_derivations(
    rita: Browser, project: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(exported(rita, project), encoding="utf-8")
    read = list(read_dataset(path, "discern"))
    questions = [each for each in read if isinstance(each, BenchmarkQuestion)]
    assert [each.parses[0].derivation for each in questions] == [GOLD, None, None, None]
    assert [sorted(map(str, each.parses[0].answers)) for each in questions] == [
        ["en.william_daniels"],
        ["en.william_daniels"],
        [],
        ["en.william_daniels"],
    ]
    assert questions[2].parses[0].problem == "fact missing"
    assert questions[0].group == "q0", "all labels of one question stay on one side of a split"
    # A question to be reworded, and one whose benchmark is wrong, are no questions to learn from.
    assert sum(isinstance(each, RefusedQuestion) for each in read) == 2


def test_nothing_that_a_label_says_is_left_out(rita: Browser, project: dict[str, Any]) -> None:
    lines = [json.loads(line) for line in exported(rita, project).splitlines()]
    assert [line["label"]["kind"] for line in lines] == [
        "derivation",
        "answers",
        "unanswerable",
        "reword",
        "benchmark",
        "facts",
    ]
    assert {line["label"]["who"] for line in lines} == {"ben"}
    drafts = [row.draft for row in Assignment.objects.order_by("task__position")]
    assert [line["label"]["draft"] for line in lines] == drafts
    first = lines[0]["label"]
    assert (first["question_id"], first["guideline"], first["moves"]) == ("q0/1", 1, 8)
    assert first["graph_version"] == Project.objects.get().graph_version
    assert first["started_at"] <= first["submitted_at"]


def test_only_who_manages_projects_exports_their_labels(ben: Browser, project: dict[str, Any]) -> None:
    ben.get(f"/api/annotation/projects/{project['id']}/export/file", 403)


def test_labels_are_exported_on_the_command_line(rita: Browser, project: dict[str, Any], tmp_path: Path) -> None:
    by_id, by_title = tmp_path / "by-id.jsonl", tmp_path / "by-title.jsonl"
    call_command("export_labels", "--project", project["id"], "--out", str(by_id))
    call_command("export_labels", "--project", "Voices", "--out", str(by_title))
    assert by_id.read_text(encoding="utf-8") == by_title.read_text(encoding="utf-8") == exported(rita, project)
    with pytest.raises(CommandError, match="There is no project “Faces”"):
        call_command("export_labels", "--project", "Faces", "--out", str(by_id))
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        call_command("export_labels", "--project", "Voices", "--out", str(tmp_path / "no" / "labels.jsonl"))
