"""MetaQA's questions (Zhang et al., arXiv 1709.04071): ``question about a [topic]⇥answer|answer`` a line.

No gold path passes through its topic entity again: *films that share actors with it* are others.

A file of types (``qa_dev_qtype.txt`` for ``dev.txt`` or ``qa_dev.txt``) holds line by line the gold path, such as
``movie_to_actor_to_movie``. It is in the folder of the questions, or one folder above, as in the official archive
(``2-hop/qa_dev_qtype.txt`` for ``2-hop/vanilla/qa_dev.txt``). Terms are those of the graph that
`kgstore.loading.formats.metaqa` loads from ``kb.txt``.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING

from kgstore.loading.formats.by_name import entity_id
from kgstore.loading.formats.metaqa import RELATIONS
from kgstore.terms import Direction, Entity, Relation, Term, TermError, Text, parse_date
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.datasets.errors import QuestionError
from reasoning.datasets.question import BenchmarkQuestion, GoldParse, Refusal
from reasoning.datasets.source import Format, SecondFile, read_lines, read_questions, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reasoning.datasets.question import RefusedQuestion

_RELATION_OF = {
    "director": "directed_by",
    "writer": "written_by",
    "actor": "starred_actors",
    "year": "release_year",
    "language": "in_language",
    "genre": "has_genre",
    "tag": "has_tags",
    "tags": "has_tags",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
}
"""For each end of a path other than films, the relation of ``kb.txt`` from films to it."""

_FILM = "movie"
_TEXTS = {"imdbrating", "imdbvotes"}
_TOPIC = re.compile(r"\[([^\[\]]+)\]")
_HOPS = re.compile(r"\d-hop")
_YEAR = re.compile(r"\d{4}")
_EXPECTED = "expected a question with its topic in [brackets], a tab, and answers with | between them"


def read_metaqa(path: Path) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a ``train.txt``, ``dev.txt`` or ``test.txt``, with gold paths where there is a file of types.

    Without types an answer of four digits is taken for a year, and anything else for an entity.

    Raises:
        DatasetError: the file, or that of the types, cannot be read.

    """
    types = _types(path)
    folder = next((each.name for each in list(path.parents)[:2] if _HOPS.fullmatch(each.name)), "")
    lines = enumerate(read_lines(path))
    entries = ((f"line {number}", (row, number, line)) for row, (number, line) in lines)
    return read_questions(entries, lambda _, entry: [_question(path.stem, folder, types, *entry)], _EXPECTED)


def _question(
    file: str, folder: str, types: Sequence[bytes] | None, row: int, number: int, line: bytes
) -> BenchmarkQuestion:
    text, tab, listed = text_of(line).partition("\t")
    topics = _TOPIC.findall(text)
    if not tab or len(topics) != 1:
        raise QuestionError(Refusal.NOT_OF_FORMAT, _EXPECTED)
    if types is not None and row >= len(types):
        raise QuestionError(Refusal.NOT_OF_FORMAT, "has no line in the file of types next to it")
    walk = () if types is None else tuple(text_of(types[row]).strip().split("_to_"))
    topic = Entity(entity_id(topics[0]))
    names = [name for name in listed.split("|") if name.strip()]
    labels = {"hops": str(len(walk) - 1), "type": "_to_".join(walk)} if walk else {}
    if not walk and folder:
        labels["hops"] = folder[0]
    return BenchmarkQuestion(
        "/".join(part for part in (folder, file, str(number)) if part),
        _TOPIC.sub(r"\1", text).strip(),
        (_parse(topic, walk, names),),
        group=f"{topic} {'_to_'.join(walk)}" if walk else "",
        labels=labels,
        compared_by="name",
        topic_may_recur=False,
    )


def _types(path: Path) -> list[bytes] | None:
    found = TYPES.of(path)
    return None if found is None else [line for _, line in read_lines(found)]


def _parse(topic: Entity, walk: Sequence[str], names: Sequence[str]) -> GoldParse:
    try:
        answers = frozenset(_answer(name, walk[-1] if walk else "") for name in names)
    except TermError as error:
        raise QuestionError(Refusal.NOT_OF_FORMAT, str(error)) from error
    if not walk:
        return GoldParse(topic, answers, None, "no gold path")
    steps = []
    for position, (near, far) in enumerate(pairwise(walk)):
        other = near if far == _FILM else far
        if (near == _FILM) == (far == _FILM) or other not in _RELATION_OF:
            known = ", ".join(_RELATION_OF)
            problem = f"the type {'_to_'.join(walk)} is no walk between {_FILM} and one of {known}"
            raise QuestionError(Refusal.NOT_OF_FORMAT, problem)
        direction = Direction.REVERSE if far == _FILM else Direction.FORWARD
        steps.append(SearchStep(position, Relation(RELATIONS[_RELATION_OF[other]], direction)))
    return GoldParse(topic, answers, Derivation(topic, tuple(steps), (), len(steps)))


def _answer(name: str, kind: str) -> Term:
    if kind == "year" or (not kind and _YEAR.fullmatch(name)):
        return parse_date(name)
    return Text(name, "en") if kind in _TEXTS else Entity(entity_id(name))


TYPES = SecondFile(
    title="Types of the questions",
    looks="movie_to_actor_to_movie: the gold path of each question, line by line, as in qa_dev_qtype.txt",
    ending="_qtype.txt",
    name_for=lambda questions: f"qa_{PurePath(questions).stem.removeprefix('qa_')}_qtype.txt",
)

FORMAT = Format(
    name="metaqa",
    title="MetaQA",
    looks="what does [Tom Cullen] act in⇥Weekend; qa_dev_qtype.txt may lie next to dev.txt",
    read=read_metaqa,
    second=TYPES,
)
