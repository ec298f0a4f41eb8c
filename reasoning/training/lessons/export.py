"""Training samples as JSON lines, to train another model on the same decisions."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from reasoning.datasets.question import is_validation
from reasoning.scorers.causal.transcript import option_text, prompt_parts
from reasoning.training.lessons.prompts import option_line, prompt_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reasoning.training.lessons.samples import TrainingSample


class Lines(Protocol):
    """What lines are written to: a file, or a command's output."""

    def write(self, text: str, /) -> object:
        """Take a line, its end included."""


def document_of(sample: TrainingSample, number: int) -> dict[str, Any]:
    """A sample as one JSON document. ``right`` are the indices of what is right, the gold derivation's own first.

    ``prompt``, ``options`` and ``completion`` are for models that are shown the pool; ``transcript``, in parts, and
    ``continuations`` are what our own language-model scorers read.
    """
    options = [option_line(option, sample.state) for option in sample.pool.options]
    return {
        "id": f"{sample.source}/{sample.question_id}/{number}" if sample.source else f"{sample.question_id}/{number}",
        "source": sample.source,
        "question_id": sample.question_id,
        "group": sample.group or sample.question_id,
        "split": "validation" if is_validation(sample.group or sample.question_id) else "train",
        "stage": sample.state.stage.value,
        "step": max(sample.state.structure.step, 0),
        "pool": sample.pools,
        "prompt": prompt_of(sample.state, options),
        "options": options,
        "right": list(sample.right),
        "completion": options[sample.right[0]],
        "transcript": prompt_parts(sample.state),
        "continuations": [option_text(option, sample.state) for option in sample.pool.options],
    }


def write_samples(samples: Iterable[TrainingSample], file: Lines) -> Counter[str]:
    """Write a line a sample, in their order; returns counts by ``source``, ``stage``, ``split`` and ``pool``.

    Samples are numbered within their question, so that a line has the same id whatever else is exported.
    """
    counts: Counter[str] = Counter()
    numbers: Counter[tuple[str, str]] = Counter()
    for sample in samples:
        key = sample.source, sample.question_id
        numbers[key] += 1
        document = document_of(sample, numbers[key])
        file.write(json.dumps(document, ensure_ascii=False) + "\n")
        counts["samples"] += 1
        for part in ("source", "stage", "split", "pool"):
            counts[f"{part}: {document[part]}"] += 1
    return counts
