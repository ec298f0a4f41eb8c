"""What is read of agreement: figures and tasks, computed here and now for projects that are not large."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, cast

from django.utils import timezone

from kgstore.store import GraphStoreError
from webapp.accounts.models import User
from webapp.health.readiness import no_worker_reason
from webapp.labelling.agreement import schemas, services
from webapp.labelling.agreement.comparing import (
    AGREEMENT,
    FOUND,
    Found,
    TaskCompared,
    compare_labels,
    found_of,
    graph_of,
)
from webapp.labelling.agreement.models import AgreementWork, ComparedTask
from webapp.labelling.agreement.stamp import stamp_of, tasks_labelled
from webapp.labelling.projects.models import Project, Task
from webapp.labelling.projects.roles import Right, project_may, project_may_ensure
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Sequence

    from reasoning.agreement.suggested import SuggestionBias
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.draft import LabelKind

MAX_PEOPLE = 30
"""Maximum of people that are listed, with every two of them."""
_Computed: TypeAlias = tuple[Found, tuple[TaskCompared, ...], datetime]


def agreement_out(project: Project, *, viewer: Viewer) -> schemas.AgreementOut:
    """The agreement of a project, as far as it is known.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    scored = project_may(project, viewer, Right.MANAGE)
    if tasks_labelled(project) <= services.AT_ONCE:
        found, _, at = _computed_now(project)
        return schemas.AgreementOut(
            project=project.pk,
            title=project.title,
            at_once=True,
            work=None,
            out_of_date=False,
            found_at=at,
            figures=_figures(found, scored=scored),
        )
    item = AgreementWork.objects.filter(project=project).first()
    kept = None if item is None or item.found is None else FOUND.validate_python(item.found)
    return schemas.AgreementOut(
        project=project.pk,
        title=project.title,
        at_once=False,
        work=None if item is None else _work(item),
        out_of_date=kept is not None and item is not None and item.found_stamp != stamp_of(project),
        found_at=None if item is None else item.found_at,
        figures=None if kept is None else _figures(kept, scored=scored),
    )


def agreement_task_page(
    project: Project, *, viewer: Viewer, differing: bool, offset: int, limit: int
) -> schemas.AgreementTaskPageOut:
    """Some of the tasks with two labels or more, the worst agreement first; only those that differ, or all.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    if tasks_labelled(project) <= services.AT_ONCE:
        compared = [each for each in _computed_now(project)[1] if each.agreement.pairs]
        wanted = [each for each in compared if not (differing and each.agreement.agreed)]
        page = sorted(wanted, key=lambda each: (each.agreement.rank, each.position))[offset : offset + limit]
        return schemas.AgreementTaskPageOut(tasks=_tasks(page), total=len(wanted), compared=len(compared))
    item = AgreementWork.objects.filter(project=project).first()
    rows = ComparedTask.objects.filter(work=item, turn=0 if item is None else item.found_turn, pairs__gt=0)
    few = rows.filter(agreed=False) if differing else rows
    return schemas.AgreementTaskPageOut(
        tasks=_tasks(
            [
                TaskCompared(row.task_id, row.position, AGREEMENT.validate_python(row.told))
                for row in few[offset : offset + limit]
            ]
        ),
        total=few.count(),
        compared=rows.count(),
    )


def _computed_now(project: Project) -> _Computed:
    """The figures as they are now; those of a project whose labels and graph did not change are kept a while."""
    try:
        _, fault = graph_of(project)
    except GraphStoreError as error:
        fault = error.for_people
    return _computed(project.pk, stamp_of(project), fault)


@lru_cache(maxsize=16)
def _computed(project_id: uuid.UUID, _stamp: str, fault: str) -> _Computed:
    project = Project.objects.select_related("dataset").get(pk=project_id)
    try:
        store = None if fault else graph_of(project)[0]
        tasks = tuple(compare_labels(project, store))
    except GraphStoreError as error:
        fault = error.for_people
        tasks = tuple(compare_labels(project, None))
    return found_of([each.agreement for each in tasks], project, fault), tasks, timezone.now()


def _work(item: AgreementWork) -> schemas.AgreementWorkOut:
    over = item.status in OVER
    return schemas.AgreementWorkOut(
        status=Status(item.status),
        reason=item.reason if over else "",
        waits=None if over else no_worker_reason(Queue.CPU_BACKGROUND) or item.reason or None,
        done=item.done,
        wanted=item.wanted,
    )


def _figures(found: Found, *, scored: bool) -> schemas.AgreementFiguresOut:
    figures = found.project
    most = sorted(figures.people, key=lambda who: (-figures.people[who], who))[:MAX_PEOPLE]
    names = _names(most)
    people = [who for who in most if who in names]
    return schemas.AgreementFiguresOut(
        questions=figures.questions,
        compared=figures.compared,
        labels=figures.labels,
        agreed=figures.agreed,
        measures=figures.measures,
        people=[
            schemas.AgreementPersonOut(id=who, display_name=names[who], questions=figures.people[who]) for who in people
        ],
        people_total=len(figures.people),
        pairs=[pair for pair in figures.pairs if pair.first in people and pair.second in people],
        pairs_total=len(figures.pairs),
        pairs_of_derivations=figures.pairs_of_derivations,
        stages=list(figures.stages),
        bias=_bias(found.bias, scored=scored),
        graph_fault=found.graph_fault,
    )


def _bias(bias: SuggestionBias | None, *, scored: bool) -> SuggestionBias | None:
    if bias is None or scored:
        return bias
    return replace(bias, contrasts=tuple(each for each in bias.contrasts if each.what != "rightness"))


def _names(people: Sequence[int]) -> dict[int, str]:
    return {user.pk: user.display_name for user in User.objects.filter(pk__in=people)}


def _tasks(compared: Sequence[TaskCompared]) -> list[schemas.AgreementTaskOut]:
    tasks = Task.objects.select_related("question").in_bulk([each.task for each in compared])
    names = _names([said.who for each in compared for said in each.agreement.labels if said.who is not None])
    return [_task(each, tasks[each.task], names) for each in compared if each.task in tasks]


def _task(compared: TaskCompared, task: Task, names: dict[int, str]) -> schemas.AgreementTaskOut:
    found, means = compared.agreement, compared.agreement.means
    return schemas.AgreementTaskOut(
        id=task.pk,
        position=task.position,
        question=task.question.text,
        question_id=task.question.question_id,
        labels=[
            schemas.AgreementLabelOut(
                who="" if said.who is None else names.get(said.who, ""), kind=cast("LabelKind", said.kind)
            )
            for said in found.labels
        ],
        agreed=found.agreed,
        answers=means.answers,
        same_derivation=means.same_derivation,
        distance=means.distance,
        facts=means.facts,
        parted=means.parted,
        shown=found.shown,
    )
