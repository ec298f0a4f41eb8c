"""Ask a benchmark's question and compare the answer."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

from kgstore.store import GraphStoreError
from kgstore.terms import Entity, parse_term
from reasoning import events
from reasoning.core.blame import Blame, Cause
from reasoning.core.boundary import UNFORESEEN, UnforeseenError, one_question
from reasoning.core.compared import as_compared
from reasoning.core.derivation import Count
from reasoning.core.errors import ScorerUnavailableError, WritingCancelledError
from reasoning.core.options import COUNT_PLACE, Stage
from reasoning.core.structure import ROOT
from reasoning.core.trace import Trace
from reasoning.datasets.benchmarks.values import YES_OR_NO
from reasoning.datasets.question import ANSWERS, UNKNOWN
from reasoning.engine.engine import answer
from reasoning.evaluation.judging.blame import TOO_LONG, blame
from reasoning.evaluation.judging.cases import case_of
from reasoning.evaluation.judging.ceiling import ceiling, reaches
from reasoning.evaluation.judging.comparison import (
    answers_of,
    asks_for_number,
    asks_yes_or_no,
    bearers,
    compared_terms,
    knows_names_alone,
)
from reasoning.evaluation.judging.diagnosis import diagnosis
from reasoning.evaluation.judging.outcome import Outcome, Verdict
from reasoning.evaluation.judging.rows import graph_of
from reasoning.evaluation.metrics.edit_distance import EMPTY, edit_distance, query_graph
from reasoning.evaluation.metrics.metrics import best_over, graph_hit, relation_recall
from reasoning.evaluation.metrics.structure_size import hops, structure_size
from reasoning.evaluation.predictions.predictions import Given
from reasoning.evaluation.rules.logical_form import MAX_FORM_LENGTH, compare_forms
from reasoning.evaluation.rules.registry import judged_by_rules
from reasoning.evaluation.rules.rule_set import JudgedQuestion
from reasoning.question.counting import terms_shown
from reasoning.run.diagnosis import FAILED, DogDiagnosis
from reasoning.run.run import DECISIONS_ALONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation, PartialDerivation
    from reasoning.core.options import Choice
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.rows import RowGraphs
    from reasoning.evaluation.judging.settings import EvaluationSettings
    from reasoning.evaluation.rules.rule_set import Values
    from reasoning.scorers.base import Scorer
    from reasoning.writers.base import Writer

TOPIC_GAP = "topic_not_in_graph"
"""The reason of outcomes whose gold topic entity the graph does not hold."""
NO_TOPIC = "no_gold_topic"
"""The reason of outcomes whose topic entity was to be given, but the benchmark names none."""

NO_OWN_GRAPH = "own_graph_is_empty"
"""The reason, in outcomes of earlier versions, of a question whose own graph has no triple."""
NOTHING_PREDICTED = "nothing_predicted"
"""The reason of outcomes where another system says that there is no answer."""
NOT_PREDICTED = "not_predicted"
"""The reason of outcomes where another system's file says nothing of the question."""

_OF_THE_RUN = (
    *("topic", "predicted", "predicted_labels", "predicted_total", "verdict", "reason", "derivation", "confidence"),
    *("calls", "tokens_in", "tokens_out", "seconds", "stage_seconds", "stage_costs", "graph_facts", "graph_nodes"),
    "emitted",
)
"""The fields of an outcome that say what was done, and not how it compares."""
_ANY = Entity("m.0")
_PREDICTIONS_KEPT = 200
"""Maximum of answers that an outcome lists. All of them are compared."""


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

    It is asked of a graph, or of its own among the graphs of all rows; that one may be empty. These count as failed: a
    run that fails by what is peculiar to the question, one that ends with an unexpected error, and one that takes
    more than ``longest`` seconds. ``watch`` is called after each event of the run, and now
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
    store = graph_of(question, graph)
    trace = Trace()
    emitted: list[events.StageEvent] = []
    started = perf_counter()
    try:
        last = _run(question, store, scorer, settings, trace, emitted, writer, until=started + longest, watch=watch)
        seconds = perf_counter() - started
        with one_question(question.id):
            judged = _judged(question, store, settings, trace, last, seconds)
            judged = replace(judged, blame=blame(judged, question, store), emitted=tuple(emitted))
            return replace(judged, dog=diagnosis(judged, question, store, trace, settings))
    except UnforeseenError as error:
        failed = _failed_alone(question, str(error), perf_counter() - started, settings)
        return replace(failed, by_rules=_silent_by_rules(question))


def _failed_alone(question: BenchmarkQuestion, reason: str, seconds: float, settings: EvaluationSettings) -> Outcome:
    """The outcome of a question whose run came to nothing that could be judged."""
    failed = _failed(question, reason, seconds)
    return replace(failed, dog=FAILED) if settings.has_error_classes and not failed.is_right else failed


