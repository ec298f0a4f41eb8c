"""Labelling: projects and their guidelines for those who manage them, tasks and moves for those who label."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja import Status as Reply

from webapp.accounts.viewer import viewer
from webapp.labelling.projects import schemas
from webapp.labelling.projects.labels.asked import asked_out, asked_snapshot
from webapp.labelling.projects.labels.labelling import (
    assignment_next,
    assignment_present,
    assignment_reopen,
    assignment_skip,
    assignment_submit,
    moves_append,
)
from webapp.labelling.projects.labels.preview import draft_led_to
from webapp.labelling.projects.labels.reviewing import task_labels_out
from webapp.labelling.projects.labels.sending_back import label_send_back, reply_write
from webapp.labelling.projects.labels.suggesting import suggesting_cancel, suggesting_resume
from webapp.labelling.projects.labels.ways import ways_out
from webapp.labelling.projects.members import member_add, member_change, member_out, member_remove
from webapp.labelling.projects.selectors import (
    assignment_get,
    check_out,
    guidelines_out,
    home_out,
    moves_out,
    own_qualification_out,
    own_task_page,
    progress_out,
    project_get,
    project_out,
    project_page,
    task_out,
    task_page,
    work_out,
)
from webapp.labelling.projects.services import guideline_write, project_change, project_create
from webapp.platform.http.errors import ErrorOut
from webapp.platform.http.inputs import IdInPath, Number

router = Router(tags=["annotation"])

Words = Annotated[str, Query(max_length=1_000)]
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("/home", response={200: schemas.HomeOut, 403: ErrorOut}, operation_id="annotation_home")
def home(request: HttpRequest) -> schemas.HomeOut:
    """What an annotator starts with."""
    return home_out(viewer=viewer(request))


@router.get("/asked", response={200: schemas.AskedOut, 403: ErrorOut}, operation_id="annotation_asked")
def asked(request: HttpRequest) -> schemas.AskedOut:
    """How many of the questions that people asked may be labelled, by graph."""
    return asked_out(viewer=viewer(request))


@router.post(
    "/asked",
    response={201: schemas.AskedDatasetOut, 403: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="annotation_asked_snapshot",
)
def snapshot_asked(
    request: HttpRequest, response: HttpResponse, payload: schemas.AskedIn
) -> Reply[schemas.AskedDatasetOut]:
    """Make a dataset of the questions of a graph that people agreed to have labelled; where one holds them, that."""
    dataset = asked_snapshot(graph=payload.graph, viewer=viewer(request))
    response["Location"] = f"/datasets/{dataset.pk}"
    return Reply(201, schemas.AskedDatasetOut(dataset=dataset.pk, questions=dataset.questions_stored))


@router.get(
    "/projects",
    response={200: schemas.ProjectPageOut, 403: ErrorOut, 422: ErrorOut},
    operation_id="annotation_project_list",
)
def projects(
    request: HttpRequest, search: Words = "", *, archived: bool = False, offset: Number = 0, limit: Limit = 50
) -> schemas.ProjectPageOut:
    """The projects in which who asks labels, newest first; for those who manage projects, all."""
    return project_page(viewer=viewer(request), search=search, archived=archived, offset=offset, limit=limit)


@router.post(
    "/projects",
    response={201: schemas.ProjectOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="annotation_project_create",
)
def create(request: HttpRequest, response: HttpResponse, payload: schemas.ProjectIn) -> Reply[schemas.ProjectOut]:
    """Make a project of the questions of a dataset."""
    who = viewer(request)
    project = project_create(wanted=payload, viewer=who)
    response["Location"] = f"/annotate/projects/{project.pk}"
    return Reply(201, project_out(project, viewer=who))


@router.get(
    "/projects/{uuid:project_id}",
    response={200: schemas.ProjectOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="annotation_project_get",
)
def get(request: HttpRequest, project_id: UUID) -> schemas.ProjectOut:
    """A project, and how far it is."""
    who = viewer(request)
    return project_out(project_get(project_id=project_id, viewer=who), viewer=who)


@router.patch(
    "/projects/{uuid:project_id}",
    response={200: schemas.ProjectOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="annotation_project_change",
)
def change(request: HttpRequest, project_id: UUID, payload: schemas.ProjectPatchIn) -> schemas.ProjectOut:
    """Change a project's title, or put it away."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    return project_out(project_change(project=project, wanted=payload, viewer=who), viewer=who)


