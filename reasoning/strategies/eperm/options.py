"""The options of ``eperm``."""

from __future__ import annotations

from typing import Literal, TypeAlias

from reasoning.core.strategy_options import WRITER, AblationOption, Choice, ChoiceOption, NumberOption
from reasoning.strategies.plans.options import PLANS

Predictor: TypeAlias = Literal["rank", "choice", "writer"]
EvidencePart: TypeAlias = Literal["filter", "paths", "predictor"]

RELATIONS = NumberOption(
    "relations",
    3,
    most=20,
    one="relation",
    label="Relations",
    lead="among",
    help="how many relations are retrieved in a round, at least as many as plans",
    told="{count} a round",
    offered=(1, 2, 3, 4, 5, 6, 8, 10, 15, 20),
)
ENTITIES = NumberOption(
    "entities",
    300,
    most=1_000,
    one="entity",
    more="entities",
    label="Entities",
    lead="keeping",
    help="how many entities are kept along each relation of a plan, the best first",
    told="{count} a relation",
    offered=(1, 3, 5, 10, 30, 100, 300, 1_000),
)
PREDICTOR: ChoiceOption[Predictor] = ChoiceOption(
    "predictor",
    "rank",
    label="Answered by",
    lead="answered by",
    help="who answers from the weighed paths",
    choices=(
        Choice("rank", "their weights"),
        Choice("choice", "the model that decides", told="answered from paths by the model that decides"),
        Choice(WRITER, "a model that writes", told="answered from paths by a model that writes"),
    ),
)
EVIDENCE_WITHOUT: AblationOption[EvidencePart] = AblationOption(
    "evidence_without",
    (),
    label="Left out",
    help="what is left out of its evidence",
    choices=(
        Choice("filter", "no entity is judged, so that all are kept and weigh the same", told="entities unjudged"),
        Choice("paths", "no paths: an entity weighs what it was given alone", told="no paths"),
        Choice("predictor", "no predictor: all that paths lead to is an answer", told="no predictor"),
    ),
)

OPTIONS = (PLANS, RELATIONS, ENTITIES, PREDICTOR, EVIDENCE_WITHOUT)