def _silent_by_rules(question: BenchmarkQuestion) -> Mapping[str, Values]:
    """What rule sets make of a question over which something broke."""
    golds = [frozenset(as_compared(parse.answers)) for parse in question.parses]
    names = _names(question) or tuple(map(str, answers_of(question)))
    return judged_by_rules(JudgedQuestion(golds, (), names, (), gold_forms=_gold_forms(question)))


def _failed(question: BenchmarkQuestion, reason: str, seconds: float) -> Outcome:
    """The outcome of a question over which something broke: nothing is predicted."""
    golds = [frozenset(as_compared(parse.answers)) for parse in question.parses]
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
        graph_gap=False,
        answerable=answerable,
        hit=compared.hit,
        hit_first=compared.hit_first,
        exact=compared.exact,
        precision=compared.precision,
        recall=compared.recall,
        f1=compared.f1,
        case=case if answerable else None,
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


def _yes_or_no(finished: events.Finished | None) -> tuple[Term, ...]:
    """Whether what a question claims is so; nothing where the run does not tell."""
    if finished is None:
        return ()
    compared = None if finished.compared is None else finished.compared.holds
    holds = compared if finished.claim is None else finished.claim.holds
    return () if holds is None else (YES_OR_NO[holds],)


def _judged(
    question: BenchmarkQuestion,
    store: GraphStore,
    settings: EvaluationSettings,
    trace: Trace,
    last: events.StageEvent | str,
    seconds: float,
    *,
    by_name: bool = False,
    given: Given | None = None,
    is_predicted: bool = True,
) -> Outcome:
    """``given`` is what another system predicted; ``is_predicted`` whether its file names the question."""
    if isinstance(trace.fault, ScorerUnavailableError):
        raise trace.fault
    if isinstance(trace.fault, GraphStoreError):
        # Where the graph is there for another query, it was this question's own that failed.
        store.cards([_ANY])
    by_name = by_name or knows_names_alone(question)
    golds = [frozenset(compared_terms(parse.answers, store, by_name=by_name)) for parse in question.parses]
    counted = trace.counted and asks_for_number(question)
    finished = last if isinstance(last, events.Finished) else None
    answers = terms_shown(trace.answers, counted=counted)
    if asks_yes_or_no(question):
        answers = _yes_or_no(finished)
    predicted = compared_terms(answers, store, by_name=by_name)
    compared, chosen = best_over(predicted, golds)
    answerable = any(golds)
    brought_in = [set(compared_terms(members, store, by_name=by_name)) for members in trace.graph.members[ROOT + 1 :]]
    if counted:
        # No fact holds the number: it is in G_k where what was counted is.
        brought_in.append(set(predicted))
    retrieved = graph_hit(brought_in, golds) if answerable else None
    perfect = ceiling(question, store) if settings.perfect else None
    verdict, reason = _verdict(last)
    gap = answerable and not (compared.hit or retrieved) and (reason == TOPIC_GAP or _is_gap(question, store))
    gold = _nearest(trace.derivation, question)
    first = next((parse.derivation for parse in question.parses if parse.derivation is not None), None)
    topics = {parse.topic for parse in question.parses if parse.topic is not None}
    reported = answers if asks_yes_or_no(question) else trace.answers
    predicted_terms, known = reported[:_PREDICTIONS_KEPT], sorted(question.parses[chosen].answers, key=str)
    accepted = sorted(answers_of(question), key=str)
    labels = store.labels({*predicted_terms, *answers, *accepted})
    case = case_of(graph_hit=bool(retrieved), hit=compared.hit, hit_first=compared.hit_first)
    return replace(
        _failed(question, reason, seconds),
        topic=_mid(trace.topic),
        topic_right=trace.topic in topics if settings.topics == "linked" and topics else None,
        gold=tuple(map(str, known)),
        gold_labels=tuple(labels[term] for term in known),
        predicted=tuple(map(str, predicted_terms)),
        predicted_labels=tuple(labels[term] for term in predicted_terms),
        predicted_total=len(reported),
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
        edge_distance=None if gold is None else _distance(trace.derivation, gold, edges_alone=True),
        graph_facts=len(trace.graph.facts),
        graph_nodes=len(frozenset[object]().union(*trace.graph.members)),
        graph_hit=retrieved,
        leaves=None if first is None else structure_size(first).leaves,
        hops=None if first is None else hops(first),
        confidence=None if finished is None or finished.partial else finished.confidence,
        calls=0 if finished is None else finished.cost.calls,
        tokens_in=0 if finished is None else finished.cost.tokens_in,
        tokens_out=0 if finished is None else finished.cost.tokens_out,
        stage_seconds={} if finished is None else dict(finished.seconds),
        stage_costs={}
        if finished is None or finished.costs is None
        else {stage: cost.model_dump() for stage, cost in finished.costs.items()},
        by_rules=judged_by_rules(
            JudgedQuestion(
                golds,
                predicted,
                _names(question) or [labels[term] for term in accepted],
                _said(given, answers, labels),
                is_predicted=is_predicted,
                ground_truth=() if given is None else given.ground_truth,
                gold_forms=_gold_forms(question),
                form="" if given is None else given.logical_form,
            )
        ),
        perfect_f1=None if perfect is None else perfect.f1,
        perfect_hit_first=None if perfect is None else perfect.hit_first,
    )


