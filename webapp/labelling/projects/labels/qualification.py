"""The qualification round of a project: the first questions of everybody, whose answers are known.

Its tasks are labelled by everybody, apart from the overlap and from exported labels. Who reaches the mark goes on to
ordinary tasks. Who does not sees what was expected, and gets no task until a manager lets them in or lets them try
again: with other questions, as the answers of the first ones were shown.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, cast

from django.db.models import Max

from kgstore.terms import parse_term
from reasoning.narration.narration import Narrator
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.labels.drawing import drawn
from webapp.labelling.projects.labels.known_answers import measured, said_answers
from webapp.labelling.projects.labels.preview import project_graph
from webapp.labelling.projects.models import Assignment, Member, Standing, State, Task
from webapp.labelling.projects.schemas import ExpectedOut, QualificationOut, RoundOut
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    import uuid
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Literal

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from webapp.labelling.projects.labels.known_answers import Known
    from webapp.labelling.projects.models import Project

_ANSWERS_LISTED = 20


def round_tasks(project: Project, known: Mapping[int, Known], number: int, after: int) -> list[Task]:
    """The tasks of a round, not saved yet, behind a position."""
    return [
        Task(project=project, position=position, question_id=question, free=0, blind=True, round=number, known=answers)
        for position, (question, answers) in enumerate(known.items(), start=after + 1)
    ]


def is_admitted(project: Project, member: Member) -> bool:
    """Whether an annotator gets ordinary tasks."""
    return project.qualification_size == 0 or member.standing in (Standing.PASSED, Standing.LET_IN)


def round_next(project: Project, member: Member) -> Task | None:
    """The first task of an annotator's round that they have not submitted."""
    done = Assignment.objects.filter(
        project=project, person=member.person_id, round=member.round, state=State.SUBMITTED
    ).values("task")
    return Task.objects.filter(project=project, round=member.round).exclude(pk__in=done).order_by("position").first()


def not_passed(project: Project) -> str:
    """Why an annotator who did not pass gets no task, as a message to them."""
    return (
        f"You have not passed the qualification round of “{project}” this time, so there is no further task for now. "
        "The page of the project shows what was expected. Its manager can let you try again, or let you in."
    )


def round_judge(assignment: Assignment) -> None:
    """Check whether a submitted label completes the round of an annotator, and whether they passed."""
    project = assignment.project
    if assignment.round == 0:
        return
    scores = _scores(project, assignment.person_id, assignment.round)
    if len(scores) < project.qualification_size:
        return
    passed = round(100 * fmean(scores), 6) >= project.qualification_percent
    Member.objects.filter(
        project=project, person=assignment.person_id, round=assignment.round, standing=Standing.OPEN
    ).update(standing=Standing.PASSED if passed else Standing.FAILED)


def round_open_ensure(assignment: Assignment) -> None:
    """Check that a label of a round may still be changed: once it is complete, the answers are shown.

    Raises:
        ProductError: the round is complete.

    """
    if assignment.round == 0:
        return
    open_ = Member.objects.filter(
        project=assignment.project, person=assignment.person_id, round=assignment.round, standing=Standing.OPEN
    )
    if not open_.exists():
        message = "This qualification round has ended, so its labels cannot be changed."
        raise ProductError(409, "round_over", message)


def round_drawn(project: Project, number: int) -> dict[int, Known]:
    """The questions of a further round, which no one has seen; none where the round is there already.

    Raises:
        ProductError: too few further questions have known answers, or the graph cannot be read.

    """
    if project.tasks.filter(round=number).exists():
        return {}
    asked = [row.question for row in project.tasks.filter(round__gt=0).select_related("question")]
    groups = frozenset(each.group or each.id for each in (question.to_benchmark() for question in asked))
    left = project.dataset.questions.filter(split__in={question.split for question in asked}).exclude(
        pk__in=project.tasks.values("question")
    )
    candidates = list(left.values_list("pk", flat=True))
    found = drawn(project, f"round {number}", [candidates], project.qualification_size, groups)
    found.ensure(project.qualification_size, project, "Another round asks")
    return found.known


