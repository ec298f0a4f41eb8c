"""A scorer that follows rules, so that what the engine does with a choice can be said exactly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from reasoning.core.options import AnswerOption, ConstraintOption, NoneOption, StepOption, TopicOption
from reasoning.scorers.base import Cost, Distribution

if TYPE_CHECKING:
    from reasoning.core.options import DecisionState, Option, OptionPool
    from reasoning.scorers.base import Scorer

TOY_GRAPH = Path(__file__).parent / "toy.tsv"


@dataclass(frozen=True)
class RuleScorer:
    """Chooses the first of its wishes that the pool holds, with probability 0.8; None where it holds none of them."""

    wishes: tuple[str, ...]
    name: str = "rules"
    reads: int | None = None
    """Maximum of options, the chosen one included; all where it is left out."""
    exact: bool = True
    """Otherwise it only says what it picks."""

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        texts = [_text(option) for option in pool.options]
        chosen = next((texts.index(wish) for wish in self.wishes if wish in texts), None)
        if chosen is None:
            chosen = texts.index("none") if "none" in texts else 0
        share = 0.8 if self.exact else 1.0
        each = (1 - share) / max(len(texts) - 1, 1)
        cost = Cost(calls=1, tokens_in=len(state.question.split()))
        probabilities = {i: share if i == chosen else each for i in range(len(texts))}
        if self.reads is None or self.reads >= len(texts):
            return Distribution(probabilities, 0.0, cost, exact=self.exact)
        read = [chosen, *(i for i in probabilities if i != chosen)][: self.reads]
        rest = each * (len(texts) - len(read))
        return Distribution({i: probabilities[i] for i in read}, rest, cost, each)


def _text(option: Option) -> str:
    match option:
        case StepOption(step=step):
            return f"{step.position} {step.relation}"
        case ConstraintOption(constraint=c):
            return f"{c.position} {c.operator} {'' if c.target is None else c.target}".strip()
        case AnswerOption(position=position):
            return f"answer {position}"
        case TopicOption(mention=mention):
            return f"about {mention.term}"
        case NoneOption():
            return "none"


@dataclass(frozen=True)
class Arbitrary:
    """Chooses by a hash of its seed, the state and the option: any run that a model might make, and always the same."""

    seed: int
    name: str = "arbitrary"

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        held = f"{self.seed} {state.stage} {state.structure} {state.constraints}"
        weights = [1 + crc32(f"{held} {_text(option)}".encode()) % 1000 for option in pool.options]
        shares = {index: weight / sum(weights) for index, weight in enumerate(weights)}
        return Distribution(shares, 0.0, Cost(calls=1, tokens_in=len(state.question.split())))


class Witness(RuleScorer):
    """Chooses like a `RuleScorer`, and keeps what it was shown, and of how many options it was asked."""

    def __init__(self, wishes: tuple[str, ...]) -> None:
        super().__init__(wishes)
        object.__setattr__(self, "seen", [])
        object.__setattr__(self, "wanted", [])

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        self.seen.append((state, pool))
        self.wanted.append(best)
        return super().score(state, pool, best=best)


@dataclass
class Counting:
    """Asks another scorer, and counts how often."""

    inner: Scorer
    asked: int = 0

    @property
    def name(self) -> str:
        return self.inner.name

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        self.asked += 1
        return self.inner.score(state, pool, best=best)


KITT = RuleScorer(
    (
        "0 tv.tv_program.regular_cast",
        "1 tv.regular_tv_appearance.actor",
        "1 tv.regular_tv_appearance.character",
        "3 = en.kitt",
        "answer 2",
    )
)
KITT_QUESTION = "who plays the voice of KITT in Knight Rider?"
KITT_GOLD = {
    "id": "kitt",
    "phrasings": [KITT_QUESTION],
    "topic": "en.knight_rider",
    "search": [
        [0, "tv.tv_program.regular_cast"],
        [1, "tv.regular_tv_appearance.actor"],
        [1, "tv.regular_tv_appearance.character"],
    ],
    "constraints": [[3, "=", "en.kitt"]],
    "answer": 2,
    "answers": ["en.william_daniels"],
}
"""The question with its gold derivation, over the hand-drawn graph."""
