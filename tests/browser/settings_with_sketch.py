"""The site's settings where one strategy more is registered, as whoever adds one to the product registers it."""

from __future__ import annotations

from reasoning.strategies.registry import STRATEGIES
from tests.reasoning.made_up import MADE_UP, Sketch
from webapp.settings import *  # noqa: F403

STRATEGIES[Sketch.name] = MADE_UP[Sketch.name]
