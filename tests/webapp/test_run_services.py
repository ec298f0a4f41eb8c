"""Every move of a run, as `webapp.asking.runs` promises it; what whole runs look like is in `test_runs`."""

from __future__ import annotations

import logging
import re
import socket
import time
import uuid
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.core.cache import cache
from django.db import OperationalError, connection
from django.utils import timezone

from kgstore.loading.reading import GraphToLoad
from reasoning.events import Finished
from tests.webapp.conftest import KITT, wait_until
from tests.webapp.failing_writes import failing_write
from tests.webapp.told_by_services import audit_log, delivered, forget_deliveries, refused
from webapp import engine
from webapp.accounts.models import User
from webapp.accounts.viewer import Viewer
from webapp.asking.runs import transitions
from webapp.asking.runs.changes import CHANGE
from webapp.asking.runs.models import MAX_WHAT_IF_LENGTH, ReasoningRun, RunEvent
from webapp.asking.runs.selectors import run_is_own, run_stage_events
from webapp.asking.runs.services import Variant, ask_allowance_take, run_cancel, run_change, run_may_cancel, run_queue
from webapp.asking.runs.transitions import run_group, runs
from webapp.asking.runs.worker import run_execute
from webapp.platform.disk import NoRoomError, disk_fault
from webapp.platform.http.errors import ProductError
from webapp.platform.work import lease
from webapp.platform.work.delivery import deliver
from webapp.platform.work.heartbeat import READY, heartbeat_send
from webapp.platform.work.lease import LEASE
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_django.fixtures import SettingsWrapper

    from webapp.asking.runs.changes import ChangeIn

VISITOR = uuid.UUID(int=7)
TASK = "questions.run_execute"
LOGS = ("webapp.asking.runs", "webapp.platform.work.turn", "webapp.platform.work.state_machine")


@pytest.fixture
def viewer() -> Viewer:
    return Viewer(None, VISITOR, "192.0.2.1")


@pytest.fixture
def run(viewer: Viewer) -> ReasoningRun:
    return queued(viewer)


@pytest.fixture(autouse=True)
def beginning(caplog: pytest.LogCaptureFixture) -> None:
    for log in LOGS:
        caplog.set_level(logging.INFO, log)
    _BEGAN[0] = timezone.now()


def queued(viewer: Viewer, text: str = KITT, **more: Any) -> ReasoningRun:
    info = engine.graph("toy").info()
    return run_queue(
        text=text, viewer=viewer, info=info, **{"topic": "", "scorer": "lexical", "strategy": "reads", **more}
    )


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith(LOGS)]


def last_event(run: ReasoningRun) -> dict[str, Any]:
    event: dict[str, Any] = RunEvent.objects.filter(run=run).order_by("-seq").values_list("event", flat=True)[0]
    return event


def ended_as(run: ReasoningRun) -> tuple[str, str, str, bool]:
    """The status, and the code, the message and whether to try again of the last event."""
    run.refresh_from_db()
    assert (run.claim, run.lease_until) == (None, None)
    assert run.finished_at is not None
    assert run.last_seq == RunEvent.objects.filter(run=run).count()
    event = last_event(run)
    return run.status, event["code"], event["message"], event["retryable"]


def running(run: ReasoningRun, **more: Any) -> ReasoningRun:
    """The run as a worker holds it that has just begun."""
    lasting = timezone.now() + timedelta(seconds=5)
    ReasoningRun.objects.filter(pk=run.pk).update(
        **{"status": Status.RUNNING, "claim": uuid.uuid4(), "lease_until": lasting, "attempts": 1, **more}
    )
    run.refresh_from_db()
    return run


def lapsed(run: ReasoningRun, **more: Any) -> ReasoningRun:
    """The run as a worker left it that died."""
    return running(run, **{"lease_until": timezone.now() - timedelta(seconds=1), **more})


def soon(moment: Any, length: timedelta = timedelta(0)) -> bool:
    """Whether a time is so long after some moment of this test."""
    return _BEGAN[0] + length <= moment <= timezone.now() + length


