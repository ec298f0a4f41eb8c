"""Evaluations: started by staff, shared by workers, every question judged once, and all of it to be looked at."""

from __future__ import annotations

import csv
import io
import itertools
import json
import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Semaphore
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.reasoning.chat_server import chat_server, first_longest
from tests.webapp.conftest import wait_until
from tests.webapp.evaluations_at_work import work_until
from tests.webapp.failing_writes import failing_write
from tests.webapp.labelled import signed_in
from webapp.accounts.models import Role, User
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.worker import run_execute
from webapp.evaluations.models import EvaluatedQuestion, Evaluation, JudgedDecisions
from webapp.evaluations.working import claims, worker
from webapp.evaluations.working.moves import evaluations
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.work.heartbeat import READY, heartbeat_forget, heartbeat_send, is_served
from webapp.platform.work.lease import LEASE
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pytest_django import DjangoAssertNumQueries
    from pytest_django.fixtures import SettingsWrapper

    from tests.reasoning.chat_server import ChatServer
    from tests.webapp.conftest import Browser, Worker

WANTED = {"dataset": "sample", "graph": "sample", "scorer": "lexical", "split": "all", "limit": 12}


pytestmark = pytest.mark.usefixtures("sample_graph_loaded", "sample_questions")


@pytest.fixture
def datasets() -> Iterator[Path]:
    """The folder where admins put files of questions."""
    folder: Path = settings.ENVIRONMENT.home / "datasets"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def start(cleo: Browser, **more: Any) -> Any:
    return cleo.post("/api/evaluations", {**WANTED, **more}, status=201)


def work_off(started: dict[str, Any]) -> Evaluation:
    """Do what the workers would."""
    evaluation = Evaluation.objects.get(pk=started["id"])
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
        evaluation.refresh_from_db()
    return evaluation


def test_an_evaluation_judges_every_question_and_sums_them_up(cleo: Browser) -> None:
    started = start(cleo, note="first try")
    assert (started["status"], started["total"], started["done"]) == ("queued", None, 0)
    evaluation = work_off(started)
    assert evaluation.status == Status.SUCCEEDED
    reply = cleo.get(f"/api/evaluations/{started['id']}")
    assert (reply["total"], reply["done"], reply["figures_of"]) == (12, 12, 12)
    assert reply["starter"] == "Cleo"
    assert reply["figures"]["questions"] == 12
    assert reply["figures"]["all"]["macro_f1"] == pytest.approx(reply["f1"])
    assert sum(reply["figures"]["cases"].values()) == reply["figures"]["in_graph"]["questions"]
    assert len(reply["fingerprint"]) == 64
    listed = cleo.get("/api/evaluations")
    assert [each["note"] for each in listed["evaluations"]] == ["first try"]
    assert listed["total"] == 1


@pytest.mark.parametrize(("key", "value"), [("of_a_removed_strategy", 3), ("strategy", "removed")])
def test_an_evaluation_by_a_strategy_that_was_removed_is_still_listed(
    cleo: Browser, key: str, value: int | str
) -> None:
    evaluation = Evaluation.objects.get(pk=start(cleo)["id"])
    evaluation.switches[key] = value
    evaluation.save()
    listed = cleo.get("/api/evaluations")["evaluations"]
    assert [each["id"] for each in listed] == [str(evaluation.pk)]
    assert listed[0]["settings"]["strategy"] == ("removed" if key == "strategy" else "reads")
    assert cleo.get(f"/api/evaluations/{evaluation.pk}")["settings"] == listed[0]["settings"]


