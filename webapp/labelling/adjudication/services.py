"""What reviewers change: they begin to adjudicate a task, accept a label for it, and withdraw one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from webapp.labelling.adjudication.content import said
from webapp.labelling.adjudication.models import ACCEPTING, AcceptedLabel, How
from webapp.labelling.adjudication.settle import basis, handed_in, last_accepted, task_settle
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.labels.checks import label_faults, label_holds_ensure
from webapp.labelling.projects.labels.known_answers import label_answers
from webapp.labelling.projects.models import Assignment, Project, State, Task
from webapp.labelling.projects.roles import Right, labeller, project_may_ensure
from webapp.labelling.projects.selectors import project_get
from webapp.platform.http.errors import ProductError, room_ensure

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer


def task_to_adjudicate(*, task_id: int, viewer: Viewer) -> Task:
    """A task of a project that a user reviews.

    Raises:
        ProductError: they may not, or there is no such task for them.

    """
    task = Task.objects.select_related("project", "question").filter(pk=task_id, round=0).first()
    if task is None:
        raise ProductError(404, "unknown_task", "There is no such task.")
    project_may_ensure(project_get(project_id=task.project_id, viewer=viewer), viewer, Right.REVIEW)
    return task


def adjudication_begin(*, task_id: int, viewer: Viewer) -> Assignment:
    """Open a reviewer's own draft of what is accepted for a task; it starts as the first submitted label.

    Raises:
        ProductError: they may not, they labelled the task themselves, or it has no label yet.

    """
    task = task_to_adjudicate(task_id=task_id, viewer=viewer)
    person = labeller(viewer)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=task.project_id)
        own = Assignment.objects.filter(task=task, person=person).select_related("task__question", "project").first()
        if own is not None:
            if own.state != State.ADJUDICATING:
                message = "You labelled this question yourself, so another reviewer must decide."
                raise ProductError(409, "own_label", message)
            return own
        room_ensure()
        labels = handed_in(task)
        if not labels:
            raise ProductError(409, "no_label", "No label has been submitted for this question yet.")
        accepted = last_accepted(task)
        began_with = labels[0].draft if accepted is None or accepted.how == How.WITHDRAWN else accepted.draft
        draft = Draft.model_validate(began_with).model_copy(update={"note": "", "flagged": False})
        return Assignment.objects.create(
            task=task,
            project=task.project,
            person=person,
            state=State.ADJUDICATING,
            holds=False,
            draft=draft.model_dump(mode="json"),
        )


def label_accept(*, assignment: Assignment, last: int, accepted: int, comment: str) -> AcceptedLabel:
    """Accept a reviewer's draft for its task.

    Raises:
        ProductError: it does not hold, was edited elsewhere, or another reviewer decided meanwhile.

    """
    label_holds_ensure(label_faults(assignment))
    answers = label_answers(assignment)
    room_ensure()
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=assignment.project_id)
        locked = Assignment.objects.select_related("task__project").get(pk=assignment.pk)
        if locked.last != last or locked.last != assignment.last:
            raise ProductError(409, "draft_moved", "This draft was moved elsewhere meanwhile. Reload it.")
        _newest_ensure(locked.task, accepted)
        labels = handed_in(locked.task)
        mine = said(Draft.model_validate(locked.draft), answers)
        same = [label.pk for label in labels if said(Draft.model_validate(label.draft), label.answers or []) == mine]
        row = AcceptedLabel.objects.create(
            task=locked.task,
            project_id=locked.project_id,
            number=accepted + 1,
            how=How.TAKEN if same else How.MERGED,
            reviewer=locked.person,
            draft=locked.draft,
            answers=answers,
            rests_on=basis(labels),
            taken_from=same[0] if same else None,
            comment=comment.strip(),
        )
        task_settle(locked.task)
    return row


def label_withdraw(*, task_id: int, accepted: int, comment: str, viewer: Viewer) -> None:
    """Withdraw the accepted label of a task; it is to be decided again.

    Raises:
        ProductError: the viewer may not, nothing is accepted, or another reviewer decided meanwhile.

    """
    task = task_to_adjudicate(task_id=task_id, viewer=viewer)
    room_ensure()
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=task.project_id)
        newest = _newest_ensure(task, accepted)
        if newest is None or newest.how not in ACCEPTING:
            raise ProductError(409, "nothing_accepted", "No label is accepted for this question.")
        AcceptedLabel.objects.create(
            task=task,
            project_id=task.project_id,
            number=accepted + 1,
            how=How.WITHDRAWN,
            reviewer=viewer.user,
            rests_on=basis(handed_in(task)),
            comment=comment.strip(),
        )
        task_settle(task)


def _newest_ensure(task: Task, known: int) -> AcceptedLabel | None:
    """Check that a task was not decided since; the last entry of its history.

    Raises:
        ProductError: another reviewer did.

    """
    newest = last_accepted(task)
    if (0 if newest is None else newest.number) != known:
        who = "Another reviewer" if newest is None or newest.reviewer is None else newest.reviewer.display_name
        message = f"{who} has decided about this question meanwhile. Reload it to see what; your draft is kept."
        raise ProductError(409, "decided_meanwhile", message)
    return newest
