"""Every move of a graph's load and removal, as `webapp.graphs.services` promises it."""

from __future__ import annotations

import logging
import os
import shutil
import time
import uuid
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from kgstore.loading.sample import sample_graph
from kgstore.sqlite.library import SqliteLibrary
from kgstore.sqlite.loader import claimed
from tests.webapp.failing_writes import failing_write
from tests.webapp.full_disk import largest_file
from tests.webapp.told_by_services import STAFF_ONLY, audit_log, delivered, forget_deliveries, refused, said_in, stands
from webapp import engine
from webapp.accounts.viewer import Viewer
from webapp.graphs import worker
from webapp.graphs.models import GraphLoad
from webapp.graphs.schemas import GraphLoadIn
from webapp.graphs.services import graph_load_cancel, graph_load_create, graph_remove, why_kept
from webapp.graphs.transitions import graph_loads
from webapp.graphs.worker import WAITS, graph_load_execute
from webapp.platform.disk import disk_fault
from webapp.platform.work import lease
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status
from webapp.uploads.models import Upload
from webapp.uploads.services import upload_append, upload_create

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from webapp.accounts.models import User

TASK = "graphs.graph_load_execute"
LOGS = ("webapp.graphs.services", "webapp.platform.work.turn", "webapp.platform.work.state_machine")
PEOPLE = b"m.1\tplace_of_birth\tm.2\nm.1\twrote_to\tm.3\nm.3\tdesigned\tm.4\n"
NAMES = b"m.1\tAda Byron\nno tab\nm.2\tLondon\n"


@pytest.fixture
def asker(ada: User) -> Viewer:
    return Viewer(ada, None, "192.0.2.1")


@pytest.fixture(autouse=True)
def no_other_graphs(graph_store: None, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    caplog.set_level(logging.INFO)
    yield
    for name in set(engine.graph_library().names()) - {"toy"}:
        engine.graph_library().remove(name)


def sent(viewer: Viewer, content: bytes = PEOPLE, name: str = "people.tsv") -> uuid.UUID:
    upload = upload_create(name=name, size=len(content), viewer=viewer)
    upload_append(upload=upload, offset=0, part=content)
    return upload.pk


def wanted(viewer: Viewer, content: bytes = PEOPLE, **more: Any) -> GraphLoadIn:
    return GraphLoadIn(**{"name": "people", "file": sent(viewer, content), **more})


def start(viewer: Viewer, content: bytes = PEOPLE, **more: Any) -> GraphLoad:
    return graph_load_create(wanted=wanted(viewer, content, **more), viewer=viewer)


def loaded(viewer: Viewer, content: bytes = PEOPLE, **more: Any) -> GraphLoad:
    load = start(viewer, content, **more)
    graph_load_execute(load.pk)
    load.refresh_from_db()
    return load


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return said_in(caplog, LOGS)


def path(name: str) -> Path:
    library = engine.graph_library()
    assert isinstance(library, SqliteLibrary)
    return library.path(name)


# Starting


def test_a_load_is_queued_with_its_files_and_written_down(admin_viewer: Viewer) -> None:
    names = sent(admin_viewer, NAMES, "names.tsv")
    load = start(admin_viewer, title="  People \t of London ", format="tsv", names_from_ids=True, names_file=names)
    load.refresh_from_db()
    assert (load.name, load.title, load.format, load.names_from_ids) == ("people", "People of London", "tsv", True)
    assert load.file is not None
    assert (load.file_name, load.names_file_name, load.names_file_id) == ("people.tsv", "names.tsv", names)
    assert (load.sha256, load.replaces, load.starter) == (load.file.sha256, "", admin_viewer.user)
    assert len(load.sha256) == 64
    assert load.status == Status.QUEUED
    assert timezone.now() - load.enqueued_at < timedelta(minutes=5)
    assert list(Upload.objects.values_list("is_held", flat=True)) == [True, True]
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(load.pk))]
    after = f"people.tsv, SHA-256 {load.sha256}"
    assert audit_log() == [("cleo", "graph_load_started", "people", "", after)]


def test_what_is_left_out_is_reported_by_the_file(admin_viewer: Viewer) -> None:
    load = start(admin_viewer)
    assert (load.title, load.format, load.names_from_ids) == ("people", "", False)
    assert (load.names_file, load.names_file_name) == (None, "")


