"""Random derivations over several graphs, each with its query and with what a replay of it finds."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyoxigraph import RdfFormat, parse, serialize

from kgstore.iris import BLANK_NODE
from kgstore.loading.exported_graph import write_ntriples
from kgstore.loading.formats.registry import format_of
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.reading import GraphToLoad
from kgstore.loading.sample import sample_graph
from kgstore.sqlite.library import SqliteLibrary
from kgstore.terms import Date, Entity, Number
from reasoning.compiling.sparql import to_sparql
from reasoning.core.derivation import Constraint, Operator
from tests.engines.graphs import FREEBASE_DUMP, TURTLE, mixed_triples
from tests.engines.results import Found, as_loaded, found_of, read_answer
from tests.reasoning.random_graphs import random_derivation, replayed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.loading.formats.lines import TripleText
    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation
    from tests.engines.results import Answer

_TOPICS = 1_000
"""Maximum of the best known entities of a graph that derivations start from."""
_MOST_FACTS = 150
"""Topics with more facts, and types with more instances, are left out: rdflib takes minutes over them."""
_LEFT_OUT = 0.8
"""Of the derivations that agree easily, without answers or without a comparison, this share is left out."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query over a file, and what it must find."""

    file: str
    """The file's name without its folder."""
    query: str
    expected: Found
    about: str
    """Graph, number and derivation, for messages."""
    is_original: bool = False
    """Whether the graph was loaded from the file, instead of the file being written from the graph."""

    def is_met(self, answer: Answer) -> bool:
        """Whether an engine found what it must."""
        found = read_answer(answer)
        if self.is_original:
            found = as_loaded(found, is_dump=self.file.startswith("freebase"))
        return found == self.expected


def asked_of_all(folder: Path, each: int) -> list[Asked]:
    """Write every graph into a file, and make ``each`` derivations of it, some of which count."""
    library = SqliteLibrary(folder / "graphs")
    found: list[Asked] = []
    for name, triples, original in _sources(folder):
        library.load(GraphToLoad(triples, name, name, "made for this suite"))
        store = library.open(name)
        write_ntriples(store, folder / f"{name}.nt")
        for number, derivation in enumerate(_derivations(store, each, name)):
            answers = replayed(store, derivation)
            expected = len(answers) if derivation.counted else found_of(answers)
            asked = Asked(f"{name}.nt", to_sparql(derivation), expected, f"{name} {number}: {derivation.to_json()}")
            found.append(asked)
            if original and _can_be_asked_of_original(derivation, answers):
                found.append(replace(asked, file=original.name, is_original=True))
    library.close()
    return found


def _sources(folder: Path) -> Iterator[tuple[str, Iterable[TripleText], Path | None]]:
    """Graphs with their names, and the file that they were loaded from where engines can read it."""
    yield "sample", sample_graph().triples, None
    yield "mixed", mixed_triples(), None
    for name, suffix, text in (("addresses", "ttl", TURTLE), ("freebase", "nt", FREEBASE_DUMP)):
        source, original = folder / f"{name}.source.{suffix}", folder / f"{name}.original.nt"
        source.write_text(text, encoding="utf-8")
        yield name, format_of(source).read(source, ReadOptions()), original
        with original.open("wb") as file:
            serialize(parse(text, RdfFormat.from_extension(suffix)), file, RdfFormat.N_TRIPLES)


def _ranked(choose: random.Random, derivation: Derivation) -> Derivation:
    """The derivation with half of its comparisons of numbers and dates as a minimum or a maximum, or one at a place."""
    compared, ranked = [], []
    for constraint in derivation.constraints:
        is_value = isinstance(constraint.target, Number | Date) and constraint.operator is not Operator.HOLDS
        if constraint.operator.is_extremal or (is_value and choose.random() < 1 / 2):
            operator = choose.choice((Operator.MIN, Operator.MAX))
            ranked.append(Constraint(constraint.position, operator, choose.choice((None, None, Number(2)))))
        else:
            compared.append(constraint)
    return replace(derivation, constraints=tuple(dict.fromkeys((*compared, *ranked))))


def _can_be_asked_of_original(derivation: Derivation, answers: Collection[Term]) -> bool:
    """Whether a derivation can be asked of the file that its graph was loaded from.

    A node without an address has no name there, and a count counts ``"1.8"`` and ``"1.80"`` as two.
    """
    named = (derivation.topic, *answers, *(constraint.target for constraint in derivation.constraints))
    has_literals = any(not isinstance(answer, Entity) for answer in answers)
    return not any(str(term).startswith(BLANK_NODE) for term in named) and not (derivation.counted and has_literals)


def _derivations(store: ExplorableStore, wanted: int, seed: str) -> Iterator[Derivation]:
    choose = random.Random(seed)
    kinds = [kind.mid for kind in store.types()]
    entities = [card.entity for card in store.best_known(_TOPICS) if card.popularity <= _MOST_FACTS]
    types = [kind for kind, instances in store.types().items() if instances <= _MOST_FACTS]
    made: set[str] = set()
    while len(made) < wanted:
        derivation = random_derivation(choose, store, choose.choice(choose.choice((entities, entities, types))), kinds)
        if derivation is None:
            continue
        derivation = _ranked(choose, derivation)
        if str(derivation) in made:
            continue
        operators = {constraint.operator for constraint in derivation.constraints}
        is_easy = operators <= {Operator.HOLDS, Operator.KIND} or not replayed(store, derivation)
        if is_easy and choose.random() < _LEFT_OUT:
            continue
        made.add(str(derivation))
        yield replace(derivation, counted=choose.random() < 1 / 6)
