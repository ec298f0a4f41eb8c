"""Lessons that were read are kept in a file, one line a question, so that a stopped reading can resume."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

from kgstore.terms import Relation, TermKind
from reasoning.facts.relation_paths import PathEnd
from reasoning.training.path_reader.lessons import PathLesson

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class LessonFile:
    """The lessons of one source, by the id of their question; None for a question that gives no lesson."""

    def __init__(self, path: Path, known: dict[str, PathLesson | None]) -> None:
        self._path = path
        self._known = known

    @classmethod
    def open(cls, path: Path, made_of: str) -> Self:
        """Read what is there. Lessons that were made of something else, another graph say, are deleted."""
        known: dict[str, PathLesson | None] = {}
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        # A line without an end was being written when the process was killed.
        whole = [line for line in lines if line.endswith("\n")]
        if whole[:1] == [first := json.dumps({"made_of": made_of}) + "\n"]:
            known = {one["question"]: _lesson(one["lesson"]) for one in map(json.loads, whole[1:])}
        else:
            whole = [first]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(whole), encoding="utf-8")
        return cls(path, known)

    def of(self, question_id: str, read: Callable[[], PathLesson | None]) -> PathLesson | None:
        """The lesson of a question; it is read and added where the file lacks it."""
        if question_id not in self._known:
            self._known[question_id] = lesson = read()
            line = {"question": question_id, "lesson": None if lesson is None else _document(lesson)}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return self._known[question_id]


def _document(lesson: PathLesson) -> dict[str, Any]:
    return {
        "question": lesson.question,
        "to_explain": lesson.to_explain,
        "paths": [[str(relation) for relation in path] for path in lesson.paths],
        "ends": [[end.kind.value, end.names, end.types, end.targets] for end in lesson.ends],
        "f1": lesson.f1,
        "right": lesson.right,
        "neutral": lesson.neutral,
    }


def _lesson(document: dict[str, Any] | None) -> PathLesson | None:
    if document is None:
        return None
    return PathLesson(
        document["question"],
        document["to_explain"],
        tuple(tuple(map(Relation.parse, path)) for path in document["paths"]),
        tuple(
            PathEnd(TermKind(kind), tuple(names), tuple(map(tuple, types)), targets)
            for kind, names, types, targets in document["ends"]
        ),
        tuple(document["f1"]),
        tuple(document["right"]),
        tuple(document["neutral"]),
    )
