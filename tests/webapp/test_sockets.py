from __future__ import annotations

import asyncio
import json
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import SyncToAsync, sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.conf import settings as django_settings
from django.db import connection, connections
from django.test import Client
from redis import Redis

from tests.faults.followers import SocketFollower
from tests.webapp.conftest import KITT, needs_sqlite
from tests.webapp.web_server import WebServer
from webapp.accounts.viewer import Viewer
from webapp.asgi import application
from webapp.asking.questions.services import question_ask
from webapp.asking.runs.services import run_cancel
from webapp.asking.runs.worker import run_execute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_django.fixtures import SettingsWrapper

    from webapp.asking.runs.models import ReasoningRun

OWN = [(b"host", b"localhost:8000"), (b"origin", b"http://localhost:8000")]


HEARTBEAT = {"kind": "heartbeat"}


def socket(
    run_id: object,
    after: int | str | None = None,
    headers: list[tuple[bytes, bytes]] = OWN,
    address: str = "198.51.100.7",
) -> Any:
    query = "" if after is None else f"?after={after}"
    communicator = WebsocketCommunicator(application, f"/ws/runs/{run_id}/{query}", headers=headers)
    communicator.scope["client"] = [address, 50_000]
    return communicator


async def received(communicator: Any, count: int | None = None) -> list[dict[str, Any]]:
    """This number of events, or all until the socket is closed with 1000. Heartbeats alone end in a timeout."""
    messages: list[dict[str, Any]] = []
    async with asyncio.timeout(120):
        while count is None or len(messages) < count:
            output = await communicator.receive_output(timeout=20)
            if output["type"] == "websocket.close":
                assert output["code"] == 1000
                break
            message = json.loads(output["text"])
            if message != HEARTBEAT:
                messages.append(message)
    return messages


@contextmanager
def database_away() -> Iterator[None]:
    """Within the block, no process can open the database. Each of the server's reads opens it again."""
    file = Path(connection.settings_dict["NAME"])
    away = file.with_name("away.sqlite3")
    file.rename(away)
    file.mkdir()
    try:
        yield
    finally:
        file.rmdir()
        away.rename(file)


async def heartbeat(communicator: Any) -> None:
    output = await communicator.receive_output(timeout=20)
    assert output["type"] == "websocket.send", output
    assert json.loads(output["text"]) == HEARTBEAT


async def closed_with(communicator: Any) -> int:
    connected, _ = await communicator.connect(timeout=5)
    assert connected
    output = await communicator.receive_output(timeout=5)
    assert output["type"] == "websocket.close"
    await communicator.disconnect(timeout=0.1)
    code = int(output["code"])
    # The web server's library sends no other code: with one, the socket would stay open and silent.
    assert code == 1000 or 3000 <= code <= 4999
    return code


@pytest.fixture
def viewer() -> Viewer:
    return Viewer(None, uuid.uuid4(), "127.0.0.1")


@pytest.fixture
def run(viewer: Viewer) -> ReasoningRun:
    return question_ask(text=KITT, viewer=viewer)


def served(run: ReasoningRun, after: int = 0) -> Any:
    return Client().get(f"/api/runs/{run.pk}/events?after={after}").json()


@pytest.fixture(autouse=True)
def closed_connection() -> Iterator[None]:
    """The thread that all tests share for what may not run at the same time keeps its connection to the database."""
    yield
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()


def executed(run_id: uuid.UUID, **how: Any) -> None:
    """Work on a run. The thread may end with the test, and closes its connection: Channels' tests keep it open."""
    try:
        run_execute(run_id, **how)
    finally:
        connection.close()


async def test_a_finished_run_is_replayed_as_the_api_serves_it_and_closed(run: ReasoningRun) -> None:
    await sync_to_async(executed)(run_id=run.pk)
    everything = await sync_to_async(served)(run)
    communicator = socket(run.pk)
    assert (await communicator.connect())[0]
    assert await received(communicator) == everything
    rest = socket(run.pk, after=3)
    assert (await rest.connect())[0]
    assert await received(rest) == everything[3:]


async def test_a_running_run_is_followed_without_loss_or_doubles(run: ReasoningRun) -> None:
    early, late = socket(run.pk), socket(run.pk)
    assert (await early.connect())[0]
    assert await early.receive_nothing(timeout=0.2)
    working = asyncio.create_task(sync_to_async(executed, thread_sensitive=False)(run_id=run.pk))
    first = await received(early, 1)
    assert (await late.connect())[0]
    heard = first + await received(early)
    heard_late = await received(late)
    await working
    everything = await sync_to_async(served)(run)
    assert heard == everything
    assert heard_late == everything


