"""``make engines``: ask every engine what a replay finds, and say where one finds something else.

Last comes the table of ``docs/results/sparql-engines.md``.
"""

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
from tests.engines.differences import DIFFERENCES, FILE, TRIPLES, said, table
from tests.engines.in_python import ENGINES, Library
from webapp.launch.setup import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.engines.derivations import Asked
    from tests.engines.results import Answer

_SHOWN = 3
"""Maximum of queries that are printed of an engine that finds something else."""
_PACKAGES = {"Oxigraph": "pyoxigraph", "rdflib": "rdflib"}


def main() -> None:
    """Make derivations, ask all engines, and print a line for each; the exit status is 1 where one disagrees."""
    parser = argparse.ArgumentParser(prog="python -m tests.engines")
    parser.add_argument("--each", type=int, default=120, help="number of derivations of each of the four graphs (120)")
    each = parser.parse_args().each
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / FILE).write_text(TRIPLES, encoding="utf-8")
        asked = asked_of_all(folder, each)
        answered = sum(bool(one.expected) for one in asked)
        say(f"{4 * each} derivations, {len(asked)} queries, {answered} of them with answers")
        agree, answers = True, {}
        for bring in (_in_python, in_java, in_node):
            try:
                for program in bring():
                    name = f"{program.name} {program.version}"
                    agree &= _reported(name, asked, program.ask_all(folder, asked))
                    answers[name] = [said(answer) for answer in program.ask_all(folder, DIFFERENCES)]
            except NoEngineError as error:
                say(str(error))
                agree = False
        say("\n".join(table(answers)))
    sys.exit(0 if agree else 1)


def _in_python() -> list[Library]:
    return [Library(name, version(_PACKAGES[name]), ask) for name, ask in ENGINES.items()]


def _reported(name: str, asked: Sequence[Asked], answers: Iterable[Answer | str]) -> bool:
    """Print how many of the queries an engine answers as a replay does; whether all."""
    started = time.perf_counter()
    wrong = [
        (one, answer)
        for one, answer in zip(asked, answers, strict=True)
        if isinstance(answer, str) or not one.is_met(answer)
    ]
    seconds = time.perf_counter() - started
    say(f"{name}: {len(asked) - len(wrong)} of {len(asked)} agree, {seconds:.0f} s")
    for one, answer in wrong[:_SHOWN]:
        say(f"{one.file}, {one.about}\n{one.query}expected {one.expected}\nfound {answer}\n")
    return not wrong


if __name__ == "__main__":
    main()
