"""EtD's determination: one of the candidates is chosen, by the scorer, the explorer or a model that writes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoning import events
from reasoning.core.options import AnswerOption, NoneOption, OptionPool, Stage
from reasoning.facts.answers import Prover, answer_order
from reasoning.facts.pools import answerable
from reasoning.facts.pruning import Pruning
from reasoning.run.model_answers import ANSWER_TOKENS, answered_by_itself, terms_read
from reasoning.run.run import Decision
from reasoning.strategies.answer_candidates import may_answer
from reasoning.strategies.etd.options import CANDIDATES_WITHOUT, DETERMINATION
from reasoning.strategies.etd.written import PURPOSE, Sheet, ShownCandidate, is_letter
from reasoning.strategies.growth import DIGITS, by_explorer, picked
from reasoning.writers.base import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.terms import Term
    from reasoning.question.linking import Linking
    from reasoning.run.model_answers import Named
    from reasoning.run.run import Run
    from reasoning.strategies.etd.ways import Candidate, Ways
    from reasoning.strategies.growth import Grown
    from reasoning.writers.said import Said


@dataclass(frozen=True, slots=True)
class _Read:
    """What a model wrote of the candidates."""

    parts: Sequence[Said[Named]]
    chosen: tuple[int, Term] | None
    """The position that it chose, and what it named there."""

    @property
    def position(self) -> int | None:
        return None if self.chosen is None else self.chosen[0]

    @property
    def term(self) -> Term | None:
        return None if self.chosen is None else self.chosen[1]


def determined(
    run: Run, linking: Linking, ways: Ways, candidates: Sequence[Candidate], grown: Grown
) -> Iterator[events.StageEvent]:
    """Choose among the candidates and None as the switches say, and report the answer."""
    with run.timed(Stage.INFER) as clock:
        placed = [(grown.positions[one.way], one) for one in candidates if one.way in grown.positions]
        ranked = events.CandidatesRanked(
            candidates=[_candidate(run, position, one) for position, one in placed],
            total=ways.candidates,
            seconds=clock(),
        )
    yield ranked
    pool = _positions(run, [position for position, _ in placed], grown)
    if len(pool) == 1:
        yield run.finished("no_answer_found", "no_relation")
        return
    if run.switches[DETERMINATION] == "writer":
        yield from _written(run, ways, ranked, pool)
        return
    with run.timed(Stage.INFER) as clock:
        made = _choice(run, linking, ways, grown, pool)
    if not isinstance(made.option, AnswerOption):
        yield events.NoCandidateChosen(decision=made.record, seconds=clock())
        yield run.finished("no_answer_found", "no_relation")
        return
    run.trace.position = position = made.option.position
    yield events.AnswerPositionChosen(decision=made.record, position=position, seconds=clock())
    yield _answered(run, ways, position)


def _written(run: Run, ways: Ways, ranked: events.CandidatesRanked, pool: OptionPool) -> Iterator[events.StageEvent]:
    """Let a model that writes choose among the candidates, or answer by itself; see `written`."""
    offered, taken = run.made(Stage.INFER, 0, pool)
    read: _Read | None = None
    if taken is None or run.text_kept(Stage.INFER, PURPOSE) is not None:
        # Letters stand for all candidates, so that the others keep theirs when a user takes one out.
        with run.timed(Stage.INFER):
            places = [option.position for option in pool.options if isinstance(option, AnswerOption)]
            sheet = Sheet(run, _shown(run, ways, ranked, places), places, run.switches[CANDIDATES_WITHOUT])
            asked = [Message("user", sheet.asked())]
        if run.text_kept(Stage.INFER, PURPOSE) is None:
            run.stop_where_open(Stage.INFER, 0, offered)
        text, wrote = run.write(Stage.INFER, PURPOSE, asked, limit=ANSWER_TOKENS)
        with run.timed(Stage.INFER):
            parts, record = terms_read(run, text, wrote, sheet.find())
            read = _Read(parts, sheet.chosen(parts))
        yield record
    with run.timed(Stage.INFER) as clock:
        made = taken or _decided(run, offered, read)
    if isinstance(made.option, AnswerOption):
        run.trace.position = position = made.option.position
        yield events.AnswerPositionChosen(decision=made.record, position=position, seconds=clock())
        yield _answered(run, ways, position, read.term if read is not None and read.position == position else None)
        return
    yield events.NoCandidateChosen(decision=made.record, seconds=clock())
    if read is None or made.record.given or read.position is not None:
        yield run.finished("no_answer_found", "no_relation")
        return
    yield answered_by_itself(run, [part for part in read.parts if part.found or not is_letter(part.text)])


def _decided(run: Run, pool: OptionPool, read: _Read | None) -> Decision:
    """What the model picked: None where no option is what it named."""
    position = None if read is None else read.position
    none = next(index for index, option in enumerate(pool.options) if isinstance(option, NoneOption))
    chosen = next((index for index, option in enumerate(pool.options) if option.choice == position), none)
    return Decision(pool.options[chosen], picked(run, pool, chosen))


def _shown(run: Run, ways: Ways, ranked: events.CandidatesRanked, positions: Sequence[int]) -> list[ShownCandidate]:
    """What the model is shown: the candidates, and the most probable of what stands where a person led."""
    graph, shown = run.trace.graph, []
    found = {one.position: one for one in ranked.candidates}
    for position in positions:
        if not graph.members[position]:
            continue
        weights = ways.probability(graph.members[position])
        terms = sorted(
            graph.members[position], key=lambda term: (-round(weights.get(term, 0.0), DIGITS), answer_order(term))
        )
        chosen_there = found.get(position)
        if chosen_there is not None:
            term = next(one for one in terms if run.narrator.term(one) == chosen_there.term)
            shown.append(ShownCandidate(position, term, chosen_there.weight, chosen_there.path))
            continue
        proof = Prover(run.trace.structure, graph, Pruning(graph.members, {})).prove(terms[0], position, ())
        shown.append(
            ShownCandidate(position, terms[0], weights.get(terms[0], 0.0), run.narrator.answers([proof])[0].path)
        )
    return shown


def _choice(run: Run, linking: Linking, ways: Ways, grown: Grown, pool: OptionPool) -> Decision:
    """The given choice, the explorer's, or the scorer's.

    The paper tells a language model how probable each candidate is. Scorers read no numbers, so what they give an
    option is multiplied by what the explorer gives all that its way leads to, and None by what is left (ours).
    """
    pool, made = run.made(Stage.INFER, 0, pool)
    if made is not None:
        return made
    run.stop_where_open(Stage.INFER, 0, pool)
    if run.switches[DETERMINATION] == "explorer":
        return Decision(pool.options[0], by_explorer(run, pool, 0))
    asked = run.ask(Stage.INFER, 0, pool, run.trace.structure, linking, best=len(pool))
    shares = (
        _shares(ways, grown, pool) if "probabilities" not in run.switches[CANDIDATES_WITHOUT] else [1.0] * len(pool)
    )
    weighed = {index: share * shares[index] for index, share in asked.probabilities.items()}
    total = sum(weighed.values())
    if total > 0:
        asked = replace(asked, probabilities={index: share / total for index, share in weighed.items()}, rest=0.0)
    return Decision(pool.options[asked.best], run.narrator.decision(pool, asked.best, asked))


def _shares(ways: Ways, grown: Grown, pool: OptionPool) -> list[float]:
    """By option of a pool, how probable the explorer finds it."""
    way_of = {position: way for way, position in grown.positions.items()}
    found = {
        index: ways.share(way_of[option.position])
        for index, option in enumerate(pool.options)
        if isinstance(option, AnswerOption)
    }
    left = max(1.0 - sum(found.values()), 0.0)
    return [found.get(index, left) for index in range(len(pool))]


def _positions(run: Run, candidates: Sequence[int], grown: Grown) -> OptionPool:
    """The ends of the candidates' ways, and of steps that a user gave; None; and what else a user chose."""
    may = answerable(run.trace.structure, ())
    offered = [position for position in dict.fromkeys((*candidates, *grown.given)) if position in may]
    said = run.decisions.given.get((Stage.INFER, 0))
    more = [AnswerOption(said)] if isinstance(said, int) and said in may and said not in offered else []
    return OptionPool((*(AnswerOption(position) for position in offered), *more, NoneOption()))


