"""Ask a benchmark's question and compare the answer."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from kgstore.terms import Entity
from reasoning import events
from reasoning.boundary import UnforeseenError, one_question
from reasoning.datasets.question import ANSWERS, UNKNOWN
from reasoning.engine import answer
from reasoning.errors import ScorerUnavailableError, WritingCancelledError
from reasoning.evaluation.cases import case_of
from reasoning.evaluation.ceiling import ceiling, reaches
from reasoning.evaluation.comparison import answers_of, bearers, compared_terms, knows_names_alone, without_language
from reasoning.evaluation.edit_distance import EMPTY, edit_distance, query_graph
from reasoning.evaluation.metrics import best_over, graph_hit, relation_recall
from reasoning.evaluation.outcome import Outcome, Verdict
from reasoning.evaluation.rows import RowGraphs
from reasoning.evaluation.structure_size import hops, structure_size
from reasoning.run import DECISIONS_ALONE
from reasoning.structure import ROOT
from reasoning.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.derivation import Derivation, PartialDerivation
    from reasoning.evaluation.settings import EvaluationSettings
    from reasoning.scorers.base import Scorer
    from reasoning.writers.base import Writer

TOPIC_GAP = "topic_not_in_graph"
"""The reason of outcomes whose gold topic entity the graph does not hold."""
NO_TOPIC = "no_gold_topic"
"""The reason of outcomes whose topic entity was to be given, but the benchmark names none."""

NO_OWN_GRAPH = "own_graph_is_empty"
"""The reason of outcomes whose question brings a graph without any triple."""
TOO_LONG = "timeout"
"""The reason of outcomes whose run took too long."""

_ANY = Entity("m.0")
_PREDICTIONS_KEPT = 200
"""So many answers an outcome lists; all of them are compared."""


def ask(
    question: BenchmarkQuestion,
    graph: GraphStore | RowGraphs,
    scorer: Scorer,
    settings: EvaluationSettings,
    *,
    longest: float = inf,
    watch: Callable[[], None] = lambda: None,
    writer: Writer | None = None,
) -> Outcome:
    """Ask one question and compare what comes of it with every reading that the benchmark accepts.

    It is asked of a graph, or of its own among the graphs of all rows. These count as failed: a question whose own
    graph holds nothing, a run that fails by what is peculiar to the question, one that breaks in a way that nobody
    foresaw, and one that takes more than ``longest`` seconds. ``watch`` is called after each event of the run, and now
    and then while a model writes; what it raises ends the question. ``writer`` is for strategies that need one.

    Raises:
        DatasetError: the file of the graphs lacks the question's row: it changed.
        GraphLoadError: the question's own graph cannot be written.
        GraphStoreError: the graph cannot be read; the question is not judged.
        ScorerUnavailableError: the model cannot be asked; likewise.
        ValueError: the benchmark does not say what the answers are; see `is_judged`.

    """
    if not is_judged(question):
        raise ValueError(f"the answers to {question.id} are not known")
    try:
        store = graph.open(question.row) if isinstance(graph, RowGraphs) else graph
    except GraphLoadError as error:
        if error.__cause__ is not None:
            # What a loader does not find in the row itself, such as a full disk, stops every question.
            raise
        return _failed(question, NO_OWN_GRAPH, 0.0, graph_gap=True)
    trace = Trace()
    told: list[events.StageEvent] = []
    started = perf_counter()
    try:
        last = _run(question, store, scorer, settings, trace, told, writer, until=started + longest, watch=watch)
        seconds = perf_counter() - started
        with one_question(question.id):
            return replace(_judged(question, store, settings, trace, last, seconds), told=tuple(told))
    except UnforeseenError as error:
        return _failed(question, str(error), perf_counter() - started)


def _failed(question: BenchmarkQuestion, reason: str, seconds: float, *, graph_gap: bool = False) -> Outcome:
    """The outcome of a question over which something broke: nothing is predicted."""
    golds = [frozenset(map(without_language, parse.answers)) for parse in question.parses]
    compared, chosen = best_over([], golds)
    known = tuple(sorted(map(str, question.parses[chosen].answers)))
    answerable = any(golds)
    case = case_of(graph_hit=False, hit=compared.hit, hit_first=compared.hit_first)
    return Outcome(
        id=question.id,
        question=question.text,
        labels=question.labels,
        row=question.row,
        split=question.split,
        gold_topic=_mid(question.topic),
        topic=None,
        topic_right=None,
        gold=known,
        gold_labels=known,
        predicted=(),
        predicted_labels=(),
        predicted_total=0,
        compared_by=question.compared_by,
        verdict="failed",
        reason=reason,
        derivation=None,
        gold_derivation=None,
        problem=question.parses[chosen].problem,
        graph_gap=answerable and graph_gap,
        answerable=answerable,
        hit=compared.hit,
        hit_first=compared.hit_first,
        exact=compared.exact,
        precision=compared.precision,
        recall=compared.recall,
        f1=compared.f1,
        case=case if answerable and not graph_gap else None,
        relation_recall=None,
        edit_distance=None,
        graph_hit=False if answerable else None,
        leaves=None,
        hops=None,
        calls=0,
        tokens_in=0,
        tokens_out=0,
        seconds=seconds,
    )


def _judged(
    question: BenchmarkQuestion,
    store: GraphStore,
    settings: EvaluationSettings,
    trace: Trace,
    last: events.StageEvent | str,
    seconds: float,
) -> Outcome:
    if isinstance(trace.fault, ScorerUnavailableError):
        raise trace.fault
    if isinstance(trace.fault, GraphStoreError):
        # Where the graph is there for another query, it was this question's own that failed.
        store.cards([_ANY])
    by_name = knows_names_alone(question)
    golds = [frozenset(compared_terms(parse.answers, store, by_name=by_name)) for parse in question.parses]
    predicted = compared_terms(trace.answers, store, by_name=by_name)
    compared, chosen = best_over(predicted, golds)
    answerable = any(golds)
    brought_in = [set(compared_terms(members, store, by_name=by_name)) for members in trace.graph.members[ROOT + 1 :]]
    retrieved = graph_hit(brought_in, golds) if answerable else None
    perfect = ceiling(question, store) if settings.perfect else None
    verdict, reason = _verdict(last)
    gap = answerable and not (compared.hit or retrieved) and (reason == TOPIC_GAP or _is_gap(question, store))
    gold = _nearest(trace.derivation, question)
    first = next((parse.derivation for parse in question.parses if parse.derivation is not None), None)
    topics = {parse.topic for parse in question.parses if parse.topic is not None}
    told, known = trace.answers[:_PREDICTIONS_KEPT], sorted(question.parses[chosen].answers, key=str)
    labels = store.labels({*told, *known})
    case = case_of(graph_hit=bool(retrieved), hit=compared.hit, hit_first=compared.hit_first)
    finished = last if isinstance(last, events.Finished) else None
    return replace(
        _failed(question, reason, seconds),
        topic=_mid(trace.topic),
        topic_right=trace.topic in topics if settings.topics == "linked" and topics else None,
        gold=tuple(map(str, known)),
        gold_labels=tuple(labels[term] for term in known),
        predicted=tuple(map(str, told)),
        predicted_labels=tuple(labels[term] for term in told),
        predicted_total=len(trace.answers),
        verdict=verdict,
        derivation=trace.derivation,
        gold_derivation=gold,
        problem="" if gold is not None else question.parses[chosen].problem,
        graph_gap=gap,
        hit=compared.hit,
        hit_first=compared.hit_first,
        exact=compared.exact,
        precision=compared.precision,
        recall=compared.recall,
        f1=compared.f1,
        case=case if answerable and not gap else None,
        relation_recall=None if gold is None else relation_recall(trace.derivation, gold),
        edit_distance=None if gold is None else _distance(trace.derivation, gold),
        graph_hit=retrieved,
        leaves=None if first is None else structure_size(first).leaves,
        hops=None if first is None else hops(first),
        confidence=None if finished is None else finished.confidence,
        calls=0 if finished is None else finished.cost.calls,
        tokens_in=0 if finished is None else finished.cost.tokens_in,
        tokens_out=0 if finished is None else finished.cost.tokens_out,
        stage_seconds={} if finished is None else dict(finished.seconds),
        stage_costs={}
        if finished is None or finished.costs is None
        else {stage: cost.model_dump() for stage, cost in finished.costs.items()},
        perfect_f1=None if perfect is None else perfect.f1,
        perfect_hit_first=None if perfect is None else perfect.hit_first,
    )


def is_judged(question: BenchmarkQuestion) -> bool:
    """Whether an answer can be right or wrong: the benchmark has a reading, knows its answers, and scores it."""
    labels = question.labels
    return bool(question.parses) and labels.get(ANSWERS) != UNKNOWN and labels.get("scored") != "no"


def _run(
    question: BenchmarkQuestion,
    store: GraphStore,
    scorer: Scorer,
    settings: EvaluationSettings,
    trace: Trace,
    told: list[events.StageEvent],
    writer: Writer | None,
    *,
    until: float,
    watch: Callable[[], None],
) -> events.StageEvent | str:
    """The last event, or the reason why the topic entity that is to be given cannot be; the others go to ``told``."""
    topic = question.topic if settings.topics == "gold" else None
    if settings.topics == "gold":
        if topic is None:
            return NO_TOPIC
        if not store.cards([topic]):
            return TOPIC_GAP
    too_long = events.Failed(code=TOO_LONG, message="This question took too long.", retryable=True)
    ended_by: Exception | None = None

    def goes_on() -> bool:
        """Watch while a model writes. What is raised then is no fault of the question: it waits until that is left."""
        nonlocal ended_by
        try:
            watch()
        except Exception as error:  # noqa: BLE001 - raised again below
            ended_by = error
        return ended_by is None

    run = answer(
        question.text,
        store,
        scorer,
        topic=topic,
        strategy=settings.strategy,
        writer=writer,
        limits=DECISIONS_ALONE,
        switches=settings.switches(question),
        trace=trace,
        cancelled=lambda: perf_counter() > until or not goes_on(),
    )
    try:
        for event in _unbroken(question, run):
            watch()
            if event.kind in events.TERMINAL_KINDS:
                return event
            told.append(event)
            if perf_counter() > until:
                return too_long
    except WritingCancelledError:
        if ended_by is None:
            return too_long
        raise ended_by from None
    raise RuntimeError("a run did not end")


def _unbroken(question: BenchmarkQuestion, run: Iterator[events.StageEvent]) -> Iterator[events.StageEvent]:
    """The events of a run. What breaks in the run is unforeseen; what whoever takes the events raises is not meant."""
    with one_question(question.id):
        yield from run


def _verdict(last: events.StageEvent | str) -> tuple[Verdict, str]:
    match last:
        case events.Finished(verdict=verdict, reason=reason):
            return verdict, reason
        case events.Failed(code=code):
            return "failed", code
        case str(reason):
            return "not_in_graph", reason
        case _:
            raise TypeError(f"a run ended with {last.kind}")


def _is_gap(question: BenchmarkQuestion, store: GraphStore) -> bool:
    """Whether the graph holds no gold answer.

    A literal cannot be looked up by itself: it is taken to be there if a gold derivation leads to a gold answer, or
    there is no derivation to ask.
    """
    answers = answers_of(question)
    if knows_names_alone(question):
        return not bearers(answers, store)
    entities = [term for term in answers if isinstance(term, Entity)]
    if entities and store.cards(entities):
        return False
    if len(entities) == len(answers):
        return True
    derivations = [parse.derivation for parse in question.parses if parse.derivation is not None]
    return bool(derivations) and not any(reaches(derivation, answers, store) for derivation in derivations)


def _nearest(predicted: PartialDerivation | None, question: BenchmarkQuestion) -> Derivation | None:
    golds = [parse.derivation for parse in question.parses if parse.derivation is not None]
    distances = {gold: _distance(predicted, gold) for gold in golds}
    return min(golds, key=lambda gold: inf if (known := distances[gold]) is None else known, default=None)


def _distance(predicted: PartialDerivation | None, gold: Derivation) -> int | None:
    return edit_distance(EMPTY if predicted is None else query_graph(predicted), query_graph(gold))


def _mid(entity: Entity | None) -> str | None:
    return None if entity is None else entity.mid
