"""Questions that a training is handed with their graph, where a recipe's other sources lie in files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion


@dataclass(frozen=True, slots=True)
class GivenQuestions:
    """The questions of a source and the graph that they are taught over.

    The source's ``dataset`` is the name by which its questions are known again: see `QuestionKey.of`.
    """

    questions: Sequence[BenchmarkQuestion]
    """Of both sides of the split."""
    graph: Callable[[], AbstractContextManager[GraphStore]]
    digests: Mapping[str, str]
    """What the model card says of where they are from: hashes or versions, by name."""
