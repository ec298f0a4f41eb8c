"""The tables of READS (Xu et al., arXiv 2412.12643) over outcomes, in addition to the figures of the benchmarks."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasoning.core.options import Stage
from reasoning.evaluation.judging.cases import case_of
from reasoning.evaluation.metrics.metrics import macro_f1, paper_f1
from reasoning.evaluation.metrics.structure_size import structure_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reasoning.evaluation.judging.outcome import Outcome

LEVEL = "level"
"""The label by which GrailQA sorts its questions: ``i.i.d.``, ``compositional``, ``zero-shot``."""
_DISTANCES = ("relation_recall", "edit_distance", "edge_distance")
_COSTS = ("calls", "tokens_in", "tokens_out")
_BOUNDS = (0, 1, 11, 101, 1_001, 10_001)
"""The sizes of G_k are grouped from each of these on, up to the next."""


def reads_tables(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """READS' tables as one JSON document; None where no outcome tells what a table needs.

    ``structures`` is Table 2, of the questions with an answer in the graph. ``requests`` is Table 6.
    ``structure_sizes`` and ``graph_sizes`` are Figures 3 and 4: Hits@1 by the edges of S_k and by the facts of G_k, of
    the same questions. ``graph_hits`` and ``cases`` cover all questions that the benchmark has an answer to, as
    the paper counts them, next to those in the graph. ``levels`` are GrailQA's. ``paper`` is READS' F1 by two
    conventions: see `empty_as_zero`.
    """
    answerable = [outcome for outcome in outcomes if outcome.answerable]
    in_graph = [outcome for outcome in answerable if not outcome.graph_gap]
    return {
        "structures": _structures(in_graph),
        "requests": _requests(outcomes),
        "structure_sizes": _by_size((len(o.derivation.steps), o) for o in in_graph if o.derivation is not None),
        "graph_sizes": _by_size((_bin(o.graph_facts), o) for o in in_graph if o.graph_facts is not None),
        "mean_sizes": {
            "structure_edges": _mean([len(o.derivation.steps) for o in in_graph if o.derivation is not None]),
            "graph_facts": _mean([o.graph_facts for o in in_graph if o.graph_facts is not None]),
            "graph_nodes": _mean([o.graph_nodes for o in in_graph if o.graph_nodes is not None]),
        },
        "graph_hits": {"all": _graph_hits(answerable), "in_graph": _graph_hits(in_graph)},
        "cases": {"all": _cases(answerable), "in_graph": _cases(in_graph)},
        "levels": list(_levels(outcomes)),
        "paper": {"all": _paper(outcomes), "in_graph": _paper(in_graph)},
    }


def empty_as_zero(outcome: Outcome) -> float:
    """The precision of a question, 0 where nothing was predicted though the benchmark has an answer.

    WebQSP's official script gives 1. The code of READS is not released; RoG's script, which gave the figures of the
    method that READS also measures, returns 0 for precision, recall and F1 of an empty prediction
    (``eval_f1`` in RManLuo/reasoning-on-graphs, src/qa_prediction/evaluate_results.py).
    """
    return 0.0 if outcome.answerable and outcome.predicted_total == 0 else outcome.precision


def _structures(outcomes: Iterable[Outcome]) -> dict[str, Any] | None:
    """By leaves and edges of the gold structure, and the mean over these cells, each of which weighs the same."""
    groups: defaultdict[tuple[int, int], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.gold_derivation is not None:
            size = structure_size(outcome.gold_derivation)
            groups[size.leaves, size.edges].append(outcome)
    if not groups:
        return None
    found = {size: _distances(group) for size, group in sorted(groups.items())}
    return {
        "cells": [
            {"leaves": leaves, "edges": edges, "questions": len(groups[leaves, edges]), **distances}
            for (leaves, edges), distances in found.items()
        ],
        "mean_of_cells": {
            name: _mean([value for cell in found.values() if (value := cell[name]) is not None]) for name in _DISTANCES
        },
        "mean": _distances([outcome for group in groups.values() for outcome in group]),
    }


def _distances(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    return {
        name: _mean([value for outcome in outcomes if (value := getattr(outcome, name)) is not None])
        for name in _DISTANCES
    }


def _requests(outcomes: Sequence[Outcome]) -> list[dict[str, Any]] | None:
    """Calls and tokens of each stage and of all, per question and per call; None where no outcome tells stages."""
    costs = [o.stage_costs for o in outcomes if o.stage_costs or not o.calls]
    if not any(costs):
        return None
    sums = {str(stage): [sum(c.get(stage, {}).get(kind, 0) for c in costs) for kind in _COSTS] for stage in Stage}
    sums["all"] = [sum(column) for column in zip(*sums.values(), strict=True)]
    return [
        {
            "stage": stage,
            **{f"{kind}_per_question": total / len(costs) for kind, total in zip(_COSTS, totals, strict=True)},
            "tokens_in_per_call": totals[1] / totals[0] if totals[0] else None,
            "tokens_out_per_call": totals[2] / totals[0] if totals[0] else None,
        }
        for stage, totals in sums.items()
    ]


def _by_size(sized: Iterable[tuple[int, Outcome]]) -> list[dict[str, Any]]:
    groups: defaultdict[int, list[Outcome]] = defaultdict(list)
    for size, outcome in sized:
        groups[size].append(outcome)
    return [{"size": size, **_answered(group)} for size, group in sorted(groups.items())]


def _bin(facts: int) -> int:
    """The lower bound of the group of sizes to which a size of G_k belongs."""
    return max(bound for bound in _BOUNDS if bound <= facts)


def _graph_hits(outcomes: Sequence[Outcome]) -> float | None:
    return _mean([float(bool(o.graph_hit)) for o in outcomes])


def _cases(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """The classes; that an answer is not in the graph is a failure of the search here, as the paper has it."""
    found = (case_of(graph_hit=bool(o.graph_hit), hit=o.hit, hit_first=o.hit_first) for o in outcomes)
    return dict(sorted(Counter(found).items()))


def _levels(outcomes: Iterable[Outcome]) -> Iterator[dict[str, Any]]:
    groups: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if LEVEL in outcome.labels:
            groups[outcome.labels[LEVEL]].append(outcome)
    for level, group in sorted(groups.items()):
        yield {"level": level, **_answered(group)}


def _answered(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "questions": len(outcomes),
        "hits_at_1": fmean(o.hit_first for o in outcomes),
        "exact_match": fmean(o.exact for o in outcomes),
        "macro_f1": macro_f1(o.f1 for o in outcomes),
    }


def _paper(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    if not outcomes:
        return None
    recalls = [o.recall for o in outcomes]
    precisions = [empty_as_zero(o) for o in outcomes]
    return {
        "empty": sum(o.answerable and o.predicted_total == 0 for o in outcomes),
        "f1_empty_as_one": paper_f1([o.precision for o in outcomes], recalls),
        "f1_empty_as_zero": paper_f1(precisions, recalls),
        "precision_empty_as_zero": fmean(precisions),
    }


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
