"""Reads of scorers and trainings."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from reasoning.core.errors import ScorerUnavailableError
from reasoning.scorers.cards import CARD_FILE, read_card
from reasoning.scorers.registry import KINDS
from reasoning.strategies.registry import STRATEGIES
from reasoning.training.own_weights import OWN_WEIGHTS
from reasoning.training.recipe import recipe
from reasoning.training.recipe.recipe import RecipeError, read_recipe, recipe_in, recipe_names
from webapp import engine
from webapp.health.readiness import no_worker_reason, scorer_fault
from webapp.models.trainings.models import SiteRecipe, Training
from webapp.models.trainings.schemas import (
    BaseOut,
    ChoicesOut,
    ExploredFiguresOut,
    LearnedOut,
    LessonOut,
    ModelCardOut,
    RecipeOut,
    ScorerOut,
    TrainedStrategyOut,
    TrainingOut,
    TrainingPageOut,
    TrainingStepOut,
    WeightsCardOut,
)
from webapp.models.trainings.trainers.bases import base_fault, base_queue, bases
from webapp.models.trainings.trainers.lessons import starts
from webapp.platform.http.errors import ProductError
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable, Mapping

    from webapp.models.trainings.schemas import TrainedKindName

log = logging.getLogger(__name__)

TRAININGS_SHOWN = 10


def scorer_list() -> list[ScorerOut]:
    """All scorers of this site, the default one first."""
    default = engine.default_scorer()
    names = sorted(engine.scorer_names(), key=lambda name: name != default)
    return [_scorer(name, is_default=name == default) for name in names]


def _scorer(name: str, *, is_default: bool) -> ScorerOut:
    kind = KINDS.get(name)
    title, about = (name, "Trained on this site.") if kind is None else (kind.title, kind.about)
    try:
        document = engine.scorer_card(name)
        card, fault = (None if document is None else _card(document)), ""
    except ScorerUnavailableError as error:
        log.warning("%s", error.for_operators)
        card, fault = None, error.for_people
    except KeyError as error:
        card, fault = None, f"Its model card does not say {error}, so its figures cannot be shown. Train it again."
    queue = engine.queue_of(name)
    return ScorerOut(
        name=name,
        title=title,
        about=fault or about,
        is_default=is_default,
        queue=queue,
        # Workers load the default scorer before they are asked, so what they say of it is known.
        waits=no_worker_reason(queue) or (scorer_fault() if is_default else None),
        card=card,
    )


def _card(document: Mapping[str, Any]) -> ModelCardOut:
    """The parts of a model card that a list shows; cards of older versions have some of them in another form."""
    trained = document["trained"]
    data = trained["data_sha256"]
    hashes = trained.get("learned_questions")
    return ModelCardOut(
        title=trained.get("title", "the bundled sample"),
        finished_at=trained["finished_at"],
        samples=trained["samples"],
        # Of a language model's lessons only the texts are known.
        learned_questions=None if hashes is None else hashes["identities"] or hashes["texts"],
        data=data if isinstance(data, dict) else {"sample": data},
        code=trained["code_sha256"],
        version=trained.get("version", ""),
        seed=trained["settings"]["seed"],
        learned=[
            LearnedOut(
                source=source,
                questions=figures["all"]["questions"],
                hits_at_1=figures["all"]["hits_at_1"],
                macro_f1=figures["all"]["macro_f1"],
                graph=figures["graph"],
                topics=figures["topics"],
                unseen=unseen,
            )
            for unseen, found in ((False, document["figures"]), (True, document.get("unseen", {})))
            for source, figures in found.items()
            if isinstance(figures, dict) and figures.get("all")
        ],
        choices=None if document.get("kind") != "causal" else _choices(document["figures"].get("validation")),
    )


def _choices(figures: Mapping[str, Any] | None) -> ChoicesOut | None:
    if figures is None:
        return None
    return ChoicesOut(
        decisions=figures["decisions"],
        questions=figures["questions"],
        accuracy=figures["accuracy"],
        accuracy_without_none_bias=figures["accuracy_without_none_bias"],
        baselines=figures["baselines"],
    )


def training_get(*, training_id: uuid.UUID) -> Training:
    """A training.

    Raises:
        ProductError: there is none.

    """
    training = Training.objects.select_related("starter").filter(pk=training_id).first()
    if training is None:
        raise ProductError(404, "unknown_training", "There is no such training. Choose one of the list.")
    return training


def training_page(*, may_manage: bool) -> TrainingPageOut:
    """The last trainings, newest first, and what may be trained on."""
    last = Training.objects.select_related("starter").prefetch_related("lessons__dataset").order_by("-created_at")
    last = last[:TRAININGS_SHOWN]
    return TrainingPageOut(
        trainings=[training_out(training) for training in last],
        total=Training.objects.count(),
        recipes=recipes(),
        starts=starts(),
        bases=base_list(),
        strategies=[_strategy(name) for name in OWN_WEIGHTS],
        waits=no_worker_for(training.queue for training in last if training.status == Status.QUEUED),
        may_manage=may_manage,
    )


def no_worker_for(queues: Iterable[str]) -> str | None:
    """Why work of the ordinary background, or that of other queues, waits; None where workers serve them all."""
    reasons = (no_worker_reason(queue) for queue in dict.fromkeys([Queue.CPU_BACKGROUND, *map(Queue, queues)]))
    return next(filter(None, reasons), None)


def base_list() -> list[BaseOut]:
    """The language models that may be fine-tuned."""
    return [
        BaseOut(name=name, fault=base_fault(name) or None, waits=no_worker_reason(base_queue(name))) for name in bases()
    ]


def _strategy(name: str) -> TrainedStrategyOut:
    """A strategy with the card of its weights."""
    entry = STRATEGIES[name]
    card, fault = None, ""
    try:
        folder = None if entry.weights is None else entry.weights()
        if folder is not None and (folder / CARD_FILE).exists():
            card = _weights_card(read_card(folder), own=folder.parent == engine.strategies_folder())
    except ScorerUnavailableError as error:
        log.warning("%s", error.for_operators)
        fault = error.for_people
    except KeyError as error:
        fault = f"The card of its weights does not say {error}, so their figures cannot be shown. Train them again."
    return TrainedStrategyOut(
        name=name,
        title=entry.title,
        recipes=[
            RecipeOut(name=each, title=OWN_WEIGHTS[name].recipes.read(each).data.title, sent=False)
            for each in OWN_WEIGHTS[name].recipes.names()
        ],
        card=card,
        fault=fault,
    )


def _weights_card(document: Mapping[str, Any], *, own: bool) -> WeightsCardOut:
    return WeightsCardOut(
        title=document["title"],
        own=own,
        command=document["command"],
        epochs=len(document["trained"]["losses"]),
        seconds=document["trained"]["seconds"],
        figures=[
            ExploredFiguresOut(
                source=source,
                taught=found["taught"],
                asked=found["asked"],
                hits_at_1=found["hits_at_1"],
                answers_kept=found["answers_kept"],
            )
            for source, found in document["figures"].items()
        ],
    )


def recipes() -> list[RecipeOut]:
    """What a scorer may be trained on: the recipes that come with Discern, then those that were sent."""
    bundled = [RecipeOut(name=name, title=read_recipe(name).title, sent=False) for name in recipe_names()]
    sent = [
        RecipeOut(name=row.name, title=_title(row), sent=True)
        for row in SiteRecipe.objects.exclude(name__in=recipe_names())
    ]
    return [*bundled, *sent]


def _title(row: SiteRecipe) -> str:
    try:
        return recipe_in(row.name, row.text).title
    except RecipeError as error:
        # Sent to an earlier version, which read recipes otherwise.
        return str(error)


def recipe_text(*, name: str) -> str:
    """The file of a recipe.

    Raises:
        ProductError: there is none of that name.

    """
    if name in recipe_names():
        return (recipe.RECIPES / f"{name}.toml").read_text(encoding="utf-8")
    sent = SiteRecipe.objects.filter(name=name).first()
    if sent is None:
        raise ProductError(404, "unknown_recipe", "There is no such recipe. Choose one of the list.")
    return sent.text


def training_out(training: Training) -> TrainingOut:
    """A training, and how far it is."""
    return TrainingOut(
        id=training.pk,
        name=training.name,
        recipe=training.recipe,
        lessons=[
            LessonOut(
                title=str(lesson),
                dataset=lesson.dataset_id,
                graph=lesson.graph,
                share=lesson.share,
                corrected=lesson.overlay is not None,
                least_precision=lesson.least_precision,
            )
            for lesson in training.lessons.all()
        ],
        start=training.start,
        kind=cast("TrainedKindName", training.kind),
        base=training.base,
        queue=training.queue,
        status=Status(training.status),
        reason=training.reason,
        stage=training.stage,
        epoch=training.epoch,
        of_epochs=training.of_epochs,
        done=training.done,
        total=training.total,
        loss=training.loss,
        log=[TrainingStepOut(**step) for step in training.log],
        created_at=training.created_at,
        finished_at=training.finished_at,
        starter=None if training.starter is None else training.starter.display_name,
    )
