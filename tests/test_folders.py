"""A newcomer finds the way: folders are small."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
MAX_CHILDREN = 20
"""The limit for a folder of code, without its ``__init__.py``."""


def tracked(*under: str) -> list[Path]:
    command = ["git", "ls-files", *under]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return [Path(line) for line in done.stdout.splitlines()]


def test_no_folder_of_code_has_more_children_than_one_can_survey() -> None:
    children: dict[Path, set[str]] = defaultdict(set)
    for file in tracked("kgstore", "reasoning", "webapp", "frontend/src"):
        for child in (file, *file.parents):
            children[child.parent].add(child.name)
    crowded = {
        str(folder): len(names - {"__init__.py"})
        for folder, names in children.items()
        if folder != Path() and len(names - {"__init__.py"}) > MAX_CHILDREN
    }
    assert crowded == {}
