"""From a recipe's sources to training samples: questions, the graphs that they are taught over, and the lessons."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import weakref
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgstore.characters import character_fault
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats import registry as formats
from kgstore.loading.formats.tsv import NameReader
from kgstore.loading.reading import GraphToLoad
from kgstore.loading.sample import sample_files, sample_graph
from kgstore.sqlite.library import SqliteLibrary
from kgstore.terms import Entity, Term
from reasoning.core.boundary import UnforeseenError, one_question
from reasoning.core.options import StepOption
from reasoning.datasets.benchmarks.webqsp import webqsp_entries
from reasoning.datasets.benchmarks.webqsp_spines import read_spines
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.identity import QuestionKey
from reasoning.datasets.learned import LearnedQuestions
from reasoning.datasets.question import RefusedQuestion
from reasoning.datasets.registry import asked, read_dataset
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.datasets.source import objects_in, read_json
from reasoning.gold.fitting import fit
from reasoning.gold.schema import FreebaseSchema, SchemaError
from reasoning.training.lessons.asked_kinds import with_asked_kind
from reasoning.training.lessons.composed import compose
from reasoning.training.lessons.drawn import draw_questions
from reasoning.training.lessons.renaming import (
    STYLES,
    RenamedTriples,
    new_names,
    read_new_names,
    renameable,
    renamed_question,
)
from reasoning.training.lessons.samples import nameable, samples_of
from reasoning.training.lessons.stand_in import StandIn, Taught
from reasoning.training.lessons.weak import NotFound, answered, shortest_labels, usual_likeness, weak_label
from reasoning.training.recipe.held_out import belongs_to
from reasoning.training.recipe.recipe import DRAWN, FROM_ANSWERS, SAMPLE, SCHEMA, SHORTEST, Recipe, RecipeError, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore
    from reasoning.core.derivation import Derivation
    from reasoning.datasets.question import BenchmarkQuestion, Split
    from reasoning.training.lessons.samples import TrainingSample
    from reasoning.training.recipe.given import GivenQuestions

DATA_VARIABLE = "DISCERN_DATA"
"""The environment variable that names the folder of the public data sets; docs/explanation/scorer.md lists them."""
_LOADED = "training"
"""What graphs are called that are loaded for a training."""
_END_OF_PATH = "END OF HOP"
KEPT_OUT = "held out for an evaluation"
"""Why a question gives no lesson that a model is judged by."""
_MISSING_NAMED = 5
"""Number of missing files that an error names."""
_DRAWN = 1_000
"""Default number of questions that are drawn from a graph."""


class DataMissingError(RecipeError):
    """A recipe's data is not there; the message says what, and where it is looked for."""

    code = "data_missing"


@dataclass(slots=True)
class Counts:
    """What became of the questions of a source."""

    questions: int = 0
    taught: int = 0
    """Questions that gave samples."""
    samples: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    """Why the others gave none."""

    def to_json(self) -> dict[str, Any]:
        """As a document for the model card."""
        return {
            "questions": self.questions,
            "taught": self.taught,
            "samples": self.samples,
            "problems": dict(sorted(self.problems.items())),
        }


