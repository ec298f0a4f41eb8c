"""What is read of projects, tasks, drafts and figures."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, cast

from django.db.models import Count, Q, Sum

from webapp.accounts.permissions import Action, may
from webapp.labelling.projects import schemas
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.labels.checks import label_faults
from webapp.labelling.projects.labels.known_answers import measured
from webapp.labelling.projects.labels.prelabels import suggestion_out
from webapp.labelling.projects.labels.preview import draft_led_to, names_of
from webapp.labelling.projects.labels.qualification import is_admitted, qualification_out, rounds_out
from webapp.labelling.projects.labels.sending_back import sent_back_of, sent_back_tasks_out
from webapp.labelling.projects.labels.suggesting import suggestions_out
from webapp.labelling.projects.models import Assignment, Guideline, Member, Project, Standing, State, Task
from webapp.labelling.projects.roles import Right, labeller, project_may, project_may_ensure, rights_in
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    from django.db.models import QuerySet

    from webapp.accounts.models import User
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.models import Move

_STACK = 50
"""Maximum of moves that can be undone."""
_OPEN_SHOWN = 50
_OWN: Mapping[schemas.OwnState, Q] = {
    "open": Q(state=State.OPEN, holds=True, sent_back=False),
    "sent_back": Q(state=State.OPEN, holds=True, sent_back=True),
    "lapsed": Q(state=State.OPEN, holds=False),
    "skipped": Q(state=State.SKIPPED),
    "submitted": Q(state=State.SUBMITTED),
}
_NOTHING = schemas.LabelFiguresOut(done=0, open=0, sent_back=0, skipped=0, flagged=0, seconds=0)


def project_get(*, project_id: uuid.UUID, viewer: Viewer) -> Project:
    """A project in which a user labels or labelled, or any for a manager of projects.

    Raises:
        ProductError: the viewer may not label, or there is no such project for them.

    """
    found = _of(viewer).filter(pk=project_id).select_related("dataset", "creator").first()
    if found is None:
        message = "There is no such project, or you do not label in it. Ask a manager of it to add you."
        raise ProductError(404, "unknown_project", message)
    return found


def _of(viewer: Viewer) -> QuerySet[Project]:
    person = labeller(viewer)
    if may(viewer, Action.MANAGE_PROJECTS):
        return Project.objects.all()
    return Project.objects.filter(pk__in=Member.objects.filter(person=person).values("project"))


def project_page(*, viewer: Viewer, search: str, archived: bool, offset: int, limit: int) -> schemas.ProjectPageOut:
    """Some of the projects, newest first.

    Raises:
        ProductError: the viewer may not label.

    """
    found = _of(viewer).filter(archived_at__isnull=not archived)
    for word in search.split():
        found = found.filter(title__icontains=word)
    page = found.select_related("dataset", "creator").order_by("-created_at", "pk")[offset : offset + limit]
    return schemas.ProjectPageOut(
        projects=projects_out(list(page), viewer=viewer),
        total=found.count(),
        may_manage=may(viewer, Action.MANAGE_PROJECTS),
    )


def project_out(project: Project, *, viewer: Viewer) -> schemas.ProjectOut:
    """A project, and how far it is."""
    return projects_out([project], viewer=viewer)[0]


def projects_out(projects: Sequence[Project], *, viewer: Viewer) -> list[schemas.ProjectOut]:
    """Projects, and how far they are."""
    ids = [project.pk for project in projects]
    all_work = Assignment.objects.filter(project__in=ids, round=0)
    every = _figures(all_work, "project")
    own = _figures(all_work.filter(person=viewer.user), "project")
    joined = Member.objects.filter(project__in=ids, person=viewer.user, left_at__isnull=True)
    member_of = {member.project_id: member for member in joined}
    standings = {project: shown for (project, _), shown in rounds_out(projects, member_of.values()).items()}
    guidelines = _newest_guidelines(ids)
    rights = rights_in(ids, viewer)
    labels_in = {pk: member_of[pk].guideline_seen for pk in ids if Right.LABEL in rights[pk]}
    suggestions = suggestions_out(ids)
    return [
        schemas.ProjectOut(
            id=project.pk,
            title=project.title,
            graph=project.graph,
            graph_title=project.graph_title,
            graph_version=project.graph_version,
            dataset=f"{project.dataset.name}, version {project.dataset.version}",
            tasks=project.tasks_total,
            overlap=project.overlap,
            order=cast("schemas.OrderName", project.order),
            suggests=cast("schemas.SuggestsWhat", project.suggests),
            suggestions=suggestions.get(project.pk),
            blind_percent=project.blind_percent,
            qualification=schemas.QualificationIn(
                questions=project.qualification_size, percent=project.qualification_percent
            )
            if project.qualification_size
            else None,
            known_percent=project.known_percent if Right.MANAGE in rights[project.pk] else None,
            archived=project.archived_at is not None,
            creator=None if project.creator is None else project.creator.display_name,
            created_at=project.created_at,
            guideline=_guideline(guidelines[project.pk]),
            wanted=project.tasks_total * project.overlap,
            figures=every.get(project.pk, _NOTHING),
            guideline_seen=labels_in.get(project.pk),
            mine=own.get(project.pk, _NOTHING) if project.pk in labels_in or project.pk in own else None,
            standing=standings.get(project.pk),
            role=cast("schemas.MemberRoleName", member_of[project.pk].role) if project.pk in member_of else None,
            may_manage=Right.MANAGE in rights[project.pk],
            may_review=Right.REVIEW in rights[project.pk],
            may_label=project.pk in labels_in and project.archived_at is None,
        )
        for project in projects
    ]


def _figures(work: QuerySet[Assignment], by: str) -> dict[Any, schemas.LabelFiguresOut]:
    """The figures of work by the value of a field."""
    counted = (
        work.exclude(state=State.ADJUDICATING)
        .order_by()
        .values(by)
        .annotate(
            done=Count("pk", filter=Q(state=State.SUBMITTED)),
            open=Count("pk", filter=Q(state=State.OPEN)),
            back=Count("pk", filter=Q(state=State.OPEN, sent_back=True)),
            skipped=Count("pk", filter=Q(state=State.SKIPPED)),
            flags=Count("pk", filter=Q(flagged=True)),
            active=Sum("seconds"),
        )
    )
    return {
        row[by]: schemas.LabelFiguresOut(
            done=row["done"],
            open=row["open"],
            sent_back=row["back"],
            skipped=row["skipped"],
            flagged=row["flags"],
            seconds=row["active"] or 0,
        )
        for row in counted
    }


def _newest_guidelines(projects: Iterable[uuid.UUID]) -> Mapping[uuid.UUID, Guideline]:
    rows = (
        Guideline.objects.filter(project__in=list(projects))
        .select_related("writer", "because__question")
        .order_by("version")
    )
    return {row.project_id: row for row in rows}


def _guideline(row: Guideline) -> schemas.GuidelineOut:
    return schemas.GuidelineOut(
        version=row.version,
        text=row.text,
        changed=row.changed,
        because=None
        if row.because is None
        else schemas.BecauseOut(task=row.because.pk, question=row.because.question.text),
        writer=None if row.writer is None else row.writer.display_name,
        written_at=row.written_at,
    )


def guidelines_out(project: Project) -> schemas.GuidelinesOut:
    """All versions of a project's guideline, the newest first."""
    rows = project.guidelines.select_related("writer", "because__question").order_by("-version")
    return schemas.GuidelinesOut(guidelines=[_guideline(row) for row in rows])


