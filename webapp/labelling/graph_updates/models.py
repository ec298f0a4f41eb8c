"""Taking a project to the version of its graph that is loaded now: how far that is, and what came of it."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from webapp.labelling.projects.models import Project
from webapp.platform.work.constraints import claimed_while_running, end_when_over, known_status
from webapp.platform.work.state_machine import WorkItem


class GraphUpdate(WorkItem):
    """The last time that a project was taken to another version of its graph."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="graph_update")
    from_version = models.CharField(max_length=100)
    to_version = models.CharField(max_length=100)
    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="graph_updates"
    )
    wanted = models.PositiveIntegerField()
    """The number of tasks with labels or known answers."""
    done = models.PositiveIntegerField(default=0)
    """The number of them that were checked."""
    position = models.PositiveIntegerField(default=0)
    """That of the last task that was looked at; a worker goes on after it."""
    holding = models.PositiveIntegerField(default=0)
    """The number of accepted labels that are still valid."""
    lapsed = models.PositiveIntegerField(default=0)
    """The number that are no longer valid, and are to be decided again."""

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            known_status("graph_update"),
            claimed_while_running("graph_update"),
            end_when_over("graph_update"),
        ]

    def __str__(self) -> str:
        return f"{self.project} to another version of its graph ({self.status})"
