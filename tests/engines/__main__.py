"""``make engines``: ask every engine what a replay finds, and say where one finds something else."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tests.engines.as_programs import NoEngineError, in_java, in_node
from tests.engines.derivations import asked_of_all
from tests.engines.in_python import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.engines.derivations import Asked
    from tests.engines.in_python import Engine
    from tests.engines.results import Found

_SHOWN = 3
"""Maximum of queries that are printed of an engine that finds something else."""
_PACKAGES = {"Oxigraph": "pyoxigraph", "rdflib": "rdflib"}


def main() -> None:
    """Make derivations, ask all engines, and print a row for each; the exit status is 1 where one disagrees."""
    parser = argparse.ArgumentParser(prog="python -m tests.engines")
    parser.add_argument("--each", type=int, default=120, help="number of derivations of each of the four graphs (120)")
    each = parser.parse_args().each
    missing = False
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        asked = asked_of_all(folder, each)
        answered = sum(bool(one.expected) for one in asked)
        print(f"{4 * each} derivations, {len(asked)} queries, {answered} of them with answers")
        agree = True
        for name, ask in ENGINES.items():
            found = (_found_by(ask, folder, one) for one in asked)
            agree &= _reported(f"{name} {version(_PACKAGES[name])}", asked, found)
        for bring in (in_java, in_node):
            try:
                for program in bring():
                    agree &= _reported(f"{program.name} {program.version}", asked, program.ask_all(folder, asked))
            except NoEngineError as error:
                print(error, file=sys.stderr)
                missing = True
    sys.exit(1 if missing or not agree else 0)


def _found_by(ask: Engine, folder: Path, asked: Asked) -> Found | str:
    try:
        return ask(folder / asked.file, asked.query)
    except Exception as error:  # noqa: BLE001 - whatever an engine raises, it is what it says to the query
        return repr(error)


def _reported(name: str, asked: Sequence[Asked], found: Iterator[Found | str]) -> bool:
    """Print how many of the queries an engine answers as a replay does; whether all."""
    started = time.perf_counter()
    wrong = [
        (one, answer)
        for one, answer in zip(asked, found, strict=True)
        if isinstance(answer, str) or not one.is_met(answer)
    ]
    seconds = time.perf_counter() - started
    print(f"{name}: {len(asked) - len(wrong)} of {len(asked)} agree, {seconds:.0f} s")
    for one, answer in wrong[:_SHOWN]:
        print(f"{one.file}, {one.about}\n{one.query}expected {one.expected}\nfound {answer}\n")
    return not wrong


if __name__ == "__main__":
    main()
