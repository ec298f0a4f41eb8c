"""Strategies on the site: which there are, and what is recorded of the one that answered."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.db import connection

from reasoning.strategies import registry
from reasoning.strategies.reads.stages import Reads
from reasoning.strategies.registry import StrategyEntry
from tests.reasoning.chat_server import chat_server
from tests.reasoning.language_models import save_model, small_model
from tests.reasoning.made_up import made_up_registered
from tests.webapp.conftest import wait_until
from webapp import engine
from webapp.asking.runs.models import ReasoningRun, RunEvent
from webapp.asking.runs.worker import run_execute
from webapp.evaluations.working.worker import evaluation_work
from webapp.health.system_checks import writer_check
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_django.fixtures import SettingsWrapper

    from tests.reasoning.chat_server import ChatServer
    from tests.webapp.conftest import Browser


FACT = re.compile(r"^[^|]+ \| [^|]+ \| (.+)$", re.MULTILINE)
"""A fact as it is shown to a model, and its object."""
WRITING = ["zero-shot", "augmented", "written-answer", "written-filters"]


class Essay(Reads):
    """Needs a model that writes, which the site of these tests has not."""

    name = "essay"
    needs_writer = True


@pytest.fixture
def essay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.STRATEGIES, Essay.name, StrategyEntry("Essay", "Writes.", Essay))


@pytest.fixture
def cleo(cleo: Browser, sample_graph_loaded: None, sample_questions: None) -> Browser:
    """The browser of an administrator, and the bundled sample to evaluate."""
    return cleo


def worked_off(visitor: Browser, **asked: Any) -> list[dict[str, Any]]:
    run_id = visitor.ask(**asked)["id"]
    run_execute(UUID(run_id))
    return [each["event"] for each in visitor.get(f"/api/runs/{run_id}/events")]


def test_the_usual_strategy_comes_first_and_all_that_can_run_have_no_fault(browser: Callable[[], Browser]) -> None:
    listed = browser().get("/api/strategies")
    assert [each["name"] for each in listed][:2] == ["reads", "beam"]
    assert [each["keeps_readings"] for each in listed][:2] == [False, True]
    assert {each["fault"] for each in listed if each["name"] not in WRITING} == {None}
    own = [each["name"] for each in listed if each["own_answers"]]
    assert own == [*WRITING[:3], "etd", "rog", "eperm", "dog", "tog", "tog-r"]


def test_those_in_which_a_model_writes_say_what_is_missing_where_there_is_none(browser: Callable[[], Browser]) -> None:
    faults = [each["fault"] for each in browser().get("/api/strategies") if each["name"] in WRITING]
    assert len(faults) == len(WRITING)
    assert all("needs a language model that writes, and this site has none" in fault for fault in faults)


def test_one_without_weights_says_how_to_train_some(
    browser: Callable[[], Browser], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    untrained = replace(registry.STRATEGIES["etd"], weights=lambda: tmp_path)
    monkeypatch.setitem(registry.STRATEGIES, "etd", untrained)
    (fault,) = (each["fault"] for each in browser().get("/api/strategies") if each["name"] == "etd")
    assert fault == "EtD has no weights on this site. Train some with “manage.py train_strategy etd”."


@pytest.mark.usefixtures("essay")
def test_one_that_cannot_run_here_says_why_and_is_refused(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    (fault,) = (each["fault"] for each in visitor.get("/api/strategies") if each["name"] == "essay")
    assert "needs a language model that writes" in fault
    refused = visitor.post("/api/runs", {"question": "who?", "strategy": "essay"}, status=422)
    assert (refused["code"], refused["message"]) == ("strategy_unavailable", fault)
    assert not ReasoningRun.objects.exists()


def test_a_run_says_which_strategy_answers_and_keeps_as_many_readings_as_asked_for(
    browser: Callable[[], Browser],
) -> None:
    visitor = browser()
    shown = worked_off(visitor, strategy="beam", width=4)
    assert shown[0]["strategy"] == "beam"
    assert visitor.get("/api/runs")[0]["strategy"] == "beam"
    rounds = [event for event in shown if event["kind"] == "readings_kept"]
    assert max(len(event["kept"]) for event in rounds) == 4
    assert len(shown[-1]["readings"]) == 3
    usual = worked_off(visitor)
    assert usual[0]["strategy"] == "reads"
    assert "readings" not in usual[-1]


def test_a_run_says_from_how_many_candidates_one_is_chosen_and_by_whom(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    shown = worked_off(visitor, strategy="etd", candidates=2, determination="explorer")
    (ranked,) = (event for event in shown if event["kind"] == "candidates_ranked")
    assert len(ranked["candidates"]) <= 2
    newest = visitor.get("/api/runs")[0]
    assert (newest["candidates"], newest["determination"]) == (2, "explorer")
    refused = visitor.post("/api/runs", {"question": "who?", "strategy": "etd", "determination": "writer"}, status=422)
    assert "Let another choose among the candidates" in refused["message"]
    assert [each["name"] for each in visitor.get("/api/strategies") if each["determines"]] == ["etd"]


def test_a_run_says_how_many_plans_are_followed_who_makes_them_and_who_answers(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    shown = worked_off(visitor, strategy="rog", plans=2)
    (proposed,) = (event for event in shown if event["kind"] == "plans_proposed")
    assert len(proposed["plans"]) <= 2
    newest = visitor.get("/api/runs")[0]
    assert (newest["plans"], newest["planner"], newest["reasoner"]) == (2, "scorer", "rank")
    for who in ("planner", "reasoner"):
        refused = visitor.post("/api/runs", {"question": "who?", "strategy": "rog", who: "writer"}, status=422)
        assert "Let the model that decides make the plans" in refused["message"]
    assert [each["name"] for each in visitor.get("/api/strategies") if each["plans"]] == ["rog"]


@pytest.mark.parametrize(
    "more",
    [
        {"strategy": "guess"},
        {"strategy": "beam", "width": 0},
        {"width": 11},
        {"strategy": "etd", "candidates": 7},
        {"strategy": "rog", "plans": 11},
    ],
)
def test_what_is_no_strategy_and_no_width_is_refused(browser: Callable[[], Browser], more: dict[str, Any]) -> None:
    refused = browser().post("/api/runs", {"question": "who?", **more}, status=422)
    assert refused["message"]
    if more.get("strategy") == "guess":
        assert "Choose one of: reads, beam," in refused["message"]


def test_a_run_with_a_width_that_was_broken_off_goes_on_and_shows_all_its_facts(
    browser: Callable[[], Browser],
) -> None:
    visitor = browser()
    whole = worked_off(visitor, strategy="beam", width=2)
    run = ReasoningRun.objects.get()
    kept = 3
    RunEvent.objects.filter(run=run, seq__gt=kept).delete()
    ReasoningRun.objects.filter(pk=run.pk).update(status=Status.QUEUED, last_seq=kept, finished_at=None, verdict="")
    run_execute(run.pk)
    again = [each["event"] for each in visitor.get(f"/api/runs/{run.pk}/events")]
    assert again[:kept] == whole[:kept]
    assert [event["kind"] for event in again] == [event["kind"] for event in whole]
    assert again[-1]["answers"] == whole[-1]["answers"]
    step = next(event for event in whole if event["kind"] == "search_step")
    page = visitor.get(f"/api/runs/{run.pk}/facts?position={step['node']['position']}")
    assert page["total"] == step["facts_gained"]


@pytest.fixture
def sketch(settings: SettingsWrapper) -> Iterator[ChatServer]:
    """A strategy with a writer, and the server of the model that writes for it."""
    with made_up_registered(), chat_server(lambda _: "KITT") as server:
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"llm_url": (server.url,)})
        yield server


def test_a_strategy_with_a_writer_runs_from_the_api_to_the_log(
    browser: Callable[[], Browser], sketch: ChatServer
) -> None:
    visitor = browser()
    assert {each["fault"] for each in visitor.get("/api/strategies") if each["name"] == "sketch"} == {None}
    shown = worked_off(visitor, strategy="sketch", model_may_answer=True)
    assert [event["kind"] for event in shown] == ["started", "entity_linked", "selection", "model_wrote", "finished"]
    assert (shown[3]["writer"], shown[3]["text"], shown[-1]["verdict"]) == ("picker", "KITT", "from_the_model")
    assert visitor.get("/api/runs")[0]["verdict"] == "from_the_model"
    assert len(sketch.asked) == 1
    unasked = worked_off(visitor, strategy="sketch")[-1]
    assert (unasked["verdict"], unasked["reason"], unasked["answers"]) == ("no_answer_found", "unsupported", [])


@pytest.fixture
def endless(sketch: ChatServer) -> ChatServer:
    """The same server, whose model writes for longer than anybody waits."""
    sketch.pause = 0.1
    sketch.answer = lambda _: "word " * 400
    return sketch


def while_it_writes(server: ChatServer, act: Callable[[], object]) -> Thread:
    """Do something once the model is asked to write."""

    def do() -> None:
        wait_until(lambda: bool(server.asked))
        act()
        connection.close()

    thread = Thread(target=do)
    thread.start()
    return thread


def test_who_cancels_a_run_stops_the_model_that_writes_for_it(
    browser: Callable[[], Browser], endless: ChatServer
) -> None:
    visitor = browser()
    run_id = visitor.ask(strategy="sketch")["id"]
    began = time.monotonic()
    cancelling = while_it_writes(endless, lambda: visitor.post(f"/api/runs/{run_id}/cancel"))
    run_execute(UUID(run_id))
    assert time.monotonic() - began < 10
    cancelling.join()
    assert endless.left.wait(timeout=5), "the connection to the server is closed"
    reply = [each["event"]["kind"] for each in visitor.get(f"/api/runs/{run_id}/events")]
    assert reply == ["started", "entity_linked", "selection", "cancelled"]


def test_a_worker_that_is_asked_to_stop_while_a_model_writes_leaves_the_run_to_another(
    browser: Callable[[], Browser], endless: ChatServer
) -> None:
    visitor = browser()
    run_id = visitor.ask(strategy="sketch")["id"]
    stopping = Event()
    telling = while_it_writes(endless, stopping.set)
    run_execute(UUID(run_id), stopping=stopping.is_set)
    telling.join()
    assert endless.left.wait(timeout=5)
    run = ReasoningRun.objects.get()
    assert (run.status, run.attempts) == (Status.QUEUED, 0)
    endless.pause = 0
    run_execute(run.pk)
    reply = [each["event"]["kind"] for each in visitor.get(f"/api/runs/{run_id}/events")]
    assert reply == ["started", "entity_linked", "selection", "model_wrote", "finished"]


def test_who_cancels_an_evaluation_stops_the_model_that_writes_for_it(cleo: Browser, endless: ChatServer) -> None:
    wanted = {"dataset": "sample", "format": "discern", "graph": "sample", "scorer": "lexical", "limit": 5}
    settings = {"topics": "gold", "strategy": "sketch"}
    started = cleo.post("/api/evaluations", {**wanted, "settings": settings}, status=201)
    cancelling = while_it_writes(endless, lambda: cleo.post(f"/api/evaluations/{started['id']}/cancel"))
    began = time.monotonic()
    evaluation_work(UUID(started["id"]))
    assert time.monotonic() - began < 10
    cancelling.join()
    assert endless.left.wait(timeout=5)
    report = cleo.get(f"/api/evaluations/{started['id']}")
    assert (report["status"], report["done"]) == ("cancelled", 0)


def test_a_strategy_with_a_writer_is_evaluated_and_what_it_made_up_is_counted_apart(
    cleo: Browser, sketch: ChatServer
) -> None:
    wanted = {"dataset": "sample", "format": "discern", "graph": "sample", "scorer": "lexical", "limit": 5}
    settings = {"topics": "gold", "strategy": "sketch", "model_may_answer": True}
    started = cleo.post("/api/evaluations", {**wanted, "settings": settings}, status=201)
    while cleo.get(f"/api/evaluations/{started['id']}")["status"] in ("queued", "running"):
        evaluation_work(UUID(started["id"]))
    report = cleo.get(f"/api/evaluations/{started['id']}")
    assert report["settings"]["strategy"] == "sketch"
    assert report["figures"]["from_the_model"]["questions"] == len(sketch.asked) == 5
    assert report["figures"]["from_the_model"]["hits_at_1"] == 0
    opened = cleo.post(f"/api/evaluations/{started['id']}/questions/1/run")
    run_execute(UUID(opened["run"]))
    again = [each["event"]["kind"] for each in cleo.get(f"/api/runs/{opened['run']}/events")]
    assert again[-1] == "finished"
    assert len(sketch.asked) == 5, "what was judged is shown, and nothing is written again"


@pytest.fixture
def writing(settings: SettingsWrapper) -> Iterator[ChatServer]:
    """A site whose settings name the server of a model that writes."""
    with chat_server(lambda _: "William Daniels") as server:
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"llm_url": (server.url,)})
        yield server


def test_the_model_alone_answers_and_its_words_are_matched_to_the_graph(
    browser: Callable[[], Browser], writing: ChatServer
) -> None:
    visitor = browser()
    shown = worked_off(visitor, strategy="zero-shot", model_may_answer=True)
    wrote = next(event for event in shown if event["kind"] == "model_wrote")
    assert [(part["names"], part["place"]) for part in wrote["said"]] == [(["William Daniels"], "graph")]
    assert shown[-1]["verdict"] == "from_the_model"
    assert shown[-1]["costs"]["infer"] == {"calls": 1, "tokens_in": 40, "tokens_out": 2}
    listed = visitor.get("/api/runs")[0]
    assert (listed["verdict"], listed["model_may_answer"]) == ("from_the_model", True)


def test_what_the_facts_hold_is_supported_and_the_run_is_shown_again_at_no_cost(
    browser: Callable[[], Browser], writing: ChatServer
) -> None:
    visitor = browser()
    writing.answer = lambda messages: FACT.findall(messages[0]["content"])[-1]
    whole = worked_off(visitor, strategy="augmented")
    (found,) = whole[-1]["answers"]
    assert whole[-1]["verdict"] == "answered"
    assert found["path"][-1]["target"] == found["term"]
    assert len(writing.asked) == 1
    run = ReasoningRun.objects.get()
    kept = len(whole) - 1
    RunEvent.objects.filter(run=run, seq__gt=kept).delete()
    ReasoningRun.objects.filter(pk=run.pk).update(status=Status.QUEUED, last_seq=kept, finished_at=None, verdict="")
    run_execute(run.pk)
    again = [each["event"] for each in visitor.get(f"/api/runs/{run.pk}/events")]
    assert again[:kept] == whole[:kept]
    assert again[-1]["answers"] == whole[-1]["answers"]
    assert len(writing.asked) == 1, "what was written is kept"


def test_an_evaluation_tells_its_figures_with_and_without_the_models_own(cleo: Browser, writing: ChatServer) -> None:
    wanted = {"dataset": "sample", "format": "discern", "graph": "sample", "scorer": "lexical", "limit": 5}
    settings = {"topics": "gold", "strategy": "zero-shot", "model_may_answer": True}
    started = cleo.post("/api/evaluations", {**wanted, "settings": settings}, status=201)
    while cleo.get(f"/api/evaluations/{started['id']}")["status"] in ("queued", "running"):
        evaluation_work(UUID(started["id"]))
    figures = cleo.get(f"/api/evaluations/{started['id']}")["figures"]
    assert figures["from_the_model"]["questions"] == 5
    assert figures["all"]["turned_away"] == 0
    assert (figures["without_the_model"]["questions"], figures["without_the_model"]["turned_away"]) == (5, 1)
    assert figures["without_the_model"]["hits_at_1"] == 0


def etd_determined_by_a_writer(cleo: Browser, *, status: int) -> dict[str, Any]:
    wanted = {"dataset": "sample", "format": "discern", "graph": "sample", "scorer": "lexical", "limit": 3}
    settings = {"strategy": "etd", "determination": "writer", "candidates_without": ["paths"]}
    answered: dict[str, Any] = cleo.post("/api/evaluations", {**wanted, "settings": settings}, status=status)
    return answered


def test_a_model_that_writes_determines_among_the_explorers_candidates(cleo: Browser, writing: ChatServer) -> None:
    writing.answer = lambda _: "A"
    started = etd_determined_by_a_writer(cleo, status=201)
    while cleo.get(f"/api/evaluations/{started['id']}")["status"] in ("queued", "running"):
        evaluation_work(UUID(started["id"]))
    report = cleo.get(f"/api/evaluations/{started['id']}")
    assert report["settings"]["determination"] == "writer"
    assert report["settings"]["candidates_without"] == ["paths"]
    assert report["done"] == 3
    asked = [request["messages"][0]["content"] for request in writing.asked]
    assert asked
    assert all("\nA. " in each and " | regular cast | " not in each for each in asked)
    opened = cleo.post(f"/api/evaluations/{started['id']}/questions/1/run")
    run_execute(UUID(opened["run"]))
    assert cleo.get(f"/api/runs/{opened['run']}/events")[-1]["event"]["kind"] == "finished"
    assert len(writing.asked) == len(asked), "nothing is written again"


def test_where_no_model_writes_only_that_determination_is_refused(cleo: Browser) -> None:
    assert "Let another choose among the candidates" in str(etd_determined_by_a_writer(cleo, status=422))
    assert engine.strategy_chosen("etd") == "etd"


@pytest.mark.parametrize(
    ("named", "writer"),
    [
        ({}, None),
        ({"llm_url": ("http://gpu:8000",)}, "chat"),
        ({"llm_url": ("http://gpu:8000",), "writer": "vllm"}, "vllm"),
        ({"llm_url": ("http://gpu:8000",), "writer_weights": Path("/models/mine")}, "causal"),
        ({"writer": "causal"}, None),
        ({"writer": "chat"}, None),
        ({"writer": "pen", "llm_url": ("http://gpu:8000",)}, None),
    ],
)
def test_the_settings_say_which_model_writes(
    settings: SettingsWrapper, named: dict[str, Any], writer: str | None
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=named)
    assert engine.writer_name() == writer
    shown = list(writer_check())
    assert bool(shown) == (("writer" in named and writer is None) or "writer_weights" in named)
    assert bool(engine.strategy_fault("zero-shot")) == (writer is None)


def test_a_model_that_writes_in_a_worker_is_read_once_and_its_work_goes_where_a_gpu_may_be(
    settings: SettingsWrapper, tmp_path: Path
) -> None:
    folder = save_model(tmp_path / "small", small_model())
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"writer_weights": folder})
    assert list(writer_check()) == []
    assert engine.queue_of("encoder", "zero-shot") is Queue.GPU
    assert engine.queue_of("encoder", "reads") is Queue.CPU
    assert engine.queue_of("encoder", "of another day") is Queue.CPU
    with engine.writer("zero-shot") as first, engine.writer("augmented") as second, engine.writer("reads") as none:
        assert first is second
        assert none is None
        assert first is not None
        assert first.name == "small"


def test_a_model_that_writes_in_a_worker_answers_from_the_api_to_the_log(
    browser: Callable[[], Browser], settings: SettingsWrapper, tmp_path: Path
) -> None:
    """Its weights are random, so what it writes names nothing; how that is told is what counts."""
    folder = save_model(tmp_path / "small", small_model())
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"writer_weights": folder})
    shown = worked_off(browser(), strategy="augmented")
    wrote = next(event for event in shown if event["kind"] == "model_wrote")
    assert (wrote["writer"], wrote["cut_short"]) == ("small", True)
    assert {part["place"] for part in wrote["said"]} == {None}
    assert shown[-1]["verdict"] == "no_answer_found"
