"""From a recipe to a judge on disk: questions asked, training, threshold, figures, card."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from reasoning.datasets.learned import LearnedQuestions
from reasoning.datasets.question import is_validation
from reasoning.scorers.cards import BUNDLED_WEIGHTS
from reasoning.scorers.encoder.frozen_texts import FrozenTexts
from reasoning.scorers.encoder.scorer import WEIGHTS_FILE as SCORER_FILE
from reasoning.scorers.encoder.scorer import EncoderScorer
from reasoning.scorers.threads import compute_with, training_threads
from reasoning.strategies.eperm.model import JudgeModel
from reasoning.strategies.eperm.surroundings import FLAGS
from reasoning.strategies.eperm.weights import read_judge, save_judge
from reasoning.training.encoder.begun import begun, learned_after, learned_before
from reasoning.training.encoder.epochs import weights_digest
from reasoning.training.encoder.train import Progress, TrainingStoppedError, reading_progress
from reasoning.training.eperm.reading import LessonsRead
from reasoning.training.eperm.train import ReadLesson, Tuned, figures, read_lesson, train_judge, tuned
from reasoning.training.lessons.sources import Sources, data_folder
from reasoning.training.recipe.sides import divided

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reasoning.datasets.identity import QuestionKey
    from reasoning.scorers.base import Scorer
    from reasoning.training.eperm.recipe import JudgeRecipe
    from reasoning.training.recipe.recipe import Source

CHECKPOINT = "checkpoint.pt"


@dataclass(slots=True)
class _Lessons:
    """The lessons of one source."""

    taught: list[ReadLesson] = field(default_factory=list)
    tuned: list[ReadLesson] = field(default_factory=list)
    """Held-out ones that power and threshold are tuned on."""
    asked: list[ReadLesson] = field(default_factory=list)
    """Held-out ones that tell how good it is."""


def build_judge(
    folder: Path,
    recipe: JudgeRecipe,
    *,
    data: Path | None = None,
    resume_from: Path | None = None,
    excluded: Callable[[QuestionKey], bool] = lambda _: False,
    checkpoint: Path | None = None,
    command: str = "",
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train by a recipe, tune, ask held-out questions, and write weights and card; returns the card.

    Questions are asked with the bundled scorer, whose plans teach. Of the held-out ones, half tune power and threshold,
    and the others tell how good the judge is (`is_for_tuning`). ``resume_from`` is the folder of weights to go on from.
    What is ``excluded`` teaches nothing. A build that was stopped goes on from the last question that was asked, and
    from its last whole epoch; both lie next to ``checkpoint``, a file of the folder where none is named. Weights that
    were there before stay until the new ones are whole.

    Raises:
        DataMissingError: the recipe's data is not there, or cannot be read.
        NothingToLearnError: no question gave a lesson.
        ScorerUnavailableError: the sentence encoder, the scorer, or the weights to go on from, are not there.
        TrainingStoppedError: ``stop`` said so.

    """
    compute_with(training_threads(recipe.settings.threads))
    sources = Sources(recipe.data, data or data_folder(), excluded=excluded)
    checkpoint = checkpoint or folder / CHECKPOINT
    texts, scorer = FrozenTexts(), EncoderScorer.open()
    settings = recipe.settings
    model, before = begun(resume_from, recipe.shape, seed=settings.seed, new=JudgeModel, read=read_judge)
    known = learned_before(resume_from)
    folder.mkdir(parents=True, exist_ok=True)
    reading = reading_progress(progress, stop)
    provenance = {**recipe.to_json(), "begun": before, "data": sources.digests(), "scorer": _scorer_description(scorer)}
    read_for = {
        "sources": provenance["sources"],
        "data": provenance["data"],
        "scorer": provenance["scorer"],
        "plans": settings.plans,
        "precision": settings.precision,
        "flags": list(FLAGS),
    }
    read = LessonsRead(checkpoint.with_suffix(".lessons"), read_for)
    found = {
        source.name: _lessons(recipe, sources, source, read, scorer, texts, partial(reading, source.name))
        for source in recipe.data.sources
    }
    if stop():
        raise TrainingStoppedError("The training was stopped. Start it again to go on from where it was.")
    trained = train_judge(
        model,
        [one for lessons in found.values() for one in lessons.taught],
        settings,
        recipe=provenance,
        checkpoint=checkpoint,
        progress=progress,
        stop=stop,
    )
    model.eval()
    chosen = tuned(model, [lessons.tuned for lessons in found.values()])
    learned = learned_after(known, sources.learned())
    card: dict[str, Any] = {
        "kind": "judge",
        "name": recipe.data.name,
        "title": recipe.data.title,
        "command": command,
        "shape": model.shape.to_json(),
        "power": chosen.power,
        "threshold": chosen.threshold,
        "weights_sha256": weights_digest(model),
        "trained": {
            **provenance,
            "losses": trained.losses,
            "seconds": round(trained.seconds, 1),
            "learned_questions": None if learned is None else learned.to_json(),
            "tuned_on": sum(len(lessons.tuned) for lessons in found.values()),
        },
        "figures": {name: _figures(model, lessons, chosen) for name, lessons in found.items()},
    }
    LearnedQuestions.keep(folder, learned)
    whole = save_judge(folder, model, card)
    checkpoint.unlink(missing_ok=True)
    read.remove()
    return whole


