"""From a recipe to a scorer on disk: samples, training, validation, card."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasoning.evaluation.calibration import reliability
from reasoning.evaluation.ceiling import ceiling
from reasoning.evaluation.judging import ask, is_judged
from reasoning.evaluation.report import figures
from reasoning.evaluation.settings import EvaluationSettings
from reasoning.scorers.architecture import ModelShape
from reasoning.scorers.cards import BUNDLED_WEIGHTS, CARD_FILE, read_card
from reasoning.scorers.encoder import EncoderScorer, read_weights, save_scorer
from reasoning.training.card import NAME, README_FILE, as_markdown, make_card
from reasoning.training.recipe import DRAWN, SCHEMA, RecipeError
from reasoning.training.sources import Sources, data_folder
from reasoning.training.train import Progress, TrainingStoppedError, train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reasoning.datasets.learned import LearnedQuestions
    from reasoning.evaluation.outcome import Outcome
    from reasoning.training.recipe import Recipe, Source
    from reasoning.training.samples import TrainingSample

CHECKPOINT = "checkpoint.pt"
VALIDATED = 300
"""At most so many validation questions of a source are asked for the card."""


class LearnedElsewhereError(RecipeError):
    """Weights were not trained on the data that a recipe reads here."""

    code = "learned_elsewhere"


def build_scorer(
    folder: Path,
    recipe: Recipe,
    *,
    data: Path | None = None,
    name: str = NAME,
    command: str = "",
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train by a recipe, validate, and write weights and card into a folder; returns the card.

    The recipe's data lies in ``data``, else in the folder that ``DISCERN_DATA`` names. A build that was stopped or
    broken off goes on from its last whole epoch. Weights that were there before stay until the new ones are whole.

    Raises:
        DataMissingError: the recipe's data is not there, or cannot be read.
        ScorerUnavailableError: the sentence encoder is not there.
        TrainingStoppedError: ``stop`` said so.

    """
    sources = Sources(recipe, data or data_folder())
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = folder / CHECKPOINT

    def reading(source: str, done: int, total: int) -> None:
        progress(Progress(f"reading {source}", 0, 0, done, total, None, 0.0))
        if stop():
            raise TrainingStoppedError("The training was stopped while it read its data. Start it again.")

    shape, start = recipe.shape, None
    if recipe.start:
        begun, start = read_weights(BUNDLED_WEIGHTS)
        shape = ModelShape.from_json(begun["shape"])
    result = train(
        _read(sources, reading),
        recipe.settings,
        shape=shape,
        start=start,
        shares={source.name: source.share for source in recipe.sources},
        checkpoint=checkpoint,
        progress=progress,
        stop=stop,
    )
    card = make_card(result, recipe, sources, name=name, command=command)
    trial = folder / "trial"
    try:
        card["bytes"] = save_scorer(trial, result.state, card)
        scorer = EncoderScorer.open(trial)
        outcomes: list[Outcome] = []
        for source in recipe.sources:
            if source.graph != SCHEMA and source.dataset != DRAWN:
                card["figures"][source.name] = _validate(source, sources, scorer, progress, outcomes)
        for test in recipe.tests:
            # Their outcomes calibrate nothing: they are to tell how the scorer does where nobody has tuned it.
            card["unseen"][test.name] = _validate(test, sources, scorer, progress, [])
        found = reliability([outcome for outcome in outcomes if outcome.answerable and not outcome.graph_gap])
        card["calibration"] = None if found is None else found["correction"]
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    save_scorer(folder, result.state, card)
    sources.learned().write(folder)
    (folder / README_FILE).write_text(as_markdown(card), encoding="utf-8")
    checkpoint.unlink(missing_ok=True)
    return card


def add_learned_questions(
    folder: Path,
    recipe: Recipe,
    *,
    data: Path | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> LearnedQuestions:
    """Write the questions that a recipe teaches beside the card of weights that were trained by it.

    Weights, figures and all else of the card stay. It is for weights of a training that did not write the questions.

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
            "the model card. Name the folder of the same files, or train anew."
        )

    def reading(source: str, done: int, total: int) -> None:
        progress(Progress(f"reading {source}", 0, 0, done, total, None, 0.0))

    for _ in _read(sources, reading):
        pass
    learned = sources.learned()
    card["trained"]["learned_questions"] = learned.to_json()
    learned.write(folder)
    (folder / CARD_FILE).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / README_FILE).write_text(as_markdown(card), encoding="utf-8")
    return learned


def _read(sources: Sources, progress: Callable[[str, int, int], None]) -> Iterator[TrainingSample]:
    yield from sources.samples("train", progress)


def _validate(
    source: Source,
    sources: Sources,
    scorer: EncoderScorer,
    progress: Callable[[Progress], None],
    judged: list[Outcome],
) -> dict[str, Any]:
    """Figures over validation questions: those that can be judged and, where topics are given, answered at all.

    Their outcomes join ``judged``.
    """
    topics: Any = "gold" if source.topics == "given" else "linked"
    questions = sources.questions(replace(source, questions=None), "validation")
    if topics == "gold":
        # Files are often sorted by kind of question; what is asked is to be of all kinds.
        questions.sort(key=lambda question: hashlib.sha256(question.id.encode()).digest())
    outcomes: list[Outcome] = []
    best: list[float] = []
    with sources.graph(source, questions) as store:
        for question in questions:
            if len(outcomes) == VALIDATED and topics == "gold":
                break
            if not is_judged(question):
                continue
            if topics == "gold":
                perfect = ceiling(question, store).f1
                if not perfect:
                    continue
                best.append(perfect)
            outcomes.append(ask(question, store, scorer, EvaluationSettings(topics=topics)))
            progress(Progress(f"validating {source.name}", 0, 0, len(outcomes), len(questions), None, 0.0))
    judged += outcomes
    found = figures(outcomes, topics=topics, graph=source.graph)
    return {**found, "perfect_f1": fmean(best) if best else None}
