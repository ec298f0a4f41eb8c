"""Parts of an evaluation's questions that have something in common, with figures; the worst of them come first."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from reasoning.evaluation.metrics.metrics import plain_relations
from reasoning.evaluation.reporting.intervals import interval
from reasoning.evaluation.reporting.relation_confusion import Confused, confusion, first_confused
from reasoning.question.word_lists import word_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reasoning.evaluation.judging.outcome import Outcome

Kind: TypeAlias = Literal["relation", "domain", "shape", "linking", "word"]

FEWEST = 20
"""Slices with fewer questions are marked as small."""
WORST = 30
SMALL_SLICE = 10
_SMALLEST = 5
"""Slices with fewer questions are not reported."""
CONFUSED_LISTED = 100
_WORD = re.compile(r"[^\W\d_]{2,}(?:['\u2019][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Traits:
    """What a question has in common with others."""

    relations: frozenset[str] = frozenset()
    """Those of the gold derivation, in their plain reading."""
    domains: frozenset[str] = frozenset()
    """What their names begin with: ``film`` of ``film.film.directed_by``."""
    words: frozenset[str] = frozenset()
    """The words of the question in small letters, without those that hardly mean anything by themselves."""
    shape: tuple[int, int] | None = None
    """Leaves and hops of the gold structure."""
    linking: bool | None = None
    """Whether the topic entity was found rightly; None where it was given."""
    confused: Confused | None = None

    @property
    def slices(self) -> Iterator[tuple[Kind, str]]:
        """The slices that the question is in."""
        yield from (("relation", relation) for relation in self.relations)
        yield from (("domain", domain) for domain in self.domains)
        yield from (("word", word) for word in self.words)
        if self.shape is not None:
            yield "shape", f"{self.shape[0]}-{self.shape[1]}"
        if self.linking is not None:
            yield "linking", "right" if self.linking else "wrong"


def traits_of(outcome: Outcome) -> Traits:
    """What a question has in common with others, as its outcome tells it."""
    gold = outcome.gold_derivation
    steps = () if gold is None else gold.steps
    relations = frozenset(part.predicate for step in steps for part in plain_relations(step.relation))
    return Traits(
        relations,
        frozenset(name.partition(".")[0] for name in relations if "." in name),
        words_of(outcome.question),
        None if outcome.leaves is None or outcome.hops is None else (outcome.leaves, outcome.hops),
        outcome.topic_right,
        None if gold is None else first_confused(outcome.derivation, gold),
    )


def words_of(text: str) -> frozenset[str]:
    """The words of a question in small letters that mean something by themselves."""
    return frozenset(_WORD.findall(text.casefold())) - _without_meaning()


def slices(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The worst slices of the questions with an answer in the graph, and the relations that were confused in them.

    ``worst`` are the first `WORST` of those slices of at least `FEWEST` questions whose Hits@1 is beneath that of all,
    by the upper end of its interval: what can be no better than that by the chance of which questions were asked.
    ``small`` are smaller ones, in which most questions are lost. ``worst_of`` and ``small_of`` count all slices.
    ``confused`` are the most frequent pairs of relations, ``confused_of`` counts all.
    """
    asked = [(outcome, traits_of(outcome)) for outcome in outcomes if outcome.answerable and not outcome.graph_gap]
    groups: defaultdict[tuple[Kind, str], list[Outcome]] = defaultdict(list)
    for outcome, traits in asked:
        for each in traits.slices:
            groups[each].append(outcome)
    parts = {key: group for key, group in groups.items() if len(group) < len(asked)}
    usual = fmean(o.hit_first for o, _ in asked) if asked else None
    worse = {
        key: group
        for key, group in parts.items()
        if usual is not None and fmean(o.hit_first for o in group) < usual and len(group) >= _SMALLEST
    }
    large = [_slice(kind, value, group) for (kind, value), group in worse.items() if len(group) >= FEWEST]
    small = {key: group for key, group in worse.items() if len(group) < FEWEST}
    lost = sorted(small, key=lambda key: (-sum(not o.hit_first for o in small[key]), len(small[key]), key))
    pairs = confusion(traits.confused for _, traits in asked)
    return {
        "questions": len(asked),
        "hits_at_1": usual,
        "macro_f1": fmean(o.f1 for o, _ in asked) if asked else None,
        "fewest": FEWEST,
        "worst": sorted(large, key=_at_best)[:WORST],
        "worst_of": sum(len(group) >= FEWEST for group in parts.values()),
        "small": [_slice(*key, small[key]) for key in lost[:SMALL_SLICE]],
        "small_of": sum(len(group) < FEWEST for group in parts.values()),
        "confused": [
            {"gold": pair.gold, "chosen": pair.chosen, "questions": count}
            for pair, count in sorted(pairs.items(), key=lambda each: (-each[1], str(each[0])))[:CONFUSED_LISTED]
        ],
        "confused_of": len(pairs),
        "confused_questions": pairs.total(),
    }


def _slice(kind: Kind, value: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    hits, f1s = [float(o.hit_first) for o in outcomes], [o.f1 for o in outcomes]
    return {
        "kind": kind,
        "value": value,
        "questions": len(outcomes),
        "hits_at_1": fmean(hits),
        "hits_at_1_interval": _interval(hits),
        "macro_f1": fmean(f1s),
        "macro_f1_interval": _interval(f1s),
    }


def _at_best(entry: dict[str, Any]) -> tuple[float, int, str]:
    """What a slice is at best, of equals the larger first."""
    return entry["hits_at_1_interval"]["high"], -entry["questions"], entry["value"]


def _interval(values: Sequence[float]) -> dict[str, float]:
    low, high = interval(values)
    return {"low": low, "high": high}


@cache
def _without_meaning() -> frozenset[str]:
    return frozenset(word_list("function_words.txt"))