def round_begin(project: Project, number: int, known: Mapping[int, Known]) -> None:
    """Make the tasks of a further round, unless they are there."""
    if project.tasks.filter(round=number).exists():
        return
    last = project.tasks.aggregate(last=Max("position"))["last"]
    Task.objects.bulk_create(round_tasks(project, known, number, last))


def _scores(project: Project, person: int | None, number: int) -> list[float]:
    done = Assignment.objects.filter(project=project, person=person, round=number, state=State.SUBMITTED)
    return [score or 0.0 for score in done.values_list("score", flat=True)]


def rounds_out(projects: Collection[Project], members: Iterable[Member]) -> dict[tuple[uuid.UUID, int], RoundOut]:
    """Where members stand, by project and person; nothing of projects without a round."""
    with_round = {project.pk: project for project in projects if project.qualification_size > 0}
    scores: dict[tuple[uuid.UUID, int | None, int], list[float]] = {}
    members = [member for member in members if member.project_id in with_round and member.labels]
    people = {member.person_id for member in members}
    done = Assignment.objects.filter(project__in=with_round, person__in=people, round__gt=0, state=State.SUBMITTED)
    for project_id, person, number, score in done.values_list("project", "person", "round", "score"):
        scores.setdefault((project_id, person, number), []).append(score or 0.0)
    return {
        (member.project_id, member.person_id): _round_out(
            with_round[member.project_id],
            member,
            scores.get((member.project_id, member.person_id, member.round), []),
        )
        for member in members
    }


def _round_out(project: Project, member: Member, scores: Sequence[float]) -> RoundOut:
    over = len(scores) >= project.qualification_size
    return RoundOut(
        standing=cast("Literal['open', 'passed', 'failed', 'let_in']", member.standing),
        round=member.round,
        done=len(scores),
        size=project.qualification_size,
        percent=project.qualification_percent,
        measured=measured(scores) if over else None,
    )


def qualification_out(project: Project, member: Member) -> QualificationOut:
    """The state of an annotator's round, and the expected answers once it is complete.

    Raises:
        ProductError: the project has no round for them, or the graph is not what it was.

    """
    own_round = rounds_out([project], [member]).get((project.pk, member.person_id))
    if own_round is None:
        raise ProductError(404, "no_qualification", f"“{project}” has no qualification round for you.")
    if own_round.measured is None:
        return QualificationOut(told=own_round, answers=[])
    rows = (
        Assignment.objects.filter(project=project, person=member.person_id, round=member.round, state=State.SUBMITTED)
        .select_related("task__question")
        .order_by("task__position")
    )
    with project_graph(project) as store:
        return QualificationOut(told=own_round, answers=[_expected(row, store) for row in rows])


def _expected(row: Assignment, store: GraphStore) -> ExpectedOut:
    draft = Draft.model_validate(row.draft)
    known: Known = cast("Known", row.task.known)
    said = said_answers(draft, row.task.question.to_benchmark(), store)
    narrator = Narrator(store)
    given = sorted({term for each in said for term in each}, key=str)
    first = [parse_term(each) for each in known["answers"][0]] if known["answers"] else []

    def listed(terms: Sequence[Term]) -> Sequence[Term]:
        narrator.learn(terms[:_ANSWERS_LISTED])
        return terms[:_ANSWERS_LISTED]

    return ExpectedOut(
        task=row.task_id,
        question=row.task.question.text,
        kind=draft.kind,
        score=row.score or 0.0,
        given=[narrator.term(term) for term in listed(given)],
        given_total=len(given),
        expected=[narrator.term(term) for term in listed(first)],
        expected_total=len(first),
        unanswerable=not known["answers"],
    )
