"""Reading of lessons: each question is asked once, and what came of it is kept until the training has ended."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TextIO

from reasoning.strategies.eperm.surroundings import Known
from reasoning.training.eperm.lessons import JudgeLesson, LessonPath, Row, lesson_of
from reasoning.training.recipe.recipe import RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.scorers.base import Scorer
    from reasoning.training.eperm.recipe import JudgeSettings


class LessonsRead:
    """A file of lessons: what they were read for, then one a line. It grows as they are read."""

    def __init__(self, path: Path, read_for: dict[str, Any]) -> None:
        """Take up a file that was begun, or begin one.

        Raises:
            RecipeError: the file is of another recipe, other data or another scorer.

        """
        self._path = path
        self._known: dict[tuple[str, str], JudgeLesson | None] = {}
        if not path.exists():
            path.write_text(json.dumps(read_for) + "\n", encoding="utf-8")
            return
        whole = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
        if not whole or json.loads(whole[0]) != json.loads(json.dumps(read_for)):
            raise RecipeError(f"{path} is of another recipe or other data. Remove it, or choose another name.")
        # A line that was broken off is read again.
        path.write_text("".join(whole), encoding="utf-8")
        for line in whole[1:]:
            entry = json.loads(line)
            self._known[entry["source"], entry["id"]] = None if entry["lesson"] is None else _lesson(entry["lesson"])

    def lessons(
        self,
        source: str,
        questions: Sequence[BenchmarkQuestion],
        store: GraphStore,
        scorer: Scorer,
        settings: JudgeSettings,
        progress: Callable[[int, int], None],
    ) -> Iterator[tuple[BenchmarkQuestion, JudgeLesson]]:
        """The lessons of the questions that give one; ``progress`` is called with done and total."""
        with self._path.open("a", encoding="utf-8") as file:
            for number, question in enumerate(questions, start=1):
                place = source, question.id
                if place not in self._known:
                    self._known[place] = lesson_of(
                        question, store, scorer, plans=settings.plans, precision=settings.precision
                    )
                    _write(file, place, self._known[place])
                progress(number, len(questions))
                lesson = self._known[place]
                if lesson is not None:
                    yield question, lesson

    def remove(self) -> None:
        """Delete the file, once the training has ended."""
        self._path.unlink(missing_ok=True)


def _write(file: TextIO, place: tuple[str, str], lesson: JudgeLesson | None) -> None:
    entry = None if lesson is None else asdict(lesson)
    file.write(json.dumps({"source": place[0], "id": place[1], "lesson": entry}) + "\n")
    file.flush()


def _lesson(entry: dict[str, Any]) -> JudgeLesson:
    rows = (
        Row(
            Known(
                **{
                    **row["known"],
                    **{name: tuple(row["known"][name]) for name in ("types", "relations", "flags")},
                }
            ),
            row["relation"],
        )
        for row in entry["rows"]
    )
    paths = (LessonPath(one["plan_weight"], tuple(one["rows"]), one["target"]) for one in entry["paths"])
    return JudgeLesson(
        entry["id"],
        entry["question"],
        tuple(rows),
        tuple((row, label) for row, label in entry["found"]),
        tuple(paths),
        tuple(entry["right"]),
        entry["answers"],
    )
