"""Loads of graphs from files that were sent. The graphs themselves lie in the library, whatever that is."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from webapp.platform.work.one_at_a_time import one_at_a_time
from webapp.platform.work.state_machine import WorkItem
from webapp.uploads.models import MAX_FILE_NAME_LENGTH, Upload

MAX_GRAPH_NAME_LENGTH = 100
MAX_TITLE_LENGTH = 200


class GraphLoad(WorkItem):
    """A graph that is being loaded from the page, or was: what was wanted, how far it is, what came of it."""

    name = models.CharField(max_length=MAX_GRAPH_NAME_LENGTH)
    title = models.CharField(max_length=MAX_TITLE_LENGTH)
    format = models.CharField(max_length=40, blank=True)
    """The chosen format; or the detected one, once it is known."""
    names_from_ids = models.BooleanField(default=False)
    mapping = models.JSONField(default=list)
    """What the columns of tables mean, as in `kgstore.loading.formats.tables.mapping`; empty where cells tell."""
    file = models.ForeignKey(Upload, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """Gone once it was loaded, and some time after a load that came to nothing."""
    names_file = models.ForeignKey(Upload, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    file_name = models.CharField(max_length=MAX_FILE_NAME_LENGTH)
    names_file_name = models.CharField(max_length=MAX_FILE_NAME_LENGTH, blank=True)
    sha256 = models.CharField(max_length=64)
    """Of the file, in hexadecimal."""
    replaces = models.CharField(max_length=100, blank=True)
    """The version of the graph that was there when this was asked for; empty where none was."""

    stage = models.CharField(max_length=20, blank=True)
    """As in `kgstore.loading.reading.LoadProgress`; empty until it begins."""
    lines = models.PositiveBigIntegerField(default=0)
    """Lines read of the triples."""
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(null=True, blank=True)
    fraction = models.FloatField(null=True, blank=True)
    """How much of the stage is done, from 0 to 1; null where that is unknown."""
    malformed = models.PositiveBigIntegerField(default=0)
    """Lines that were passed over."""
    passed_over = models.JSONField(default=list)
    """The first of them: objects of ``file``, ``number``, ``text`` and ``reason``."""
    triples = models.PositiveBigIntegerField(null=True, blank=True)
    """Distinct ones that are in the graph now; null until it is loaded."""
    version = models.CharField(max_length=100, blank=True)
    """Of the graph, once it is loaded."""
    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="graph_loads"
    )

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = one_at_a_time("graph_load")

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"
