"""Whether the proposed cause is the mistake that was made: runs over the bundled sample with one known mistake each."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Relation
from reasoning.agreement.kappa import cohen_kappa
from reasoning.core.blame import Cause
from reasoning.core.derivation import SearchStep
from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, Stage, StepOption
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.evaluation.judging.blame import TOO_LONG, blame
from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.scorers.base import Cost, Distribution
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from reasoning.core.derivation import Derivation
    from reasoning.core.options import DecisionState, Option, OptionPool
    from reasoning.evaluation.judging.outcome import Outcome

pytestmark = pytest.mark.slow

OF_EACH = 22
"""Number of cases of each cause."""
NOWHERE = Entity("m.not_in_this_graph")


@dataclass
class Mistaken:
    """Decides as a gold derivation does, but for one decision."""

    gold: Derivation
    cause: Cause | None
    at: int = 0
    """Which decision of its stage goes wrong, from 0."""
    name: str = "mistaken"

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        chosen = self._mistake(state, pool) or self._right(state, pool)
        shares = {number: 0.9 if option is chosen else 0.0 for number, option in enumerate(pool.options)}
        return Distribution(shares, 0.1, Cost(calls=1, tokens_in=1))

    def _right(self, state: DecisionState, pool: OptionPool) -> Option:
        held = [option for option in pool.options if self._is_gold(option)]
        return held[0] if held else self._last(pool)

    def _is_gold(self, option: Option) -> bool:
        match option:
            case StepOption(step=step):
                return step in self.gold.steps
            case ConstraintOption(constraint=constraint):
                return constraint in self.gold.constraints
            case AnswerOption(position=position):
                went_on = self.cause in (Cause.WENT_ON, Cause.WRONG_RELATION)
                return not went_on and position == self.gold.answer_position
            case _:
                return False

    @staticmethod
    def _last(pool: OptionPool) -> Option:
        """To end a stage where that is offered, else what was found last."""
        return next((option for option in pool.options if isinstance(option, NoneOption)), pool.options[-1])

    def _mistake(self, state: DecisionState, pool: OptionPool) -> Option | None:
        number = {Stage.SEARCH: len(state.structure.nodes) - 1, Stage.PRUNE: len(state.constraints)}.get(state.stage, 0)
        others = [option for option in pool.options if not self._is_gold(option) and not isinstance(option, NoneOption)]
        here = number == (len(self.gold.steps) if self.cause is Cause.WENT_ON else self.at)
        match self.cause, state.stage:
            case (Cause.STOPPED_EARLY | Cause.CUT, Stage.SEARCH) | (Cause.MISSING_CONSTRAINT, Stage.PRUNE) if here:
                return self._last(pool)
            case (
                (Cause.WRONG_RELATION | Cause.WENT_ON, Stage.SEARCH)
                | (Cause.WRONG_CONSTRAINT, Stage.PRUNE)
                | (Cause.WRONG_PLACE, Stage.INFER)
            ) if here:
                return next(iter(others), None)
        return None


def questions(store: GraphStore) -> Iterator[BenchmarkQuestion]:
    """Those of the sample whose gold derivation a run can follow without a mistake, of all kinds alike."""
    found: defaultdict[tuple[int, int], list[BenchmarkQuestion]] = defaultdict(list)
    for each in sample_questions():
        gold = each.derivation
        if gold is not None:
            parse = GoldParse(gold.topic, frozenset(each.answers), gold)
            found[len(gold.steps), len(gold.constraints)].append(
                BenchmarkQuestion(f"{len(found)}", each.phrasings[0], (parse,))
            )
    turns = zip_longest(*found.values())
    for question in (each for turn in turns for each in turn if each is not None):
        followed = question.parses[0].derivation
        if followed is not None and ask(question, store, Mistaken(followed, None), EvaluationSettings()).exact:
            yield question


def mistakes(
    question: BenchmarkQuestion, cause: Cause, store: GraphStore
) -> Iterator[tuple[Outcome, BenchmarkQuestion]]:
    """Runs of a question with a mistake, and the question as its benchmark would have it."""
    parse = question.parses[0]
    gold = parse.derivation
    assert gold is not None

    def asked(scorer: Mistaken, of: BenchmarkQuestion = question) -> Outcome:
        return ask(of, store, scorer, EvaluationSettings())

    match cause:
        case Cause.LINKING:
            elsewhere = next(iter(sorted((term for term in parse.answers if isinstance(term, Entity)), key=str)), None)
            if elsewhere is not None:
                there = replace(parse, topic=elsewhere, derivation=replace(gold, topic=elsewhere))
                yield asked(Mistaken(gold, None), replace(question, parses=(there,))), question
        case Cause.GAP:
            lost = SearchStep(gold.steps[-1].position, Relation.parse("no.such.relation"))
            broken = replace(gold, steps=(*gold.steps[:-1], lost))
            yield asked(Mistaken(gold, None)), _with(question, answers=frozenset({NOWHERE}))
            yield asked(Mistaken(broken, None)), _with(question, derivation=broken)
        case Cause.GOLD | Cause.ORDER:
            shown = asked(Mistaken(gold, None))
            if len(shown.predicted) > 1:
                kept = shown.predicted[:1] if cause is Cause.GOLD else shown.predicted[1:2]
                fewer = _with(question, answers=frozenset(term for term in parse.answers if str(term) in kept))
                yield asked(Mistaken(gold, None), fewer), fewer
        case Cause.CUT:
            for at in range(len(gold.steps)):
                yield replace(asked(Mistaken(gold, cause, at)), reason=TOO_LONG), question
        case Cause.MISSING_CONSTRAINT | Cause.WRONG_CONSTRAINT:
            for at in range(max(1, len(gold.constraints))):
                yield asked(Mistaken(gold, cause, at)), question
        case _:
            for at in range(len(gold.steps)):
                yield asked(Mistaken(gold, cause, at)), question


def _with(question: BenchmarkQuestion, **changes: object) -> BenchmarkQuestion:
    return replace(question, parses=(replace(question.parses[0], **changes),))  # type: ignore[arg-type]


def test_what_is_proposed_is_the_mistake_that_was_made(sample: GraphStore) -> None:
    """κ between mistakes and proposals; those that still lead to the right answers are no cases."""
    pairs: list[tuple[str, str]] = []
    everything = list(islice(questions(sample), 80))
    for cause in Cause:
        of_cause: list[tuple[str, str]] = []
        for question in everything:
            for outcome, stated in mistakes(question, cause, sample):
                found = blame(outcome, stated, sample)
                if found is not None:
                    of_cause.append((cause.value, found.cause.value))
            if len(of_cause) >= OF_EACH:
                break
        assert len(of_cause) >= 15, (cause, len(of_cause))
        pairs += of_cause[:OF_EACH]
    assert len(pairs) >= 200
    assert (cohen_kappa(pairs) or 0.0) >= 0.95, Counter(pair for pair in pairs if pair[0] != pair[1])