def test_only_administrators_manage_graphs(admin_viewer: Viewer, asker: Viewer) -> None:
    load = start(admin_viewer)
    for act in (
        lambda: graph_load_create(wanted=GraphLoadIn(name="x", file=uuid.uuid4()), viewer=asker),
        lambda: graph_load_cancel(load=load, viewer=asker),
        lambda: graph_remove(name="people", viewer=asker),
    ):
        assert refused(act) == STAFF_ONLY
    assert (stands(load)[0], len(audit_log())) == (Status.QUEUED, 1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "My Graph",
            "A graph's name has small letters, digits, and single hyphens or underscores between them: my-graph.",
        ),
        ("sample", "The graph “sample” comes with Discern and is not replaced. Choose another name."),
        ("a" * 101, "A graph's name has at most 100 characters."),
    ],
)
def test_a_name_that_will_not_do_is_refused(admin_viewer: Viewer, name: str, message: str) -> None:
    assert refused(lambda: start(admin_viewer, name=name)) == (422, "graph_name", message)
    assert not GraphLoad.objects.exists()
    assert list(Upload.objects.values_list("is_held", flat=True)) == [False]


def test_a_name_may_have_a_hundred_characters(admin_viewer: Viewer) -> None:
    assert start(admin_viewer, name="a" * 100).name == "a" * 100


def test_nothing_new_is_loaded_on_a_full_disk(admin_viewer: Viewer, settings: SettingsWrapper) -> None:
    wish = wanted(admin_viewer)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    assert refused(lambda: graph_load_create(wanted=wish, viewer=admin_viewer))[:2] == (503, "disk_full")


def test_a_graph_is_replaced_only_where_that_was_said(admin_viewer: Viewer) -> None:
    first = loaded(admin_viewer)
    message = "There is a graph “people” already. Choose another name, or replace that graph."
    assert refused(lambda: start(admin_viewer)) == (409, "graph_exists", message)
    again = loaded(admin_viewer, PEOPLE + b"m.4\tr\tm.5\n", replace=True)
    assert (again.status, again.replaces, again.triples) == (Status.SUCCEEDED, first.version, 4)
    assert engine.graph("people").info().version == again.version != first.version
    assert audit_log()[-1][:4] == ("cleo", "graph_load_started", "people", first.version)


def test_a_graph_that_cannot_be_read_may_be_replaced(admin_viewer: Viewer) -> None:
    loaded(admin_viewer)
    path("people").write_bytes(b"no graph")
    assert refused(lambda: start(admin_viewer))[1] == "graph_exists"
    again = loaded(admin_viewer, replace=True)
    assert (again.status, again.replaces) == (Status.SUCCEEDED, "unreadable")


def test_one_name_is_loaded_once_at_a_time(admin_viewer: Viewer) -> None:
    first = start(admin_viewer)
    message = "A graph “people” is being loaded already. Stop that first, or wait until it is done."
    assert refused(lambda: start(admin_viewer)) == (409, "graph_is_loading", message)
    assert Upload.objects.filter(is_held=True).count() == 1
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(first.pk))]


def test_a_names_file_that_is_not_here_lets_the_other_go(admin_viewer: Viewer) -> None:
    assert refused(lambda: start(admin_viewer, names_file=uuid.uuid4()))[1] == "unknown_upload"
    assert not Upload.objects.filter(is_held=True).exists()


# Stopping


def test_a_load_is_stopped_once_and_its_files_are_let_go(admin_viewer: Viewer) -> None:
    load = start(admin_viewer, names_file=sent(admin_viewer, NAMES))
    for _ in range(2):
        assert graph_load_cancel(load=load, viewer=admin_viewer).status == Status.CANCELLED
    assert stands(load) == (Status.CANCELLED, "", None, None, True)
    assert audit_log()[1:] == [("cleo", "graph_load_cancelled", "people", "queued", "")]
    assert list(Upload.objects.values_list("is_held", flat=True)) == [False, False]


# Removing


