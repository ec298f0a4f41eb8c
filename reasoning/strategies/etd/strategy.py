"""EtD: explore with a graph network, then determine the answer among its candidates (arXiv 2406.01145)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from kgstore.terms import Date, Entity, Number, TermKind
from reasoning import events
from reasoning.answers import Prover, answer_order
from reasoning.derivation import SearchStep
from reasoning.model_answers import ANSWER_TOKENS, answered_by_itself, terms_read
from reasoning.options import AnswerOption, NoneOption, OptionPool, Stage, StepOption
from reasoning.pools import answerable, facts_of, search_pool, step_options
from reasoning.pruning import Pruning
from reasoning.run import Decision, UndecidedStopError
from reasoning.scorers.cards import CARD_FILE
from reasoning.strategies.etd.asking import explored_text
from reasoning.strategies.etd.written import PURPOSE, Sheet, ShownCandidate, is_letter
from reasoning.structure import ROOT
from reasoning.topic_choice import choose_topic
from reasoning.writers.base import Message

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kgstore.terms import Term, Triple
    from reasoning.decisions import Taken
    from reasoning.linking import Linking
    from reasoning.model_answers import Named
    from reasoning.run import Run
    from reasoning.strategies.etd.ways import Candidate, Way, Ways
    from reasoning.strategies.etd.weights import Explorer
    from reasoning.writers.said import Said

BUNDLED = Path(__file__).parent / "bundled"
"""The explorer that comes with the product."""
_OPENED = 4
_LOOKED_AT = 2_000
"""So many of the most probable candidates are looked at for ways that none of them has yet."""
_DIGITS = 6
"""Weights and probabilities are told so exactly; more would differ between processors."""


@lru_cache(maxsize=_OPENED)
def _opened(folder: Path, _written: int) -> Explorer:
    # torch takes seconds to import, and only those who explore need it.
    from reasoning.strategies.etd.weights import Explorer  # noqa: PLC0415

    return Explorer.open(folder)


@dataclass(slots=True)
class _Grown:
    """S_k with what its nodes are."""

    positions: dict[Way, int] = field(default_factory=lambda: {(): ROOT})
    open_steps: list[StepOption] = field(default_factory=list)
    given: list[int] = field(default_factory=list)
    """Nodes that are on the way to no candidate."""


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


class Etd:
    """Explores layer by layer, keeps the ways to the best candidates, and lets a model choose among them.

    S_k holds the ways to the ``EngineSwitches.candidates`` best candidates of different ways; G_k the facts along them
    that the layers kept. The answer is what stands at the end of the chosen way, the most probable first (ours: the
    paper tells one candidate).
    """

    name = "etd"
    needs_writer = False

    def __init__(self, weights: Path) -> None:
        self._weights = weights

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.strategy.Strategy`.

        Raises:
            ScorerUnavailableError: there are no weights, or they cannot be loaded.

        """
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        ways = yield from self._explored(run, linking, linking.topic.entity)
        with run.timed(Stage.INFER):
            candidates = _best(run, ways)
        grown = yield from _searched(run, linking, ways, candidates)
        yield from _determined(run, linking, ways, candidates, grown)

    def _explorer(self) -> Explorer:
        card = self._weights / CARD_FILE
        return _opened(self._weights, card.stat().st_mtime_ns if card.exists() else 0)

    def _explored(self, run: Run, linking: Linking, topic: Entity) -> Generator[events.StageEvent, None, Ways]:
        """Explore, and tell layer by layer what was kept."""
        from reasoning.strategies.etd.ways import Ways  # noqa: PLC0415 - needs torch, as in `_opened`

        with run.timed(Stage.SEARCH) as clock:
            explorer = self._explorer()
            text = explored_text(run.question, linking)
            found, edges = explorer.explore(run.store, topic, text, may_recur=run.switches.topic_may_recur)
            ways = Ways(found, edges, topic)
        # Several options are kept in every layer.
        run.confidence = None
        seconds = clock() / max(len(found.layers), 1)
        for number in range(len(found.layers)):
            yield _layer(run, explorer, ways, number, seconds)
        return ways


def _layer(run: Run, explorer: Explorer, ways: Ways, number: int, seconds: float) -> events.LayerExplored:
    groups = ways.groups(number)
    before, after = ways.entities(number)
    return events.LayerExplored(
        layer=number + 1,
        layers=explorer.model.shape.layers,
        explorer=explorer.name,
        keep=explorer.model.shape.keep,
        groups=[
            events.ExploredGroupRecord(
                way=[run.narrator.relation(relation) for relation in group.way],
                relation=run.narrator.relation(group.relation),
                weight=round(group.weight, _DIGITS),
                heads=group.heads,
                edges=group.edges,
                kept=group.kept,
            )
            for group in groups[: run.limits.options_shown]
        ],
        groups_total=len(groups),
        entities_before=before,
        entities_after=after,
        edges_total=sum(group.edges for group in groups),
        edges_kept=sum(group.kept for group in groups),
        seconds=seconds,
    )