async def test_who_reconnects_with_the_last_number_misses_nothing(run: ReasoningRun) -> None:
    await sync_to_async(executed, thread_sensitive=False)(run_id=run.pk, stopping=lambda: True)
    before = socket(run.pk)
    assert (await before.connect())[0]
    seen = await received(before, 1)
    await before.disconnect()
    again = socket(run.pk, after=seen[-1]["seq"])
    assert (await again.connect())[0]
    await sync_to_async(executed, thread_sensitive=False)(run_id=run.pk)
    assert seen + await received(again) == await sync_to_async(served)(run)


async def test_cancelling_ends_the_socket(run: ReasoningRun, viewer: Viewer) -> None:
    communicator = socket(run.pk)
    assert (await communicator.connect())[0]
    await sync_to_async(run_cancel)(run=run, viewer=viewer)
    assert await received(communicator) == [{"seq": 1, "event": {"kind": "cancelled"}}]


async def test_many_sockets_idle_longer_than_the_layer_waits_at_a_time_and_then_get_every_event(
    run: ReasoningRun, settings: SettingsWrapper
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"sockets_per_address": 200})
    viewers = [socket(run.pk) for _ in range(160)]
    assert all(connected for connected, _ in await asyncio.gather(*(each.connect(timeout=30) for each in viewers)))
    # The layer waits for 5 seconds at a time, as a heartbeat does: after two of them it has waited again.
    for _ in range(2):
        await asyncio.gather(*map(heartbeat, viewers))
    working = asyncio.create_task(sync_to_async(executed, thread_sensitive=False)(run_id=run.pk))
    heard = await asyncio.gather(*map(received, viewers))
    await working
    everything = await sync_to_async(served)(run)
    assert all(each == everything for each in heard)


@pytest.mark.parametrize("waits_for", ["a message", "its place in a group"])
async def test_whatever_waits_for_redis_ends_at_whichever_moment_it_is_cancelled(waits_for: str) -> None:
    layer = get_channel_layer()
    assert layer is not None
    channel = await layer.new_channel()
    await layer.group_add("a-group", channel)
    for moment in range(60):
        waiting = asyncio.create_task(
            layer.receive(channel) if waits_for == "a message" else layer.group_add("a-group", channel)
        )
        for _ in range(moment):
            await asyncio.sleep(0)
        if waiting.cancel():
            await asyncio.wait({waiting}, timeout=3)
            assert waiting.cancelled(), f"cancelled at turn {moment} of the event loop, it went on"


async def test_a_socket_outlives_a_redis_that_forgets_everything(run: ReasoningRun) -> None:
    communicator = socket(run.pk)
    assert (await communicator.connect())[0]
    with Redis.from_url(django_settings.ENVIRONMENT.redis) as redis:
        redis.flushall()
        for client in redis.client_list(_type="normal"):
            if client["id"] != str(redis.client_id()):
                redis.client_kill_filter(_id=client["id"])
    await heartbeat(communicator)
    await sync_to_async(executed, thread_sensitive=False)(run_id=run.pk)
    assert await received(communicator) == await sync_to_async(served)(run)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (b"localhost:8000", b"https://evil.example"),
        (b"localhost:8000", b"http://localhost:9999"),
        (b"localhost:8000", b"http://localhost"),
        (b"localhost:8000", b"http://localhost:port"),
        (b"localhost:8000", b"http://localhost:99999"),
        (b"localhost:8000", b"http://127.0.0.1:8000"),
        (b"localhost:8000", b"null"),
        (b"localhost:8000", b"file://localhost:8000"),
        (b"localhost:8000", None),
        (b"evil.example", b"http://evil.example"),
        (None, b"http://localhost:8000"),
    ],
)
async def test_a_page_of_another_site_may_not_follow(
    run: ReasoningRun, host: bytes | None, origin: bytes | None
) -> None:
    headers = [(name, value) for name, value in ((b"host", host), (b"origin", origin)) if value is not None]
    assert await closed_with(socket(run.pk, headers=headers)) == 4403


