"""The app of agreement."""

from __future__ import annotations

from django.apps import AppConfig


class AgreementConfig(AppConfig):
    """How far people agree who labelled the same questions."""

    name = "webapp.labelling.agreement"
    verbose_name = "Agreement"

    def ready(self) -> None:
        """Register the work."""
        from webapp.labelling.agreement.services import TASK, agreements  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, agreements.recover))
