"""Words of questions and relations, compared in a light way: stems, and cues that tell what is asked for."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[a-z0-9]+")
_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "ers", "ors", "ies", "er", "or", "ed", "es", "en", "s", "e")
_SHORTEST_STEM = 3

STOP_WORDS = frozenset(
    """a about all also an and any are as at be been before being by can could did do does ever for from had has have he
    her his how i in into is it its many me much of on one or out people person she so some tell than that the their them
    there these they thing this to too type us was we were what when where which while who whom whose why will with
    would you your s list name show give found""".split()
)

CUES: dict[str, frozenset[str]] = {
    "first": frozenset("first earliest original originally oldest debut initially began start started".split()),
    "last": frozenset("last latest recent recently newest youngest final finally current currently now".split()),
    "most": frozenset("most largest biggest highest longest tallest greatest heaviest widest maximum top".split()),
    "least": frozenset("least smallest lowest shortest fewest lightest minimum".split()),
    "more": frozenset(
        "more over above exceeding exceeds exceed greater taller larger higher longer bigger least minimum heavier".split()
    ),
    "less": frozenset("less under below fewer shorter smaller lower lighter most maximum".split()),
    "before": frozenset("before until till prior earlier preceding by".split()),
    "after": frozenset("after since later following from".split()),
    "in": frozenset("in during of at on for as".split()),
    "between": frozenset("between from".split()),
    "to": frozenset("to and through till until".split()),
    "who": frozenset("who whom whose".split()),
    "where": frozenset(["where"]),
    "when": frozenset("when year date".split()),
    "how many": frozenset("many much tall long high old big large number population".split()),
    "and": frozenset("and both also".split()),
}
"""Words that tell what is asked for, by what they tell."""


def words_of(text: str) -> list[str]:
    """The lower-case words and numbers of a text, in order."""
    return _WORD.findall(text.lower().replace("'s", " ").replace("\N{RIGHT SINGLE QUOTATION MARK}s", " "))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its most common endings: *directed*, *director* and *directs* are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _SHORTEST_STEM and word[-1] in "iye" else word


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(stem(word) for word in words_of(text) if word not in STOP_WORDS)
