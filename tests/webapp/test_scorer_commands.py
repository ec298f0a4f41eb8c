from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from django.core.management import CommandError, call_command

from kgstore.loading.sample import SAMPLE_GRAPH, sample_graph
from webapp.engine import graph_library

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sample_loaded() -> Iterator[None]:
    graph_library().load(sample_graph())
    yield
    graph_library().remove(SAMPLE_GRAPH)


def test_evaluation_reports_one_document(sample_loaded: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("evaluate_sample", "--scorer", "lexical", "--json", "--wrong")
    told = json.loads(capsys.readouterr().out)
    assert told["split"] == "validation"
    assert told["scorer"] == "Lexical baseline"
    assert told["failed"] == 0
    assert 0.1 < told["answerable"]["hits_at_1"] < 1
    assert told["phrasings"] == told["answerable"]["phrasings"] + told["unanswerable"]["phrasings"]
    assert {wrong["case"] for wrong in told["wrong"]} >= {"E1"}


def test_evaluation_needs_the_sample() -> None:
    with pytest.raises(CommandError, match="sample"):
        call_command("evaluate_sample", "--scorer", "lexical")


def test_evaluation_needs_a_scorer(sample_loaded: None) -> None:
    with pytest.raises(CommandError, match="choose one of: encoder, lexical"):
        call_command("evaluate_sample", "--scorer", "guess")
