"""What each member of a project may do there: one table, read by one function. Nothing else asks for a role.

A manager of the whole site may see and change every project; to label, they must be members like others.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from webapp.accounts.permissions import Action, may, may_ensure, sign_in_first
from webapp.labelling.projects.models import Member, MemberRole
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    import uuid
    from collections.abc import Collection, Mapping

    from webapp.accounts.models import User
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.models import Project


class Right(Enum):
    """What not everybody may do in a project."""

    LABEL = auto()
    """Take tasks and submit labels. Annotators keep their labels after they leave."""
    REVIEW = auto()
    """See all tasks and labels, and how far everybody is."""
    MANAGE = auto()
    """Change title, people and guideline, archive, and see which answers are known."""


_NONE: frozenset[Right] = frozenset()
_RIGHTS = {
    MemberRole.ANNOTATOR: _NONE,
    MemberRole.REVIEWER: frozenset({Right.REVIEW}),
    MemberRole.MANAGER: frozenset({Right.REVIEW, Right.MANAGE}),
}
_REFUSED = {
    Right.LABEL: ("no_member", "You do not label in “{}”. Ask a manager of it to add you."),
    Right.REVIEW: ("project_reviewers_only", "Only reviewers and managers of “{}” may do this. Ask one of them."),
    Right.MANAGE: ("project_managers_only", "Only managers of “{}” may do this. Ask one of them."),
}


def labeller(viewer: Viewer) -> User:
    """The viewer, as a user who may label.

    Raises:
        ProductError: they may not.

    """
    may_ensure(viewer, Action.LABEL)
    if viewer.user is None:
        raise sign_in_first()
    return viewer.user


def rights_in(projects: Collection[uuid.UUID], viewer: Viewer) -> Mapping[uuid.UUID, frozenset[Right]]:
    """What a user may do in each of some projects."""
    everywhere = _RIGHTS[MemberRole.MANAGER] if may(viewer, Action.MANAGE_PROJECTS) else _NONE
    members = Member.objects.filter(project__in=projects, person=viewer.user, left_at__isnull=True)
    own = {member.project_id: _rights(member) for member in members} if may(viewer, Action.LABEL) else {}
    return {project: everywhere | own.get(project, _NONE) for project in projects}


def _rights(member: Member) -> frozenset[Right]:
    return _RIGHTS[MemberRole(member.role)] | ({Right.LABEL} if member.labels else set())


def project_may(project: Project, viewer: Viewer, right: Right) -> bool:
    """Whether a user has a permission in a project."""
    return right in rights_in([project.pk], viewer)[project.pk]


def project_may_ensure(project: Project, viewer: Viewer, right: Right) -> None:
    """Check that a viewer has a permission.

    Raises:
        ProductError: they may not; it says who may.

    """
    may_ensure(viewer, Action.LABEL)
    if not project_may(project, viewer, right):
        raise _refused(project, right)


def labelling_member(project: Project, viewer: Viewer) -> Member:
    """Who labels in a project.

    Raises:
        ProductError: they may not label, they do not label in it, or the project was put away.

    """
    person = labeller(viewer)
    member = Member.objects.filter(project=project, person=person, labels=True, left_at__isnull=True).first()
    if member is None:
        raise _refused(project, Right.LABEL)
    unarchived_ensure(project)
    return member


def unarchived_ensure(project: Project) -> None:
    """See that a project is not put away.

    Raises:
        ProductError: it is.

    """
    if project.archived_at is not None:
        raise ProductError(409, "project_archived", f"“{project}” was put away, so nothing is labelled in it any more.")


def _refused(project: Project, right: Right) -> ProductError:
    code, message = _REFUSED[right]
    return ProductError(403, code, message.format(project))
