"""The spines of WebQSP's gold queries: what those teach that no derivation expresses; see `reasoning.gold.spine`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.datasets.benchmarks.webqsp import webqsp_entries
from reasoning.datasets.source import objects_in
from reasoning.gold.spine import spine

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reasoning.core.derivation import Derivation


def read_spines(path: Path) -> Mapping[str, Derivation]:
    """By question id, the spine of the first parse of a WebQSP file that has one.

    Raises:
        DatasetError: the file cannot be read.

    """
    spines: dict[str, Derivation] = {}
    for _, question in webqsp_entries(path):
        for parse in objects_in(question, "Parses"):
            name, topic, query = question.get("QuestionId"), parse.get("TopicEntityMid"), parse.get("Sparql")
            if not (topic and query and all(isinstance(each, str) for each in (name, topic, query))):
                continue
            if name not in spines and (found := spine(query, Entity(topic))) is not None:
                spines[name] = found
    return spines
