"""What WebQSP's file tells of a parse beside its SPARQL: the inferential chain, its constraints, and the query's spine.

The chain and its constraints make a whole derivation where all constraints are equalities with entities. A spine is the
way from the topic entity to the answer without any condition: of the chain, or, where the query was written by hand and
the chain does not belong to it, of the query's triple patterns. A spine teaches which relations to follow, no more.
"""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kgstore.terms import Direction, Entity, Relation
from reasoning.derivation import Constraint, Derivation, Operator, SearchStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_BY_HAND = "#MANUAL SPARQL"
_COMMENT = re.compile(r"#[^\n]*")
_FILTERED = re.compile(r"FILTER\s*(?:NOT\s+EXISTS\s*\{[^}]*\}|EXISTS\s*\{[^}]*\}|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))")
_TOKEN = re.compile(r"ns:[\w.]+|\?\w+|[;.{}]|\"[^\"]*\"\S*|\S+")


@dataclass(frozen=True, slots=True)
class Chain:
    """What a parse's chain or query tells."""

    derivation: Derivation
    is_whole: bool
    """False for a spine: conditions are missing, and so is the end of the search."""


def read_chains(path: Path) -> Mapping[str, Sequence[Chain]]:
    """By question id, what the parses of a WebQSP file tell, in their order; parses that tell nothing are left out."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return {
        question["QuestionId"]: [chain for parse in question["Parses"] if (chain := chain_of(parse)) is not None]
        for question in document["Questions"]
    }


def chain_of(parse: Mapping[str, Any]) -> Chain | None:
    """What one parse tells; None where its query has no way of relations from the topic to the answer."""
    if not parse["TopicEntityMid"]:
        return None
    topic, names, query = Entity(parse["TopicEntityMid"]), parse["InferentialChain"], parse["Sparql"] or ""
    if query.startswith(_BY_HAND) or not names:
        way = spine(query, topic)
        return None if way is None else Chain(_derivation(topic, way, ()), is_whole=False)
    chain = [Relation(name) for name in names]
    constraints = [_constraint(entry, len(chain)) for entry in parse["Constraints"]]
    found = [constraint for constraint in constraints if constraint is not None]
    if len(found) < len(constraints) or parse["Order"]:
        return Chain(_derivation(topic, chain, ()), is_whole=False)
    return Chain(_derivation(topic, chain, found), is_whole=True)


def spine(query: str, topic: Entity) -> list[Relation] | None:
    """The shortest way of relations from the topic to the first selected variable in a query's triple patterns."""
    selected = re.search(r"SELECT\s+(?:DISTINCT\s+)?(\?\w+)", query)
    if selected is None:
        return None
    edges = list(_patterns(query))
    ways: dict[str, list[Relation]] = {f"ns:{topic}": []}
    waiting = deque(ways)
    while waiting:
        at = waiting.popleft()
        for subject, predicate, target in edges:
            for start, end, direction in (
                (subject, target, Direction.FORWARD),
                (target, subject, Direction.REVERSE),
            ):
                if start == at and end not in ways and (end.startswith("?")):
                    ways[end] = [*ways[at], Relation(predicate, direction)]
                    waiting.append(end)
    return ways.get(selected[1]) or None


def _patterns(query: str) -> Iterator[tuple[str, str, str]]:
    """The triple patterns of a query whose predicates are named, those of filters left out."""
    text = _FILTERED.sub(" ", _COMMENT.sub("", query).partition("WHERE")[2])
    parts: list[str] = []
    for token in _TOKEN.findall(text):
        if token in (".", "{", "}"):
            parts = []
        elif token == ";":
            parts = parts[:1]
        else:
            parts.append(token.rstrip(".") if token.startswith("ns:") else token)
            if len(parts) == len(("subject", "predicate", "object")) and parts[1].startswith("ns:"):
                yield parts[0], parts[1].removeprefix("ns:"), parts[2]


def _constraint(entry: Mapping[str, Any], length: int) -> tuple[int, Relation, Entity] | None:
    position = entry["SourceNodeIndex"] + 1
    if entry["Operator"] != "Equal" or entry["ArgumentType"] != "Entity" or position > length:
        return None
    return position, Relation(entry["NodePredicate"]), Entity(entry["Argument"])


def _derivation(
    topic: Entity, chain: Sequence[Relation], constraints: Sequence[tuple[int, Relation, Entity]]
) -> Derivation:
    steps = [SearchStep(position, relation) for position, relation in enumerate(chain)]
    found: list[Constraint] = []
    for position, relation, target in constraints:
        steps.append(SearchStep(position, relation))
        found.append(Constraint(len(steps), Operator.EQUAL, target))
    return Derivation(topic, tuple(steps), tuple(found), len(chain))
