"""The site's settings where one strategy more is registered, as whoever adds one to the product registers it."""

from __future__ import annotations

from dataclasses import replace

from reasoning.strategies.registry import STRATEGIES
from tests.reasoning.made_up import KEPT, MADE_UP, Sketch
from webapp.settings import *  # noqa: F403

STRATEGIES[Sketch.name] = replace(MADE_UP[Sketch.name], options=(KEPT,))