_BEGAN = [timezone.now()]


@contextmanager
def elsewhere(work: Callable[[], object], after: float = 0.2) -> Iterator[None]:
    """Have another thread do something a moment later."""

    def act() -> None:
        time.sleep(after)
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=act)
    thread.start()
    yield
    thread.join()


# Asking


def test_a_run_is_kept_with_its_question_and_handed_to_the_broker(viewer: Viewer) -> None:
    switches = {"constraints": False}
    run = queued(viewer, "who?", topic="en.knight_rider", switches=switches)
    run.refresh_from_db()
    info = engine.graph("toy").info()
    assert (run.question.text, run.question.asker, run.question.visitor) == ("who?", None, VISITOR)
    assert (run.graph, run.graph_title, run.graph_version) == ("toy", "Toy", info.version)
    assert (run.topic, run.scorer, run.switches) == ("en.knight_rider", "lexical", switches)
    assert (run.status, run.last_seq, run.attempts, run.claim) == (Status.QUEUED, 0, 0, None)
    assert soon(run.enqueued_at)
    assert delivered(Queue.CPU) == [(TASK, str(run.pk))]


def test_what_somebody_signed_in_asks_is_theirs_alone(ada: User) -> None:
    run = queued(Viewer(ada, VISITOR, "192.0.2.1"))
    assert (run.question.asker, run.question.visitor, run.switches) == (ada, None, {})


def test_a_run_for_a_language_model_waits_where_a_gpu_may_be(viewer: Viewer, settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"scorer": "causal", "scorer_weights": settings.ENVIRONMENT.home}
    )
    run = queued(viewer, scorer="causal")
    assert (delivered(Queue.CPU), delivered(Queue.GPU)) == ([], [(TASK, str(run.pk))])


@pytest.mark.parametrize("known", [True, False])
def test_how_many_one_may_ask_depends_on_whether_one_is_known(
    settings: SettingsWrapper, ada: User, *, known: bool
) -> None:
    rates = {"user_rate": "3/minute", "visitor_rate": "2/hour"}
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update=rates)
    count, period, limit = (3, "a minute", 60) if known else (2, "an hour", 3600)
    addresses = ["192.0.2.1", "198.51.100.7"]
    someone = [Viewer(ada if known else None, uuid.uuid4(), addresses[0]) for _ in range(count)]
    for each in someone:
        ask_allowance_take(viewer=each)
    with pytest.raises(ProductError) as raised:
        ask_allowance_take(viewer=someone[0])
    wait = raised.value.extra["wait_seconds"]
    assert limit - 5 < wait <= limit
    more = "" if known else ", or sign in for more"
    assert raised.value.message == f"Limit: {count} questions in {period}. Wait {wait} s{more}."
    # Who is known is counted wherever they are, and a visitor by the address.
    other = Viewer(ada if known else None, None, addresses[1])
    if known:
        with pytest.raises(ProductError):
            ask_allowance_take(viewer=other)
        ben = User.objects.create_user("ben")
        ask_allowance_take(viewer=Viewer(ben, None, addresses[0]))
    ask_allowance_take(viewer=Viewer(None, None, addresses[1]))


# Changing


def ending(stage: str = "search") -> ChangeIn:
    return CHANGE.validate_python({"kind": "end", "stage": stage, "number": 0})


def test_a_variant_is_asked_as_its_run_was(viewer: Viewer, ada: User) -> None:
    switches = {"constraints": False}
    run = queued(viewer, topic="en.knight_rider", strategy="beam", switches=switches)
    run_execute(run.pk)
    run.refresh_from_db()
    variant = run_change(run=run, wanted=ending(), viewer=Viewer(ada, None, "192.0.2.3"))
    variant.refresh_from_db()
    assert (variant.question.text, variant.question.asker) == (KITT, ada)
    assert (variant.graph, variant.topic, variant.scorer) == ("toy", "en.knight_rider", "lexical")
    assert (variant.strategy, variant.switches) == ("beam", switches)
    assert (variant.parent, variant.original, variant.change) == (run, run, ending().model_dump(mode="json"))
    assert run_change(run=run, wanted=ending(), viewer=viewer, scorer="encoder").scorer == "encoder"


