"""Use the lazily initialised parts from several threads at once: ``python -m tests.reasoning.first_use THREADS``.

All threads begin each part at the same moment, in a process that has not used it before. Prints one JSON object: for
each part, what every thread read.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from threading import Barrier, Thread
from typing import TYPE_CHECKING

from kgstore.loading.formats.rdf.turtle import open_turtle
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.sample import sample_graph
from kgstore.sqlite.library import SqliteLibrary
from reasoning.datasets.benchmarks.queries import parse_of
from reasoning.engine.engine import answer
from reasoning.scorers.encoder.scorer import EncoderScorer

if TYPE_CHECKING:
    from collections.abc import Callable

_QUERIES = (
    "SELECT DISTINCT ?x WHERE { FILTER (?x != ns:m.a) ns:m.a ns:r.teams ?y . ?y ns:r.team ?x } ORDER BY ?x LIMIT 1",
    "SELECT ?x WHERE { ns:m.a ns:r.born ?d . ?x ns:r.died ?d FILTER (xsd:dateTime(?d) > '2000'^^xsd:dateTime) }",
    "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { ?x ns:r.a ns:m.b . FILTER (!isLiteral(?x) OR lang(?x) = 'en') }",
    "SELECT ?x WHERE { ?x ns:r.a ns:m.b . ?x ns:r.num ?n } ORDER BY DESC(xsd:integer(?n)) LIMIT 1",
)
_TURTLE = '@prefix e: <http://e.org/> . e:a e:r [ e:s ( 1 2.5 "three"@en ) ] , e:b .'
_QUESTION = "who plays the voice of KITT in Knight Rider?"


def main(threads: int) -> None:
    """Use every part, and print what was read."""
    with tempfile.TemporaryDirectory() as folder:
        library = SqliteLibrary(Path(folder))
        library.load(sample_graph())
        turtle = Path(folder, "small.ttl")
        turtle.write_text(_TURTLE, encoding="utf-8")
        scorer = EncoderScorer.open()
        prefix = "PREFIX ns: <http://rdf.freebase.com/ns/> "
        parts: dict[str, Callable[[], object]] = {
            "queries": lambda: [parse_of(prefix + query, None, frozenset()).to_json() for query in _QUERIES],
            "turtle": lambda: [str(triple) for triple in open_turtle(turtle, ReadOptions())],
            "answer": lambda: [
                event.model_dump(mode="json", include={"kind", "chosen", "answers"})
                for event in answer(_QUESTION, library.open("sample"), scorer)
            ],
        }
        results = {name: _at_once(use, threads) for name, use in parts.items()}
        library.close()
    sys.stdout.write(json.dumps(results))


def _at_once(use: Callable[[], object], threads: int) -> list[str]:
    begin = Barrier(threads)
    results: list[str] = []

    def work() -> None:
        begin.wait()
        try:
            results.append(json.dumps(use()))
        except Exception as error:  # noqa: BLE001 - the test compares it with what one thread reads
            results.append(repr(error))

    started = [Thread(target=work) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return results


if __name__ == "__main__":
    main(int(sys.argv[1]))
