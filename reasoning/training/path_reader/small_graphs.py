"""Small graphs with relation names of their own: each is a TOML file of entities, relations and questions by hand.

The facts are drawn by chance, the same each time. Those that are taught show the path reader how the words of questions
compose relations that it never saw. Those that are held out fit what must hold for graphs never seen: the weights of a
path's figures, and how good the best path must be.
"""

from __future__ import annotations

import random
import tomllib
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from kgstore.loading.formats import registry as formats
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.datasets.question import BenchmarkQuestion, GoldParse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.store import GraphStore

_GRAPHS = Path(__file__).parent / "graphs"
TAUGHT, HELD_OUT = _GRAPHS / "taught", _GRAPHS / "held_out"
"""The folders of graphs that come with the product."""
TOPICS_OF_EACH = 2
"""Number of topics that are asked for each wording."""

Fact = tuple[str, str, str]


@contextmanager
def small_graph(path: Path) -> Iterator[tuple[GraphStore, list[BenchmarkQuestion]]]:
    """A graph and its questions, while they are needed."""
    graph = tomllib.loads(path.read_text(encoding="utf-8"))
    chance = random.Random(path.stem)  # noqa: S311 - the same facts each time
    known = _facts(graph, chance)
    with TemporaryDirectory() as scratch:
        file = Path(scratch) / "facts.txt"
        file.write_text("".join("\t".join(fact) + "\n" for fact in sorted(known)), encoding="utf-8")
        library = SqliteLibrary(Path(scratch) / "graphs")
        triples = formats.FORMATS["pathquestion"].read(file)
        library.load(GraphToLoad(triples, name=path.stem, title=path.stem, source=path.stem))
        try:
            yield library.open(path.stem), list(_questions(path.stem, graph, known, chance))
        finally:
            library.close()


def _facts(graph: dict[str, Any], chance: random.Random) -> set[Fact]:
    """Subject, relation and object of each fact."""
    things = graph["things"]
    return {
        (subject, relation, found)
        for relation, (kind, to, number) in graph["relations"].items()
        for subject in things[kind]
        for found in chance.sample([each for each in things[to] if each != subject], min(number, len(things[to]) - 1))
    }


def _questions(
    name: str, graph: dict[str, Any], known: set[Fact], chance: random.Random
) -> Iterator[BenchmarkQuestion]:
    """Questions with an answer, labelled by their number of hops."""
    for group in graph["questions"]:
        for kind, words, path in group["asked"]:
            answered = [topic for topic in graph["things"][kind] if _reached(known, topic, path)]
            for topic in chance.sample(answered, min(TOPICS_OF_EACH, len(answered))):
                answers = frozenset(Entity(each) for each in _reached(known, topic, path))
                yield BenchmarkQuestion(
                    f"{name}/{words}/{topic}",
                    words.format(topic),
                    (GoldParse(Entity(topic), answers, _derivation(topic, path)),),
                    labels={"hops": str(group["hops"])},
                )


def _derivation(topic: str, path: Sequence[str]) -> Derivation:
    steps = tuple(SearchStep(place, Relation.parse(relation)) for place, relation in enumerate(path))
    return Derivation(Entity(topic), steps, (), len(steps))


def _reached(known: set[Fact], topic: str, path: Sequence[str]) -> set[str]:
    """What a path of relations leads to, without where it began."""
    found = {topic}
    for relation in path:
        found = (
            {subject for subject, name, object_ in known if name == relation[1:] and object_ in found}
            if relation.startswith("^")
            else {object_ for subject, name, object_ in known if name == relation and subject in found}
        )
    return found - {topic} or found
