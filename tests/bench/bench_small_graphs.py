"""How a scorer does on graphs that no training read: ``python -m tests.bench.bench_small_graphs [FOLDER] [--json]``.

Eight small graphs with relation names of their own (`tests/bench/small_graphs`) are asked questions of one and two hops
that were written by hand, with topics given. ``FOLDER`` holds other weights than the bundled ones; ``--scorer`` names
another kind of scorer than the encoder. No recipe reads the graphs. The facts are drawn by chance, the same each time.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from kgstore.loading.formats import registry as formats
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from kgstore.terms import Entity
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.intervals import interval
from reasoning.scorers.registry import open_scorer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.store import GraphStore
    from reasoning.scorers.base import Scorer

GRAPHS = Path(__file__).parent / "small_graphs"
ASKED_OF_EACH = 2
"""Number of topics that are asked for each wording."""

Fact = tuple[str, str, str]


def facts(graph: dict[str, Any], chance: random.Random) -> set[Fact]:
    """Subject, relation and object of each fact."""
    things = graph["things"]
    return {
        (subject, relation, found)
        for relation, (kind, to, number) in graph["relations"].items()
        for subject in things[kind]
        for found in chance.sample([each for each in things[to] if each != subject], min(number, len(things[to]) - 1))
    }


def reached(known: set[Fact], topic: str, way: Sequence[str]) -> set[str]:
    """What a way of relations leads to, without where it began."""
    found = {topic}
    for relation in way:
        found = (
            {subject for subject, name, object_ in known if name == relation[1:] and object_ in found}
            if relation.startswith("^")
            else {object_ for subject, name, object_ in known if name == relation and subject in found}
        )
    return found - {topic} or found


def questions(name: str, graph: dict[str, Any], known: set[Fact], chance: random.Random) -> Iterator[BenchmarkQuestion]:
    """Questions with an answer, labelled by their number of hops."""
    for group in graph["questions"]:
        for kind, words, way in group["asked"]:
            answered = [topic for topic in graph["things"][kind] if reached(known, topic, way)]
            for topic in chance.sample(answered, min(ASKED_OF_EACH, len(answered))):
                answers = frozenset(Entity(each) for each in reached(known, topic, way))
                yield BenchmarkQuestion(
                    f"{name}/{words}/{topic}",
                    words.format(topic),
                    (GoldParse(Entity(topic), answers, None),),
                    labels={"hops": str(group["hops"])},
                )


def asked(library: SqliteLibrary, scratch: Path) -> Iterator[tuple[str, GraphStore, list[BenchmarkQuestion]]]:
    """Every graph and its questions."""
    for path in sorted(GRAPHS.glob("*.toml")):
        graph = tomllib.loads(path.read_text(encoding="utf-8"))
        chance = random.Random(path.stem)
        known = facts(graph, chance)
        file = scratch / f"{path.stem}.txt"
        file.write_text("".join("\t".join(fact) + "\n" for fact in sorted(known)), encoding="utf-8")
        shown = GraphToLoad(
            formats.FORMATS["pathquestion"].read(file), name=path.stem, title=path.stem, source=path.stem
        )
        library.load(shown)
        yield path.stem, library.open(path.stem), list(questions(path.stem, graph, known, chance))


def measure(scorer: Scorer) -> dict[str, dict[str, Any]]:
    """Hits@1 by graph and number of hops, and over all graphs."""
    hits: dict[str, list[float]] = {}
    settings = EvaluationSettings(topics="gold")
    with tempfile.TemporaryDirectory() as scratch:
        library = SqliteLibrary(Path(scratch) / "graphs")
        for name, store, to_ask in asked(library, Path(scratch)):
            for question in to_ask:
                hit = float(ask(question, store, scorer, settings).hit_first)
                for graph in (name, "all"):
                    hits.setdefault(f"{graph}, {question.labels['hops']} hops", []).append(hit)
        library.close()
    return {
        name: {"questions": len(found), "hits_at_1": sum(found) / len(found), "interval": interval(found)}
        for name, found in sorted(hits.items())
    }


def main() -> None:
    """Ask, and print what was right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="weights, instead of the bundled ones")
    parser.add_argument("--scorer", default="encoder", help="the kind of scorer; encoder if not given")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    found = measure(open_scorer(options.scorer, options.folder))
    console = Console(width=None if options.json else 100)
    if options.json:
        console.print_json(json.dumps(found))
        return
    table = Table("graph", "questions", "Hits@1", "95 % interval", header_style="dim")
    for name, row in found.items():
        low, high = row["interval"]
        table.add_row(name, str(row["questions"]), f"{row['hits_at_1']:.3f}", f"{low:.3f} to {high:.3f}")
    console.print(table)


if __name__ == "__main__":
    main()