def _candidate(run: Run, position: int, candidate: Candidate) -> events.CandidateRecord:
    graph, structure = run.trace.graph, run.trace.structure
    along = [node.position for node in structure.path(position)[1:]]
    path = []
    for place, one in zip(along, candidate.evidence, strict=True):
        path += [fact for fact in graph.facts_at(place) if fact.source == one.source and fact.target == one.target][:1]
    return events.CandidateRecord(
        term=run.narrator.term(candidate.term),
        weight=round(candidate.probability, DIGITS),
        position=position,
        path=run.narrator.facts(path),
        weights=[round(one.weight, DIGITS) for one in candidate.evidence],
    )


def _answered(run: Run, ways: Ways, position: int, first: Term | None = None) -> events.Finished:
    """How a run ends that has an answer: what stands at a position, the most probable first, but for the ``first``."""
    graph = run.trace.graph
    with run.timed(Stage.INFER):
        allowed = may_answer(run, position)
        weights = ways.probability(allowed)
        terms = sorted(
            allowed, key=lambda term: (term != first, -round(weights.get(term, 0.0), DIGITS), answer_order(term))
        )
        run.trace.answers = tuple(terms)
        prover = Prover(run.trace.structure, graph, Pruning(graph.members, {}))
        shown = run.narrator.answers([prover.prove(term, position, ()) for term in terms[: run.limits.answers_shown]])
        answers = [
            record.model_copy(update={"weight": round(weights.get(term, 0.0), DIGITS)})
            for term, record in zip(terms, shown, strict=False)
        ]
    if not terms:
        return run.finished("no_answer_found", "no_relation")
    return run.finished("answered", "answered", answers, len(terms))
