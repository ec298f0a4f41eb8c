"""Training samples in the words that a language model reads: the transcript, and how options go on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from reasoning.datasets.question import is_validation
from reasoning.scorers.causal.transcript import NONE, option_text, prompt_parts, question_in
from reasoning.training.causal.errors import FineTuningError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from reasoning.training.lessons.samples import TrainingSample

_EXPORT = "write them with “manage.py export_samples”"


@dataclass(frozen=True, slots=True)
class TextSample:
    """A decision in words, and what is right."""

    stage: str
    """Of a decision its stage, of any other lesson what `LESSONS` calls it."""
    question: str
    """The question's text."""
    transcript: tuple[str, ...]
    """The prompt in parts, each to be tokenised by itself."""
    continuations: tuple[str, ...]
    """How each option goes on from the prompt."""
    right: tuple[int, ...]
    """The indices of the right options; the one that the derivation takes first comes first, and is what is learned."""
    group: str
    """What keeps wordings of one question together."""
    is_validation: bool
    source: str = ""

    @property
    def none(self) -> int | None:
        """The index of None, if the pool holds it."""
        return self.continuations.index(NONE) if NONE in self.continuations else None

    @property
    def right_texts(self) -> frozenset[str]:
        """What is right, in words: options of one text are equals."""
        return frozenset(self.continuations[index] for index in self.right)

    @classmethod
    def of(cls, sample: TrainingSample) -> Self:
        """A training sample as the scorer would ask it."""
        group = sample.group or sample.question_id
        return cls(
            sample.state.stage.value,
            sample.state.question,
            tuple(prompt_parts(sample.state)),
            tuple(option_text(option, sample.state) for option in sample.pool.options),
            sample.right,
            group,
            is_validation(group),
            sample.source,
        )

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """Read a line of an export.

        Raises:
            ValueError: something is missing or not what it should be.

        """
        try:
            transcript = tuple(map(str, document["transcript"]))
            read = cls(
                str(document["stage"]),
                question_in(transcript),
                transcript,
                tuple(map(str, document["continuations"])),
                tuple(map(int, document["right"])),
                str(document["group"]),
                document["split"] == "validation",
                str(document["source"]),
            )
        except (IndexError, KeyError, TypeError) as error:
            raise ValueError(f"it lacks {error}") from error
        if not read.right or not all(0 <= index < len(read.continuations) for index in read.right):
            raise ValueError("“right” does not name one of its options")
        return read


def read_samples(path: Path) -> Iterator[TextSample]:
    """The samples of an export, a JSON object a line.

    Raises:
        FineTuningError: the file cannot be read, or a line is no sample.

    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield TextSample.from_document(json.loads(line))
                except ValueError as error:
                    raise FineTuningError(f"{path}, line {number} is no sample ({error}); {_EXPORT}.") from error
    except OSError as error:
        raise FineTuningError(f"The samples {path} cannot be read ({error.strerror}); {_EXPORT}.") from error
    except UnicodeDecodeError as error:
        raise FineTuningError(f"The samples {path} are not text ({error}); {_EXPORT}.") from error


def evenly(samples: Iterable[TextSample], most: int) -> list[TextSample]:
    """Up to ``most`` samples that offer a choice: the same ones in any order; samples of a question stay together."""

    def place(sample: TextSample) -> str:
        return hashlib.sha256("".join(sample.transcript).encode()).hexdigest()

    chosen = sorted((sample for sample in samples if len(sample.continuations) > 1), key=place)[:most]
    return sorted(chosen, key=lambda sample: (sample.group, sample.transcript))
