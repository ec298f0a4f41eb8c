"""The figures of a perfect chooser: gold derivations, fitted to a graph and replayed by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Text
from reasoning.core.compared import as_compared
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.evaluation.judging.comparison import bearers, compared_terms, knows_names_alone
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.metrics.metrics import best_over
from reasoning.gold.fitting import fit, read_with_answers, replay
from reasoning.narration.replay import choices_of
from reasoning.question.counting import terms_shown
from reasoning.run.run import TERSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation
    from reasoning.datasets.question import BenchmarkQuestion, GoldParse
    from reasoning.evaluation.metrics.metrics import Comparison


def ceiling(question: BenchmarkQuestion, store: GraphStore) -> Comparison:
    """The comparison that the best of the question's readings comes to when it is replayed, by F1.

    Each reading's derivation is fitted to the graph first (see `reasoning.gold.fitting`); one that leads to no gold
    answer even then counts as answered with nothing.

    Raises:
        GraphStoreError: the graph cannot be read.
        ValueError: the question has no reading.

    """
    found = [compared_with(question, None, store)]
    found += [compared_with(question, fitted, store) for fitted in fitted_readings(question, store)]
    return max(found, key=lambda one: one.f1)


def fitted_readings(question: BenchmarkQuestion, store: GraphStore) -> Iterator[Derivation]:
    """The derivations of a question's readings, fitted to a graph; those that lead to no gold answer are left out.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    by_name = knows_names_alone(question)
    for parse in question.parses:
        if parse.topic is None:
            continue
        answers = _answers_in(store, question, parse, by_name=by_name)
        fitted = fit(parse.derivation, parse.topic, answers, store, topic_may_answer=question.topic_may_answer)
        if fitted is not None:
            yield fitted.derivation


def compared_with(question: BenchmarkQuestion, derivation: Derivation | None, store: GraphStore) -> Comparison:
    """How the answers of a derivation compare with what the benchmark says; without one, nothing is answered.

    Raises:
        GraphStoreError: the graph cannot be read.
        ValueError: the question has no reading.

    """
    by_name = knows_names_alone(question)
    golds = [frozenset(compared_terms(parse.answers, store, by_name=by_name)) for parse in question.parses]
    answers = () if derivation is None else _replayed(question, derivation, store)
    return best_over(compared_terms(answers, store, by_name=by_name), golds)[0]


def _answers_in(store: GraphStore, question: BenchmarkQuestion, parse: GoldParse, *, by_name: bool) -> frozenset[Term]:
    """A reading's gold answers as terms of a graph: a text there may bear a language, and a name is no id."""
    gold = frozenset(compared_terms(parse.answers, store, by_name=by_name))
    if not any(isinstance(answer, Text) for answer in gold):
        return parse.answers
    found = None
    if parse.derivation is not None:
        found = read_with_answers(store, parse.derivation, topic_may_answer=question.topic_may_answer)
    terms = [*(bearers(parse.answers, store) if by_name else ()), *(() if found is None else found[1])]
    names = compared_terms(terms, store, by_name=by_name)
    return parse.answers | {term for term, name in zip(terms, names, strict=True) if name in gold}


def _replayed(question: BenchmarkQuestion, derivation: Derivation, store: GraphStore) -> Sequence[Term]:
    """The answers, the first one first; none where the engine could not have come to this derivation."""
    trace = Trace()
    switches = EvaluationSettings().switches(question)
    given = choices_of(derivation)
    for event in answer(
        question.text, store, None, topic=derivation.topic, given=given, limits=TERSE, switches=switches, trace=trace
    ):
        if event.kind == "failed":
            return ()
    return terms_shown(trace.answers, counted=trace.counted)


def reaches(derivation: Derivation, answers: frozenset[Term], store: GraphStore) -> bool:
    """Whether a derivation, as it is, leads to one of the answers in a graph."""
    return not as_compared(answers).isdisjoint(as_compared(replay(derivation, store)))
