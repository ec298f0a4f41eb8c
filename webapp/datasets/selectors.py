"""What is read of datasets."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, cast

from django.db.models import Count, Q, QuerySet

from reasoning.datasets.question import NO_GOLD_IN_FILE, RefusedQuestion
from reasoning.datasets.registry import FORMATS
from reasoning.evaluation.reporting.cells import cell
from webapp.accounts.permissions import Action, may, refusal
from webapp.datasets.files import dataset_files
from webapp.datasets.gold import gold_hidden
from webapp.datasets.models import Dataset, Question
from webapp.datasets.schemas import (
    DatasetFileOut,
    DatasetOut,
    DatasetPageOut,
    FormatOut,
    GoldProblemOut,
    MalformedEntryOut,
    MalformedPageOut,
    QuestionOut,
    QuestionPageOut,
    ReadingOut,
    SecondFileOut,
)
from webapp.health.readiness import no_worker_reason
from webapp.platform.http.errors import ProductError
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Sequence

    from reasoning.datasets.question import BenchmarkQuestion, GoldParse, Split
    from webapp.accounts.viewer import Viewer

UNREADABLE_GOLD_WARNING = 0.05
"""Maximum share of questions with an unreadable gold query before a dataset's page warns. It is below 0.02 in the
published files of WebQSP, ComplexWebQuestions and GrailQA."""
ANSWERS_SHOWN = 20
"""Maximum of gold answers of a reading that are listed."""
_ROWS_AT_ONCE = 500
MALFORMED_COLUMNS = ("number", "place", "reason", "detail")


def dataset_get(*, dataset_id: uuid.UUID) -> Dataset:
    """A dataset; everybody may look.

    Raises:
        ProductError: there is none.

    """
    dataset = Dataset.objects.select_related("starter").filter(pk=dataset_id).first()
    if dataset is None:
        raise ProductError(404, "unknown_dataset", "There is no such dataset. Choose one of the list.")
    return dataset


def dataset_loaded(*, name: str, version: int | None) -> Dataset | None:
    """The loaded dataset of a name that is offered: its last version where none is given; None where there is none."""
    offered = Dataset.objects.filter(name=name, status=Status.SUCCEEDED, archived_at__isnull=True)
    return (offered if version is None else offered.filter(version=version)).order_by("-version").first()


def dataset_page(*, search: str, archived: bool, offset: int, limit: int, may_manage: bool) -> DatasetPageOut:
    """Datasets, newest first, and what can be loaded."""
    found = Dataset.objects.filter(archived_at__isnull=not archived)
    if words := search.strip():
        found = found.filter(Q(name__icontains=words) | Q(file__icontains=words))
    page = found.select_related("starter").order_by("-created_at", "pk")[offset : offset + limit]
    return DatasetPageOut(
        datasets=datasets_out(list(page)),
        total=found.count(),
        archived=Dataset.objects.filter(archived_at__isnull=False).count(),
        files=[
            DatasetFileOut(name=file.name, likely_format=file.likely_format, bytes=file.bytes)
            for file in dataset_files()
        ],
        formats=[
            FormatOut(
                name=each.name,
                title=each.title,
                looks=each.looks,
                own_graphs=each.own_graphs,
                second=None if each.second is None else SecondFileOut(title=each.second.title, looks=each.second.looks),
            )
            for each in FORMATS.values()
        ],
        waits=no_worker_reason(Queue.CPU_BACKGROUND),
        may_manage=may_manage,
    )


def dataset_out(dataset: Dataset) -> DatasetOut:
    """A dataset, and how far its load is."""
    return datasets_out([dataset])[0]


def datasets_out(datasets: Sequence[Dataset]) -> list[DatasetOut]:
    """Datasets, and how far their loads are."""
    counted = Dataset.objects.filter(pk__in=[dataset.pk for dataset in datasets])
    evaluations = dict(counted.annotate(count=Count("evaluations")).values_list("pk", "count"))
    names = {dataset.name for dataset in datasets if dataset.identity}
    versions: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for name, identity, version in (
        Dataset.objects.filter(name__in=names).exclude(identity="").values_list("name", "identity", "version")
    ):
        versions[name, identity].append(version)
    return [
        DatasetOut(
            id=dataset.pk,
            name=dataset.name,
            version=dataset.version,
            format=dataset.format,
            format_title=FORMATS[dataset.format].title,
            file=dataset.file,
            second_file=dataset.second_file,
            file_sha256=dataset.file_sha256,
            file_bytes=dataset.file_bytes,
            reader_version=dataset.reader_version,
            status=Status(dataset.status),
            reason=dataset.reason,
            questions=dataset.questions_stored,
            malformed=dataset.malformed_found,
            train=dataset.train,
            validation=dataset.validation,
            gold_missing=sum(dataset.gold_missing.values()),
            gold_problems=_gold_problems(dataset),
            gold_warning=_gold_warning(dataset),
            identity=dataset.identity,
            identity_algorithm=dataset.identity_algorithm,
            same_as=sorted(set(versions[dataset.name, dataset.identity]) - {dataset.version}),
            starter=None if dataset.starter is None else dataset.starter.display_name,
            created_at=dataset.created_at,
            finished_at=dataset.finished_at,
            archived=dataset.archived_at is not None,
            evaluations=evaluations.get(dataset.pk, 0),
        )
        for dataset in datasets
    ]


def dataset_entries(dataset: Dataset) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """What was read from a dataset's file: what is malformed, as far as it was kept, then the questions."""
    for entry in dataset.malformed.order_by("position").iterator(_ROWS_AT_ONCE):
        yield RefusedQuestion(entry.place, entry.reason, entry.detail)
    for row in dataset.questions.order_by("position").iterator(_ROWS_AT_ONCE):
        yield row.to_benchmark()


