"""What a model said, read strictly: the parts of a reply, and what each of them names. Nothing is guessed.

A part is a line, an entry of a list, or what stands between commas where all of that names something. It is compared as
a whole: with the label of an option (*B*, *(2)*), or with names, whose case, accents, punctuation and article do not
count. A part that names nothing is reported as such, and so is what the limit of tokens cut off.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from kgstore.names import fold_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

Found = TypeVar("Found")

_THOUGHT = re.compile(r"^\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
"""What some models write before they answer."""
_FENCE = re.compile(r"^```\w*\s*(.*?)\s*```$", re.DOTALL)
_BULLET = re.compile(r"^[-*\u2022\u2013]\s+")
_NUMBERING = re.compile(r"^\d{1,3}[.)]\s+")
_EMPHASIS = re.compile(r"^(\*\*|__|[*_`\"'\u201c\u2018])(.+?)(\*\*|__|[*_`\"'\u201d\u2019])$")
_LEAD_IN = re.compile(
    r"^(?:(?:so|thus|therefore|hence),?\s+)?(?:(?:the|my)\s+)?(?:(?:final|correct|best|right)\s+)?(?:answer|option|choice)s?"
    r"(?:\s*:|\s+(?:is|are)\b\s*:?)\s*",
    re.IGNORECASE,
)
"""*The answer is*, *Final answer:*."""
_SEPARATORS = re.compile(r"\s*;\s*|\s*,\s+(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+")
_LABEL = re.compile(
    r"^(?:option|choice)?\s*\(?(?P<label>[A-Za-z]|\d{1,3})(?P<mark>[.):]{1,2})?(?:\s+(?P<rest>\S.*))?$", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_OF_NOTHING = frozenset(
    {"none", "nothing", "unknown", "n a", "na", "null", "no answer", "i don t know", "i do not know", "none of these"}
)
"""With these a model says that it names nothing."""
_ARTICLE = re.compile(r"^(?:the|a|an) ")


@dataclass(frozen=True, slots=True)
class Said(Generic[Found]):
    """A part of a reply, and what it names."""

    text: str
    found: tuple[Found, ...] = ()
    """Empty where it names nothing."""
    is_cut: bool = False
    """Whether the token limit cut it, so that its text is not complete. Such a part names nothing."""


def read_reply(
    text: str,
    find: Callable[[Collection[str]], Mapping[str, Sequence[Found]]],
    *,
    ended: bool = True,
    labelled: bool = False,
) -> tuple[Said[Found], ...]:
    """The parts of a reply with what each names; empty where it says that it names nothing, or says nothing.

    ``find`` tells what each of some texts names as a whole, and leaves out those that name nothing. A reply that has
    not ``ended`` was cut in the midst of its last line, which is read as naming nothing. Numbers before lines count
    them, unless options were shown ``labelled``.
    """
    lines = list(reply_lines(text, labelled=labelled))
    cut = lines.pop() if lines and not ended else None
    wanted = {way: None for line in lines for way in (line, *_pieces(line))}
    found = find([*wanted])
    parts: list[Said[Found]] = []
    for line in lines:
        pieces = _pieces(line)
        if line in found:
            parts.append(Said(line, tuple(found[line])))
        elif pieces and all(piece in found for piece in pieces):
            parts.extend(Said(piece, tuple(found[piece])) for piece in pieces)
        elif fold_name(line) not in _OF_NOTHING:
            parts.append(Said(line))
    if cut is not None:
        parts.append(Said(cut, is_cut=True))
    return tuple(parts)


def all_found(parts: Iterable[Said[Found]]) -> tuple[Found, ...]:
    """What all parts name, in their order, each once."""
    return tuple(dict.fromkeys(each for part in parts for each in part.found))


def only_found(parts: Sequence[Said[Found]]) -> Found | None:
    """The one thing that a reply names; None where it names nothing or several."""
    found = all_found(parts)
    return found[0] if len(found) == 1 else None


class NamedOptions:
    """Options that were shown with labels, for `read_reply`: each is meant by its label or by its name.

    A label may be followed by a name, which must be that option's, or by other words where a mark stands between: *B.*,
    *(B)*. Those may hold no other label. Options of one name are all meant by it.
    """

    def __init__(self, names: Sequence[str], labels: Sequence[str]) -> None:
        """Options by their names, and as many labels: letters or numbers."""
        self._shown = frozenset(labels)
        self._labels = {label.casefold(): index for index, label in enumerate(labels)}
        self._names: dict[str, list[int]] = {}
        for index, name in enumerate(names):
            self._names.setdefault(bare(name), []).append(index)

    def __call__(self, texts: Collection[str]) -> dict[str, Sequence[int]]:
        """See ``find`` of `read_reply`."""
        found = {text: self._meant(text) for text in texts}
        return {text: meant for text, meant in found.items() if meant}

    def _meant(self, text: str) -> Sequence[int]:
        named = self._names.get(bare(text), [])
        if named:
            return named
        match = _LABEL.match(text)
        index = None if match is None else self._labels.get(match["label"].casefold())
        if match is None or index is None:
            return []
        rest = match["rest"]
        if rest is None:
            return [index]
        meant = self._names.get(bare(rest))
        if meant is not None:
            return [index] if index in meant else []
        others = self._shown & set(_WORD.findall(rest)) - {match["label"]}
        return [index] if match["mark"] and not others else []


def bare(name: str) -> str:
    """A name as it is compared: folded, and without an article before it."""
    folded = fold_name(name)
    return _ARTICLE.sub("", folded) or folded


def reply_lines(text: str, *, labelled: bool) -> Iterator[str]:
    """The lines of a reply, or the entries of its JSON, without marks of lists and without *the answer is*."""
    text = _THOUGHT.sub("", text).strip()
    fenced = _FENCE.match(text)
    text = fenced[1] if fenced else text
    for line in _of_json(text) or text.splitlines():
        entry = _plain(line)
        plain = entry if labelled else _plain(_NUMBERING.sub("", entry))
        if plain:
            yield plain


def _of_json(text: str) -> list[str]:
    """The values of a JSON array, object or text, without what is nested deeper; empty where it is none."""
    if not text.startswith(("[", "{", '"')):
        return []
    try:
        read = json.loads(text)
    except ValueError:
        return []
    top = [*read.values()] if isinstance(read, dict) else read if isinstance(read, list) else [read]
    values = [value for each in top for value in (each if isinstance(each, list) else [each])]
    return [str(value) for value in values if isinstance(value, str | int | float)]


def _plain(line: str) -> str:
    """A line without a bullet before it, emphasis or quotes around it, *the answer is*, and a last stop."""
    before = None
    line = line.strip()
    while line != before:
        before = line
        line = _LEAD_IN.sub("", _BULLET.sub("", line))
        line = _EMPHASIS.sub(r"\2", line).strip()
        if line.endswith(".") and not re.search(r"\b\w\.$", line):
            line = line[:-1].rstrip()
    return line


def _pieces(line: str) -> tuple[str, ...]:
    """What stands between commas, semicolons, *and* and *or*; empty where nothing parts the line."""
    pieces = tuple(plain for piece in _SEPARATORS.split(line) if (plain := _plain(piece)))
    return pieces if len(pieces) > 1 else ()
