"""A question of a benchmark, in any format. Evaluation and training read it; the engine does not."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from kgstore.terms import Date, Entity, Term, parse_term
from reasoning.core.derivation import Derivation
from reasoning.core.plain import PlainRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

Split: TypeAlias = Literal["train", "validation"]
ComparedBy: TypeAlias = Literal["id", "name"]

ANSWERS = "answers"
"""The label that says in which way answers are not simply those of the benchmark; see the three that follow."""
UNKNOWN = "unknown"
"""The file does not say them."""
ONE_OF_SEVERAL = "one of several"
"""The file says one, and there may be more: SimpleQuestions names one fact a question."""
FROM_GRAPH = "from the graph"
"""The gold query gave them, asked of the graph at hand; see `reasoning.evaluation.judging.gold_from_graph`."""

NO_PARSE = "the benchmark has no parse"
NO_QUERY = "no SPARQL"
NO_GOLD_IN_FILE = frozenset({NO_PARSE, NO_QUERY})
"""Values of `BenchmarkQuestion.gold_problem` that mean that the file holds no gold query for a question."""

_ONE_IN = 4


def is_validation(group: str) -> bool:
    """Whether the questions of a group are kept for validation: one in four, by the first byte of its SHA-256."""
    return hashlib.sha256(group.encode()).digest()[0] % _ONE_IN == 0


@dataclass(frozen=True, slots=True)
class GoldParse:
    """One reading of a question that the benchmark accepts."""

    topic: Entity | None
    """The topic entity; None where the benchmark names none."""
    answers: frozenset[Term]
    """Empty where the benchmark says that there is no answer."""
    derivation: Derivation | None
    """None where the benchmark gives no way to the answer, or one that no derivation expresses."""
    problem: str = ""
    """Why there is no derivation, in a few fixed words that can be counted; empty where there is one."""
    logical_form: str = ""
    """The way to the answer as GrailQA's s-expression; empty if the benchmark has none."""
    answer_names: tuple[str, ...] = ()
    """The names of the answers in the benchmark's file, in its order; the text of an answer that has none there.
    Scripts that compare names read these. Empty if the file holds ids alone."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote.

        Raises:
            KeyError, ValueError: a part is missing, or is none of the field's values.

        """
        topic, derivation = document["topic"], document["derivation"]
        return cls(
            None if topic is None else Entity(topic),
            frozenset(parse_term(answer) for answer in document["answers"]),
            None if derivation is None else Derivation.from_json(derivation),
            document["problem"],
            document.get("logical_form", ""),
            tuple(document.get("answer_names", ())),
        )

    def to_json(self) -> dict[str, Any]:
        """The reading as a document of plain values."""
        document = {
            "topic": None if self.topic is None else str(self.topic),
            "answers": sorted(str(answer) for answer in self.answers),
            "derivation": None if self.derivation is None else self.derivation.to_json(),
            "problem": self.problem,
        }
        known = {"logical_form": self.logical_form, "answer_names": list(self.answer_names)}
        return document | {name: value for name, value in known.items() if value}


class Refusal(StrEnum):
    """Why an entry of a benchmark's file is not asked, in words that can be counted."""

    NOT_UTF8 = "not UTF-8"
    NOT_JSON = "not JSON"
    NOT_OF_FORMAT = "not as the format says"
    UNREADABLE = "a question that is too long or holds no text"
    NOT_TEXT = "NUL or half a character in it"
    KNOWN_ID = "the id of another question"


@dataclass(frozen=True, slots=True)
class RefusedQuestion(PlainRecord):
    """An entry of a benchmark's file that cannot be asked; the rest of the file can."""

    place: str
    """Where it stands: ``line 12``, ``question 3 (WebQTrn-2)``."""
    reason: str
    """A `Refusal`, or that of a `reasoning.core.boundary.UnforeseenError`."""
    detail: str
    """What is wrong, for people."""


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """A question in one wording, and every reading of it that is accepted."""

    id: str
    """Unique within its file."""
    text: str
    parses: tuple[GoldParse, ...]
    """The benchmark's first reading comes first; empty for a question that the benchmark could not parse."""
    group: str = ""
    """What keeps wordings together: questions of one group fall on the same side of a split; the id if empty."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the benchmark says of it, such as ``{"hops": "2", "type": "actor_to_movie_to_year"}``."""
    row: str = ""
    """The row of the file that holds the question's own graph, in formats where each question has one."""
    compared_by: ComparedBy = "id"
    """``name`` where the benchmark knows entities by name alone: things of one name are one."""
    topic_may_answer: bool = False
    """Whether the benchmark counts the topic entity among the answers where the way leads back to it; most never do."""
    topic_may_recur: bool = True
    """Whether the way to an answer may pass through the topic entity again; in MetaQA none does."""
    asked_on: str = ""
    """The day that *now* means in its gold answers, as an ISO date; empty where the benchmark names none."""

    @property
    def today(self) -> Date | None:
        """That day as a term."""
        return Date(self.asked_on) if self.asked_on else None

    @property
    def split(self) -> Split:
        """Which side of the fixed split it is on; see `is_validation`."""
        return "validation" if is_validation(self.group or self.id) else "train"

    @property
    def topic(self) -> Entity | None:
        """The topic entity of the first reading that names one."""
        return next((parse.topic for parse in self.parses if parse.topic is not None), None)

    @property
    def gold_problem(self) -> str:
        """Why no reading has a gold derivation, in words that can be counted; empty where one has."""
        if any(parse.derivation is not None for parse in self.parses):
            return ""
        return self.parses[0].problem if self.parses else NO_PARSE

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote.

        Raises:
            KeyError, TypeError, ValueError: a part is missing, or is none of the field's values.

        """
        parses = tuple(GoldParse.from_json(parse) for parse in document["parses"])
        return cls(**{**document, "parses": parses})

    def to_json(self) -> dict[str, Any]:
        """The question as a document of plain values, to be worked off elsewhere than its file was read."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        if not self.asked_on:
            del plain["asked_on"]
        return plain | {"parses": [parse.to_json() for parse in self.parses], "labels": dict(self.labels)}
