from __future__ import annotations

import itertools
import uuid
from contextlib import suppress
from datetime import timedelta
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from django.core.cache import cache
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone

from tests.webapp.conftest import KITT
from tests.webapp.failing_writes import failing_write
from webapp import engine
from webapp.accounts.viewer import Viewer
from webapp.asking.questions.services import question_ask
from webapp.asking.runs.models import ReasoningRun, RunEvent
from webapp.asking.runs.selectors import run_events
from webapp.asking.runs.services import run_cancel
from webapp.asking.runs.transitions import ATTEMPTS, runs
from webapp.asking.runs.worker import run_execute
from webapp.platform.work.delivery import messages_held
from webapp.platform.work.heartbeat import READY, heartbeat_send
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from pytest_django.fixtures import SettingsWrapper


@pytest.fixture
def viewer() -> Viewer:
    return Viewer(None, uuid.uuid4(), "127.0.0.1")


@pytest.fixture
def run(viewer: Viewer) -> ReasoningRun:
    return question_ask(text=KITT, viewer=viewer)


def events_of(run: ReasoningRun) -> list[dict[str, object]]:
    """Everything of the events but the times, which no two runs share."""
    return [_timeless(row.event.model_dump()) for row in run_events(run_id=run.pk, after=0)]


def _timeless(event: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in event.items() if key not in ("seconds", "cost")}


def _break_off(run: ReasoningRun, *, after: int, attempts: int = 1) -> None:
    """Leave the run as a worker does that died after this number of events, some time ago."""
    run_execute(run.pk)
    RunEvent.objects.filter(run=run, seq__gt=after).delete()
    ReasoningRun.objects.filter(pk=run.pk).update(
        status=Status.RUNNING,
        claim=uuid.uuid4(),
        lease_until=timezone.now() - timedelta(seconds=1),
        attempts=attempts,
        last_seq=after,
        finished_at=None,
        verdict="",
        answers=[],
    )


def test_a_run_is_the_engine_s_events_in_order_without_gaps(run: ReasoningRun) -> None:
    run_execute(run.pk)
    run.refresh_from_db()
    direct = list(engine.reason(KITT, graph_name="toy", scorer_name="lexical"))
    assert events_of(run) == [_timeless(event.model_dump()) for event in direct]
    assert [row.seq for row in run_events(run_id=run.pk, after=0)] == list(range(1, len(direct) + 1))
    assert (run.status, run.last_seq, run.claim) == (Status.SUCCEEDED, len(direct), None)
    assert run.started_at is not None
    assert run.finished_at is not None


@pytest.mark.usefixtures("encoder_reloaded")
def test_a_run_tells_what_each_stage_cost(viewer: Viewer) -> None:
    run = question_ask(text=KITT, viewer=viewer, scorer="encoder")
    run_execute(run.pk)
    entries = [row.event.model_dump() for row in run_events(run_id=run.pk, after=0)]
    last, decisions = entries[-1], [event["decision"] for event in entries if event.get("decision")]
    for kind in ("calls", "tokens_in", "tokens_out"):
        assert sum(stage[kind] for stage in last["costs"].values()) == last["cost"][kind]
        assert sum(decision["cost"][kind] for decision in decisions) == last["cost"][kind]
    assert last["costs"]["search"]["calls"] > 0


def test_a_task_that_is_delivered_twice_changes_nothing(run: ReasoningRun) -> None:
    run_execute(run.pk)
    before = list(RunEvent.objects.filter(run=run).values())
    run_execute(run.pk)
    assert list(RunEvent.objects.filter(run=run).values()) == before


def test_two_workers_that_get_one_run_at_once_write_one_log(run: ReasoningRun) -> None:
    def work() -> None:
        run_execute(run.pk)
        connection.close()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.refresh_from_db()
    assert run.attempts == 1
    assert [event["kind"] for event in events_of(run)].count("started") == 1


@pytest.mark.parametrize("after", [0, 1, 2, 3, 5])
def test_a_run_whose_worker_died_goes_on_where_it_stopped(viewer: Viewer, run: ReasoningRun, after: int) -> None:
    whole = question_ask(text=KITT, viewer=viewer)
    run_execute(whole.pk)
    whole.refresh_from_db()
    _break_off(run, after=min(after, whole.last_seq - 1))
    seen = list(RunEvent.objects.filter(run=run).order_by("seq").values())

    assert runs.recover() == 1
    run.refresh_from_db()
    assert run.status == Status.QUEUED
    run_execute(run.pk)

    run.refresh_from_db()
    assert list(RunEvent.objects.filter(run=run).order_by("seq").values())[: len(seen)] == seen
    assert [event["kind"] for event in events_of(run)] == [event["kind"] for event in events_of(whole)]
    assert events_of(run)[-1] == events_of(whole)[-1]
    assert (run.status, run.attempts, run.answers) == (Status.SUCCEEDED, 2, whole.answers)


