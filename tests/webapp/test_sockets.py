from __future__ import annotations

import asyncio
import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.test import Client

from tests.webapp.conftest import KITT
from webapp.accounts.viewer import Viewer
from webapp.asgi import application
from webapp.questions.services import question_ask, run_cancel, run_execute

if TYPE_CHECKING:
    from webapp.questions.models import ReasoningRun

OWN = [(b"host", b"localhost"), (b"origin", b"http://localhost:8000")]


def socket(run_id: object, after: int | str | None = None, headers: list[tuple[bytes, bytes]] = OWN) -> Any:
    query = "" if after is None else f"?after={after}"
    return WebsocketCommunicator(application, f"/ws/runs/{run_id}/{query}", headers=headers)


async def received(communicator: Any, count: int | None = None) -> list[dict[str, Any]]:
    """So many messages, or all until the socket is closed with 1000."""
    messages: list[dict[str, Any]] = []
    while count is None or len(messages) < count:
        output = await communicator.receive_output(timeout=10)
        if output["type"] == "websocket.close":
            assert output["code"] == 1000
            break
        messages.append(json.loads(output["text"]))
    return messages


async def closed_with(communicator: Any) -> int:
    connected, _ = await communicator.connect(timeout=5)
    assert connected
    output = await communicator.receive_output(timeout=5)
    assert output["type"] == "websocket.close"
    await communicator.disconnect()
    return int(output["code"])


@pytest.fixture
def viewer() -> Viewer:
    return Viewer(None, uuid.uuid4(), "127.0.0.1")


@pytest.fixture
def run(viewer: Viewer) -> ReasoningRun:
    return question_ask(text=KITT, viewer=viewer)


def served(run: ReasoningRun, after: int = 0) -> Any:
    return Client().get(f"/api/runs/{run.pk}/events?after={after}").json()


async def test_a_finished_run_is_replayed_as_the_api_serves_it_and_closed(run: ReasoningRun) -> None:
    await sync_to_async(run_execute)(run_id=run.pk)
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
    working = asyncio.create_task(sync_to_async(run_execute, thread_sensitive=False)(run_id=run.pk))
    first = await received(early, 1)
    assert (await late.connect())[0]
    heard = first + await received(early)
    heard_late = await received(late)
    await working
    everything = await sync_to_async(served)(run)
    assert heard == everything
    assert heard_late == everything


async def test_who_reconnects_with_the_last_number_misses_nothing(run: ReasoningRun) -> None:
    await sync_to_async(run_execute, thread_sensitive=False)(run_id=run.pk, stopping=lambda: True)
    before = socket(run.pk)
    assert (await before.connect())[0]
    seen = await received(before, 1)
    await before.disconnect()
    again = socket(run.pk, after=seen[-1]["seq"])
    assert (await again.connect())[0]
    await sync_to_async(run_execute, thread_sensitive=False)(run_id=run.pk)
    assert seen + await received(again) == await sync_to_async(served)(run)


async def test_cancelling_ends_the_socket(run: ReasoningRun, viewer: Viewer) -> None:
    communicator = socket(run.pk)
    assert (await communicator.connect())[0]
    await sync_to_async(run_cancel)(run=run, viewer=viewer)
    assert await received(communicator) == [{"seq": 1, "event": {"kind": "cancelled"}}]


@pytest.mark.parametrize(
    "headers",
    [
        [(b"host", b"localhost"), (b"origin", b"https://evil.example")],
        [(b"host", b"localhost"), (b"origin", b"null")],
        [(b"host", b"localhost")],
    ],
)
async def test_a_page_of_another_site_may_not_follow(run: ReasoningRun, headers: list[tuple[bytes, bytes]]) -> None:
    assert await closed_with(socket(run.pk, headers=headers)) == 4403


async def test_an_unknown_run_or_address_is_said_to_be_unknown() -> None:
    assert await closed_with(socket(uuid.uuid4())) == 4404
    assert await closed_with(WebsocketCommunicator(application, "/ws/elsewhere/", headers=OWN)) == 4404


async def test_a_number_that_is_none_is_refused(run: ReasoningRun) -> None:
    assert await closed_with(socket(run.pk, after="last")) == 4400
