"""From a recipe to a path reader on disk: lessons, training, the weights of its figures, card."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from safetensors.torch import save as packed

from reasoning.datasets.learned import LearnedQuestions
from reasoning.datasets.question import is_validation
from reasoning.scorers.cards import BUNDLED_PATH_READER, write_weights
from reasoning.scorers.encoder.minilm import EncoderFiles, MiniLm, Words, quick_kind
from reasoning.scorers.encoder.text_vectors import TextVectors
from reasoning.scorers.path_reader.reader import PathReader
from reasoning.scorers.path_reader.weights import (
    FIGURES,
    WEIGHTS_FILE,
    changed_weights,
    figure_tensors,
    read_path_encoders,
)
from reasoning.scorers.threads import compute_with, training_threads
from reasoning.training.encoder.begun import learned_after
from reasoning.training.encoder.card import code_digest, version
from reasoning.training.encoder.train import Progress, reading_progress
from reasoning.training.lessons.sources import Sources, data_folder, digest
from reasoning.training.path_reader.lesson_file import LessonFile
from reasoning.training.path_reader.lessons import path_lesson
from reasoning.training.path_reader.small_graphs import HELD_OUT, TAUGHT, small_graph
from reasoning.training.path_reader.train import PathModel, fitted_scores, train_path_reader
from reasoning.training.recipe.sides import divided, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from torch import Tensor

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.scorers.path_reader.weights import FigureWeights
    from reasoning.training.path_reader.lessons import PathLesson
    from reasoning.training.path_reader.recipe import PathReaderRecipe
    from reasoning.training.recipe.recipe import Source

NAME = "Path reader"
CHECKPOINT = "checkpoint.pt"
LESSONS = "lessons"
_TEXTS_KEPT = 200_000


@dataclass(slots=True)
class _Lessons:
    """The lessons of one source."""

    taught: list[PathLesson] = field(default_factory=list)
    held_out: list[PathLesson] = field(default_factory=list)


def build_path_reader(
    folder: Path,
    recipe: PathReaderRecipe,
    *,
    data: Path | None = None,
    name: str = NAME,
    command: str = "",
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train by a recipe, fit the weights of the figures, and write weights and card; returns the card.

    It goes on from the bundled weights. Besides the recipe's sources, small graphs are taught, and others held out; see
    `small_graphs`. Held-out questions teach the encoders nothing; the weights of the figures are fitted on them. A
    build that was stopped goes on after the last question it read, or after its last whole epoch. Weights that were
    there before stay until the new ones are whole.

    Raises:
        DataMissingError: the recipe's data is not there, or cannot be read.
        NothingToLearnError: no question gave a lesson.
        ScorerUnavailableError: the sentence encoder, or the bundled weights, are not there.
        TrainingStoppedError: ``stop`` said so.

    """
    settings = recipe.settings
    compute_with(training_threads(settings.threads))
    sources = Sources(recipe.data, data or data_folder())
    files = EncoderFiles.locate()
    words = Words(files)
    published = TextVectors(MiniLm.load(files).to(quick_kind()), words, _TEXTS_KEPT)
    reader = PathReader.of_encoders(read_path_encoders(files), words, published)
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = folder / CHECKPOINT
    small = sorted([*TAUGHT.glob("*.toml"), *HELD_OUT.glob("*.toml")])
    provenance = {**recipe.to_json(), "data": {**sources.digests(), "small graphs": digest(small)}}
    reading = reading_progress(progress, stop)
    read_with = {"data": provenance["data"], "weights": digest([BUNDLED_PATH_READER / WEIGHTS_FILE])}
    found = {
        source.name: _lessons(
            recipe, sources, source, reader, _lesson_file(folder, source.name, [asdict(source), read_with]), reading
        )
        for source in recipe.data.sources
    }
    for path in small:
        name_of_graph = f"small-{path.stem}"
        file = _lesson_file(folder, name_of_graph, [read_with])
        lessons = _small_lessons(path, settings.small_graphs, reader, file, reading)
        found[name_of_graph] = _Lessons(taught=lessons) if path.parent == TAUGHT else _Lessons(held_out=lessons)
    encoders = read_path_encoders(files)
    model = PathModel(encoders, words, settings.first_layer)
    trained = train_path_reader(
        model,
        [one for lessons in found.values() for one in lessons.taught],
        settings,
        recipe=provenance,
        checkpoint=checkpoint,
        progress=progress,
        stop=stop,
    )
    changes = changed_weights(encoders)
    before = {name: _read(reader, lessons.held_out) for name, lessons in found.items()}
    reader = PathReader.of_encoders(encoders, words, published)
    after = {name: _read(reader, lessons.held_out) for name, lessons in found.items()}
    figures = fitted_scores([read for read in after.values() if read], encoders.figures)
    learned = learned_after(LearnedQuestions.read(BUNDLED_PATH_READER), sources.learned())
    card: dict[str, Any] = {
        "kind": "path-reader",
        "name": name,
        "figure_weights": dict(zip(FIGURES, figures.weights.tolist(), strict=True)),
        "no_path": figures.no_path,
        "trained": {
            **recipe.to_json(),
            "command": command,
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "recipe": recipe.data.name,
            "title": recipe.data.title,
            "losses": trained.losses,
            "seconds": round(trained.seconds, 1),
            "samples": sum(len(lessons.taught) for lessons in found.values()),
            "data_sha256": provenance["data"],
            "code_sha256": code_digest(),
            "version": version(),
            "learned_questions": None if learned is None else learned.to_json(),
        },
        "figures": {
            name: {
                "taught": len(lessons.taught),
                "held_out": len(lessons.held_out),
                "best_path_f1_before": _best_path_f1(before[name], encoders.figures),
                "best_path_f1": _best_path_f1(after[name], figures),
            }
            for name, lessons in found.items()
        },
    }
    LearnedQuestions.keep(folder, learned)
    write_weights(folder / WEIGHTS_FILE, packed(changes | figure_tensors(figures)), card)
    checkpoint.unlink(missing_ok=True)
    shutil.rmtree(folder / LESSONS, ignore_errors=True)
    return card


