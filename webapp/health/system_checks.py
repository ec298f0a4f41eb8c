"""System checks, which report before the start what would keep the site from answering questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core import checks
from redis import Redis
from redis.exceptions import RedisError

from reasoning.scorers.registry import KINDS, Place, Weights
from reasoning.writers.registry import writer_fault
from webapp import engine
from webapp.health.readiness import graph_fault
from webapp.platform.environment import unknown_variables
from webapp.platform.terminal.command import SETTINGS_CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterable

DEPLOYED = "deployed"
"""The tag of checks that ask other parts of the site; ``manage.py check --tag deployed`` and ``serve`` run them."""


@checks.register(SETTINGS_CHECKS)
def variables_check(**_: Any) -> Iterable[checks.CheckMessage]:
    """Variables that look like settings but are none are most likely misspelt."""
    for name, meant in unknown_variables():
        yield checks.Warning(
            f"{name} is set, but there is no such setting.",
            hint=f"Did you mean {meant}?" if meant else None,
            id="discern.W001",
        )


@checks.register(SETTINGS_CHECKS)
def scorer_check(**_: Any) -> Iterable[checks.CheckMessage]:
    """The scorer that decides must be one of ours, and its weights must be there."""
    name, served = engine.configured_scorer(), engine.model_server() is not None
    kind = KINDS.get(name)
    if kind is not None and kind.place is Place.SERVER and not served:
        yield checks.Error(
            f"The scorer “{name}” asks a server, and none is named.",
            hint="Set DISCERN_LLM_URL to its address, such as http://localhost:8000.",
            id="discern.E005",
        )
    elif kind is not None and kind.weights is Weights.REQUIRED and settings.ENVIRONMENT.scorer_weights is None:
        yield checks.Error(
            f"The scorer “{name}” is a language model of yours, and its folder is not named.",
            hint="Set DISCERN_SCORER_WEIGHTS to the folder.",
            id="discern.E006",
        )
    elif name not in engine.scorer_names():
        yield checks.Error(
            f"There is no scorer “{name}”.",
            hint=f"Set DISCERN_SCORER to one of: {', '.join(engine.scorer_names())}.",
            id="discern.E001",
        )
    weights = settings.ENVIRONMENT.scorer_weights
    if weights is not None and not weights.exists():
        yield checks.Error(
            f"The scorer's weights are not at {weights}.",
            hint="Set DISCERN_SCORER_WEIGHTS to a folder that `manage.py train_scorer` wrote, or leave it out.",
            id="discern.E002",
        )


@checks.register(SETTINGS_CHECKS)
def writer_check(**_: Any) -> Iterable[checks.CheckMessage]:
    """The model that writes must be one of ours where the settings name it, and what it needs must be there."""
    name, folder = settings.ENVIRONMENT.writer, settings.ENVIRONMENT.writer_weights
    fault = name and writer_fault(name, folder=folder, server=engine.model_server())
    if fault:
        yield checks.Error(fault, hint="Name it, or leave DISCERN_WRITER out.", id="discern.E007")
    if folder is not None and not folder.exists():
        yield checks.Error(
            f"The model that writes is not at {folder}.",
            hint="Set DISCERN_WRITER_WEIGHTS to the folder of a language model, or leave it out.",
            id="discern.E008",
        )


@checks.register(DEPLOYED, deploy=True)
def store_check(**_: Any) -> Iterable[checks.CheckMessage]:
    """The default graph must be there."""
    fault = graph_fault()
    if fault is not None:
        yield checks.Error(fault, id="discern.E003")


@checks.register(DEPLOYED, deploy=True)
def broker_check(**_: Any) -> Iterable[checks.CheckMessage]:
    """Redis must answer."""
    try:
        with Redis.from_url(settings.ENVIRONMENT.redis, socket_connect_timeout=2) as client:
            client.ping()
    except (RedisError, OSError) as error:
        yield checks.Error(
            f"Redis does not answer at {settings.ENVIRONMENT.redis}: {str(error).rstrip('.')}.",
            hint="Start it, or set REDIS_URL to one that runs.",
            id="discern.E004",
        )
