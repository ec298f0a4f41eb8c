"""What an evaluation was made with."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from reasoning.evaluation.files.manifest import REPOSITORY, code, commit, environment, gpus, resumed, weights

if TYPE_CHECKING:
    from pathlib import Path

FIRST, SECOND = "1" * 40, "2" * 40


def test_code_libraries_and_machine_are_reported() -> None:
    shown = environment()
    assert set(shown) == {"code", "versions", "machine"}
    lock = (REPOSITORY / "requirements.lock").read_bytes()
    assert shown["code"]["lock_sha256"] == hashlib.sha256(lock).hexdigest()
    assert re.fullmatch(r"3\.\d+\.\d+", shown["versions"]["python"])
    assert "torch" in shown["versions"]
    assert shown["machine"]["cores"] > 0
    assert shown["machine"]["memory_bytes"] > 1e9


def test_each_gpu_is_reported_by_its_model(tmp_path: Path) -> None:
    assert gpus(tmp_path) == []
    for number, model in enumerate(("NVIDIA H100 80GB HBM3", "NVIDIA L4")):
        folder = tmp_path / "gpus" / f"0000:0{number}:00.0"
        folder.mkdir(parents=True)
        (folder / "information").write_text(f"Model: \t\t {model}\nIRQ:   \t\t 11\n")
    assert gpus(tmp_path) == ["NVIDIA H100 80GB HBM3", "NVIDIA L4"]


def test_the_commit_is_found_wherever_git_keeps_it(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    assert commit(tmp_path) is None
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "packed-refs").write_text(f"# pack-refs with: peeled\n{SECOND} refs/heads/other\n{FIRST} refs/heads/main\n")
    assert commit(tmp_path) == FIRST
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "refs" / "heads" / "main").write_text(f"{SECOND}\n")
    assert commit(tmp_path) == SECOND
    (git / "HEAD").write_text(f"{FIRST}\n")
    assert commit(tmp_path) == FIRST
    # A second working tree of the same repository.
    other = tmp_path / "other"
    (git / "worktrees" / "other").mkdir(parents=True)
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {git / 'worktrees' / 'other'}\n")
    (git / "worktrees" / "other" / "commondir").write_text("../..\n")
    (git / "worktrees" / "other" / "HEAD").write_text("ref: refs/heads/main\n")
    assert commit(other) == SECOND


def test_a_change_of_the_sources_shows_without_a_commit(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, text in ((one, "a = 1\n"), (two, "a = 2\n")):
        (folder / "reasoning").mkdir(parents=True)
        (folder / "reasoning" / "a.py").write_text(text)
    shown = [code(folder) for folder in (one, two)]
    assert [each["commit"] for each in shown] == [each["lock_sha256"] for each in shown] == [None, None]
    assert shown[0]["sources_sha256"] != shown[1]["sources_sha256"]


def test_every_file_of_weights_has_its_hash(tmp_path: Path) -> None:
    assert weights(None) == weights(tmp_path / "nowhere") == {}
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "w.bin").write_bytes(b"1")
    (tmp_path / "card.json").write_bytes(b"{}")
    first = weights(tmp_path)
    assert first == {
        "adapter/w.bin": hashlib.sha256(b"1").hexdigest(), "card.json": hashlib.sha256(b"{}").hexdigest(),
    }  # fmt: skip
    (tmp_path / "adapter" / "w.bin").write_bytes(b"22")
    assert weights(tmp_path)["adapter/w.bin"] == hashlib.sha256(b"22").hexdigest()


def test_what_is_otherwise_when_the_work_goes_on_is_added() -> None:
    begun = {"settings": {}, "code": {"commit": "a"}, "machine": {"cpu": "x"}}
    now = {"code": {"commit": "a"}, "machine": {"cpu": "x"}}
    assert resumed(begun, now) == begun
    then = resumed(begun, {**now, "machine": {"cpu": "y"}})
    assert then == {**begun, "resumed": [{"machine": {"cpu": "y"}}]}
    assert resumed(then, {**now, "machine": {"cpu": "y"}}) == then
    back = resumed(then, now)
    assert back["resumed"] == [{"machine": {"cpu": "y"}}, {"machine": {"cpu": "x"}}]
