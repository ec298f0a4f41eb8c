"""The site's settings with one more strategy, registered as a developer registers a new one."""

from __future__ import annotations

from dataclasses import replace

from reasoning.strategies.registry import STRATEGIES
from tests.reasoning.made_up import KEPT, MADE_UP, Sketch
from tests.site_settings import *  # noqa: F403

STRATEGIES[Sketch.name] = replace(MADE_UP[Sketch.name], options=(KEPT,))
