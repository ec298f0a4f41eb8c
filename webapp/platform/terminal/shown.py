"""Names as a terminal may show them: the rules of ``frontend/src/core/words/shown.ts``, which says why.

``tests/shown.json`` holds both to one behaviour.
"""

from __future__ import annotations

import json
import logging
import re

_FIRST_STRONG_ISOLATE = "\u2068"
_POP_ISOLATE = "\u2069"
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u05ff\u0608\u060b\u060d\u061b-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINING = re.compile(
    "[\u0600-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u180a\u1820-\u18af\ua840-\ua8ff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_MONGOLIAN = re.compile("[\u1820-\u18af]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_EMOJI = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d"
    "\u3297\u3299\U0001f000-\U0001faff]"
)
_TAG = re.compile("[\U000e0020-\U000e007f]")
_BLACK_FLAG = "\U0001f3f4"
_SELECTORS = re.compile("[\ufe00-\ufe0d\U000e0100-\U000e01ef]")


def shown(text: str) -> str:
    """A text for a terminal: nothing is hidden, no escape sequence is left, and no neighbour changes its order."""
    isolated = len(text) > 1 and text.startswith(_FIRST_STRONG_ISOLATE) and text.endswith(_POP_ISOLATE)
    inner = text[1:-1] if isolated else text
    seen = _marked(inner) if _UNSEEN.search(inner) else inner
    return f"{_FIRST_STRONG_ISOLATE}{seen}{_POP_ISOLATE}" if _RIGHT_TO_LEFT.search(seen) else seen


_ISOLATED = re.compile(
    f"({_FIRST_STRONG_ISOLATE}[^\u2066-\u2069]*{_RIGHT_TO_LEFT.pattern}[^\u2066-\u2069]*{_POP_ISOLATE})"
)
"""A name that `shown` has isolated."""


def lines_shown(text: str) -> str:
    """Some lines for a terminal, each `shown`. Names in them may be shown already."""
    return "\n".join("".join(map(shown, _ISOLATED.split(line))) for line in text.split("\n"))


def json_shown(text: str) -> str:
    """JSON that says the same, in which what a terminal hides is escaped as ``u202e`` is, behind a backslash."""
    return _UNSEEN.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)


class LogFormatter(logging.Formatter):
    """Lines of a log, which people read on a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        return lines_shown(super().format(record))


def _marked(text: str) -> str:
    right_to_left = _RIGHT_TO_LEFT.search(text.replace("\u061c", "")) is not None
    written: list[str] = []
    in_flag = False
    for before, character, after in zip(("", *text), text, (*text[1:], ""), strict=False):
        in_flag = _TAG.match(character) is not None and (in_flag or before == _BLACK_FLAG)
        keep = not _UNSEEN.match(character) or in_flag or _is_needed(character, before, after, right_to_left)
        written.append(character if keep else _mark(character))
    return "".join(written)


def _is_needed(character: str, before: str, after: str, right_to_left: bool) -> bool:  # noqa: FBT001 - of one call
    before_is_seen = not _UNSEEN.match(before)
    if character == "\u200d" and (_EMOJI.match(before) or before == "\ufe0f"):
        return _EMOJI.match(after) is not None
    if character in "\u200c\u200d":
        return _JOINING.match(before) is not None and before_is_seen
    if character in "\u200e\u200f\u061c":
        return right_to_left and before_is_seen
    if character in "\ufe0e\ufe0f":
        return _EMOJI.match(before) is not None or (before != "" and before in "0123456789#*")
    if _SELECTORS.match(character):
        return _HAN.match(before) is not None
    return character in "\u180b\u180c\u180d\u180f" and _MONGOLIAN.match(before) is not None


def _mark(character: str) -> str:
    return " " if character in "\t\n\r\u2028\u2029" else f"⟨U+{ord(character):04X}⟩"