class Sources:
    """The data of a recipe, below one folder."""

    def __init__(
        self,
        recipe: Recipe,
        data: Path | None,
        *,
        given: Mapping[str, GivenQuestions] | None = None,
        excluded: Callable[[QuestionKey], bool] = lambda _: False,
    ) -> None:
        """Look whether everything is there.

        ``given`` are the questions of sources that are read from no file, by the source's name. What is ``excluded``
        never teaches, from whichever source it comes.

        Raises:
            DataMissingError: something is not.

        """
        self.recipe = recipe
        self._data = data
        self._given = given or {}
        self._excluded = excluded
        self.counts: dict[str, Counts] = {}
        self._learned: set[QuestionKey] = set()
        self._relations: set[str] = set()
        self._renamed: dict[str, Mapping[str, str]] = {}
        self._scratch = Path(tempfile.mkdtemp())
        weakref.finalize(self, shutil.rmtree, self._scratch, ignore_errors=True)
        self._loaded: dict[tuple[str, ...], str] = {}
        missing = [str(path) for path in self.files() if not path.exists()]
        if missing or (data is None and any(self._needed(source) for source in self._all())):
            more = f" and {len(missing) - _MISSING_NAMED:,} more" if len(missing) > _MISSING_NAMED else ""
            named = ", ".join(missing[:_MISSING_NAMED]) + more or "no folder is named"
            raise DataMissingError(
                f"The recipe “{recipe.name}” needs data that is not here: {named}. Lay the public files out as "
                "docs/explanation/scorer.md says and name their folder in DISCERN_DATA."
            )

    def files(self) -> list[Path]:
        """The files and folders that the recipe reads, besides what is bundled."""
        names = [name for source in self._all() for name in self._needed(source)]
        return [] if self._data is None else [self._data / name for name in dict.fromkeys(names)]

    def _all(self) -> tuple[Source, ...]:
        return (*self.recipe.sources, *self.recipe.tests)

    def _needed(self, source: Source) -> list[str]:
        if source.name in self._given:
            return []
        renamed = "" if source.renamed in STYLES else source.renamed
        named = (source.dataset, source.graph, source.names, source.schema, source.paths, renamed)
        return [name for name in named if name and name not in (SAMPLE, SCHEMA, DRAWN)]

    def digests(self) -> dict[str, str]:
        """The SHA-256 of every file, by its place below the data folder; of the bundled sample as one."""
        found: dict[str, str] = {}
        if any(SAMPLE in (source.dataset, source.graph) for source in self._all() if source.name not in self._given):
            found[SAMPLE] = digest([*sample_files(), *sorted(SAMPLE_FOLDER.glob("*.jsonl"))])
        for path in self.files():
            parts = sorted(part for part in path.rglob("*") if part.is_file()) if path.is_dir() else [path]
            found[str(path.relative_to(self._data or path))] = digest(parts)
        for given in self._given.values():
            found |= given.digests
        return found

    def learned(self) -> LearnedQuestions:
        """The questions for `teach`; the dataset's name is its place below the data folder."""
        return LearnedQuestions.of(self._learned)

    def learned_relations(self) -> frozenset[str]:
        """The predicates that were right in a lesson of the training side of `samples`."""
        return frozenset(self._relations)

    def teach(self, source: Source, question: BenchmarkQuestion) -> None:
        """Keep in mind that a model learns from a question of a source."""
        self._learned.add(QuestionKey.of(source.dataset, question))

    def samples(
        self, split: Split = "train", progress: Callable[[str, int, int], None] = lambda *_: None
    ) -> Iterator[TrainingSample]:
        """The lessons of all questions on one side of the split; ``progress`` is called with source, done, total.

        Raises:
            DataMissingError: a file cannot be read.

        """
        try:
            for source in self.recipe.sources:
                yield from self._of(source, split, progress)
        except (DatasetError, GraphLoadError, SchemaError) as error:
            raise DataMissingError(str(error)) from error

    def questions(self, source: Source, split: Split) -> list[BenchmarkQuestion]:
        """The questions of a source on one side of the split, evenly chosen where not all are wanted.

        Those that are drawn from the graph itself are not among them.
        """
        return self._questions(source, split)[0]

    def is_kept_out(self, source: Source, question: BenchmarkQuestion) -> bool:
        """Whether a question of a source teaches nothing, on whichever side of the split it is."""
        return self._excluded(QuestionKey.of(source.dataset, question))

    def _questions(self, source: Source, split: Split) -> tuple[list[BenchmarkQuestion], Counter[str]]:
        """The same, and how many entries of the file are no questions, by reason."""
        if source.dataset == DRAWN:
            return [], Counter()
        read = self._read(source)
        refused = Counter(entry.reason for entry in read if isinstance(entry, RefusedQuestion))
        wanted = [question for question in asked(read) if _is_wanted(question, source, split)]
        if split == "train":
            free = [one for one in wanted if not self.is_kept_out(source, one)]
            refused.update({KEPT_OUT: len(wanted) - len(free)} if len(free) < len(wanted) else {})
            wanted = free
        chosen = self._chosen(source, wanted)
        names = self._new_names(source)
        return [renamed_question(question, names) for question in chosen], refused

    def _read(self, source: Source) -> list[BenchmarkQuestion | RefusedQuestion]:
        if source.name in self._given:
            return list(self._given[source.name].questions)
        path = SAMPLE_FOLDER if source.dataset == SAMPLE else self._path(source.dataset)
        return list(read_dataset(path, source.format))

    @staticmethod
    def _chosen(source: Source, found: list[BenchmarkQuestion]) -> list[BenchmarkQuestion]:
        if source.questions is None or len(found) <= source.questions:
            return found
        order = sorted(found, key=lambda question: hashlib.sha256(f"chosen {question.id}".encode()).digest())
        chosen = {question.id for question in order[: source.questions]}
        return [question for question in found if question.id in chosen]

    def _path(self, name: str) -> Path:
        return (self._data or Path()) / name

    def _of(self, source: Source, split: Split, progress: Callable[[str, int, int], None]) -> Iterator[TrainingSample]:
        counts = self.counts[source.name] = Counts()
        questions, refused = self._questions(source, split)
        counts.questions += refused.total()
        counts.problems.update(refused)
        spines = self._spines(source)
        for draw in range(source.draws if source.graph == SCHEMA else 1):
            with self.graph(source, questions, draw) as store:
                if source.dataset == DRAWN:
                    questions = self._drawn(source, split, store)
                for number, question in enumerate(questions, start=1):
                    found, problem = _taught(question, source, store, spines.get(question.id), draw)
                    if found and split == "train" and source.dataset != DRAWN:
                        self.teach(source, question)
                    for sample in found:
                        self._relations |= _right_relations(sample) if split == "train" else set()
                        yield replace(sample, source=source.name, pools="schema" if source.graph == SCHEMA else "graph")
                    counts.samples += len(found)
                    if draw == 0:
                        counts.questions += 1
                        counts.taught += bool(found)
                        counts.problems.update([problem] if problem else [])
                    progress(source.name, number, len(questions))

    @contextmanager
    def graph(self, source: Source, questions: Sequence[BenchmarkQuestion], draw: int = 0) -> Iterator[GraphStore]:
        """The graph of a source. One that is read from a file is loaded once, and kept as long as these sources are."""
        if source.name in self._given:
            with self._given[source.name].graph() as store:
                yield store
            return
        if source.graph == SCHEMA:
            with tempfile.TemporaryDirectory() as scratch:
                library = SqliteLibrary(Path(scratch))
                library.load(self._graph(source, questions, draw))
                try:
                    yield library.open(_LOADED)
                finally:
                    library.close()
            return
        key = (source.graph, source.graph_format, source.names, source.renamed)
        if key not in self._loaded:
            graph = replace(self._graph(source, questions, draw), name=f"{_LOADED}-{len(self._loaded)}")
            if source.renamed:
                graph = replace(graph, triples=RenamedTriples(graph.triples, self._new_names(source)))
            SqliteLibrary(self._scratch).load(graph)
            self._loaded[key] = graph.name
        library = SqliteLibrary(self._scratch)
        try:
            yield library.open(self._loaded[key])
        finally:
            library.close()

    def _graph(self, source: Source, questions: Sequence[BenchmarkQuestion], draw: int) -> GraphToLoad:
        if source.graph == SAMPLE:
            return sample_graph()
        if source.graph == SCHEMA:
            return self._stand_in(source, questions, draw)
        return GraphToLoad(
            formats.FORMATS[source.graph_format].read(self._path(source.graph)),
            name=_LOADED,
            title=_LOADED,
            source=source.graph,
            names=NameReader(self._path(source.names)) if source.names else (),
        )

    def _new_names(self, source: Source) -> Mapping[str, str]:
        """How the relations of the source's graph are called instead; empty where they keep their names."""
        if source.renamed and source.name not in self._renamed:
            # All triples are read for it, so once.
            self._renamed[source.name] = (
                new_names(renameable(self._graph(source, (), 0).triples), source.renamed)
                if source.renamed in STYLES
                else read_new_names(self._path(source.renamed))
            )
        return self._renamed.get(source.name, {})

    def _drawn(self, source: Source, split: Split, store: GraphStore) -> list[BenchmarkQuestion]:
        """Questions about topics that are chosen by a hash of their ids, so that they are the same each time."""
        wanted = _DRAWN if source.questions is None else source.questions
        ids = {
            id_
            for subject, _, object_ in self._graph(source, (), 0).triples
            for id_ in (subject, object_)
            if not id_.startswith('"')
        }
        order = sorted(ids, key=lambda id_: hashlib.sha256(f"drawn {id_}".encode()).digest())
        found = draw_questions(store, (Entity(id_) for id_ in order))
        return list(islice((question for question in found if _is_wanted(question, source, split)), wanted))

    def _spines(self, source: Source) -> Mapping[str, Derivation]:
        wanted = source.graph == SCHEMA and source.format == "webqsp"
        return read_spines(self._path(source.dataset)) if wanted else {}

    def _stand_in(self, source: Source, questions: Sequence[BenchmarkQuestion], draw: int) -> GraphToLoad:
        schema = FreebaseSchema.read(self._path(source.schema))
        paths = read_paths(self._path(source.paths)) if source.paths else {}
        known = Counter(relation for found in paths.values() for path in found for relation in path)
        spines = self._spines(source)
        taught = [
            Taught(derivation, parse.answers, paths.get(question_key(question.text), ()))
            for question in questions
            for parse in question.parses
            if (derivation := parse.derivation or spines.get(question.id)) is not None
        ]
        for each in taught:
            known.update(step.relation.predicate for step in each.derivation.steps)
        names = names_in(self._path(source.dataset), source.format)
        return GraphToLoad(
            StandIn(schema, known, seed=draw).triples(taught, names),
            name=_LOADED,
            title=_LOADED,
            source="drawn from the schema",
        )


