"""What makes two questions the same, and which questions a model has learned from."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from reasoning.core.errors import ScorerUnavailableError
from reasoning.datasets.identity import SnapshotDigest, identity_hash, keys_of, normalised, text_hash
from reasoning.datasets.learned import FORMAT, HASH_BYTES, LEARNED_FILE, LearnedQuestions
from reasoning.datasets.registry import asked, read_dataset
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.scorers.cards import BUNDLED_WEIGHTS, read_card
from reasoning.strategies.registry import explorer_weights, judge_weights
from reasoning.training.eperm.build import is_for_tuning
from reasoning.training.lessons.sources import Sources
from reasoning.training.recipe.recipe import read_recipe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KITT = "who plays the voice of KITT in Knight Rider?"


@pytest.mark.parametrize(
    "same",
    [
        "Who plays the voice of KITT in Knight Rider",
        "who plays  the voice\tof kitt in “Knight Rider” ?!",
        "who plays the voice of KITT in Knight Rider",
        "who plays the voice of KI\u200bTT in Knight\u00a0Rider?",
    ],
)
def test_case_punctuation_spaces_and_forms_of_characters_do_not_count(same: str) -> None:
    assert text_hash(same) == text_hash(KITT)


@pytest.mark.parametrize(
    ("one", "other"),
    [("who made C++?", "who made C?"), ("résumé", "resume"), ("???", "!!!"), ("films of 1999", "films of 1998")],
)
def test_what_tells_questions_apart_counts(one: str, other: str) -> None:
    assert text_hash(one) != text_hash(other)


def test_normalising_twice_changes_nothing() -> None:
    chance = random.Random(3)
    for _ in range(2_000):
        text = "".join(
            chr(chance.choice((chance.randrange(32, 127), chance.randrange(160, 0x2FFF)))) for _ in range(12)
        )
        assert normalised(normalised(text)) == normalised(text), ascii(text)


def test_a_snapshot_has_the_same_identity_whatever_the_order_of_keys() -> None:
    digests = [SnapshotDigest() for _ in range(3)]
    digests[0].add({"id": "a", "text": "é"})
    digests[1].add({"text": "é", "id": "a"})
    digests[2].add({"text": "e", "id": "a"})
    assert digests[0].hexdigest() == digests[1].hexdigest() != digests[2].hexdigest()


def test_hashes_are_written_and_read_and_tell_what_was_seen(tmp_path: Path) -> None:
    questions = list(asked(read_dataset(SAMPLE_FOLDER, "discern")))
    learned = LearnedQuestions.of(keys_of("sample", questions[:100]))
    learned.write(tmp_path)
    read = LearnedQuestions.read(tmp_path)
    assert read == learned
    assert read is not None
    overlap = read.overlap(keys_of("sample", questions[50:150]))
    assert (overlap.questions, overlap.same_identity) == (100, 50)
    assert overlap.seen == overlap.same_identity + overlap.same_text
    # Under another name it is another dataset, with the same wordings.
    renamed = read.overlap(keys_of("copy", questions[:100]))
    assert (renamed.same_identity, renamed.same_text) == (0, 100)


def test_what_is_not_there_is_not_known_and_what_is_damaged_is_reported(tmp_path: Path) -> None:
    assert LearnedQuestions.read(tmp_path) is None
    path = tmp_path / LEARNED_FILE
    LearnedQuestions.of(keys_of("sample", list(asked(read_dataset(SAMPLE_FOLDER, "discern")))[:9])).write(tmp_path)
    whole = path.read_bytes()
    for damaged in (whole[:-3], b"nonsense", b'{"format": "' + FORMAT.encode() + b'"}\n'):
        path.write_bytes(damaged)
        with pytest.raises(ScorerUnavailableError, match="train the scorer again"):
            LearnedQuestions.read(tmp_path)
    path.write_bytes(whole.replace(b"-1", b"-9"))
    assert LearnedQuestions.read(tmp_path) is None


def test_the_bundled_card_knows_its_training_questions_and_none_of_validation() -> None:
    learned = LearnedQuestions.read(BUNDLED_WEIGHTS)
    assert learned is not None
    trained = read_card(BUNDLED_WEIGHTS)["trained"]
    assert trained["learned_questions"] == learned.to_json()
    questions = list(asked(read_dataset(SAMPLE_FOLDER, "discern")))
    train = [question for question in questions if question.split == "train"]
    held_out = [question for question in questions if question.split == "validation"]
    # The sample may have grown since.
    taught = trained["sources"]["sample"]["taught"]
    assert learned.overlap(keys_of("sample", train)).same_identity == taught > 0.8 * len(train)
    assert learned.overlap(keys_of("sample", held_out)).same_identity == 0


@pytest.mark.parametrize("weights", [explorer_weights, judge_weights])
def test_weights_of_strategies_know_their_training_questions_and_those_that_tuned_them(
    weights: Callable[[], Path],
) -> None:
    learned = LearnedQuestions.read(weights())
    assert learned is not None
    card = read_card(weights())
    trained, figures = card["trained"], card["figures"].values()
    assert trained["learned_questions"] == learned.to_json()
    assert len(learned.identities) == sum(each["taught"] for each in figures) + trained.get("tuned_on", 0)
    questions = list(asked(read_dataset(SAMPLE_FOLDER, "discern")))
    held_out = [each for each in questions if each.split == "validation" and not is_for_tuning(each.id)]
    assert 0 < learned.overlap(keys_of("sample", questions)).same_identity <= len(questions) - len(held_out)
    assert learned.overlap(keys_of("sample", held_out)).same_identity == 0


@pytest.mark.slow
def test_reading_a_recipe_s_samples_notes_what_they_teach() -> None:
    sources = Sources(read_recipe("sample"), None)
    samples = sources.samples("train")
    taught = {next(samples).question_id for _ in range(40)}
    assert {"sample"} == {source.dataset for source in read_recipe("sample").sources}
    read = {identity_hash("sample", question_id)[: 2 * HASH_BYTES] for question_id in taught}
    assert {identity.hex() for identity in sources.learned().identities} == read
    held_out = Sources(read_recipe("sample"), None)
    for _, _ in zip(range(20), held_out.samples("validation"), strict=False):
        pass
    assert held_out.learned() == LearnedQuestions()