def is_for_tuning(id_: str) -> bool:
    """Whether a held-out question tunes power and threshold; the others tell how good the judge is."""
    return hashlib.sha256(f"threshold {id_}".encode()).digest()[0] % 2 == 0


def as_text(card: dict[str, Any]) -> str:
    """The card's figures, a line a source."""
    trained = card["trained"]
    epochs = f"{len(trained['losses'])} epochs"
    chosen = f"power {card['power']:.2f}, threshold {card['threshold']:.2f}"
    tuned_on = f"tuned on {trained['tuned_on']} held-out questions"
    lines = [f"{card['title']}: {epochs}, {trained['seconds']:.0f} s; {chosen}, {tuned_on}."]
    for name, found in card["figures"].items():
        judged, unjudged = (
            "not measured"
            if found[f"{way}f1"] is None
            else f"Hits@1 {found[f'{way}hits_at_1']:.3f}, F1 {found[f'{way}f1']:.3f}"
            for way in ("", "unjudged_")
        )
        lines.append(f"{name}: {judged}; unjudged {unjudged}; {found['asked']} asked, {found['taught']} taught.")
    return "\n".join(lines)


def _lessons(
    recipe: JudgeRecipe,
    sources: Sources,
    source: Source,
    read: LessonsRead,
    scorer: Scorer,
    texts: FrozenTexts,
    progress: Callable[[int, int], None],
) -> _Lessons:
    settings = recipe.settings
    asked, tests = divided(sources, source, held_out=settings.held_out, tested=settings.tested)
    found = _Lessons()
    with sources.graph(source, ()) as store:
        for question, lesson in read.lessons(source.name, asked, store, scorer, settings, progress):
            held_out = tests[question.id] if tests else is_validation(f"wording {lesson.question}")
            side = found.taught if not held_out else found.tuned if is_for_tuning(question.id) else found.asked
            side.append(read_lesson(lesson, texts))
            if side is not found.asked:
                sources.teach(source, question)
    return found


def _figures(model: JudgeModel, lessons: _Lessons, chosen: Tuned) -> dict[str, Any]:
    """On the held-out questions that tuned nothing, with the judge and without."""
    return {
        "taught": len(lessons.taught),
        "asked": len(lessons.asked),
        **figures(model, lessons.asked, chosen),
        **{f"unjudged_{name}": value for name, value in figures(None, lessons.asked, chosen).items()},
    }


def _scorer_description(scorer: Scorer) -> dict[str, str]:
    """Whose plans taught."""
    weights = (BUNDLED_WEIGHTS / SCORER_FILE).read_bytes()
    return {"name": scorer.name, "sha256": hashlib.sha256(weights).hexdigest()}
