"""What services told: refusals, the log, the state of what they work at, the broker and the audit log."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from redis import Redis

from webapp.accounts.models import AuditEntry
from webapp.platform.http.errors import ProductError
from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from webapp.platform.work.state_machine import WorkItem

STAFF_ONLY = (403, "staff_only", "Only administrators may do this. Sign in as one.")


def refused(act: Callable[[], object]) -> tuple[int, str, str]:
    """The status, the code and the message with which something is refused."""
    with pytest.raises(ProductError) as raised:
        act()
    return raised.value.status, raised.value.code, raised.value.message


def said_in(caplog: pytest.LogCaptureFixture, logs: Collection[str]) -> list[str]:
    """What some logs were told."""
    return [record.getMessage() for record in caplog.records if record.name in logs]


def stands(item: WorkItem) -> tuple[str, str, object, object, bool]:
    """The status of a piece of work, its reason, its claim and lease, and whether it has an end."""
    item.refresh_from_db()
    return item.status, item.reason, item.claim, item.lease_until, item.finished_at is not None


def delivered(queue: Queue) -> list[tuple[str, str]]:
    """The messages of a queue that no worker has taken, as (task, id), the oldest first."""
    with Redis.from_url(settings.ENVIRONMENT.redis) as broker:
        messages = [json.loads(message) for message in reversed(broker.lrange(queue.value, 0, -1))]
    bodies = [json.loads(base64.b64decode(message["body"])) for message in messages]
    return [(message["headers"]["task"], *body[0]) for message, body in zip(messages, bodies, strict=True)]


def forget_deliveries() -> None:
    """Take all messages from the broker, as a worker does that dies over them."""
    with Redis.from_url(settings.ENVIRONMENT.redis) as broker:
        broker.delete(*(queue.value for queue in Queue))


def audit_log() -> list[tuple[str, str, str, str, str]]:
    """Who did what, on what, what was before and what came after; the oldest first."""
    entries = AuditEntry.objects.order_by("pk")
    return [(entry.who, entry.what, entry.on, entry.before, entry.after) for entry in entries]