def test_a_graph_is_removed_and_that_is_written_down(admin_viewer: Viewer) -> None:
    load = loaded(admin_viewer)
    graph_remove(name="people", viewer=admin_viewer)
    assert "people" not in engine.graph_library().names()
    assert audit_log()[-1] == ("cleo", "graph_removed", "people", load.version, "")
    gone = (404, "unknown_graph", "There is no graph “people”. Choose one of the list.")
    assert refused(lambda: graph_remove(name="people", viewer=admin_viewer)) == gone
    assert len(audit_log()) == 2


def test_what_the_site_needs_is_kept(admin_viewer: Viewer) -> None:
    sample = "The sample graph cannot be deleted: it is loaded again at every start."
    default = "“toy” is the default graph. Set DISCERN_GRAPH to another one first."
    engine.graph_library().load(sample_graph())
    assert (why_kept("sample"), why_kept("toy"), why_kept("people")) == (sample, default, "")
    assert refused(lambda: graph_remove(name="sample", viewer=admin_viewer)) == (409, "graph_kept", sample)
    assert refused(lambda: graph_remove(name="toy", viewer=admin_viewer)) == (409, "graph_kept", default)
    assert {"sample", "toy"} <= set(engine.graph_library().names())


def test_a_graph_that_is_being_loaded_is_not_removed(admin_viewer: Viewer) -> None:
    loaded(admin_viewer)
    load = start(admin_viewer, replace=True)
    message = "The graph “people” is being loaded. Stop that first, or wait until it is done."
    assert refused(lambda: graph_remove(name="people", viewer=admin_viewer)) == (409, "graph_is_loading", message)
    graph_load_cancel(load=load, viewer=admin_viewer)
    with claimed(path("people")):
        message = "The graph “people” is being loaded by a command."
        assert refused(lambda: graph_remove(name="people", viewer=admin_viewer)) == (409, "graph_is_loading", message)
    graph_remove(name="people", viewer=admin_viewer)


def test_a_graph_that_cannot_be_removed_says_where_to_look(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    loaded(admin_viewer)
    engine.graph_library().close()
    file = path("people")
    file.unlink()
    file.mkdir()
    try:
        error = refused(lambda: graph_remove(name="people", viewer=admin_viewer))
    finally:
        file.rmdir()
    message = "The graph “people” could not be removed. The site's log says why; try again later."
    assert error == (503, "graph_unavailable", message)
    assert said(caplog) == ["the graph people was not removed"]
    assert "cannot be removed" in caplog.text


def test_where_the_folder_of_graphs_cannot_be_read_that_is_said(admin_viewer: Viewer) -> None:
    load = loaded(admin_viewer)
    with unreadable_folder(path("people").parent):
        error = refused(lambda: graph_remove(name="people", viewer=admin_viewer))
        assert error[:2] == (409, "graph_unavailable")
    assert engine.graph("people").info().version == load.version


@contextmanager
def unreadable_folder(folder: Path) -> Iterator[None]:
    """In place of the folder there is a file."""
    aside = folder.with_name("aside")
    folder.rename(aside)
    folder.write_text("no folder")
    try:
        yield
    finally:
        folder.unlink()
        aside.rename(folder)


# Loading


def test_a_load_that_is_done_says_what_it_loaded_and_its_files_are_gone(admin_viewer: Viewer) -> None:
    folders = []
    names = sent(admin_viewer, NAMES, "names.tsv")
    load = start(admin_viewer, PEOPLE + b"=bad\n", names_file=names, title="The people")
    folders = [upload.path.parent for upload in Upload.objects.all()]
    following = [start(admin_viewer, name=name) for name in ("second", "third")]
    forget_deliveries()
    graph_load_execute(load.pk)
    assert stands(load) == (Status.SUCCEEDED, "", None, None, True)
    info = engine.graph("people").info()
    assert (load.triples, load.version, load.format, load.attempts) == (3, info.version, "tsv", 1)
    assert (info.title, info.source, info.named) == ("The people", "people.tsv (Triples as TSV)", 2)
    assert (load.lines, load.malformed, load.stage) == (4, 2, "indexing")
    reason = "1 columns instead of 3"
    assert load.passed_over == [
        {"file": "people.tsv", "number": 4, "text": "=bad", "reason": reason},
        {
            "file": "names.tsv",
            "number": 2,
            "text": "no tab",
            "reason": "expected an id and a name with a tab between them",
        },
    ]
    assert (load.file, load.names_file) == (None, None)
    assert not any(folder.exists() for folder in folders)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(following[0].pk))]


