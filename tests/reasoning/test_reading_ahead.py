"""What a scorer reads of a graph before a question, and what it keeps of that on disk."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest
import torch

from reasoning.engine.engine import answer
from reasoning.facts.verbalize import relation_words
from reasoning.scorers import threads
from reasoning.scorers.base import Reading
from reasoning.scorers.encoder.kept_vectors import FILES_KEPT, keep_vectors, read_vectors
from reasoning.scorers.encoder.scorer import EncoderScorer
from reasoning.scorers.lexical import LexicalScorer

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.events import StageEvent

QUESTION = "who plays the voice of KITT in Knight Rider?"
WIDTH = 384


@pytest.fixture(scope="module")
def scorer() -> EncoderScorer:
    return EncoderScorer.open()


def tokens(events: list[StageEvent]) -> int:
    last = events[-1]
    assert last.kind == "finished"
    return last.cost.tokens_in


def vectors(*texts: str) -> dict[str, torch.Tensor]:
    return {text: torch.full((3,), float(place)) for place, text in enumerate(texts)}


@pytest.mark.slow
def test_the_first_question_reads_fewer_texts_after_the_graph_was_read(toy: GraphStore, tmp_path: Path) -> None:
    unread, ready = EncoderScorer.open(), EncoderScorer.open()
    assert isinstance(ready, Reading)
    ready.read_ahead(toy, tmp_path)
    first, prepared = (tokens(list(answer(QUESTION, toy, each))) for each in (unread, ready))
    assert prepared < first


@pytest.mark.slow
def test_a_second_start_takes_the_same_vectors_from_the_disk(toy: GraphStore, tmp_path: Path) -> None:
    first, second = EncoderScorer.open(), EncoderScorer.open()
    first.read_ahead(toy, tmp_path)
    (kept,) = tmp_path.iterdir()
    written = kept.stat()
    second.read_ahead(toy, tmp_path)
    assert kept.stat().st_mtime_ns == written.st_mtime_ns
    assert kept.name.startswith(toy.info().version)
    found = read_vectors(tmp_path, kept.stem, WIDTH)
    assert set(found) == {relation_words(relation) for relation in toy.offered()}
    entries = [
        [event.model_dump(exclude={"seconds", "costs", "cost"}) for event in answer(QUESTION, toy, each)]
        for each in (first, second)
    ]
    assert entries[0] == entries[1]


@pytest.mark.parametrize("spoil", ["cut", "other bytes", "empty", "foreign", "not finite", "another width"])
def test_a_damaged_or_foreign_file_is_passed_over_with_a_word_in_the_log(
    spoil: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep_vectors(tmp_path, "one", vectors("a", "b"))
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    match spoil:
        case "cut":
            path.write_bytes(content[:-5])
        case "other bytes":
            path.write_bytes(b"\xff" * len(content))
        case "empty":
            path.write_bytes(b"")
        case "foreign":
            keep_vectors(tmp_path, "two", vectors("a", "b"))
            (tmp_path / "two.safetensors").replace(path)
        case "not finite":
            keep_vectors(tmp_path, "one", {"a": torch.full((3,), float("nan"))})
    assert read_vectors(tmp_path, "one", 4 if spoil == "another width" else 3) == {}
    assert "read again" in caplog.text
    keep_vectors(tmp_path, "one", vectors("a", "b"))
    assert list(read_vectors(tmp_path, "one", 3)) == ["a", "b"]


@pytest.mark.slow
def test_a_damaged_file_is_written_anew(toy: GraphStore, tmp_path: Path) -> None:
    EncoderScorer.open().read_ahead(toy, tmp_path)
    (kept,) = tmp_path.iterdir()
    whole = read_vectors(tmp_path, kept.stem, WIDTH)
    kept.write_bytes(kept.read_bytes()[:100])
    EncoderScorer.open().read_ahead(toy, tmp_path)
    again = read_vectors(tmp_path, kept.stem, WIDTH)
    assert whole
    assert list(again) == list(whole)
    # In half precision a vector that is read again may differ in its last bits.
    assert all(torch.allclose(again[text], whole[text], atol=1e-2) for text in whole)


def test_only_the_files_written_last_stay(tmp_path: Path) -> None:
    for number in range(FILES_KEPT + 3):
        keep_vectors(tmp_path, f"v{number}", vectors("a"))
        os.utime(tmp_path / f"v{number}.safetensors", (number, number))
    keep_vectors(tmp_path, "last", vectors("a"))
    assert {path.stem for path in tmp_path.iterdir()} == {"last", *(f"v{n}" for n in range(4, FILES_KEPT + 3))}


def test_a_disk_that_takes_nothing_is_no_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    keep_vectors(file, "one", vectors("a"))
    assert "cannot be kept" in caplog.text
    assert read_vectors(file, "one", 3) == {}
    assert stat.S_ISREG(file.stat().st_mode)


def test_a_name_is_no_path(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    keep_vectors(folder, "../../etc/x", vectors("a"))
    assert [path.parent for path in tmp_path.rglob("*.safetensors")] == [folder]


def test_a_scorer_that_reads_nothing_ahead_says_so() -> None:
    assert not isinstance(LexicalScorer(), Reading)


# Threads


def test_a_small_model_computes_with_one_thread_and_a_large_one_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    processors = len(os.sched_getaffinity(0))
    assert threads.small_model_threads() == 1
    assert threads.large_model_threads() == processors
    assert threads.training_threads(2) == min(2, processors)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert [threads.small_model_threads(), threads.large_model_threads(), threads.training_threads(2)] == [3, 3, 3]
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert threads.small_model_threads() == 1


def test_the_scorer_takes_its_number_whatever_was_computed_before(
    scorer: EncoderScorer, toy: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    torch.set_num_threads(2)
    try:
        list(answer(QUESTION, toy, scorer))
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(1)


def test_threads_sleep_while_they_wait() -> None:
    assert os.environ["OMP_WAIT_POLICY"]
    assert os.environ["TOKENIZERS_PARALLELISM"]
