"""How often one address may read of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.test import Client

if TYPE_CHECKING:
    from pytest_django.fixtures import SettingsWrapper


@pytest.fixture(autouse=True)
def few(settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"read_rate": "3/hour", "proxies": 1})


def read(address: str, path: str = "/api/examples") -> int:
    return Client().get(path, headers={"X-Forwarded-For": address}).status_code


def test_who_reads_too_often_is_reported_when_to_come_again_and_others_read_on() -> None:
    assert [read("203.0.113.1") for _ in range(3)] == [200, 200, 200]
    refused = Client().get("/api/runs", headers={"X-Forwarded-For": "203.0.113.1"})
    assert refused.status_code == 429
    assert refused.json()["code"] == "too_many_requests"
    assert 1 <= int(refused.headers["Retry-After"]) <= 3600
    assert refused.json()["extra"] == {"wait_seconds": int(refused.headers["Retry-After"])}
    assert "More than 3 requests" in refused.json()["message"]
    assert read("203.0.113.2") == 200
    # Whatever else the site answers is not counted: pages, files, whether it lives.
    assert read("203.0.113.1", "/healthz") == 200
    assert read("203.0.113.9, 203.0.113.1") == 429


def test_a_head_request_counts_as_well() -> None:
    for _ in range(3):
        Client().head("/api/examples", headers={"X-Forwarded-For": "203.0.113.1"})
    assert read("203.0.113.1") == 429


def test_reading_needs_no_redis(settings: SettingsWrapper) -> None:
    settings.CACHES = {
        **settings.CACHES,
        "default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere/redis.sock"},
    }
    assert [read("203.0.113.1") for _ in range(4)] == [200, 200, 200, 429]
