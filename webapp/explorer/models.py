"""Explorations that people keep."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.platform.http.inputs import MAX_NAME_LENGTH

MAX_EXPLORATION_NAME_LENGTH = 200
MAX_CONTENT_LENGTH = 1536 * 1024
"""In bytes of UTF-8: 10,000 things with their facts, packed as the page packs them."""


class Readers(models.TextChoices):
    """Who may read an exploration, besides its owner."""

    ME = "me", "nobody else"
    PEOPLE = "people", "signed-in users"
    LINK = "link", "anyone with the link"


class Exploration(models.Model):
    """A user's drawing of a graph, with notes. It is deleted with their account, even if it is shared."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=MAX_EXPLORATION_NAME_LENGTH)
    graph = models.CharField(max_length=MAX_NAME_LENGTH)
    graph_version = models.CharField(max_length=100)
    """As the graph was when this was last saved."""
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="explorations")
    readers = models.CharField(max_length=8, choices=Readers.choices, default=Readers.ME)
    content = models.TextField()
    """JSON of the page: what is drawn where, what is chosen, and the notes."""
    revision = models.PositiveIntegerField(default=1)
    """Counts how often it was saved."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-updated_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(readers__in=Readers.values), name="exploration_readers_are_known"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["owner", "-updated_at"], name="explorations_of_owner"),
            models.Index(fields=["readers", "-updated_at"], name="explorations_shared"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.graph})"