def judge_given(
    question: BenchmarkQuestion,
    store: GraphStore,
    settings: EvaluationSettings,
    answers: Sequence[Term] | None,
    *,
    system: str,
    by_name: bool = False,
    given: Given | None = None,
) -> Outcome:
    """Compare what another system answered with the gold answers; None where it says nothing of the question.

    Compared are ids, or names where the benchmark or, ``by_name``, the system has only names. There is no
    G_k, so there is no error class. A question of which nothing is said has failed in all figures, as WebQSP's
    official script has it. ``given`` is the prediction as the file has it, with its logical form.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    trace = Trace()
    trace.answers = tuple(answers or ())
    forms, form = _gold_forms(question), "" if given is None else given.logical_form
    judged = replace(
        _judged(
            question,
            store,
            settings,
            trace,
            NOTHING_PREDICTED,
            0.0,
            by_name=by_name,
            given=given,
            is_predicted=answers is not None,
        ),
        system=system,
        logical_form=form[:MAX_FORM_LENGTH],
        exact_form=compare_forms(form, forms).is_same if forms else None,
        compared_by="name" if by_name else question.compared_by,
        topic_right=None,
        case=None,
        relation_recall=None,
        edit_distance=None,
        edge_distance=None,
        graph_facts=None,
        graph_nodes=None,
        graph_hit=None,
    )
    if answers:
        return replace(judged, verdict="answered", reason="answered")
    if answers is not None:
        return replace(judged, verdict="no_answer_found")
    return replace(
        judged,
        verdict="failed",
        reason=NOT_PREDICTED,
        hit=False,
        hit_first=False,
        exact=False,
        precision=0.0,
        recall=0.0,
        f1=0.0,
    )


def judged_again(
    outcome: Outcome, question: BenchmarkQuestion, store: GraphStore, settings: EvaluationSettings
) -> Outcome | None:
    """An outcome compared with other readings of its question, over the same graph; no model is asked.

    What was answered, why, and what it cost stay; rules of other scripts are not applied. None where the outcome lists
    only some of the answers, and its decisions do not lead to them again. The error class of the strategy is
    computed again by the events of the run, where the outcome has them.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if outcome.system:
        if outcome.predicted_total > len(outcome.predicted):
            return None
        answers = None if outcome.reason == NOT_PREDICTED else [parse_term(term) for term in outcome.predicted]
        again = judge_given(
            question,
            store,
            settings,
            answers,
            system=outcome.system,
            by_name=outcome.compared_by == "name",
            given=Given(logical_form=outcome.logical_form),
        )
        return replace(again, by_rules={})
    if outcome.derivation is None and outcome.verdict == "failed":
        failed = _failed_alone(question, outcome.reason, outcome.seconds, settings)
        return replace(failed, graph_gap=outcome.graph_gap)
    trace = _traced_again(outcome, question, store, settings)
    if trace is None:
        return None
    again = _judged(question, store, settings, trace, outcome.reason, outcome.seconds)
    kept = {name: getattr(outcome, name) for name in _OF_THE_RUN}
    found = replace(again, **kept, by_rules={})
    found = replace(found, blame=blame(found, question, store))
    return replace(found, dog=diagnosis(found, question, store, trace, settings))


def blamed(outcome: Outcome, question: BenchmarkQuestion, graph: GraphStore | RowGraphs) -> Blame | None:
    """What was to blame by an outcome that does not tell it; the same as where it was judged over that graph today.

    Raises:
        DatasetError: the file of the graphs lacks the question's row: it changed.
        GraphLoadError: the question's own graph cannot be written.
        GraphStoreError: the graph cannot be read.

    """
    if outcome.reason == NO_OWN_GRAPH:
        return Blame(Cause.GAP) if outcome.graph_gap else None
    if outcome.verdict == "failed" and outcome.reason.startswith(UNFORESEEN):
        return None
    return blame(outcome, question, graph_of(question, graph))


