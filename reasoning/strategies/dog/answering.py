"""How DoG answers: with what the last relation led to, or from what the model knows where the rounds were spent.

DoG lets a language model read the answer off the last facts; ours are all that stand there, as its code does for
MetaQA. Its code asks the bare model again where the gold answer was missed; no gold can be seen here, and nothing is
asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import AnswerOption, OptionPool, Stage
from reasoning.facts.answers import Prover
from reasoning.facts.pools import answerable
from reasoning.facts.pruning import Pruning
from reasoning.run.model_answers import ANSWER_TOKENS, InGraph, answered_by_itself, terms_read
from reasoning.run.run import Decision
from reasoning.strategies.answer_candidates import best_first, may_answer
from reasoning.strategies.dog.options import DEBATE
from reasoning.strategies.growth import by_explorer
from reasoning.writers.base import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasoning.run.run import Run

PURPOSE = "an answer without facts, as the rounds are spent"
_ASKED = (
    "Answer the question from what you know. Write nothing but the names of all the answers, one a line. If you know "
    "none, write None.\n\nQuestion: {question}\nAnswers:"
)


def answered(run: Run, *, is_spent: bool) -> Iterator[events.StageEvent]:
    """Tell where the answer stands, and what stands there."""
    if is_spent and run.switches.model_may_answer and run.switches[DEBATE] == "writer":
        yield from _from_memory(run)
        return
    with run.timed(Stage.INFER) as clock:
        made = _position(run)
    if made is None:
        yield run.finished("no_answer_found", "no_relation")
        return
    if not isinstance(made.option, AnswerOption):
        raise TypeError("a pool of answer positions held something else")
    run.trace.position = position = made.option.position
    yield events.AnswerPositionChosen(decision=made.record, position=position, seconds=clock())
    with run.timed(Stage.INFER):
        structure, graph = run.trace.structure, run.trace.graph
        terms = may_answer(run, position)
        run.trace.answers = tuple(best_first(run, terms, position))
        prover = Prover(structure, graph, Pruning(graph.members, {}))
        shown = run.trace.answers[: run.limits.answers_shown]
        answers = run.narrator.answers([prover.prove(term, position, ()) for term in shown])
    yield run.finished("answered", "answered", answers, len(terms))


def _position(run: Run) -> Decision | None:
    """Where the answer stands: as it is given, else at the newest node; None where nothing may be an answer.

    Raises:
        InvalidDecisionError: the given position cannot hold the answer.
        UndecidedStopError: none is given, and the run was asked to stop there.

    """
    places = [place for place in answerable(run.trace.structure, ()) if may_answer(run, place)]
    if not places:
        return None
    pool, made = run.made(Stage.INFER, 0, OptionPool(tuple(AnswerOption(place) for place in places)))
    if made is not None:
        if made.record.given:
            run.trust(made.record)
        return made
    run.stop_where_open(Stage.INFER, 0, pool)
    return Decision(pool.options[-1], by_explorer(run, pool, len(pool) - 1))


def _from_memory(run: Run) -> Iterator[events.StageEvent]:
    """Let the model answer without facts."""
    asked = [Message("user", _ASKED.format(question=run.question))]
    text, wrote = run.write(Stage.INFER, PURPOSE, asked, limit=ANSWER_TOKENS)
    with run.timed(Stage.INFER):
        parts, record = terms_read(run, text, wrote, InGraph(run.store))
    yield record
    yield answered_by_itself(run, parts)
