"""The stages have one list: what is counted stage by stage has its names, in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reasoning.core.options import Stage
from webapp.evaluations.schemas import StageCostsOut, StagesOut

if TYPE_CHECKING:
    from pydantic import BaseModel


@pytest.mark.parametrize("record", [StageCostsOut, StagesOut])
def test_what_is_counted_by_stage_has_the_stages_in_their_order(record: type[BaseModel]) -> None:
    assert list(record.model_fields) == [str(stage) for stage in Stage]


def test_every_stage_has_a_label() -> None:
    assert all(stage.label for stage in Stage)
    assert len({stage.label for stage in Stage}) == len(Stage)
