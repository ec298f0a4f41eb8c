"""Decisions as texts for generative models: the structure S_k, the question and the options, by stage.

The wording is ours; the parts and their order are those of READS' templates (arXiv 2412.12643, appendix). Each template
is a text file in this folder.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from reasoning.core.options import ConstraintOption, StepOption, TopicOption
from reasoning.facts.option_parts import constraint_parts, option_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reasoning.core.options import DecisionState, Option, Stage
    from reasoning.core.structure import AbstractStructure

NONE = "None"


def prompt_of(state: DecisionState, options: Iterable[str]) -> str:
    """A decision put to a generative model: the stage's template, filled in."""
    return _template(state.stage).substitute(
        structure=structure_text(state.structure),
        constraints="; ".join(
            _in_brackets(constraint_parts(state.structure, constraint, state.labels))
            for constraint in state.constraints
        )
        or NONE,
        question=state.question,
        options="\n".join(options),
    )


def structure_text(structure: AbstractStructure) -> str:
    """S_k: one line ``(node, relation, node)`` a step, in the graph's own direction; S_0 is the topic entity's name."""
    lines = []
    for node in structure.nodes[1:]:
        if node.parent is not None and node.relation is not None:
            ends = [structure.nodes[node.parent].name, node.name]
            subject, target = reversed(ends) if node.relation.is_reverse else ends
            lines.append(f"({subject}, {node.relation.predicate}, {target})")
    return "\n".join(lines) or (structure.nodes[0].name if structure.nodes else NONE)


def option_line(option: Option, state: DecisionState) -> str:
    """An option as it stands in a prompt. ``^`` marks a relation that is followed from object to subject."""
    parts = option_parts(option, state)
    match option:
        case TopicOption(mention=mention):
            named, kind = (*parts, mention.term)[:2]
            return f"{named} ({kind})"
        case StepOption() | ConstraintOption():
            return _in_brackets(parts)
        case _:
            return parts[0] if parts else NONE


def _in_brackets(parts: tuple[str, ...]) -> str:
    """A step or a constraint: ``(entity_2, =, KITT)``, ``(date_3, max)``."""
    return f"({', '.join(parts)})"


@cache
def _template(stage: Stage) -> Template:
    return Template(files(__name__).joinpath(f"{stage}.txt").read_text(encoding="utf-8").rstrip())
