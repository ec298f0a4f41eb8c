"""SimpleQuestions (Bordes et al., arXiv 1506.02075): ``subject⇥relation⇥object⇥question`` a line.

Each question comes with one fact that answers it. Other objects of the same subject and relation answer it as well, but
the file does not name them: the label ``answers: one of several``.

Terms are written as in the official files (``www.freebase.com/m/0f3xg_``), with a prefix (``fb:m.0f3xg_``), as
addresses, bare, or by Wikidata's ids, where ``R19`` is the property P19 from object to subject, as in
SimpleQuestionsWikidata.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.terms import Direction, Entity, Relation
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.datasets.errors import QuestionError
from reasoning.datasets.question import ANSWERS, ONE_OF_SEVERAL, BenchmarkQuestion, GoldParse, Refusal
from reasoning.datasets.source import Format, read_lines, read_questions, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_FIELDS = 4
_EXPECTED = "expected subject⇥relation⇥object⇥question"
_BEFORE = re.compile(
    r"(?:https?://)?(?:www\.|rdf\.)?freebase\.com/(?:ns/)?"
    r"|https?://www\.wikidata\.org/\w+/(?:\w+/)?"
    r"|\w+:(?!/)"
)
_WIKIDATA_REVERSE = re.compile(r"R(\d+)")
_TERM = re.compile(r"[^\s\"|^]+")


def read_simplequestions(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of an ``annotated_fb_data_train.txt``, ``_valid.txt`` or ``_test.txt``.

    Raises:
        DatasetError: the file cannot be read.

    """
    entries = ((f"line {number}", (number, line)) for number, line in read_lines(path))
    return read_questions(entries, lambda _, entry: [_question(path.stem, *entry)], _EXPECTED)


def _question(file: str, number: int, line: bytes) -> BenchmarkQuestion:
    fields = [field.strip() for field in text_of(line).split("\t")]
    if len(fields) != _FIELDS:
        raise QuestionError(Refusal.NOT_OF_FORMAT, _EXPECTED)
    subject, predicate, answer = map(_bare, fields[:-1])
    reverse = _WIKIDATA_REVERSE.fullmatch(predicate)
    relation = Relation(predicate) if reverse is None else Relation(f"P{reverse[1]}", Direction.REVERSE)
    derivation = Derivation(Entity(subject), (SearchStep(0, relation),), (), 1)
    return BenchmarkQuestion(
        f"{file}/{number}",
        fields[-1],
        (GoldParse(Entity(subject), frozenset({Entity(answer)}), derivation),),
        group=f"{subject} {predicate}",
        labels={"type": predicate, ANSWERS: ONE_OF_SEVERAL},
        # A fact whose object is its subject is a question as good as any other.
        topic_may_answer=subject == answer,
    )


def _bare(term: str) -> str:
    """A term without whatever stands before its id, dots for slashes: ``m.0f3xg_``, ``people.person.religion``."""
    inner = term.removeprefix("<").removesuffix(">")
    bare = inner[found.end() :] if (found := _BEFORE.match(inner)) else inner
    bare = bare.strip("/").replace("/", ".")
    if not _TERM.fullmatch(bare):
        raise QuestionError(Refusal.NOT_OF_FORMAT, f"{_EXPECTED}; {term[:100]!r} is no id")
    return bare


FORMAT = Format(
    name="simplequestions",
    title="SimpleQuestions",
    looks="www.freebase.com/m/04whkz5⇥www.freebase.com/book/written_work/subjects⇥www.freebase.com/m/01cj3p⇥what is …",
    read=read_simplequestions,
)
