"""What is read of the log of a project: a page of it, and all that is wanted as a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from reasoning.evaluation.reporting.cells import cell
from webapp.accounts.models import User
from webapp.labelling.adjudication.models import ACCEPTING, AcceptedLabel, How
from webapp.labelling.exports.people import by_name, by_pseudonym
from webapp.labelling.log.entries import MAX_COUNTED, NO_FILTER, entries_all, entries_count, entries_found, entry_keys
from webapp.labelling.log.schemas import LogEntryOut, LogPageOut, LogPersonOut
from webapp.labelling.log.words import called_on, move_words, quoted
from webapp.labelling.projects.labels.preview import project_graph
from webapp.labelling.projects.models import Assignment, Move, SentBack, State
from webapp.labelling.projects.roles import Right, project_may_ensure
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from webapp.accounts.viewer import Viewer
    from webapp.labelling.exports.people import Named
    from webapp.labelling.log.entries import Key, LogFilter
    from webapp.labelling.log.schemas import LogKind
    from webapp.labelling.log.words import Called
    from webapp.labelling.projects.models import Project, Task

    Which: TypeAlias = tuple[LogKind, int]

_AT_ONCE = 200
_COLUMNS = ("at", "who", "task", "question_id", "question", "round", "kind", "said", "label_of")
_HOW = {
    How.EQUAL: "accepted: all labels say the same",
    How.TAKEN: "accepted a label as it is",
    How.MERGED: "accepted a label that was put together",
    How.WITHDRAWN: "withdrew the accepted label",
    How.LAPSED: "the accepted label holds no more on a newer version of the graph",
}


def log_page(project: Project, *, viewer: Viewer, wanted: LogFilter, offset: int, limit: int) -> LogPageOut:
    """Some entries of a log, the newest first.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    everything = entries_all(project)
    found = entries_found(project, wanted)
    total = everything if wanted == NO_FILTER else entries_count(found)
    keys = list(entry_keys(found)[offset : offset + limit])
    entries, fault = _entries(project, keys, _by_display_name)
    return LogPageOut(
        project=project.pk,
        title=project.title,
        entries=entries,
        total=min(total, MAX_COUNTED),
        has_more=total > MAX_COUNTED,
        all=everything,
        people=_people(project),
        graph_fault=fault,
    )