def _best(run: Run, ways: Ways) -> list[Candidate]:
    """The most probable candidates, one of each way: what can be told, and is no topic that may not answer.

    The attention does not see the tail, so a way stands for all that it leads to.
    """
    chosen: dict[Way, Candidate] = {}
    topic = run.trace.graph.members[ROOT]
    for candidate in islice(ways.ranked(), _LOOKED_AT):
        if len(chosen) == run.switches.candidates:
            break
        if not candidate.way or candidate.way in chosen:
            continue
        if candidate.term in topic and not run.switches.topic_may_answer:
            continue
        if _kind(run, candidate.term) is not TermKind.MEDIATOR:
            chosen[candidate.way] = candidate
    return list(chosen.values())


def _kind(run: Run, term: Term) -> TermKind:
    if isinstance(term, Entity):
        card = run.narrator.card(term)
        return TermKind.MEDIATOR if card is not None and card.is_mediator else TermKind.ENTITY
    if isinstance(term, Number):
        return TermKind.NUMBER
    return TermKind.DATE if isinstance(term, Date) else TermKind.TEXT


def _searched(
    run: Run, linking: Linking, ways: Ways, candidates: Sequence[Candidate]
) -> Generator[events.StageEvent, None, _Grown]:
    """Grow S_k and G_k along the ways to the candidates, or by the steps that are given instead."""
    wanted = list(dict.fromkeys(one.way[:end] for one in candidates for end in range(1, len(one.way) + 1)))
    grown = _Grown(open_steps=list(step_options(run.store, run.trace.graph, ROOT, linking.targets)))
    barred = {choice for stage, choice in run.decisions.barred if stage is Stage.SEARCH}
    while True:
        with run.timed(Stage.SEARCH) as clock:
            number = run.trace.structure.step
            wanted = [way for way in wanted if way not in grown.positions]
            step = next((one for one in _steps(wanted, grown) if one not in barred), None)
            made = _next_step(run, number, step, grown)
            if made is None or isinstance(made.option, NoneOption):
                break
            event = _grow(run, linking, ways, grown, made, clock())
        if grown.positions and event.node.position not in {grown.positions.get(way) for way in _prefixes(candidates)}:
            grown.given.append(event.node.position)
        yield event
    yield events.SearchEnded(
        reason="nothing_left" if made is None else "chosen", decision=None if made is None else made.told, seconds=0.0
    )
    return grown


def _prefixes(candidates: Sequence[Candidate]) -> set[Way]:
    return {one.way[:end] for one in candidates for end in range(1, len(one.way) + 1)}


def _steps(wanted: Sequence[Way], grown: _Grown) -> Iterator[SearchStep]:
    """The steps that grow the wanted ways from what there is."""
    for way in wanted:
        if way[:-1] in grown.positions:
            yield SearchStep(grown.positions[way[:-1]], way[-1])


def _next_step(run: Run, number: int, step: SearchStep | None, grown: _Grown) -> Decision | None:
    """The given step, or else the explorer's; None where there is none left.

    Raises:
        InvalidDecisionError: the given one does not fit.
        UndecidedStopError: none is given, and the run was told to stop there.

    """
    options = list(grown.open_steps)
    if step is not None and all(option.step != step for option in options):
        # Of several entities together, the store leaves out what their other relation says already.
        options.append(StepOption(step, 0, 0, TermKind.ENTITY))
    pool = run.decisions.offered(Stage.SEARCH, search_pool(options))
    taken = run.decisions.take(Stage.SEARCH, number, pool)
    if taken is not None:
        run.decisions = taken.after
        return Decision(taken.pool.options[taken.chosen], run.told_as(taken))
    if run.decisions.otherwise == "stop":
        raise _stopped(run, Stage.SEARCH, number, pool)
    if step is None:
        return None
    chosen = next(index for index, option in enumerate(pool.options) if option.choice == step)
    return Decision(pool.options[chosen], _by_explorer(run, pool, chosen))


def _stopped(run: Run, stage: Stage, number: int, pool: OptionPool) -> UndecidedStopError:
    shown = run.narrator.options(pool)
    return UndecidedStopError(events.Undecided(stage=str(stage), number=number, options=shown, total=len(pool)))


def _by_explorer(run: Run, pool: OptionPool, chosen: int) -> events.DecisionRecord:
    """A choice that follows from the exploration: no model said how probable it is among these options."""
    return _picked(run, pool, chosen).model_copy(update={"explored": True})


def _picked(run: Run, pool: OptionPool, chosen: int) -> events.DecisionRecord:
    """A choice without probabilities."""
    return run.narrator.decision(pool, chosen, None).model_copy(update={"given": False, "exact": False})


