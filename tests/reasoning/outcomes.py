"""An outcome for tests of what is made of outcomes."""

from __future__ import annotations

from reasoning.evaluation.judging.outcome import Outcome


def outcome() -> Outcome:
    """A question that was answered rightly."""
    return Outcome(
        id="q",
        question="who?",
        labels={},
        row="",
        split="validation",
        gold_topic="m.0",
        topic="m.0",
        topic_right=None,
        gold=("m.1",),
        gold_labels=("One",),
        predicted=("m.1",),
        predicted_labels=("One",),
        predicted_total=1,
        compared_by="id",
        verdict="answered",
        reason="answered",
        derivation=None,
        gold_derivation=None,
        problem="",
        graph_gap=False,
        answerable=True,
        hit=True,
        hit_first=True,
        exact=True,
        precision=1.0,
        recall=1.0,
        f1=1.0,
        case="C1",
        relation_recall=None,
        edit_distance=None,
        graph_hit=True,
        leaves=None,
        hops=None,
        calls=1,
        tokens_in=1,
        tokens_out=0,
        seconds=0.1,
    )
