"""Which questions of a new project have known answers: those of its qualification round, and some hidden ones.

Who labels must not be able to tell a task with known answers from others. Nothing is suggested on it, so where a
project suggests anything, others are labelled blind too, in the same share at least.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from webapp.datasets.models import Question
from webapp.labelling.projects.labels.known_answers import known_answers
from webapp.labelling.projects.labels.preview import project_graph
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webapp.labelling.projects.labels.known_answers import Known
    from webapp.labelling.projects.models import Project
    from webapp.labelling.projects.schemas import ProjectIn

MAX_KNOWN = 2_000
"""Maximum of tasks of a project with known answers: more are not needed to measure people."""
_SECONDS = 20
"""Maximum search time for questions with known answers, because a user waits."""
_AT_ONCE = 200


@dataclass(frozen=True)
class Drawn:
    """Questions with known answers that were looked for among others."""

    known: dict[int, Known] = field(default_factory=dict)
    """By question."""
    groups: frozenset[str] = frozenset()
    """Those of the questions: each group is drawn once, as its questions are wordings of one."""
    looked: int = 0
    """The number of tasks that were checked."""
    of: int = 0

    def ensure(self, wanted: int, project: Project, purpose: str) -> None:
        """See that there are as many as are wanted.

        Raises:
            ProductError: there are fewer.

        """
        if len(self.known) >= wanted:
            return
        looked = f"the {self.of:,} questions"
        if self.looked < self.of:
            looked = f"{self.looked:,} of the {self.of:,} questions, all that were looked at in {_SECONDS} seconds,"
        message = (
            f"{purpose} {wanted:,} questions whose answers are known, and of {looked} {len(self.known):,} have answers "
            f"that the dataset says and “{project.graph_title}” gives. Ask for fewer, or choose other questions."
        )
        raise ProductError(
            422, "too_few_known", message, wanted=wanted, known=len(self.known), looked=self.looked, of=self.of
        )


@dataclass(frozen=True)
class Quality:
    """What a new project asks, and of which of its questions the answers are known."""

    round: dict[int, Known]
    """Those of the qualification round."""
    ordinary: list[int]
    """All others, in their order."""
    known: dict[int, Known]
    """Those of them whose answers are known."""


def quality_drawn(project: Project, wanted: ProjectIn, questions: Sequence[int]) -> Quality:
    """Draw the questions of a new project's qualification round and those with known answers.

    The round's are questions of the dataset that the project does not ask otherwise, as far as there are enough.

    Raises:
        ProductError: too few have known answers, the others would stand out, or the graph cannot be read.

    """
    asked, round_ = list(questions), Drawn()
    if wanted.qualification is not None:
        rows = project.dataset.questions.all()
        if wanted.questions.split is not None:
            rows = rows.filter(split=wanted.questions.split)
        others = set(rows.values_list("pk", flat=True)).difference(asked)
        round_ = drawn(project, "round 1", [list(others), asked], wanted.qualification.questions)
        round_.ensure(wanted.qualification.questions, project, "The qualification round asks")
        asked = [question for question in asked if question not in round_.known]
        if not asked:
            message = "The qualification round would take every question. Ask fewer in it, or choose more questions."
            raise ProductError(422, "no_questions", message)
    count, known = _known_wanted(wanted, len(asked)), Drawn()
    if count:
        known = drawn(project, "known", [asked], count, round_.groups)
        known.ensure(count, project, f"{wanted.known_percent} per cent are")
    return Quality(round_.known, asked, known.known)


def _known_wanted(wanted: ProjectIn, questions: int) -> int:
    """How many tasks of a new project have known answers that are hidden from annotators.

    Raises:
        ProductError: they would be more than a project measures, or could be recognised among the others.

    """
    if wanted.known_percent == 0:
        return 0
    if wanted.suggests != "nothing" and wanted.blind_percent < wanted.known_percent:
        message = (
            "Tasks with known answers are labelled blind, so they would stand out where all others have a suggestion. "
            f"Let at least {wanted.known_percent} per cent of the questions be labelled blind."
        )
        raise ProductError(422, "known_stand_out", message)
    count = max(1, round(questions * wanted.known_percent / 100))
    if count > MAX_KNOWN:
        message = (
            f"{wanted.known_percent} per cent of {questions:,} questions are {count:,}; a project measures "
            f"{MAX_KNOWN:,} at most. Choose a smaller share."
        )
        raise ProductError(422, "too_many_known", message)
    return count


def drawn(
    project: Project,
    purpose: str,
    candidates: Iterable[Sequence[int]],
    wanted: int,
    without: frozenset[str] = frozenset(),
) -> Drawn:
    """Draw questions with known answers: from the first candidates, then from the next, each in the order of a hash.

    Raises:
        ProductError: the graph cannot be read.

    """
    ordered = [
        question for some in candidates for question in sorted(some, key=lambda one: _hash(project, purpose, one))
    ]
    known: dict[int, Known] = {}
    groups: set[str] = set()
    looked, until = 0, monotonic() + _SECONDS
    with project_graph(project) as store:
        while looked < len(ordered) and len(known) < wanted and monotonic() < until:
            rows = Question.objects.in_bulk(ordered[looked : looked + _AT_ONCE])
            for row in (rows[question] for question in ordered[looked : looked + _AT_ONCE]):
                if len(known) == wanted:
                    break
                looked += 1
                question = row.to_benchmark()
                group = question.group or question.id
                if group in groups | without:
                    continue
                if found := known_answers(question, project.dataset.format, store):
                    known[row.pk] = found
                    groups.add(group)
    return Drawn(known, frozenset(groups), looked, len(ordered))


def _hash(project: Project, purpose: str, question: int) -> bytes:
    return hashlib.sha256(f"{project.pk} {purpose} {question}".encode()).digest()
