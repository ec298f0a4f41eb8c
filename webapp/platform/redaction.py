"""Removes the server's paths from messages for visitors. The log keeps them."""

from __future__ import annotations

import re

_FOLDERS = re.compile(r"(?<![\w.:/…-])~?/(?:[^\s/:;,“”\"'()]+/)+(?=[^\s/]|$)")
"""The folders before a file's name: ``/srv/discern/datasets/`` of ``/srv/discern/datasets/mine.jsonl``."""


def without_folders(text: str, *known: object) -> str:
    """A text that calls files by their names alone.

    Any folder that begins at the root is left out; ``known`` are folders whose names may hold spaces.
    """
    for folder in sorted(map(str, known), key=len, reverse=True):
        text = text.replace(f"{folder.rstrip('/')}/", "")
    return _FOLDERS.sub("", text)
