"""Files sent to the site part by part: whole with their SHA-256 or refused with what to do, gone on with, given up."""

from __future__ import annotations

import hashlib
import os
import random
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from tests.webapp.full_disk import largest_file
from webapp.accounts.models import Role, User
from webapp.accounts.viewer import Viewer
from webapp.platform.http.errors import ProductError
from webapp.platform.http.file_parts import PART_BYTES, PART_TYPE
from webapp.uploads.models import Upload, uploads_folder
from webapp.uploads.services import KEPT, upload_consume, upload_hold, upload_release, uploads_expire

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser

CONTENT = random.Random(1).randbytes(2 * PART_BYTES + 17)


@pytest.fixture
def viewer(cleo: Browser) -> Viewer:
    return Viewer(User.objects.get(username="cleo"), None, "127.0.0.1")


def begin(cleo: Browser, size: int = len(CONTENT), name: str = "facts.tsv.gz", status: int = 201) -> Any:
    return cleo.post("/api/uploads", {"name": name, "bytes": size}, status=status)


def put(cleo: Browser, upload: Any, offset: int, part: bytes, status: int = 200, kind: str = PART_TYPE) -> Any:
    response = cleo.client.put(
        f"/api/uploads/{upload['id']}?offset={offset}",
        part,
        kind,
        headers={"X-CSRFToken": cleo.token, "Content-Type": kind},
    )
    assert response.status_code == status, response.content
    return response.json()


def send(cleo: Browser, content: bytes = CONTENT, name: str = "facts.tsv.gz") -> Any:
    reply = begin(cleo, len(content), name)
    while reply["received"] < reply["bytes"]:
        at = reply["received"]
        reply = put(cleo, reply, at, content[at : at + reply["part_bytes"]])
    return reply


def test_a_file_arrives_whole_with_its_sum(cleo: Browser) -> None:
    shown = send(cleo)
    assert (shown["received"], shown["sha256"]) == (len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    path = Upload.objects.get(pk=shown["id"]).path
    assert (path.name, path.read_bytes()) == ("facts.tsv.gz", CONTENT)


@pytest.mark.parametrize(
    ("name", "stored"),
    [("../../etc/passwd", "etc_passwd"), ("Ünï côde.tsv", "n_c_de.tsv"), ("…", "file"), ("x" * 200 + ".gz", None)],
)
def test_no_name_leads_out_of_the_folder(cleo: Browser, name: str, stored: str | None) -> None:
    upload = Upload.objects.get(pk=begin(cleo, 4, name)["id"])
    assert upload.name == name
    assert upload.path.parent.parent == uploads_folder()
    assert stored in (None, upload.path.name)
    assert len(upload.path.name) <= 80


def test_after_a_lost_answer_it_goes_on_where_it_was(cleo: Browser) -> None:
    reply = begin(cleo)
    put(cleo, reply, 0, CONTENT[:PART_BYTES])
    again = put(cleo, reply, 0, CONTENT[:PART_BYTES], status=409)
    assert (again["code"], again["extra"]["received"]) == ("wrong_offset", PART_BYTES)
    assert cleo.get(f"/api/uploads/{reply['id']}")["received"] == PART_BYTES
    put(cleo, reply, PART_BYTES, CONTENT[PART_BYTES : 2 * PART_BYTES])
    assert put(cleo, reply, 2 * PART_BYTES, b"x" * 18, status=422)["code"] == "wrong_part"
    assert put(cleo, reply, 2 * PART_BYTES, CONTENT[2 * PART_BYTES :])["sha256"] == hashlib.sha256(CONTENT).hexdigest()


def test_what_is_no_part_is_refused(cleo: Browser) -> None:
    reply = begin(cleo)
    assert put(cleo, reply, 0, b"x" * (PART_BYTES + 1), status=413)["code"] == "too_large"
    assert put(cleo, reply, 0, b"", status=422)["code"] == "empty_part"
    assert put(cleo, reply, 0, b"{}", status=415, kind="application/json")["code"] == "not_a_part"
    assert put(cleo, reply, 0, b"x", status=415, kind="text/plain")["code"] == "not_json"
    assert cleo.get(f"/api/uploads/{reply['id']}")["received"] == 0


def test_other_routes_take_no_bytes(cleo: Browser) -> None:
    response = cleo.client.post("/api/runs", b"x", content_type=PART_TYPE, headers={"X-CSRFToken": cleo.token})
    assert (response.status_code, response.json()["code"]) == (415, "not_json")


def test_an_empty_file_and_one_over_the_limit_are_refused(cleo: Browser, settings: SettingsWrapper) -> None:
    assert begin(cleo, 0, status=422)["code"] == "empty_file"
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"upload_mb": 3})
    refused = begin(cleo, 3_000_001, status=413)
    assert "may have 3 MB" in refused["message"]
    assert refused["extra"] == {"limit": 3_000_000}


