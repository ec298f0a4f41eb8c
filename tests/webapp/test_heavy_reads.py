"""Comparisons and files take turns in a web process, and figures that were kept are those of the evaluations now."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import psutil
import pytest
from django.test import Client

from tests.webapp.test_standings import A, B, evaluation
from tests.webapp.web_server import WebServer
from webapp.accounts.models import User
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.platform.http.heavy_reads import kept_read
from webapp.platform.http.streaming import streamed_file
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COMPARED = (
    "differences?id={one}&id={two}",
    "standings?id={one}&id={two}",
    "standings.json?id={one}&id={two}",
    "standings.csv?id={one}&id={two}",
    "agreement.csv?id={one}&id={two}",
    "{one}/against/{two}",
    "{two}/since",
)


@pytest.fixture
def running() -> list[Evaluation]:
    """Two evaluations that have judged two of three questions."""
    fields = {"total": 3, "status": Status.RUNNING, "finished_at": None}
    return [evaluation({"q1": A, "q2": B}, **fields) for _ in range(2)]


def judge_third(made: Evaluation) -> None:
    """Judge one more question, as a worker does."""
    question = made.questions.get(position=1)
    question.pk, question.position, question.question_id, question.text = None, 3, "q3", "what is q3?"
    question.save()
    Evaluation.objects.filter(pk=made.pk).update(done=3)


def content(path: str, compared: list[Evaluation]) -> bytes:
    one, two = (each.pk for each in compared)
    client = Client()
    client.force_login(User.objects.get_or_create(username="ada")[0])
    answer = client.get(f"/api/evaluations/{path.format(one=one, two=two)}")
    assert answer.status_code == 200
    return bytes(answer.getvalue())


@pytest.mark.django_db
@pytest.mark.parametrize("path", _COMPARED)
def test_a_comparison_is_the_same_again_until_more_is_judged(path: str, running: list[Evaluation]) -> None:
    first = content(path, running)
    assert content(path, running) == first
    for each in running:
        judge_third(each)
    later = content(path, running)
    assert later != first
    # Others that have judged the same from the start: nothing was kept of them.
    for each in running:
        each.refresh_from_db()
    fresh = [evaluation({"q1": A, "q2": B, "q3": A}, status=Status.RUNNING, finished_at=None) for _ in range(2)]
    for made, original in zip(fresh, running, strict=True):
        for question in made.questions.all():
            EvaluatedQuestion.objects.filter(pk=question.pk).update(
                outcome=original.questions.get(question_id=question.question_id).outcome
            )
        moved = {"created_at": original.created_at, "seen_at": original.seen_at}
        Evaluation.objects.filter(pk=made.pk).update(**moved)
    Evaluation.objects.filter(pk__in=[each.pk for each in running]).update(dataset="another")
    computed = content(path, fresh)
    for made, original in zip(fresh, running, strict=True):
        computed = computed.replace(str(made.pk).encode(), str(original.pk).encode())
    assert computed == later


@pytest.mark.django_db
@pytest.mark.parametrize("path", [path for path in _COMPARED if path != "agreement.csv?id={one}&id={two}"])
def test_a_comparison_tells_the_note_of_now(path: str, running: list[Evaluation]) -> None:
    content(path, running)
    Evaluation.objects.update(note="after dinner")
    assert b"after dinner" in content(path, running)


def test_a_process_makes_one_heavy_read_at_a_time() -> None:
    held, other_began = Event(), Event()

    def parts() -> Iterator[str]:
        held.set()
        assert not other_began.wait(0.3)
        yield "the only line\n"

    @kept_read(most=1)
    def compared() -> str:
        other_began.set()
        return "figures"

    downloaded: list[bytes] = []
    _together(lambda: downloaded.append(_whole(parts())), held, compared)
    assert downloaded == [b"the only line\n"]
    assert other_began.is_set()


def test_a_read_that_many_request_at_once_is_made_once() -> None:
    made = []

    @kept_read(most=1)
    def document() -> str:
        made.append("document")
        return "document"

    with ThreadPoolExecutor(20) as pool:
        read = list(pool.map(lambda _: document(), range(20)))
    assert (set(read), made) == ({"document"}, ["document"])


def test_two_files_are_made_by_turns() -> None:
    held, other_began = Event(), Event()

    def first() -> Iterator[str]:
        held.set()
        assert not other_began.wait(0.3)
        yield "first\n"

    def second() -> Iterator[str]:
        other_began.set()
        yield "second\n"

    downloaded: list[bytes] = []
    _together(lambda: downloaded.append(_whole(first())), held, lambda: downloaded.append(_whole(second())))
    assert sorted(downloaded) == [b"first\n", b"second\n"]


def test_a_file_may_be_made_of_what_is_kept() -> None:
    @kept_read(most=1)
    def figures() -> str:
        return "figures\n"

    assert _whole(figures() for _ in range(2)) == b"figures\nfigures\n"


@pytest.fixture
def server() -> Iterator[WebServer]:
    """A web server over the tests' database, which the test may kill."""
    started = WebServer()
    yield started
    started.process.kill()
    started.process.wait()


def readers_of(server: WebServer) -> list[int]:
    """The processes that make a web server's heavy reads."""
    children = psutil.Process(server.process.pid).children()
    return [each.pid for each in children if "spawn_main" in " ".join(each.cmdline())]


def compared_by(server: WebServer, evaluations: list[Evaluation]) -> int:
    query = "&".join(f"id={each.pk}" for each in evaluations)
    answer = server.send("GET", f"/api/evaluations/standings?{query}")
    assert answer.status == 200, answer.body
    return int(answer.json["common"])


@pytest.mark.django_db(transaction=True)
def test_another_process_makes_the_heavy_reads_and_is_replaced_if_it_ends(
    server: WebServer, running: list[Evaluation]
) -> None:
    assert readers_of(server) == []
    assert compared_by(server, running) == 2
    (reader,) = readers_of(server)
    for each in running:
        judge_third(each)
    os.kill(reader, signal.SIGKILL)
    assert compared_by(server, running) == 3
    (replaced,) = readers_of(server)
    assert replaced != reader


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL], ids=["told to stop", "killed"])
def test_the_process_that_reads_ends_with_the_web_server(
    server: WebServer, running: list[Evaluation], end: signal.Signals
) -> None:
    compared_by(server, running)
    (reader,) = readers_of(server)
    server.process.send_signal(end)
    server.process.wait(30)
    give_up_at = time.monotonic() + 30
    while Path(f"/proc/{reader}").exists():
        assert time.monotonic() < give_up_at
        time.sleep(0.05)


def _whole(parts: Iterator[str]) -> bytes:
    async def whole() -> bytes:
        return b"".join([part async for part in streamed_file(parts, name="f", media_type="text/plain")])

    return asyncio.run(whole())


def _together(begins: Callable[[], object], held: Event, follows: Callable[[], object]) -> None:
    """Run one thing, and another once the first is in the midst of it."""
    one = Thread(target=begins)
    one.start()
    assert held.wait(10)
    two = Thread(target=follows)
    two.start()
    for thread in (one, two):
        thread.join(10)
        assert not thread.is_alive()
