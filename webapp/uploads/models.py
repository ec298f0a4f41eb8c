"""Uploaded files, until a feature has read them."""

from __future__ import annotations

import uuid
from pathlib import Path

from django.conf import settings
from django.db import models

MAX_FILE_NAME_LENGTH = 255


def uploads_folder() -> Path:
    """Where files that were sent lie, each in a folder of its upload's id."""
    return Path(settings.ENVIRONMENT.home) / "uploads"


class Upload(models.Model):
    """A file, whole or on its way here. How much of it has come is the size of the file on disk."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=MAX_FILE_NAME_LENGTH)
    """What its owner calls it; on disk it has a name that no shell and no file system stumbles over."""
    stored_name = models.CharField(max_length=100)
    bytes = models.PositiveBigIntegerField()
    """How many it has once it is whole."""
    sha256 = models.CharField(max_length=64, blank=True)
    """In hexadecimal; empty until it is whole."""
    is_held = models.BooleanField(default=False)
    """Whether work reads it or will, so that it stays however old it is."""
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="uploads"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        """The file."""
        return uploads_folder() / str(self.pk) / self.stored_name

    @property
    def received(self) -> int:
        """How many bytes are here."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0
