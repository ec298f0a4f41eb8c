"""One run of a strategy: what every strategy shares, whatever its method.

A run takes a given decision or asks the scorer, counts time and cost by the name of a stage, and tells how it began and
ended. It knows the stages of no method.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Literal

from kgstore.characters import characters_mended
from reasoning import events
from reasoning.core.errors import InvalidDecisionError, WriterMissingError
from reasoning.core.options import DecisionState, Option, OptionPool, Stage
from reasoning.core.structure import AbstractStructure
from reasoning.core.switches import EngineSwitches, without_types
from reasoning.core.trace import Trace
from reasoning.facts.pools import reached_targets
from reasoning.narration.narration import Narrator, cost_record
from reasoning.question.literals import overlaps
from reasoning.run.decisions import GivenDecisions, Taken
from reasoning.run.from_types import decide_from_type, is_left_open
from reasoning.run.path_shares import PathDecisions
from reasoning.run.question_form import ANSWERS_ANOTHER, QuestionForm
from reasoning.run.two_compared import decide_compared
from reasoning.scorers.base import Comparing, Cost, PathScorer, WholePathReader
from reasoning.scorers.calibration import Calibrated, Calibration
from reasoning.writers.base import never

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Date, Entity, Relation
    from reasoning.core.derivation import Constraint
    from reasoning.core.structure import InstanceGraph
    from reasoning.events import Reason, Verdict
    from reasoning.question.linking import Linking
    from reasoning.scorers.base import Distribution, Scorer
    from reasoning.writers.base import Message, Writer


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Where a run stops or cuts; every cut is reported with the full count."""

    steps: int = 8
    constraints: int = 4
    facts_per_step: int = 5_000
    facts_shown: int = 200
    options_shown: int = 40
    answers_shown: int = 200
    characters_shown: int = 4_000
    """Of a text that a model wrote, or was sent."""


TERSE = RunLimits(facts_shown=0, options_shown=1, answers_shown=0)
"""For runs whose events are not shown: their results are in their trace, uncut."""
DECISIONS_ALONE = RunLimits(facts_shown=0, options_shown=5, answers_shown=0)
"""For runs whose decisions are kept; their facts are fetched when a user opens one."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The option that was taken, and its record."""

    option: Option
    record: events.DecisionRecord


@dataclass(frozen=True, slots=True)
class Selection:
    """The options that were kept, each with its weight and record."""

    options: list[tuple[Option, float]]
    record: events.SelectionMade


class UndecidedStopError(Exception):
    """A decision is open, and the run was asked to stop there; the caller emits `Undecided`."""

    def __init__(self, undecided: events.Undecided) -> None:
        super().__init__(f"{undecided.stage} decision {undecided.number} is open")
        self.undecided = undecided


