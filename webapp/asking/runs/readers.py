"""Who may read a question and its runs, as the site's settings say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from webapp.accounts.permissions import Action, may
from webapp.platform.dependents import Thing, with_dependents
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.asking.runs.models import Question, ReasoningRun
    from webapp.platform.environment import QuestionReaders


def question_readers() -> QuestionReaders:
    """Who may read a question besides its asker and users whose role allows it."""
    readers: QuestionReaders = settings.ENVIRONMENT.question_readers
    return readers


def question_is_own(*, question: Question, viewer: Viewer) -> bool:
    """Whether the viewer asked it."""
    if viewer.user is not None and question.asker_id == viewer.user.pk:
        return True
    return viewer.visitor is not None and question.visitor == viewer.visitor


def run_read_ensure(*, run: ReasoningRun, viewer: Viewer) -> None:
    """Check that a viewer who has the link of a run may read it.

    What an evaluation shows is no person's own question, so everybody may read it who may read the evaluation.

    Raises:
        ProductError: they may not; it says who may.

    """
    readers = question_readers()
    if readers == "link" or (readers == "people" and viewer.user is not None):
        return
    if question_is_own(question=run.question, viewer=viewer) or may(viewer, Action.READ_QUESTIONS):
        return
    if with_dependents(Thing.RUN, [run.pk]):
        return
    if viewer.user is None:
        raise ProductError(401, "sign_in_first", "Sign in to read this question.")
    raise ProductError(403, "not_your_question", "Only who asked this question, and reviewers, may read it.")