def questions_read_ensure(*, dataset: Dataset, viewer: Viewer) -> None:
    """Check that a viewer may read the questions of a dataset: everybody may, except for questions that users asked.

    Raises:
        ProductError: they may not; it says who may.

    """
    if FORMATS[dataset.format].of_people and not may(viewer, Action.MANAGE_PROJECTS):
        message = "People asked these questions, so reviewers and administrators alone read them. Sign in as one."
        raise refusal(viewer, "reviewers_only", message)


def question_page(*, dataset: Dataset, viewer: Viewer, search: str, after: int, limit: int) -> QuestionPageOut:
    """Some of a dataset's questions after a position, those with the words in their text or id."""
    hidden = gold_hidden(viewer=viewer, name=dataset.name, dataset=dataset)
    found: QuerySet[Question] = dataset.questions.all()
    if words := search.strip():
        found = found.filter(Q(text__icontains=words) | Q(question_id__icontains=words))
    rows = list(found.filter(position__gt=after).order_by("position")[: limit + 1])
    return QuestionPageOut(
        questions=[_question(row, is_gold_hidden=bool(hidden)) for row in rows[:limit]],
        next=rows[limit - 1].position if len(rows) > limit else None,
        total=found.count() if words else dataset.questions_stored,
        gold_hidden=hidden,
        all=dataset.questions_stored,
    )


def malformed_page(*, dataset: Dataset, after: int, limit: int) -> MalformedPageOut:
    """Some of what is malformed in a dataset's file, after a position."""
    rows = list(dataset.malformed.filter(position__gt=after).order_by("position")[: limit + 1])
    return MalformedPageOut(
        entries=[
            MalformedEntryOut(position=row.position, place=row.place, reason=row.reason, detail=row.detail)
            for row in rows[:limit]
        ],
        next=rows[limit - 1].position if len(rows) > limit else None,
        kept=dataset.malformed.count(),
        all=dataset.malformed_found,
    )


def malformed_table(dataset: Dataset) -> Iterator[list[str]]:
    """What is malformed as the rows of a table, the first of which is its head."""
    yield list(MALFORMED_COLUMNS)
    for row in dataset.malformed.order_by("position").iterator(_ROWS_AT_ONCE):
        yield [cell(value) for value in (row.position, row.place, row.reason, row.detail)]


def _gold_problems(dataset: Dataset) -> list[GoldProblemOut]:
    return [
        GoldProblemOut(reason=reason, questions=count)
        for reason, count in Counter[str](dataset.gold_missing).most_common()
    ]


def _gold_warning(dataset: Dataset) -> bool:
    unreadable = sum(count for reason, count in dataset.gold_missing.items() if reason not in NO_GOLD_IN_FILE)
    is_of_queries = FORMATS[dataset.format].has_gold_queries
    return is_of_queries and unreadable > UNREADABLE_GOLD_WARNING * dataset.questions_stored


def _question(row: Question, *, is_gold_hidden: bool) -> QuestionOut:
    question = row.to_benchmark()
    return QuestionOut(
        position=row.position,
        question_id=row.question_id,
        text=row.text,
        split=cast("Split", row.split),
        identity=row.identity,
        text_hash=row.text_hash,
        labels={} if is_gold_hidden else dict(question.labels),
        readings=[] if is_gold_hidden else [_reading(parse) for parse in question.parses],
    )


def _reading(parse: GoldParse) -> ReadingOut:
    steps = () if parse.derivation is None else parse.derivation.steps
    answers = sorted(map(str, parse.answers))
    return ReadingOut(
        topic=None if parse.topic is None else parse.topic.mid,
        answers=answers[:ANSWERS_SHOWN],
        answers_total=len(answers),
        path=[str(step.relation) for step in steps],
        problem=parse.problem,
    )
