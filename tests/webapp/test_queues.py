"""Queues and the workers that serve them: real workers, a real broker, small language models made on the spot."""

from __future__ import annotations

import json
import resource
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from tests.reasoning.language_models import decided_model, save_model, sparse_model
from tests.webapp.conftest import KITT, wait_until
from webapp import engine
from webapp.asking.runs.models import ReasoningRun, RunEvent
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.webapp.conftest import Browser, OwnRedis, Worker

CPU_ONLY = ("--queues", "cpu,cpu.background")
ON_GPU = ("--queues", "gpu,gpu.background", "--pool", "solo", "--concurrency", "1")
SMALL = {"scorer": "small"}
"""Asks the trained language model."""


@pytest.fixture(scope="module", autouse=True)
def small(redis: OwnRedis) -> Iterator[Path]:
    """A language model among the trained scorers; the default scorer is none."""
    folder: Path = settings.ENVIRONMENT.home / "scorers" / "small"
    folder.mkdir(parents=True)
    save_model(folder, decided_model())
    (folder / "card.json").write_text(json.dumps({"kind": "causal", "name": "small"}), encoding="utf-8")
    yield folder
    shutil.rmtree(folder.parent)


def run_of(asked: dict[str, Any]) -> ReasoningRun:
    return ReasoningRun.objects.get(pk=asked["id"])


def parts() -> Any:
    return Client().get("/readyz").json()["parts"]


def test_language_models_that_a_worker_reads_go_where_a_gpu_may_be() -> None:
    assert engine.queue_of("small") == Queue.GPU
    assert engine.queue_of("small").background == Queue.GPU_BACKGROUND
    assert engine.queue_of("causal") == Queue.GPU
    # The models of servers are read elsewhere, and any worker reports what is gone.
    for name in ("lexical", "encoder", "vllm", "chat", "gone"):
        assert engine.queue_of(name) == Queue.CPU
        assert engine.queue_of(name).background == Queue.CPU_BACKGROUND


def test_what_no_worker_serves_waits_and_says_so_until_one_does_which_loads_a_model_once(
    browser: Callable[[], Browser], worker: Callable[..., Worker]
) -> None:
    visitor = browser()
    asked = visitor.ask()
    assert visitor.get(f"/api/runs/{asked['id']}")["waits"].startswith("No worker is running.")
    worker(*CPU_ONLY)
    wait_until(lambda: run_of(asked).status == Status.SUCCEEDED)
    assert visitor.get(f"/api/runs/{asked['id']}")["waits"] is None
    # The default scorer decides, so the site is ready; what language models lack is listed separately.
    wait_until(lambda: Client().get("/readyz").status_code == 200)
    assert not parts()["queues"]["ok"]
    assert "“gpu” and “gpu.background”" in parts()["queues"]["reason"]
    assert "--queues gpu,gpu.background --pool solo" in parts()["queues"]["reason"]
    slow = [visitor.ask(**SMALL) for _ in range(4)]
    assert slow[0]["waits"].startswith("No worker for language models is running.")
    quick = visitor.ask()
    wait_until(lambda: run_of(quick).status == Status.SUCCEEDED)
    assert {run_of(each).status for each in slow} == {Status.QUEUED}

    threads = worker("--queues", "gpu,gpu.background", DISCERN_WORKER_THREADS="4")
    wait_until(lambda: all(run_of(each).status == Status.SUCCEEDED for each in slow), 180)
    assert threads.log_text().count("loaded the model small") == 1
    assert parts()["queues"] == {"ok": True, "reason": ""}


def test_a_solo_worker_keeps_its_lease_and_notices_cancellation_and_its_end_between_steps(
    browser: Callable[[], Browser], worker: Callable[..., Worker]
) -> None:
    visitor = browser()
    first, second = visitor.ask(**SMALL), visitor.ask(**SMALL)
    on_gpu = worker(*ON_GPU, "--hostname", "celery@solo", DISCERN_PACE_MS="60000")
    wait_until(lambda: run_of(first).last_seq == 1, 180)

    # One step lasts long: the lease is renewed and the worker heard of all the while, and nothing else is begun.
    lease = run_of(first).lease_until
    assert lease is not None
    wait_until(lambda: (run_of(first).lease_until or lease) > lease)
    assert (run_of(first).last_seq, run_of(first).attempts) == (1, 1)
    assert run_of(second).status == Status.QUEUED
    call_command("check_worker", "celery@solo")
    with pytest.raises(CommandError, match="celery@other was not heard of"):
        call_command("check_worker", "celery@other")

    visitor.post(f"/api/runs/{first['id']}/cancel")
    wait_until(lambda: run_of(second).last_seq == 1, 5)
    # A step lasts a minute; the rest is the time that a process of this size takes to end on a busy machine.
    assert on_gpu.stop() < 15
    assert run_of(second).status == Status.QUEUED
    assert [event.kind for event in RunEvent.objects.filter(run=first["id"])] == ["started", "cancelled"]


def test_a_worker_that_would_fork_does_not_start(worker: Callable[..., Worker]) -> None:
    forking = worker("--pool", "processes")
    assert forking.process.wait(timeout=90) != 0
    assert "Start it with --pool threads or solo." in forking.log_text()


def test_a_model_that_does_not_fit_is_reported_by_readyz_and_by_the_run(
    browser: Callable[[], Browser], worker: Callable[..., Worker], small: Path
) -> None:
    large = small.parent / "large"
    sparse_model(large, gigabytes=64)
    (large / "card.json").write_text(json.dumps({"kind": "causal", "name": "large"}), encoding="utf-8")
    try:
        limited = worker(DISCERN_SCORER="large")
        resource.prlimit(limited.process.pid, resource.RLIMIT_AS, (16 * 2**30, resource.RLIM_INFINITY))
        asked = browser().ask(KITT, scorer="large")
        wait_until(lambda: run_of(asked).status == Status.FAILED, 180)
        failed = RunEvent.objects.filter(run=asked["id"]).order_by("seq").last()
        assert failed is not None
        assert failed.event["code"] == "out_of_memory"
        assert "does not fit into memory. Choose another one" in failed.event["message"]
        previous = settings.ENVIRONMENT
        settings.ENVIRONMENT = previous.model_copy(update={"scorer": "large"})
        try:
            wait_until(lambda: "does not fit into memory" in parts()["scorer"]["reason"])
        finally:
            settings.ENVIRONMENT = previous
    finally:
        shutil.rmtree(large)