def progress_out(project: Project, *, viewer: Viewer) -> schemas.ProgressOut:
    """How far everybody in a project is, those who have done most first.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    work = Assignment.objects.filter(project=project)
    figures = _figures(work.filter(round=0), "person")
    members = list(Member.objects.filter(project=project).select_related("person"))
    standings = rounds_out([project], members)
    known = _known(project) if project_may(project, viewer, Right.MANAGE) else {}
    people = [
        schemas.PersonFiguresOut(
            id=member.person_id,
            name=member.person.username,
            display_name=member.person.display_name,
            role=cast("schemas.MemberRoleName", member.role) if member.left_at is None else None,
            labels_now=member.labels and member.left_at is None,
            qualification=standings.get((project.pk, member.person_id)),
            known=known.get(member.person_id),
            **figures.get(member.person_id, _NOTHING).model_dump(),
        )
        for member in members
    ]
    if None in figures:
        gone = schemas.PersonFiguresOut(
            id=None,
            name="",
            display_name="Deleted accounts",
            role=None,
            labels_now=False,
            qualification=None,
            known=known.get(None),
            **figures[None].model_dump(),
        )
        people.append(gone)
    return schemas.ProgressOut(people=sorted(people, key=lambda one: (-one.done, one.display_name)))


def _known(project: Project) -> dict[int | None, schemas.MeasuredOut]:
    """Accuracy of everybody's answers where they are known but hidden."""
    scores: dict[int | None, list[float]] = defaultdict(list)
    rows = Assignment.objects.filter(project=project, round=0, score__isnull=False)
    for person, score in rows.order_by("pk").values_list("person", "score"):
        scores[person].append(score or 0.0)
    return {person: measured(each) for person, each in scores.items()}


