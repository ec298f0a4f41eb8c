"""Explorations that people keep: who may read them, and what happens where two save at once."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth import get_user_model

from tests.webapp.labelled import signed_in
from webapp.accounts.models import AuditEntry, Role
from webapp.explorer.models import MAX_CONTENT_LENGTH, Exploration
from webapp.explorer.services import MAX_EXPLORATIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.webapp.conftest import Browser

CONTENT = json.dumps({"form": 1, "nodes": [{"id": "en.knight_rider", "x": 1.5}], "notes": ['“KITT”\n\\ "?"']})
ADDRESS = "/api/explorations"


def send(who: Browser, method: str, path: str, body: object = None, status: int = 200) -> Any:
    response = who.client.generic(
        method,
        path,
        # As a browser writes it.
        "" if body is None else json.dumps(body, ensure_ascii=False),
        content_type="application/json",
        headers={"X-CSRFToken": who.token},
    )
    assert response.status_code == status, response.content[:500]
    return response.json() if response.content else None


def keep(who: Browser, status: int = 201, **more: Any) -> Any:
    return send(who, "POST", ADDRESS, {"graph": "toy", "name": "Mine", "content": CONTENT, **more}, status)


@pytest.fixture
def asker(browser: Callable[[], Browser]) -> Browser:
    return signed_in(browser, "ann", Role.ASKER)


def test_what_was_kept_is_opened_as_it_was(asker: Browser) -> None:
    kept = keep(asker, name="  The   cast ")
    assert (kept["name"], kept["revision"], kept["mine"], kept["readers"]) == ("The cast", 1, True, "me")
    assert kept["graph_version"]
    assert asker.get(f"{ADDRESS}/{kept['id']}") == kept
    assert kept["content"] == CONTENT
    listed = asker.get(ADDRESS)
    assert listed["total"] == 1
    assert listed["explorations"] == [{name: value for name, value in kept.items() if name != "content"}]


def test_it_is_saved_again_and_the_older_revision_is_refused(asker: Browser) -> None:
    kept = keep(asker)
    address = f"{ADDRESS}/{kept['id']}"
    other = json.dumps({"form": 1, "nodes": []})
    saved = send(asker, "PUT", address, {"revision": 1, "content": other})
    assert (saved["revision"], saved["content"], saved["name"]) == (2, other, "Mine")
    assert saved["updated_at"] > kept["updated_at"]
    refused = send(asker, "PUT", address, {"revision": 1, "content": CONTENT, "name": "Lost"}, 409)
    assert (refused["code"], refused["extra"]["revision"]) == ("exploration_changed", 2)
    assert asker.get(address) == saved
    assert send(asker, "PUT", address, {"revision": 2, "name": "Renamed"})["name"] == "Renamed"


@pytest.mark.parametrize(("readers", "visitor", "user"), [("me", 401, 403), ("people", 401, 200), ("link", 200, 200)])
def test_those_read_it_with_whom_it_is_shared(
    asker: Browser, ben: Browser, browser: Callable[[], Browser], readers: str, visitor: int, user: int
) -> None:
    kept = keep(asker, readers=readers)
    address = f"{ADDRESS}/{kept['id']}"
    browser().get(address, visitor)
    opened = ben.get(address, user)
    if user == 200:
        assert (opened["mine"], opened["owner"], opened["content"]) == (False, kept["owner"], CONTENT)
    # Who has the link reads it; only what is for everybody is listed.
    assert ben.get(ADDRESS)["total"] == (readers == "people")
    browser().get(ADDRESS, 401)
    for who, status in ((ben, 403), (browser(), 401)):
        send(who, "PUT", address, {"revision": 1, "name": "Theirs"}, status)
        if who is not ben:
            send(who, "DELETE", address, status=status)
    assert ben.get(address, user)["message" if user != 200 else "name"] != "Theirs"


def test_sharing_is_taken_back(asker: Browser, ben: Browser) -> None:
    address = f"{ADDRESS}/{keep(asker, readers='link')['id']}"
    assert ben.get(address)["readers"] == "link"
    send(asker, "PUT", address, {"revision": 1, "readers": "me"})
    ben.get(address, 403)


def test_it_is_deleted_by_whose_it_is_and_an_administrator_leaves_a_trace(
    asker: Browser, ben: Browser, browser: Callable[[], Browser]
) -> None:
    first, second = (f"{ADDRESS}/{keep(asker, readers='people')['id']}" for _ in range(2))
    send(ben, "DELETE", first, status=403)
    send(asker, "DELETE", first, status=204)
    assert not AuditEntry.objects.filter(what="exploration_removed").exists()
    for method, body in (("GET", None), ("DELETE", None), ("PUT", {"revision": 1})):
        assert send(asker, method, first, body, 404)["code"] == "unknown_exploration"
    admin = signed_in(browser, "cleo", Role.ADMIN)
    send(admin, "PUT", second, {"revision": 1, "name": "Theirs"}, 403)
    send(admin, "DELETE", second, status=204)
    entry = AuditEntry.objects.get(what="exploration_removed")
    assert (entry.who, entry.on, entry.before) == ("cleo", "Mine", "of ann")
    asker.get(second, 404)


def test_an_erased_person_takes_what_they_kept_along(asker: Browser, ben: Browser) -> None:
    address = f"{ADDRESS}/{keep(asker, readers='people')['id']}"
    keep(ben)
    get_user_model().objects.get(username="ann").delete()
    ben.get(address, 404)
    assert Exploration.objects.count() == 1


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"form": 2}', '{"form": 1, "x": NaN}', '"form"', "[" * 50_000, '{"form": true}']
)
def test_content_that_no_page_wrote_is_refused(asker: Browser, content: str) -> None:
    keep(asker, 422, content=content)
    kept = keep(asker)
    send(asker, "PUT", f"{ADDRESS}/{kept['id']}", {"revision": 1, "content": content}, 422)
    assert asker.get(f"{ADDRESS}/{kept['id']}")["content"] == CONTENT


def test_content_has_a_largest_size(asker: Browser) -> None:
    room = MAX_CONTENT_LENGTH - len('{"form":1,"n":""}')
    kept = keep(asker, content='{"form":1,"n":"' + "x" * room + '"}')
    assert len(asker.get(f"{ADDRESS}/{kept['id']}")["content"]) == MAX_CONTENT_LENGTH
    assert keep(asker, 422, content='{"form":1,"n":"' + "x" * (room + 1) + '"}')["code"] == "invalid_request"
    # As many characters, and more bytes.
    wide = keep(asker, 413, content='{"form":1,"n":"' + "é" * (room // 2 + 9) + '"}')
    assert (wide["code"], wide["extra"]["limit"]) == ("exploration_too_large", MAX_CONTENT_LENGTH)
    assert keep(asker, 413, content="x" * 4_000_000)["code"] == "too_large"


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"graph": "nowhere"}, 404),
        ({"graph": "../toy"}, 404),
        ({"name": "   "}, 422),
        ({"name": "x" * 201}, 422),
        ({"readers": "everybody"}, 422),
        ({"owner": "ben"}, 422),
    ],
)
def test_what_cannot_be_kept_is_refused(asker: Browser, more: dict[str, Any], status: int) -> None:
    assert keep(asker, status, **more)["message"]
    assert not Exploration.objects.exists()


def test_visitors_keep_nothing(browser: Callable[[], Browser]) -> None:
    visitor = browser()
    assert keep(visitor, 401)["code"] == "sign_in_first"
    visitor.get(f"{ADDRESS}/{uuid.uuid4()}", 404)


def test_nobody_keeps_without_end(asker: Browser) -> None:
    kept = Exploration.objects.get(pk=keep(asker)["id"])
    copies = [
        Exploration(name=f"{n}", graph="toy", owner=kept.owner, content=CONTENT, updated_at=kept.updated_at)
        for n in range(MAX_EXPLORATIONS - 1)
    ]
    Exploration.objects.bulk_create(copies)
    assert keep(asker, 409)["code"] == "too_many_explorations"
    page = asker.get(f"{ADDRESS}?offset={MAX_EXPLORATIONS - 10}&limit=20")
    assert (len(page["explorations"]), page["total"]) == (10, MAX_EXPLORATIONS)
