"""Exported queries find in exported graphs what Discern finds; on all engines, see ``make engines``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reasoning.core.derivation import Operator
from tests.engines.derivations import asked_of_all
from tests.engines.in_python import ENGINES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines.derivations import Asked

pytestmark = pytest.mark.slow
EACH = 60
"""Derivations of each graph."""
OF_RDFLIB = 7
"""It is asked every seventh query, as it takes a hundred times as long as Oxigraph."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("engines")


@pytest.fixture(scope="module")
def asked(folder: Path) -> list[Asked]:
    return asked_of_all(folder, EACH)


@pytest.mark.parametrize(("engine", "one_in"), [("Oxigraph", 1), ("rdflib", OF_RDFLIB)])
def test_an_engine_finds_what_a_replay_finds(engine: str, one_in: int, folder: Path, asked: list[Asked]) -> None:
    for one in asked[::one_in]:
        found = ENGINES[engine](folder / one.file, one.query)
        assert one.is_met(found), f"{one.file}, {one.about}\n{one.query}\nfound {found}\nexpected {one.expected}"


def test_the_derivations_have_everything_that_queries_say(asked: list[Asked]) -> None:
    assert len(asked) > 4 * EACH
    assert sum(bool(one.expected) for one in asked) > len(asked) / 2
    said = {
        **{f"the operator {operator}": f"'{operator}', " for operator in Operator},
        "a count": "'counted': True",
        "the second in an order": '"2"^^xsd:integer\']',
        "a step backwards": "'^",
        "a start from a type": "[0, '^type.object.type']",
    }
    for what, text in said.items():
        assert sum(text in one.about for one in asked) > 3, what
    assert sum(" UNION " in one.query for one in asked) > 3
    assert sum(one.is_original for one in asked) > EACH
