"""A site as `make run` starts it, attacked over its port: each guarantee is tested from outside."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse
from pathlib import Path
from socket import create_connection
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import pytest
from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol

from tests.faults.crowd import GIVE_UP_SECONDS, QUESTIONS, Asker
from tests.faults.followers import ENDS, SocketFollower
from tests.running_site import held, living_process_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from tests.running_site import RunningSite

Result = TypeVar("Result")
WORKER, WEB, REDIS = b"celery", b"web_server", b"redis-server"
MEGABYTE = 1 << 20
VIEWERS = 90
"""Fewer than one address may have."""
IDLE_SECONDS = 12
"""More than twice what channels waits for Redis at a time."""
HOSTILE_NAMES = {"=1+1": "=1+1", "\u202egnp.exe": "⟨U+202E⟩gnp.exe", "<script>alert(1)</script>": None}
FILTER = "FILTER(NOT EXISTS {?y ns:a.b.from ?s} || EXISTS {?y ns:a.b.from ?t . FILTER(xsd:datetime(?t) - ?v <= 0)})"


class Administrator(Asker):
    """Who is signed in with the demo account of administrators."""

    def __init__(self, site: RunningSite) -> None:
        super().__init__(site.address)
        name, password = site.account("admin")
        self.token = self.client.get("/api/session").raise_for_status().json()["csrf_token"]
        self.token = self.do("POST", "/api/session", {"username": name, "password": password})["csrf_token"]

    def do(self, method: str, path: str, document: Any = None) -> Any:
        content = None if document is None else json.dumps(document)
        headers = {"X-CSRFToken": self.token, "Content-Type": "application/json"}
        response = self.client.request(method, path, content=content, headers=headers)
        assert response.is_success, response.text
        return response.json()

    def send(self, name: str, content: bytes) -> str:
        """Send a file in one part; its id."""
        upload: str = self.do("POST", "/api/uploads", {"name": name, "bytes": len(content)})["id"]
        headers = {"X-CSRFToken": self.token, "Content-Type": "application/octet-stream"}
        sent = self.client.put(f"/api/uploads/{upload}", params={"offset": 0}, content=content, headers=headers)
        assert sent.is_success, sent.text
        return upload


@pytest.fixture
def visitor(site: RunningSite) -> Iterator[Asker]:
    with Asker(site.address) as asker:
        asker.token = asker.client.get("/api/session").raise_for_status().json()["csrf_token"]
        yield asker


@pytest.fixture
def cleo(site: RunningSite) -> Iterator[Administrator]:
    with Administrator(site) as admin:
        yield admin


def waited(shown: Callable[[], Any], seconds: float = GIVE_UP_SECONDS) -> Any:
    """What is told, once it is something."""
    until = time.monotonic() + seconds
    while not (found := shown()):
        assert time.monotonic() < until
        time.sleep(0.1)
    return found


def asked(visitor: Asker, question: str = QUESTIONS[0], **more: str) -> str:
    document = {"question": question, **more}
    answer = visitor.client.post("/api/runs", json=document, headers={"X-CSRFToken": visitor.token})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def ended(visitor: Asker, run_id: str) -> dict[str, Any]:
    """The last event of a run."""

    def last() -> dict[str, Any] | None:
        reply = visitor.client.get(f"/api/runs/{run_id}/events").raise_for_status().json()
        return reply[-1]["event"] if reply and reply[-1]["event"]["kind"] in ENDS else None

    found: dict[str, Any] = waited(last)
    return found


def most_memory(site: RunningSite, process: bytes) -> int:
    status = Path(f"/proc/{living_process_of(site.home, process)}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))


class Knock(WebSocketClientProtocol):
    """A socket that only waits to be closed."""

    closed: asyncio.Future[int | None]

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:  # noqa: N802, N803
        if not self.closed.done():
            self.closed.set_result(code)


def awaited(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What a coroutine gives, in a thread of its own: a browser that is open holds the loop of this one."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def closed_with(site: RunningSite, path: str, origin: str | None, seconds: float = 20, **headers: str) -> int | None:
    """The code with which a socket is closed."""

    async def knock() -> int | None:
        loop = asyncio.get_running_loop()
        port = urlsplit(site.address).port
        factory = WebSocketClientFactory(f"ws://127.0.0.1:{port}{path}", origin=origin, headers=headers)
        Knock.closed = loop.create_future()
        factory.protocol = Knock
        transport, _ = await loop.create_connection(factory, "127.0.0.1", port)
        try:
            async with asyncio.timeout(seconds):
                return await Knock.closed
        finally:
            transport.abort()
            await asyncio.sleep(0)

    return awaited(knock())


def test_sockets_that_wait_stay_open_and_a_question_outlives_the_queue_that_held_it(
    site: RunningSite, visitor: Asker
) -> None:
    """Points 1 and 5: many watch a question that waits; Redis dies and forgets it."""

    async def watched(run_id: str) -> list[SocketFollower]:
        port = urlsplit(site.address).port or 0
        followers = [SocketFollower(run_id, port) for _ in range(VIEWERS)]
        async with asyncio.timeout(GIVE_UP_SECONDS), asyncio.TaskGroup() as group:
            for follower in followers:
                group.create_task(follower.follow())
            for follower in followers:
                await follower.connected.wait()
            await asyncio.sleep(IDLE_SECONDS)
            os.kill(living_process_of(site.home, REDIS), signal.SIGKILL)
            await asyncio.sleep(1)
            os.kill(worker, signal.SIGCONT)
        return followers

    with held(site.home, WORKER) as worker:
        followers = awaited(watched(asked(visitor)))
    log = followers[0].seen
    assert [seq for seq, _ in log] == list(range(1, len(log) + 1))
    assert all(follower.seen == log for follower in followers)
    assert [follower.codes for follower in followers if follower.dropped] == []


def test_a_word_of_any_length_takes_little_memory(site: RunningSite, visitor: Asker) -> None:
    """Point 2."""
    ended(visitor, asked(visitor))
    before = most_memory(site, WORKER)
    assert ended(visitor, asked(visitor, "x" * 300))["kind"] == "finished"
    assert most_memory(site, WORKER) - before < 100 * MEGABYTE
    statuses = [
        visitor.client.post("/api/runs", json={"question": "x" * length}, headers={"X-CSRFToken": visitor.token})
        for length in (301, 2_000, 100_000)
    ]
    assert [each.status_code for each in statuses] == [422, 422, 413]


def test_a_body_of_any_length_fills_neither_the_disk_nor_the_memory(site: RunningSite) -> None:
    """Point 7: a form of 64 MB, which says nothing of its length."""
    before = most_memory(site, WEB)
    piece = b"100000\r\n" + b"a=1&" * (MEGABYTE // 4) + b"\r\n"
    head = "POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    with create_connection(("127.0.0.1", urlsplit(site.address).port), timeout=60) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(64):
            connection.sendall(piece)
        connection.sendall(b"0\r\n\r\n")
        response = HTTPResponse(connection)
        response.begin()
        assert response.status == 415
    assert most_memory(site, WEB) - before < 32 * MEGABYTE


def test_a_damaged_graph_is_reported_without_a_path(site: RunningSite, visitor: Asker) -> None:
    """Point 8."""
    damaged = site.home / "graphs" / "damaged.sqlite"
    damaged.write_bytes(b"SQLite format 3\0" + os.urandom(20_000))
    try:
        graphs = visitor.client.get("/api/graphs").raise_for_status()
        assert next(graph["fault"] for graph in graphs.json() if graph["name"] == "damaged")
        answer = visitor.client.get("/api/graphs/damaged/entities", params={"q": "a"})
        assert answer.status_code in (404, 409, 503)
        assert str(site.home) not in graphs.text + answer.text
    finally:
        damaged.unlink()


def test_names_that_would_be_formulas_or_turn_a_text_round_do_no_harm(
    site: RunningSite, cleo: Administrator, visitor: Asker
) -> None:
    """Point 9: a hostile graph, sent from the page and asked."""
    lines = [f"en.show\ttv.program.star\tp{place}" for place in range(len(HOSTILE_NAMES))]
    lines += [f'p{place}\ttype.object.name\t"{name}"' for place, name in enumerate(HOSTILE_NAMES)]
    lines += ['en.show\ttype.object.name\t"Show"', "=HYPERLINK(1)", "@SUM(1)\tx", "\0\tx\ty"]
    file = cleo.send("hostile.tsv", "\n".join(lines).encode())
    started = cleo.do("POST", "/api/graph-loads", {"name": "hostile", "file": file, "replace": True})["id"]
    load = waited(lambda: (line := cleo.do("GET", f"/api/graph-loads/{started}"))["finished_at"] and line)
    assert load["status"] == "succeeded", load["reason"]
    assert load["malformed"] == 3
    table = cleo.client.get(f"/api/graph-loads/{started}/passed-over.csv").raise_for_status().text
    assert "'=HYPERLINK(1)" in table
    assert ",=HYPERLINK" not in table
    end = ended(visitor, asked(visitor, "who is the star of Show?", graph="hostile", topic="en.show"))
    assert {answer["term"]["label"] for answer in end["answers"]} == set(HOSTILE_NAMES), "the data stays as it is"


def test_no_question_ends_a_dataset(cleo: Administrator) -> None:
    """Point 10."""
    good = {"id": "good", "question": "who created Knight Rider?", "topic": "en.knight_rider", "answers": ["en.glen"]}
    entries: list[Any] = [None, 7, [], {}, {**good, "id": None}, {**good, "id": "s", "question": "half \ud83d"}]
    entries += [{**good, "id": "long", "question": "x" * 100_000}, {**good, "id": "=1+1", "answers": FILTER}, good]
    lines = [json.dumps(entry).encode() for entry in entries] + [b"\xff\xfe", b"[" * 5_000]
    upload = cleo.send("hostile.jsonl", b"\n".join(lines))
    started = cleo.do("POST", "/api/datasets", {"upload": upload, "name": "hostile", "format": "discern"})["id"]
    over = ("succeeded", "failed", "cancelled")
    loaded = waited(lambda: (text := cleo.do("GET", f"/api/datasets/{started}"))["status"] in over and text)
    assert (loaded["status"], loaded["questions"], loaded["malformed"]) == ("succeeded", 1, len(lines) - 1)


def test_sockets_that_have_nothing_to_wait_for_and_those_of_strangers_are_closed(
    site: RunningSite, visitor: Asker
) -> None:
    """Point 11: a number beyond the end, another port, no origin, a token that is none."""
    run_id = asked(visitor)
    ended(visitor, run_id)
    path, port = f"/ws/runs/{run_id}/?after=", urlsplit(site.address).port or 0
    own = f"http://127.0.0.1:{port}"
    assert closed_with(site, f"{path}1000000", own) == 1000
    assert closed_with(site, f"{path}0", f"http://127.0.0.1:{port + 1}") == 4403
    assert closed_with(site, f"{path}0", None) == 4403
    assert closed_with(site, f"{path}0", None, Authorization="Bearer discern_nothing") == 4401


def test_readyz_answers_within_seconds_while_redis_hangs(site: RunningSite, visitor: Asker) -> None:
    """Point 11."""
    with held(site.home, REDIS):
        began = time.monotonic()
        answer = visitor.client.get("/readyz")
        assert time.monotonic() - began < 4
        assert answer.status_code == 503
        assert not answer.json()["parts"]["redis"]["ok"]
    waited(lambda: visitor.client.get("/readyz").status_code == 200)


def test_an_administrator_stops_what_somebody_else_asked(
    site: RunningSite, visitor: Asker, cleo: Administrator
) -> None:
    """Point 11."""
    with held(site.home, WORKER), Asker(site.address) as stranger:
        run_id = asked(visitor)
        headers = {"X-CSRFToken": stranger.client.get("/api/session").json()["csrf_token"]}
        assert stranger.client.post(f"/api/runs/{run_id}/cancel", headers=headers).status_code == 403
        assert cleo.do("POST", f"/api/runs/{run_id}/cancel", {})["status"] == "cancelled"
    assert ended(visitor, run_id)["kind"] == "cancelled"


@pytest.mark.parametrize("door", ["/api/session", "/admin/login/"])
def test_passwords_are_not_guessed_without_end(site: RunningSite, door: str) -> None:
    """Point 6; the last of all, for this address may try nothing more for a minute."""
    with httpx2.Client(base_url=site.address, timeout=30) as client:
        client.get("/admin/login/")
        token = client.get("/api/session").json()["csrf_token"]
        wrong = {"username": "nobody", "password": "wrong"}
        for _ in range(11):
            if door == "/admin/login/":
                form = {**wrong, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
                reply = client.post(door, data=form, headers={"Referer": site.address}).text
            else:
                reply = client.post(door, json=wrong, headers={"X-CSRFToken": token}).text
        assert "Too many" in reply or "again in" in reply, reply[:500]
