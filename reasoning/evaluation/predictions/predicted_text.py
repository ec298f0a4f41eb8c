"""The answers in a text that a system wrote, in the shapes that published systems use.

| shape | system |
|---|---|
| ``ans: Jamaican English``, one a line, *none* and *not available* for no answer | SubgraphRAG |
| ``# Reasoning Path:`` … ``# Answer:`` and the answers, one a line | graph-constrained reasoning |
| a sentence with its answers in braces, after ``{Yes}`` if it says that it knows enough | Think-on-Graph |
| an answer a line | RoG, and everybody else |
"""

from __future__ import annotations

import re

_ANS = re.compile(r"^\W*ans\s*:\s*(.*?)\W*$", re.IGNORECASE | re.MULTILINE)
_NO_ANSWER = frozenset({"", "none", "not available", "n/a"})
_ANSWER_PART = re.compile(r"^#+\s*answers?\s*:?\s*$(.*?)(?=^#|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_BRACED = re.compile(r"\{(.*?)\}", re.DOTALL)
_BETWEEN_NAMES = re.compile(r"\s*[;,]\s+(?:and\s+)?|\s+and\s+")
_KNOWS_ENOUGH = frozenset({"yes", "no"})


def answers_in_text(text: str) -> list[str]:
    """The answers of a text, in its order; see the module's table."""
    if said := _ANS.findall(text):
        return [answer for answer in map(str.strip, said) if answer.casefold() not in _NO_ANSWER]
    if parts := _ANSWER_PART.findall(text):
        text = "\n".join(parts)
    return [line for line in map(str.strip, text.splitlines()) if line]


def answers_in_braces(text: str) -> list[str]:
    """The answers of a sentence in its first braces; several names in one pair of braces are several answers.

    A sentence without braces is one answer: what it says is compared as a whole.
    """
    braced = [each.strip() for each in _BRACED.findall(text)]
    answer = next((each for each in braced if each.casefold() not in _KNOWS_ENOUGH), None)
    if answer is None:
        return [text.strip()]
    return [name for name in map(str.strip, _BETWEEN_NAMES.split(answer)) if name]
