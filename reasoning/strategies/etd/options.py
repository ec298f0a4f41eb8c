"""The options of ``etd``."""

from __future__ import annotations

from typing import Literal, TypeAlias

from reasoning.core.strategy_options import WRITER, AblationOption, Choice, ChoiceOption, NumberOption

Determination: TypeAlias = Literal["scorer", "explorer", "writer"]
CandidatePart: TypeAlias = Literal["letters", "candidates", "probabilities", "paths"]

CANDIDATES = NumberOption(
    "candidates",
    3,
    most=6,
    one="candidate",
    label="Candidates",
    lead="from",
    help="from how many of the best candidates of the explorer one is chosen",
)
DETERMINATION: ChoiceOption[Determination] = ChoiceOption(
    "determination",
    "scorer",
    label="Chosen by",
    lead="chosen by",
    help="who chooses among the candidates",
    choices=(
        Choice("scorer", "the model that decides"),
        Choice("explorer", "the explorer itself", told="explorer alone", flag="--explorer-alone"),
        Choice(WRITER, "a model that writes", told="determined by a model that writes"),
    ),
)
CANDIDATES_WITHOUT: AblationOption[CandidatePart] = AblationOption(
    "candidates_without",
    (),
    label="Leave out of the prompt",
    help="what the model that chooses does not see of the candidates; a scorer sees no more than probabilities",
    choices=(
        Choice("letters", "their letters", told="candidates without letters"),
        Choice("candidates", "the candidates, with their letters and probabilities", told="candidates not listed"),
        Choice("probabilities", "their probabilities", told="candidates without probabilities"),
        Choice("paths", "the paths to them", told="candidates without paths"),
    ),
)

OPTIONS = (CANDIDATES, DETERMINATION, CANDIDATES_WITHOUT)
