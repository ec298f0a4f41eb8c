"""EPERM's predictor: who answers from the weighed paths (arXiv 2502.16171, section 3.4).

By rank (ours; the paper's ablation without the predictor, and a threshold): a candidate weighs 1 - prod(1 - w) over its
paths, and answers are those that come near the weightiest one. By choice (ours): the scorer takes ends of plans one by
one, until None. Or as published: a model that writes reads the paths with their weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import AnswerOption, NoneOption, OptionPool, Stage
from reasoning.narration.narration import cost_record
from reasoning.run.model_answers import answered_by_itself, written_among
from reasoning.run.run import Decision
from reasoning.scorers.base import Cost, Distribution
from reasoning.strategies.eperm.options import PREDICTOR
from reasoning.strategies.eperm.reached import Reached
from reasoning.strategies.growth import DIGITS, picked
from reasoning.strategies.plans.path_text import asked_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.terms import Term
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.strategies.eperm.finder import Finder
    from reasoning.strategies.growth import Grown

PURPOSE = "the answers, from the weighed paths"


def predicted(run: Run, linking: Linking, finder: Finder, grown: Grown) -> Iterator[events.StageEvent]:
    """Weigh the paths, answer from them as the switches say, and report the answers."""
    with run.timed(Stage.INFER) as clock:
        reached = Reached(run, finder, grown)
        weighed = reached.weighed(clock())
        ranked = reached.ranked(clock())
        pool = reached.pool()
    yield weighed
    yield ranked
    if not pool.options:
        yield run.finished("no_answer_found", "no_relation")
        return
    by = run.switches[PREDICTOR]
    if by == "choice":
        pool = OptionPool((*pool.options, NoneOption()))
    # Reading what is kept removes it, so it is read once.
    pool, made = run.made(Stage.INFER, 0, pool)
    if by == "writer" and made is None:
        yield from _written(run, reached, pool)
    elif by == "choice" and (made is None or not made.record.given):
        yield from _chosen(run, linking, reached, pool, made)
    else:
        yield from _by_rank(run, reached, pool, made)


def _by_rank(run: Run, reached: Reached, pool: OptionPool, made: Decision | None) -> Iterator[events.StageEvent]:
    """Answer with all candidates that weigh enough, or with all terms of the node that a user chose."""
    with run.timed(Stage.INFER) as clock:
        made = made or _best(run, reached, pool)
        if not isinstance(made.option, AnswerOption):
            yield events.NoCandidateChosen(decision=made.record, seconds=clock())
            yield run.finished("no_answer_found", "no_relation")
            return
        run.trust(made.record)
        run.trace.position = position = made.option.position
    yield events.AnswerPositionChosen(decision=made.record, position=position, seconds=clock())
    with run.timed(Stage.INFER):
        own = not made.record.given and position == reached.best
        terms = reached.answers if own else reached.near(position)
        answers = reached.answer_records(terms)
    yield run.finished("answered", "answered", answers, len(terms))


def _best(run: Run, reached: Reached, pool: OptionPool) -> Decision:
    """The position of the weightiest candidate, or else the last one that a user gave a step to.

    Raises:
        UndecidedStopError: the run was asked to stop at what is not given.

    """
    run.stop_where_open(Stage.INFER, 0, pool)
    positions = [option.position for option in pool.options if isinstance(option, AnswerOption)]
    weights = [reached.plan_weight(position) for position in positions]
    if reached.best not in positions or not sum(weights):
        return Decision(pool.options[-1], picked(run, pool, len(pool) - 1))
    shares = {index: weight / sum(weights) for index, weight in enumerate(weights)}
    best = positions.index(reached.best)
    return Decision(pool.options[best], run.narrator.decision(pool, best, Distribution(shares, 0.0, Cost())))


def _chosen(
    run: Run, linking: Linking, reached: Reached, pool: OptionPool, made: Decision | None
) -> Iterator[events.StageEvent]:
    """Let the scorer take ends of plans one after the other, until it takes None."""
    with run.timed(Stage.INFER) as clock:
        record = next(
            (one for one in run.kept if isinstance(one, events.SelectionMade) and one.stage == Stage.INFER), None
        )
        if record is None or made is None:
            record, first = _taken_in_turn(run, linking, pool)
            made = made or first
    run.confidence = None
    yield record
    places = [option.position for option in pool.options if isinstance(option, AnswerOption)]
    kept = [places[index] for index in record.selection.kept]
    if not isinstance(made.option, AnswerOption):
        yield events.NoCandidateChosen(decision=made.record, seconds=clock())
        yield run.finished("no_answer_found", "no_relation")
        return
    run.trace.position = position = made.option.position
    yield events.AnswerPositionChosen(decision=made.record, position=position, seconds=0.0)
    with run.timed(Stage.INFER):
        answers: dict[Term, int] = {}
        for place in (position, *kept):
            for term in reached.standing(place):
                answers.setdefault(term, place)
        answer_records = reached.answer_records(answers)
    yield run.finished("answered", "answered", answer_records, len(answers))


def _taken_in_turn(run: Run, linking: Linking, pool: OptionPool) -> tuple[events.SelectionMade, Decision]:
    """Ask again and again, each time without what was taken: what was kept, and the first choice."""
    left = dict(enumerate(pool.options))
    weights: dict[int, float] = {}
    kept: list[int] = []
    later = Cost()
    first: Decision | None = None
    while True:
        offered = OptionPool(tuple(left.values()))
        asked = run.ask(Stage.INFER, 0, offered, run.trace.structure, linking, best=len(offered))
        numbers = list(left)
        for place, share in asked.probabilities.items():
            weights.setdefault(numbers[place], share)
        chosen = numbers[asked.best]
        if first is None:
            first = Decision(offered.options[asked.best], run.narrator.decision(offered, asked.best, asked))
        else:
            later += asked.cost
        if isinstance(left[chosen], NoneOption):
            break
        weights[chosen] = asked.probabilities[asked.best]
        kept.append(chosen)
        del left[chosen]
    order = [*kept, *sorted(set(weights) - set(kept), key=lambda index: -weights[index])]
    records = run.narrator.options(pool)
    selection = events.SelectionRecord(
        measure="probability",
        options=[option for index in order for option in records if option.index == index],
        weights=[round(weights[index], DIGITS) for index in order if any(one.index == index for one in records)],
        kept=kept,
        total=len(pool),
        # What the first time took, the choice that came of it tells.
        cost=cost_record(later),
    )
    return events.SelectionMade(stage=str(Stage.INFER), number=0, selection=selection, seconds=0.0), first


def _written(run: Run, reached: Reached, pool: OptionPool) -> Iterator[events.StageEvent]:
    """Let a model write the answers: what it names among the candidates is proven, the rest is its own."""
    with run.timed(Stage.INFER):
        held = reached.held()
        lines, total, heading = reached.lines()
        asked = asked_of(run, lines, total, heading=heading)
    if run.text_kept(Stage.INFER, PURPOSE) is None:
        run.stop_where_open(Stage.INFER, 0, pool)
    supported, parts = yield from written_among(run, PURPOSE, asked, held)
    if not supported:
        yield answered_by_itself(run, parts)
        return
    with run.timed(Stage.INFER):
        answers = reached.answer_records({term: held[term] for term in supported})
    yield run.finished("answered", "answered", answers, len(supported), by_writer=True)
