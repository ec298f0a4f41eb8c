"""What is checked of the project's own parts: secrets, the lists of what it is made of, and advisories."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from webapp.launch import supply_chain
from webapp.launch.setup import LOCK, SetupError

if TYPE_CHECKING:
    from pathlib import Path

KEY = "AKIA" + "Z7QXV3MN5RTY2KLP"
"""Shaped like a key of a cloud, and none; in two parts, so that it is not found here."""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one harmless file, and its own list of what is allowed."""
    folder = tmp_path / "repository"
    folder.mkdir()
    shutil.copy(supply_chain.ALLOWED, folder / "allowed.json")
    (folder / "settings.py").write_text("DEBUG = False\n")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "settings.py"], cwd=folder, check=True)
    return folder


def test_a_secret_that_is_tracked_is_reported_by_its_place_and_never_shown(repository: Path) -> None:
    allowed = repository / "allowed.json"
    supply_chain.check_secrets(repository, allowed)
    (repository / "settings.py").write_text(f'DEBUG = False\nCLOUD = "{KEY}"\n')
    with pytest.raises(SetupError, match=r"settings\.py:2: AWS Access Key") as shown:
        supply_chain.check_secrets(repository, allowed)
    assert KEY not in str(shown.value)
    # An exception is stated once and is valid in every file.
    supply_chain.allow_secrets(repository, allowed)
    assert KEY not in allowed.read_text()
    assert "line_number" not in allowed.read_text()
    assert str(repository) not in allowed.read_text()
    (repository / "settings.py").rename(repository / "other.py")
    subprocess.run(["git", "add", "other.py"], cwd=repository, check=True)
    supply_chain.check_secrets(repository, allowed)


def test_tests_may_write_down_the_passwords_of_their_accounts_and_no_keys(repository: Path) -> None:
    allowed = repository / "allowed.json"
    (repository / "tests").mkdir()
    made_up = "password = 'Zu9-xk2_made-up'\n"
    for name, text in (("tests/test_it.py", made_up), ("settings.py", made_up), ("tests/keys.py", f"K = '{KEY}'\n")):
        (repository / name).write_text(text)
    subprocess.run(["git", "add", "settings.py", "tests"], cwd=repository, check=True)
    with pytest.raises(SetupError, match="2 found") as shown:
        supply_chain.check_secrets(repository, allowed)
    assert "settings.py:1: Secret Keyword\n  tests/keys.py:1: AWS Access Key" in str(shown.value)


def test_a_file_that_is_not_tracked_is_nobody_s_business(repository: Path) -> None:
    (repository / "notes.txt").write_text(f'CLOUD = "{KEY}"\n')
    supply_chain.check_secrets(repository, repository / "allowed.json")


@pytest.fixture
def locks(tmp_path: Path) -> tuple[Path, Path]:
    """A lock of two Python packages, and one of npm packages with a scope and an older copy further down."""
    frontend = tmp_path / "frontend"
    frontend.mkdir()
    lines = LOCK.read_text("utf-8").splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("sqlparse=="))
    last = next(number for number in range(first + 1, len(lines)) if lines[number].startswith("    # via"))
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "".join(lines[first:last]) + "tzdata==2026.6 ; sys_platform == 'win32' \\\n    --hash=sha256:" + "0" * 64
    )
    packages = {
        "": {"name": "frontend", "version": "0.1.0", "dependencies": {"@scope/part": "1.2.3", "whole": "2.0.0"}},
        "node_modules/@scope/part": {"version": "1.2.3", "license": "MIT"},
        "node_modules/whole": {"version": "2.0.0", "license": "MIT", "dependencies": {"@scope/part": "1.0.0"}},
        "node_modules/whole/node_modules/@scope/part": {"version": "1.0.0", "license": "MIT"},
    }
    manifest = {**packages[""], "private": True}
    (frontend / "package.json").write_text(json.dumps(manifest))
    lockfile = {"name": "frontend", "version": "0.1.0", "lockfileVersion": 3, "requires": True, "packages": packages}
    (frontend / "package-lock.json").write_text(json.dumps(lockfile))
    return lock, frontend


def test_every_locked_package_is_listed(locks: tuple[Path, Path], tmp_path: Path) -> None:
    python, npm = supply_chain.write_sboms(*locks, tmp_path / "sbom")
    found = json.loads(python.read_text("utf-8"))
    assert (found["bomFormat"], {name for name, _ in supply_chain.listed(found)}) == (
        "CycloneDX",
        {"sqlparse", "tzdata"},
    )
    assert "://" not in "".join(each["purl"] for each in found["components"])
    found = json.loads(npm.read_text("utf-8"))
    assert supply_chain.listed(found) == {("@scope/part", "1.2.3"), ("@scope/part", "1.0.0"), ("whole", "2.0.0")}


def test_a_list_that_lacks_a_locked_package_is_refused() -> None:
    document = {"components": [{"name": "one", "version": "1"}, {"group": "@scope", "name": "two", "version": "2"}]}
    supply_chain.check_listed(document, {("one", "1"), ("@scope/two", "2")}, "list")
    with pytest.raises(SetupError, match=r"list lacks one 2, two 2\."):
        supply_chain.check_listed(document, {("one", "1"), ("one", "2"), ("two", "2")}, "list")


def test_indexes_that_cannot_be_asked_are_named_and_nothing_fails(
    locks: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "http_proxy",
        "https_proxy",
        "npm_config_proxy",
        "npm_config_https_proxy",
    ):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    python, npm = supply_chain.audit(*locks)
    assert python.startswith("Python: NOT AUDITED, ")
    assert npm.startswith("npm: NOT AUDITED, ")


def test_advisories_are_listed_with_what_mends_them() -> None:
    document = {
        "dependencies": [
            {"name": "unknown", "skip_reason": "not found"},
            {"name": "fine", "version": "1.0", "vulns": []},
            {
                "name": "holed",
                "version": "2.0",
                "vulns": [
                    {"id": "PYSEC-2026-1", "fix_versions": ["2.1", "3.0"]},
                    {"id": "PYSEC-2026-2", "fix_versions": []},
                ],
            },
        ]
    }
    assert supply_chain.python_sentences(document) == [
        "Python: holed 2.0: PYSEC-2026-1, mended in 2.1, 3.0",
        "Python: holed 2.0: PYSEC-2026-2, not mended yet",
        "Python: 2 of 3 packages asked for, 2 advisories.",
    ]
    assert supply_chain.python_sentences({"dependencies": [{"name": "unknown", "skip_reason": "not found"}]}) == [
        "Python: NOT AUDITED, the index tells nothing of any of the packages."
    ]
    found = {
        "vulnerabilities": {
            "whole": {"range": "<2.1.0", "severity": "high", "fixAvailable": {"name": "whole", "version": "2.1.0"}},
            "part": {"range": "*", "severity": "low", "fixAvailable": False},
        },
        "metadata": {"dependencies": {"total": 3}},
    }
    assert supply_chain.npm_sentences(found) == [
        "npm: part *: low, not mended yet",
        "npm: whole <2.1.0: high, mended in a later one",
        "npm: 3 packages asked for, 2 with advisories.",
    ]
