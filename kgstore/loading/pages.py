"""Pages about things, which Wikidata lists next to the things: articles with their titles, and records of entities.

They would be most of the named things of a graph, each with the name of what it is about. A page says what it is about,
and either lies in the site that it is part of, or is a record of an entity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.loading.arrange import RawGraph
    from kgstore.loading.edges import Flags, Ids

_ABOUT = frozenset({"http://schema.org/about", "https://schema.org/about", "schema:about"})
_PART_OF = frozenset({"http://schema.org/isPartOf", "https://schema.org/isPartOf", "schema:isPartOf"})
_RECORD = re.compile(r"https?://www\.wikidata\.org/wiki/Special:EntityData/")


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages among the terms of a graph."""

    _are_left_out: Flags
    """By number of a term: pages, and the sites that they are part of."""
    _count: int

    def __len__(self) -> int:
        return self._count

    def without(self, columns: Ids) -> Ids:
        """Triples without those of pages and sites."""
        if not self._count:
            return columns
        return columns[:, ~(self._are_left_out[columns[0]] | self._are_left_out[columns[2]])]


def pages(raw: RawGraph) -> Pages:
    """Find the pages of a graph that was read."""
    found = np.zeros(len(raw.texts), bool)
    about = {subject for subject, _ in _along(raw, _ABOUT)}
    records = {subject for subject in about if _RECORD.match(raw.texts[subject])}
    within = {
        subject: site
        for subject, site in _along(raw, _PART_OF)
        if subject in about and raw.texts[subject].startswith(raw.texts[site])
    }
    found[[*records, *within, *within.values()]] = True
    return Pages(found, len(records | within.keys()))


def _along(raw: RawGraph, relations: frozenset[str]) -> Iterator[tuple[int, int]]:
    numbers = [number for number, predicate in enumerate(raw.predicates) if predicate in relations]
    if numbers:
        subjects, _, objects = raw.columns[:, np.isin(raw.columns[1], numbers)].tolist()
        yield from zip(subjects, objects, strict=True)
