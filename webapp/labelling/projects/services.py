"""What those who manage projects change: they make them, write guidelines, and put projects away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from kgstore.store import GraphStoreError
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.datasets.selectors import dataset_get
from webapp.labelling.projects.choosing import questions_chosen
from webapp.labelling.projects.labels.drawing import quality_drawn
from webapp.labelling.projects.labels.prelabels import is_blind
from webapp.labelling.projects.labels.qualification import round_tasks
from webapp.labelling.projects.labels.suggesting import suggester_chosen, suggesting_begin
from webapp.labelling.projects.members import first_members, people_named
from webapp.labelling.projects.models import Guideline, Member, Order, Project, Suggests, Task
from webapp.labelling.projects.roles import Right, project_may_ensure
from webapp.platform.http.errors import ProductError, graph_error, room_ensure

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.schemas import GuidelineIn, ProjectIn, ProjectPatchIn

_ROWS_AT_ONCE = 1_000


def project_create(*, wanted: ProjectIn, viewer: Viewer) -> Project:
    """Make a project of the questions of a dataset.

    Raises:
        ProductError: the viewer may not, there is no such dataset, question, graph, person or model, or too few
            questions have known answers.

    """
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    room_ensure()
    dataset = dataset_get(dataset_id=wanted.questions.dataset)
    if not dataset.is_loaded or dataset.archived_at is not None:
        raise ProductError(409, "not_loaded", f"“{dataset}” is not loaded. Choose one that is.")
    try:
        info = engine.graph(wanted.graph).info()
    except GraphStoreError as error:
        raise graph_error(error, status=422) from error
    people = people_named(wanted.people)
    suggester = suggester_chosen(wanted)
    project = Project(
        title=_title(wanted.title),
        dataset=dataset,
        graph=info.name,
        graph_title=info.title,
        graph_version=info.version,
        overlap=wanted.overlap,
        order=Order(wanted.order),
        suggests=Suggests(wanted.suggests),
        blind_percent=wanted.blind_percent,
        known_percent=wanted.known_percent,
        creator=viewer.user,
    )
    if wanted.qualification is not None:
        project.qualification_size = wanted.qualification.questions
        project.qualification_percent = wanted.qualification.percent
    quality = quality_drawn(project, wanted, questions_chosen(wanted))
    project.tasks_total = len(quality.ordinary)
    with transaction.atomic():
        project.save(force_insert=True)
        suggests = project.suggests != Suggests.NOTHING
        Guideline.objects.create(project=project, version=1, text=wanted.guideline, writer=viewer.user)
        Member.objects.bulk_create(first_members(project, people))
        Task.objects.bulk_create(
            (
                Task(
                    project=project,
                    position=position,
                    question_id=question,
                    free=wanted.overlap,
                    known=quality.known.get(question),
                    blind=is_blind(project, question) or (suggests and question in quality.known),
                )
                for position, question in enumerate(quality.ordinary, start=1)
            ),
            batch_size=_ROWS_AT_ONCE,
        )
        Task.objects.bulk_create(round_tasks(project, quality.round, 1, project.tasks_total))
        if suggester is not None:
            suggesting_begin(project, suggester)
        audited(viewer, Audited.PROJECT_MADE, project)
    return project


def _title(title: str) -> str:
    words = " ".join(title.split())
    if not words:
        raise ProductError(422, "empty_title", "Give the project a title.")
    return words


def project_change(*, project: Project, wanted: ProjectPatchIn, viewer: Viewer) -> Project:
    """Change a project's title, or put it away.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.MANAGE)
    with transaction.atomic():
        project = Project.objects.select_for_update().get(pk=project.pk)
        if wanted.title is not None:
            project.title = _title(wanted.title)
        if wanted.archived is not None:
            project.archived_at = timezone.now() if wanted.archived else None
        project.save()
        audited(viewer, Audited.PROJECT_CHANGED, project)
    return project


def guideline_write(*, project: Project, wanted: GuidelineIn, viewer: Viewer) -> Guideline:
    """Write a new version of a project's guideline.

    Raises:
        ProductError: the viewer may not, nothing has changed, or there is no such task that led to it.

    """
    project_may_ensure(project, viewer, Right.MANAGE)
    if wanted.because is not None and not project.tasks.filter(pk=wanted.because).exists():
        raise ProductError(404, "unknown_task", "There is no such task in this project.")
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        newest = project.guidelines.order_by("-version").first()
        if newest is not None and newest.text == wanted.text:
            raise ProductError(422, "same_guideline", "This is what the guideline says already. Change it first.")
        last = project.guidelines.aggregate(last=Max("version"))["last"] or 0
        return Guideline.objects.create(
            project=project,
            version=last + 1,
            text=wanted.text,
            changed=wanted.changed,
            because_id=wanted.because,
            writer=viewer.user,
        )