def task_page(project: Project, *, viewer: Viewer, search: str, offset: int, limit: int) -> schemas.TaskPageOut:
    """Some of a project's tasks in their order.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    found = project.tasks.all()
    if words := search.strip():
        found = found.filter(Q(question__text__icontains=words) | Q(question__question_id__icontains=words))
    page = list(found.select_related("question").order_by("position")[offset : offset + limit])
    manages = project_may(project, viewer, Right.MANAGE)
    return schemas.TaskPageOut(
        tasks=[
            schemas.ReviewedTaskOut(
                **row.model_dump(), round=task.round, known=task.known is not None if manages else None
            )
            for task, row in zip(page, _task_rows(page), strict=True)
        ],
        total=found.count(),
        all=project.tasks.count(),
    )


def _task_rows(tasks: Sequence[Task]) -> list[schemas.TaskRowOut]:
    figures = _figures(Assignment.objects.filter(task__in=tasks), "task")
    return [
        schemas.TaskRowOut(
            id=task.pk,
            position=task.position,
            question=task.question.text,
            question_id=task.question.question_id,
            **figures.get(task.pk, _NOTHING).model_dump(exclude={"seconds"}),
        )
        for task in tasks
    ]


def own_task_page(
    project: Project, *, viewer: Viewer, state: schemas.OwnState | None, offset: int, limit: int
) -> schemas.OwnTaskPageOut:
    """Some of the tasks of an annotator in a project, the last one first.

    Raises:
        ProductError: the viewer may not label.

    """
    found = Assignment.objects.filter(project=project, person=labeller(viewer)).exclude(state=State.ADJUDICATING)
    if state is not None:
        found = found.filter(_OWN[state])
    page = found.select_related("task__question").order_by("-pk")[offset : offset + limit]
    return schemas.OwnTaskPageOut(tasks=[_own_task(row) for row in page], total=found.count())


def _own_task(row: Assignment) -> schemas.OwnTaskOut:
    return schemas.OwnTaskOut(
        id=row.task_id,
        position=row.task.position,
        question=row.task.question.text,
        question_id=row.task.question.question_id,
        state=_own_state(row),
        kind=Draft.model_validate(row.draft).kind,
        flagged=row.flagged,
        seconds=row.seconds,
        moved_at=row.moved_at,
    )


def _own_state(row: Assignment) -> schemas.OwnState:
    if row.state != State.OPEN:
        return cast("schemas.OwnState", row.state)
    if not row.holds:
        return "lapsed"
    return "sent_back" if row.sent_back else "open"


def assignment_get(*, task_id: int, viewer: Viewer) -> Assignment:
    """An annotator's own work on a task.

    Raises:
        ProductError: the viewer may not label, or the task was not given to them.

    """
    person = labeller(viewer)
    found = (
        Assignment.objects.select_related("task__question", "project", "person")
        .filter(task=task_id, person=person)
        .first()
    )
    if found is None:
        message = "This task was not given to you. Go on with the next task of the project."
        raise ProductError(404, "unknown_task", message)
    return found


def task_out(assignment: Assignment) -> schemas.TaskOut:
    """A task with its draft, and what it leads to.

    Raises:
        ProductError: the graph is not what it was.

    """
    task, project = assignment.task, assignment.project
    member = Member.objects.filter(project=project, person=assignment.person).first()
    own = Assignment.objects.filter(project=project, person=assignment.person, round=task.round).exclude(
        state=State.ADJUDICATING
    )
    sent_back = sent_back_of([assignment])[assignment.pk]
    named = names_of([shown.against for shown in sent_back if shown.against is not None], project)
    before = 0 if task.round == 0 else project.tasks.filter(round=task.round, position__lt=task.position).count()
    return schemas.TaskOut(
        id=task.pk,
        project=project.pk,
        project_title=project.title,
        round=task.round,
        position=task.position if task.round == 0 else before + 1,
        tasks=project.tasks_total if task.round == 0 else project.qualification_size,
        question=task.question.text,
        question_id=task.question.question_id,
        graph=project.graph,
        graph_title=project.graph_title,
        graph_version=project.graph_version,
        previous=own.filter(task__position__lt=task.position)
        .order_by("-task__position")
        .values_list("task", flat=True)
        .first(),
        next=own.filter(task__position__gt=task.position)
        .order_by("task__position")
        .values_list("task", flat=True)
        .first(),
        guideline=_guideline(_newest_guidelines([project.pk])[project.pk]),
        guideline_seen=0 if member is None else member.guideline_seen,
        suggestion=suggestion_out(task, project),
        sent_back=sent_back,
        named_terms=named.terms,
        named_relations=named.relations,
        work=work_out(assignment),
        led_to=draft_led_to(assignment),
    )


def work_out(assignment: Assignment) -> schemas.WorkOut:
    """An annotator's work on a task, with the actions that may be undone."""
    undo, redo = _stacks(assignment.moves.order_by("number").values_list("number", "undoes"))
    moves_by_number = {row.number: row for row in assignment.moves.select_related("who").filter(number__in=undo + redo)}
    return schemas.WorkOut(
        state=cast("Literal['open', 'skipped', 'submitted', 'adjudicating']", assignment.state),
        draft=Draft.model_validate(assignment.draft),
        last=assignment.last,
        undo=[_move(moves_by_number[number]) for number in undo],
        redo=[_move(moves_by_number[number]) for number in redo],
        seconds=assignment.seconds,
        held_until=assignment.lease_until,
        submitted_at=assignment.submitted_at,
    )


