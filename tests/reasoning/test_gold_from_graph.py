"""Where a benchmark does not say all answers, its gold query can be asked of the graph for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Text
from reasoning.core.derivation import Derivation
from reasoning.datasets.errors import DatasetError
from reasoning.evaluation.judging.gold_from_graph import with_answers_from
from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.selection import select
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.report import figures
from tests.reasoning.rules import KITT
from tests.reasoning.test_evaluation import ACTORS, DANIELS, HASSELHOFF, MULHARE, SHOW, VOICE, question, steps

if TYPE_CHECKING:
    from kgstore.store import GraphStore

FROM_GRAPH = EvaluationSettings(gold="from-graph")
UNKNOWN = replace(question(), labels={"answers": "unknown"})
"""Its gold query is that of the voice of KITT."""


def test_the_gold_query_gives_the_answers_that_the_file_does_not_say(toy: GraphStore) -> None:
    found = with_answers_from(toy, UNKNOWN)
    assert found.parses[0].answers == {DANIELS}
    assert found.labels == {"answers": "from the graph"}
    assert with_answers_from(toy, VOICE) is VOICE


def test_one_of_several_answers_becomes_all_of_them(toy: GraphStore) -> None:
    one = replace(question(DANIELS, derivation=ACTORS), labels={"answers": "one of several", "type": "cast"})
    found = with_answers_from(toy, one)
    assert {DANIELS, HASSELHOFF, MULHARE} <= found.parses[0].answers
    assert found.labels == {"answers": "from the graph", "type": "cast"}


def test_one_of_several_stays_where_the_graph_gives_none(toy: GraphStore) -> None:
    elsewhere = Derivation(SHOW, steps("0 no.such.relation"), (), 1)
    one = replace(question(DANIELS, derivation=elsewhere), labels={"answers": "one of several"})
    assert with_answers_from(toy, one) is one


def test_what_gives_nothing_is_left_out_and_counted_apart(toy: GraphStore) -> None:
    elsewhere = Derivation(SHOW, steps("0 no.such.relation"), (), 1)
    nothing = replace(question(id="nothing", derivation=elsewhere), labels={"answers": "unknown"})
    no_query = replace(question(id="no-query", derivation=None), labels={"answers": "unknown"})
    found = select([UNKNOWN, nothing, no_query], FROM_GRAPH, store=toy)
    assert [each.id for each in found.questions] == ["toy-1"]
    assert found.left_out == {
        "the gold query gives nothing on this graph": 1,
        "the file does not say the answers": 1,
    }
    assert select([UNKNOWN], EvaluationSettings(), store=toy).left_out == {"the file does not say the answers": 1}


def test_answers_from_no_one_graph_are_refused() -> None:
    with pytest.raises(DatasetError, match="only where all questions are asked of one"):
        select([UNKNOWN], FROM_GRAPH)


def test_the_report_says_how_many_were_judged_so(toy: GraphStore) -> None:
    chosen = select([UNKNOWN, replace(VOICE, id="toy-2")], FROM_GRAPH, store=toy)
    outcomes = [ask(each, toy, KITT, FROM_GRAPH) for each in chosen.questions]
    report = figures(outcomes, topics="gold", graph="toy")
    assert (report["questions"], report["gold_from_graph"]) == (2, 1)
    assert report["all"]["exact_match"] == 1.0


def test_answers_known_by_name_are_compared_by_name(toy: GraphStore) -> None:
    by_name = replace(question(Text("william daniels", "en")), compared_by="name")
    outcome = ask(by_name, toy, KITT, EvaluationSettings())
    assert (outcome.exact, outcome.graph_hit, outcome.case) == (True, True, "C1")
    stranger = replace(question(Text("Nobody At All", "en")), compared_by="name")
    wrong = ask(stranger, toy, KITT, EvaluationSettings())
    assert (wrong.hit, wrong.graph_gap) == (False, True)
    assert Entity(wrong.predicted[0]) == DANIELS
