"""Measures a language model on held-out decisions by exact search, and finds the best bias of None."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from reasoning.scorers.causal.scorer import DecisionTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reasoning.scorers.causal.scorer import CausalLMScorer
    from reasoning.training.causal.texts import TextSample


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision that a model made, with None and without it."""

    stage: str
    source: str
    none_log_odds: float | None
    """Of None against the best other option, without a bias; None where there is no such choice."""
    none_is_right: bool
    other_is_right: bool
    """Whether the best option besides None is right."""

    def is_right(self, none_bias: float) -> bool:
        """Whether the choice is right, with a bias added to the log-odds of None."""
        if self.none_log_odds is None:
            return self.other_is_right
        return self.none_is_right if self.none_log_odds + none_bias > 0 else self.other_is_right


def judge(
    scorer: CausalLMScorer, samples: Sequence[TextSample], progress: Callable[[int, int], None] = lambda *_: None
) -> Iterator[Judged]:
    """Ask for every sample; the scorer has no bias."""
    for number, sample in enumerate(samples, start=1):
        choice = scorer.choose_worded(DecisionTexts(sample.transcript, sample.continuations, sample.none), 2)
        best = [index for index in choice.best if index != sample.none] or list(choice.best)
        yield Judged(
            sample.stage,
            sample.source,
            choice.none_log_odds,
            sample.none in sample.right,
            sample.continuations[best[0]] in sample.right_texts,
        )
        progress(number, len(samples))


def accuracy(judged: Iterable[Judged], none_bias: float) -> dict[str, float]:
    """The share of right choices: ``all``, by stage, and by source where there are several.

    ``None`` is the share among the decisions where None may be chosen and is right; ``not None`` where it is not.
    """
    found: dict[str, list[bool]] = defaultdict(list)
    decisions = list(judged)
    sources = {decision.source for decision in decisions}
    for decision in decisions:
        right = decision.is_right(none_bias)
        names = ["all", decision.stage, *([decision.source] if len(sources) > 1 else [])]
        if decision.none_log_odds is not None:
            names.append("None" if decision.none_is_right else "not None")
        for name in names:
            found[name].append(right)
    return {name: fmean(rights) for name, rights in found.items()}


def best_none_bias(judged: Iterable[Judged]) -> float:
    """The bias with which most choices are right; of equals the one nearest to 0. Exact.

    A choice turns only where the bias passes its odds: so one bias between any two neighbours stands for all there.
    """
    weighed = [(-each.none_log_odds, each) for each in judged if each.none_log_odds is not None]
    if not weighed:
        return 0.0
    weighed.sort(key=lambda turn: turn[0])
    turns = np.array([turn for turn, _ in weighed])
    gains = np.cumsum([0, *(int(each.none_is_right) - int(each.other_is_right) for _, each in weighed)])
    biases = np.array([0.0, turns[0] - 1, *((turns[1:] + turns[:-1]) / 2), turns[-1] + 1])
    gained = gains[np.searchsorted(turns, biases)]
    best = biases[gained == gained.max()]
    return float(best[np.argmin(np.abs(best))])


def baselines(learned: Iterable[TextSample], asked: Iterable[TextSample]) -> dict[str, dict[str, float]]:
    """The share of right choices without a model: ``all`` and by stage.

    ``most frequent`` takes the option whose last word (its relation, operator, type or place) was right most often
    where it was offered in training; ``words`` the one with the largest share of words that the question has, and None
    where no option has one. Of equals the first.
    """
    offered, right = Counter[str](), Counter[str]()
    for sample in learned:
        offered.update({_last_word(text) for text in sample.continuations})
        right.update({_last_word(text) for text in sample.right_texts})
    found: dict[str, dict[str, list[bool]]] = {name: defaultdict(list) for name in ("most frequent", "words")}
    for sample in asked:
        frequent = max(
            sample.continuations, key=lambda text: right[_last_word(text)] / (offered[_last_word(text)] or 1)
        )
        question = _words(sample.question)
        shares = [len(_words(text) & question) / max(1, len(_words(text))) for text in sample.continuations]
        overlap = sample.none if sample.none is not None and not any(shares) else shares.index(max(shares))
        chosen = {"most frequent": frequent, "words": sample.continuations[overlap]}
        for name, text in chosen.items():
            for group in ("all", sample.stage):
                found[name][group].append(text in sample.right_texts)
    return {name: {group: fmean(rights) for group, rights in groups.items()} for name, groups in found.items()}


def _last_word(text: str) -> str:
    return text.rsplit(" ", 1)[-1]


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.lower()))
