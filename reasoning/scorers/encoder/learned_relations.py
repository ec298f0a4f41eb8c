"""The relations that were right in a lesson of an encoder, one a line in a file next to its card."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Set
    from pathlib import Path

    from kgstore.store import GraphStore

FILE = "learned_relations.txt"
_KNOWN_SHARE = 0.9
"""The relations of a graph are known where at least this share of them was learned."""


def read_learned_relations(folder: Path) -> frozenset[str]:
    """The learned predicates; none where the training did not write them."""
    path = folder / FILE
    return frozenset(path.read_text(encoding="utf-8").splitlines()) if path.exists() else frozenset()


def write_learned_relations(folder: Path, learned: Collection[str]) -> None:
    """Write the learned predicates in alphabetical order."""
    (folder / FILE).write_text("".join(f"{predicate}\n" for predicate in sorted(learned)), encoding="utf-8")


def knows_relations(learned: Set[str], store: GraphStore) -> bool:
    """Whether a model that learned these predicates knows the relations of a graph."""
    offered = {relation.predicate for relation in store.offered()}
    return len(offered & learned) >= _KNOWN_SHARE * len(offered)
