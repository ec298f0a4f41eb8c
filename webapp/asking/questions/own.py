"""One's own questions: each is a text, however often, and of whichever graph and model, it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Count, F, Max, Q, Window
from django.db.models.functions import RowNumber

from webapp.asking.questions.schemas import ErasedOut
from webapp.asking.runs.models import Question, ReasoningRun, questions_parted
from webapp.asking.runs.selectors import questions_own, questions_typed, run_is_own, runs_own
from webapp.asking.runs.transitions import runs
from webapp.platform.http.errors import ProductError
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webapp.accounts.viewer import Viewer

RUNS_SHOWN = 6
"""Maximum of runs of a question that are shown side by side."""


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question, and the last times it was asked, the newest first."""

    text: str
    starred: bool
    may_be_labelled: bool | None
    """Whether annotators may be given it; None where who asked cannot say so: they had no account, or the words are
    another user's."""
    runs: Sequence[ReasoningRun]
    runs_total: int


@dataclass(frozen=True, slots=True)
class OwnQuestionPage:
    """Some questions of a user; ``total`` meet the filter, ``starred`` of ``all`` are starred."""

    questions: Sequence[OwnQuestion]
    total: int
    all: int
    starred: int


def own_questions_page(*, viewer: Viewer, search: str, starred: bool, offset: int, limit: int) -> OwnQuestionPage:
    """Some of the questions of who is looking, the last asked first: those that hold every word of ``search``."""
    own = runs_own(viewer=viewer)
    stars = Count("pk", filter=Q(question__starred=True))
    asked = own.values("question__text").annotate(last=Max("created_at"), times=Count("pk"), stars=stars)
    found = asked.filter(stars__gt=0) if starred else asked
    for word in search.split():
        found = found.filter(question__text__icontains=word)
    page = list(found.order_by("-last", "question__text")[offset : offset + limit])
    place = Window(RowNumber(), partition_by=F("question__text"), order_by=F("created_at").desc())
    newest = (
        own.filter(question__text__in=[row["question__text"] for row in page])
        .annotate(place=place)
        .filter(place__lte=RUNS_SHOWN)
        .select_related("question")
        .order_by("-created_at")
    )
    runs: dict[str, list[ReasoningRun]] = {}
    for run in newest:
        runs.setdefault(run.question.text, []).append(run)
    labelled = _may_be_labelled(viewer, [row["question__text"] for row in page])
    return OwnQuestionPage(
        [
            OwnQuestion(
                row["question__text"],
                row["stars"] > 0,
                labelled.get(row["question__text"]),
                runs.get(row["question__text"], []),
                row["times"],
            )
            for row in page
        ],
        total=found.count(),
        all=asked.count(),
        starred=asked.filter(stars__gt=0).count(),
    )


def question_star(*, run: ReasoningRun, viewer: Viewer, starred: bool) -> None:
    """Star the question of a run, or star it no more.

    Raises:
        ProductError: another user asked it.

    """
    _own_ensure(run, viewer)
    questions_own(viewer=viewer).filter(text=run.question.text).update(starred=starred)


def question_label(*, run: ReasoningRun, viewer: Viewer, allowed: bool) -> None:
    """Let annotators be given the question of a run, or take that back; projects that have it keep it.

    Raises:
        ProductError: another user or a visitor asked it, or its words are another's.

    """
    _own_ensure(run, viewer)
    text = run.question.text
    if text not in _may_be_labelled(viewer, [text]):
        message = (
            "Only what you asked with your account, and in your own words, can be given to annotators. "
            "Ask it again while you are signed in."
        )
        raise ProductError(409, "not_to_be_labelled", message)
    questions_typed().filter(asker=viewer.user, text=text).update(may_be_labelled=allowed)


def _may_be_labelled(viewer: Viewer, texts: Sequence[str]) -> dict[str, bool]:
    """By text, whether annotators may be given it, of those about which the viewer can say so."""
    if viewer.user is None:
        return {}
    asked = questions_typed().filter(asker=viewer.user, text__in=texts).order_by("may_be_labelled")
    return dict(asked.values_list("text", "may_be_labelled"))


def question_erase(*, run: ReasoningRun, viewer: Viewer) -> ErasedOut:
    """Delete the question of a run: its text, who asked, and all runs in which they asked it, with their logs.

    Variants that others made of them go as well, since they hold the text. A run that is at work is stopped. A run on
    which something rests stays, without a link to the user who asked it.

    Raises:
        ProductError: another user asked it.

    """
    _own_ensure(run, viewer)
    with transaction.atomic():
        questions = questions_own(viewer=viewer).filter(text=run.question.text)
        stay, go = questions_parted(questions)
        gone = ReasoningRun.objects.filter(question__in=go)
        for at_work in gone.exclude(status__in=OVER).values_list("pk", flat=True):
            runs.close(at_work, Status.CANCELLED)
        deleted = gone.filter(question__in=questions).count()
        kept = ReasoningRun.objects.filter(question__in=stay).count()
        questions.filter(pk__in=stay).update(asker=None, visitor=None, starred=False, may_be_labelled=False)
        Question.objects.filter(pk__in=go).delete()
    return ErasedOut(deleted=deleted, kept=kept)


def _own_ensure(run: ReasoningRun, viewer: Viewer) -> None:
    if not run_is_own(run=run, viewer=viewer):
        raise ProductError(403, "not_your_question", "Only who asked this question may do this.")
