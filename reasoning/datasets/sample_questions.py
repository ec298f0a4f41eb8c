"""The sample's questions with their gold derivations. Training and evaluation read them; the engine does not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgstore.terms import Entity, Term, parse_term, read_entity
from reasoning.core.derivation import Derivation
from reasoning.datasets.question import is_validation

SAMPLE_FOLDER = Path(__file__).parent / "sample"
"""One JSON Lines file per domain, for the triples of ``kgstore/sample``."""


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question in two to four phrasings, and how it is answered."""

    id: str
    phrasings: tuple[str, ...]
    topic: Entity | None
    derivation: Derivation | None
    """None where the graph cannot answer it, or it is not said how."""
    answers: frozenset[Term]
    unanswerable: str | None
    """Why the graph cannot answer it."""
    group: str = ""
    """The key that keeps related questions on one side of a split; its id if empty."""

    @property
    def is_validation(self) -> bool:
        """Whether it is kept for validation, in all its phrasings."""
        return is_validation(self.group or self.id)


def read_question(document: dict[str, Any]) -> SampleQuestion:
    """Read one line of a question file; where it has no ``search``, it does not say how the question is answered.

    Raises:
        KeyError, TypeError, ValueError: a part is missing, or is none of the field's values.

    """
    topic, unanswerable = document.get("topic"), document.get("unanswerable")
    has_way = "search" in document
    answers = document.get("answers", []) if has_way or unanswerable is not None else document["answers"]
    if not isinstance(answers, list):
        raise TypeError('"answers" is a list of texts')
    phrasings = document["phrasings"] if "phrasings" in document else [document["question"]]
    if not isinstance(phrasings, list) or not all(isinstance(each, str) for each in (document["id"], *phrasings)):
        raise TypeError('"id" is a text, "phrasings" a list of texts')
    if not all(each is None or isinstance(each, str) for each in (topic, unanswerable)):
        raise TypeError('"topic" and "unanswerable" are texts')
    group = document.get("group", "")
    if not isinstance(group, str):
        raise TypeError('"group" is a text')
    return SampleQuestion(
        document["id"],
        tuple(phrasings),
        None if topic is None else read_entity(topic),
        Derivation.from_json(document) if unanswerable is None and has_way else None,
        frozenset(parse_term(answer) for answer in answers),
        unanswerable,
        group,
    )