@pytest.mark.usefixtures("encoder_reloaded")
def test_a_run_that_two_workers_shared_tells_what_all_its_decisions_cost(viewer: Viewer) -> None:
    run = question_ask(text="who created Knight Rider", viewer=viewer, scorer="encoder")
    _break_off(run, after=3)
    before = [row.event.model_dump() for row in run_events(run_id=run.pk, after=0)]
    assert sum(event["decision"]["cost"]["tokens_in"] for event in before if event.get("decision")) > 0
    runs.recover()
    run_execute(run.pk)
    entries = [row.event.model_dump() for row in run_events(run_id=run.pk, after=0)]
    last, decisions = entries[-1], [event["decision"] for event in entries if event.get("decision")]
    for kind in ("calls", "tokens_in", "tokens_out"):
        assert sum(decision["cost"][kind] for decision in decisions) == last["cost"][kind]
        assert sum(stage[kind] for stage in last["costs"].values()) == last["cost"][kind]
    spent = {"link": "entity_linked", "infer": "answer_position"}
    for stage, kind in spent.items():
        costs = [each["decision"]["cost"]["calls"] for each in entries if each["kind"] == kind and each["decision"]]
        assert sum(costs) == last["costs"][stage]["calls"]


def test_a_run_that_its_worker_still_holds_is_left_alone(run: ReasoningRun) -> None:
    _break_off(run, after=1)
    ReasoningRun.objects.filter(pk=run.pk).update(lease_until=timezone.now() + timedelta(seconds=5))
    assert runs.recover() == 0


def test_a_run_that_kills_every_worker_fails_and_says_so(run: ReasoningRun) -> None:
    _break_off(run, after=2, attempts=ATTEMPTS)
    assert runs.recover() == 1
    run.refresh_from_db()
    assert (run.status, run.last_seq) == (Status.FAILED, 3)
    last = events_of(run)[-1]
    assert last["code"] == "worker_lost"
    assert f"{ATTEMPTS} times" in str(last["message"])
    assert runs.recover() == 0


def test_a_worker_that_hangs_in_one_step_does_not_hold_its_run_for_ever(
    run: ReasoningRun, settings: SettingsWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"pace_ms": 60_000})
    monkeypatch.setattr("webapp.asking.runs.transitions.MAX_LENGTH", timedelta(seconds=1))
    run_execute(run.pk)
    run.refresh_from_db()
    assert run.status == Status.FAILED
    assert events_of(run)[-1]["code"] == "timeout"


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_jumps_neither_ends_a_run_nor_leaves_it_to_nobody(run: ReasoningRun, hours: int) -> None:
    """The clock jumps by hours while a worker is at the run, which dies before it renews its lease."""
    heartbeat_send(worker="celery@here", queues=[Queue.CPU], scorer=READY)
    _break_off(run, after=2)
    before = timezone.now() - timedelta(hours=hours)
    ReasoningRun.objects.filter(pk=run.pk).update(lease_until=before, started_at=before, enqueued_at=before)
    assert runs.recover() == 1
    cache.clear()
    heartbeat_send(worker="celery@here", queues=[Queue.CPU], scorer=READY)
    ReasoningRun.objects.filter(pk=run.pk).update(enqueued_at=before)
    assert runs.recover() == 1
    run_execute(run.pk)
    run.refresh_from_db()
    assert run.status == Status.SUCCEEDED


def held() -> int:
    return messages_held(Queue.CPU)


def test_a_run_that_the_broker_lost_is_delivered_again(viewer: Viewer, run: ReasoningRun) -> None:
    heartbeat_send(worker="celery@here", queues=[Queue.CPU], scorer=READY)
    question_ask(text=KITT, viewer=viewer)
    ReasoningRun.objects.update(enqueued_at=timezone.now() - timedelta(minutes=2))
    # As long as the broker holds a message for each, they only wait their turn.
    assert (held(), runs.recover()) == (2, 0)
    cache.clear()
    heartbeat_send(worker="celery@here", queues=[Queue.CPU], scorer=READY)
    assert (runs.recover(), held()) == (2, 2)
    assert (runs.recover(), held()) == (0, 2)


def test_a_run_is_given_some_seconds_to_reach_the_broker_unless_a_worker_starts(run: ReasoningRun) -> None:
    cache.clear()
    heartbeat_send(worker="celery@here", queues=[Queue.CPU], scorer=READY)
    assert runs.recover() == 0
    assert runs.recover(grace=timedelta(0)) == 1


def test_a_run_does_not_pile_up_in_a_queue_that_nobody_serves(run: ReasoningRun) -> None:
    cache.clear()
    heartbeat_send(worker="celery@here", queues=[Queue.GPU], scorer=READY)
    ReasoningRun.objects.filter(pk=run.pk).update(enqueued_at=timezone.now() - timedelta(minutes=2))
    assert runs.recover() == 0
    heartbeat_send(worker="celery@there", queues=[Queue.CPU], scorer=READY)
    assert runs.recover() == 1


