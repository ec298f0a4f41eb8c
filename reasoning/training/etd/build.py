"""From a recipe to an explorer on disk: questions, training, figures, card."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from reasoning.datasets.learned import LearnedQuestions
from reasoning.scorers.encoder.frozen_texts import FrozenTexts
from reasoning.scorers.encoder.minilm import ENCODER_SHA256
from reasoning.scorers.threads import compute_with, training_threads
from reasoning.strategies.etd.model import ExplorerModel
from reasoning.strategies.etd.weights import read_explorer, save_explorer
from reasoning.training.encoder.begun import begun, learned_after, learned_before
from reasoning.training.encoder.epochs import weights_digest
from reasoning.training.encoder.train import Progress, reading_progress
from reasoning.training.etd.lessons import Classroom
from reasoning.training.etd.train import figures, train_explorer
from reasoning.training.lessons.sources import Sources, data_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reasoning.datasets.identity import QuestionKey
    from reasoning.training.etd.recipe import ExplorerRecipe

CHECKPOINT = "checkpoint.pt"


def build_explorer(
    folder: Path,
    recipe: ExplorerRecipe,
    *,
    data: Path | None = None,
    resume_from: Path | None = None,
    excluded: Callable[[QuestionKey], bool] = lambda _: False,
    checkpoint: Path | None = None,
    command: str = "",
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train by a recipe, ask the held-out questions, and write weights and card into a folder; returns the card.

    ``resume_from`` is the folder of weights to go on from, in their shape but with the recipe's K. What is ``excluded``
    teaches nothing. A build that was stopped resumes from its last whole epoch, which lies in ``checkpoint``, a file of
    the folder where none is named. Weights that were there before stay until the new ones are whole.

    Raises:
        DataMissingError: the recipe's data is not there, or cannot be read.
        NothingToLearnError: no question has its topic in its graph.
        ScorerUnavailableError: the sentence encoder, or the weights to go on from, are not there.
        TrainingStoppedError: ``stop`` said so.

    """
    compute_with(training_threads(recipe.settings.threads))
    sources = Sources(recipe.data, data or data_folder(), excluded=excluded)
    checkpoint = checkpoint or folder / CHECKPOINT
    texts = FrozenTexts()
    model, before = begun(
        resume_from, recipe.shape, seed=recipe.settings.seed, new=ExplorerModel, read=read_explorer, free=("keep",)
    )
    known = learned_before(resume_from)
    folder.mkdir(parents=True, exist_ok=True)
    reading = reading_progress(progress, stop)
    with ExitStack() as opened:
        rooms: list[Classroom] = []
        for source in recipe.data.sources:
            room = Classroom(source, opened.enter_context(sources.graph(source, ())), texts)
            room.fill(
                sources,
                source,
                held_out=recipe.settings.held_out,
                tested=recipe.settings.tested,
                progress=partial(reading, source.name),
            )
            rooms.append(room)
        provenance = {**recipe.to_json(), "begun": before, "data": sources.digests()}
        trained = train_explorer(
            model,
            rooms,
            texts,
            recipe.settings,
            recipe=provenance,
            checkpoint=checkpoint,
            progress=progress,
            stop=stop,
        )
        learned = learned_after(known, sources.learned())
        card: dict[str, Any] = {
            "kind": "explorer",
            "name": recipe.data.name,
            "title": recipe.data.title,
            "command": command,
            "shape": model.shape.to_json(),
            "encoder_sha256": ENCODER_SHA256,
            "weights_sha256": weights_digest(model),
            "trained": {
                **provenance,
                "losses": trained.losses,
                "seconds": round(trained.seconds, 1),
                "learned_questions": None if learned is None else learned.to_json(),
            },
            "figures": {
                room.name: {
                    **figures(model, room, texts, recipe.settings.batch),
                    "perfect_hits_at_1": room.perfect_hits(),
                }
                for room in rooms
            },
        }
    LearnedQuestions.keep(folder, learned)
    save_explorer(folder, model, card)
    checkpoint.unlink(missing_ok=True)
    return card


def as_text(card: dict[str, Any]) -> str:
    """The card's figures, a line a source."""
    lines = [f"{card['title']}: {len(card['trained']['losses'])} epochs, {card['trained']['seconds']:.0f} s."]
    for name, found in card["figures"].items():
        hits, perfect, kept = (
            "not measured" if found[key] is None else f"{found[key]:.3f}"
            for key in ("hits_at_1", "perfect_hits_at_1", "answers_kept")
        )
        lines.append(
            f"{name}: Hits@1 {hits} (without mistakes: {perfect}), answers kept {kept}, {found['asked']} asked, "
            f"{found['taught']} taught."
        )
    return "\n".join(lines)
