"""The engines that are programs of their own: Jena and RDF4J, which Maven brings, and Comunica, which npm brings."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webapp.launch.setup import REPOSITORY, npm_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.engines.derivations import Asked
    from tests.engines.differences import Difference
    from tests.engines.results import Answer

OTHERS = Path(__file__).resolve().parent / "others"
_INSTALLED = REPOSITORY / "var" / "engines"
"""Where npm puts Comunica."""


class NoEngineError(Exception):
    """An engine cannot be brought or started here; the message is a plain reason."""


@dataclass(frozen=True, slots=True)
class Program:
    """An engine that a command asks; see ``others/Ask.java`` for what it reads and writes."""

    name: str
    version: str
    command: tuple[str, ...]

    def ask_all(self, folder: Path, asked: Sequence[Asked | Difference]) -> Iterator[Answer | str]:
        """What it finds for each query, in their order; the message where it refuses one.

        Raises:
            NoEngineError: it ended before it was through.

        """
        lines = "".join(f"{folder / each.file}\t{base64.b64encode(each.query.encode()).decode()}\n" for each in asked)
        done = subprocess.run(self.command, input=lines, capture_output=True, text=True, check=False)
        answers = done.stdout.splitlines()
        if len(answers) != len(asked):
            raise NoEngineError(f"{self.name} answered {len(answers)} of {len(asked)} queries: {done.stderr[-500:]}")
        for answer in answers:
            kind, said = answer.split("\t")
            text = base64.b64decode(said).decode()
            yield json.loads(text) if kind == "ok" else text


def in_java() -> list[Program]:
    """Jena and RDF4J.

    Raises:
        NoEngineError: there is no Java Development Kit of version 17 or newer or no Maven, or it cannot bring them.

    """
    for needed in ("javac", "mvn"):
        if shutil.which(needed) is None:
            raise NoEngineError(f"There is no {needed} on the PATH. Install a JDK of version 17 or newer, and Maven.")
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as jars:
        _run(
            *("mvn", "--batch-mode", "--quiet", "--file", str(OTHERS / "pom.xml"), "dependency:build-classpath"),
            *(f"-Dmdep.outputFile={jars.name}", "-DincludeScope=runtime", "-Dstyle.color=never"),
        )
        # Maven puts another file in the place of this one.
        path = Path(jars.name).read_text(encoding="utf-8").strip()
    command = ("java", "-cp", path, str(OTHERS / "Ask.java"))
    return [
        Program("Jena", _version(path, "jena-arq"), (*command, "jena")),
        Program("RDF4J", _version(path, "rdf4j-sail-memory"), (*command, "rdf4j")),
    ]


def in_node() -> list[Program]:
    """Comunica.

    Raises:
        NoEngineError: npm cannot bring it.

    """
    environment = npm_environment()
    npm, node = (shutil.which(name, path=environment["PATH"]) or name for name in ("npm", "node"))
    _INSTALLED.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "ask.mjs"):
        shutil.copyfile(OTHERS / name, _INSTALLED / name)
    _run(npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", cwd=_INSTALLED)
    versions = json.loads((_INSTALLED / "package.json").read_text(encoding="utf-8"))["dependencies"]
    return [Program("Comunica", versions["@comunica/query-sparql-rdfjs"], (node, str(_INSTALLED / "ask.mjs")))]


def _run(*command: str, cwd: Path = REPOSITORY) -> None:
    done = subprocess.run(command, cwd=cwd, env=npm_environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["it gave no reason"]
        raise NoEngineError(f"{Path(command[0]).name} failed: {lines[0]}")


def _version(class_path: str, artifact: str) -> str:
    found = re.search(rf"/{artifact}-([\d.]+)\.jar", class_path)
    return found[1] if found else "unknown"