def _is_wanted(question: BenchmarkQuestion, source: Source, split: Split) -> bool:
    return question.split == split and (not source.part or belongs_to(question, source.part))


def _right_relations(sample: TrainingSample) -> set[str]:
    options = [sample.pool.options[place] for place in sample.right]
    return {option.step.relation.predicate for option in options if isinstance(option, StepOption)}


@dataclass(frozen=True, slots=True)
class _Right:
    """What is right for a question over a graph."""

    derivation: Derivation | None = None
    """None where the graph holds no answer."""
    others: tuple[Derivation, ...] = ()
    """What is as right, and taught as well."""
    is_whole: bool = True
    problem: str = ""
    """Why nothing is known to be right."""


def _taught(
    question: BenchmarkQuestion, source: Source, store: GraphStore, spine: Derivation | None, draw: int
) -> tuple[Sequence[TrainingSample], str]:
    """The lessons of a question, or why there are none."""
    try:
        with one_question(question.id):
            right = _right(question, source, store, spine)
            if source.composed and right.derivation is not None:
                longer = compose(question, right.derivation, store)
                if longer is None:
                    return [], "nothing that has a name leads to its topic"
                question, right = longer[0], replace(right, derivation=longer[1], others=())
            if right.problem:
                return [], right.problem
            ways = (right, *(replace(right, derivation=other) for other in right.others))
            return [lesson for way in ways for lesson in _lessons(question, way, source, store, draw)], ""
    except UnforeseenError as error:
        return [], str(error)


