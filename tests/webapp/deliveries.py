"""What lies at the broker and in the audit log: what services handed over and wrote down."""

from __future__ import annotations

import base64
import json

from django.conf import settings
from redis import Redis

from webapp.accounts.models import AuditEntry
from webapp.work.queues import Queue


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
