"""In which direction a yes-no question says a relation: *is Anna Carla's manager* is not *is Carla Anna's manager*.

Discern's own. It matters only between things of one kind: a film directs no person. The words of the relation and the
form of the question tell which of two names has the relation, and which one it leads to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.freebase.labels import reads_as_verb, relation_label
from reasoning.question.words import content_stems, is_said, words_of

if TYPE_CHECKING:
    from kgstore.terms import Relation
    from reasoning.question.literals import Span

_EITHER_WAY = re.compile(
    r"\b(?:spouses?|husband|wife|marriages?|married|siblings?|brothers?|sisters?|twins?|cousins?|relatives?|friends?|"
    r"partners?|neighbou?rs?|neighbou?ring|borders?|adjoins?|adjacent|colleagues?|rivals?|competitors?|opponents?|"
    r"collaborators?|same|similar|equal|related|connected|linked|knows?|met|dates?|dating|interacts?)\b",
    re.IGNORECASE,
)
"""Relations with such a word hold both ways, though a graph often holds one."""
_POSSESSIVE = re.compile(r"['\u2019]s\b|['\u2019](?=\s)")
_OF = re.compile(r"\bof\s+(?:the\s+)?$", re.IGNORECASE)
_BY = re.compile(r"\bby\s+(?:the\s+)?$", re.IGNORECASE)
_DOES = re.compile(r"\s*(?:do|does|did|has|have|had)\b", re.IGNORECASE)
_PLURAL_OF_PERSON = ("ers", "ors", "ists", "ians", "ees", "ents")


def subject_of(question: str, names: tuple[Span, Span], relation: Relation) -> Span | None:
    """The one of two names that has a relation, by what a question says; None where that does not tell.

    Args:
        question: asks for yes or no.
        names: the parts that name the two.
        relation: in either direction: it is read forwards.

    """
    label = relation_label(relation).label.lower()
    first, second = sorted(names)
    outside = f"{question[: first[0]]} {question[first[1] : second[0]]} {question[second[1] :]}"
    if _EITHER_WAY.search(label) or not is_said(label, content_stems(outside)):
        return None
    having = [name for name in (first, second) if has_something(question, name)]
    if len(having) == 1:
        agent = second if having[0] == first else first
    elif _BY.search(question, 0, second[0]):
        agent = second
    elif _DOES.match(question) or not having:
        agent = first
    else:
        return None
    other = second if agent == first else first
    return agent if _begins_at_agent(label) else other


def has_something(question: str, name: Span) -> bool:
    """Whether a name in a question ends with *'s* or is followed by it, or *of* stands before it."""
    within = _POSSESSIVE.search(question, *name)
    return bool(within or _POSSESSIVE.match(question, name[1]) or _OF.search(question, 0, name[0]))


def _begins_at_agent(label: str) -> bool:
    """Whether a relation leads from who does something, or is something of another: *manages*, *works at*, *part of*.

    Others lead to that: *manager*, *capital*, *directed by*.
    """
    words = words_of(label)
    if not words or words[-1] == "by":
        return False
    if reads_as_verb(label) or words[0].endswith("ed"):
        return True
    is_plural = words[0].endswith(_PLURAL_OF_PERSON)
    return words[0].endswith("s") and not words[0].endswith("ss") and not is_plural