def _lessons(
    question: BenchmarkQuestion, right: _Right, source: Source, store: GraphStore, draw: int
) -> Iterator[TrainingSample]:
    derivation = right.derivation
    if derivation is not None and source.topics == "given":
        derivation = nameable(derivation, question.text, store, question.today)
    yield from samples_of(
        question.id,
        question.text,
        question.topic,
        derivation,
        store,
        group=question.group or question.id,
        seed=draw,
        orders=source.orders,
        topic_given=source.topics == "given",
        is_whole=right.is_whole,
        today=question.today,
    )


def lessons(question: BenchmarkQuestion, store: GraphStore, left_out: Counter[str]) -> Iterator[TrainingSample]:
    """The lessons of a question over a graph, with the best of its derivations; else the reason is counted."""
    given = Source("", "", "", "", topics="given", orders=0)
    found, problem = _taught(question, given, store, None, 0)
    left_out.update([problem] if problem else [])
    yield from found


def data_folder() -> Path | None:
    """The folder of the public data sets that the environment names, if it names one."""
    named = os.environ.get(DATA_VARIABLE)
    return Path(named) if named else None


def _right(question: BenchmarkQuestion, source: Source, store: GraphStore, spine: Derivation | None) -> _Right:
    if source.labels in FROM_ANSWERS:
        return _right_by_answers(question, source, store)
    if source.graph in (SAMPLE, SCHEMA) or source.dataset == DRAWN:
        parse = next((parse for parse in question.parses if parse.derivation is not None), None)
        if parse is not None:
            return _Right(parse.derivation)
        if spine is not None:
            return _Right(spine, is_whole=False)
        problem = question.parses[0].problem if question.parses else "no reading"
        return _Right() if source.graph == SAMPLE and question.parses else _Right(problem=problem)
    best, answers = None, frozenset[Term]()
    for parse in question.parses:
        if parse.topic is None or not store.cards([parse.topic]):
            continue
        fitted = fit(parse.derivation, parse.topic, parse.answers, store, topic_may_answer=question.topic_may_answer)
        if fitted is not None and (best is None or fitted.f1 > best.f1):
            best, answers = fitted, parse.answers
    if best is None:
        return _Right(problem="the answer is not within reach in the graph")
    return _Right(with_asked_kind(question.text, best.derivation, answers, store))