def as_text(card: dict[str, Any]) -> str:
    """The card's figures, a line a source."""
    trained = card["trained"]
    lines = [f"{trained['title']}: {len(trained['losses'])} epochs, {trained['seconds']:.0f} s."]
    for name, each in card["figures"].items():
        before, now = (_shown(each[key]) for key in ("best_path_f1_before", "best_path_f1"))
        questions = f"{each['held_out']} held-out questions, {each['taught']} taught"
        lines.append(f"{name}: F1 of the best path {before} before, {now} now; {questions}.")
    return "\n".join(lines)


def _shown(figure: float | None) -> str:
    return "not measured" if figure is None else f"{figure:.3f}"


def _lesson_file(folder: Path, name: str, made_of: list[Any]) -> LessonFile:
    """Where the lessons of a source are kept until the weights are written."""
    return LessonFile.open(folder / LESSONS / f"{name}.jsonl", sha256(json.dumps(made_of).encode()).hexdigest())


def _lessons(
    recipe: PathReaderRecipe,
    sources: Sources,
    source: Source,
    reader: PathReader,
    file: LessonFile,
    reading: Callable[[str, int, int], None],
) -> _Lessons:
    settings = recipe.settings
    asked, tests = divided(sources, source, held_out=settings.held_out, tested=settings.tested)
    found = _Lessons()
    with sources.graph(source, ()) as store:
        for question, lesson in _read_lessons(asked, store, reader, file, partial(reading, source.name)):
            if tests[question.id] if tests else is_validation(f"wording {lesson.question}"):
                found.held_out.append(lesson)
            else:
                found.taught.append(lesson)
                sources.teach(source, question)
    return found


def _read_lessons(
    asked: Sequence[BenchmarkQuestion],
    store: GraphStore,
    reader: PathReader,
    file: LessonFile,
    reading: Callable[[int, int], None],
) -> Iterator[tuple[BenchmarkQuestion, PathLesson]]:
    """The questions that give a lesson, with it; ``reading`` is called with the number of those read, and of all."""
    for number, question in enumerate(asked, start=1):
        lesson = file.of(question.id, partial(path_lesson, question, store, reader))
        reading(number, len(asked))
        if lesson is not None:
            yield question, lesson


def _read(reader: PathReader, lessons: Sequence[PathLesson]) -> list[tuple[Tensor, PathLesson]]:
    """The figures of the paths of each lesson."""
    return [(reader.figures(one.question, one.to_explain, one.paths, one.ends)[0], one) for one in lessons]


def _small_lessons(
    path: Path, most: int, reader: PathReader, file: LessonFile, reading: Callable[[str, int, int], None]
) -> list[PathLesson]:
    """The lessons of at most ``most`` questions of a small graph."""
    with small_graph(path) as (store, questions):
        asked = spread(questions, most)
        return [lesson for _, lesson in _read_lessons(asked, store, reader, file, partial(reading, path.stem))]


def _best_path_f1(read: Sequence[tuple[Tensor, PathLesson]], figure_weights: FigureWeights) -> float | None:
    if not read:
        return None
    return sum(one.f1[int((figures @ figure_weights.weights).argmax())] for figures, one in read) / len(read)
