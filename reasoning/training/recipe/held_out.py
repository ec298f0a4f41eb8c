"""Relations and domains that a recipe keeps from a training, to see what it does on those that it never met.

A relation, or a domain such as ``film``, is held out by a hash of its name. So what one source keeps another one tests.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.datasets.question import BenchmarkQuestion

PARTS: Mapping[str, tuple[str, bool]] = {
    "relations kept": ("relation", False),
    "relations held out": ("relation", True),
    "domains kept": ("domain", False),
    "domains held out": ("domain", True),
}
"""What identifies questions, and whether those are meant that need something that is held out."""
_ONE_IN = {"relation": 4, "domain": 2}


def belongs_to(question: BenchmarkQuestion, part: str) -> bool:
    """Whether a question is one of a part: by the relations of its gold derivations.

    Of a question without any derivation nothing is known, so it belongs to what is kept.
    """
    by, held_out = PARTS[part]
    derivations = (parse.derivation for parse in question.parses)
    predicates = {step.relation.predicate for found in derivations if found is not None for step in found.steps}
    names = predicates if by == "relation" else {name.partition(".")[0] for name in predicates}
    return held_out == any(_is_held_out(name, _ONE_IN[by]) for name in names)


def _is_held_out(name: str, one_in: int) -> bool:
    return hashlib.sha256(f"held out {name}".encode()).digest()[0] % one_in == 0
