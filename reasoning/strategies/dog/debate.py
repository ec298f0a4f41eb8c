"""DoG's debate: the roles speak in turn, and the question comes out shorter (arXiv 2409.03155, section 3)."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import Stage
from reasoning.strategies.dog.by_rule import spoken
from reasoning.strategies.dog.by_writer import debated
from reasoning.strategies.dog.options import DEBATE, DEBATERS
from reasoning.strategies.dog.turns import turn_text

if TYPE_CHECKING:
    from collections.abc import Generator

    from reasoning.question.literals import Span
    from reasoning.run.run import Run
    from reasoning.strategies.dog.shrinking import Shrinking
    from reasoning.strategies.dog.turns import Subject

_WORD = re.compile(r"\S+")


def debate(run: Run, subject: Subject) -> Generator[events.StageEvent, None, Shrinking]:
    """Let the roles speak, and tell what the question comes to.

    Raises:
        WriterMissingError, ScorerUnavailableError, UndecidedError, WritingTimeoutError, WritingCancelledError: see
            `Run.write`.

    """
    if run.switches[DEBATE] == "writer":
        after = yield from debated(run, subject)
        removed = _gone(subject.question.text, after.text)
    else:
        with run.timed(Stage.SEARCH) as clock:
            turns, after, removed = spoken(subject, run.switches[DEBATERS])
        for turn, (role, text) in enumerate(turns, 1):
            yield turn_text(run, subject, turn, role, text, seconds=clock() / len(turns))
    yield events.QuestionSimplified(
        round=subject.round,
        by=run.switches[DEBATE],
        before=subject.question.text,
        after=after.text,
        removed=removed,
        topic=after.topic,
        position=subject.position,
        relation=run.narrator.relation(subject.relation),
        seconds=0.0,
    )
    return after


def _gone(before: str, after: str) -> list[Span]:
    """The parts of a text that another has not, whole words each."""
    words = [match.span() for match in _WORD.finditer(before)]
    old = [before[slice(*span)].casefold() for span in words]
    new = [match[0].casefold() for match in _WORD.finditer(after)]
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(words[i][0], words[j - 1][1]) for what, i, j, _, _ in changes if what in ("delete", "replace")]