def test_the_list_asks_the_database_as_often_for_many_evaluations_as_for_one(
    cleo: Browser, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    work_off(start(cleo, limit=2))
    with CaptureQueriesContext(connection) as for_one:
        (alone,) = cleo.get("/api/evaluations")["evaluations"]
        asked = len(for_one)
    work_off(start(cleo, limit=3))
    start(cleo)
    with django_assert_num_queries(asked):
        unjudged, _, first = cleo.get("/api/evaluations")["evaluations"]
    assert first == alone
    assert (unjudged["right"], unjudged["f1"]) == (None, None)


def test_the_labels_of_the_questions_are_read_once(
    cleo: Browser, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    address = f"/api/evaluations/{start(cleo)['id']}"
    assert cleo.get(address)["labels"] == []
    evaluation_work(Evaluation.objects.get().pk)
    with CaptureQueriesContext(connection) as at_first:
        labels = cleo.get(address)["labels"]
    assert "domain" in {label["name"] for label in labels}
    with django_assert_num_queries(len(at_first) - 1):
        assert cleo.get(address)["labels"] == labels


def test_only_staff_starts_and_stops_and_everybody_looks(
    cleo: Browser, browser: Callable[[], Browser], ada: User
) -> None:
    started = start(cleo)
    visitor = browser()
    for other, status, code in ((visitor, 401, "sign_in_first"), (signed_in(browser, "ada"), 403, "staff_only")):
        assert other.post("/api/evaluations", WANTED, status=status)["code"] == code
        assert other.post(f"/api/evaluations/{started['id']}/cancel", status=status)["code"] == code
        assert other.post(f"/api/evaluations/{started['id']}/resume", status=status)["code"] == code
        assert not other.get("/api/evaluations")["may_manage"]
        assert not other.get(f"/api/evaluations/{started['id']}")["may_manage"]
    assert cleo.get("/api/evaluations")["may_manage"]
    assert visitor.get("/api/evaluations/00000000-0000-4000-8000-000000000000", 404)["code"] == "unknown_evaluation"


def test_what_makes_no_sense_is_refused_with_what_to_do(cleo: Browser, datasets: Path) -> None:
    def refused(**more: Any) -> Any:
        return cleo.post("/api/evaluations", {**WANTED, **more}, status=422)

    (datasets / "notes.txt").write_text("nothing of the kind\n")
    (datasets / "empty.jsonl").write_text("")
    (datasets.parent / "secret.jsonl").write_text("{}")
    assert refused(dataset="../secret.jsonl")["code"] == "unknown_dataset"
    assert refused(dataset="/etc/passwd")["code"] == "unknown_dataset"
    wrong = refused(dataset="notes.txt", format="metaqa")
    assert wrong["code"] == "wrong_format"
    assert "MetaQA" in wrong["message"]
    assert str(datasets) not in wrong["message"]
    assert refused(dataset="empty.jsonl")["code"] == "empty_dataset"
    assert refused(format="xml")["code"] == "unknown_format"
    assert "encoder" in refused(scorer="oracle")["message"]
    assert refused(graph="nowhere")["code"] == "graph_unavailable"
    assert refused(limit=0)["code"] == "invalid_request"
    assert not Evaluation.objects.exists()


def test_files_of_admins_are_offered_with_their_likely_format(cleo: Browser, datasets: Path) -> None:
    (datasets / "metaqa" / "1-hop").mkdir(parents=True)
    (datasets / "metaqa" / "1-hop" / "dev.txt").write_text("what does [Tom Cullen] act in\tWeekend\n")
    (datasets / ".hidden.txt").write_text("")
    (datasets / "picture.png").write_text("")
    shutil.copy(SAMPLE_FOLDER / "tv.jsonl", datasets / "tv.jsonl")
    offered = cleo.get("/api/datasets")
    assert [(each["name"], each["likely_format"]) for each in offered["files"]] == [
        ("sample", "discern"),
        ("metaqa/1-hop/dev.txt", "metaqa"),
        ("tv.jsonl", "discern"),
    ]
    assert {"webqsp", "cwq", "grailqa", "rog"} <= {each["name"] for each in offered["formats"]}
    evaluation = work_off(start(cleo, dataset="tv.jsonl", limit=3))
    assert evaluation.done == 3


def test_no_question_of_a_dataset_ends_the_others(cleo: Browser, datasets: Path) -> None:
    lines = (SAMPLE_FOLDER / "tv.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    first = json.loads(lines[0])
    hostile: list[Any] = [
        None,
        {**first, "id": "long", "phrasings": ["x" * 100_000]},
        {**first, "id": "half", "phrasings": ["who is \ud800"]},
        {**first, "id": "NUL", "phrasings": ["who is \x00"]},
        {**first, "id": "way", "search": [[7, "r.p"]]},
    ]
    content = [lines[0], *map(json.dumps, hostile), "not JSON", lines[0], lines[1]]
    (datasets / "hostile.jsonl").write_text("\n".join(content), encoding="utf-8")
    evaluation = work_off(start(cleo, dataset="hostile.jsonl", format="discern", limit=None))
    assert evaluation.status == Status.SUCCEEDED
    reply = cleo.get(f"/api/evaluations/{evaluation.pk}")
    phrasings = sum(len(json.loads(line)["phrasings"]) for line in lines)
    assert (reply["total"], reply["done"]) == (phrasings, phrasings)
    assert sum(reply["left_out"].values()) == len(reply["refused"]) == len(hostile) + 1 + len(first["phrasings"])
    places = [refused["place"] for refused in reply["refused"]]
    assert places[:6] == [f"line {number}" for number in range(2, 8)]
    assert reply["left_out"]["the id of another question"] == len(first["phrasings"])
    assert all(refused["detail"] for refused in reply["refused"])


def test_a_dataset_that_fits_no_graph_fails_with_the_reason(cleo: Browser, datasets: Path) -> None:
    (datasets / "dev.txt").write_text("what does [Tom Cullen] act in\tWeekend\n")
    started = start(cleo, dataset="dev.txt", format="metaqa")
    evaluation = work_off(started)
    assert evaluation.status == Status.FAILED
    assert "holds none of the 1 topic entities" in evaluation.reason
    assert cleo.post(f"/api/evaluations/{started['id']}/resume")["status"] == "queued"


def test_workers_share_an_evaluation_and_judge_no_question_twice(
    cleo: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "BATCH", 2)
    started = start(cleo, limit=40)
    pk = UUID(started["id"])
    judged: list[int] = []
    write = claims.outcome_write

    def counted(row: EvaluatedQuestion, *rest: Any) -> None:
        write(row, *rest)
        judged.append(row.position)

    monkeypatch.setattr(claims, "outcome_write", counted)

    def work(_: int) -> None:
        try:
            while not Evaluation.objects.get(pk=pk).is_over:
                evaluation_work(pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert sorted(judged) == list(range(1, 41))
    evaluation = Evaluation.objects.get(pk=pk)
    assert (evaluation.status, evaluation.done, evaluation.figures_of) == (Status.SUCCEEDED, 40, 40)


def test_a_stopped_evaluation_keeps_what_was_judged_and_goes_on(cleo: Browser) -> None:
    started = start(cleo, limit=30)
    pk = UUID(started["id"])
    work_until(pk, 5)
    stopped = cleo.post(f"/api/evaluations/{pk}/cancel")
    assert (stopped["status"], stopped["done"], stopped["figures_of"]) == ("cancelled", 5, 5)
    evaluation_work(pk)
    assert Evaluation.objects.get(pk=pk).done == 5
    before = dict(EvaluatedQuestion.objects.filter(judged_at__isnull=False).values_list("pk", "judged_at"))
    assert cleo.post(f"/api/evaluations/{pk}/resume")["status"] == "queued"
    assert work_off(started).done == 30
    after = dict(EvaluatedQuestion.objects.values_list("pk", "judged_at"))
    assert all(after[pk] == judged_at for pk, judged_at in before.items())
    assert EvaluatedQuestion.objects.filter(attempts=1).count() == 30


@pytest.fixture
def chat_model(settings: SettingsWrapper) -> Callable[..., AbstractContextManager[ChatServer]]:
    """Serves a chat model, always on the same port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = {"llm_url": (f"http://127.0.0.1:{port}",), "llm_model": "picker"}
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=address)
    return partial(chat_server, port=port)


def judged(pk: UUID) -> dict[int, Any]:
    return dict(EvaluatedQuestion.objects.filter(evaluation=pk, judged_at__isnull=False).values_list("pk", "judged_at"))


def test_an_evaluation_waits_for_its_model_s_server_and_goes_on_by_itself(
    cleo: Browser, worker: Callable[..., Worker], chat_model: Callable[..., AbstractContextManager[ChatServer]]
) -> None:
    url = settings.ENVIRONMENT.llm_url[0]
    heartbeat_forget()
    worker(DISCERN_LLM_URL=url, DISCERN_LLM_MODEL="picker")
    wait_until(lambda: is_served(Queue.CPU_BACKGROUND), 40)

    def current_state() -> Any:
        return cleo.get(f"/api/evaluations/{started['id']}")

    def slowly(messages: list[dict[str, str]]) -> str:
        time.sleep(0.03)
        return first_longest(messages)

    with chat_model(slowly):
        started = start(cleo, scorer="chat", limit=40)
        wait_until(lambda: current_state()["done"] >= 3)
    wait_until(lambda: current_state()["waits"] is not None)
    waiting, before = current_state(), judged(UUID(started["id"]))
    assert waiting["status"] in {"queued", "running"}
    assert waiting["reason"] == ""
    assert waiting["waits"].startswith("The model's server does not answer.")
    assert 3 <= waiting["done"] == len(before) < 40
    with chat_model(first_longest):
        wait_until(lambda: current_state()["status"] == "succeeded", 60)
    done, after = current_state(), judged(UUID(started["id"]))
    assert (done["done"], done["waits"], done["figures"]["failed"]) == (40, None, 0)
    assert all(after[pk] == judged_at for pk, judged_at in before.items())
    assert not EvaluatedQuestion.objects.exclude(attempts=1).exists()


def test_a_model_that_is_gone_ends_the_evaluation_with_the_reason_and_it_is_resumed(
    cleo: Browser, chat_model: Callable[..., AbstractContextManager[ChatServer]]
) -> None:
    with chat_model(first_longest) as server:
        started = start(cleo, scorer="chat", limit=6)
        pk = UUID(started["id"])
        work_until(pk, 2)
        server.failures.append(404)
        evaluation_work(pk)
        failed = cleo.get(f"/api/evaluations/{pk}")
        assert (failed["status"], failed["done"], failed["waits"]) == ("failed", 2, None)
        assert "This model cannot be used. Choose another one" in failed["reason"]
        resumed = cleo.post(f"/api/evaluations/{pk}/resume")
        assert (resumed["status"], resumed["reason"]) == ("queued", "")
        assert work_off(started).done == 6
        assert cleo.get(f"/api/evaluations/{pk}")["figures"]["failed"] == 0


def test_a_question_that_the_model_makes_nothing_of_counts_as_failed(
    cleo: Browser, chat_model: Callable[..., AbstractContextManager[ChatServer]]
) -> None:
    with chat_model(lambda _: "I would rather not say."):
        started = start(cleo, scorer="chat", limit=3)
        assert work_off(started).status == Status.SUCCEEDED
    assert cleo.get(f"/api/evaluations/{started['id']}")["figures"]["reasons"] == {"undecided": 3}


def test_cancelling_ends_the_question_that_is_being_asked(
    cleo: Browser, chat_model: Callable[..., AbstractContextManager[ChatServer]]
) -> None:
    def answer(messages: list[dict[str, str]]) -> str:
        if len(server.asked) == 2:
            cancel(messages)
        return first_longest(messages)

    def cancel(_: object) -> None:
        Evaluation.objects.update(status=Status.CANCELLED, finished_at=timezone.now())
        connection.close()

    with chat_model(answer) as server:
        started = start(cleo, scorer="chat", limit=3)
        evaluation_work(UUID(started["id"]))
        assert len(server.asked) == 2
    evaluation = Evaluation.objects.get(pk=started["id"])
    assert (evaluation.status, evaluation.done) == (Status.CANCELLED, 0)
    assert not EvaluatedQuestion.objects.filter(claim__isnull=False).exists()


def test_a_question_takes_no_longer_than_a_run_may(cleo: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MAX_LENGTH", timedelta(0))
    started = start(cleo, limit=3)
    work_off(started)
    figures = cleo.get(f"/api/evaluations/{started['id']}")["figures"]
    assert (figures["failed"], figures["reasons"]) == (3, {"timeout": 3})


def test_a_graph_that_is_loaded_anew_ends_the_evaluation(cleo: Browser) -> None:
    started = start(cleo)
    Evaluation.objects.filter(pk=started["id"]).update(graph_version="another")
    evaluation = work_off(started)
    assert evaluation.status == Status.FAILED
    assert "loaded again" in evaluation.reason
    assert cleo.post(f"/api/evaluations/{started['id']}/resume", status=409)["code"] == "graph_changed"


def test_the_questions_behind_every_bar_are_listed(cleo: Browser) -> None:
    started = start(cleo, limit=60)
    work_off(started)
    pk = started["id"]

    def listed(query: str) -> Any:
        return cleo.get(f"/api/evaluations/{pk}/questions?limit=200&{query}")

    figures = cleo.get(f"/api/evaluations/{pk}")["figures"]
    assert listed("")["total"] == listed("")["all"] == 60
    for case, count in figures["cases"].items():
        assert listed(f"case={case}")["total"] == count
    for shape in figures["by_shape"]:
        query = f"leaves={shape['leaves']}&hops={shape['hops']}&graph_gap=false&answerable=true"
        assert listed(query)["total"] == shape["questions"]
    wrong, right = listed("right=false"), listed("right=true")
    assert wrong["total"] + right["total"] == 60
    assert {question["right"] for question in wrong["questions"]} == {False}
    slowest = [question["seconds"] for question in listed("order=slowest")["questions"]]
    assert slowest == sorted(slowest, reverse=True)
    worst = [question["f1"] for question in listed("order=worst")["questions"]]
    assert worst == sorted(worst)
    assert listed("order=search")["total"] == 60
    film = listed("label=domain%3Dfilm")
    assert {question["labels"]["domain"] for question in film["questions"]} == {"film"}
    one = film["questions"][0]
    assert one["text"] in [question["text"] for question in listed(f"search={one['text'][:12]}")["questions"]]
    below = listed("f1_below=0.5")["total"]
    assert below + listed("f1_from=0.5")["total"] == 60
    page = cleo.get(f"/api/evaluations/{pk}/questions?offset=50&limit=50")
    assert [question["position"] for question in page["questions"]] == list(range(51, 61))
    assert cleo.get(f"/api/evaluations/{pk}/questions?case=E9", 422)["code"] == "invalid_request"


def test_a_question_is_reported_with_its_neighbours_in_the_list(cleo: Browser) -> None:
    started = start(cleo, limit=60)
    work_off(started)
    address = f"/api/evaluations/{started['id']}/questions"
    filtered = "order=worst&right=true"
    listed = [question["position"] for question in cleo.get(f"{address}?limit=200&{filtered}")["questions"]]
    assert len(listed) > 3
    for index, position in enumerate(listed):
        reply = cleo.get(f"{address}/{position}?{filtered}")
        assert reply["question"]["position"] == position
        assert (reply["place"], reply["total"]) == (index + 1, len(listed))
        assert reply["previous"] == (listed[index - 1] if index else None)
        assert reply["next"] == (listed[index + 1] if index + 1 < len(listed) else None)
    apart = next(position for position in range(1, 61) if position not in listed)
    reply = cleo.get(f"{address}/{apart}?{filtered}")
    assert [reply[key] for key in ("place", "total", "previous", "next")] == [None, len(listed), None, None]
    # Alone, a question is shown with more of its gold answers than in a list.
    many = [each for each in cleo.get(f"{address}?limit=200")["questions"] if each["gold_total"] > len(each["gold"])]
    for each in many:
        gold = cleo.get(f"{address}/{each['position']}")["question"]["gold"]
        assert len(gold) == min(30, each["gold_total"])
    assert many
    assert cleo.get(f"{address}/99", status=404)["code"] == "unknown_question"


def test_two_evaluations_are_compared_question_by_question(cleo: Browser) -> None:
    full, cut = start(cleo, limit=60), start(cleo, limit=60, settings={"constraints": False, "search": "chain"})
    for started in (full, cut):
        work_off(started)
    reply = cleo.get(f"/api/evaluations/{full['id']}/against/{cut['id']}")
    assert reply["common"] == 60
    assert reply["both_right"] + reply["both_wrong"] + reply["only_first"] + reply["only_second"] == 60
    assert reply["first_right"] * 60 == pytest.approx(reply["both_right"] + reply["only_first"])
    assert reply["second_right"] * 60 == pytest.approx(reply["both_right"] + reply["only_second"])
    assert reply["only_first"] > 0
    for changed, count in (("only_this", reply["only_first"]), ("only_other", reply["only_second"])):
        found = cleo.get(f"/api/evaluations/{full['id']}/questions?against={cut['id']}&changed={changed}")
        assert found["total"] == count
        assert all(each["right"] != each["other"]["right"] for each in found["questions"])
    assert reply["second"]["settings"] == {
        "topics": "gold",
        "entity_types": True,
        "constraints": False,
        "search": "chain",
        "min_branches": 0,
        "gold_branches_from": 0,
        "perfect": False,
        "gold": "given",
        "strategy": "reads",
        "width": 3,
        "candidates": 3,
        "determination": "scorer",
        "candidates_without": [],
        "plans": 3,
        "planner": "scorer",
        "reasoner": "rank",
        "rounds": 3,
        "debate": "rule",
        "debaters": "3",
        "depth": 3,
        "sufficiency": "scorer",
        "relations": 3,
        "entities": 300,
        "predictor": "rank",
        "evidence_without": [],
        "model_may_answer": False,
    }


def test_results_are_downloaded_line_by_line_and_as_a_table(cleo: Browser) -> None:
    started = start(cleo)
    work_off(started)
    lines = cleo.client.get(f"/api/evaluations/{started['id']}/results.jsonl")
    assert lines["Content-Disposition"].startswith("attachment")
    outcomes = [json.loads(line) for line in lines.getvalue().decode().splitlines()]
    rows = list(
        csv.DictReader(
            io.StringIO(cleo.client.get(f"/api/evaluations/{started['id']}/results.csv").getvalue().decode())
        )
    )
    assert [outcome["id"] for outcome in outcomes] == [row["id"] for row in rows]
    assert len(rows) == 12


def test_a_question_opens_as_the_run_that_answered_it(cleo: Browser, browser: Callable[[], Browser]) -> None:
    started = start(cleo, settings={"topics": "gold", "constraints": False})
    address = f"/api/evaluations/{started['id']}/questions/1/run"
    evaluation_work(UUID(started["id"]), stopping=lambda: True)
    assert cleo.post(address, status=409)["code"] == "not_judged"
    work_off(started)
    opened = cleo.post(address)
    assert signed_in(browser, "ada", Role.ASKER).post(address) == opened
    # What was judged is shown, whatever has become of the model since.
    ReasoningRun.objects.filter(pk=opened["run"]).update(scorer="gone")
    run_execute(UUID(opened["run"]))
    run = ReasoningRun.objects.get(pk=opened["run"])
    assert run.status == Status.SUCCEEDED
    outcome = EvaluatedQuestion.objects.get(evaluation=started["id"], position=1).outcome
    assert outcome is not None
    reply = [each["event"] for each in cleo.get(f"/api/runs/{run.pk}/events")]
    linked = next(event for event in reply if event["kind"] == "entity_linked")
    steps = [
        [event["node"]["parent"], event["node"]["relation"]["id"]]
        for event in reply
        if event["kind"] == "search_step" and event["node"]["parent"] is not None
    ]
    judged = JudgedDecisions.objects.get(question__evaluation=started["id"], question__position=1).events
    decisions = [[event.get("decision") for event in log if "decision" in event] for log in (reply, judged)]
    assert decisions[0] == decisions[1]
    assert reply[0] == judged[0]
    assert reply[-1]["cost"]["calls"] == outcome["calls"]
    assert reply[-1]["confidence"] == outcome["confidence"]
    assert linked["topic"]["id"] == outcome["topic"]
    assert steps == outcome["derivation"]["search"]
    assert [answer["term"]["id"] for answer in reply[-1]["answers"]] == outcome["predicted"]
    assert not [event for event in reply if event["kind"] == "constraint_chosen"]
    assert cleo.post(f"/api/evaluations/{started['id']}/questions/99/run", status=404)["code"] == "unknown_question"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_question_is_answered_while_an_evaluation_holds_all_it_may(
    cleo: Browser,
    worker: Callable[..., Worker],
    chat_model: Callable[..., AbstractContextManager[ChatServer]],
    threads: int,
) -> None:
    url = settings.ENVIRONMENT.llm_url[0]
    worker(DISCERN_LLM_URL=url, DISCERN_LLM_MODEL="picker", DISCERN_WORKER_THREADS=str(threads))
    decisions = Semaphore(0)

    def held(messages: list[dict[str, str]]) -> str:
        decisions.acquire()
        return first_longest(messages)

    with chat_model(held) as server:
        started = start(cleo, scorer="chat", limit=40)
        # As many decisions as the worker has threads begin and do not end.
        wait_until(lambda: len(server.asked) >= threads, 60)
        asked = cleo.ask(graph="sample", scorer="lexical")
        wait_until(lambda: ReasoningRun.objects.get(pk=asked["id"]).status == Status.SUCCEEDED)
        assert Evaluation.objects.get(pk=started["id"]).done == 0
        cleo.post(f"/api/evaluations/{started['id']}/cancel")
        decisions.release(1_000)


def test_in_a_solo_worker_an_evaluation_gives_way_to_a_question_between_two_decisions(
    cleo: Browser, worker: Callable[..., Worker], chat_model: Callable[..., AbstractContextManager[ChatServer]]
) -> None:
    url = settings.ENVIRONMENT.llm_url[0]
    worker("--pool", "solo", "--concurrency", "1", DISCERN_LLM_URL=url, DISCERN_LLM_MODEL="picker")
    decisions = Semaphore(0)

    def held(messages: list[dict[str, str]]) -> str:
        decisions.acquire()
        return first_longest(messages)

    with chat_model(held) as server:
        started = start(cleo, scorer="chat", limit=40)
        wait_until(lambda: len(server.asked) == 1, 120)
        asked = cleo.ask(graph="sample", scorer="lexical")
        # One decision ends; the next would not.
        decisions.release()
        wait_until(lambda: ReasoningRun.objects.get(pk=asked["id"]).status == Status.SUCCEEDED)
        assert Evaluation.objects.get(pk=started["id"]).done == 0
        cleo.post(f"/api/evaluations/{started['id']}/cancel")
        decisions.release(1_000)


def test_a_question_is_put_back_once_for_somebody_who_waits_and_then_judged(cleo: Browser) -> None:
    pk = UUID(start(cleo, limit=3)["id"])
    evaluation_work(pk, gives_way=lambda: True)
    assert judged(pk) == {}

    def work_until_somebody_comes() -> None:
        """No user waits as the slice begins; one does from then on."""
        looks = iter([False])
        evaluation_work(pk, gives_way=lambda: next(looks, True))

    work_until_somebody_comes()
    assert judged(pk) == {}
    assert not EvaluatedQuestion.objects.filter(evaluation=pk).exclude(claim=None, attempts=0).exists()
    work_until_somebody_comes()
    assert len(judged(pk)) == 1
    evaluation_work(pk)
    assert Evaluation.objects.get(pk=pk).status == Status.SUCCEEDED


def test_an_evaluation_outlives_a_killed_worker_and_lets_questions_pass(
    cleo: Browser, worker: Callable[..., Worker]
) -> None:
    first = worker(DISCERN_WORKER_THREADS="1")
    wait_until(lambda: Client().get("/readyz").status_code == 200)
    # Many more than a worker judges in the second that it takes before it turns to others.
    started = start(cleo, limit=250)
    pk = started["id"]

    def done() -> int:
        return Evaluation.objects.get(pk=pk).done

    wait_until(lambda: done() >= 3)
    # A user's own question does not wait for the rest of the evaluation, although there is only one thread.
    asked = cleo.ask(graph="sample")
    wait_until(lambda: ReasoningRun.objects.get(pk=asked["id"]).status == Status.SUCCEEDED)
    evaluation = Evaluation.objects.get(pk=pk)
    assert evaluation.total is not None
    assert evaluation.done < evaluation.total

    first.kill()
    before = dict(EvaluatedQuestion.objects.filter(judged_at__isnull=False).values_list("pk", "judged_at"))
    assert done() == len(before)
    # As if the time of the leases had passed.
    EvaluatedQuestion.objects.filter(claim__isnull=False).update(lease_until=timezone.now())
    Evaluation.objects.filter(pk=pk).update(seen_at=timezone.now() - LEASE)
    heartbeat_forget()
    assert evaluations.recover() == 0
    heartbeat_send(worker="celery@here", queues=[Queue.CPU_BACKGROUND], scorer=READY)
    assert evaluations.recover() == 1
    worker()
    wait_until(lambda: Evaluation.objects.get(pk=pk).status == Status.SUCCEEDED, 120)
    after = dict(EvaluatedQuestion.objects.values_list("pk", "judged_at"))
    assert all(after[row] == judged_at for row, judged_at in before.items())
    assert done() == evaluation.total == len(after)


def test_whichever_write_of_an_evaluation_fails_each_question_is_judged_once(cleo: Browser) -> None:
    """The first write to the database fails, then the second, until a round meets no fault."""
    heartbeat_send(worker="celery@here", queues=[Queue.CPU_BACKGROUND], scorer=READY)

    def figures(pk: UUID) -> list[Any]:
        rows = EvaluatedQuestion.objects.filter(evaluation=pk).order_by("position")
        return list(rows.values_list("position", "verdict", "f1", "case"))

    whole = work_off(start(cleo, limit=2))
    for number in itertools.count(1):
        pk = UUID(start(cleo, limit=2)["id"])
        with failing_write(number) as fault, suppress(OperationalError):
            evaluation_work(pk)
        past = timezone.now() - LEASE - timedelta(seconds=1)
        for _ in range(3):
            Evaluation.objects.filter(pk=pk).update(seen_at=past)
            EvaluatedQuestion.objects.filter(evaluation=pk, lease_until__isnull=False).update(lease_until=past)
            evaluations.recover()
            evaluation_work(pk)
        again = Evaluation.objects.get(pk=pk)
        assert (again.status, again.done, again.total) == (Status.SUCCEEDED, 2, 2)
        assert figures(pk) == figures(whole.pk)
        if not fault.happened:
            break
    assert number > 10
