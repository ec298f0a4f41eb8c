"""Corrections of a benchmark's labels, laid over the questions that a training reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.errors import ReasoningError
from reasoning.datasets.overlay import overlay_in
from webapp.evaluations.overlays.models import KeptOverlay

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from reasoning.datasets.question import BenchmarkQuestion


class CorrectionsGoneError(ReasoningError):
    """The corrections that a training was to lay over were removed."""

    code = "corrections_gone"


def laid_over(overlay: UUID, questions: Sequence[BenchmarkQuestion]) -> list[BenchmarkQuestion]:
    """The questions as the corrections say them; those of which only is known that they are wrong are left out.

    Raises:
        CorrectionsGoneError: the corrections are not kept any more.

    """
    kept = KeptOverlay.objects.filter(pk=overlay).first()
    if kept is None:
        message = "The corrections that were to be laid over were removed. Teach a model without them."
        raise CorrectionsGoneError(message)
    corrections = overlay_in(kept.file).overlay.by_question()
    found = []
    for question in questions:
        correction = corrections.get(question.id)
        right = question if correction is None or not correction.is_of(question) else correction.corrected(question)
        found += [] if right is None else [right]
    return found