@dataclass(slots=True)
class Run:
    """A question on its way through a strategy. Nothing in it can carry a gold label."""

    question: str
    store: GraphStore
    scorer: Scorer | None
    """None where every decision is given."""
    topic: Entity | None = None
    """The entity that the asker chose, if any; it is never an answer, unless a switch says so."""
    decisions: GivenDecisions = field(default_factory=GivenDecisions)
    """What is not asked of the scorer."""
    kept: tuple[events.StageEvent, ...] = ()
    """The events of the run that this one goes on with."""
    reported_before: frozenset[tuple[Stage, int]] = frozenset()
    """The decisions whose events are repeated unchanged: new events of a strategy for them are not read."""
    writer: Writer | None = None
    """For strategies that need one."""
    cancelled: Callable[[], bool] = never
    """Whether the run is to break off; asked while a model writes."""
    limits: RunLimits = field(default_factory=RunLimits)
    switches: EngineSwitches = field(default_factory=EngineSwitches)
    today: Date | None = None
    """The day that *now* means; without one, nothing is asked of now."""
    trace: Trace = field(default_factory=Trace)
    """What the run comes to is written here."""
    costs: dict[Stage, Cost] = field(default_factory=lambda: dict.fromkeys(Stage, Cost()))
    """By stage; the costs of given decisions are those of when they were made."""
    stage_seconds: dict[Stage, float] = field(default_factory=lambda: dict.fromkeys(Stage, 0.0))
    calibration: Calibration | None = None
    """Of the model that decides, or decided what is kept."""
    confidence: float | None = 1.0
    """The product of the probabilities of all decisions so far that had a choice; None where one tells none, where
    several options were kept, and where a model wrote."""
    form: QuestionForm = field(default_factory=QuestionForm)
    """What the form of the question says, once it was linked."""
    narrator: Narrator = field(init=False)
    _by_paths: PathDecisions = field(init=False)
    _is_chosen: bool = False
    """Whether a person or a model that writes, which read the whole question, had a part in the derivation."""
    _written: int = 0
    """How many of the texts that are kept were taken so far."""

    def __post_init__(self) -> None:
        if self.calibration is None and self.scorer is not None and isinstance(self.scorer, Calibrated):
            self.calibration = self.scorer.calibration_over(self.store)
        self.narrator = Narrator(self.store, options_shown=self.limits.options_shown)
        self._by_paths = PathDecisions(self.store, self.switches)

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[Callable[[], float]]:
        """Count the time of the block towards a stage; what is yielded tells the seconds, which end with it."""
        started = perf_counter()
        ended: list[float] = []
        try:
            yield lambda: (ended[0] if ended else perf_counter()) - started
        finally:
            ended.append(perf_counter())
            self.stage_seconds[stage] += ended[0] - started

    def decide(
        self,
        stage: Stage,
        number: int,
        pool: OptionPool,
        structure: AbstractStructure,
        linking: Linking,
        constraints: tuple[Constraint, ...] = (),
    ) -> Decision:
        """Take the given decision, or else ask the scorer.

        Args:
            stage: the stage that decides.
            number: which decision of the stage it is, from 0.
            pool: the options.
            structure: S_k, as the scorer sees it.
            linking: what the question names.
            constraints: those chosen so far.

        Raises:
            InvalidDecisionError: the given decision is not in the pool, or none is given and there is no scorer.
            ScorerUnavailableError, UndecidedError: see `Scorer.score`.
            UndecidedStopError: none is given, and the run was asked to stop there.

        """
        pool, made = self.made(stage, number, pool)
        if made is None:
            distribution = self.ask(stage, number, pool, structure, linking, constraints)
            chosen = distribution.best
            made = Decision(pool.options[chosen], self.narrator.decision(pool, chosen, distribution))
        self.trust(made.record)
        return made

    def made(self, stage: Stage, number: int, pool: OptionPool) -> tuple[OptionPool, Decision | None]:
        """The pool that is offered, and the decision if it need not be asked for.

        Raises:
            InvalidDecisionError: the given decision is not in the pool.

        """
        offered = self.decisions.offered(stage, pool)
        taken = self.decisions.take(stage, number, offered)
        if taken is None:
            return offered, None
        self.decisions = taken.after
        record = self.record_of(taken)
        self._is_chosen = self._is_chosen or (record.given and stage is not Stage.LINK)
        return taken.pool, Decision(taken.pool.options[taken.chosen], record)

    def record_of(self, taken: Taken) -> events.DecisionRecord:
        """The record of a decision that was not asked for: as when it was made, or else as a given one."""
        return taken.record or self.narrator.decision(taken.pool, taken.chosen, None)

    def ask(
        self,
        stage: Stage,
        number: int,
        pool: OptionPool,
        structure: AbstractStructure,
        linking: Linking,
        constraints: tuple[Constraint, ...] = (),
        *,
        graph: InstanceGraph | None = None,
        best: int = 1,
        question: str | None = None,
    ) -> Distribution:
        """What the scorer gives the options: of the ``best`` n, and whatever else it knows by then; see `decide`.

        ``graph`` is G_k, where it is another than that of the trace; ``question`` what is asked now, where a strategy
        asks something else than the asker did.

        Raises:
            InvalidDecisionError: there is no scorer.
            ScorerUnavailableError, UndecidedError: see `Scorer.score`.
            UndecidedStopError: the run was asked to stop at what is not given.

        """
        self.stop_where_open(stage, number, pool)
        if self.scorer is None:
            raise InvalidDecisionError(
                f"No choice is given for {stage} decision {number}, and there is no model to ask."
            )
        state = self._state(stage, structure, linking, constraints, graph=graph, question=question)
        distribution = self._compared(state, pool, linking, best) or decide_from_type(
            state,
            pool,
            linking,
            lambda some: self._scored(state, some, linking, best),
            lambda some: self._scored(state, some, linking, best, by_paths=False),
        )
        if distribution is None:
            found = self.form.led_to_topic(pool, self._scored(state, pool, linking, best))
            members = (graph or self.trace.graph).members
            # Where nothing has been read along the structure, nothing is known of what its positions hold.
            if best == 1 and not linking.starts_from_type and len(members) >= len(structure.nodes):
                found = self.form.led(state, pool, linking, members, found, self.store, self.narrator, self.today)
            distribution = found
        self.costs[stage] += distribution.cost
        return distribution

    def _compared(self, state: DecisionState, pool: OptionPool, linking: Linking, best: int) -> Distribution | None:
        compared = self.form.compared
        if compared is None:
            return None
        types = () if linking.topic is None else linking.topic.types
        alone = compared.of_first_alone(state, types)
        other = None if linking.topic is None else compared.other(linking.topic.entity)

        def had_by_other() -> set[Relation]:
            return {count.relation for count in self.store.relations([] if other is None else [other])}

        return decide_compared(
            state, pool, compared, had_by_other, lambda some: self._scored(alone, some, linking, best)
        )

    def is_left_open(self, linking: Linking, constraints: tuple[Constraint, ...]) -> bool:
        """See `reasoning.run.from_types.is_left_open`."""
        return is_left_open(self._state(Stage.INFER, self.trace.structure, linking, constraints), linking)

    def _scored(
        self, state: DecisionState, pool: OptionPool, linking: Linking, best: int, *, by_paths: bool = True
    ) -> Distribution:
        if self.scorer is None:
            raise TypeError("there is no model to ask")
        if self.form.claim is not None and state.question == self.question:
            state = self.form.claim.of_other_question(state)
        asked = (state, pool) if self.switches.entity_types else without_types(state, pool)
        scorer: object = self.scorer
        if (
            state.stage is Stage.SEARCH
            and linking.topic is not None
            and by_paths
            and not linking.asks_for_instances
            and isinstance(scorer, WholePathReader)
            and scorer.searches_by_paths(self.store)
        ):
            return self._by_paths.decide(scorer, *asked, linking.topic.entity)
        return self.scorer.score(*asked, best=best)

    @property
    def path_scorer(self) -> PathScorer | None:
        """The scorer, where it gives whole relation paths a probability."""
        scorer: object = self.scorer
        return scorer if isinstance(scorer, PathScorer) and scorer.reads_paths else None

    @property
    def scorer_compares(self) -> bool:
        """Whether the scorer's odds of two options depend on what else is offered; see `Comparing`."""
        scorer: object = self.scorer
        return isinstance(scorer, Comparing) and scorer.compares

    def ask_paths(
        self, scorer: PathScorer, paths: Sequence[tuple[Relation, ...]], linking: Linking, *, best: int
    ) -> Distribution:
        """What `path_scorer` gives relation paths from the topic entity; see `ask`.

        Raises:
            ScorerUnavailableError, UndecidedError: see `Scorer.score`.

        """
        topic = AbstractStructure(self.trace.structure.nodes[:1])
        state = self._state(Stage.SEARCH, topic, linking)
        if not self.switches.entity_types:
            state, _ = without_types(state, OptionPool(()))
        distribution = scorer.score_paths(state, paths, best=best)
        self.costs[Stage.SEARCH] += distribution.cost
        return distribution

    def _state(
        self,
        stage: Stage,
        structure: AbstractStructure,
        linking: Linking,
        constraints: tuple[Constraint, ...] = (),
        *,
        graph: InstanceGraph | None = None,
        question: str | None = None,
    ) -> DecisionState:
        """What the scorer sees; arguments as for `ask`."""
        return DecisionState(
            stage,
            self.question if question is None else question,
            structure,
            None if linking.asks_for_instances else linking.mention,
            linking.targets,
            constraints,
            self.narrator.names(linking),
            reached_targets(self.trace.graph if graph is None else graph, linking.targets),
            {entity: card.types for entity, card in linking.cards.items()},
        )

    def stop_where_open(self, stage: Stage, number: int, pool: OptionPool) -> None:
        """Stop at an open decision, if the run was asked to.

        Raises:
            UndecidedStopError: it was.

        """
        if self.decisions.otherwise == "stop":
            shown = self.narrator.options(pool)
            raise UndecidedStopError(events.Undecided(stage=str(stage), number=number, options=shown, total=len(pool)))

    def select(
        self,
        stage: Stage,
        number: int,
        pool: OptionPool,
        structure: AbstractStructure,
        linking: Linking,
        constraints: tuple[Constraint, ...] = (),
        *,
        keep: int,
    ) -> Selection:
        """Keep the most probable options of a pool; arguments and errors as for `ask`.

        A selection that the events of the run it goes on with tell is taken from there.
        """
        with self.timed(stage) as clock:
            record = next(
                (
                    event
                    for event in self.kept
                    if isinstance(event, events.SelectionMade) and (event.stage, event.number) == (stage, number)
                ),
                None,
            )
            if record is None:
                given = self.ask(stage, number, pool, structure, linking, constraints, best=keep)
                selection = self.narrator.selection(pool, given, keep)
                record = events.SelectionMade(stage=str(stage), number=number, selection=selection, seconds=clock())
        self.confidence = None
        weights = dict(zip((one.index for one in record.selection.options), record.selection.weights, strict=True))
        return Selection([(pool.options[index], weights[index]) for index in record.selection.kept], record)

    def write(
        self,
        stage: Stage,
        purpose: str,
        messages: Sequence[Message],
        *,
        limit: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
    ) -> tuple[str, events.ModelWrote]:
        """Let the writer go on with a conversation: the whole text, and the event that tells it, with long texts cut.

        ``purpose`` says in a few words what it is asked for. A text that the events of the run it goes on with tell is
        taken from there, unless it was cut.

        Raises:
            UndecidedStopError: no text is kept, and the run was asked to stop at what is not.
            WriterMissingError: there is no writer.
            ScorerUnavailableError, UndecidedError, WritingTimeoutError, WritingCancelledError: see `Writer.write`.

        """
        self.confidence = None
        self._is_chosen = True
        kept_text = self.text_kept(stage, purpose)
        if kept_text is not None:
            self._written += 1
            if kept_text.length == len(kept_text.text):
                return kept_text.text, kept_text
        if self.decisions.otherwise == "stop":
            raise UndecidedStopError(events.Undecided(stage=str(stage), number=0, options=[], total=0))
        if self.writer is None:
            raise WriterMissingError("This needs a language model that writes, and none is set. Choose another method.")
        with self.timed(stage) as clock:
            written = self.writer.write(
                messages, limit=limit, temperature=temperature, stop=stop, cancelled=self.cancelled
            )
        self.costs[stage] += written.cost
        shown = self.limits.characters_shown
        text = characters_mended(written.text)
        return text, events.ModelWrote(
            stage=str(stage),
            purpose=purpose,
            writer=self.writer.name,
            messages=[
                events.WrittenMessageRecord(role=one.role, text=one.text[:shown], length=len(one.text))
                for one in messages
            ],
            text=text[:shown],
            length=len(text),
            cost=cost_record(written.cost),
            seconds=clock(),
            cut_short=None if written.ended else True,
        )

    def text_kept(self, stage: Stage, purpose: str) -> events.ModelWrote | None:
        """How the run that this one goes on with tells the text that is to be written next; None where it tells none.

        That run may have written less: what a person decided needs no text that helps to decide it.
        """
        texts = [event for event in self.kept if isinstance(event, events.ModelWrote)][
            self._written : self._written + 1
        ]
        return next((one for one in texts if (one.stage, one.purpose) == (stage, purpose)), None)

    def trust(self, record: events.DecisionRecord) -> None:
        """Count a decision towards the confidence of the run, if it had a choice."""
        if record.total <= 1:
            return
        sure = record.probability
        self.confidence = None if sure is None or self.confidence is None else self.confidence * sure

    def step_taken(
        self,
        made: Decision,
        structure: AbstractStructure,
        graph: InstanceGraph,
        available: int,
        seconds: float,
        *,
        weight: float | None = None,
    ) -> events.SearchStepTaken:
        """The event of the search step that S_k and G_k grew by last.

        ``available`` is how many facts the graph has for it, ``weight`` what a strategy gives its relation.
        """
        gained = graph.facts_at(structure.step)
        shown = 0 if (Stage.SEARCH, structure.step - 1) in self.reported_before else self.limits.facts_shown
        return events.SearchStepTaken(
            step=structure.step,
            decision=made.record,
            node=self.narrator.node(structure.nodes[-1]),
            facts=self.narrator.facts(gained[:shown]),
            facts_gained=len(gained),
            facts_available=available,
            members=len(graph.members[-1]),
            structure_size=len(structure.nodes),
            graph_size=len(graph.facts),
            weight=weight,
            seconds=seconds,
        )

    def started(self, strategy: str, continued: events.ContinuedRecord | None = None) -> events.Started:
        """The event with which a run of a strategy begins; ``continued`` says what it keeps of another run."""
        info = self.store.info()
        return events.Started(
            question=self.question,
            graph=info.name,
            graph_title=info.title,
            graph_version=info.version,
            scorer="given decisions" if self.scorer is None else self.scorer.name,
            strategy=strategy,
            continued=continued,
            calibration=None if self.calibration is None else events.CalibrationRecord(**self.calibration.to_json()),
            today=None if self.today is None else self.today.value,
        )

    def finished(
        self,
        verdict: Verdict,
        reason: Reason,
        answers: list[events.AnswerRecord] | None = None,
        total: int = 0,
        *,
        counted: Literal["all", "at least"] | None = None,
        left: Iterable[Relation] = (),
        by_writer: bool = False,
        compared: events.ComparedRecord | None = None,
        readings: list[events.ReadingRecord] | None = None,
    ) -> events.Finished:
        """The event with which a run ends by itself.

        Args:
            verdict: how it ended.
            reason: why.
            answers: the first of ``total``.
            total: how many answers there are.
            counted: whether their number is the answer, or the least that it may be.
            left: the relations that could have been followed further.
            by_writer: whether a model that writes named the answers: it read the whole question.
            compared: the values of two things that the question compares.
            readings: how else the question may be read.

        What a model answers by itself is no answer, unless a switch says so.
        Words that are not understood at all are reported as such, and not among the unused ones again.
        The confidence of an answer to less than was asked is not shown: it says nothing of what decisions left out.

        """
        if verdict == "from_the_model" and not self.switches.model_may_answer:
            verdict, reason, answers, total, self.trace.answers = "no_answer_found", "unsupported", None, 0, ()
        cards = self.narrator.cards(self.trace.answers)
        claim = self.form.checked(self.trace, cards) if verdict == "answered" and compared is None else None
        may_answer_another = compared is None and not by_writer and self.scorer is not None
        is_led = may_answer_another and not self._is_chosen
        if is_led and reason in {"answered", "no_relation"} and self.form.asks_for_description:
            verdict, reason, answers, total, self.trace.answers = "no_answer_found", "described", None, 0, ()
        if verdict == "answered" and may_answer_another:
            # What answers another question is no answer; what a person decided to see is shown.
            why = self.form.why_not_answered(self.trace, claim, cards, counted=counted is not None)
            if why is not None and (is_led or why != "another_kind"):
                verdict, reason, answers, total, self.trace.answers, claim = "no_answer_found", why, None, 0, (), None
        not_understood = self.form.missed(is_compared=compared is not None)
        missed = [(one.start, one.end) for one in not_understood]
        is_read_whole = by_writer or verdict == "from_the_model"
        is_counted = counted is not None
        unused = None if is_read_whole else self.form.unused(self.trace, cards.values(), left, counted=is_counted)
        partial: list[tuple[int, int]] = []
        if verdict == "answered":
            spans = ((one.start, one.end) for one in unused or () if one.narrows)
            kind = [] if is_read_whole else self.form.kind_missed(self.trace, cards, self.store, counted=is_counted)
            partial = sorted([*missed, *(span for span in {*spans, *kind} if not overlaps(span, missed))])
        if partial and claim is not None:
            # Whether the rest is so too, is open.
            verdict, reason, answers, total, self.trace.answers = "no_answer_found", "claim_not_checked", None, 0, ()
            partial, claim = [], None
        # Of what a model answers by itself, or what answers another question, the decisions say nothing.
        is_of_decisions = reason not in {"from_the_model", "unsupported", *ANSWERS_ANOTHER}
        confidence = self.confidence if is_of_decisions else None
        # A correction is learned from answers to the whole question: of others it says nothing.
        calibration = self.calibration if verdict == "answered" and not partial else None
        words = None if unused is None else [(one.start, one.end) for one in unused]
        return events.Finished(
            verdict=verdict,
            reason=reason,
            answers=answers or [],
            answers_total=total,
            count=None if counted is None else total,
            count_at_least=True if counted == "at least" else None,
            claim=claim,
            compared=compared,
            cost=cost_record(sum(self.costs.values(), Cost())),
            costs={str(stage): cost_record(cost) for stage, cost in self.costs.items()},
            seconds={str(stage): seconds for stage, seconds in self.stage_seconds.items()},
            confidence=confidence,
            calibrated=None if calibration is None or confidence is None else calibration(confidence),
            unused_words=None if words is None else [span for span in words if not overlaps(span, missed)],
            not_understood=[
                events.NotUnderstoodRecord(start=one.start, end=one.end, what=one.kind.value) for one in not_understood
            ]
            or None,
            partial=partial or None,
            readings=readings,
        )
