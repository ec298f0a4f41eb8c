"""What `make` does before anything is installed. The downloads themselves are CI's to try."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from webapp.launch import setup
from webapp.platform.environment import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def clean() -> None:
    """No database is needed."""


def test_it_needs_the_standard_library_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "webapp/launch/setup.py"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "Run one of: make setup, make run, make test, make lint.\n")


def test_every_requirement_of_the_lock_is_pinned_by_hash() -> None:
    blocks = setup.lock_blocks()
    assert len(blocks) > 50
    assert all("--hash=sha256:" in block for block in blocks)
    assert any(block.startswith("uv==") for block in blocks)


def test_without_torch_s_packages_the_lock_holds_everything_else() -> None:
    left_out = {block.split("==")[0] for block in setup.lock_blocks() if setup.TORCH_PACKAGES.match(block)}
    assert {"torch", "triton"} <= left_out
    assert all(name in ("torch", "triton") or name.startswith(("nvidia-", "cuda-")) for name in left_out)


def test_a_step_is_done_again_when_its_inputs_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "REPOSITORY", tmp_path)
    source = tmp_path / "src"
    source.mkdir()
    (source / "a.ts").write_text("1")
    stamp = tmp_path / "stamp"
    assert not setup.is_fresh(stamp, setup.digest_of(source))
    stamp.write_text(setup.digest_of(source))
    assert setup.is_fresh(stamp, setup.digest_of(source))
    (source / "b.ts").write_text("")
    assert not setup.is_fresh(stamp, setup.digest_of(source))


def _tool(folder: Path, name: str, says: str) -> None:
    tool = folder / name
    tool.write_text(f"#!/bin/sh\necho {says}\n")
    tool.chmod(0o755)


def test_an_old_node_is_passed_over_for_the_one_that_setup_brings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tool(tmp_path, "node", "v18.20.0")
    _tool(tmp_path, "npm", "9.0.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert setup.node_folder() == REPOSITORY / ".venv" / "node"
    _tool(tmp_path, "node", "v22.1.0")
    assert setup.node_folder() == tmp_path


def test_the_npm_that_setup_brings_runs_and_finds_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    (tmp_path / "package.json").write_text('{"scripts": {"outer": "npm run inner", "inner": "node --version > told"}}')
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(setup, "FRONTEND", tmp_path)
    setup.npm(["run", "outer"])
    assert int((tmp_path / "told").read_text().lstrip("v").split(".")[0]) >= 20


def test_a_chromium_of_the_path_is_found_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tool(tmp_path, "chromium-browser", "Chromium")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert setup.chromium() == str(tmp_path / "chromium-browser")


def test_playwright_s_own_chromium_is_found_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "browsers" / "chromium-1200" / "chrome-linux" / "chrome"
    own.parent.mkdir(parents=True)
    own.touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    assert setup.chromium() == str(own)


@pytest.mark.parametrize("target", ["setup", "run", "test", "lint", "bench"])
def test_without_a_fitting_python_make_says_which_one_to_install(target: str) -> None:
    done = subprocess.run(["make", target, "PYTHON="], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Discern needs Python 3.11 or 3.12" in done.stderr


def test_make_alone_says_what_there_is() -> None:
    output = subprocess.run(["make"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    for target in ("setup", "run", "test", "lint", "bench", "help"):
        assert f"make {target}" in output