def test_a_file_larger_than_the_room_on_disk_is_refused_before_it_is_sent(
    cleo: Browser, settings: SettingsWrapper
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"upload_mb": 10**9})
    refused = begin(cleo, 10**15, status=503)
    assert refused["code"] == "disk_full"
    assert "1,000,000,000 MB are needed" in refused["message"]


def test_a_disk_that_fills_up_loses_nothing_that_came(cleo: Browser) -> None:
    size = 24 * PART_BYTES
    reply = begin(cleo, size)
    part = b"x" * PART_BYTES
    with largest_file(20 * PART_BYTES + 5):
        for number in range(20):
            put(cleo, reply, number * PART_BYTES, part)
        assert put(cleo, reply, 20 * PART_BYTES, part, status=503)["code"] == "disk_full"
    assert put(cleo, reply, 20 * PART_BYTES, part)["received"] == 21 * PART_BYTES


def test_below_the_reserve_no_part_is_taken(cleo: Browser, settings: SettingsWrapper) -> None:
    reply = begin(cleo)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    assert put(cleo, reply, 0, CONTENT[:10], status=503)["code"] == "disk_full"
    assert begin(cleo, status=503)["code"] == "disk_full"


def test_who_may_send_sees_only_their_own(cleo: Browser, browser: Callable[[], Browser]) -> None:
    reply = begin(cleo)
    assert begin(browser(), status=401)["code"] == "sign_in_first"
    User.objects.create_user("dora", password="a long password", role=Role.ADMIN, is_staff=True)
    dora = browser()
    dora.token = dora.post("/api/session", {"username": "dora", "password": "a long password"})["csrf_token"]
    assert dora.get(f"/api/uploads/{reply['id']}", status=404)["code"] == "unknown_upload"
    assert put(dora, reply, 0, b"x", status=404)["code"] == "unknown_upload"
    with pytest.raises(ProductError, match="Choose it again"):
        upload_hold(upload_id=UUID(reply["id"]), viewer=Viewer(User.objects.get(username="dora"), None, ""))


def given_up(cleo: Browser, told: Any) -> Any:
    return cleo.client.delete(f"/api/uploads/{told['id']}", headers={"X-CSRFToken": cleo.token})


def test_one_is_given_up_unless_work_holds_it(cleo: Browser, viewer: Viewer) -> None:
    half = begin(cleo)
    put(cleo, half, 0, CONTENT[:9])
    path = Upload.objects.get(pk=half["id"]).path
    with pytest.raises(ProductError, match=r"Only 9 of 2,097,169 bytes of “facts.tsv.gz” are here"):
        upload_hold(upload_id=UUID(half["id"]), viewer=viewer)
    assert given_up(cleo, half).status_code == 204
    assert not path.parent.exists()

    held = upload_hold(upload_id=UUID(send(cleo, b"a\tb\tc\n")["id"]), viewer=viewer)
    assert given_up(cleo, {"id": held.pk}).json()["code"] == "held_upload"
    upload_release(held)
    assert given_up(cleo, {"id": held.pk}).status_code == 204


def test_what_nobody_holds_is_gone_after_a_day(cleo: Browser, viewer: Viewer) -> None:
    left, going_on, held, used = (Upload.objects.get(pk=send(cleo, b"a\tb\tc\n")["id"]) for _ in range(4))
    upload_hold(upload_id=held.pk, viewer=viewer)
    upload_consume(upload_hold(upload_id=used.pk, viewer=viewer))
    assert not used.path.parent.exists()
    Upload.objects.update(created_at=left.created_at - KEPT - timedelta(hours=1))
    long_ago = time.time() - KEPT.total_seconds() - 60
    for each in (left, held):
        os.utime(each.path, (long_ago, long_ago))
    assert uploads_expire() == 1
    assert set(Upload.objects.values_list("pk", flat=True)) == {going_on.pk, held.pk}
    assert not left.path.parent.exists()
    # Let go of, it stays for another day.
    upload_release(held)
    assert uploads_expire() == 0