@router.get(
    "/projects/{uuid:project_id}/guidelines",
    response={200: schemas.GuidelinesOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="annotation_guideline_list",
)
def guidelines(request: HttpRequest, project_id: UUID) -> schemas.GuidelinesOut:
    """All versions of a project's guideline, the newest first."""
    return guidelines_out(project_get(project_id=project_id, viewer=viewer(request)))


@router.post(
    "/projects/{uuid:project_id}/guidelines",
    response={201: schemas.GuidelinesOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="annotation_guideline_write",
)
def write_guideline(
    request: HttpRequest, project_id: UUID, payload: schemas.GuidelineIn
) -> Reply[schemas.GuidelinesOut]:
    """Write a new version of a project's guideline; the earlier ones stay."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    guideline_write(project=project, wanted=payload, viewer=who)
    return Reply(201, guidelines_out(project))


@router.get(
    "/projects/{uuid:project_id}/progress",
    response={200: schemas.ProgressOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="annotation_progress",
)
def progress(request: HttpRequest, project_id: UUID) -> schemas.ProgressOut:
    """How far everybody in a project is."""
    who = viewer(request)
    return progress_out(project_get(project_id=project_id, viewer=who), viewer=who)


@router.post(
    "/projects/{uuid:project_id}/members",
    response={201: schemas.MemberOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut},
    operation_id="annotation_member_add",
)
def add_member(request: HttpRequest, project_id: UUID, payload: schemas.MemberIn) -> Reply[schemas.MemberOut]:
    """Add a user to a project, or reactivate an earlier member."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    return Reply(201, member_out(member_add(project=project, wanted=payload, viewer=who)))


@router.patch(
    "/projects/{uuid:project_id}/members/{person_id}",
    response={200: schemas.MemberOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut},
    operation_id="annotation_member_change",
)
def change_member(
    request: HttpRequest, project_id: UUID, person_id: IdInPath, payload: schemas.MemberPatchIn
) -> schemas.MemberOut:
    """Change what a member is in a project, let them in, or let them try the qualification round again."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    return member_out(member_change(project=project, person_id=person_id, wanted=payload, viewer=who))


@router.delete(
    "/projects/{uuid:project_id}/members/{person_id}",
    response={204: None, 403: ErrorOut, 404: ErrorOut},
    operation_id="annotation_member_remove",
)
def remove_member(request: HttpRequest, project_id: UUID, person_id: IdInPath) -> Reply[None]:
    """Remove a user from a project; their labels stay."""
    who = viewer(request)
    member_remove(project=project_get(project_id=project_id, viewer=who), person_id=person_id, viewer=who)
    return Reply(204, None)


@router.get(
    "/projects/{uuid:project_id}/qualification",
    response={200: schemas.QualificationOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="annotation_qualification",
)
def qualification(request: HttpRequest, project_id: UUID) -> schemas.QualificationOut:
    """The state of the viewer's qualification round, and the expected answers once it is complete."""
    who = viewer(request)
    return own_qualification_out(project_get(project_id=project_id, viewer=who), viewer=who)


@router.post(
    "/projects/{uuid:project_id}/suggestions/cancel",
    response={200: schemas.ProjectOut, 403: ErrorOut, 404: ErrorOut},
    operation_id="annotation_suggestions_cancel",
)
def cancel_suggestions(request: HttpRequest, project_id: UUID) -> schemas.ProjectOut:
    """Stop the model that decides what is suggested; what it decided stays."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    suggesting_cancel(project=project, viewer=who)
    return project_out(project, viewer=who)


@router.post(
    "/projects/{uuid:project_id}/suggestions/resume",
    response={200: schemas.ProjectOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="annotation_suggestions_resume",
)
def resume_suggestions(request: HttpRequest, project_id: UUID) -> schemas.ProjectOut:
    """Let a model that was stopped, or failed, go on after the last question that it decided."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    suggesting_resume(project=project, viewer=who)
    return project_out(project, viewer=who)


@router.get(
    "/projects/{uuid:project_id}/tasks",
    response={200: schemas.TaskPageOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="annotation_task_list",
)
def tasks(
    request: HttpRequest, project_id: UUID, search: Words = "", offset: Number = 0, limit: Limit = 50
) -> schemas.TaskPageOut:
    """Some of a project's tasks, and by how many people each is labelled."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    return task_page(project, viewer=who, search=search, offset=offset, limit=limit)


@router.get(
    "/projects/{uuid:project_id}/own-tasks",
    response={200: schemas.OwnTaskPageOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="annotation_own_task_list",
)
def own_tasks(
    request: HttpRequest, project_id: UUID, state: schemas.OwnState | None = None, offset: Number = 0, limit: Limit = 50
) -> schemas.OwnTaskPageOut:
    """Some of the tasks that who asks was given, the last one first: those handed in, skipped, begun or given back."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    return own_task_page(project, viewer=who, state=state, offset=offset, limit=limit)


@router.get(
    "/projects/{uuid:project_id}/tasks/{task_id}/labels",
    response={200: schemas.TaskLabelsOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="annotation_task_labels",
)
def task_labels(request: HttpRequest, project_id: UUID, task_id: IdInPath) -> schemas.TaskLabelsOut:
    """The labels of a task that were handed in, the newest first; at most 20."""
    who = viewer(request)
    return task_labels_out(project_get(project_id=project_id, viewer=who), task_id=task_id, viewer=who)


@router.post(
    "/projects/{uuid:project_id}/tasks/{task_id}/labels/{label_id}/send-back",
    response={200: schemas.TaskLabelsOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="annotation_label_send_back",
)
def send_back(
    request: HttpRequest, project_id: UUID, task_id: IdInPath, label_id: IdInPath, payload: schemas.SendBackIn
) -> schemas.TaskLabelsOut:
    """Give a label that was handed in back to who made it, with what is to be changed."""
    who = viewer(request)
    project = project_get(project_id=project_id, viewer=who)
    label_send_back(project=project, task_id=task_id, label_id=label_id, wanted=payload, viewer=who)
    return task_labels_out(project, task_id=task_id, viewer=who)


@router.post(
    "/projects/{uuid:project_id}/next",
    response={200: schemas.NextOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="annotation_next",
)
def next_(request: HttpRequest, project_id: UUID) -> schemas.NextOut:
    """The next task: one that the viewer began, or else the first that no other user has."""
    who = viewer(request)
    return assignment_next(project=project_get(project_id=project_id, viewer=who), viewer=who)


@router.get(
    "/tasks/{task_id}",
    response={200: schemas.TaskOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="annotation_task_get",
)
def task(request: HttpRequest, task_id: IdInPath) -> schemas.TaskOut:
    """A task that who asks was given, with their draft and what it leads to."""
    return task_out(assignment_get(task_id=task_id, viewer=viewer(request)))


@router.post(
    "/tasks/{task_id}/moves",
    response={
        200: schemas.MovedOut,
        403: ErrorOut,
        404: ErrorOut,
        409: ErrorOut,
        422: ErrorOut,
        503: ErrorOut,
    },
    operation_id="annotation_move",
)
def move(request: HttpRequest, task_id: IdInPath, payload: schemas.MovesIn) -> schemas.MovedOut:
    """Append moves to the log. A move that is known already counts once; none is written where another came first."""
    assignment = assignment_get(task_id=task_id, viewer=viewer(request))
    assignment = moves_append(assignment=assignment, wanted=payload)
    return schemas.MovedOut(work=work_out(assignment), led_to=draft_led_to(assignment))


@router.get(
    "/tasks/{task_id}/moves",
    response={200: schemas.MovesOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut},
    operation_id="annotation_move_list",
)
def moves(request: HttpRequest, task_id: IdInPath, after: Number = 0, limit: Limit = 50) -> schemas.MovesOut:
    """One's own moves after a number."""
    return moves_out(assignment_get(task_id=task_id, viewer=viewer(request)), after=after, limit=limit)


@router.post(
    "/tasks/{task_id}/present",
    response={200: schemas.WorkOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut},
    operation_id="annotation_present",
)
def present(request: HttpRequest, task_id: IdInPath, payload: schemas.PresentIn) -> schemas.WorkOut:
    """Say that one is still at a task, so that it stays one's own, and for how long one was active."""
    assignment = assignment_get(task_id=task_id, viewer=viewer(request))
    return work_out(assignment_present(assignment=assignment, seconds=payload.seconds))


@router.post(
    "/tasks/{task_id}/ways",
    response={
        200: schemas.WaysOut,
        403: ErrorOut,
        404: ErrorOut,
        409: ErrorOut,
        422: ErrorOut,
        503: ErrorOut,
    },
    operation_id="annotation_ways",
)
def ways(request: HttpRequest, task_id: IdInPath, payload: schemas.WaysIn) -> schemas.WaysOut:
    """The derivations that lead from the topic to marked answers, within half a second, or five. Nothing is kept."""
    return ways_out(assignment_get(task_id=task_id, viewer=viewer(request)), payload)


@router.get(
    "/tasks/{task_id}/check",
    response={200: schemas.CheckOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="annotation_check",
)
def check(request: HttpRequest, task_id: IdInPath) -> schemas.CheckOut:
    """Why the label cannot be handed in as it stands, if anything."""
    return check_out(assignment_get(task_id=task_id, viewer=viewer(request)))


@router.post(
    "/tasks/{task_id}/reply",
    response={200: schemas.SentBackOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut, 503: ErrorOut},
    operation_id="annotation_reply",
)
def reply(request: HttpRequest, task_id: IdInPath, payload: schemas.ReplyIn) -> schemas.SentBackOut:
    """Reply to the reviewer who sent a label back; the reply is sent once the label is submitted again."""
    assignment = assignment_get(task_id=task_id, viewer=viewer(request))
    return reply_write(assignment=assignment, reply=payload.reply)


@router.post(
    "/tasks/{task_id}/submit",
    response={200: schemas.WorkOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 503: ErrorOut},
    operation_id="annotation_submit",
)
def submit(request: HttpRequest, task_id: IdInPath) -> schemas.WorkOut:
    """Hand a label in."""
    return work_out(assignment_submit(assignment=assignment_get(task_id=task_id, viewer=viewer(request))))


@router.post(
    "/tasks/{task_id}/skip",
    response={200: schemas.WorkOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="annotation_skip",
)
def skip(request: HttpRequest, task_id: IdInPath) -> schemas.WorkOut:
    """Leave a task to others; the draft stays."""
    return work_out(assignment_skip(assignment=assignment_get(task_id=task_id, viewer=viewer(request))))


@router.post(
    "/tasks/{task_id}/reopen",
    response={200: schemas.WorkOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut},
    operation_id="annotation_reopen",
)
def reopen(request: HttpRequest, task_id: IdInPath) -> schemas.WorkOut:
    """Take a task up again that one skipped, handed in, or that lapsed; not where enough others have it by now."""
    return work_out(assignment_reopen(assignment=assignment_get(task_id=task_id, viewer=viewer(request))))