def test_a_change_that_comes_too_soon_or_does_not_fit_is_refused_in_words(run: ReasoningRun, viewer: Viewer) -> None:
    message = "This run is still running. Change it once it has ended, or stop it first."
    assert refused(lambda: run_change(run=run, wanted=ending(), viewer=viewer)) == (409, "not_over", message)
    run_execute(run.pk)
    run.refresh_from_db()
    message = "Of this decision a run has exactly one. Choose another option instead."
    refusal = refused(lambda: run_change(run=run, wanted=ending("infer"), viewer=viewer))
    assert refusal == (422, "unsuitable_change", message)
    assert ReasoningRun.objects.count() == 1


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("w" * MAX_WHAT_IF_LENGTH, "w" * MAX_WHAT_IF_LENGTH),
        ("w" * (MAX_WHAT_IF_LENGTH + 1), "w" * (MAX_WHAT_IF_LENGTH - 1) + "…"),
    ],
    ids=["as long as may be", "longer"],
)
def test_the_words_of_a_change_are_cut_where_they_are_too_long(
    run: ReasoningRun, viewer: Viewer, words: str, kept: str
) -> None:
    variant = queued(viewer, variant=Variant(run, {"kind": "reading", "index": 0}, words))
    variant.refresh_from_db()
    assert (variant.what_if, variant.parent, variant.original) == (kept, run, run)


# Stopping


def test_who_asked_and_administrators_may_stop_a_run(
    run: ReasoningRun, viewer: Viewer, admin_viewer: Viewer, ada: User
) -> None:
    strangers = [
        Viewer(None, uuid.uuid4(), viewer.address),
        Viewer(None, None, viewer.address),
        Viewer(ada, None, viewer.address),
    ]
    assert [run_may_cancel(run=run, viewer=each) for each in (viewer, admin_viewer, *strangers)] == [True, True] + [
        False
    ] * 3
    assert [run_is_own(run=run, viewer=each) for each in (viewer, admin_viewer, *strangers)] == [True] + [False] * 4
    # What was asked before signing in stays one's own.
    assert run_is_own(run=run, viewer=Viewer(ada, VISITOR, viewer.address))
    adas = queued(Viewer(ada, None, viewer.address))
    assert run_is_own(run=adas, viewer=Viewer(ada, None, "203.0.113.1"))
    assert not run_is_own(run=adas, viewer=Viewer(None, None, viewer.address))
    with pytest.raises(ProductError) as raised:
        run_cancel(run=run, viewer=strangers[0])
    assert (raised.value.status, raised.value.code) == (403, "not_your_run")
    assert raised.value.message == "Only who asked, or an administrator, may stop this run."
    run.refresh_from_db()
    assert run.status == Status.QUEUED


def test_a_run_is_stopped_at_once_and_an_administrator_s_hand_is_written_down(
    run: ReasoningRun, viewer: Viewer, admin_viewer: Viewer
) -> None:
    stopped = run_cancel(run=running(run), viewer=viewer)
    assert (stopped.status, stopped.claim, stopped.lease_until, stopped.last_seq) == (Status.CANCELLED, None, None, 1)
    assert stopped.finished_at is not None
    assert soon(stopped.finished_at)
    assert last_event(run) == {"kind": "cancelled"}
    assert audit_log() == []
    other = queued(viewer)
    for _ in range(2):
        assert run_cancel(run=other, viewer=admin_viewer).status == Status.CANCELLED
    assert audit_log() == [("cleo", "run_cancelled", str(other.pk), "queued", "")]


def test_administrators_stop_their_own_runs_without_a_note(admin_viewer: Viewer) -> None:
    run_cancel(run=queued(admin_viewer), viewer=admin_viewer)
    assert audit_log() == []


# Working


