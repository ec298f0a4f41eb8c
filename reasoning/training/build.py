"""From the bundled sample to a scorer on disk: samples, training, validation, card."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgstore.loading.sample import SAMPLE_GRAPH, sample_graph
from kgstore.sqlite_library import SqliteLibrary
from reasoning.datasets.discern import phrasings
from reasoning.evaluation.asking import ask
from reasoning.evaluation.report import figures
from reasoning.evaluation.settings import EvaluationSettings
from reasoning.questions import sample_questions
from reasoning.scorers.encoder import EncoderScorer, save_scorer
from reasoning.training.card import README_FILE, as_markdown, make_card
from reasoning.training.samples import TrainingSample, samples_of
from reasoning.training.train import Progress, TrainingSettings, train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kgstore.store import GraphStore
    from reasoning.evaluation.outcome import Outcome
    from reasoning.questions import SampleQuestion

COMMAND = "python manage.py train_scorer"


def training_samples(questions: Iterable[SampleQuestion], store: GraphStore) -> Iterator[TrainingSample]:
    """The lessons of all training questions; those kept for validation are passed over."""
    for question in questions:
        if not question.is_validation:
            for phrasing in question.phrasings:
                yield from samples_of(question, phrasing, store)


def build_scorer(
    folder: Path, settings: TrainingSettings, *, progress: Callable[[Progress], None] = lambda _: None
) -> dict[str, Any]:
    """Train on the bundled sample, write weights and card into a folder, validate; returns the card.

    A build that was broken off goes on from its last whole epoch.

    Raises:
        ScorerUnavailableError: the sentence encoder is not there.

    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        library = SqliteLibrary(Path(scratch))
        library.load(sample_graph())
        store = library.open(SAMPLE_GRAPH)
        try:
            questions = list(sample_questions())
            samples = list(training_samples(questions, store))
            result = train(samples, settings, checkpoint=folder / "checkpoint.pt", progress=progress)
            card = make_card(result, command=COMMAND)
            size = save_scorer(folder, result.state, card)
            kept = [asked for question in questions if question.is_validation for asked in phrasings(question)]
            scorer = EncoderScorer.open(folder)
            outcomes: list[Outcome] = []
            for asked in kept:
                outcomes.append(ask(asked, store, scorer, EvaluationSettings(topics="linked")))
                progress(Progress("validating", 0, 0, len(outcomes), len(kept), None, 0.0))
        finally:
            library.close()
    card |= {"figures": figures(outcomes, topics="linked", graph=SAMPLE_GRAPH), "bytes": size}
    save_scorer(folder, result.state, card)
    (folder / README_FILE).write_text(as_markdown(card), encoding="utf-8")
    return card
