"""The app of overlays."""

from __future__ import annotations

from django.apps import AppConfig


class OverlaysConfig(AppConfig):
    """Corrections of benchmarks' labels, and the figures of evaluations under them."""

    name = "webapp.evaluations.overlays"
    verbose_name = "Overlays"
