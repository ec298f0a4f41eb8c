"""One real worker, a process of its own, over a real broker."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from redis import Redis

from tests.webapp.conftest import wait_until
from webapp.asking.runs.models import ReasoningRun, RunEvent
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser, OwnRedis, Worker


def status_of(asked: dict[str, str]) -> str:
    return ReasoningRun.objects.get(pk=asked["id"]).status


def seq_of(asked: dict[str, str]) -> int:
    return ReasoningRun.objects.get(pk=asked["id"]).last_seq


def test_a_run_is_worked_off_cancelled_within_a_second_and_taken_up_when_its_worker_is_killed(
    browser: Callable[[], Browser], worker: Callable[..., Worker]
) -> None:
    visitor = browser()
    slow = {"DISCERN_PACE_MS": "1500", "DISCERN_WORKER_THREADS": "1"}
    first = worker(**slow)
    wait_until(lambda: Client().get("/readyz").status_code == 200)

    # Cancelled while it runs: it ends at once, and so does the worker's work on it.
    cancelled = visitor.ask()
    queued = visitor.ask()
    wait_until(lambda: seq_of(cancelled) >= 1)
    began = time.monotonic()
    assert visitor.post(f"/api/runs/{cancelled['id']}/cancel")["status"] == "cancelled"
    wait_until(lambda: status_of(queued) == Status.RUNNING)
    assert time.monotonic() - began < 1
    events = RunEvent.objects.filter(run=cancelled["id"]).count()

    # Killed while it runs: once its lease has expired, another resumes the run and loses nothing that was seen.
    wait_until(lambda: seq_of(queued) >= 2)
    first.kill()
    seen = list(RunEvent.objects.filter(run=queued["id"]).order_by("seq").values())
    ReasoningRun.objects.filter(pk=queued["id"]).update(lease_until=timezone.now())
    second = worker()
    wait_until(lambda: status_of(queued) == Status.SUCCEEDED)
    log = list(RunEvent.objects.filter(run=queued["id"]).order_by("seq").values())
    assert log[: len(seen)] == seen
    assert [row["seq"] for row in log] == list(range(1, len(log) + 1))
    assert ReasoningRun.objects.get(pk=queued["id"]).attempts == 2
    assert RunEvent.objects.filter(run=cancelled["id"]).count() == events
    second.stop()


@pytest.mark.parametrize("pool", ["threads", "solo"])
def test_a_worker_that_is_busy_while_redis_is_restarted_goes_on_and_takes_the_next_run(
    browser: Callable[[], Browser], worker: Callable[..., Worker], redis: OwnRedis, pool: str
) -> None:
    busy = worker("--pool", pool, DISCERN_PACE_MS="500")
    wait_until(lambda: Client().get("/readyz").status_code == 200)
    running = browser().ask()
    wait_until(lambda: seq_of(running) >= 1)
    redis.stop()
    try:
        wait_until(lambda: status_of(running) == Status.SUCCEEDED)
    finally:
        redis.start()
    waiting = browser().ask()
    wait_until(lambda: status_of(waiting) == Status.SUCCEEDED or busy.has_ended())
    assert not busy.has_ended()
    assert status_of(waiting) == Status.SUCCEEDED


def test_a_language_model_server_that_is_away_is_reported_by_run_and_readyz(
    browser: Callable[[], Browser], worker: Callable[..., Worker], settings: SettingsWrapper
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"llm_url": (url,)})
        worker(DISCERN_SCORER="vllm", DISCERN_LLM_URL=url)

        def reason_given() -> str:
            return str(Client().get("/readyz").json()["parts"]["scorer"]["reason"])

        wait_until(lambda: "does not answer" in reason_given(), seconds=60)
        assert url not in reason_given()
        asked = browser().ask(scorer="vllm")
        wait_until(lambda: status_of(asked) == Status.FAILED)
        failed = RunEvent.objects.filter(run=asked["id"]).order_by("seq").last()
        assert failed is not None
        assert "The model's server does not answer" in str(failed.event)


def test_a_worker_that_is_asked_to_stop_stops_at_once_and_its_run_goes_on_later(
    browser: Callable[[], Browser], worker: Callable[..., Worker]
) -> None:
    asked = browser().ask()
    first = worker(DISCERN_PACE_MS="60000")
    wait_until(lambda: seq_of(asked) >= 1)
    # It does not wait for the end of a pause, let alone of the run.
    assert first.stop() < 15
    assert status_of(asked) == Status.QUEUED
    worker()
    wait_until(lambda: status_of(asked) == Status.SUCCEEDED)


def broker_forgets() -> None:
    """Lose whatever Redis holds, as one that was restarted."""
    with Redis.from_url(settings.ENVIRONMENT.redis) as redis:
        redis.flushall()


def test_a_worker_that_starts_takes_up_what_the_broker_lost(
    browser: Callable[[], Browser], worker: Callable[..., Worker]
) -> None:
    asked = [browser().ask() for _ in range(3)]
    broker_forgets()
    worker()
    wait_until(lambda: all(status_of(each) == Status.SUCCEEDED for each in asked))


def test_a_worker_takes_up_what_the_broker_lost_while_it_worked(
    browser: Callable[[], Browser], worker: Callable[..., Worker]
) -> None:
    visitor = browser()
    worker(DISCERN_PACE_MS="30000", DISCERN_WORKER_THREADS="1")
    asked = [visitor.ask()["id"] for _ in range(3)]
    cancelled: set[str] = set()

    def begun() -> list[str]:
        runs = ReasoningRun.objects.filter(pk__in=asked, last_seq__gte=1).exclude(pk__in=cancelled)
        return [str(pk) for pk in runs.values_list("pk", flat=True)]

    wait_until(lambda: bool(begun()))
    broker_forgets()
    # One at a time, and in whichever order: which ones the broker lost is unknown.
    while len(cancelled) < len(asked):
        wait_until(lambda: bool(begun()), seconds=150)
        for each in begun():
            visitor.post(f"/api/runs/{each}/cancel")
            cancelled.add(each)


def test_a_variant_is_streamed_as_a_question_is(browser: Callable[[], Browser], worker: Callable[..., Worker]) -> None:
    visitor = browser()
    worker()
    wait_until(lambda: Client().get("/readyz").status_code == 200)
    asked = visitor.ask()
    wait_until(lambda: status_of(asked) == Status.SUCCEEDED)
    actor = {"kind": "step", "position": 1, "relation": "tv.regular_tv_appearance.actor"}
    change = {"kind": "replace", "stage": "search", "number": 1, "choice": actor}
    variant = visitor.post(f"/api/runs/{asked['id']}/variants", {"change": change}, status=201)
    wait_until(lambda: status_of(variant) == Status.SUCCEEDED)
    served = visitor.get(f"/api/runs/{variant['id']}/events")
    assert [one["seq"] for one in served] == list(range(1, len(served) + 1))
    assert served[-1]["event"]["kind"] == "finished"