def test_names_from_ids_are_made_where_that_was_wished(admin_viewer: Viewer) -> None:
    loaded(admin_viewer, b"Ada_Byron\twrote_to\tCharles\n", names_from_ids=True)
    assert engine.graph("people").info().named == 2


def test_many_lines_passed_over_are_kept_and_all_are_counted(admin_viewer: Viewer) -> None:
    load = loaded(admin_viewer, PEOPLE + b"bad\n" * 1_005, format="tsv")
    assert (load.malformed, len(load.passed_over), load.passed_over[0]["number"]) == (1_005, 1_000, 4)


def test_a_line_that_holds_a_nul_is_passed_over_and_shown_with_the_symbol_for_it(admin_viewer: Viewer) -> None:
    load = loaded(admin_viewer, PEOPLE + b"m.1\twrote\0to\tm.3\n")
    assert (load.triples, load.malformed) == (3, 1)
    assert [(line["number"], line["text"]) for line in load.passed_over] == [(4, "m.1\twrote\u2400to\tm.3")]


def test_a_reason_that_quotes_a_nul_can_be_kept(admin_viewer: Viewer) -> None:
    load = start(admin_viewer)
    graph_loads.close(load.pk, Status.FAILED, "“a\0b” is no graph.")
    assert stands(load)[:2] == (Status.FAILED, "“a\u2400b” is no graph.")


def test_a_load_is_worked_off_only_where_it_waits(admin_viewer: Viewer, caplog: pytest.LogCaptureFixture) -> None:
    load = graph_load_cancel(load=start(admin_viewer), viewer=admin_viewer)
    start(admin_viewer, name="other")
    forget_deliveries()
    graph_load_execute(load.pk)
    graph_load_execute(uuid.uuid4())
    assert stands(load)[0] == Status.CANCELLED
    assert (said(caplog), delivered(Queue.CPU_BACKGROUND)) == ([], [])


def test_a_file_that_will_not_do_ends_the_load_with_the_reason_and_stays(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    load, following = start(admin_viewer, b"one\ntwo\n", format="tsv"), start(admin_viewer, name="second")
    forget_deliveries()
    graph_load_execute(load.pk)
    status, reason, claim, _, over = stands(load)
    assert (status, claim, over) == (Status.FAILED, None, True)
    assert reason.startswith("There are no triples to load in people.tsv, read as tsv: 2 of its 2 lines were passed")
    assert (load.malformed, len(load.passed_over), load.lines) == (2, 2, 2)
    assert load.file is not None
    assert not load.file.is_held
    [messages] = said(caplog)
    assert messages.startswith(f"{TASK} of {load.pk} failed: There are no triples to load in ")
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(following.pk))]


def test_a_file_that_went_is_to_be_sent_again(admin_viewer: Viewer) -> None:
    load = start(admin_viewer)
    Upload.objects.all().delete()
    graph_load_execute(load.pk)
    assert stands(load)[:2] == (Status.FAILED, "The file that was sent is not here any more. Send it again.")
    load = start(admin_viewer)
    for upload in Upload.objects.all():
        shutil.rmtree(upload.path.parent)
    graph_load_execute(load.pk)
    assert stands(load)[:2] == (Status.FAILED, "“people.tsv” cannot be read: No such file or directory.")


def test_while_another_process_loads_the_name_the_load_waits(admin_viewer: Viewer) -> None:
    load = start(admin_viewer)
    start(admin_viewer, name="second")
    forget_deliveries()
    with claimed(path("people")):
        graph_load_execute(load.pk)
    assert stands(load) == (Status.QUEUED, WAITS, None, None, False)
    assert WAITS == "Another process is loading a graph of this name. This begins by itself once that is done."
    assert (load.attempts, delivered(Queue.CPU_BACKGROUND)) == (0, [])
    graph_load_execute(load.pk)
    assert stands(load)[:2] == (Status.SUCCEEDED, "")


