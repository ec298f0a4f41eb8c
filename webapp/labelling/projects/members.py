"""Who is in a project and as what: members are added, changed and taken out by those who manage it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.db import transaction
from django.utils import timezone

from webapp.accounts.audit import audited
from webapp.accounts.models import Audited, User
from webapp.accounts.permissions import Action, may
from webapp.accounts.viewer import Viewer
from webapp.labelling.projects.labels.qualification import round_begin, round_drawn
from webapp.labelling.projects.labels.sending_back import sent_back_release
from webapp.labelling.projects.models import Member, MemberRole, Project, Standing
from webapp.labelling.projects.roles import Right, project_may_ensure
from webapp.labelling.projects.schemas import MemberOut
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webapp.labelling.projects.labels.known_answers import Known
    from webapp.labelling.projects.schemas import MemberIn, MemberPatchIn, MemberRoleName


def people_named(names: Sequence[str]) -> list[User]:
    """The people of some user names.

    Raises:
        ProductError: there is no user of a name, or they may not label.

    """
    found = {person.username: person for person in User.objects.filter(username__in=names, is_active=True)}
    if unknown := [name for name in names if name not in found]:
        message = f"There is no account of the user name “{unknown[0]}”. Check how it is spelt."
        raise ProductError(422, "unknown_person", message, names=unknown)
    for person in found.values():
        if not may(Viewer(person, None, ""), Action.LABEL):
            message = f"“{person}” may not label. Make them an annotator first."
            raise ProductError(422, "no_annotator", message, names=[person.username])
    return list(found.values())


def first_members(project: Project, people: Sequence[User]) -> list[Member]:
    """The members of a new project, not saved yet: who makes it manages it, the others are annotators."""
    creator = project.creator
    others = [Member(project=project, person=person) for person in people if person != creator]
    if creator is None:
        return others
    manager = Member(project=project, person=creator, role=MemberRole.MANAGER, labels=creator in people)
    return [manager, *others]


def member_add(*, project: Project, wanted: MemberIn, viewer: Viewer) -> Member:
    """Add a user to a project, or reactivate an earlier member.

    Raises:
        ProductError: the viewer may not, there is no such person, they may not label, or they are a member.

    """
    project_may_ensure(project, viewer, Right.MANAGE)
    (person,) = people_named([wanted.name])
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        member = Member.objects.filter(project=project, person=person).first() or Member(project=project, person=person)
        if member.pk is not None and member.left_at is None:
            raise ProductError(409, "member_already", f"“{person}” is a member already. Change what they are there.")
        member.left_at = None
        _set(member, wanted.role, labels=wanted.labels)
        audited(viewer, Audited.PROJECT_CHANGED, f"{project}: {person.username}", after=_words(member))
    return member


def member_change(*, project: Project, person_id: int, wanted: MemberPatchIn, viewer: Viewer) -> Member:
    """Change what a member is in a project, or where they stand with its qualification round.

    Raises:
        ProductError: the viewer may not, there is no such member, or the round cannot be changed so.

    """
    project_may_ensure(project, viewer, Right.MANAGE)
    known: dict[int, Known] = {}
    if wanted.qualification == "again":
        # Others wait for the row of the project, so questions are looked for before it is locked.
        member = _member(project, person_id)
        _again_ensure(project, member)
        known = round_drawn(project, member.round + 1)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        member = _member(project, person_id)
        before = _words(member)
        if wanted.qualification == "let_in":
            _let_in(project, member)
        elif wanted.qualification == "again":
            _again_ensure(project, member)
            round_begin(project, member.round + 1, known)
            member.round, member.standing = member.round + 1, Standing.OPEN
        _set(
            member,
            wanted.role or cast("MemberRoleName", member.role),
            labels=member.labels if wanted.labels is None else wanted.labels,
        )
        on = f"{project}: {member.person.username}"
        audited(viewer, Audited.PROJECT_CHANGED, on, before=before, after=_words(member))
    return member


def member_remove(*, project: Project, person_id: int, viewer: Viewer) -> None:
    """Remove a user from a project; their labels stay.

    Raises:
        ProductError: the viewer may not, or there is no such member.

    """
    project_may_ensure(project, viewer, Right.MANAGE)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        member = _member(project, person_id)
        before = _words(member)
        member.left_at = timezone.now()
        member.save()
        sent_back_release(project, person_id)
        audited(viewer, Audited.PROJECT_CHANGED, f"{project}: {member.person.username}", before=before, after="left")


def _member(project: Project, person_id: int) -> Member:
    found = (
        Member.objects.filter(project=project, person=person_id, left_at__isnull=True).select_related("person").first()
    )
    if found is None:
        raise ProductError(404, "unknown_member", "They are no member of this project. Reload the page.")
    return found


def _set(member: Member, role: MemberRoleName, *, labels: bool) -> None:
    member.role = MemberRole(role)
    member.labels = labels or member.role == MemberRole.ANNOTATOR
    member.save()


def _let_in(project: Project, member: Member) -> None:
    if project.qualification_size == 0 or not member.labels:
        raise ProductError(409, "no_qualification", f"“{project}” has no qualification round for them.")
    if member.standing == Standing.PASSED:
        raise ProductError(409, "passed_already", f"“{member.person}” has passed.")
    member.standing = Standing.LET_IN


def _again_ensure(project: Project, member: Member) -> None:
    """Check that an annotator may try again.

    Raises:
        ProductError: they have not failed.

    """
    if project.qualification_size == 0 or member.standing != Standing.FAILED:
        raise ProductError(409, "not_failed", f"“{member.person}” has not failed, so there is nothing to try again.")


def _words(member: Member) -> str:
    """The role of a user in a project, for the audit log."""
    words = [MemberRole(member.role).label]
    if member.labels and member.role != MemberRole.ANNOTATOR:
        words.append("labels")
    if member.standing != Standing.OPEN or member.round > 1:
        words.append(f"qualification {member.round}: {Standing(member.standing).label}")
    return ", ".join(words)


def member_out(member: Member) -> MemberOut:
    """A member for the API."""
    return MemberOut(
        id=member.person_id,
        name=member.person.username,
        display_name=member.person.display_name,
        role=cast("MemberRoleName", member.role),
        labels=member.labels,
    )
