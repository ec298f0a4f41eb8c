"""What the encoder reads of a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reasoning.core.options import Stage
from reasoning.engine.engine import answer
from reasoning.scorers.encoder.features import inputs_of, without_types
from tests.reasoning.rules import KITT, KITT_QUESTION

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.scorers.base import Distribution


class _Listener:
    """Decides by rules, and keeps what it is asked."""

    name = "listener"

    def __init__(self) -> None:
        self.asked: list[tuple[DecisionState, OptionPool]] = []

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        self.asked.append((state, pool))
        return KITT.score(state, pool, best=best)


def test_without_types_only_texts_differ(toy: GraphStore) -> None:
    listener = _Listener()
    for _ in answer(KITT_QUESTION, toy, listener):
        pass
    shorter = 0
    for state, pool in listener.asked:
        if state.stage is not Stage.SEARCH:
            continue
        typed = inputs_of(state, pool)
        shown = without_types(typed, state, pool)
        assert np.array_equal(shown.features, typed.features)
        assert np.array_equal(shown.context, typed.context)
        assert (shown.prompt_texts, shown.words, shown.distances) == (typed.prompt_texts, typed.words, typed.distances)
        assert all(len(less) <= len(whole) for less, whole in zip(shown.option_texts, typed.option_texts, strict=True))
        assert shown.hops == typed.hops
        assert set(shown.path_parts) <= set(typed.path_parts)
        assert not any(shown.kinds)
        shorter += shown.option_texts != typed.option_texts and any(typed.kinds)
    assert shorter