def _stacks(moves: Iterable[tuple[int, int | None]]) -> tuple[list[int], list[int]]:
    """The moves that may be taken back, and those that took one back and may be taken back themselves."""
    undo: list[int] = []
    redo: list[int] = []
    for number, undoes in moves:
        if undoes is None:
            undo.append(number)
            redo.clear()
        elif undo and undoes == undo[-1]:
            undo.pop()
            redo.append(number)
        elif redo and undoes == redo[-1]:
            redo.pop()
            undo.append(number)
    return undo[-_STACK:], redo[-_STACK:]


def moves_out(assignment: Assignment, *, after: int, limit: int) -> schemas.MovesOut:
    """Some of the moves of an assignment after a number."""
    rows = assignment.moves.select_related("who").filter(number__gt=after).order_by("number")[:limit]
    return schemas.MovesOut(moves=[_move(row) for row in rows], total=assignment.last)


def _move(row: Move) -> schemas.MoveOut:
    return schemas.MoveOut(
        number=row.number,
        who="" if row.who is None else row.who.display_name,
        at=row.at,
        was=row.was,
        now=row.now,
        undoes=row.undoes,
    )


def check_out(assignment: Assignment) -> schemas.CheckOut:
    """Why a label cannot be handed in as it stands.

    Raises:
        ProductError: the graph is not what it was.

    """
    faults = label_faults(assignment)
    return schemas.CheckOut(
        kind=Draft.model_validate(assignment.draft).kind,
        faults=[schemas.FaultOut(code=fault.code, message=fault.message) for fault in faults],
    )


def home_out(*, viewer: Viewer) -> schemas.HomeOut:
    """What an annotator starts with.

    Raises:
        ProductError: the viewer may not label.

    """
    person = labeller(viewer)
    mine = Member.objects.filter(person=person, left_at__isnull=True).values("project")
    projects = Project.objects.filter(pk__in=mine, archived_at__isnull=True).select_related("dataset", "creator")
    work = Assignment.objects.filter(person=person)
    begun = (
        work.filter(state=State.OPEN, sent_back=False)
        .select_related("task__question")
        .order_by("-moved_at", "-pk")[:_OPEN_SHOWN]
    )
    return schemas.HomeOut(
        next_project=_next_project(person, list(projects)),
        projects=projects_out(list(projects.order_by("-created_at")), viewer=viewer),
        sent_back=sent_back_tasks_out(person),
        open=_task_rows([row.task for row in begun]),
        figures=_figures(work, "person").get(person.pk, _NOTHING),
    )


def _next_project(person: User, projects: Sequence[Project]) -> uuid.UUID | None:
    """The project of an annotator's last work that has a task for them, else any that has."""
    latest = defaultdict(
        int,
        Assignment.objects.filter(person=person).order_by("pk").values_list("project", "pk"),
    )
    members = {row.project_id: row for row in Member.objects.filter(person=person, labels=True, left_at__isnull=True)}
    for project in sorted(projects, key=lambda one: -latest[one.pk]):
        member = members.get(project.pk)
        if member is not None and _has_task(project, member):
            return project.pk
    return None


def _has_task(project: Project, member: Member) -> bool:
    if not is_admitted(project, member):
        return member.standing != Standing.FAILED
    done = Assignment.objects.filter(project=project, person=member.person_id, round=0)
    if done.filter(state=State.OPEN, holds=True).exists():
        return True
    return Task.objects.filter(project=project, free__gt=0).exclude(pk__in=done.values("task")).exists()


def own_qualification_out(project: Project, *, viewer: Viewer) -> schemas.QualificationOut:
    """The state of an annotator's qualification round, and the expected answers once it is complete.

    Raises:
        ProductError: they label in no such project, it has no round, or the graph is not what it was.

    """
    member = Member.objects.filter(project=project, person=labeller(viewer), left_at__isnull=True).first()
    if member is None:
        raise ProductError(404, "no_qualification", f"“{project}” has no qualification round for you.")
    return qualification_out(project, member)
