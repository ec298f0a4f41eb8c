"""What DoG's debate is about, and the texts of a turn of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoning import events
from reasoning.strategies.dog.options import DEBATE

if TYPE_CHECKING:
    from kgstore.terms import Relation
    from reasoning.events import DebateRole
    from reasoning.run.run import Run
    from reasoning.strategies.dog.options import Debaters
    from reasoning.strategies.dog.shrinking import Shrinking

ROLES: dict[Debaters, tuple[DebateRole, ...]] = {
    "1": ("simplifier",),
    "2": ("simplifier", "critic"),
    "3": ("simplifier", "critic", "linguist"),
    "one-for-all": ("all",),
}
"""Who speaks, in this order."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a debate is about."""

    round: int
    position: int
    """The node of S_k that the relation led to, whose facts are new."""
    relation: Relation
    question: Shrinking
    name: str
    """What the question shall be about."""


def turn_text(
    run: Run, subject: Subject, turn: int, role: DebateRole, text: str, *, seconds: float
) -> events.DebateTurn:
    """The event of a turn; ``turn`` counts from 1."""
    return events.DebateTurn(
        round=subject.round,
        turn=turn,
        role=role,
        by=run.switches[DEBATE],
        text=text[: run.limits.characters_shown],
        length=len(text),
        seconds=seconds,
    )
