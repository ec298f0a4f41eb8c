"""Judge what other systems answered: by the same comparison, over the same graph, into the same outcomes."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kgstore.freebase_ids import is_mid
from kgstore.terms import Entity, Term, TermError, Text, parse_term, read_entity
from reasoning.core.compared import as_compared, compared_term
from reasoning.datasets.benchmarks.values import read_value
from reasoning.evaluation.judging.comparison import answers_of
from reasoning.evaluation.judging.judging import judge_given
from reasoning.evaluation.judging.rows import RowGraphs, graph_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.loop import OpenQuestions
    from reasoning.evaluation.judging.settings import EvaluationSettings
    from reasoning.evaluation.predictions.predictions import Given, GivenAnswer

_ADDRESS = re.compile(
    r"^<?(?:https?://)?(?:rdf\.freebase\.com/ns/|(?:www\.)?freebase\.com/)|^(?:ns|fb)?:(?=[mg]\.)|^(?:ns|fb):|>$"
)
_PATH_OF_ID = re.compile(r"^/?([mg])/(?=\w+$)")
"""How an id begins that is written as a path: ``/m/03_r3``, or ``m/03_r3`` after an address."""


def judge_others(
    questions: OpenQuestions,
    graph: GraphStore | Path,
    given: Callable[[BenchmarkQuestion], Given | None],
    settings: EvaluationSettings,
    *,
    system: str,
) -> None:
    """Judge what another system answered to open questions, and keep the outcomes; no model is asked.

    ``graph`` is as for `reasoning.evaluation.judging.loop.judge_all`; ``given`` says what was predicted for a question.

    Raises:
        DatasetError, GraphLoadError, GraphStoreError: the graph cannot be read; this question is not judged.

    """
    with RowGraphs(graph) if isinstance(graph, Path) else nullcontext(graph) as graphs:
        for question in questions:
            store = graph_of(question, graphs)
            prediction = given(question)
            answers = None if prediction is None else read_given(prediction, question, store)
            terms, by_name = (None, False) if answers is None else (answers.terms, answers.by_name)
            questions.keep(
                judge_given(question, store, settings, terms, system=system, by_name=by_name, given=prediction)
            )


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """What a system's answers are."""

    terms: list[Term]
    """A name is a text."""
    by_name: bool
    """Whether one is a name, where the gold answers have ids: then names are compared."""


def read_given(given: Given, question: BenchmarkQuestion, store: GraphStore) -> ReadAnswers:
    """What a system's answers are: an entity where a text is its id, a value, or else a name.

    What is written like a mid is one. Any other text is an id where the graph or the gold answers have it. ``1984`` is
    a year, but the name of a gold answer that is called so.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    return _Reader(given.answers, question, store).read(given.answers)


class _Reader:
    """Reads the answers to one question."""

    def __init__(self, given: Sequence[GivenAnswer], question: BenchmarkQuestion, store: GraphStore) -> None:
        self._golds = as_compared(answers_of(question))
        texts = [text for each in given for text in (each.id, each.text) if text]
        self._ids = {text: entity for text in texts if (entity := _entity(text)) is not None}
        self._known = {*store.cards([*self._ids.values()])} | self._golds
        entities = [term for term in self._golds if isinstance(term, Entity)]
        self._has_entities = bool(entities)
        self._names = {_folded(label) for label in store.labels(entities).values()}

    def read(self, given: Sequence[GivenAnswer]) -> ReadAnswers:
        """All of them."""
        found = [self._answer(each) for each in given]
        terms = [Text(name) if term is None else term for term, name in found]
        return ReadAnswers(terms, self._has_entities and any(term is None for term, _ in found))

    def _answer(self, answer: GivenAnswer) -> tuple[Term | None, str]:
        """The term; None where it is a name, and the name."""
        if answer.id:
            term, name = self._text(answer.id)
            # An id that this graph does not know may be another graph's: then the name counts.
            if not answer.name or (term is not None and (term in self._known or not isinstance(term, Entity))):
                return term, name
        return self._text(answer.text or answer.name)

    def _text(self, text: str) -> tuple[Term | None, str]:
        entity = self._ids.get(text)
        if entity is not None and (entity in self._known or is_mid(entity.mid)):
            return entity, ""
        name = " ".join(text.split())
        if text.startswith('"'):
            try:
                return compared_term(parse_term(text)), ""
            except TermError:
                return None, name
        if _folded(text) in self._names:
            return None, name
        try:
            value = compared_term(read_value(text))
        except TermError:
            return None, name
        return (None, name) if isinstance(value, Text) and value not in self._golds else (value, "")


def _entity(text: str) -> Entity | None:
    plain = _ADDRESS.sub("", text)
    if not plain.strip("/") or any(each.isspace() for each in plain) or plain.startswith('"'):
        return None
    plain = _PATH_OF_ID.sub(r"\1.", plain)
    return read_entity(plain)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
