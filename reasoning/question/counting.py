"""Whether a question asks how many: then the number is its answer, and what was counted stands below it.

READS has no such thing: its operators compare and rank values (section 4.2). Counting is an addition of Discern to
those seven. It changes nothing that READS decides, only how the terms at the answer position are shown. Words decide
it, and no model: none has learned it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.terms import Number, TermKind
from reasoning.question.literals import overlaps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.terms import Term
    from reasoning.question.linking import Linking

_HOW_MANY = re.compile(
    r"\bhow\s+many\b"
    r"|\b(?:what(?:['\u2019]?s|\s+is|\s+was|\s+are)?|give|tell\s+me|find)\s+(?:me\s+)?(?:the\s+)?"
    r"(?:total\s+|whole\s+|overall\s+|exact\s+)?number\s+of\b"
    r"|^\s*count\s+(?:up\s+)?(?:the|all|how|every)\b"
    r"|\bthe\s+total\s+number\s+of\b",
    re.IGNORECASE,
)


def asks_how_many(question: str, linking: Linking) -> bool:
    """Whether the words ask for a number of things; words within a name that linking found do not."""
    return any(not overlaps(match.span(), linking.names) for match in _HOW_MANY.finditer(question))


def may_be_counted(kind: TermKind) -> bool:
    """Whether what stands at an answer position can be counted.

    Where a number stands there (a population), it is the answer itself; a date or a text is shown as it is.
    """
    return kind is TermKind.ENTITY


def terms_shown(answers: Sequence[Term], *, counted: bool) -> Sequence[Term]:
    """What answers are compared as: how many there are, where that is the answer; else themselves."""
    return (Number(float(len(answers))),) if counted and answers else answers
