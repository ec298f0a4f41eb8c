"""Other names for parts of a question, and words that are probably no names."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kgstore.names import fold_name
from reasoning.question.word_lists import word_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ENDINGS = ("s", "n", "ans", "ns", "ian", "ians", "ese", "ish")
"""Of plurals, and of what people and things of a place are called."""
_SHORTEST_STEM = 4
_INFLECTIONS = ("s", "es", "d", "ed", "r", "er", "ing", "ly")
_SHORTEST_ORDINARY = 3


def _read_pairs(name: str) -> Mapping[str, Sequence[str]]:
    pairs: defaultdict[str, list[str]] = defaultdict(list)
    for line in word_list(name):
        written, meant = line.split("\t")
        pairs[written].extend(meant.split("|"))
    return dict(pairs)


_FUNCTION_WORDS = frozenset(word_list("function_words.txt"))
_ORDINARY_WORDS = frozenset(word_list("ordinary_words.txt"))
_OTHER_NAMES = _read_pairs("other_names.tsv")
_OTHER_WORDS = _read_pairs("other_words.tsv")


def is_function_word(word: str) -> bool:
    """Whether a folded word only holds sentences together, or is made of digits."""
    return word in _FUNCTION_WORDS or word.isdigit()


def is_ordinary(word: str) -> bool:
    """Whether a folded word, or what it is inflected from, is one that questions use for other things than names."""
    if is_function_word(word) or word in _ORDINARY_WORDS or len(word) < _SHORTEST_ORDINARY:
        return True
    stems = [word.removesuffix(ending) for ending in _INFLECTIONS if word.endswith(ending)]
    if word.endswith("ies"):
        stems.append(word.removesuffix("ies") + "y")
    return any(stem in _ORDINARY_WORDS or f"{stem}e" in _ORDINARY_WORDS for stem in stems)


def is_listed(word: str) -> bool:
    """Whether a folded word itself is a function word or an ordinary one; *ridr* is not, though it may be of *ride*."""
    return is_function_word(word) or word in _ORDINARY_WORDS


def other_names(text: str) -> Sequence[str]:
    """What bears this name by custom: *the US* is the United States of America, the *Danish* are of Denmark."""
    folded = fold_name(text).removeprefix("the ")
    stems = [folded, *(folded.removesuffix(ending) for ending in ("s", "es", "ns") if folded.endswith(ending))]
    return [name for stem in stems for name in _OTHER_NAMES.get(stem, ())]


def rewritten(text: str) -> Sequence[str]:
    """Ways to write the same name: words in full, initials apart or together, no plural and no forgotten apostrophe."""
    words = fold_name(text).split()
    ways = [
        " ".join((*words[:place], full, *words[place + 1 :]))
        for place, word in enumerate(words)
        if len(words) > 1
        for full in (*_OTHER_WORDS.get(word, ()), *_initials(word))
    ]
    ways.extend(
        " ".join((*words[:-1], words[-1].removesuffix(ending)))
        for ending in (_ENDINGS if len(words) == 1 else ("s", "ns"))
        if words[-1].endswith(ending) and len(words[-1]) - len(ending) >= _SHORTEST_STEM
    )
    return ways


def _initials(word: str) -> Sequence[str]:
    """*jrr* as *j r r*; a word with a vowel is hardly that."""
    return (" ".join(word),) if 1 < len(word) <= _SHORTEST_STEM - 1 and not set(word) & set("aeiouy") else ()
