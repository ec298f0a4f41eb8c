"""How commands name a project."""

from __future__ import annotations

from uuid import UUID

from django.core.management.base import CommandError

from webapp.labelling.projects.models import Project


def project_named(named: str) -> Project:
    """The project of an id, or of a title that no other has.

    Raises:
        CommandError: there is none, or several have the title.

    """
    try:
        found = Project.objects.filter(pk=UUID(named))
    except ValueError:
        found = Project.objects.filter(title=named)
    projects = list(found.select_related("dataset")[:2])
    if not projects:
        raise CommandError(f"There is no project “{named}”. Give the id or the title of a project.")
    if len(projects) > 1:
        raise CommandError(f"Several projects are called “{named}”. Name the id of one.")
    return projects[0]