def test_a_worker_itself_notices_between_two_steps_that_a_run_took_too_long(
    run: ReasoningRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.asking.runs.transitions.MAX_LENGTH", timedelta(0))
    run_execute(run.pk)
    run.refresh_from_db()
    assert run.status == Status.FAILED
    assert [event["kind"] for event in events_of(run)] == ["failed"]
    assert events_of(run)[-1]["code"] == "timeout"


def test_a_run_goes_on_over_no_other_graph_than_it_began_with(run: ReasoningRun) -> None:
    _break_off(run, after=2)
    ReasoningRun.objects.filter(pk=run.pk).update(graph_version="another")
    runs.recover()
    run_execute(run.pk)
    assert events_of(run)[-1]["code"] == "graph_changed"
    assert len(events_of(run)) == 3


def test_a_cancelled_run_is_never_begun(run: ReasoningRun, viewer: Viewer) -> None:
    run_cancel(run=run, viewer=viewer)
    run_execute(run.pk)
    assert events_of(run) == [{"kind": "cancelled"}]


def test_cancelling_a_run_that_is_over_changes_nothing(run: ReasoningRun, viewer: Viewer) -> None:
    run_execute(run.pk)
    before = events_of(run)
    assert run_cancel(run=run, viewer=viewer).status == Status.SUCCEEDED
    assert events_of(run) == before


def test_a_worker_that_is_asked_to_stop_gives_its_run_back_and_no_attempt_is_counted(run: ReasoningRun) -> None:
    run_execute(run.pk, stopping=lambda: True)
    run.refresh_from_db()
    assert (run.status, run.attempts, run.last_seq) == (Status.QUEUED, 0, 1)
    run_execute(run.pk)
    run.refresh_from_db()
    assert run.status == Status.SUCCEEDED


def test_a_scorer_that_cannot_be_loaded_fails_the_run_with_a_reason(
    viewer: Viewer, settings: SettingsWrapper, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"scorer": "encoder", "scorer_weights": tmp_path_factory.mktemp("empty")}
    )
    run = question_ask(text=KITT, viewer=viewer)
    run_execute(run.pk)
    last = events_of(run)[-1]
    assert (last["kind"], last["code"], last["retryable"]) == ("failed", "scorer_unavailable", False)


@pytest.mark.parametrize(
    "change",
    [
        {"status": Status.RUNNING},
        {"status": Status.SUCCEEDED},
        {"finished_at": timezone.now()},
        {"status": "thinking"},
    ],
)
def test_the_database_refuses_a_run_in_no_state(run: ReasoningRun, change: dict[str, object]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ReasoningRun.objects.filter(pk=run.pk).update(**change)


def test_the_database_refuses_a_second_event_of_one_number(run: ReasoningRun) -> None:
    RunEvent.objects.create(run=run, seq=1, kind="cancelled", event={"kind": "cancelled"})
    with pytest.raises(IntegrityError), transaction.atomic():
        RunEvent.objects.create(run=run, seq=1, kind="cancelled", event={"kind": "cancelled"})
    with pytest.raises(IntegrityError), transaction.atomic():
        RunEvent.objects.create(run=run, seq=0, kind="cancelled", event={"kind": "cancelled"})


def _age(run: ReasoningRun) -> None:
    """Let a lease and a delivery be long ago."""
    past = timezone.now() - timedelta(minutes=2)
    ReasoningRun.objects.filter(pk=run.pk).update(enqueued_at=past)
    ReasoningRun.objects.filter(pk=run.pk, lease_until__isnull=False).update(lease_until=past)


def test_whichever_write_of_a_run_fails_its_log_is_whole_in_the_end(run: ReasoningRun, viewer: Viewer) -> None:
    """The first write to the database fails, then the second, until a round meets no fault."""
    heartbeat_send(worker="celery@here", queues=[Queue.CPU], scorer=READY)
    run_execute(run.pk)
    run.refresh_from_db()
    for number in itertools.count(1):
        again = question_ask(text=KITT, viewer=viewer)
        with failing_write(number) as fault, suppress(OperationalError):
            run_execute(again.pk)
        seen = list(RunEvent.objects.filter(run=again).order_by("seq").values())
        for _ in range(2):
            _age(again)
            runs.recover()
            run_execute(again.pk)
        again.refresh_from_db()
        assert again.status == Status.SUCCEEDED
        log = list(RunEvent.objects.filter(run=again).order_by("seq").values())
        assert log[: len(seen)] == seen
        assert [row["seq"] for row in log] == list(range(1, again.last_seq + 1))
        assert events_of(again) == events_of(run)
        if not fault.happened:
            break
    assert number > 2 * run.last_seq
