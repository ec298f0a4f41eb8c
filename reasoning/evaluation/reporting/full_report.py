"""The whole report of an evaluation: its figures, the headline, READS' tables, and the slices."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasoning.evaluation.reporting.intervals import interval
from reasoning.evaluation.reporting.reads_tables import reads_tables
from reasoning.evaluation.reporting.report import figures
from reasoning.evaluation.reporting.slices import slices
from reasoning.evaluation.rules.registry import figures_by_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.judging.settings import Topics


def full_figures(outcomes: Sequence[Outcome], *, topics: Topics, graph: str) -> dict[str, Any]:
    """`figures`, with ``by_rules``, ``headline``, ``reads`` and ``slices``."""
    found = figures(outcomes, topics=topics, graph=graph)
    return {
        **found,
        "by_rules": list(figures_by_rules(outcomes, found["all"] or {})),
        "headline": headline(outcomes),
        "reads": reads_tables(outcomes),
        "slices": slices(outcomes),
    }


def headline(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The four figures that tell most, with 95 % intervals; none where there is no question.

    How often the first answer is right, and how good all answers are; both of what can be blamed on the model alone:
    the questions with an answer in this graph, and how often the search found it there.
    """
    in_graph = [outcome for outcome in outcomes if outcome.answerable and not outcome.graph_gap]
    found = (
        ("hits_at_1", [o.hit_first for o in outcomes]),
        ("macro_f1", [o.f1 for o in outcomes]),
        ("hits_at_1_in_graph", [o.hit_first for o in in_graph]),
        ("graph_hits", [bool(o.graph_hit) for o in in_graph]),
    )
    return [_with_interval(name, values) for name, values in found if values]


def _with_interval(name: str, values: Iterable[float]) -> dict[str, Any]:
    each = [float(value) for value in values]
    low, high = interval(each)
    return {"name": name, "questions": len(each), "value": fmean(each), "low": low, "high": high}