@pytest.mark.parametrize(
    ("https", "host", "origin", "is_own"),
    [
        (False, b"localhost", b"http://localhost", True),
        (False, b"LOCALHOST:80", b"http://localhost", True),
        (False, b"[::1]:8000", b"http://[::1]:8000", True),
        # Before the site a proxy speaks https, and passes on the host that it was asked for.
        (False, b"localhost", b"https://localhost", True),
        (True, b"localhost", b"https://localhost", True),
        (True, b"localhost:8443", b"https://localhost:8443", True),
        (True, b"localhost", b"https://localhost:8443", False),
        (True, b"localhost", b"http://localhost", False),
    ],
)
async def test_a_page_may_follow_where_it_asks_the_host_and_port_that_served_it(
    run: ReasoningRun, settings: SettingsWrapper, https: bool, host: bytes, origin: bytes, is_own: bool
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"https": https})
    communicator = socket(uuid.uuid4(), headers=[(b"host", host), (b"origin", origin)])
    assert await closed_with(communicator) == (4404 if is_own else 4403)


async def test_an_unknown_run_or_address_is_said_to_be_unknown() -> None:
    assert await closed_with(socket(uuid.uuid4())) == 4404
    assert await closed_with(WebsocketCommunicator(application, "/ws/elsewhere/", headers=OWN)) == 4404


@pytest.mark.parametrize(
    "after", ["last", "-1", "1.5", "+1", "1_000", "%D9%A3", "%FF", "2147483648", "9" * 30, "9" * 5_000]
)
async def test_a_number_that_no_event_has_is_refused(run: ReasoningRun, after: str) -> None:
    assert await closed_with(socket(run.pk, after=after)) == 4400


@pytest.mark.parametrize("beyond", [0, 1, 1_000, 2**31 - 1])
async def test_a_finished_run_of_which_nothing_is_missed_is_closed_at_once(run: ReasoningRun, beyond: int) -> None:
    await sync_to_async(executed)(run_id=run.pk)
    await sync_to_async(run.refresh_from_db)()
    assert await closed_with(socket(run.pk, after=min(run.last_seq + beyond, 2**31 - 1))) == 1000


async def test_an_address_holds_so_many_sockets_and_no_more(run: ReasoningRun, settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"sockets_per_address": 2})
    first, second = socket(run.pk), socket(run.pk)
    assert (await first.connect())[0]
    assert (await second.connect())[0]
    assert await closed_with(socket(run.pk)) == 4429
    elsewhere = socket(run.pk, address="198.51.100.8")
    assert (await elsewhere.connect())[0]
    await first.disconnect()
    again = socket(run.pk)
    assert (await again.connect())[0]
    for each in (second, elsewhere, again):
        await each.disconnect()


async def test_behind_a_proxy_it_is_the_address_that_the_proxy_names(
    run: ReasoningRun, settings: SettingsWrapper
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"sockets_per_address": 1, "proxies": 1})
    first = socket(run.pk, headers=[*OWN, (b"x-forwarded-for", b"203.0.113.1")])
    assert (await first.connect())[0]
    pretended = [*OWN, (b"x-forwarded-for", b"203.0.113.9, 203.0.113.1")]
    assert await closed_with(socket(run.pk, headers=pretended)) == 4429
    other = socket(run.pk, headers=[*OWN, (b"x-forwarded-for", b"203.0.113.2")])
    assert (await other.connect())[0]
    for each in (first, other):
        await each.disconnect()


@pytest.fixture
def web_server() -> Iterator[WebServer]:
    needs_sqlite("file, which is moved away")
    server = WebServer()
    yield server
    server.end()


async def test_a_socket_is_closed_while_the_database_is_away_and_followed_to_the_end_once_it_is_back(
    run: ReasoningRun, web_server: WebServer
) -> None:
    follower = SocketFollower(str(run.pk), web_server.port)
    following = asyncio.create_task(follower.follow())
    async with asyncio.timeout(60):
        await follower.connected.wait()
        with database_away():
            await asyncio.sleep(8)
            assert set(follower.codes) == {4500}
        await sync_to_async(executed, thread_sensitive=False)(run_id=run.pk)
        await following
    assert follower.codes[-1] == 1000
    assert [{"seq": seq, "event": event} for seq, event in follower.seen] == await sync_to_async(served)(run)


@pytest.mark.parametrize("token", ["", "dsc_anything"], ids=["page", "script"])
async def test_a_socket_that_opens_while_the_database_is_away_is_asked_to_come_back(
    run: ReasoningRun, web_server: WebServer, token: str
) -> None:
    follower = SocketFollower(str(run.pk), web_server.port, token=token)
    with database_away():
        following = asyncio.create_task(follower.follow())
        async with asyncio.timeout(30):
            await follower.closed.wait()
        following.cancel()
    assert set(follower.codes) == {4500}
