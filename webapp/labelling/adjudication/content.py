"""What a label says, so that two that say the same are equal, whatever the order of what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.agreement.compared import canonical
from webapp.labelling.projects.draft import decided_of
from webapp.labelling.projects.labels.checks import reading_as_draft

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping

    from webapp.labelling.projects.draft import Draft, LabelKind


def said(draft: Draft, answers: Collection[str]) -> Hashable:
    """What a label says: its kind, the answers that it gives, and what its kind is about. Notes and flags are aside."""
    return (draft.kind, frozenset(answers), _ABOUT[draft.kind](draft))


def _derivation(draft: Draft) -> Hashable:
    derivation = decided_of(draft).derivation
    return None if derivation is None else canonical(derivation)


_ABOUT: Mapping[LabelKind, Callable[[Draft], Hashable]] = {
    "derivation": _derivation,
    "facts": lambda draft: frozenset((fact.subject, fact.relation, fact.object) for fact in draft.facts),
    "answers": lambda _draft: None,
    "unanswerable": lambda draft: None if draft.missing is None else draft.missing.what,
    "ambiguous": lambda draft: frozenset(_derivation(reading_as_draft(reading)) for reading in draft.readings),
    "reword": lambda draft: " ".join(draft.rewording.split()),
    "benchmark": lambda draft: (draft.benchmark, frozenset(draft.marked)),
}
