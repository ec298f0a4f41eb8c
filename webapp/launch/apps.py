"""The app that starts the site."""

from __future__ import annotations

from django.apps import AppConfig


class LaunchConfig(AppConfig):
    """Commands that prepare and start everything, and the system checks."""

    name = "webapp.launch"

    def ready(self) -> None:
        """Register the checks and the extensions, and have a Celery application to hand work to."""
        from webapp import celery  # noqa: F401, PLC0415 - importing makes it the current one
        from webapp.extensions import extensions_add  # noqa: PLC0415 - models are there by now
        from webapp.health import system_checks  # noqa: F401, PLC0415 - importing registers

        extensions_add()
