"""Training of the path reader: what is right in a lesson, that it learns, resumes, and is opened as a scorer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.datasets.learned import LearnedQuestions
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.scorers.cards import BUNDLED_PATH_READER, read_card
from reasoning.scorers.encoder.minilm import EncoderFiles, MiniLm, Words, quick_kind
from reasoning.scorers.encoder.text_vectors import TextVectors
from reasoning.scorers.path_reader.reader import PathReader
from reasoning.scorers.path_reader.weights import FIGURES, FigureWeights, read_path_encoders
from reasoning.scorers.registry import kind_of, open_scorer
from reasoning.training.encoder.train import Progress, TrainingStoppedError
from reasoning.training.path_reader.build import CHECKPOINT, LESSONS, as_text, build_path_reader
from reasoning.training.path_reader.lesson_file import LessonFile
from reasoning.training.path_reader.lessons import PathLesson, ends_of, fewer, path_lesson, spine_of
from reasoning.training.path_reader.recipe import PathReaderRecipe, PathReaderSettings, read_path_reader_recipe
from reasoning.training.path_reader.small_graphs import HELD_OUT, TAUGHT, small_graph
from reasoning.training.path_reader.train import PathModel, fitted_scores
from tests.reasoning.random_graphs import sqlite_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

pytestmark = pytest.mark.slow

BUILT_BY, BASED_IN = Relation("built_by"), Relation("based_in")
SHIPS = {"Alca": "Nordyard", "Brent": "Nordyard", "Corvus": "Seaworks"}
YARDS = {"Nordyard": "Bergen", "Seaworks": "Hull"}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    triples = [(ship, "built_by", yard) for ship, yard in SHIPS.items()]
    triples += [(yard, "based_in", town) for yard, town in YARDS.items()]
    triples += [(ship, "launched_from", YARDS[yard]) for ship, yard in SHIPS.items()]
    triples += [(name, "type.object.name", f'"{name}"@en') for name in (*SHIPS, *YARDS, *YARDS.values())]
    store = sqlite_store(triples, tmp_path_factory.mktemp("ships"))
    yield store
    store.close()


@pytest.fixture(scope="module")
def reader() -> PathReader:
    files = EncoderFiles.locate()
    words = Words(files)
    published = TextVectors(MiniLm.load(files).to(quick_kind()), words, 1_000)
    return PathReader.of_encoders(read_path_encoders(files), words, published)


def asked(text: str, answer: str, *relations: Relation) -> BenchmarkQuestion:
    topic = Entity("Alca")
    steps = tuple(SearchStep(place, relation) for place, relation in enumerate(relations))
    derivation = Derivation(topic, steps, (), len(steps)) if steps else None
    return BenchmarkQuestion(text, text, (GoldParse(topic, frozenset({Entity(answer)}), derivation),))


def shown(lesson: PathLesson, flags: tuple[bool, ...]) -> set[str]:
    return {" ".join(map(str, path)) for path, flag in zip(lesson.paths, flags, strict=True) if flag}


def test_the_path_of_the_gold_derivation_is_right_and_another_with_its_answers_neutral(
    graph: GraphStore, reader: PathReader
) -> None:
    lesson = path_lesson(asked("Where is the builder of Alca based?", "Bergen", BUILT_BY, BASED_IN), graph, reader)
    assert lesson is not None
    assert lesson.question == "where is the builder of it based"
    assert shown(lesson, lesson.right) == {"built_by based_in"}
    assert "launched_from" in shown(lesson, lesson.neutral)


def test_without_a_gold_derivation_all_paths_with_the_best_answers_are_right(
    graph: GraphStore, reader: PathReader
) -> None:
    lesson = path_lesson(asked("Where is the builder of Alca based?", "Bergen"), graph, reader)
    assert lesson is not None
    assert {"built_by based_in", "launched_from"} <= shown(lesson, lesson.right)
    assert "built_by" not in shown(lesson, lesson.right)
    assert not any(lesson.neutral)


def test_a_question_without_an_answer_in_the_graph_gives_no_lesson(graph: GraphStore, reader: PathReader) -> None:
    assert path_lesson(asked("Where is the builder of Alca based?", "Rome"), graph, reader) is None


def test_fewer_paths_keep_the_right_one_and_what_it_begins_with(graph: GraphStore, reader: PathReader) -> None:
    lesson = path_lesson(asked("Where is the builder of Alca based?", "Bergen", BUILT_BY, BASED_IN), graph, reader)
    assert lesson is not None
    kept = fewer(lesson, 2, [0.0] * len(lesson.paths))
    assert [" ".join(map(str, path)) for path in kept.paths] == ["built_by based_in", "built_by"]
    assert kept.right == (True, False)


def test_a_step_makes_the_right_path_more_probable(graph: GraphStore, reader: PathReader) -> None:
    lesson = path_lesson(asked("Where does the maker of Alca sit?", "Bergen", BUILT_BY, BASED_IN), graph, reader)
    assert lesson is not None
    files = EncoderFiles.locate()
    model = PathModel(read_path_encoders(files), Words(files), first_layer=4)
    lessons = [fewer(lesson, 6, [0.5] * len(lesson.paths))]
    optimizer = torch.optim.Adam([one for one in model.parameters() if one.requires_grad], 1e-4)
    losses = []
    for _ in range(4):
        loss = model.loss(lessons)
        losses.append(loss.item())
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    assert losses[-1] < losses[0]


def test_fitted_scores_rank_the_right_path_first_and_stay_where_nothing_is_held_out() -> None:
    before = FigureWeights(torch.tensor([1.0, 0.0, 0.0, 0.0, 0.0]), 0.0)
    lesson = PathLesson("", "", ((BUILT_BY,), (BASED_IN,)), (), (0.0, 1.0), (False, True), (False, False))
    figures = torch.tensor([[0.6, 0.0, 0.1, 0.0, 0.0], [0.5, 0.0, 0.9, 0.0, 0.0]])
    assert (figures @ before.weights).argmax() == 0
    fitted = fitted_scores([[(figures, lesson)] * 200], before)
    assert (figures @ fitted.weights).argmax() == 1
    assert fitted.no_path < (figures @ fitted.weights).tolist()[1]
    assert fitted_scores([], before) is before


@pytest.mark.parametrize("path", [*TAUGHT.glob("*.toml"), *HELD_OUT.glob("*.toml")], ids=lambda path: path.stem)
def test_small_graphs_hold_an_answer_to_each_of_their_questions(path: Path) -> None:
    with small_graph(path) as (store, questions):
        assert {question.labels["hops"] for question in questions} == {"1", "2", "3"}
        for question in questions:
            [reading] = question.parses
            assert reading.derivation is not None
            assert reading.topic is not None
            ends = ends_of(spine_of(reading.derivation), reading.topic, store)
            assert ends - {reading.topic} == reading.answers - {reading.topic}, question.text


def test_a_training_is_stopped_resumed_and_opened_as_a_scorer(tmp_path: Path) -> None:
    few = recipe(epochs=2)

    def seen(progress: Progress) -> None:
        at[0] = progress.stage == "training" and progress.epoch == 2

    at = [False]
    with pytest.raises(TrainingStoppedError):
        build_path_reader(tmp_path, few, progress=seen, stop=lambda: at[0])
    assert (tmp_path / CHECKPOINT).exists()
    epochs: list[int] = []
    card = build_path_reader(tmp_path, few, progress=lambda one: epochs.append(one.epoch))
    assert set(epochs) == {0, 2}, "the first epoch is not run again"
    assert not (tmp_path / CHECKPOINT).exists()
    assert not (tmp_path / LESSONS).exists()
    assert read_card(tmp_path) == card
    assert set(card["figure_weights"]) == set(FIGURES)
    assert read_path_encoders(EncoderFiles.locate(), tmp_path).figures.no_path == pytest.approx(card["no_path"])
    assert card["figures"]["sample"]["taught"] > 0
    assert (card["figures"]["small-museum"]["taught"], card["figures"]["small-museum"]["held_out"]) == (3, 0)
    assert (card["figures"]["small-airline"]["taught"], card["figures"]["small-airline"]["held_out"]) == (0, 3)
    assert "held-out questions" in as_text(card)
    assert LearnedQuestions.read(tmp_path) is None or LearnedQuestions.read(BUNDLED_PATH_READER) is not None
    trained = tmp_path.parent
    assert kind_of(tmp_path.name.replace("_", "-"), tmp_path, trained=trained).name == "path-reader"
    assert open_scorer("path-reader", tmp_path).name == "Path reader"


def test_all_questions_of_a_wording_may_be_held_out_together(tmp_path: Path) -> None:
    few = recipe(epochs=1)
    card = build_path_reader(tmp_path, replace(few, settings=replace(few.settings, held_out="wording", small_graphs=0)))
    assert card["trained"]["settings"]["held_out"] == "wording"
    assert card["figures"]["sample"]["taught"] > 0


def test_a_stopped_reading_resumes_after_the_last_question(
    graph: GraphStore, reader: PathReader, tmp_path: Path
) -> None:
    question = asked("Where is the builder of Alca based?", "Bergen", BUILT_BY, BASED_IN)
    path = tmp_path / "lessons" / "ships.jsonl"
    read: list[str] = []

    def reading() -> PathLesson | None:
        read.append("read")
        return path_lesson(question, graph, reader)

    lesson = LessonFile.open(path, "a").of("1", reading)
    assert LessonFile.open(path, "a").of("2", lambda: None) is None
    with path.open("a", encoding="utf-8") as file:
        file.write('{"question": "3", "les')
    resumed = LessonFile.open(path, "a")
    assert resumed.of("1", reading) == lesson
    assert resumed.of("2", reading) is None
    assert len(read) == 1
    assert resumed.of("3", reading) == lesson, "its line was cut off"
    assert len(read) == 2
    assert LessonFile.open(path, "a").of("3", reading) == lesson
    assert len(read) == 2
    LessonFile.open(path, "b").of("1", reading)
    assert len(read) == 3, "the file was made of something else"


def recipe(epochs: int) -> PathReaderRecipe:
    """A few questions of the bundled sample."""
    read = read_path_reader_recipe("sample")
    few = tuple(replace(source, questions=6) for source in read.data.sources)
    settings = PathReaderSettings(epochs=epochs, batch=2, tested=3, small_graphs=3, threads=1, paths=6, first_layer=4)
    return replace(read, data=replace(read.data, sources=few), settings=settings)