def test_a_run_that_is_done_says_so_in_its_row(run: ReasoningRun) -> None:
    ReasoningRun.objects.filter(pk=run.pk).update(graph_version="of before")
    run_execute(run.pk)
    run.refresh_from_db()
    events = run_stage_events(run=run)
    last = events[-1]
    assert isinstance(last, Finished)
    assert (run.status, run.verdict, run.claim, run.lease_until) == (Status.SUCCEEDED, last.verdict, None, None)
    assert run.answers == [answer.term.label for answer in last.answers]
    assert run.graph_version == engine.graph("toy").info().version
    assert (run.attempts, run.last_seq) == (1, len(events))
    assert run.started_at is not None
    assert run.finished_at is not None
    assert soon(run.started_at)
    assert run.started_at < run.finished_at
    kinds = RunEvent.objects.filter(run=run).order_by("seq").values_list("seq", "kind")
    assert list(kinds) == [(seq, event.kind) for seq, event in enumerate(events, start=1)]


def test_a_list_of_runs_shows_five_answers(viewer: Viewer) -> None:
    lines = "".join(f"en.show\ttv.tv_program.genre\tg{n}\n" for n in range(7)) + 'en.show\ttype.object.name\t"Show"\n'
    lines += "".join(f'g{n}\ttype.object.name\t"Genre {n}"\n' for n in range(7))
    with graph_of(lines):
        run = run_queue(
            text="what is the genre of Show?",
            viewer=viewer,
            info=engine.graph("five").info(),
            topic="en.show",
            scorer="lexical",
            strategy="reads",
        )
        run_execute(run.pk)
    run.refresh_from_db()
    last = run_stage_events(run=run)[-1]
    assert isinstance(last, Finished)
    assert len(last.answers) == 7
    assert run.answers == [answer.term.label for answer in last.answers[:5]]


@contextmanager
def graph_of(lines: str) -> Iterator[None]:
    triples = [tuple(line.split("\t")) for line in lines.splitlines()]
    engine.graph_library().load(GraphToLoad(triples, "five", "Five", "a test"))  # type: ignore[arg-type]
    yield
    engine.graph_library().remove("five")


def test_a_topic_that_was_chosen_and_switches_reach_the_engine(viewer: Viewer) -> None:
    run = queued(viewer, "who?", topic="en.knight_rider", switches={"constraints": False})
    run_execute(run.pk)
    linked = RunEvent.objects.get(run=run, kind="entity_linked").event
    assert (linked["topic"]["id"], linked["chosen_by_asker"]) == ("en.knight_rider", True)
    broken = queued(viewer, switches={"no_such_switch": True})
    assert runs.recover(grace=timedelta(0)) == 0, "a later version's run keeps no other from being recovered"
    run_execute(broken.pk)
    assert ended_as(broken)[1] == "unexpected"


def test_what_was_decided_of_a_judged_question_is_shown_again_and_no_model_is_asked(
    viewer: Viewer, settings: SettingsWrapper
) -> None:
    judged = queued(viewer)
    run_execute(judged.pk)
    decided = [event.model_dump(mode="json") for event in run_stage_events(run=judged)[:-1]]
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"scorer": "encoder", "scorer_weights": settings.ENVIRONMENT.home}
    )
    again = queued(viewer, scorer="encoder", decided=decided)
    run_execute(again.pk)
    judged.refresh_from_db()
    again.refresh_from_db()
    assert (again.status, again.last_seq) == (Status.SUCCEEDED, judged.last_seq)
    assert (again.verdict, again.answers) == (judged.verdict, judged.answers)


def test_what_nobody_foresaw_ends_a_run_and_stands_in_the_log(
    run: ReasoningRun, caplog: pytest.LogCaptureFixture
) -> None:
    RunEvent.objects.create(run=run, seq=1, kind="started", event={"kind": "of no kind"})
    ReasoningRun.objects.filter(pk=run.pk).update(last_seq=1)
    run_execute(run.pk)
    message = "The engine failed on this question. Rephrase it, and tell the administrator."
    assert ended_as(run) == (Status.FAILED, "unexpected", message, False)
    assert said(caplog) == [f"{TASK} of {run.pk} broke"]
    assert caplog.records[-1].exc_info


