"""How people appear in an export: by their user names, or by pseudonyms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from webapp.accounts.models import User
    from webapp.labelling.projects.models import Project

    Named: TypeAlias = Callable[[User | None], str]

_DIGITS = 8


def by_name(person: User | None) -> str:
    """The user name of a person; nothing for a deleted account."""
    return "" if person is None else person.username


def by_pseudonym(project: Project) -> Named:
    """What gives people the names *annotator 3f9a1c2e* in the exports of a project.

    They are drawn from the site's secret key: the same person has the same one in every export of a project and
    another one in every other project, nothing is kept that leads back, and no code depends on the other people.
    """

    def named(person: User | None) -> str:
        if person is None:
            return ""
        drawn = salted_hmac("webapp.label_exports.people", f"{project.pk} {person.pk}", algorithm="sha256")
        return f"annotator {drawn.hexdigest()[:_DIGITS]}"

    return named
