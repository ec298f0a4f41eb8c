"""PathQuestion's questions (Zhou et al., COLING 2018).

A line is ``question⇥answer(answer/answer/)⇥topic#relation#entity#…#answer``, in PathQuestion's own files with
``#<end>#answer`` after it, in those of PathQuestion-Large without.
Names stand in it as in its graphs, with underscores; a question is read with spaces instead, as the loaded graph shows
names. A path that leads back to the topic entity has it among its answers, unlike elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.loading.formats.by_name import entity_id
from kgstore.loading.formats.pathquestion import predicate_of
from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.datasets.errors import QuestionError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse, Refusal
from reasoning.datasets.source import Format, read_lines, read_questions, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_FIELDS = 3
_END = "<end>"
_EXPECTED = "expected question⇥answer(answer/answer/)⇥topic#relation#entity#…#answer, then #<end>#answer or nothing"


def read_pathquestion(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``PQ-2H.txt`` or ``PQ-3H.txt``.

    Raises:
        DatasetError: the file cannot be read.

    """
    entries = ((f"line {number}", (number, line)) for number, line in read_lines(path))
    return read_questions(entries, lambda _, entry: [_question(path.stem, *entry)], _EXPECTED)


def _question(file: str, number: int, line: bytes) -> BenchmarkQuestion:
    fields = [field.strip() for field in text_of(line).split("\t")]
    walk = fields[-1].split("#")
    if len(walk) > _FIELDS and walk[-2] == _END:
        walk = walk[:-2]
    if len(fields) != _FIELDS or len(walk) < _FIELDS or len(walk) % 2 == 0 or not all(walk):
        raise QuestionError(Refusal.NOT_OF_FORMAT, _EXPECTED)
    text, listed, _ = fields
    relations = walk[1::2]
    topic = Entity(entity_id(walk[0]))
    steps = tuple(SearchStep(place, Relation(predicate_of(name))) for place, name in enumerate(relations))
    answers = frozenset(Entity(entity_id(name)) for name in _answers(listed, walk[-1]))
    return BenchmarkQuestion(
        f"{file}/{number}",
        text.replace("_", " ").strip(),
        (GoldParse(topic, answers, Derivation(topic, steps, (), len(steps))),),
        group="#".join((walk[0], *relations)),
        labels={"hops": str(len(relations)), "type": "#".join(relations)},
        compared_by="name",
        topic_may_answer=True,
    )


def _answers(listed: str, last: str) -> frozenset[str]:
    """All names of ``last(name/name/)``; ``last``, with which the path ends, is one of them and may hold a slash."""
    names = listed.removeprefix(f"{last}(").removesuffix("/)")
    if len(names) != len(listed) - len(last) - len("(/)"):
        raise QuestionError(Refusal.NOT_OF_FORMAT, _EXPECTED)
    others = f"/{names}/".replace(f"/{last}/", "/").strip("/")
    return frozenset({last, *filter(None, others.split("/"))})


FORMAT = Format(
    name="pathquestion",
    title="PathQuestion",
    looks="who is the joan_crawford 's couple 's child ?⇥a(a/b/)⇥joan_crawford#spouse#c#children#a#<end>#a",
    read=read_pathquestion,
)
