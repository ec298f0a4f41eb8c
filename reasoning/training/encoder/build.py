"""From a recipe to a scorer on disk: samples, training, validation, card."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasoning.datasets.learned import LearnedQuestions
from reasoning.evaluation.reporting.calibration import reliability
from reasoning.scorers.cards import BUNDLED_WEIGHTS, CARD_FILE, read_card
from reasoning.scorers.encoder.learned_relations import read_learned_relations, write_learned_relations
from reasoning.scorers.encoder.scorer import EncoderScorer, read_weights, save_scorer
from reasoning.training.encoder.begun import learned_after
from reasoning.training.encoder.card import NAME, README_FILE, as_markdown, make_card
from reasoning.training.encoder.train import Progress, reading_progress, train
from reasoning.training.encoder.validation import sources_with_questions, validate
from reasoning.training.lessons.sources import Sources, data_folder
from reasoning.training.recipe.recipe import BUNDLED_RECIPE, RecipeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from torch import Tensor

    from reasoning.datasets.identity import QuestionKey
    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.training.lessons.samples import TrainingSample
    from reasoning.training.recipe.given import GivenQuestions
    from reasoning.training.recipe.recipe import Recipe, Source

CHECKPOINT = "checkpoint.pt"


class LearnedElsewhereError(RecipeError):
    """Weights were not trained on the data that a recipe reads here."""

    code = "learned_elsewhere"


def build_scorer(
    folder: Path,
    recipe: Recipe,
    *,
    data: Path | None = None,
    given: Mapping[str, GivenQuestions] | None = None,
    excluded: Callable[[QuestionKey], bool] = lambda _: False,
    resume_from: Path | None = None,
    name: str = NAME,
    command: str = "",
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train by a recipe, validate, and write weights and card into a folder; returns the card.

    The recipe's data lies in ``data``, else in the folder that ``DISCERN_DATA`` names. A build that was stopped or
    broken off resumes from its last whole epoch. Weights that were there before stay until the new ones are whole.
    ``given`` and ``excluded`` are those of `Sources`. ``resume_from`` is the folder of the weights to start from, where
    the recipe calls them by a name.

    Raises:
        DataMissingError: the recipe's data is not there, or cannot be read.
        ScorerUnavailableError: the sentence encoder is not there.
        TrainingStoppedError: ``stop`` said so.

    """
    sources = Sources(recipe, data or data_folder(), given=given, excluded=excluded)
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = folder / CHECKPOINT
    recipe, start, learned_before = started(recipe, resume_from)
    relations_before = read_learned_relations(_begun_in(recipe, resume_from)) if recipe.start else frozenset()
    result = train(
        _read(sources, reading_progress(progress, stop)),
        recipe.settings,
        shape=recipe.shape,
        start=start,
        shares={source.name: source.share for source in recipe.sources},
        checkpoint=checkpoint,
        progress=progress,
        stop=stop,
    )
    # If it is not known what the weights before learned from, it is not known of these.
    learned = learned_after(learned_before, sources.learned())
    card = make_card(result, recipe, sources, learned, name=name, command=command)
    trial = folder / "trial"
    try:
        card["bytes"] = save_scorer(trial, result.state, card)
        scorer = EncoderScorer.open(trial)
        outcomes: list[Outcome] = []
        for source in sources_with_questions(recipe):
            progress_of = _asking(source, progress)
            card["figures"][source.name], found = validate(
                source, sources, scorer, most=recipe.validated, progress=progress_of
            )
            outcomes += found
        for test in recipe.tests:
            # Their outcomes calibrate nothing: they are to tell how the scorer does on data that it was not tuned on.
            card["unseen"][test.name], _ = validate(test, sources, scorer, progress=_asking(test, progress))
        trusted = reliability([outcome for outcome in outcomes if outcome.answerable and not outcome.graph_gap])
        card["calibration"] = None if trusted is None else trusted["correction"]
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    save_scorer(folder, result.state, card)
    LearnedQuestions.keep(folder, learned)
    write_learned_relations(folder, relations_before | sources.learned_relations())
    (folder / README_FILE).write_text(as_markdown(card), encoding="utf-8")
    checkpoint.unlink(missing_ok=True)
    return card


def started(
    recipe: Recipe, resume_from: Path | None = None
) -> tuple[Recipe, dict[str, Tensor] | None, LearnedQuestions | None]:
    """A recipe with the shape and biases of the weights that it starts from, these weights, and what they learned from.

    ``resume_from`` is the folder of these weights, where the recipe calls them by a name.

    Raises:
        ScorerUnavailableError: there are no such weights.

    """
    if not recipe.start:
        return recipe, None, LearnedQuestions()
    folder = _begun_in(recipe, resume_from)
    begun, start = read_weights(folder)
    return recipe.going_on_from(begun), start, LearnedQuestions.read(folder)


def _begun_in(recipe: Recipe, resume_from: Path | None) -> Path:
    return resume_from or (BUNDLED_WEIGHTS if recipe.start == BUNDLED_RECIPE else Path(recipe.start))


def add_learned_questions(
    folder: Path,
    recipe: Recipe,
    *,
    data: Path | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> LearnedQuestions:
    """Write the questions that a recipe teaches, and their relations, next to the card of weights trained by it.

    Weights, figures and all else of the card stay. It is for weights of a training that did not write them.

    Raises:
        DataMissingError: the recipe's data is not there, or cannot be read.
        ScorerUnavailableError: no card lies in the folder, or it is damaged.
        LearnedElsewhereError: the data is not that of the training.

    """
    card = read_card(folder)
    sources = Sources(recipe, data or data_folder())
    if sources.digests() != card["trained"]["data_sha256"]:
        raise LearnedElsewhereError(
            "The data of the recipe is not what these weights were trained on: the SHA-256 of its files differs from "
            "the model card. Name the folder of the same files, or train again."
        )

    def reading(source: str, done: int, total: int) -> None:
        progress(Progress(f"reading {source}", 0, 0, done, total, None, 0.0))

    for _ in _read(sources, reading):
        pass
    learned = sources.learned()
    card["trained"]["learned_questions"] = learned.to_json()
    learned.write(folder)
    write_learned_relations(folder, sources.learned_relations())
    (folder / CARD_FILE).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / README_FILE).write_text(as_markdown(card), encoding="utf-8")
    return learned


def _read(sources: Sources, progress: Callable[[str, int, int], None]) -> Iterator[TrainingSample]:
    yield from sources.samples("train", progress)


def _asking(source: Source, progress: Callable[[Progress], None]) -> Callable[[int, int], None]:
    return lambda done, total: progress(Progress(f"validating {source.name}", 0, 0, done, total, None, 0.0))