def _grow(
    run: Run, linking: Linking, ways: Ways, grown: _Grown, made: Decision, seconds: float
) -> events.SearchStepTaken:
    if not isinstance(made.option, StepOption):
        raise TypeError("a pool of steps held something else")
    option, trace = made.option, run.trace
    step = option.step
    limit = run.limits.facts_per_step
    kept = ways.facts(trace.graph.entities_at(step.position), step.relation)
    if kept is None or not kept.triples:
        found = facts_of(step, trace.graph, run.store, limit)
        triples: Sequence[Triple] = found.triples
        available, weight = found.total, None
    else:
        triples, available, weight = kept.triples[:limit], kept.available, round(kept.weight, _DIGITS)
    ends = [triple.subject if step.relation.is_reverse else triple.object for triple in triples[:1]]
    kind = _kind(run, ends[0]) if ends else option.kind
    before = next(way for way, position in grown.positions.items() if position == step.position)
    trace.structure = trace.structure.grow(step.position, step.relation, kind)
    trace.graph = trace.graph.grow(step.relation, triples)
    position = trace.structure.step
    grown.positions[*before, step.relation] = position
    grown.open_steps = [
        *(one for one in grown.open_steps if one.step != step),
        *step_options(run.store, trace.graph, position, linking.targets),
    ]
    gained = trace.graph.facts_at(position)
    shown = 0 if (Stage.SEARCH, position - 1) in run.told_before else run.limits.facts_shown
    return events.SearchStepTaken(
        step=position,
        decision=made.told,
        node=run.narrator.node(trace.structure.nodes[-1]),
        facts=run.narrator.facts(gained[:shown]),
        facts_gained=len(gained),
        facts_available=available,
        members=len(trace.graph.members[-1]),
        structure_size=len(trace.structure.nodes),
        graph_size=len(trace.graph.facts),
        weight=weight,
        seconds=seconds,
    )


def _determined(
    run: Run, linking: Linking, ways: Ways, candidates: Sequence[Candidate], grown: _Grown
) -> Iterator[events.StageEvent]:
    """Let whoever the switches say choose among the candidates and None, and tell the answer."""
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
    if run.switches.determination == "writer":
        yield from _written(run, ways, ranked, pool)
        return
    with run.timed(Stage.INFER) as clock:
        made = _choice(run, linking, ways, grown, pool)
    if not isinstance(made.option, AnswerOption):
        yield events.NoCandidateChosen(decision=made.told, seconds=clock())
        yield run.finished("no_answer_found", "no_relation")
        return
    run.trace.position = position = made.option.position
    yield events.AnswerPositionChosen(decision=made.told, position=position, seconds=clock())
    yield _answered(run, ways, position)


def _written(run: Run, ways: Ways, ranked: events.CandidatesRanked, pool: OptionPool) -> Iterator[events.StageEvent]:
    """Let a model that writes choose among the candidates, or answer by itself; see `written`."""
    offered = run.decisions.offered(Stage.INFER, pool)
    taken = run.decisions.take(Stage.INFER, 0, offered)
    if taken is not None:
        run.decisions, offered = taken.after, taken.pool
    read: _Read | None = None
    if taken is None or run.text_kept(Stage.INFER, PURPOSE) is not None:
        # Letters stand for all candidates, so that one which somebody took out leaves the others theirs.
        with run.timed(Stage.INFER):
            sheet = Sheet(run, _shown(run, ways, ranked, pool), run.switches.candidates_without)
            asked = [Message("user", sheet.asked())]
        if run.decisions.otherwise == "stop" and run.text_kept(Stage.INFER, PURPOSE) is None:
            raise _stopped(run, Stage.INFER, 0, offered)
        text, wrote = run.write(Stage.INFER, PURPOSE, asked, limit=ANSWER_TOKENS)
        with run.timed(Stage.INFER):
            places = [option.position for option in pool.options if isinstance(option, AnswerOption)]
            parts, told = terms_read(run, text, wrote, sheet.find(places))
            read = _Read(parts, sheet.chosen(parts, places))
        yield told
    with run.timed(Stage.INFER) as clock:
        made = _decided(run, offered, taken, read)
    if isinstance(made.option, AnswerOption):
        run.trace.position = position = made.option.position
        yield events.AnswerPositionChosen(decision=made.told, position=position, seconds=clock())
        yield _answered(run, ways, position, read.term if read is not None and read.position == position else None)
        return
    yield events.NoCandidateChosen(decision=made.told, seconds=clock())
    if read is None or made.told.given or read.position is not None:
        yield run.finished("no_answer_found", "no_relation")
        return
    yield answered_by_itself(run, [part for part in read.parts if part.found or not is_letter(part.text)])


