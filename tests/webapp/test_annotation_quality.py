"""Qualification rounds, and known answers that annotators do not see."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

from kgstore.terms import Entity, parse_term
from reasoning.core.derivation import Derivation
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from tests.reasoning.rules import KITT_GOLD
from tests.webapp.labelled import ACTOR, CAST, CHARACTER, IS_KITT, Labeller, changed, made
from webapp import engine
from webapp.accounts.models import AuditEntry, User
from webapp.datasets.models import Dataset
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.labels.known_answers import known_answers, rightness
from webapp.labelling.projects.models import Assignment, Member, Task

if TYPE_CHECKING:
    from pathlib import Path

    from tests.webapp.conftest import Browser

KITT = Derivation.from_json(KITT_GOLD)
DANIELS, HASSELHOFF, LARSON = "en.william_daniels", "en.david_hasselhoff", "en.glen_larson"
KNOWN, IN_DOUBT = {"answers": [DANIELS]}, {"answers": ["en.nobody_here"]}


def loaded(folder: Path, *rows: dict[str, Any], each: int = 1) -> Dataset:
    """Questions with these gold fields, each repeated ``each`` times."""
    path = folder / "gold.jsonl"
    documents = [
        {"id": f"q{number}", "question": f"who is the voice of KITT ({number})?", "topic": None, **row}
        for number, row in enumerate(row for row in rows for _ in range(each))
    ]
    path.write_text("\n".join(map(json.dumps, documents)) + "\n", encoding="utf-8")
    call_command("load_dataset", str(path), "--format", "discern")
    return Dataset.objects.latest("created_at")


def answer(who: Browser, project: dict[str, Any], *marked: str) -> Labeller:
    """Hand in the next task with these answers."""
    at_work = Labeller.at_next(who, project)
    at_work.move(kind="answers")
    at_work.move(marked=list(marked))
    who.post(f"{at_work.address}/submit")
    return at_work


def seen(who: Browser, project: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = who.get(f"/api/annotation/projects/{project['id']}")
    return found


def progress(who: Browser, project: dict[str, Any]) -> dict[str, dict[str, Any]]:
    people = who.get(f"/api/annotation/projects/{project['id']}/progress")["people"]
    return {one["name"]: one for one in people}


# --- What is known, and what is right


def question(*parses: GoldParse, **more: Any) -> BenchmarkQuestion:
    return BenchmarkQuestion("1", "who?", parses, **more)


def gold(*answers: str, derivation: Derivation | None = None, problem: str = "") -> GoldParse:
    return GoldParse(Entity("en.knight_rider"), frozenset(map(parse_term, answers)), derivation, problem)


WAY_ELSEWHERE = Derivation.from_json(
    {"topic": "en.knight_rider", "search": [[0, "tv.tv_program.program_creator"]], "answer": 1}
)


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        (question(gold(DANIELS, derivation=KITT)), [[DANIELS]]),
        (question(gold(DANIELS, "en.not_in_this_part", derivation=KITT)), [[DANIELS]]),
        (question(gold(DANIELS, HASSELHOFF, derivation=KITT)), None),
        (question(gold(DANIELS, derivation=WAY_ELSEWHERE)), None),
        (question(gold(DANIELS, HASSELHOFF)), [[HASSELHOFF, DANIELS]]),
        (question(gold(DANIELS, "en.not_in_this_part")), None),
        (question(gold('"4"^^xsd:integer')), None),
        (question(gold(DANIELS, derivation=KITT), gold(LARSON, derivation=WAY_ELSEWHERE)), [[DANIELS], [LARSON]]),
        (question(gold(DANIELS, derivation=KITT), gold(DANIELS, derivation=WAY_ELSEWHERE)), None),
        (question(gold('"William Daniels"', derivation=KITT), compared_by="name"), [[DANIELS]]),
        (question(gold('"William Daniels"'), compared_by="name"), None),
        (question(gold(DANIELS, derivation=KITT), labels={"answers": "unknown"}), [[DANIELS]]),
        (question(gold(DANIELS), labels={"answers": "one of several"}), None),
        (question(gold(problem="the graph holds no voices")), []),
        (question(gold(problem="no gold path")), None),
        (question(), None),
    ],
)
def test_answers_are_known_where_dataset_and_graph_agree(
    asked: BenchmarkQuestion, known: list[list[str]] | None
) -> None:
    found = known_answers(asked, "discern", engine.graph("toy"))
    assert found == (None if known is None else {"answers": known})


def test_only_the_site_s_own_format_says_that_a_graph_cannot_answer() -> None:
    assert known_answers(question(gold(problem="no answer")), "webqsp", engine.graph("toy")) is None


DECIDED = {"topic": "en.knight_rider", "steps": [CAST, ACTOR, CHARACTER], "answer": 2}
READING = {"topic": "en.knight_rider", "steps": [CAST, ACTOR, CHARACTER], "conditions": [], "answer": 2}


@pytest.mark.parametrize(
    ("said", "accepted", "right"),
    [
        ({**DECIDED, "conditions": [IS_KITT]}, [[DANIELS]], 1.0),
        (DECIDED, [[DANIELS]], 0.5),
        ({"kind": "answers", "marked": [DANIELS]}, [[LARSON], [DANIELS]], 1.0),
        ({"kind": "answers", "marked": [DANIELS, LARSON]}, [[DANIELS]], 2 / 3),
        ({"kind": "answers", "marked": [LARSON]}, [[DANIELS]], 0.0),
        ({"kind": "ambiguous", "readings": [{**READING, "conditions": [IS_KITT]}, READING]}, [[DANIELS]], 0.75),
        ({"kind": "ambiguous"}, [[DANIELS]], 0.0),
        ({"kind": "unanswerable"}, [], 1.0),
        ({"kind": "unanswerable"}, [[DANIELS]], 0.0),
        ({"kind": "answers", "marked": [DANIELS]}, [], 0.0),
        ({"kind": "reword", "rewording": "?"}, [[DANIELS]], 0.0),
        ({"kind": "benchmark", "benchmark": "wrong"}, [[DANIELS]], 0.0),
    ],
)
def test_what_is_right_is_the_f1_of_the_answers(said: dict[str, Any], accepted: list[list[str]], right: float) -> None:
    draft = Draft.model_validate(said)
    assert rightness(draft, {"answers": accepted}, question(), engine.graph("toy")) == pytest.approx(right)


# --- The qualification round


@pytest.fixture
def with_round(rita: Browser, ben: Browser, mia: Browser, tmp_path: Path) -> dict[str, Any]:
    """Two questions of a round, and four tasks; of twelve questions of the dataset the answers of ten are known."""
    of = loaded(tmp_path, *[KNOWN] * 10, *[IN_DOUBT] * 2)
    asked = {"dataset": str(of.pk), "search": "", "limit": 4}
    return made(rita, of, "ben", "mia", questions=asked, qualification={"questions": 2, "percent": 75})


def test_everybody_answers_the_round_first_and_who_passes_goes_on(
    with_round: dict[str, Any], rita: Browser, ben: Browser, mia: Browser
) -> None:
    assert (with_round["tasks"], with_round["qualification"]) == (4, {"questions": 2, "percent": 75})
    assert with_round["standing"] is None, "who manages it and does not label has none"
    assert seen(ben, with_round)["standing"] == {
        "standing": "open",
        "round": 1,
        "done": 0,
        "size": 2,
        "percent": 75,
        "measured": None,
    }
    first = answer(ben, with_round, DANIELS)
    hers = Labeller.at_next(mia, with_round)
    assert hers.task["id"] == first.task["id"], "the same for everybody, whatever the overlap"
    places = [(first.task[name], hers.task[name]) for name in ("round", "position", "tasks")]
    assert places == [(1, 1), (1, 1), (2, 2)]
    second = answer(ben, with_round, DANIELS)
    assert (second.task["position"], second.task["previous"]) == (2, first.task["id"])
    shown = seen(ben, with_round)
    assert shown["standing"]["standing"] == "passed"
    assert shown["standing"]["measured"]["right"] == 2
    assert (shown["mine"]["done"], shown["figures"]["done"], shown["figures"]["open"]) == (0, 0, 0), (
        "apart from the tasks"
    )
    ordinary = answer(ben, with_round, LARSON)
    assert [ordinary.task[name] for name in ("round", "position", "tasks", "previous")] == [0, 1, 4, None]
    people = progress(rita, with_round)
    assert (people["ben"]["done"], people["ben"]["qualification"]["standing"]) == (1, "passed")
    assert (people["mia"]["open"], people["mia"]["qualification"]["done"]) == (0, 0)
    assert people["rita"]["qualification"] is None


def test_the_questions_of_a_round_are_others_than_the_tasks_and_are_not_counted_as_taken(
    with_round: dict[str, Any], rita: Browser, ben: Browser
) -> None:
    rows = rita.get(f"/api/annotation/projects/{with_round['id']}/tasks")
    assert [row["round"] for row in rows["tasks"]] == [0, 0, 0, 0, 1, 1]
    assert (rows["total"], rows["all"]) == (6, 6)
    assert [row["question_id"] for row in rows["tasks"][:4]] == ["q0/1", "q1/1", "q2/1", "q3/1"]
    Labeller.at_next(ben, with_round)
    assert sorted(Task.objects.values_list("round", "free")) == [(0, 1)] * 4 + [(1, 0)] * 2


def test_who_does_not_reach_the_mark_is_shown_what_was_expected_and_gets_no_task(
    with_round: dict[str, Any], rita: Browser, ben: Browser
) -> None:
    address = f"/api/annotation/projects/{with_round['id']}"
    first = answer(ben, with_round, DANIELS)
    assert ben.get(f"{address}/qualification")["answers"] == [], "nothing is told before all are handed in"
    assert ben.get("/api/annotation/home")["next_project"] == with_round["id"]
    answer(ben, with_round, LARSON)
    reply = ben.get(f"{address}/qualification")
    assert (reply["told"]["standing"], reply["told"]["measured"]["mean"]) == ("failed", 0.5)
    assert [
        (one["score"], [each["label"] for each in one["given"]], [each["label"] for each in one["expected"]])
        for one in reply["answers"]
    ] == [(1.0, ["William Daniels"], ["William Daniels"]), (0.0, ["Glen A. Larson"], ["William Daniels"])]
    given = ben.post(f"{address}/next")
    assert given["task"] is None
    assert "You have not passed the qualification round of “Television” this time" in given["reason"]
    assert ben.get("/api/annotation/home")["next_project"] is None
    assert ben.post(f"{first.address}/reopen", status=409)["code"] == "round_over"
    assert progress(rita, with_round)["ben"]["qualification"]["standing"] == "failed"


def fail(who: Browser, project: dict[str, Any]) -> list[int]:
    return [answer(who, project, LARSON).task["id"] for _ in range(project["qualification"]["questions"])]


def of_ben(project: dict[str, Any]) -> str:
    return f"/api/annotation/projects/{project['id']}/members/{User.objects.get(username='ben').pk}"


def test_a_manager_lets_somebody_in(with_round: dict[str, Any], rita: Browser, ben: Browser) -> None:
    fail(ben, with_round)
    changed(ben, of_ben(with_round), {"qualification": "let_in"}, 403)
    changed(rita, of_ben(with_round), {"qualification": "let_in"})
    assert Labeller.at_next(ben, with_round).task["round"] == 0
    assert seen(ben, with_round)["standing"]["standing"] == "let_in"
    entry = AuditEntry.objects.latest("pk")
    assert (entry.before, entry.after) == (
        "annotator, qualification 1: not passed",
        "annotator, qualification 1: let in",
    )
    assert ben.get("/api/annotation/home")["next_project"] == with_round["id"]


def test_a_manager_lets_somebody_try_again_with_other_questions(
    with_round: dict[str, Any], rita: Browser, ben: Browser, mia: Browser
) -> None:
    address = of_ben(with_round)
    assert changed(rita, address, {"qualification": "again"}, 409)["code"] == "not_failed"
    first = fail(ben, with_round)
    changed(rita, address, {"qualification": "again"})
    again = [answer(ben, with_round, DANIELS).task for _ in range(2)]
    assert {task["id"] for task in again}.isdisjoint(first)
    assert [(task["round"], task["position"]) for task in again] == [(2, 1), (2, 2)]
    shown = seen(ben, with_round)["standing"]
    assert (shown["standing"], shown["round"]) == ("passed", 2)
    assert Labeller.at_next(ben, with_round).task["round"] == 0
    assert Labeller.at_next(mia, with_round).task["round"] == 1, "others begin with the first"
    assert changed(rita, address, {"qualification": "let_in"}, 409)["code"] == "passed_already"


def test_where_too_few_questions_are_left_nobody_tries_again(rita: Browser, ben: Browser, tmp_path: Path) -> None:
    of = loaded(tmp_path, *[KNOWN] * 3)
    asked = {"dataset": str(of.pk), "limit": 1}
    project = made(rita, of, "ben", questions=asked, qualification={"questions": 2})
    fail(ben, project)
    shown = changed(rita, of_ben(project), {"qualification": "again"}, 422)
    assert (shown["code"], shown["extra"]["known"]) == ("too_few_known", 0)
    assert Member.objects.get(person__username="ben").standing == "failed"


def test_a_task_of_a_round_is_nobody_else_s_to_take(with_round: dict[str, Any], ben: Browser) -> None:
    at_work = Labeller.at_next(ben, with_round)
    assert ben.post(f"{at_work.address}/skip", status=409)["code"] == "not_to_be_skipped"
    Assignment.objects.update(lease_until="2020-01-01T00:00:00Z")
    assert Labeller.at_next(ben, with_round).task["id"] == at_work.task["id"]
    at_work.move(kind="answers", marked=[LARSON])
    ben.post(f"{at_work.address}/submit")
    ben.post(f"{at_work.address}/reopen")
    assert Assignment.objects.get().score is None
    at_work = Labeller(ben, at_work.task["id"])
    at_work.move(marked=[DANIELS])
    ben.post(f"{at_work.address}/submit")
    assert Assignment.objects.get().score == 1, "until all are handed in, each may be changed"


def test_wordings_of_one_question_are_drawn_once(rita: Browser, tmp_path: Path) -> None:
    of = loaded(tmp_path, {"phrasings": [f"who ({n})?" for n in range(5)], **KNOWN}, IN_DOUBT)
    wanted = {"title": "T", "questions": {"dataset": str(of.pk)}, "graph": "toy", "qualification": {"questions": 2}}
    reply = rita.post("/api/annotation/projects", wanted, status=422)
    assert (reply["code"], reply["extra"]["known"]) == ("too_few_known", 1)


# --- Known answers that annotators do not see


def test_a_share_of_the_tasks_is_measured_and_only_managers_see_it(
    rita: Browser, ben: Browser, mia: Browser, tmp_path: Path
) -> None:
    of = loaded(tmp_path, KNOWN, IN_DOUBT, each=5)
    project = made(rita, of, "ben", overlap=2, known_percent=40)
    rita.post(f"/api/annotation/projects/{project['id']}/members", {"name": "mia", "role": "reviewer"}, status=201)
    known = {task.question.question_id for task in Task.objects.filter(known__isnull=False)}
    assert len(known) == 4
    for _ in range(10):
        at_work = Labeller.at_next(ben, project)
        right = at_work.task["question_id"] in known and at_work.task["question_id"] != min(known)
        at_work.move(kind="answers", marked=[DANIELS] if right else [DANIELS, LARSON])
        ben.post(f"{at_work.address}/submit")
    shown = progress(rita, project)["ben"]["known"]
    assert (shown["done"], shown["right"], shown["mean"]) == (4, 3, pytest.approx(11 / 12))
    assert 2 / 3 <= shown["low"] <= shown["mean"] <= shown["high"] == 1
    assert progress(rita, project)["rita"]["known"] is None
    assert progress(mia, project)["ben"]["known"] is None
    assert (project["known_percent"], seen(ben, project)["known_percent"]) == (40, None)
    rows = {who: who.get(f"/api/annotation/projects/{project['id']}/tasks")["tasks"] for who in (rita, mia)}
    assert {row["question_id"] for row in rows[rita] if row["known"]} == known
    assert {row["known"] for row in rows[mia]} == {None}


def shape(document: Any) -> Any:
    """What a document says apart from its values: which fields it has, and which of them are null."""
    if isinstance(document, dict):
        return {name: shape(value) for name, value in document.items()}
    return [shape(each) for each in document[:1]] if isinstance(document, list) else document is None


@pytest.mark.parametrize("suggests", [False, True], ids=["nothing suggested", "gold suggested"])
def test_no_answer_to_who_labels_tells_which_task_has_known_answers(
    rita: Browser, ben: Browser, mia: Browser, tmp_path: Path, suggests: bool
) -> None:
    """All that an annotator and a reviewer get of a task with known answers is as it is of one without."""
    rows = [{**KITT_GOLD, "id": f"q{n}", "question": f"who is the voice of KITT ({n})?"} for n in range(10)]
    of = loaded(tmp_path, *rows)
    share = {"suggests": "dataset", "blind_percent": 90} if suggests else {}
    project = made(rita, of, "ben", known_percent=30, **share)
    address = f"/api/annotation/projects/{project['id']}"
    rita.post(f"{address}/members", {"name": "mia", "role": "reviewer"}, status=201)
    whole = {**DECIDED, "steps_ended": True, "conditions": [IS_KITT], "conditions_ended": True}
    of_known: dict[bool, list[Any]] = {True: [], False: []}
    suggested: dict[bool, set[bool]] = {True: set(), False: set()}
    for _ in range(10):
        at_work = Labeller.at_next(ben, project)
        reply = [ben.get("/api/annotation/home")["open"], at_work.task]
        at_work.move(**whole)
        reply += [ben.get(f"{at_work.address}/check"), ben.get(f"{at_work.address}/moves")]
        reply += [ben.post(f"{at_work.address}/submit"), ben.post(f"{at_work.address}/reopen")]
        reply += [ben.post(f"{at_work.address}/submit"), ben.get(at_work.address)["work"]]
        known = Task.objects.get(pk=at_work.task["id"]).known is not None
        suggested[known].add(at_work.task["suggestion"] is None)
        for document in reply[1:2]:
            document["suggestion"] = document["previous"] = document["next"] = 0
        of_known[known].append(shape(reply))
    assert len(of_known[True]) == 3
    shapes = {json.dumps(each, sort_keys=True) for both in of_known.values() for each in both}
    assert len(shapes) == 1
    assert suggested[True] == {True} <= suggested[False]
    ben.get(f"{address}/export/file", 403)
    lines = [json.loads(line) for line in labels(mia, project)]
    assert len({json.dumps(sorted(line["label"])) for line in lines}) == 1
    blind = {line["label"]["question_id"] for line in lines if line["label"]["blind"]}
    known_ids = {task.question.question_id for task in Task.objects.filter(known__isnull=False)}
    assert known_ids < blind if suggests else not blind, "blind tasks are more than those with known answers, or none"


def labels(who: Browser, project: dict[str, Any]) -> list[str]:
    response = who.client.get(f"/api/annotation/projects/{project['id']}/export/file")
    assert response.status_code == 200
    lines: list[str] = response.getvalue().decode().splitlines()
    return lines


def test_the_schema_of_what_annotators_get_has_no_word_of_known_answers(ben: Browser) -> None:
    schemas = ben.get("/api/openapi.json")["components"]["schemas"]
    for name in ("TaskOut", "WorkOut", "TaskRowOut", "NextOut", "MovedOut", "CheckOut", "LabelFiguresOut"):
        assert not {"known", "blind", "score", "gold"} & schemas[name]["properties"].keys(), name


def test_where_something_is_suggested_others_are_blind_too(rita: Browser, tmp_path: Path) -> None:
    of = loaded(tmp_path, *[KNOWN] * 10)
    wanted = {"title": "T", "questions": {"dataset": str(of.pk)}, "graph": "toy", "suggests": "dataset"}
    reply = rita.post("/api/annotation/projects", {**wanted, "known_percent": 20, "blind_percent": 10}, status=422)
    assert (reply["code"], "at least 20 per cent" in reply["message"]) == ("known_stand_out", True)
    rita.post("/api/annotation/projects", {**wanted, "known_percent": 20, "blind_percent": 20}, status=201)


@pytest.mark.parametrize(
    ("change", "known", "of"),
    [
        ({"qualification": {"questions": 4}}, 3, 8),
        ({"known_percent": 50}, 3, 8),
        ({"qualification": {"questions": 2}, "known_percent": 34}, 1, 6),
    ],
)
def test_too_few_known_answers_are_reported_with_figures(
    rita: Browser, tmp_path: Path, change: dict[str, Any], known: int, of: int
) -> None:
    dataset = loaded(tmp_path, *[KNOWN] * 3, *[IN_DOUBT] * 5)
    wanted = {"title": "T", "questions": {"dataset": str(dataset.pk)}, "graph": "toy", **change}
    reply = rita.post("/api/annotation/projects", wanted, status=422)
    assert (reply["code"], reply["extra"]["known"], reply["extra"]["of"]) == ("too_few_known", known, of)
    assert f"of the {of} questions {known} have answers that the dataset says and “Toy” gives" in reply["message"]


def test_a_round_leaves_something_to_label(rita: Browser, tmp_path: Path) -> None:
    of = loaded(tmp_path, KNOWN, KNOWN)
    wanted = {"title": "T", "questions": {"dataset": str(of.pk)}, "graph": "toy", "qualification": {"questions": 2}}
    assert rita.post("/api/annotation/projects", wanted, status=422)["code"] == "no_questions"


def test_exported_labels_are_marked_for_those_who_manage(
    rita: Browser, ben: Browser, mia: Browser, tmp_path: Path
) -> None:
    of = loaded(tmp_path, KNOWN, KNOWN, IN_DOUBT)
    asked = {"dataset": str(of.pk), "limit": 3}
    project = made(rita, of, "ben", questions=asked, qualification={"questions": 1}, known_percent=50)
    rita.post(f"/api/annotation/projects/{project['id']}/members", {"name": "mia", "role": "reviewer"}, status=201)
    for _ in range(3):
        answer(ben, project, DANIELS)
    lines = [json.loads(line) for line in labels(rita, project)]
    assert sorted(((line["label"]["round"], line["label"]["score"], "answers" in line) for line in lines), key=str) == [
        (0, 1.0, True),
        (0, None, True),
        (1, 1.0, False),
    ], "a label of the round is none to learn from"
    assert all("known" not in line["label"] for line in map(json.loads, labels(mia, project)))
    path = tmp_path / "again.jsonl"
    path.write_text("\n".join(labels(rita, project)) + "\n", encoding="utf-8")
    call_command("load_dataset", str(path), "--format", "discern")
    again = Dataset.objects.latest("created_at")
    assert (again.questions_stored, again.malformed_found) == (2, 1)
