"""The figures that sum outcomes up, and outcomes as rows of a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from statistics import fmean, quantiles
from typing import TYPE_CHECKING, Any

from kgstore.terms import Text
from reasoning.core.options import Stage
from reasoning.datasets.question import ANSWERS, FROM_GRAPH
from reasoning.evaluation.judging.judging import TOPIC_GAP
from reasoning.evaluation.metrics.metrics import compare, macro_f1, paper_f1
from reasoning.evaluation.reporting.calibration import reliability
from reasoning.evaluation.reporting.cells import cell
from reasoning.events import UNANSWERED
from reasoning.narration.wording import RIGHT_ANSWERS
from reasoning.run.diagnosis import DOG_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.judging.settings import Topics
    from reasoning.run.diagnosis import DogClass

_PERCENTILE = 95
_SOMETHING = Text("some gold answer")
_RIGHT_ANSWERS: tuple[tuple[int, int | None], ...] = ((1, 1), (2, 5), (6, None))
"""Groups of questions by their number of right answers."""
_COSTS = ("calls", "tokens_in", "tokens_out")
_COLUMNS = (
    "id",
    "question",
    "split",
    "graph",
    "topics",
    "gold_topic",
    "topic",
    "topic_right",
    "gold_labels",
    "predicted_labels",
    "predicted_total",
    "compared_by",
    "verdict",
    "reason",
    "confidence",
    "answerable",
    "graph_gap",
    "hit",
    "hit_first",
    "exact",
    "exact_form",
    "precision",
    "recall",
    "f1",
    "case",
    "cause",
    "dog_class",
    "dog_round",
    "dog_why",
    "relation_recall",
    "edit_distance",
    "edge_distance",
    "graph_hit",
    "graph_facts",
    "graph_nodes",
    "leaves",
    "hops",
    "calls",
    "tokens_in",
    "tokens_out",
    "seconds",
    "stage_seconds",
    "stage_costs",
    "perfect_f1",
    "perfect_hit_first",
    "derivation",
    "gold_derivation",
    "logical_form",
    "problem",
    "labels",
)
_OF_DOG = (("class", "name"), ("round", "round"), ("why", "why"))


def figures(outcomes: Sequence[Outcome], *, topics: Topics, graph: str) -> dict[str, Any]:
    """The figures as one JSON document; shares from 0 to 1, means over questions, None where there is nothing to mean.

    ``all`` holds every question (WebQSP's official figures), ``answerable`` those that the benchmark has answers to,
    ``in_graph`` of these the ones with an answer in the graph, ``reachable`` (where `ceiling` was asked for) the
    ones to which some derivation leads; error cases and shapes cover the last. ``gold_from_graph`` counts the
    questions whose gold answers a gold query gave on this graph: the benchmark does not say them, or not all. In
    ``in_graph``, ``turned_away`` is the share left unanswered though the answer is in the graph; in ``graph_gap`` and
    ``unanswerable``, those recognised as such. ``from_the_model`` holds what a model answered without any fact, and
    ``without_the_model`` every question again, with such an answer counting as none.
    ``dog`` counts the error classes of DoG over all questions, and what Hits@1 would be if answers that are right by
    another name alone were right; None where no answer has a class.
    ``confidence`` covers ``in_graph``: that a graph lacks the answer is no fault of the model's confidence.
    ``exact_match_of_logical_forms`` is None unless another system predicted logical forms.
    ``search``, ``cost`` and ``seconds`` cover what Discern answered: of other systems only answers are known.
    """
    answerable = [outcome for outcome in outcomes if outcome.answerable]
    in_graph = [outcome for outcome in answerable if not outcome.graph_gap]
    gap = [outcome for outcome in answerable if outcome.graph_gap]
    unanswerable = [outcome for outcome in outcomes if not outcome.answerable]
    linked = [outcome.topic_right for outcome in outcomes if outcome.topic_right is not None]
    ran = [outcome for outcome in outcomes if not outcome.system]
    own = [outcome for outcome in outcomes if outcome.verdict == "from_the_model"]
    return {
        "topics": topics,
        "graph": graph,
        "compared_by": "/".join(sorted({outcome.compared_by for outcome in outcomes})) or None,
        "questions": len(outcomes),
        "gold_from_graph": sum(outcome.labels.get(ANSWERS) == FROM_GRAPH for outcome in outcomes),
        "all": _answers(outcomes),
        "answerable": _answers(answerable),
        "in_graph": _answers(in_graph),
        "reachable": _reachable(outcomes),
        "graph_gap": {
            "questions": len(gap),
            "topic_not_in_graph": sum(outcome.reason == TOPIC_GAP for outcome in gap),
            "turned_away": _share(outcome.verdict in UNANSWERED for outcome in gap),
        },
        "unanswerable": {
            "questions": len(unanswerable),
            "recognised": sum(outcome.verdict in UNANSWERED for outcome in unanswerable),
        },
        "cases": _cases(in_graph),
        "causes": dict(Counter(str(o.blame.cause) for o in outcomes if o.blame is not None).most_common()),
        "dog": dog_figures(
            Counter(outcome.dog.name for outcome in outcomes if outcome.dog is not None),
            hits=sum(outcome.hit_first for outcome in outcomes),
            questions=len(outcomes),
        ),
        "search": _search([outcome for outcome in in_graph if not outcome.system]),
        "by_shape": list(_by_structure_size(in_graph)),
        "by_answers": list(_by_answers(in_graph)),
        "reasons": dict(Counter(outcome.reason for outcome in outcomes).most_common()),
        "failed": sum(outcome.verdict == "failed" for outcome in outcomes),
        "without_gold_derivation": dict(
            Counter(o.problem for o in outcomes if o.gold_derivation is None).most_common()
        ),
        "linking": _share(linked),
        "from_the_model": _answers(own),
        "without_the_model": _answers([_without_the_model(outcome) for outcome in outcomes]) if own else None,
        "confidence": reliability(in_graph),
        "cost": _cost(ran),
        "seconds": _seconds(ran),
    }


def dog_figures(counts: Mapping[DogClass, int], *, hits: int, questions: int) -> dict[str, Any] | None:
    """What `figures` tells of DoG, by how many answers have each error class; None where none has any.

    ``hits`` counts the questions whose first answer is a gold answer.
    """
    classes = {name: counts[name] for name in DOG_CLASSES if counts.get(name)}
    if not classes:
        return None
    return {"classes": classes, "hits_at_1_with_aliases": (hits + classes.get("aliasing", 0)) / questions}


def answers_between(row: Mapping[str, Any]) -> str:
    """How many right answers the questions of a row of ``by_answers`` have: "1", "2 to 5", "6 or more"."""
    fewest, most = row["fewest"], row["most"]
    words = "or_more" if most is None else "exactly" if fewest == most else "between"
    return RIGHT_ANSWERS[words].format(fewest=fewest, most=most)


def csv_rows(outcomes: Iterable[Outcome], *, topics: Topics, graph: str) -> Iterator[list[str]]:
    """A head, then a row for every outcome; lists have their parts separated by bars, structures are JSON.

    A spreadsheet would take a text that begins like a formula for one: it gets an apostrophe before it, as OWASP says.
    """
    yield list(_COLUMNS)
    for outcome in outcomes:
        cause = None if outcome.blame is None else outcome.blame.cause.value
        document = {**outcome.to_json(), "graph": graph, "topics": topics, "cause": cause}
        dog = document["dog"] or {}
        document |= {f"dog_{column}": dog.get(part) for column, part in _OF_DOG}
        yield [cell(document[column]) for column in _COLUMNS]


def _answers(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    if not outcomes:
        return None
    precisions, recalls = [o.precision for o in outcomes], [o.recall for o in outcomes]
    forms = [o.exact_form for o in outcomes if o.exact_form is not None]
    has_forms = any(o.logical_form for o in outcomes)
    return {
        "questions": len(outcomes),
        "hit": fmean(o.hit for o in outcomes),
        "hits_at_1": fmean(o.hit_first for o in outcomes),
        "exact_match": fmean(o.exact for o in outcomes),
        "exact_match_of_logical_forms": _share(forms) if has_forms else None,
        "precision": fmean(precisions),
        "recall": fmean(recalls),
        "macro_f1": macro_f1(o.f1 for o in outcomes),
        "paper_f1": paper_f1(precisions, recalls),
        "turned_away": fmean(o.verdict in UNANSWERED for o in outcomes),
    }


def _without_the_model(outcome: Outcome) -> Outcome:
    """The outcome had the model not answered by itself where it did."""
    if outcome.verdict != "from_the_model":
        return outcome
    nothing = compare((), frozenset({_SOMETHING} if outcome.answerable else ()))
    return replace(
        outcome,
        verdict="no_answer_found",
        hit=nothing.hit,
        hit_first=nothing.hit_first,
        exact=nothing.exact,
        precision=nothing.precision,
        recall=nothing.recall,
        f1=nothing.f1,
    )


def _reachable(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """The questions whose gold a perfect chooser reaches, and how near to it the scorer comes."""
    reached = [(outcome, outcome.perfect_f1) for outcome in outcomes if outcome.answerable and outcome.perfect_f1]
    if not reached:
        return None
    perfect = fmean(best for _, best in reached)
    found = _answers([outcome for outcome, _ in reached])
    first = fmean(bool(outcome.perfect_hit_first) for outcome, _ in reached)
    of_perfect = {"perfect_hits_at_1": first, "perfect_f1": perfect}
    return found and {**found, **of_perfect, "of_perfect": found["macro_f1"] / perfect}


def _search(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    recalls = [o.relation_recall for o in outcomes if o.relation_recall is not None]
    distances = [o.edit_distance for o in outcomes if o.edit_distance is not None]
    return {
        "graph_hits": _share(bool(o.graph_hit) for o in outcomes),
        "with_gold_derivation": len(recalls),
        "relation_recall": _mean(recalls),
        "edit_distance": _mean(distances),
        "same_graph": _share(distance == 0 for distance in distances),
    }


def _by_structure_size(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    groups: defaultdict[tuple[int, int], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.leaves is not None and outcome.hops is not None:
            groups[outcome.leaves, outcome.hops].append(outcome)
    for (leaves, hops), group in sorted(groups.items()):
        yield {
            "leaves": leaves,
            "hops": hops,
            "questions": len(group),
            "hits_at_1": fmean(o.hit_first for o in group),
            "macro_f1": macro_f1(o.f1 for o in group),
            "cases": _cases(group),
        }


def _by_answers(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    for fewest, most in _RIGHT_ANSWERS:
        group = [o for o in outcomes if fewest <= len(o.gold) and (most is None or len(o.gold) <= most)]
        if group:
            yield {
                "fewest": fewest,
                "most": most,
                "questions": len(group),
                "hits_at_1": fmean(o.hit_first for o in group),
                "macro_f1": macro_f1(o.f1 for o in group),
            }


def _cases(outcomes: Iterable[Outcome]) -> dict[str, int]:
    return dict(sorted(Counter(str(o.case) for o in outcomes if o.case is not None).items()))


def _cost(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "calls": _mean([o.calls for o in outcomes]),
        "tokens_in": _mean([o.tokens_in for o in outcomes]),
        "tokens_out": _mean([o.tokens_out for o in outcomes]),
        "stages": _stage_costs(outcomes),
    }


def _stage_costs(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]] | None:
    """None where no outcome has it; those from before it was recorded are left out."""
    costs = [o.stage_costs for o in outcomes if o.stage_costs or not o.calls]
    if not any(costs):
        return None
    return {
        str(stage): {kind: fmean(c.get(stage, {}).get(kind, 0) for c in costs) for kind in _COSTS} for stage in Stage
    }


def _seconds(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    if not outcomes:
        return None
    seconds = [o.seconds for o in outcomes]
    return {
        "mean": fmean(seconds),
        "p95": quantiles(seconds, n=100, method="inclusive")[_PERCENTILE - 1] if len(seconds) > 1 else seconds[0],
        "longest": max(seconds),
        "stages": {str(stage): fmean(o.stage_seconds.get(stage, 0.0) for o in outcomes) for stage in Stage},
    }


def _share(found: Iterable[bool]) -> float | None:
    return _mean([float(one) for one in found])


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
