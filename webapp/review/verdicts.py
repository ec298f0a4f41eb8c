"""What a reviewer may say was to blame: what is proposed, and what people alone can tell."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reasoning.agreement.kappa import cohen_kappa
from reasoning.core.blame import Cause
from reasoning.datasets.overlay import CorrectionKind
from webapp.review.models import Says

if TYPE_CHECKING:
    from collections.abc import Iterable

AMBIGUOUS = "ambiguous question"
NOT_AN_ERROR = "not an error"
GOLD_CAUSES = {
    kind: f"gold {kind.value}" for kind in (CorrectionKind.WRONG, CorrectionKind.INCOMPLETE, CorrectionKind.OUTDATED)
}
"""What may be wrong with what the benchmark says, in words."""
_OF_GOLD = frozenset((*GOLD_CAUSES.values(), Cause.GOLD.value))
OTHER_CAUSES = (*(cause.value for cause in Cause), AMBIGUOUS)
"""What may be said instead of what is proposed."""
CAUSES = (*OTHER_CAUSES, *GOLD_CAUSES.values())


def compared(proposed: str, says: str, cause: str) -> tuple[str, str] | None:
    """The proposed cause and the one that a reviewer names, as κ compares them; None where there are not two.

    However the benchmark is wrong, it is the same cause, which proposals call *gold answers differ*.
    """
    said = named(proposed, says, cause)
    return (proposed, said) if proposed and said else None


def named(proposed: str, says: str, cause: str) -> str:
    """What a reviewer says was to blame, as κ compares it; empty where they said nothing, or are unsure."""
    if says in ("", Says.UNSURE):
        return ""
    if says == Says.NO_ERROR:
        return NOT_AN_ERROR
    said = proposed if says == Says.AGREE else cause
    return Cause.GOLD.value if said in _OF_GOLD else said


def agreement(verdicts: Iterable[tuple[str, str, str]]) -> tuple[int, float | None, list[tuple[str, str, int]]]:
    """Of proposed causes, what was said and named causes: how many count, Cohen's κ, and how often each pair stands."""
    pairs = [pair for each in verdicts if (pair := compared(*each)) is not None]
    table = [(proposed, said, count) for (proposed, said), count in Counter(pairs).most_common()]
    return len(pairs), cohen_kappa(pairs), table
