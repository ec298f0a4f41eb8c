"""What the project is made of, what is known against it, and that no secret lies in it; run by `make`.

``python -m webapp.launch.supply_chain secrets | allow-secrets | sbom | audit``
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.launch.setup import FRONTEND, LOCK, REPOSITORY, VENV, SetupError, node_folder, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ALLOWED = REPOSITORY / ".secrets.baseline"
"""What looks like a secret and is none, by its hash; and how is looked."""
SBOMS = REPOSITORY / "var" / "sbom"

_OF_TESTS = {"Secret Keyword", "Basic Auth Credentials"}
_SECRETS = (
    "{count} found that look like secrets:\n{places}\nTake each out, and change it wherever it is in use. "
    "If it is none, say so: .venv/bin/python -m webapp.launch.supply_chain allow-secrets"
)


# --- Secrets


def check_secrets(folder: Path = REPOSITORY, allowed: Path = ALLOWED) -> None:
    """Look for secrets in the tracked files of a repository.

    Raises:
        SetupError: there are some that are not allowed; the message names file, line and kind, never the text.

    """
    with tempfile.TemporaryDirectory() as scratch:
        baseline = Path(scratch) / "found.json"
        shutil.copy(allowed, baseline)
        found = scan(folder, baseline)
    known = {each["hashed_secret"] for each in secrets_in(json.loads(allowed.read_text("utf-8")))}
    new = [each for each in secrets_in(found) if each["hashed_secret"] not in known]
    if new:
        places = "\n".join(f"  {each['filename']}:{each['line_number']}: {each['type']}" for each in new)
        raise SetupError(_SECRETS.format(count=len(new), places=places))


def allow_secrets(folder: Path = REPOSITORY, allowed: Path = ALLOWED) -> None:
    """Allow what the tracked files hold now, in every file. Places are left out, as every change moves them."""
    document = scan(folder, allowed)
    document.pop("generated_at", None)
    results: dict[str, list[Any]] = {}
    for each in secrets_in(document):
        each.pop("line_number", None)
        results.setdefault(each["filename"], []).append(each)
    allowed.write_text(f"{json.dumps({**document, 'results': results}, indent=2)}\n", "utf-8")


def scan(folder: Path, baseline: Path) -> dict[str, Any]:
    """Look through the tracked files as a baseline says, and write what is there into it."""
    where = os.path.relpath(baseline, folder)  # it is written down, and must not name this machine's folders
    output_of(["detect-secrets", "scan", "--no-verify", "--baseline", where], cwd=folder)
    return dict(json.loads(baseline.read_text("utf-8")))


def secrets_in(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a baseline lists, but for the passwords of the accounts and servers that tests make."""
    return [
        each
        for file, listed_secrets in sorted(document["results"].items())
        for each in listed_secrets
        if not (file.startswith("tests/") and each["type"] in _OF_TESTS)
    ]


# --- SBOM


