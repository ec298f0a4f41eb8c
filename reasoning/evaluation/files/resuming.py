"""What every folder of long work needs to resume: whether it holds the same work, and its complete lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the settings that differ from those that a folder was begun with, empty if none does."""
    names = sorted(name for name in {*now, *before} if now.get(name) != before.get(name))
    return "; ".join(f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in names)


def complete_lines(path: Path) -> list[bytes]:
    """Return the lines of a file, if it exists, and cut off a last one that was being written when the work stopped."""
    if not path.exists():
        return []
    content = path.read_bytes()
    complete = content[: content.rfind(b"\n") + 1]
    if complete != content:
        path.write_bytes(complete)
    return complete.splitlines()
