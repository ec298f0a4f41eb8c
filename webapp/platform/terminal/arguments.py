"""Arguments that several commands take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from reasoning.core.switches import (
    MOST_CANDIDATES,
    MOST_DEPTH,
    MOST_ENTITIES,
    MOST_PLANS,
    MOST_RELATIONS,
    MOST_ROUNDS,
    USUAL_CANDIDATES,
    USUAL_DEPTH,
    USUAL_ENTITIES,
    USUAL_PLANS,
    USUAL_RELATIONS,
    USUAL_ROUNDS,
    USUAL_WIDTH,
    WIDEST,
    CandidatePart,
    Debate,
    Debaters,
    Determination,
    EngineSwitches,
    EvidencePart,
    Planner,
    Predictor,
    Reasoner,
    Sufficiency,
)
from reasoning.strategies.registry import DEFAULT, STRATEGIES

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping


def strategy_arguments(parser: ArgumentParser) -> None:
    """Take ``--strategy`` and what some strategies are told beside it."""
    parser.add_argument(
        "--strategy", choices=STRATEGIES, default=DEFAULT, help=f"how questions are answered ({DEFAULT})"
    )
    switch_arguments(parser)


def switch_arguments(parser: ArgumentParser) -> None:
    """Take what some strategies are told beside their name."""
    parser.add_argument(
        "--width",
        type=int,
        choices=range(1, WIDEST + 1),
        default=USUAL_WIDTH,
        help=f"how many readings READS with a width keeps, and how many entities ToG keeps ({USUAL_WIDTH})",
    )
    parser.add_argument(
        "--candidates",
        type=int,
        choices=range(1, MOST_CANDIDATES + 1),
        default=USUAL_CANDIDATES,
        help=f"how many candidates of an explorer are chosen from ({USUAL_CANDIDATES})",
    )
    parser.add_argument(
        "--determination",
        choices=get_args(Determination),
        default="scorer",
        help="who chooses among the candidates of an explorer: the scorer, the explorer itself, or a model that "
        "writes (scorer)",
    )
    parser.add_argument(
        "--explorer-alone",
        action="store_const",
        const="explorer",
        default="scorer",
        dest="determination",
        help="take an explorer's best candidate, and ask no model: --determination explorer",
    )
    parser.add_argument(
        "--candidates-without",
        action="append",
        choices=get_args(CandidatePart),
        default=[],
        help="ablation: what is not told of the candidates; may be given several times",
    )
    parser.add_argument(
        "--plans",
        type=int,
        choices=range(1, MOST_PLANS + 1),
        default=USUAL_PLANS,
        help=f"how many plans a strategy follows that makes plans ({USUAL_PLANS})",
    )
    parser.add_argument(
        "--planner",
        choices=get_args(Planner),
        default="scorer",
        help="who makes them: a beam over the scorer's choices, or a model that writes (scorer)",
    )
    parser.add_argument(
        "--reasoner",
        choices=get_args(Reasoner),
        default="rank",
        help="who answers from what plans lead to: the plan that weighs most, or a model that writes (rank)",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        choices=range(1, MOST_ROUNDS + 1),
        default=USUAL_ROUNDS,
        help=f"how many relations DoG follows at most ({USUAL_ROUNDS})",
    )
    parser.add_argument(
        "--debate",
        choices=get_args(Debate),
        default="rule",
        help="who shortens the question in DoG: rules that stand in for its roles, or a model that writes (rule)",
    )
    parser.add_argument(
        "--debaters",
        choices=get_args(Debaters),
        default="3",
        help="how many of DoG's roles speak, simplifier, critic and linguist, or one agent for all of them (3)",
    )
    parser.add_argument(
        "--depth",
        type=int,
        choices=range(1, MOST_DEPTH + 1),
        default=USUAL_DEPTH,
        help=f"how many relations far ToG goes at most ({USUAL_DEPTH})",
    )
    parser.add_argument(
        "--sufficiency",
        choices=get_args(Sufficiency),
        default="scorer",
        help="who says in DoG and ToG whether what was found is enough: the scorer, or a model that writes (scorer)",
    )
    parser.add_argument(
        "--relations",
        type=int,
        choices=range(1, MOST_RELATIONS + 1),
        default=USUAL_RELATIONS,
        metavar=f"1-{MOST_RELATIONS}",
        help=f"how many relations a round retrieves where paths are weighed ({USUAL_RELATIONS})",
    )
    parser.add_argument(
        "--entities",
        type=int,
        choices=range(1, MOST_ENTITIES + 1),
        default=USUAL_ENTITIES,
        metavar=f"1-{MOST_ENTITIES}",
        help=f"how many entities are kept along a relation where paths are weighed ({USUAL_ENTITIES})",
    )
    parser.add_argument(
        "--predictor",
        choices=get_args(Predictor),
        default="rank",
        help="who answers from weighed paths: their weights, the scorer, or a model that writes (rank)",
    )
    parser.add_argument(
        "--evidence-without",
        action="append",
        choices=get_args(EvidencePart),
        default=[],
        help="ablation: entities unjudged, no paths, or no predictor; may be given several times",
    )
    parser.add_argument(
        "--model-may-answer",
        action="store_true",
        help="tell what a model that writes answers by itself, with no fact of the graph behind it",
    )


def switches_given(options: Mapping[str, Any]) -> EngineSwitches:
    """What the arguments of `switch_arguments` say."""
    return EngineSwitches(
        width=options["width"],
        candidates=options["candidates"],
        determination=options["determination"],
        candidates_without=tuple(options["candidates_without"]),
        plans=options["plans"],
        planner=options["planner"],
        reasoner=options["reasoner"],
        rounds=options["rounds"],
        debate=options["debate"],
        debaters=options["debaters"],
        depth=options["depth"],
        sufficiency=options["sufficiency"],
        relations=options["relations"],
        entities=options["entities"],
        predictor=options["predictor"],
        evidence_without=tuple(options["evidence_without"]),
        model_may_answer=options["model_may_answer"],
    )
