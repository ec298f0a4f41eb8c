"""The rounds of DoG: filter, fill, try, and simplify (arXiv 2409.03155, section 3).

The filter and the try are choices of the scorer, asked the question as it reads by now: the try is whether None is the
most probable after the facts of a round. At a mediator, which has no name, no question can stop or be about it, so the
round goes on from there. Both stand at the place of one decision of the search: None ends it, a relation goes on. So
what a person decides there needs no try.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import TermKind
from reasoning import events
from reasoning.core.options import NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import ROOT
from reasoning.facts.pools import facts_of, facts_that_join, search_pool, step_options
from reasoning.narration.narration import cost_record
from reasoning.run.run import Decision
from reasoning.strategies.dog.asked import Asked, best_known, set_name
from reasoning.strategies.dog.by_writer import purpose
from reasoning.strategies.dog.debate import debate
from reasoning.strategies.dog.options import DEBATE, DEBATERS, ROUNDS
from reasoning.strategies.dog.turns import ROLES, Subject
from reasoning.strategies.growth import picked
from reasoning.strategies.sufficiency import count, sufficiency_event, tried_before, written
from reasoning.strategies.sufficiency import purpose as purpose_of_try
from reasoning.strategies.sufficiency_options import SUFFICIENCY

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from reasoning.question.linking import Linking
    from reasoning.run.run import Run


class Rounds:
    """The search of one run."""

    def __init__(self, run: Run, linking: Linking) -> None:
        """Begin at the topic entity, with the question as it was asked."""
        self._run = run
        self._asked: dict[int, Asked] = {ROOT: Asked.first(run, linking)}
        """What is asked at each node of S_k."""
        self._open: list[StepOption] = list(step_options(run.store, run.trace.graph, ROOT, linking.targets))
        self._targets = linking.targets
        self.is_spent = False
        """Whether it ended only because no more rounds were allowed."""

    @property
    def newest(self) -> int:
        """The node that the last round led to."""
        return self._run.trace.structure.step

    def searched(self) -> Iterator[events.StageEvent]:
        """Grow S_k and G_k round by round.

        Raises:
            InvalidDecisionError, ScorerUnavailableError, UndecidedError, UndecidedStopError: see `Run.decide`.
            WriterMissingError, WritingTimeoutError, WritingCancelledError: see `Run.write`.

        """
        run = self._run
        while True:
            pool, made = run.made(Stage.SEARCH, self.newest, search_pool(self._open))
            if made is None:
                run.stop_where_open(Stage.SEARCH, self.newest, pool)
            ended = yield from self._tried(made)
            if ended is None:
                yield from self._simplified(made)
                made = made or self._filtered()
                run.trust(made.record)
                if isinstance(made.option, StepOption):
                    yield self._filled(made, made.option)
                    continue
                ended = events.SearchEnded(reason="chosen", decision=made.record, seconds=0.0)
            yield ended
            return

    def _tried(self, made: Decision | None) -> Generator[events.StageEvent, None, events.SearchEnded | None]:
        """How the search ends here, by a try or because it cannot go on; None where it continues, or a user chose."""
        here, number = self._ways_on(), self.newest
        before = tried_before(self._run, number)
        may_end = number != ROOT and not self._is_mediator
        if before is not None and (made is not None or not before.enough):
            if before.by == "writer" and self._run.text_kept(Stage.SEARCH, purpose_of_try(number)) is not None:
                yield from self._written(number)
            count(self._run, before)
            yield before
        elif made is None and may_end and here.options:
            ended = yield from self._asked_whether_enough(here)
            if ended is not None:
                return ended
        if made is not None:
            return None
        if not here.options:
            return events.SearchEnded(reason="nothing_left", decision=None, seconds=0.0)
        spent = may_end and self._rounds_taken >= self._run.switches[ROUNDS]
        if spent or number >= self._run.limits.steps:
            self.is_spent = True
            return events.SearchEnded(reason="step_limit", decision=None, seconds=0.0)
        return None

    def _asked_whether_enough(self, here: OptionPool) -> Generator[events.StageEvent, None, events.SearchEnded | None]:
        """The try: how the search ends if what there is answers the question by now; None where it does not."""
        run, number = self._run, self.newest
        asked = self._asked[number]
        if run.switches[SUFFICIENCY] == "writer":
            event = yield from self._written(number)
            yield event
            # A text has no probabilities.
            by_text = picked(run, here, len(here) - 1)
            return events.SearchEnded(reason="chosen", decision=by_text, seconds=0.0) if event.enough else None
        with run.timed(Stage.SEARCH) as clock:
            given = asked.score(run, Stage.SEARCH, here)
            enough = isinstance(here.options[given.best], NoneOption)
            share = given.probabilities.get(len(here) - 1) if given.exact else None
            decision = run.narrator.decision(here, given.best, given)
        # Where it is enough, the decision that ends the search tells what this cost.
        cost = None if enough else cost_record(given.cost)
        event = sufficiency_event(
            run, number, asked.question.text, [number], enough=enough, share=share, cost=cost, seconds=clock()
        )
        yield event
        if enough:
            run.trust(decision)
            return events.SearchEnded(reason="chosen", decision=decision, seconds=0.0)
        count(run, event)
        return None

    def _written(self, number: int) -> Generator[events.StageEvent, None, events.Sufficiency]:
        """The try by a model that writes."""
        return (yield from written(self._run, number, self._asked[number].question.text, [number]))

    def _simplified(self, made: Decision | None) -> Iterator[events.StageEvent]:
        """Shorten the question by what the newest relation answered, where the search goes on from there.

        What a person decided needs no text that helps to decide it.
        """
        run, number = self._run, self.newest
        asked = self._asked[number]
        kept = any(isinstance(one, events.QuestionSimplified) and one.round == number for one in run.kept)
        begun = run.text_kept(Stage.SEARCH, purpose(number, ROLES[run.switches[DEBATERS]][0])) is not None
        if made is not None and not kept and not begun:
            goes_on = isinstance(made.option, StepOption) and made.option.step.position == number
            if not goes_on or run.switches[DEBATE] == "writer":
                return
        relation = run.trace.structure.nodes[number].relation
        if relation is None or self._is_mediator:
            return
        with run.timed(Stage.SEARCH):
            entities = best_known(run, number)
            name = set_name(run, entities)
            subject = Subject(number, number, relation, asked.question, name)
        after = yield from debate(run, subject)
        card = run.narrator.card(entities[0])
        if after != asked.question and card is not None:
            self._asked[number] = asked.shortened(after, card, name)

    def _filtered(self) -> Decision:
        """The filter: the most probable way on for the question by now, or None."""
        run, here = self._run, self._ways_on()
        with run.timed(Stage.SEARCH):
            given = self._asked[self.newest].score(run, Stage.SEARCH, here)
            return Decision(here.options[given.best], run.narrator.decision(here, given.best, given))

    def _filled(self, made: Decision, option: StepOption) -> events.SearchStepTaken:
        """All facts along a relation."""
        run, trace, step = self._run, self._run.trace, option.step
        with run.timed(Stage.SEARCH) as clock:
            found = facts_of(step, trace.graph, run.store, run.limits.facts_per_step)
            joining = facts_that_join(found.triples, step.relation, trace.graph, recur=run.switches.topic_may_recur)
            trace.structure = trace.structure.grow(step.position, step.relation, option.kind)
            trace.graph = trace.graph.grow(step.relation, joining)
            self._asked[self.newest] = self._asked[step.position].followed(option, self.newest)
            self._open = [
                *(one for one in self._open if one.step != step),
                *step_options(run.store, trace.graph, self.newest, self._targets),
            ]
            return run.step_taken(made, trace.structure, trace.graph, found.total, clock())

    def _ways_on(self) -> OptionPool:
        """The relations of the newest node, and None unless it is a mediator; empty where there is no relation."""
        steps = tuple(option for option in self._open if option.step.position == self.newest)
        offered = self._run.decisions.offered(Stage.SEARCH, OptionPool(steps)).options
        return OptionPool(offered if self._is_mediator or not offered else (*offered, NoneOption()))

    @property
    def _is_mediator(self) -> bool:
        return self._run.trace.structure.nodes[self.newest].kind is TermKind.MEDIATOR

    @property
    def _rounds_taken(self) -> int:
        """How many relations were followed to here, without those to mediators."""
        nodes = self._run.trace.structure.path(self.newest)[1:]
        return sum(node.kind is not TermKind.MEDIATOR for node in nodes)