def _right_by_answers(question: BenchmarkQuestion, source: Source, store: GraphStore) -> _Right:
    readings = answered(question, store)
    if source.labels == SHORTEST:
        ways = shortest_labels(question.text, readings, store, precision=source.precision)
        return _Right(problem=f"shortest way: {ways}") if isinstance(ways, NotFound) else _Right(ways[0], ways[1:])
    found = weak_label(question.text, readings, store, usual_likeness(), precision=source.precision)
    return _Right(problem=f"weak label: {found}") if isinstance(found, NotFound) else _Right(found.derivation)


def question_key(text: str) -> str:
    """A question's wording without capitals, spaces at its ends and its question mark."""
    return " ".join(text.lower().rstrip("? ").split())


def read_paths(path: Path) -> Mapping[str, Sequence[Sequence[str]]]:
    """Relation paths around the topics of questions, by `question_key`.

    The file is a JSON object: question → ``{"path": [[[relation, …, "END OF HOP"], score], …]}``.

    Raises:
        DatasetError: the file cannot be read, or is not what it should be.

    """
    document = read_json(path)
    if not isinstance(document, dict):
        raise DatasetError(f"{path}: expected an object of questions with a “path” each.")
    return {question_key(question): _paths_of(entry) for question, entry in document.items()}


def _paths_of(entry: Any) -> Sequence[Sequence[str]]:
    """The paths of one question; none where it is not what it should be."""
    found = entry.get("path") if isinstance(entry, dict) else None
    paths = []
    for path in found if isinstance(found, list) else ():
        match path:
            case [[*relations], _] if relations[:-1] and all(isinstance(name, str) for name in relations):
                paths.append([name for name in relations if name != _END_OF_PATH])
    return paths


def names_in(path: Path, format: str) -> Mapping[str, Sequence[str]]:  # noqa: A002 - what it is called everywhere
    """The names that a benchmark's own file gives to entities, by mid; none for formats that give none.

    Entries that are not what they should be give none: `read_dataset` tells why they are refused.

    Raises:
        DatasetError: the file cannot be read.

    """
    if format != "webqsp":
        return {}
    names: dict[str, dict[str, None]] = {}

    def note(mid: Any, *texts: Any) -> None:
        if isinstance(mid, str) and mid and not character_fault(mid):
            kept = (text for text in texts if isinstance(text, str) and text.strip() and not character_fault(text))
            names.setdefault(mid, {}).update(dict.fromkeys(kept))

    for _, question in webqsp_entries(path):
        for parse in objects_in(question, "Parses"):
            note(parse.get("TopicEntityMid"), parse.get("TopicEntityName"), parse.get("PotentialTopicEntityMention"))
            for constraint in objects_in(parse, "Constraints"):
                note(constraint.get("Argument"), constraint.get("EntityName"))
            for answer in objects_in(parse, "Answers"):
                if answer.get("AnswerType") == "Entity":
                    note(answer.get("AnswerArgument"), answer.get("EntityName"))
    return {mid: list(texts) for mid, texts in names.items() if texts}


def digest(paths: Iterable[Path]) -> str:
    """One SHA-256 over the names, sizes and contents of files."""
    found = hashlib.sha256()
    for path in paths:
        found.update(f"{path.name} {path.stat().st_size}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()
