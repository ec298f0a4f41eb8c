"""Whether the site lives, and whether it can answer questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from redis.exceptions import RedisError

from kgstore.library import UnknownGraphError
from kgstore.store import GraphStoreError
from webapp import engine
from webapp.heartbeat import GONE_SECONDS, LOADING, READY, heartbeat

if TYPE_CHECKING:
    from collections.abc import Callable


def healthz(_request: HttpRequest) -> HttpResponse:
    """The web process answers."""
    return JsonResponse({"status": "ok"})


def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether everything that a question needs is there; each part that is not, with the reason."""
    parts: dict[str, Callable[[], str | None]] = {
        "database": database_fault,
        "redis": redis_fault,
        "graph": graph_fault,
        "worker": worker_fault,
        "scorer": scorer_fault,
    }
    faults = {name: fault() for name, fault in parts.items()}
    body = {name: {"ok": fault is None, "reason": fault or ""} for name, fault in faults.items()}
    ready = all(fault is None for fault in faults.values())
    return JsonResponse({"status": "ready" if ready else "not ready", "parts": body}, status=200 if ready else 503)


def database_fault() -> str | None:
    """Why the database cannot be used."""
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return f"The database does not answer ({error}). Check DATABASE_URL."
    return None


def redis_fault() -> str | None:
    """Why Redis cannot be used."""
    try:
        heartbeat()
    except (RedisError, OSError) as error:
        return f"Redis does not answer ({error}). Start the site by `make run`, or check REDIS_URL."
    return None


def graph_fault() -> str | None:
    """Why the default graph cannot be read."""
    try:
        engine.graph(engine.default_graph()).info()
    except UnknownGraphError as error:
        return f"{error} Load one by `manage.py prepare` or `manage.py load_graph`."
    except GraphStoreError as error:
        return error.for_operators
    return None


def worker_fault() -> str | None:
    """Why no worker would answer a question."""
    try:
        alive = heartbeat() is not None
    except (RedisError, OSError):
        return "Nobody can tell while Redis does not answer."
    if not alive:
        return f"No worker was heard of for {GONE_SECONDS} seconds. Start one: celery -A webapp.celery worker"
    return None


def scorer_fault() -> str | None:
    """Why the worker's scorer would not decide."""
    try:
        known = heartbeat()
    except (RedisError, OSError):
        return "Nobody can tell while Redis does not answer."
    if known is None:
        return "Nobody can tell without a worker."
    if known["scorer"] == READY:
        return None
    return "It is being loaded; wait some seconds." if known["scorer"] == LOADING else known["scorer"]