def test_a_run_is_worked_on_only_where_it_waits(run: ReasoningRun, caplog: pytest.LogCaptureFixture) -> None:
    before = running(run)
    run_execute(run.pk)
    run.refresh_from_db()
    assert (run.claim, run.attempts, run.last_seq) == (before.claim, 1, 0)
    run_execute(uuid.uuid4())
    assert said(caplog) == []


def test_a_worker_that_comes_later_leaves_when_the_first_began(run: ReasoningRun) -> None:
    began = timezone.now() - timedelta(minutes=1)
    ReasoningRun.objects.filter(pk=run.pk).update(started_at=began, attempts=2)
    run_execute(run.pk)
    run.refresh_from_db()
    assert (run.started_at, run.attempts, run.status) == (began, 3, Status.SUCCEEDED)


def test_a_run_goes_on_over_no_other_graph_than_it_began_with_and_says_why(run: ReasoningRun) -> None:
    run_execute(run.pk, stopping=lambda: True)
    ReasoningRun.objects.filter(pk=run.pk).update(graph_version="another")
    run_execute(run.pk)
    message = "The graph “Toy” was loaded again while this was reasoned about. Ask again."
    assert ended_as(run) == (Status.FAILED, "graph_changed", message, True)


def test_a_run_is_not_worked_on_for_ever(run: ReasoningRun, monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> bool:
        monkeypatch.setattr(transitions, "time", Later(601))
        return False

    run_execute(run.pk, stopping=never)
    message = "This run took longer than 10 minutes and was stopped. Ask again."
    assert ended_as(run) == (Status.FAILED, "timeout", message, True)
    assert run.last_seq == 2


def test_a_worker_that_hangs_in_one_step_loses_its_run(
    run: ReasoningRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The thread that renews the lease ends the run."""
    monkeypatch.setattr(lease, "LEASE", timedelta(seconds=0.2))
    monkeypatch.setattr(transitions, "MAX_LENGTH", timedelta(seconds=0.3))

    def hang() -> bool:
        wait_until(lambda: ReasoningRun.objects.get(pk=run.pk).is_over, 10)
        return False

    run_execute(run.pk, stopping=hang)
    message = "This run took longer than 0 minutes and was stopped. Ask again."
    assert ended_as(run) == (Status.FAILED, "timeout", message, True)
    assert said(caplog) == [f"{TASK} of {run.pk} was cancelled or taken over"]


class Later:
    """A clock that is a number of seconds ahead."""

    def __init__(self, seconds: float) -> None:
        self._ahead = seconds
        self.sleep = time.sleep

    def monotonic(self) -> float:
        return time.monotonic() + self._ahead


def test_a_lease_is_renewed_while_a_step_takes_long(
    run: ReasoningRun, monkeypatch: pytest.MonkeyPatch, settings: SettingsWrapper
) -> None:
    monkeypatch.setattr(lease, "LEASE", timedelta(seconds=0.2))
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"pace_ms": 1_000})
    ends: list[Any] = []

    def look() -> None:
        for _ in range(2):
            ends.append(ReasoningRun.objects.get(pk=run.pk).lease_until)
            time.sleep(0.3)

    stop_after = time.monotonic() + 0.9
    with elsewhere(look):
        run_execute(run.pk, stopping=lambda: time.monotonic() > stop_after)
    assert ends[1] - ends[0] > timedelta(seconds=0.1)
    assert all(soon(end, LEASE) for end in ends)


def test_every_event_that_is_written_renews_the_lease(run: ReasoningRun) -> None:
    ends: list[Any] = []

    def look() -> bool:
        ends.append(ReasoningRun.objects.get(pk=run.pk).lease_until)
        ReasoningRun.objects.filter(lease_until__isnull=False).update(lease_until=timezone.now())
        return False

    run_execute(run.pk, stopping=look)
    assert ends.pop() is None, "the run has ended"
    assert len(ends) > 3
    assert all(soon(end, LEASE) for end in ends)


def test_a_run_that_is_stopped_while_a_step_is_shown_ends_at_once(
    run: ReasoningRun, viewer: Viewer, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"pace_ms": 60_000})
    began = time.monotonic()
    with elsewhere(lambda: run_cancel(run=run, viewer=viewer)):
        run_execute(run.pk)
    assert time.monotonic() - began < 20
    run.refresh_from_db()
    assert (run.status, run.last_seq, last_event(run)) == (Status.CANCELLED, 2, {"kind": "cancelled"})
    assert said(caplog) == [f"{TASK} of {run.pk} was cancelled or taken over"]


def test_events_keep_the_pace_that_is_asked_for(run: ReasoningRun, settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"pace_ms": 120})
    run_execute(run.pk)
    times = list(RunEvent.objects.filter(run=run).order_by("seq").values_list("created_at", flat=True))
    between = [(after - before).total_seconds() for before, after in pairwise(times)]
    assert len(between) > 3
    assert min(between) >= 0.115
    run.refresh_from_db()
    assert (run.finished_at - times[-1]).total_seconds() < 0.1


def test_a_worker_that_is_asked_to_stop_while_it_pauses_gives_the_run_back(
    run: ReasoningRun, settings: SettingsWrapper
) -> None:
    forget_deliveries()
    ReasoningRun.objects.update(enqueued_at=timezone.now() - timedelta(minutes=1))
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"pace_ms": 60_000})
    began = time.monotonic()
    run_execute(run.pk, stopping=lambda: time.monotonic() - began > 0.3)
    assert time.monotonic() - began < 20
    run.refresh_from_db()
    assert (run.status, run.attempts, run.claim, run.lease_until) == (Status.QUEUED, 0, None, None)
    assert soon(run.enqueued_at)
    assert delivered(Queue.CPU) == [(TASK, str(run.pk))]


def test_a_worker_that_is_asked_to_stop_at_the_end_ends_the_run(run: ReasoningRun) -> None:
    whole = ReasoningRun.objects.create(
        question=run.question, graph="toy", graph_title="Toy", scorer="lexical", enqueued_at=timezone.now()
    )
    run_execute(whole.pk)
    whole.refresh_from_db()
    run_execute(run.pk, stopping=lambda: RunEvent.objects.filter(run=run).count() >= whole.last_seq)
    run.refresh_from_db()
    assert run.status == Status.SUCCEEDED


# Faults


@pytest.mark.parametrize(
    "fault",
    [RuntimeError("odd"), NoRoomError("little"), OperationalError("locked"), None],
    ids=lambda fault: type(fault).__name__,
)
def test_whoever_lost_a_run_neither_ends_it_nor_gives_it_back(run: ReasoningRun, fault: Exception | None) -> None:
    """Another worker took it over; then the first one breaks, or is told to stop."""

    def taken_over() -> bool:
        running(run)
        if fault is not None:
            raise fault
        return True

    run_execute(run.pk, stopping=taken_over)
    before = run.claim, run.lease_until
    run.refresh_from_db()
    assert (run.status, run.attempts, run.last_seq) == (Status.RUNNING, 1, 1)
    assert (run.claim, run.lease_until) == before


@contextmanager
def refused_writes(first: int, kind: type[Exception] = OperationalError) -> Iterator[None]:
    """Every write from the given one on fails, counted from 1 in this thread."""
    left = first

    def refuse(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        nonlocal left
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            left -= 1
            if left <= 0:
                raise kind("the server closed the connection")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        yield


def test_a_run_that_the_database_refused_once_is_taken_up_again_soon(
    run: ReasoningRun, caplog: pytest.LogCaptureFixture
) -> None:
    with failing_write(2):
        run_execute(run.pk)
    run.refresh_from_db()
    assert run.status == Status.RUNNING
    assert run.lease_until is not None
    assert run.lease_until <= timezone.now()
    assert said(caplog) == [f"{TASK} of {run.pk} met a fault of the database: the server closed the connection"]
    assert runs.recover() == 1


def test_a_run_that_the_database_refuses_again_and_again_waits_until_its_lease_is_over(
    run: ReasoningRun, caplog: pytest.LogCaptureFixture
) -> None:
    with refused_writes(2):
        run_execute(run.pk)
    run.refresh_from_db()
    assert run.status == Status.RUNNING
    assert run.lease_until is not None
    assert soon(run.lease_until, LEASE)
    closed = "the server closed the connection"
    assert said(caplog) == [
        f"{TASK} of {run.pk} met a fault of the database: {closed}",
        f"{TASK} of {run.pk} resumes once its lease has expired: {closed}",
    ]


def test_a_run_ends_where_the_disk_is_nearly_full_and_the_site_knows(
    run: ReasoningRun, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    before = settings.ENVIRONMENT
    settings.ENVIRONMENT = before.model_copy(update={"disk_reserve_mb": 10**9})
    run_execute(run.pk)
    settings.ENVIRONMENT = before
    message = (
        "The disk of this site is full, so this could not be written down to its end. Ask again once there is room."
    )
    assert ended_as(run) == (Status.FAILED, "disk_full", message, True)
    run.refresh_from_db()
    assert run.last_seq == 1
    assert "could not be written" in str(disk_fault())
    [messages] = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert re.match(r"the disk is full: Where the home folder is, [\d,]+ MB are free", messages)


def test_followers_are_reported_every_event(run: ReasoningRun) -> None:
    layer = get_channel_layer()
    channel = async_to_sync(layer.new_channel)()
    async_to_sync(layer.group_add)(run_group(run.pk), channel)
    run_execute(run.pk)
    run.refresh_from_db()
    heard = [async_to_sync(layer.receive)(channel) for _ in range(run.last_seq)]
    assert heard == [{"type": "run.grew"}] * run.last_seq
    assert run_group(run.pk) == f"run.{run.pk}"


def test_a_run_goes_on_where_nobody_can_be_reported_it(
    run: ReasoningRun, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    layers = settings.CHANNEL_LAYERS["default"]
    nowhere = {**layers["CONFIG"]["hosts"][0], "address": "redis://127.0.0.1:1/0"}
    settings.CHANNEL_LAYERS = {"default": {**layers, "CONFIG": {"hosts": [nowhere]}}}
    run_execute(run.pk)
    run.refresh_from_db()
    assert run.status == Status.SUCCEEDED
    messages = said(caplog)
    assert len(messages) == run.last_seq
    assert all(re.match(f"run {run.pk}: sending its news failed: .*(refused|connect)", each) for each in messages)


def test_a_redis_that_hangs_holds_up_no_run(
    run: ReasoningRun, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transitions, "_ANNOUNCING_SECONDS", 0.1)
    layers = settings.CHANNEL_LAYERS["default"]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        hosts = [{**layers["CONFIG"]["hosts"][0], "address": address}]
        settings.CHANNEL_LAYERS = {"default": {**layers, "CONFIG": {"hosts": hosts}}}
        began = time.monotonic()
        run_cancel(run=run, viewer=Viewer(None, VISITOR, ""))
        assert time.monotonic() - began < 10
    assert [each.startswith(f"run {run.pk}: sending its news failed: ") for each in said(caplog)] == [True]


# Recovering


def test_a_run_whose_worker_is_gone_is_queued_again(run: ReasoningRun, caplog: pytest.LogCaptureFixture) -> None:
    forget_deliveries()
    long_since = timezone.now() - timedelta(minutes=1)
    lapsed(run, enqueued_at=long_since)
    assert runs.recover() == 1
    run.refresh_from_db()
    assert (run.status, run.claim, run.lease_until, run.attempts) == (Status.QUEUED, None, None, 1)
    assert soon(run.enqueued_at)
    assert delivered(Queue.CPU) == [(TASK, str(run.pk))]
    assert said(caplog) == [f"{TASK} of {run.pk} lost its worker and is queued again"]


@pytest.mark.parametrize(("attempts", "status"), [(2, Status.QUEUED), (3, Status.FAILED), (4, Status.FAILED)])
def test_three_workers_may_die_over_a_run(run: ReasoningRun, attempts: int, status: Status) -> None:
    lapsed(run, attempts=attempts)
    assert runs.recover() == 1
    run.refresh_from_db()
    assert run.status == status
    if status == Status.FAILED:
        message = "The worker stopped 3 times while it reasoned about this question. Ask it again."
        assert ended_as(run) == (Status.FAILED, "worker_lost", message, True)


def test_all_that_were_moved_are_counted(viewer: Viewer) -> None:
    for attempts in (1, 3, 2, 3):
        lapsed(queued(viewer), attempts=attempts)
    running(queued(viewer))
    assert runs.recover() == 4
    assert ReasoningRun.objects.filter(status=Status.RUNNING).count() == 1


def serve(*queues: Queue) -> None:
    heartbeat_send(worker="celery@here", queues=queues, scorer=READY)


def test_what_the_broker_lost_is_handed_over_again_the_oldest_first(viewer: Viewer) -> None:
    serve(Queue.CPU)
    asked = [queued(viewer) for _ in range(3)]
    lately, long_since = timezone.now() - timedelta(seconds=1), timezone.now() - timedelta(seconds=6)
    ReasoningRun.objects.update(enqueued_at=long_since)
    ReasoningRun.objects.filter(pk=asked[1].pk).update(enqueued_at=lately)
    # One is on its way; of the other two the broker holds one and another's.
    forget_deliveries()
    deliver(TASK, asked[0].pk, Queue.CPU)
    assert runs.recover() == 2
    tasks = [pk for _, pk in delivered(Queue.CPU)]
    assert tasks == [str(asked[0].pk), str(asked[0].pk), str(asked[2].pk)]
    assert all(soon(run.enqueued_at) for run in ReasoningRun.objects.exclude(pk=asked[1].pk))
    assert runs.recover() == 0


def test_what_a_worker_took_up_meanwhile_is_not_handed_over_again(viewer: Viewer) -> None:
    serve(Queue.CPU)
    first, second = queued(viewer), queued(viewer)
    ReasoningRun.objects.update(enqueued_at=timezone.now() - timedelta(minutes=1))
    forget_deliveries()

    def meanwhile(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if sql.startswith("UPDATE") and not taken:
            taken.append(second)
            running(second)
        return execute(sql, params, many, context)

    taken: list[ReasoningRun] = []
    with connection.execute_wrapper(meanwhile):
        assert runs.recover() == 1
    assert delivered(Queue.CPU) == [(TASK, str(first.pk))]


def test_one_queue_that_nobody_serves_does_not_hold_up_another(viewer: Viewer, settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"scorer": "causal", "scorer_weights": settings.ENVIRONMENT.home}
    )
    first, second = queued(viewer, scorer="causal"), queued(viewer, scorer="lexical")
    ReasoningRun.objects.update(enqueued_at=timezone.now() - timedelta(minutes=1))
    cache.clear()
    forget_deliveries()
    serve(Queue.CPU)
    assert runs.recover() == 1
    assert (delivered(Queue.GPU), delivered(Queue.CPU)) == ([], [(TASK, str(second.pk))])
    serve(Queue.GPU)
    assert runs.recover() == 1
    assert delivered(Queue.GPU) == [(TASK, str(first.pk))]


def test_as_long_as_the_broker_holds_a_message_for_each_run_they_only_wait_their_turn(viewer: Viewer) -> None:
    serve(Queue.CPU)
    asked = [queued(viewer) for _ in range(2)]
    ReasoningRun.objects.update(enqueued_at=timezone.now() - timedelta(minutes=1))
    assert runs.recover() == 0
    deliver(TASK, asked[0].pk, Queue.CPU)
    assert runs.recover() == 0
    assert len(delivered(Queue.CPU)) == 3
