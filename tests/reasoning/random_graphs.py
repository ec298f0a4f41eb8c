"""Small random graphs of entities and literals, and random derivations over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import TYPE
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Date, Entity, Number, Text
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.structure import ROOT, AbstractStructure, InstanceGraph
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.events import Finished
from reasoning.facts.pools import answerable, step_options
from reasoning.narration.replay import choices_of

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.options import StepOption

VALUES = {
    "people.person.height": [Number(1), Number(2), Number(2.5), Number(-3)],
    "film.film.released": [
        *map(Date, ("2010", "2011", "2011-02", "2011-02-06", "2011-02-07", "2011-12", "2012-01-01", "0044")),
        *map(Date, ("-0044", "-0044-03-15", "-0044-04", "-0043-01-01")),
    ],
    "film.film.tagline": [Text("a", "en"), Text("a"), Text('"\\b\n', "en"), Text("2011"), Text("1")],
    "base.mixed.value": [Number(2011), Date("2011"), Number(2011.5), Date("2012-05"), Text("2012")],
    "location.country.iso_numeric": [Text("032"), Number(392), Text("818"), Text("076"), Text("076", "en")],
    "office.held.from": [*map(Date, ("2009-01-20", "2010", "2011-02", "-0044")), Number(2011), Text("2010")],
    "office.held.to": [*map(Date, ("2010-06", "2011", "2011-02-06", "-0043-01-01"))],
    "http://example.org/onto#end_date": [Date("2012"), Date("2010-12-31")],
    "base.mixed.thing": [Number(2011), Text("a", "en"), Date("2011-02")],
}
LINKS = ("film.film.actor", "people.person.knows", "film.film.starring|film.performance.actor", "base.mixed.thing")
COMPARISONS = [operator for operator in Operator if operator not in (Operator.HOLDS, Operator.KIND)]
TARGETS = [term for values in VALUES.values() for term in values]
KINDS = ("people.person", "film.film", "made.up")


def random_triples(choose: random.Random, prefix: str = "m.") -> list[TripleText]:
    """A graph of entities, some of which have no name and only link others, and of literals."""
    things = [f"{prefix}{name}" for name in ("a", "b", "c'd", "ü e", "_5")]
    links = [f"{prefix}cvt{number}" for number in range(3)]
    triples = [(thing, "type.object.name", f'"{thing[len(prefix) :]}"@en') for thing in things]
    # A type is read off the relations of what is given none, which queries know nothing of.
    triples += [(each, TYPE, kind) for each in (*things, *links) for kind in choose.sample(KINDS, choose.randint(1, 2))]
    for _ in range(choose.randint(4, 16)):
        subject, target = choose.choice([*things, *links]), choose.choice([*things, *links])
        triples.append((subject, choose.choice(LINKS), target))
    for _ in range(choose.randint(0, 16)):
        relation = choose.choice(list(VALUES))
        triples.append((choose.choice([*things, *links]), relation, str(choose.choice(VALUES[relation]))))
    return list(dict.fromkeys(triples))


def random_derivation(
    choose: random.Random, store: GraphStore, topic: Entity, kinds: Sequence[str] = KINDS
) -> Derivation | None:
    """Some steps that the graph has, some conditions on what they reach, and a position for the answer."""
    structure, graph = AbstractStructure.rooted("topic"), InstanceGraph.rooted(topic)
    steps: list[SearchStep] = []
    open_steps: list[StepOption] = list(step_options(store, graph, ROOT, ()))
    for _ in range(choose.randint(1, 5)):
        if not open_steps:
            break
        option = open_steps.pop(choose.randrange(len(open_steps)))
        entities = [term for term in graph.members[option.step.position] if isinstance(term, Entity)]
        structure = structure.grow(option.step.position, option.step.relation, option.kind)
        graph = graph.grow(option.step.relation, store.expand(entities, option.step.relation, 1000).triples)
        steps.append(option.step)
        open_steps += step_options(store, graph, structure.step, ())
    places = answerable(structure, ())
    if not places:
        return None
    place = choose.choice(places)
    others = [position for position in range(1, len(structure.nodes)) if position != place]
    wanted = [choose.choice(others) for _ in range(choose.randint(0, 3))] if others else []
    constraints = tuple(random_constraint(choose, position, graph) for position in wanted)
    if choose.random() < 0.5:
        kind = Constraint(choose.choice([place, *others]), Operator.KIND, Entity(choose.choice(kinds)))
        constraints = (kind, *constraints)
    ranked = [c for c in constraints if c.operator.is_extremal]
    compared = [c for c in constraints if not c.operator.is_extremal]
    return Derivation(topic, tuple(steps), tuple(dict.fromkeys((*compared, *ranked))), place)


def random_constraint(choose: random.Random, position: int, graph: InstanceGraph) -> Constraint:
    members = sorted(graph.members[position], key=str)
    literals = [term for term in members if isinstance(term, Number | Date)]
    entities = [term for term in members if isinstance(term, Entity)]
    if entities and choose.random() < 0.5:
        return Constraint(position, Operator.HOLDS, choose.choice([t for t in TARGETS if isinstance(t, Date)]))
    if literals and choose.random() < 0.8:
        operator = choose.choice(COMPARISONS)
        nearby = [term for term in TARGETS if isinstance(term, type(literals[0]))]
        target = choose.choice([*literals, *nearby])
    else:
        operator = Operator.EQUAL if choose.random() < 0.9 else choose.choice(COMPARISONS)
        target = choose.choice([*members, choose.choice(TARGETS)])
    if operator.is_extremal:
        return Constraint(position, operator, choose.choice([None, None, Number(2), Number(3)]))
    return Constraint(position, operator, target)


def replayed(store: GraphStore, derivation: Derivation) -> frozenset[Term]:
    trace = Trace()
    emitted = list(answer("?", store, None, topic=derivation.topic, given=choices_of(derivation), trace=trace))
    assert isinstance(emitted[-1], Finished), emitted[-1]
    return frozenset(trace.answers)


def sqlite_store(triples: Iterable[TripleText], folder: Path) -> SqliteStore:
    path = folder / "graph.sqlite"
    load_graph(list(triples), path, name="graph", title="Graph", source="made up")
    return SqliteStore(path)
