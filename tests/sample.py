"""The questions of the bundled sample, for tests and benches."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reasoning.datasets.sample_questions import SAMPLE_FOLDER, SampleQuestion, read_question

if TYPE_CHECKING:
    from collections.abc import Iterator


def sample_questions() -> Iterator[SampleQuestion]:
    """All of them, file by file."""
    for path in sorted(SAMPLE_FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield read_question(json.loads(line))