def error_class(
    outcome: Outcome, question: BenchmarkQuestion, graph: GraphStore | RowGraphs, settings: EvaluationSettings
) -> DogDiagnosis | None:
    """The strategy's error class by an outcome that does not tell it, but what is to blame and the events of its run.

    It is the same as where the outcome was judged over that graph today. None too where those events were not kept, or
    not all answers.

    Raises:
        DatasetError: the file of the graphs lacks the question's row: it changed.
        GraphLoadError: the question's own graph cannot be written.
        GraphStoreError: the graph cannot be read.

    """
    if outcome.is_right:
        return None
    if outcome.verdict == "failed" and outcome.derivation is None:
        return FAILED
    store = graph_of(question, graph)
    trace = _traced_again(outcome, question, store, settings)
    return None if trace is None else diagnosis(outcome, question, store, trace, settings)


def _traced_again(
    outcome: Outcome, question: BenchmarkQuestion, store: GraphStore, settings: EvaluationSettings
) -> Trace | None:
    """What a run came to, by its decisions; None where the outcome lists only some answers that they do not lead to."""
    trace = Trace()
    if outcome.derivation is not None:
        _decided_again(outcome.derivation, question, store, settings, trace)
    if outcome.predicted_total <= len(outcome.predicted):
        trace.answers = tuple(map(parse_term, outcome.predicted))
    elif tuple(map(str, trace.answers[:_PREDICTIONS_KEPT])) != outcome.predicted:
        return None
    return trace


def _decided_again(
    derivation: PartialDerivation,
    question: BenchmarkQuestion,
    store: GraphStore,
    settings: EvaluationSettings,
    trace: Trace,
) -> None:
    """Let the engine take the decisions of a run once more, up to where it came, so that the trace holds its facts."""
    steps, constraints = derivation.steps, derivation.constraints
    given: dict[tuple[Stage, int], Choice] = {(Stage.SEARCH, number): step for number, step in enumerate(steps)}
    if constraints or derivation.answer_position is not None:
        given[Stage.SEARCH, len(steps)] = None
    given |= {(Stage.PRUNE, number): constraint for number, constraint in enumerate(constraints)}
    if derivation.answer_position is not None:
        given |= {(Stage.PRUNE, len(constraints)): None, (Stage.INFER, 0): derivation.answer_position}
        given[COUNT_PLACE] = Count() if derivation.counted else None
    run = answer(
        question.text,
        store,
        None,
        given=given,
        otherwise="stop",
        topic=derivation.topic,
        limits=DECISIONS_ALONE,
        switches=settings.switches(question),
        today=question.today,
        trace=trace,
    )
    for _ in run:
        pass
    trace.constraints, trace.position, trace.counted = constraints, derivation.answer_position, derivation.counted


def _names(question: BenchmarkQuestion) -> tuple[str, ...]:
    """The names of the gold answers of all readings in the benchmark's file, each once."""
    return tuple(dict.fromkeys(name for parse in question.parses for name in parse.answer_names))


def _gold_forms(question: BenchmarkQuestion) -> list[str]:
    return [parse.logical_form for parse in question.parses if parse.logical_form]


def _said(given: Given | None, answers: Sequence[Term], names: Mapping[Term, str]) -> str | Sequence[str]:
    """What rules that compare texts read: the text of another system's file, or else the names of the answers.

    A text that holds ids is no text to compare with names.
    """
    if given is not None and given.said is not None:
        text = (given.said if isinstance(given.said, str) else "\n".join(given.said)).casefold()
        if all(names[term].casefold() in text for term in answers if isinstance(term, Entity)):
            return given.said
    return [names[term] for term in answers]


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
    emitted: list[events.StageEvent],
    writer: Writer | None,
    *,
    until: float,
    watch: Callable[[], None],
) -> events.StageEvent | str:
    """The last event, or the reason why the topic entity to be given cannot be; the others go to ``emitted``."""
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
        today=question.today,
        trace=trace,
        cancelled=lambda: perf_counter() > until or not goes_on(),
    )
    try:
        for event in _unbroken(question, run):
            watch()
            if event.kind in events.TERMINAL_KINDS:
                return event
            emitted.append(event)
            if perf_counter() > until:
                return too_long
    except WritingCancelledError:
        if ended_by is None:
            return too_long
        raise ended_by from None
    raise RuntimeError("a run did not end")


def _unbroken(question: BenchmarkQuestion, run: Iterator[events.StageEvent]) -> Iterator[events.StageEvent]:
    """The events of a run. An error of the run is unforeseen; errors of the consumer pass through."""
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


def _distance(predicted: PartialDerivation | None, gold: Derivation, *, edges_alone: bool = False) -> int | None:
    found = EMPTY if predicted is None else query_graph(predicted)
    return edit_distance(found, query_graph(gold), edges_alone=edges_alone)


def _mid(entity: Entity | None) -> str | None:
    return None if entity is None else entity.mid