def log_table(project: Project, *, viewer: Viewer, wanted: LogFilter, pseudonyms: bool) -> Iterator[str]:
    """All entries that are wanted as the lines of a table, the first of which is its head; made while they are taken.

    Raises:
        ProductError: the viewer may not; before the first line.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    return _table(project, wanted, by_pseudonym(project) if pseudonyms else by_name)


def _table(project: Project, wanted: LogFilter, named: Named) -> Iterator[str]:
    yield _line(_COLUMNS)
    keys = entry_keys(entries_found(project, wanted)).iterator(chunk_size=_AT_ONCE)
    while some := list(islice(keys, _AT_ONCE)):
        for each in _entries(project, some, named)[0]:
            yield _line(
                (
                    each.at.isoformat(),
                    each.who,
                    each.position,
                    each.question_id,
                    each.question,
                    each.round,
                    each.kind,
                    each.said,
                    each.label_of,
                )
            )


def _line(cells: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([cell(each) for each in cells])
    return line.getvalue()


def _by_display_name(person: User | None) -> str:
    return "" if person is None else person.display_name


def _people(project: Project) -> list[LogPersonOut]:
    """Everybody of whom there may be entries, by name."""
    ids = {
        *Assignment.objects.filter(project=project).order_by().values_list("person", flat=True).distinct(),
        *SentBack.objects.filter(assignment__project=project).order_by().values_list("sender", flat=True).distinct(),
        *AcceptedLabel.objects.filter(project=project).order_by().values_list("reviewer", flat=True).distinct(),
    }
    people = User.objects.filter(pk__in=[each for each in ids if each is not None])
    listed = [LogPersonOut(id=person.pk, display_name=person.display_name) for person in people]
    return sorted(listed, key=lambda person: (person.display_name.casefold(), person.id))


@dataclass(frozen=True, slots=True)
class _Words:
    """What an entry says, besides its time."""

    task: Task
    said: str
    who: str | None
    label_of: str | None = None


def _entries(project: Project, keys: Sequence[Key], named: Named) -> tuple[list[LogEntryOut], str]:
    """The entries of some keys, in their order; and why things are called by their ids, if they are."""
    ids: dict[LogKind, list[int]] = {}
    for _, kind, number in keys:
        ids.setdefault(kind, []).append(number)
    moves, fault = _moves(project, ids.get("move", ()), named)
    words_by_kind: dict[Which, _Words] = {
        **moves,
        **_handed_in(ids.get("handed_in", ()), named),
        **_sent_back(ids.get("sent_back", ()), named),
        **_decided([*ids.get("accepted", ()), *ids.get("withdrawn", ())], named),
    }
    entries = [
        LogEntryOut(
            kind=kind,
            id=number,
            at=at,
            who=each.who,
            label_of=each.label_of,
            position=each.task.position,
            round=each.task.round,
            question=each.task.question.text,
            question_id=each.task.question.question_id,
            said=each.said,
        )
        for at, kind, number in keys
        # What was taken up again meanwhile is no entry any more.
        if (each := words_by_kind.get((kind, number))) is not None
    ]
    return entries, fault


def _moves(project: Project, ids: Collection[int], named: Named) -> tuple[Mapping[Which, _Words], str]:
    rows = list(Move.objects.filter(pk__in=ids).select_related("assignment__task__question", "who"))
    depth = _undone({row.assignment_id for row in rows if row.undoes is not None})
    called, fault = _called(project, rows)
    return {
        ("move", row.pk): _Words(
            row.assignment.task, _move_words(row, depth.get((row.assignment_id, row.number), 0), called), named(row.who)
        )
        for row in rows
    }, fault


def _called(project: Project, rows: Sequence[Move]) -> tuple[Called, str]:
    parts = [part for row in rows for part in (row.was, row.now)]
    try:
        with project_graph(project) as store:
            return called_on(store, parts), ""
    except ProductError as error:
        return called_on(None, ()), error.message


def _undone(assignments: Collection[int]) -> Mapping[tuple[int, int], int]:
    """Of each move of some drafts that takes one back, through how many it does: 1, or 2 where it brings one back."""
    rows = Move.objects.filter(assignment__in=assignments, undoes__isnull=False).order_by("number")
    depth: dict[tuple[int, int], int] = {}
    for assignment, number, undoes in rows.values_list("assignment", "number", "undoes"):
        depth[assignment, number] = 1 + depth.get((assignment, undoes or 0), 0)
    return depth


def _move_words(move: Move, depth: int, called: Called) -> str:
    drafting = "in the draft of what is accepted: " if move.assignment.state == State.ADJUDICATING else ""
    if depth % 2:
        return f"{drafting}took back: {move_words(move.now, move.was, called)}"
    return f"{drafting}{'brought back: ' if depth else ''}{move_words(move.was, move.now, called)}"


def _handed_in(ids: Collection[int], named: Named) -> Mapping[Which, _Words]:
    rows = Assignment.objects.filter(pk__in=ids, state=State.SUBMITTED).select_related("task__question", "person")
    return {("handed_in", row.pk): _Words(row.task, "handed in", named(row.person)) for row in rows}


def _sent_back(ids: Collection[int], named: Named) -> Mapping[Which, _Words]:
    rows = SentBack.objects.filter(pk__in=ids).select_related(
        "sender", "assignment__task__question", "assignment__person"
    )
    return {
        ("sent_back", row.pk): _Words(
            row.assignment.task,
            f"sent the label back: {quoted(row.comment)}",
            named(row.sender),
            named(row.assignment.person),
        )
        for row in rows
    }


def _decided(ids: Collection[int], named: Named) -> Mapping[Which, _Words]:
    rows = list(AcceptedLabel.objects.filter(pk__in=ids).select_related("task__question", "reviewer"))
    taken = Assignment.objects.select_related("person").in_bulk(
        [row.taken_from for row in rows if row.how == How.TAKEN and row.taken_from is not None]
    )

    def words_of(row: AcceptedLabel) -> _Words:
        said = f"{_HOW[How(row.how)]}{f': {quoted(row.comment)}' if row.comment else ''}"
        label = None if row.taken_from is None else taken.get(row.taken_from)
        return _Words(
            row.task,
            said,
            None if row.how in (How.EQUAL, How.LAPSED) else named(row.reviewer),
            None if label is None else named(label.person),
        )

    return {("accepted" if row.how in ACCEPTING else "withdrawn", row.pk): words_of(row) for row in rows}
