"""Whether the site lives, and whether it can answer questions."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from redis.exceptions import RedisError, ResponseError

from kgstore.library import UnknownGraphError
from kgstore.store import GraphStoreError
from reasoning.strategies.registry import STRATEGIES
from webapp import engine
from webapp.health.probes import Probe, faults
from webapp.platform.disk import disk_fault
from webapp.platform.work.heartbeat import GONE_SECONDS, LOADING, READY, heartbeat, is_served
from webapp.platform.work.queues import Queue, how_to_serve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ANSWER_SECONDS = 1.5
"""How long a part may take to answer, so that the check answers within two seconds."""


log = logging.getLogger(__name__)


def healthz(_request: HttpRequest) -> HttpResponse:
    """The web process answers."""
    return JsonResponse({"status": "ok"})


def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether everything is there that a question to the default scorer needs; each part that is not, with the reason.

    What only other work needs is reported as the part ``queues``, which makes the site no less ready. A part that hangs
    is reported as one that did not answer within `ANSWER_SECONDS`.
    """
    found = faults(_PROBES, within=ANSWER_SECONDS)
    ready = not needed_faults(found)
    body = {name: {"ok": fault is None, "reason": fault or ""} for name, fault in found.items()}
    return JsonResponse({"status": "ready" if ready else "not ready", "parts": body}, status=200 if ready else 503)


def needed_faults(found: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The faults of the parts that a question needs, by part: empty exactly when ``/readyz`` answers 200.

    ``found`` are the faults of all parts; without it, all parts are asked.
    """
    found = faults(_PROBES, within=ANSWER_SECONDS) if found is None else found
    return {name: fault for name, fault in found.items() if fault is not None and name != "queues"}


def scorer_state() -> str | None:
    """The state of the default scorer in its worker: `LOADING`, `READY`, or why it cannot be used; None if unknown."""
    with suppress(RedisError):
        return _reported_scorer_state()
    return None


def database_fault() -> str | None:
    """Why the database cannot be used. On SQLite, where one writes at a time, it must let this write as well."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        log.warning("the database does not answer: %s", error)
        return "The database does not answer; the log says why. Check DATABASE_URL."
    return None


def redis_fault() -> str | None:
    """Why Redis cannot be used."""
    try:
        # It may answer and refuse every write, as it does where it could not save itself on a full disk.
        cache.set("readyz", 1, timeout=1)
    except (RedisError, OSError) as error:
        log.warning("Redis does not answer: %s", error)
        # What Redis itself says names no place; what the client says of a connection does.
        why = str(error) if isinstance(error, ResponseError) else "the log says why"
        return f"Redis does not answer ({why}). Start the site by `make run`, or check REDIS_URL."
    return None


def graph_fault() -> str | None:
    """Why the default graph cannot be read."""
    try:
        engine.graph(engine.default_graph()).info()
    except UnknownGraphError as error:
        return f"{error} Load one by `manage.py prepare` or `manage.py load_graph`."
    except GraphStoreError as error:
        # Everybody may read this; the store has written the details to the log.
        return error.for_people
    return None


def worker_fault() -> str | None:
    """Why no worker would answer a question to the default scorer."""
    queue = engine.queue_of(engine.default_scorer())
    try:
        if is_served(queue):
            return None
        others = any(is_served(other) for other in Queue)
    except (RedisError, OSError):
        return _NO_REDIS
    if others:
        return f"{_unserved([queue])} “{engine.default_scorer()}” is asked there."
    return f"No worker was heard of for {GONE_SECONDS} seconds. Start one: celery -A webapp.celery worker"


def queues_fault() -> str | None:
    """Which work would wait for a worker that is not there: that of any scorer or strategy to choose, and trainings."""
    asked = set(map(engine.queue_of, engine.scorer_names()))
    asked |= {engine.queue_of(engine.default_scorer(), strategy) for strategy in STRATEGIES}
    wanted = {Queue.CPU_BACKGROUND, *asked, *(queue.background for queue in asked)}
    try:
        missing = sorted(queue for queue in wanted if not is_served(queue))
    except (RedisError, OSError):
        return _NO_REDIS
    return _unserved(missing) if missing else None


def no_worker_reason(queue: Queue) -> str | None:
    """Why work in a queue waits, for people, where no worker takes from it; None where one does."""
    try:
        if is_served(queue):
            return None
    except (RedisError, OSError):
        return None
    kind = " for language models" if queue.is_for_gpus else ""
    return f"No worker{kind} is running. Tell the administrator; once one is started, this resumes by itself."


def scorer_fault() -> str | None:
    """Why the worker's scorer would not decide."""
    try:
        state = _reported_scorer_state()
    except (RedisError, OSError):
        return _NO_REDIS
    if state is None:
        return "Unknown without a worker."
    if state == READY:
        return None
    return "It is being loaded; wait some seconds." if state == LOADING else state


def _reported_scorer_state() -> str | None:
    known = heartbeat(engine.queue_of(engine.default_scorer()))
    return None if known is None else known["scorer"]


_NO_REDIS = "Unknown while Redis does not answer."


def _unserved(queues: Sequence[Queue]) -> str:
    names = " and ".join(f"“{queue}”" for queue in queues)
    commands = " and ".join(dict.fromkeys(map(how_to_serve, queues)))
    return f"No worker serves {'the queue' if len(queues) == 1 else 'the queues'} {names}. Start one: {commands}."


_LATE = f"did not answer within {ANSWER_SECONDS} seconds."
_PROBES = {
    "database": Probe(database_fault, f"The database {_LATE} It does not respond, or another program holds it locked."),
    "disk": Probe(disk_fault, f"The disk {_LATE}"),
    "redis": Probe(redis_fault, f"Redis {_LATE} It does not respond, or nothing reaches it."),
    "graph": Probe(graph_fault, f"The graph store {_LATE} It does not respond, or nothing reaches it."),
    "worker": Probe(worker_fault, _NO_REDIS),
    "scorer": Probe(scorer_fault, _NO_REDIS),
    "queues": Probe(queues_fault, _NO_REDIS),
}