def test_a_worker_that_is_asked_to_stop_gives_the_load_back(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    load = start(admin_viewer)
    start(admin_viewer, name="second")
    forget_deliveries()
    graph_load_execute(load.pk, stopping=lambda: True)
    assert stands(load) == (Status.QUEUED, "", None, None, False)
    assert (load.attempts, said(caplog)) == (0, [])
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(load.pk))]


def test_a_load_that_is_stopped_while_it_runs_leaves_the_old_graph(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    before = loaded(admin_viewer)
    load = start(admin_viewer, PEOPLE + b"m.4\tr\tm.5\n", replace=True)

    def cancelled_meanwhile() -> bool:
        graph_load_cancel(load=load, viewer=admin_viewer)
        return False

    graph_load_execute(load.pk, stopping=cancelled_meanwhile)
    assert stands(load) == (Status.CANCELLED, "", None, None, True)
    assert engine.graph("people").info().version == before.version
    assert said(caplog) == [f"{TASK} of {load.pk} was cancelled or taken over"]


def test_a_load_whose_lease_is_lost_ends_at_the_next_look(
    admin_viewer: Viewer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lease, "LEASE", timedelta(seconds=0.1))
    monkeypatch.setattr(worker, "PROGRESS_SECONDS", 60)
    load = start(admin_viewer)

    def stopped_long_ago() -> bool:
        graph_load_cancel(load=load, viewer=admin_viewer)
        time.sleep(0.4)
        return False

    graph_load_execute(load.pk, stopping=stopped_long_ago)
    assert stands(load)[0] == Status.CANCELLED
    assert "people" not in engine.graph_library().names()
    assert said(caplog) == [f"{TASK} of {load.pk} was cancelled or taken over"]


def test_progress_is_written_down_at_every_stage(admin_viewer: Viewer) -> None:
    load = start(admin_viewer, b"".join(b"m.%d\tr\tm.0\n" % number for number in range(1, 60_001)))
    seen: list[tuple[Any, ...]] = []

    def look() -> bool:
        load.refresh_from_db()
        seen.append((load.stage, load.lines, load.done, load.total, load.fraction, load.format))
        return False

    graph_load_execute(load.pk, stopping=look)
    # What is seen is what was told before.
    by_stage = {row[0]: row[1:] for row in reversed(seen)}
    assert list(reversed(by_stage)) == ["", "reading", "arranging", "writing"]
    assert by_stage[""] == (0, 0, None, None, "tsv")
    assert by_stage["reading"] == (0, 0, None, 0.0, "tsv")
    assert by_stage["arranging"] == (60_000, 0, 60_000, 0.0, "tsv")
    lines, done, total, fraction, _ = by_stage["writing"]
    assert (lines, total, fraction) == (60_000, 120_001, done / 120_001)
    load.refresh_from_db()
    assert (load.stage, load.done, load.total, load.fraction) == ("indexing", 0, None, None)


def test_progress_is_shown_no_more_often_than_people_look(
    admin_viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dones(seconds: float) -> set[int]:
        monkeypatch.setattr(worker, "PROGRESS_SECONDS", seconds)
        load = start(admin_viewer, b"".join(b"m.%d\tr\tm.0\n" % number for number in range(40_000)), replace=True)
        seen: set[int] = set()

        def look() -> bool:
            load.refresh_from_db()
            if load.stage == "reading":
                seen.add(load.done)
            return False

        graph_load_execute(load.pk, stopping=look)
        return seen

    assert dones(60) == {0}
    assert len(dones(0)) > 3


def test_what_nobody_foresaw_ends_a_load_and_stands_in_the_log(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    load, following = start(admin_viewer), start(admin_viewer, name="second")
    GraphLoad.objects.filter(pk=load.pk).update(format="of no kind")
    forget_deliveries()
    graph_load_execute(load.pk)
    reason = "The load broke, and the graph that was there is as it was. See the worker's log, then try again."
    assert stands(load) == (Status.FAILED, reason, None, None, True)
    assert said(caplog) == [f"{TASK} of {load.pk} broke"]
    assert caplog.records[-1].exc_info
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(following.pk))]


def test_a_full_disk_ends_a_load_with_the_reason(
    admin_viewer: Viewer, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    load = start(admin_viewer)
    before = settings.ENVIRONMENT
    settings.ENVIRONMENT = before.model_copy(update={"disk_reserve_mb": 10**9})
    graph_load_execute(load.pk)
    settings.ENVIRONMENT = before
    reason = "The disk of this site is full. The graph that was there is as it was. Free space, then try again."
    assert stands(load) == (Status.FAILED, reason, None, None, True)
    assert "could not be written" in str(disk_fault())
    assert "the disk is full: Where the home folder is" in caplog.text
    assert said(caplog) == []


def test_a_load_that_the_database_refused_is_begun_again_once_its_lease_is_over(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    load = start(admin_viewer)
    with failing_write(2):
        graph_load_execute(load.pk)
    assert stands(load)[0] == Status.RUNNING
    assert said(caplog) == [
        f"graphs.graph_load_execute of {load.pk} met a fault of the database: the server closed the connection"
    ]
    GraphLoad.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert graph_loads.recover() == 1


def test_a_load_that_ran_out_of_room_where_not_even_that_can_be_written_waits_for_its_lease(
    admin_viewer: Viewer, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    load = start(admin_viewer)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    with failing_write(4):
        graph_load_execute(load.pk)
    assert stands(load)[0] == Status.RUNNING
    closed = "the server closed the connection"
    assert said(caplog) == [f"graphs.graph_load_execute of {load.pk} resumes once its lease has expired: {closed}"]


def test_a_graph_that_the_disk_does_not_hold_ends_the_load_with_the_reason(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    load = start(
        admin_viewer, b"".join(b"thing_%d\tnext\tthing_%d\n" % (number, number + 1) for number in range(20_000))
    )
    with largest_file(1_000_000):
        graph_load_execute(load.pk)
    reason = "The disk of this site is full. The graph that was there is as it was. Free space, then try again."
    assert stands(load) == (Status.FAILED, reason, None, None, True)
    assert "the disk is full: " in caplog.text
    assert said(caplog) == []


def test_what_another_worker_holds_by_now_is_not_ended(admin_viewer: Viewer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PROGRESS_SECONDS", 60)
    load = start(admin_viewer, b"one\ntwo\n", format="tsv")
    looks: list[int] = []

    def taken_over() -> bool:
        looks.append(1)
        if len(looks) > 1:
            GraphLoad.objects.update(claim=uuid.UUID(int=7))
        return False

    graph_load_execute(load.pk, stopping=taken_over)
    assert stands(load)[:3] == (Status.RUNNING, "", uuid.UUID(int=7))


def test_where_the_graphs_are_away_that_is_said_and_may_be_tried_again(
    admin_viewer: Viewer, settings: SettingsWrapper
) -> None:
    wish, before = wanted(admin_viewer), settings.ENVIRONMENT
    away = "neo4j://neo4j:no-password@127.0.0.1:1/graphs"
    settings.ENVIRONMENT = before.model_copy(update={"graph_store_url": away})
    engine.graph_library.cache_clear()
    try:
        error = refused(lambda: graph_load_create(wanted=wish, viewer=admin_viewer))
    finally:
        engine.graph_library().close()
        settings.ENVIRONMENT = before
        engine.graph_library.cache_clear()
    message = "The graphs cannot be reached right now. Try again in a minute."
    assert error == (503, "graph_unavailable", message)


def test_a_load_over_which_workers_died_is_given_up_with_the_reason_and_its_file_stays(admin_viewer: Viewer) -> None:
    load = start(admin_viewer)
    past = timezone.now() - timedelta(seconds=1)
    GraphLoad.objects.update(status=Status.RUNNING, claim=uuid.uuid4(), lease_until=past, attempts=5)
    Upload.objects.update(created_at=timezone.now() - timedelta(days=9))
    [upload] = Upload.objects.all()
    os.utime(upload.path, (0, 0))
    assert graph_loads.recover() == 1
    reason = (
        "The worker stopped 5 times while it loaded this: the graph may be too large for its memory. The graph that "
        "was there is as it was. See the worker's log, or load it by command on a larger machine."
    )
    assert stands(load) == (Status.FAILED, reason, None, None, True)
    upload.refresh_from_db()
    assert not upload.is_held
    assert time.time() - upload.path.stat().st_mtime < 60
