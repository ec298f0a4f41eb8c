"""What an evaluation was made with: code, libraries, weights and machine, so that it can be made again.

``docs/results/reproduce.md`` says how. Nothing here imports a model's library or starts a program.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REPOSITORY = Path(__file__).parents[3]
_PACKAGES = ("kgstore", "reasoning", "webapp")
_LOCK = "requirements.lock"
_LIBRARIES = ("torch", "transformers", "numpy", "peft", "vllm", "django", "neo4j")
"""Those whose versions may change an answer or how long it takes; those that are not installed are left out."""
_DRIVER = Path("/proc/driver/nvidia")
_COMMIT_LENGTH = 40


def environment() -> dict[str, Any]:
    """The code, the libraries and the machine of this process, as JSON."""
    return {"code": code(), "versions": versions(), "machine": machine()}


@cache
def code(repository: Path = REPOSITORY) -> dict[str, str | None]:
    """The commit, a hash of the sources as they are (which tells what was changed since), and one of the lock file.

    None for what is not there: an image has neither a commit nor a lock.
    """
    lock = repository / _LOCK
    return {
        "commit": commit(repository),
        "sources_sha256": _sources_hash(repository),
        "lock_sha256": file_hash(lock) if lock.is_file() else None,
    }


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@cache
def machine() -> dict[str, Any]:
    """The processor, its cores that this process may use, the memory, the GPUs and the system."""
    return {
        "cpu": _first_value(Path("/proc/cpuinfo"), "model name") or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": _memory(),
        "gpus": gpus(),
        "gpu_driver": _driver(),
        "system": f"{platform.system()} {platform.release()}",
    }


def gpus(driver: Path = _DRIVER) -> list[str]:
    """The models of the GPUs, as NVIDIA's driver tells them in a folder of its own."""
    models = (_first_value(each, "Model") for each in sorted(driver.glob("gpus/*/information")))
    return [model for model in models if model]


def weights(folder: Path | None) -> dict[str, str]:
    """The hash of every file in a folder of weights, by its path there; empty for a model that has none."""
    if folder is None or not folder.is_dir():
        return {}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _kept_hash(path, *_stamp(path)) for path in files}


def file_hash(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def resumed(manifest: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest after the work went on: what differs from its last beginning is added under ``resumed``.

    The manifest itself where nothing does.
    """
    known = {name: manifest.get(name) for name in now}
    for each in manifest.get("resumed", []):
        known |= each
    changed = {name: value for name, value in now.items() if value != known[name]}
    return {**manifest, "resumed": [*manifest.get("resumed", []), changed]} if changed else dict(manifest)


def commit(repository: Path) -> str | None:
    """The commit that is checked out, by git's own files; None where there is none."""
    try:
        git = repository / ".git"
        if git.is_file():
            git = (repository / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).resolve()
        common = git / "commondir"
        shared = (git / common.read_text(encoding="utf-8").strip()).resolve() if common.is_file() else git
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head if len(head) == _COMMIT_LENGTH else None
        name = head.removeprefix("ref:").strip()
        for place in (git / name, shared / name):
            if place.is_file():
                return place.read_text(encoding="utf-8").strip()
        packed = (shared / "packed-refs").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    return next((line.split(" ")[0] for line in packed if line.endswith(f" {name}")), None)


def _sources_hash(repository: Path) -> str:
    found = hashlib.sha256()
    for path in _sources(repository):
        content = path.read_bytes()
        found.update(f"{path.relative_to(repository).as_posix()}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


def _sources(repository: Path) -> Iterable[Path]:
    return sorted(path for package in _PACKAGES for path in (repository / package).rglob("*.py"))


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@cache
def _kept_hash(path: Path, _bytes: int, _changed: int) -> str:
    """Read once a process: weights may have gigabytes, and each evaluation begins with them."""
    return file_hash(path)


def _first_value(path: Path, name: str) -> str:
    """The value after a name and a colon in one of the system's own files; empty where there is none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() == name), "")


def _memory() -> int | None:
    if sys.platform == "win32" or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _driver() -> str | None:
    known_version = _first_value(_DRIVER / "version", "NVRM version")
    return known_version or None