def _decided(run: Run, pool: OptionPool, taken: Taken | None, read: _Read | None) -> Decision:
    """The decision that was taken without asking, else what the model picked: None where no option is what it named."""
    if taken is not None:
        return Decision(pool.options[taken.chosen], run.told_as(taken))
    position = None if read is None else read.position
    none = next(index for index, option in enumerate(pool.options) if isinstance(option, NoneOption))
    chosen = next((index for index, option in enumerate(pool.options) if option.choice == position), none)
    return Decision(pool.options[chosen], _picked(run, pool, chosen))


def _shown(run: Run, ways: Ways, ranked: events.CandidatesRanked, pool: OptionPool) -> list[ShownCandidate]:
    """What the model is shown: the candidates, and the most probable of what stands where a person led."""
    graph, shown = run.trace.graph, []
    found = {one.position: one for one in ranked.candidates}
    for option in pool.options:
        if not isinstance(option, AnswerOption):
            continue
        position = option.position
        weights = ways.probability(graph.members[position])
        if not graph.members[position]:
            continue
        terms = sorted(graph.members[position], key=lambda term: (-weights.get(term, 0.0), answer_order(term)))
        told = found.get(position)
        if told is not None:
            term = next(one for one in terms if run.narrator.term(one) == told.term)
            shown.append(ShownCandidate(position, term, told.weight, told.path))
            continue
        proof = Prover(run.trace.structure, graph, Pruning(graph.members, {})).prove(terms[0], position, ())
        shown.append(
            ShownCandidate(position, terms[0], weights.get(terms[0], 0.0), run.narrator.answers([proof])[0].path)
        )
    return shown


def _choice(run: Run, linking: Linking, ways: Ways, grown: _Grown, pool: OptionPool) -> Decision:
    """The given choice, the explorer's, or the scorer's.

    The paper tells a language model how probable each candidate is. Scorers read no numbers, so what they give an
    option is multiplied by what the explorer gives all that its way leads to, and None by what is left (ours).
    """
    pool = run.decisions.offered(Stage.INFER, pool)
    taken = run.decisions.take(Stage.INFER, 0, pool)
    if taken is not None:
        run.decisions = taken.after
        return Decision(taken.pool.options[taken.chosen], run.told_as(taken))
    if run.switches.determination == "explorer" and run.decisions.otherwise == "ask":
        return Decision(pool.options[0], _by_explorer(run, pool, 0))
    asked = run.ask(Stage.INFER, 0, pool, run.trace.structure, linking, best=len(pool))
    shares = _shares(ways, grown, pool) if "probabilities" not in run.switches.candidates_without else [1.0] * len(pool)
    weighed = {index: share * shares[index] for index, share in asked.probabilities.items()}
    total = sum(weighed.values())
    if total > 0:
        asked = replace(asked, probabilities={index: share / total for index, share in weighed.items()}, rest=0.0)
    return Decision(pool.options[asked.best], run.narrator.decision(pool, asked.best, asked))


def _shares(ways: Ways, grown: _Grown, pool: OptionPool) -> list[float]:
    """By option of a pool, how probable the explorer finds it."""
    way_of = {position: way for way, position in grown.positions.items()}
    found = {
        index: ways.share(way_of[option.position])
        for index, option in enumerate(pool.options)
        if isinstance(option, AnswerOption)
    }
    left = max(1.0 - sum(found.values()), 0.0)
    return [found.get(index, left) for index in range(len(pool))]


def _positions(run: Run, candidates: Sequence[int], grown: _Grown) -> OptionPool:
    """The ends of the candidates' ways, and of steps that somebody gave; None; and what else somebody chose."""
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
        weight=round(candidate.probability, _DIGITS),
        position=position,
        path=run.narrator.facts(path),
        weights=[round(one.weight, _DIGITS) for one in candidate.evidence],
    )


def _answered(run: Run, ways: Ways, position: int, first: Term | None = None) -> events.Finished:
    """How a run ends that has an answer: what stands at a position, the most probable first, but for the ``first``."""
    graph = run.trace.graph
    with run.timed(Stage.INFER):
        told = graph.members[position]
        if not run.switches.topic_may_answer:
            told -= graph.members[ROOT]
        weights = ways.probability(told)
        terms = sorted(
            told, key=lambda term: (term != first, -round(weights.get(term, 0.0), _DIGITS), answer_order(term))
        )
        run.trace.answers = tuple(terms)
        prover = Prover(run.trace.structure, graph, Pruning(graph.members, {}))
        shown = run.narrator.answers([prover.prove(term, position, ()) for term in terms[: run.limits.answers_shown]])
        answers = [
            record.model_copy(update={"weight": round(weights.get(term, 0.0), _DIGITS)})
            for term, record in zip(terms, shown, strict=False)
        ]
    if not terms:
        return run.finished("no_answer_found", "no_relation")
    return run.finished("answered", "answered", answers, len(terms))