def write_sboms(lock: Path = LOCK, frontend: Path = FRONTEND, folder: Path = SBOMS) -> list[Path]:
    """Write what the two locks hold as CycloneDX documents, one each.

    Raises:
        SetupError: a locked package is not in one.

    """
    folder.mkdir(parents=True, exist_ok=True)
    python, npm_packages = folder / "python.cdx.json", folder / "frontend.cdx.json"
    # The packages may come from any index, so none is written down.
    output_of(["cyclonedx-py", "requirements", str(lock), "--output-reproducible", "--short-PURLs", "-o", str(python)])
    npm_packages.write_text(
        npm_output(["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], frontend), "utf-8"
    )
    for document, locked in ((python, locked_for_python(lock)), (npm_packages, locked_for_npm(frontend))):
        check_listed(json.loads(document.read_text("utf-8")), locked, document.name)
    return [python, npm_packages]


def check_listed(document: Mapping[str, Any], locked: set[tuple[str, str]], called: str) -> None:
    """See that a CycloneDX document lists every locked package.

    Raises:
        SetupError: it lacks some.

    """
    if lacking := sorted(locked - listed(document)):
        raise SetupError(f"{called} lacks {', '.join(f'{name} {version}' for name, version in lacking)}.")


def listed(document: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Name and version of every component of a CycloneDX document; npm's scopes are part of the name."""
    parts = [(each.get("group", ""), each["name"], each["version"]) for each in document["components"]]
    return {(f"{group}/{name}" if group else name, version) for group, name, version in parts}


def locked_for_python(lock: Path) -> set[tuple[str, str]]:
    """Name and version of every package of a requirements file."""
    found = (re.match(r"([\w.-]+)==([^\s;]+)", line) for line in lock.read_text("utf-8").splitlines())
    return {(match[1], match[2]) for match in found if match}


def locked_for_npm(frontend: Path) -> set[tuple[str, str]]:
    """Name and version of every package of npm's lock."""
    packages = json.loads((frontend / "package-lock.json").read_text("utf-8"))["packages"]
    return {(path.rpartition("node_modules/")[2], each["version"]) for path, each in packages.items() if path}


# --- Advisories


def audit(lock: Path = LOCK, frontend: Path = FRONTEND) -> list[str]:
    """What the indexes know against the locked packages, and what they could not be asked, one sentence each.

    This never fails: an advisory that is published tonight must not stop tomorrow's work. People read the list.
    """
    return [*python_advisories(lock), *npm_advisories(frontend)]


def python_advisories(lock: Path) -> list[str]:
    """What the Python index knows, asked for every pinned version."""
    command = ["pip-audit", "--requirement", str(lock), "--disable-pip", "--format", "json"]
    done = run([*command, "--progress-spinner", "off"])
    try:
        return python_sentences(json.loads(done.stdout))
    except (ValueError, KeyError):
        return [f"Python: NOT AUDITED, the index could not be asked: {last_line(done.stderr)}"]


def python_sentences(document: Mapping[str, Any]) -> list[str]:
    """What pip-audit's document says."""
    packages = document["dependencies"]
    asked = [each for each in packages if "skip_reason" not in each]
    if not asked:
        return ["Python: NOT AUDITED, the index tells nothing of any of the packages."]
    sentences = [
        f"Python: {each['name']} {each['version']}: {found['id']}, {mended(found['fix_versions'])}"
        for each in asked
        for found in each["vulns"]
    ]
    return [*sentences, f"Python: {len(asked)} of {len(packages)} packages asked for, {len(sentences)} advisories."]


def npm_advisories(frontend: Path) -> list[str]:
    """What npm's registry knows."""
    done = run([*npm_command(), "audit", "--json", "--package-lock-only"], cwd=frontend, environment=npm_environment())
    try:
        document = json.loads(done.stdout)
        if "message" in document:
            return [f"npm: NOT AUDITED, the registry could not be asked: {document['message']}"]
        return npm_sentences(document)
    except (ValueError, KeyError):
        return [f"npm: NOT AUDITED, the registry could not be asked: {last_line(done.stderr)}"]


def npm_sentences(document: Mapping[str, Any]) -> list[str]:
    """What npm's document says."""
    sentences = [
        f"npm: {name} {each['range']}: {each['severity']}, {mended(['a later one'] if each['fixAvailable'] else [])}"
        for name, each in sorted(document["vulnerabilities"].items())
    ]
    asked = document["metadata"]["dependencies"]["total"]
    return [*sentences, f"npm: {asked} packages asked for, {len(sentences)} with advisories."]


def mended(versions: Iterable[str]) -> str:
    """Whether and where it is mended."""
    listed_versions = ", ".join(versions)
    return f"mended in {listed_versions}" if listed_versions else "not mended yet"


# --- Commands


def run(
    command: list[str], *, cwd: Path = REPOSITORY, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a tool of the virtual environment, or one that is named by its path."""
    where = VENV / "bin" / command[0]
    return subprocess.run(  # noqa: S603 - our own virtual environment
        [str(where) if where.exists() else command[0], *command[1:]],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def output_of(command: list[str], *, cwd: Path = REPOSITORY, environment: Mapping[str, str] | None = None) -> str:
    """What a tool says.

    Raises:
        SetupError: it failed.

    """
    done = run(command, cwd=cwd, environment=environment)
    if done.returncode != 0:
        raise SetupError(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def npm_command() -> list[str]:
    """How npm is called."""
    return [shutil.which("npm", path=npm_environment()["PATH"]) or "npm"]


def npm_environment() -> dict[str, str]:
    """Where npm finds its Node."""
    return {"PATH": os.pathsep.join((str(node_folder()), os.environ.get("PATH", "")))}


def npm_output(arguments: list[str], frontend: Path) -> str:
    """What npm says in the frontend's folder."""
    return output_of([*npm_command(), *arguments], cwd=frontend, environment=npm_environment())


def last_line(text: str) -> str:
    """The last thing that a tool said."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it said nothing")


def main(arguments: list[str]) -> int:
    """Do what the first argument names."""
    try:
        match arguments:
            case ["secrets"]:
                check_secrets()
            case ["allow-secrets"]:
                allow_secrets()
                say(
                    f"What {ALLOWED.name} lists is allowed now; read it before it is committed: git diff {ALLOWED.name}"
                )
            case ["sbom"]:
                for path in write_sboms():
                    say(f"Wrote {path.relative_to(REPOSITORY)}")
            case ["audit"]:
                for sentence in audit():
                    say(sentence)
            case _:
                sys.stderr.write("Name one of: secrets, allow-secrets, sbom, audit.\n")
                return 2
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
