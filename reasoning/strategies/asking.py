"""The text of a question as weights of a strategy read it: the same in training and in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.options import DecisionState, Stage
from reasoning.core.structure import AbstractStructure
from reasoning.facts.verbalize import plain_question

if TYPE_CHECKING:
    from reasoning.question.linking import Linking


def masked_text(question: str, linking: Linking) -> str:
    """The question with *it* for its topic (ours): what is learned of one topic then holds for every other."""
    state = DecisionState(Stage.SEARCH, question, AbstractStructure(()), linking.mention, linking.targets)
    return plain_question(state)
