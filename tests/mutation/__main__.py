"""``python -m tests.mutation [MODULE …]``: change the core in small ways, and see whether a test notices.

Every module has a folder of its own under ``var/mutants``, with mutmut's copy of the code and what it found there. So a
run that was interrupted goes on where it stopped, and a later one tries only what changed, and what no test noticed.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from tests.mutation.modules import TESTS_OF
from webapp.launch.setup import say

REPOSITORY = Path(__file__).resolve().parents[2]
DIGITS = "0123456789"
FOLDER = REPOSITORY / "var" / "mutants"
MUTMUT = (sys.executable, "-P", REPOSITORY / "tests" / "mutation" / "one_session.py")
LINKED = ("kgstore", "reasoning", "webapp", "tests", "manage.py", "pyproject.toml", "requirements.lock")

CONFIGURATION = """\
[mutmut]
source_paths=
    kgstore
    reasoning
    webapp
only_mutate=
    {file}
also_copy=
    manage.py
    requirements.lock
pytest_add_cli_args=
    -p
    no:cacheprovider
    --hypothesis-seed=0
    --nomigrations
pytest_add_cli_args_test_selection=
    -k
    not (neo4j or real_data or memory)
{tests}
use_git_change_detection=false
on_dependency_change=ignore
timeout_constant=4.0
timeout_multiplier=5.0
"""
"""A mutant has five times what its tests take, and twenty seconds, so that none ends because the machine is busy."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="all of them, or patterns: 'reasoning.*'")
    parser.add_argument(
        "--ending", default=DIGITS, metavar="DIGITS", help="a sample: only mutants whose number ends in one of these"
    )
    parser.add_argument("--list", action="store_true", help="say which modules there are, and which tests each has")
    options = parser.parse_args(arguments)
    chosen = [name for name in TESTS_OF if any(fnmatch.fnmatch(name, wish) for wish in options.modules or ["*"])]
    if not set(options.ending) <= set(DIGITS):
        parser.error(f"{options.ending} is not of digits alone")
    if not chosen:
        parser.error(f"no module is called so; there are {', '.join(TESTS_OF)}")
    if options.list:
        for name in chosen:
            say(f"{name:36} {' '.join(TESTS_OF[name])}")
        return 0
    os.nice(19 - os.nice(0))
    figures = [(name, *tried(name, options.ending)) for name in chosen]
    say(f"\n{'module':40}{'mutants':>8}{'killed':>8}{'lived':>8}{'share':>8}")
    for name, mutants, lived in figures:
        say(f"{name:40}{mutants:8}{mutants - lived:8}{lived:8}{1 - lived / max(mutants, 1):8.1%}")
    return 0


def tried(name: str, ending: str = DIGITS) -> tuple[int, int]:
    """Try the mutants of a module; how many there are, and how many of them no test noticed.

    Of a sample, only those count whose number ends in one of the digits.
    """
    say(f"— {name}")
    folder = FOLDER / name
    tests = arranged(folder, name)
    noted = folder / "tests.sha256"
    if not noted.exists():
        noted.write_text(tests, encoding="utf-8")
    # Mutants that are named are tried even where it is known what became of them.
    run(folder, *(f"*{digit}" for digit in ending if ending != DIGITS))
    found = results(folder, ending)
    if survivors(found) and noted.read_text(encoding="utf-8") != tests:
        (folder / "mutants" / "mutmut-stats.json").unlink()  # which test meets which function has changed
        run(folder, *survivors(found))
        found = results(folder, ending)
    noted.write_text(tests, encoding="utf-8")
    lived = survivors(found)
    if lived:
        sys.stdout.write(git_output(folder, "show", *lived))
    return len(found), len(lived)


def arranged(folder: Path, name: str) -> str:
    """Make the folder of a module ready for mutmut; a fingerprint of the tests that count for it."""
    folder.mkdir(parents=True, exist_ok=True)
    for linked in LINKED:
        link = folder / linked
        if not link.is_symlink():
            link.symlink_to(REPOSITORY / linked)
    tests = TESTS_OF[name]
    text = CONFIGURATION.format(file=f"{name.replace('.', '/')}.py", tests="\n".join(f"    {test}" for test in tests))
    configuration = folder / "setup.cfg"
    if not configuration.exists() or configuration.read_text(encoding="utf-8") != text:
        configuration.write_text(text, encoding="utf-8")
    digest = hashlib.sha256()
    for test in tests:
        digest.update((REPOSITORY / test).read_bytes())
    return digest.hexdigest()


def survivors(found: dict[str, str]) -> list[str]:
    """The mutants that no test noticed, or that no test met."""
    lived = ("survived", "no tests", "suspicious", "not checked")
    return [name for name, status in found.items() if status in lived]


def results(folder: Path, ending: str) -> dict[str, str]:
    """What became of the mutants whose number ends in one of the digits."""
    lines = [line.strip().rpartition(": ") for line in git_output(folder, "results", "--all", "true").splitlines()]
    return {name: status for name, _, status in lines if name[-1:] in ending}


def run(folder: Path, *mutants: str) -> None:
    """Try mutants, by patterns, or all that must be.

    On a terminal people see how far it is; elsewhere what is said lies in a file.
    """
    log = folder / "mutmut.log"
    with log.open("w", encoding="utf-8") as file:
        output = None if sys.stdout.isatty() else file
        done = subprocess.run(
            [*MUTMUT, "run", "--max-children", "1", *mutants],
            cwd=folder,
            env=environment(),
            stdout=output,
            stderr=output,
            check=False,
        )
    if done.returncode != 0:
        where = "above" if output is None else f"in {log}"
        raise SystemExit(f"mutmut could not try the mutants of {folder.name}; the reason stands {where}.")


def git_output(folder: Path, *arguments: str) -> str:
    """What mutmut says."""
    command = [*MUTMUT, *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=True).stdout


def environment() -> dict[str, str]:
    data = os.environ.get("DISCERN_DATA", str(REPOSITORY.parent / "shared" / "data"))
    return {**os.environ, "OMP_NUM_THREADS": "1", "DISCERN_DATA": data}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
